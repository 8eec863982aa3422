"""How long the agent waited for the person, which is nobody's latency."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise

from aisdk_lab.metrics._base import Example, covered_ms, tiny
from aisdk_lab.metrics._timeline import Timeline

OVER = "together"
_ASK = (
    (1, {"type": "tool-input-available", "toolCallId": "c1", "toolName": "publish", "input": {}}),
    (2, {"type": "tool-approval-request", "toolCallId": "c1", "approvalId": "a1"}),
    (250, {"type": "finish", "finishReason": "tool-calls"}),
)
EXAMPLE = Example(
    (
        tiny(*_ASK, started_at="2026-11-30T09:00:00.000Z"),
        tiny((5, {"type": "finish"}), started_at="2026-11-30T09:00:04.250Z"),
    ),
    4000.0,
)


def human_wait_ms(timelines: Sequence[Timeline]) -> float | None:
    """Milliseconds from the end of each response that waits to the next request, and of answers inside a stream.

    `None` when nobody was waited for, and when it cannot be known: one exchange alone does not show when the answer
    came, nor do exchanges without a wall clock.
    """
    waits = [ms for t in timelines if (ms := covered_ms([s for s in t.spans if s.kind == "human-wait"])) is not None]
    for before, after in pairwise(timelines):
        if before.end_state == "waiting":
            asked, answered = _epoch_ms(before), _epoch_ms(after)
            duration_ms = before.capture.duration_ms
            if asked is None or answered is None or duration_ms is None or answered < asked + duration_ms:
                return None
            waits.append(answered - asked - duration_ms)
    return sum(waits) if waits else None


def _epoch_ms(timeline: Timeline) -> float | None:
    try:
        return datetime.fromisoformat(timeline.capture.started_at or "").timestamp() * 1000
    except ValueError:
        return None
