"""How long each model call took, as the stream tells it."""

from __future__ import annotations

from aisdk_lab.metrics._base import Example, tiny
from aisdk_lab.metrics._timeline import Span, Timeline

OVER = "joined"
EXAMPLE = Example(
    (tiny((14, {"type": "start-step"}), (29, {"type": "finish-step"}), (38, {"type": "start-step"})),),
    (Span("step", "1", 14.0, 29.0), Span("step", "2", 38.0, None)),
)


def step_times(timeline: Timeline) -> tuple[Span, ...]:
    """One span a step, from its `start-step` to its `finish-step`, the tools that the server ran in it included.

    A step that did not end has `end_ms` `None`.
    """
    return tuple(span for span in timeline.spans if span.kind == "step")
