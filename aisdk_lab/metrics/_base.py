"""What a metric is, and the tiny captures in which the metrics prove themselves."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Literal, TypeAlias

from aisdk_lab.capture import Capture, Segment
from aisdk_lab.metrics._timeline import Span, Timeline
from aisdk_lab.ui_stream.chunks import Chunk

Value: TypeAlias = float | tuple[Span, ...] | None
"""Milliseconds, or spans; `None` when it is not known or there was nothing to measure."""
Over: TypeAlias = Literal["first", "last", "sum", "max", "joined", "together"]
"""What several exchanges of one conversation come to: the first or last one's value, sum or maximum of those that are
known, the spans one after the other, or `together`: the metric itself looks at all of them."""


@dataclass(frozen=True, slots=True)
class Example:
    """Evidence in the file: captures of one conversation and what the metric says of them."""

    captures: tuple[Capture, ...]
    value: Value


@dataclass(frozen=True, slots=True)
class Metric:
    """One number a file. `of` takes a `Timeline`, or all of them when `over` is `together`."""

    name: str
    over: Over
    of: Callable[[Any], Value]  # Timeline or Sequence[Timeline], as `over` says
    example: Example
    about: str

    def __call__(self, timelines: Sequence[Timeline]) -> Value:
        """The value for the exchanges of one conversation, in their order."""
        if self.over == "together":
            return self.of(timelines)
        values = [self.of(timeline) for timeline in timelines]
        if self.over in ("first", "last"):
            return values[0 if self.over == "first" else -1]
        if self.over == "joined":
            return tuple(span for spans in values if isinstance(spans, tuple) for span in spans)
        numbers = [value for value in values if isinstance(value, float)]
        return None if not numbers else sum(numbers) if self.over == "sum" else max(numbers)


def pick(module: ModuleType) -> Metric:
    """The metric of a module: the function that has the module's name, its `OVER` and its `EXAMPLE`."""
    name = module.__name__.rpartition(".")[2]
    of = getattr(module, name)
    return Metric(name, module.OVER, of, module.EXAMPLE, (of.__doc__ or "").strip().partition("\n")[0])


def tiny(*reads: tuple[float, Chunk | str], name: str = "tiny", started_at: str | None = None) -> Capture:
    """A capture with one frame a read: `(milliseconds since the request, chunk or raw data text)`."""
    texts = ((t_ms, data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)) for t_ms, data in reads)
    # Half a surrogate pair goes as the escape that JSON has for it.
    blocks = ((t_ms, f"data: {text}\n\n".encode("utf-8", "backslashreplace")) for t_ms, text in texts)
    segments = tuple(Segment(round(t_ms * 1e6), block) for t_ms, block in blocks)
    return Capture(name=name, segments=segments, started_at=started_at)


def covered_ms(spans: Sequence[Span]) -> float | None:
    """Milliseconds that at least one of the ended spans covers; `None` when none ended."""
    ended = sorted((span.start_ms, span.end_ms) for span in spans if span.end_ms is not None)
    if not ended:
        return None
    total, until = 0.0, ended[0][0]
    for start, end in ended:
        total += max(0.0, end - max(start, until))
        until = max(until, end)
    return total
