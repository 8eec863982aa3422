"""When there was something to read."""

from __future__ import annotations

from aisdk_lab.metrics._base import Example, tiny
from aisdk_lab.metrics._timeline import Timeline

OVER = "first"
EXAMPLE = Example(
    (
        tiny(
            (4, {"type": "text-start", "id": "t"}),
            (5, {"type": "text-delta", "id": "t", "delta": ""}),
            (12, {"type": "text-delta", "id": "t", "delta": "你好"}),
        ),
    ),
    12.0,
)


def first_text_ms(timeline: Timeline) -> float | None:
    """Milliseconds from the request to the first non-empty text delta.

    Empty deltas do not count: some providers send one to open the block. `None` if no text ever came.
    Clock: monotonic, taken when the frame's last byte arrived. Precision is that of the segment, not of the model.
    """
    return next(iter(timeline.delta_times_ms("text")), None)
