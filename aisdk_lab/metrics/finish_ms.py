"""When the exchange said that it was finished."""

from __future__ import annotations

from aisdk_lab.metrics._base import Example, tiny
from aisdk_lab.metrics._timeline import Timeline

OVER = "last"
EXAMPLE = Example((tiny((4, {"type": "start"}), (159, {"type": "finish"}), (161, "[DONE]")),), 159.0)


def finish_ms(timeline: Timeline) -> float | None:
    """Milliseconds from the request to the last `finish` chunk; `None` if none came."""
    times = [frame.t_ns for frame, chunk in timeline.chunks if chunk["type"] == "finish"]
    return times[-1] / 1e6 if times and times[-1] is not None else None
