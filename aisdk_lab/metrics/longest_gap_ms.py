"""The longest silence."""

from __future__ import annotations

from itertools import pairwise

from aisdk_lab.metrics._base import Example, tiny
from aisdk_lab.metrics._timeline import Timeline

OVER = "max"
EXAMPLE = Example((tiny((100, {"type": "start"}), (104, {"type": "start-step"}), (140, {"type": "finish"})),), 36.0)


def longest_gap_ms(timeline: Timeline) -> float | None:
    """Milliseconds of the longest silence between two segments; `None` with fewer than two.

    A clock that ran backwards (an edited file) makes no negative silence: 0 then. The wait for the first byte is `first_byte_ms`, not a gap. Tools that ran are in it, as they are for the reader.
    """
    times = [segment.t_ns for segment in timeline.capture.segments if segment.t_ns is not None]
    return max((max(0.0, (after - before) / 1e6) for before, after in pairwise(times)), default=None)
