"""How long the reader waited for tools."""

from __future__ import annotations

from aisdk_lab.metrics._base import Example, covered_ms, tiny
from aisdk_lab.metrics._timeline import Timeline
from aisdk_lab.metrics.tool_times import tool_times

OVER = "sum"
EXAMPLE = Example(
    (
        tiny(
            (10, {"type": "tool-input-available", "toolCallId": "a", "toolName": "slow", "input": {}}),
            (12, {"type": "tool-input-available", "toolCallId": "b", "toolName": "quick", "input": {}}),
            (20, {"type": "tool-output-available", "toolCallId": "b", "output": 1}),
            (40, {"type": "tool-output-available", "toolCallId": "a", "output": 1}),
        ),
    ),
    30.0,
)


def tool_wait_ms(timeline: Timeline) -> float | None:
    """Milliseconds in which at least one tool ran; tools side by side count once. `None` if none came to its end."""
    return covered_ms(tool_times(timeline))
