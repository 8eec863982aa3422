"""How long each tool ran."""

from __future__ import annotations

from aisdk_lab.metrics._base import Example, tiny
from aisdk_lab.metrics._timeline import Span, Timeline

OVER = "joined"
EXAMPLE = Example(
    (
        tiny(
            (14, {"type": "tool-input-available", "toolCallId": "c1", "toolName": "get_weather", "input": {}}),
            (29, {"type": "tool-output-available", "toolCallId": "c1", "output": "25°C"}),
        ),
    ),
    (Span("tool-run", "get_weather", 14.0, 29.0, "c1"),),
)


def tool_times(timeline: Timeline) -> tuple[Span, ...]:
    """One span a tool that the far side ran, from its whole input to its output or error.

    Preliminary outputs do not end it. After an approval it begins with the answer (with the request that carries the
    answer when the run was called from an earlier exchange). What waits for a person is in `human_wait_ms`.
    """
    return tuple(span for span in timeline.spans if span.kind == "tool-run")
