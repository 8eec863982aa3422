"""When the first frame was whole."""

from __future__ import annotations

from aisdk_lab.capture import Capture, Segment
from aisdk_lab.metrics._base import Example
from aisdk_lab.metrics._timeline import Timeline

OVER = "first"
EXAMPLE = Example(
    (Capture(name="tiny", segments=(Segment(4_000_000, b'data: {"type"'), Segment(7_500_000, b':"start"}\n\n'))),), 7.5
)


def first_frame_ms(timeline: Timeline) -> float | None:
    """Milliseconds from the request to the last byte of the first frame; a comment is a frame too.

    A tail that never got its blank line is none: whoever reads the stream never saw it.
    """
    for frame in timeline.capture.frames():
        if frame.problem is None:
            return None if frame.t_ns is None else frame.t_ns / 1e6
    return None
