"""Metrics: what a capture comes to in numbers. An open set, one number (or one list of spans) a module.

A member is a module with a function of the module's own name that takes a `Timeline` and gives milliseconds, spans or
`None`; `OVER`, which says what several exchanges of one conversation come to; and an `EXAMPLE`, which one test runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, get_args

from aisdk_lab._registry import Registry
from aisdk_lab.capture import Capture, EndState, captures_of
from aisdk_lab.card import html_card
from aisdk_lab.errors import UnknownName
from aisdk_lab.metrics._base import Example, Metric, Over, Value, pick, tiny
from aisdk_lab.metrics._timeline import Mark, Span, Timeline
from aisdk_lab.strings import WORDS, word
from aisdk_lab.wire.visible import visible

if TYPE_CHECKING:
    import pandas

__all__ = ["Example", "Mark", "Measurement", "Metric", "Span", "Timeline", "measure", "metrics", "tiny"]

metrics: Registry[Metric] = Registry("metric", __name__, pick)
"""The metrics by name."""

LABEL_CHARS = 40
"""How much of a tool's name the words about it show."""
SHOWN_SPANS = 20
"""How many times of one kind the words show."""


class Measurement(Mapping[str, Value]):
    """Every metric of a capture or a conversation, by name; also as attributes: `measurement.first_text_ms`.

    Milliseconds are floats, lists of times are tuples of `Span`; `None` is unknown or not there to be measured.
    """

    def __init__(self, name: str, end_state: EndState, values: Mapping[str, Value]) -> None:
        self.name = name
        self.end_state: EndState = end_state
        """How the last exchange ended."""
        self._values = dict(values)

    def __getitem__(self, name: str) -> Value:
        if name not in self._values:
            raise UnknownName("metric", name, self._values)
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __getattr__(self, name: str) -> Any:  # a Value; which one, the metric's name says
        if name.startswith("_") or name not in self._values:
            raise AttributeError(f"no metric is called {name!r}. Known: {', '.join(self.__dict__.get('_values', ()))}.")
        return self._values[name]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._values]

    def to_dict(self) -> dict[str, object]:
        """`capture`, `end_state` and every value; lists of spans give `<name>_ms`: their durations."""
        flat: dict[str, object] = {"capture": self.name, "end_state": self.end_state}
        for name, value in self._values.items():
            if isinstance(value, tuple):
                flat[f"{name}_ms"] = [span.duration_ms for span in value]
            else:
                flat[name] = value
        return flat

    def to_series(self) -> pandas.Series:
        """The numbers in milliseconds as float64, NaN for `None`, indexed by metric, named after the capture."""
        import pandas

        numbers = {name: value for name, value in self._values.items() if not isinstance(value, tuple)}
        return pandas.Series(numbers, dtype="float64", name=self.name)

    def __repr__(self) -> str:
        said = ", ".join(f"{name}={_show(value)}" for name, value in self._values.items() if value not in (None, ()))
        return f"<Measurement {self.name!r}: {self.end_state}; {said}>"

    def _repr_html_(self) -> str:
        rows = {_label(name): _show(value) for name, value in self._values.items() if value != ()}
        return html_card(self.name, word(f"capture.end_state.{self.end_state}"), word("measure.about"), rows)


def _label(name: str) -> str:
    key = f"measure.{name}"
    return word(key) if key in WORDS else name.removesuffix("_ms").replace("_", " ")


def _show(value: Value) -> str:
    if value is None:
        return word("measure.unknown")
    if isinstance(value, tuple):
        more = [f"… (+{len(value) - SHOWN_SPANS:,})"] if len(value) > SHOWN_SPANS else []
        return ", ".join([*map(_show_span, value[:SHOWN_SPANS]), *more])
    return word("measure.ms", ms=f"{value:,.1f}")


def _show_span(span: Span) -> str:
    end = word("measure.open") if span.end_ms is None else f"{span.end_ms:,.1f}"
    # The label is remote: cut first.
    label = span.label if len(span.label) <= LABEL_CHARS else span.label[: LABEL_CHARS - 1] + "…"
    return word("measure.span", label=visible(label), start=f"{span.start_ms:,.1f}", end=end)


def measure(captures: Capture | Sequence[Capture]) -> Measurement:
    """Measures one exchange, or several exchanges of one conversation in their order.

    Times count from the request of their own exchange. Of a conversation, `first_…` are those of its first exchange,
    the longest gap is the longest of all, tool waits add up, the end state is that of the last exchange, and the
    person's time between the exchanges is known when the captures have a wall clock.

    Raises:
        ValueError: no capture was given.
        TypeError: what was given is no capture.
    """
    given = captures_of(captures)
    if not given:
        raise ValueError("nothing to measure: no capture was given")
    timelines = [_numbered(Timeline.of(capture), number) for number, capture in enumerate(given, start=1)]
    # Moments first, then what is counted over several exchanges.
    ordered = sorted(metrics.values(), key=lambda metric: get_args(Over).index(metric.over))
    values = {metric.name: metric(timelines) for metric in ordered}
    return Measurement(given[0].name, timelines[-1].end_state, values)


def _numbered(timeline: Timeline, number: int) -> Timeline:
    return replace(timeline, spans=tuple(replace(span, exchange=number) for span in timeline.spans))
