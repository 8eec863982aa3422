"""When the sentinel came."""

from __future__ import annotations

from aisdk_lab.metrics._base import Example, tiny
from aisdk_lab.metrics._timeline import Timeline

OVER = "last"
EXAMPLE = Example((tiny((159, {"type": "finish"}), (161, "[DONE]")),), 161.0)


def done_ms(timeline: Timeline) -> float | None:
    """Milliseconds from the request to `[DONE]`; `None` if it never came."""
    for frame in timeline.capture.frames():
        if frame.is_done:
            return None if frame.t_ns is None else frame.t_ns / 1e6
    return None
