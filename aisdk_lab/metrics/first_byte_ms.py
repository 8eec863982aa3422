"""When the first byte of the body came."""

from __future__ import annotations

from aisdk_lab.metrics._base import Example, tiny
from aisdk_lab.metrics._timeline import Timeline

OVER = "first"
EXAMPLE = Example((tiny((4, {"type": "start"}), (9, {"type": "finish"})),), 4.0)


def first_byte_ms(timeline: Timeline) -> float | None:
    """Milliseconds from the request to the first byte of the body.

    Response headers do not count (`Capture.response.t_ns` has them). Clock: monotonic, taken when the read returned.
    """
    for segment in timeline.capture.segments:
        if segment.data:
            return None if segment.t_ns is None else segment.t_ns / 1e6
    return None
