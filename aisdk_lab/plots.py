"""The timing picture: what an exchange did, drawn over the seconds since its request.

Stage: views. One lane for text, one for reasoning, one a tool call; steps are bands, segments are ticks under the axis,
the person's time is hatched and never counted as work. The ground is transparent and every ink reads on white and on
black; nothing global of matplotlib is changed, and the figure does not belong to pyplot, so that a notebook shows it once.
"""

from __future__ import annotations

import io
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from aisdk_lab.capture import Capture, captures_of
from aisdk_lab.errors import MissingExtra
from aisdk_lab.metrics import Mark, Span, Timeline
from aisdk_lab.metrics.human_wait_ms import human_wait_ms
from aisdk_lab.strings import word

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.transforms import Affine2DBase

Lane: TypeAlias = tuple[str, str]
"""`(kind, "")`, or `("tool", key of the call)`, or `("more", "")` for the lanes that are not drawn."""

COLOURS: Final = {
    "text": "#0072B2",
    "reasoning": "#999999",
    "tool-input": "#56B4E9",
    "tool-run": "#E69F00",
    "human-wait": "#CC79A7",
    "data": "#009E73",
    "error": "#D55E00",
}
"""Okabe and Ito's palette: told apart with every kind of colour vision."""
INK: Final = "#767676"
"""4.5:1 on white, 4.6:1 on black."""
FONTS: Final = (
    "DejaVu Sans",
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "Noto Sans SC",
    "Source Han Sans SC",
    "PingFang SC",
    "Microsoft YaHei",
    "WenQuanYi Micro Hei",
    "WenQuanYi Zen Hei",
)
"""Tried in this order for each character; those that are not installed are passed over in silence."""
MAX_LANES: Final = 14
"""With more calls than this, the calls of one tool share a lane."""
MAX_DRAWN_LANES: Final = 60
"""More lanes than this are not drawn; the picture says how many."""
MAX_DRAWN_STEPS: Final = 100
"""With more steps than this, only where they begin is drawn."""
LABEL_CHARS: Final = 40
"""Remote labels are cut here before anything is done with them."""
TOOL_KINDS: Final = ("tool-input", "tool-run", "human-wait")
_MISSING_GLYPH = "▯"
_BAR = 0.46  # height of a bar; lanes are 1 apart
_WAIT_SHARE = 0.14  # how far an open wait is drawn past the end, as a share of the exchange


def timing(captures: Capture | Sequence[Capture], *, language: str = "en") -> Figure:
    """Draws one exchange, or several of one conversation side by side with the person's time between them.

    Lanes are in the order in which they began. What never ended runs to the end and fades; a wait for the person that
    has no end yet goes past it. Between exchanges the wait is not to scale: its length is written on it. Without a
    clock there is nothing to draw, and the figure says so. Words are `en` or `zh`.

    Raises:
        MissingExtra: matplotlib is not installed.
        ValueError: no capture was given.
        TypeError: what was given is no capture.
    """
    given = captures_of(captures)
    if not given:
        raise ValueError("nothing to draw: no capture was given")
    new_figure = _figure_class()
    timelines = [Timeline.of(capture) for capture in given]
    lanes, by_name = _lanes(timelines)
    # Inches: a lane is as high as its label needs, whatever their number.
    figure = new_figure(figsize=(9.0, 1.05 + 0.34 * max(1, len(lanes))), dpi=100, facecolor="none")
    figure.set_layout_engine("constrained", w_pad=0.0, wspace=0.0, rect=(0.008, 0.0, 0.984, 1.0))
    if not any(_last_ms(timeline) for timeline in timelines):
        _write(figure, 0.5, 0.5, word("plot.no_clock", language), "center", "center")
        return figure
    extents = [_extent_ms(timeline, timeline is timelines[-1]) for timeline in timelines]
    gap = 0.2 * sum(extents)
    widths = [width for extent in extents for width in (max(extent, gap), gap)][:-1]
    grid = figure.add_gridspec(1, len(widths), width_ratios=widths)
    for place, width in enumerate(widths):
        axes = figure.add_subplot(grid[0, place])
        axes.set(facecolor="none", ylim=(max(1, len(lanes)) - 0.4, -0.95), yticks=[])
        axes.spines[["left", "right", "top", "bottom"]].set_visible(False)
        number = place // 2
        exchange = _Exchange(axes, figure.dpi_scale_trans, timelines[number], extents[number], lanes, by_name, language)
        if place % 2:
            exchange.draw_gap(timelines[number + 1])
        else:
            exchange.draw(place == 0, place == len(widths) - 1, ticks=max(2, round(9 * width / sum(widths))))
    return figure


def _lane_of(item: Span | Mark, by_name: bool) -> Lane:
    if isinstance(item, Span) and item.kind in TOOL_KINDS:
        return ("tool", item.label if by_name else item.key)
    return (item.kind, "")


def _lanes(timelines: Sequence[Timeline]) -> tuple[dict[Lane, str], bool]:
    """Lane to the name of its tool, in the order in which they began, marks last; and whether tools share lanes."""
    spans = [span for timeline in timelines for span in timeline.spans if span.kind != "step"]
    items = [*spans, *(mark for timeline in timelines for mark in timeline.marks)]
    by_name = len({_lane_of(item, by_name=False) for item in items}) > MAX_LANES
    labels = {_lane_of(item, by_name): item.label for item in items}
    lanes = {lane: _shorten(label, LABEL_CHARS) for lane, label in list(labels.items())[:MAX_DRAWN_LANES]}
    if len(labels) > len(lanes):
        lanes["more", ""] = str(len(labels) - len(lanes))
    return lanes, by_name


def _last_ms(timeline: Timeline) -> float:
    """Where the exchange ends; 0 without a clock."""
    times = [segment.t_ns / 1e6 for segment in timeline.capture.segments if segment.t_ns is not None]
    return max([*times, timeline.capture.duration_ms or 0.0])


def _extent_ms(timeline: Timeline, is_last: bool) -> float:
    """How far the axis goes: past the end when somebody is still waited for."""
    waits = is_last and any(span.kind == "human-wait" and span.end_ms is None for span in timeline.spans)
    return _last_ms(timeline) * (1.0 + _WAIT_SHARE * waits) or 1.0


class _Exchange:
    """Draws one exchange on its own axes; the lanes are those of the whole picture."""

    def __init__(
        self,
        axes: Axes,
        inches: Affine2DBase,
        timeline: Timeline,
        extent_ms: float,
        lanes: dict[Lane, str],
        by_name: bool,
        language: str,
    ) -> None:
        self._axes, self._inches, self._timeline, self._lanes = axes, inches, timeline, lanes
        self._by_name, self._language = by_name, language
        self._rows = {lane: row for row, lane in enumerate(lanes)}
        self._steps = [span for span in timeline.spans if span.kind == "step"]
        self._spans: dict[Lane, list[Span]] = {lane: [] for lane in lanes}
        self._marks: dict[Lane, list[Mark]] = {lane: [] for lane in lanes}
        for span in timeline.spans:
            if span.kind != "step" and (lane := _lane_of(span, by_name)) in lanes:
                self._spans[lane].append(span)
        for mark in timeline.marks:
            if (lane := _lane_of(mark, by_name)) in lanes:
                self._marks[lane].append(mark)
        self._last_s, self._end_s = _last_ms(timeline) / 1000, extent_ms / 1000

    def _word(self, key: str, **values: object) -> str:
        return word(f"plot.{key}", self._language, **values)

    def draw(self, is_first: bool, is_last: bool, ticks: int) -> None:
        """Bands, bars, marks, ticks, and a word for each."""
        self._axes.set_xlim(-0.004 * self._end_s * is_first, self._end_s * (1.004 if is_last else 1.0))
        self._draw_axis(is_first, is_last, ticks)
        if len(self._steps) <= MAX_DRAWN_STEPS:
            for span in self._steps:
                self._draw_step(span)
        else:
            starts = [span.start_ms / 1000 for span in self._steps]
            self._axes.vlines(starts, 0, 1, color=INK, lw=0.6, alpha=0.6, transform=self._axes.get_xaxis_transform())
        for lane, row in self._rows.items():
            self._draw_bars(self._spans[lane], row)
            for kind in {mark.kind: None for mark in self._marks[lane]}:
                times = [mark.t_ms / 1000 for mark in self._marks[lane] if mark.kind == kind]
                shape, rows = "x" if kind == "error" else "D", [row] * len(times)
                self._axes.plot(times, rows, shape, ls="", color=COLOURS[kind], ms=5, mew=1.6, clip_on=False)
        self._label_bars(is_last)
        if is_first:
            for row, ((kind, _key), label) in enumerate(self._lanes.items()):
                text = label if kind == "tool" else self._word(kind, number=label)
                _write(self._axes, -0.012, row, text, "right", "center", across=True)

    def draw_gap(self, after: Timeline) -> None:
        """The person's time between two exchanges, not to scale, on the lanes of the calls that waited."""
        self._axes.set(xlim=(0, 1), xticks=[])
        waits = [
            (row, span)
            for lane, row in self._rows.items()
            for span in self._spans[lane]
            if span.kind == "human-wait" and span.end_ms is None
        ]
        wait_ms = human_wait_ms([self._timeline, after])
        length = self._word("unknown_length") if wait_ms is None else self._time(wait_ms)
        for row, span in dict(waits).items():  # one a lane: those of a shared lane look the same
            self._axes.broken_barh([(0, 1)], (row - _BAR / 2, _BAR), **_style(span, 1.0))
            _write(self._axes, 0.5, row - 0.3, self._word("waited"), "center", "bottom", inside=True)
            _write(self._axes, 0.5, row + 0.3, length, "center", "top", inside=True)

    def _draw_axis(self, is_first: bool, is_last: bool, ticks: int) -> None:
        from matplotlib.transforms import ScaledTranslation

        axes = self._axes
        axes.spines["bottom"].set(visible=True, color=INK, linewidth=0.8)
        axes.locator_params(axis="x", nbins=ticks)
        axes.tick_params(axis="x", colors=INK, labelsize=8, length=3, pad=11)
        # A row of ticks 8 points under the axis, whatever the height of the picture.
        below = axes.get_xaxis_transform() + ScaledTranslation(0, -8 / 72, self._inches)
        times = [s.t_ns / 1e9 for s in self._timeline.capture.segments if s.t_ns is not None]
        axes.plot(times, [0.0] * len(times), "|", color=INK, ms=6, mew=0.8, transform=below, clip_on=False)
        if is_first:
            left = axes.transAxes + ScaledTranslation(0, -8 / 72, self._inches)
            _write(axes, -0.012, 0.0, self._word("segments"), "right", "center", transform=left)
        if is_last:
            right = axes.transAxes + ScaledTranslation(0, -27 / 72, self._inches)
            _write(axes, 1.0, 0.0, self._word("seconds"), "right", "top", transform=right)

    def _draw_step(self, span: Span) -> None:
        start, end = span.start_ms / 1000, self._last_s if span.end_ms is None else span.end_ms / 1000
        self._axes.axvspan(start, end, color="#808080", alpha=0.09, lw=0)
        self._axes.axvline(start, color=INK, lw=0.6, alpha=0.6)
        _write(self._axes, start, -0.92, " " + self._word("step", number=span.label), "left", "top", inside=True)

    def _draw_bars(self, spans: Sequence[Span], row: int) -> None:
        """The bars of a lane, those of one look as one artist: thousands of artists take minutes."""
        looks: dict[tuple[str, bool], list[Span]] = {}
        for span in spans:
            looks.setdefault((span.kind, span.end_ms is None), []).append(span)
        for (kind, is_open), alike in looks.items():
            open_until = self._end_s if kind == "human-wait" else self._last_s
            ends = [(s.start_ms / 1000, open_until if s.end_ms is None else s.end_ms / 1000) for s in alike]
            # Nothing is thinner than a line: what took no measurable time is seen all the same.
            bars = [(start, max(end - start, 0.004 * self._end_s)) for start, end in ends]
            self._axes.broken_barh(bars, (row - _BAR / 2, _BAR), **_style(alike[0], 0.4 if is_open else 0.9))
            if kind in ("text", "reasoning"):
                # A fine line for every delta inside its bar, so that a burst is seen as one.
                deltas = _inside(self._timeline.delta_times_ms(kind), ends, 0.003 * self._end_s)
                self._axes.vlines(deltas, row - _BAR / 2, row + _BAR / 2, color="#ffffff", lw=0.8, alpha=0.8)

    def _label_bars(self, is_last: bool) -> None:
        """What the bars of a lane were and how long they took: once a lane, beside its bars or, between panels, above."""
        for lane, row in self._rows.items():
            spans, marks = self._spans[lane], self._marks[lane]
            words = [self._said(s) for s in spans if is_last or s.kind != "human-wait" or s.end_ms is not None]
            words = words if len(spans) <= 4 else [self._word("times", number=len(spans))]
            words += [_shorten(mark.label, LABEL_CHARS + 20) for mark in marks[:2]] + ["…"] * (len(marks) > 2)
            if not words:
                continue
            starts = [s.start_ms / 1000 for s in spans] + [m.t_ms / 1000 for m in marks]
            ends = [self._end_s if s.end_ms is None else s.end_ms / 1000 for s in spans] + starts[len(spans) :]
            text = _shorten(" · ".join(words), 60)
            if not is_last:
                _write(self._axes, min(starts), row - 0.3, text, "left", "bottom", inside=True)
            elif max(ends) < 0.6 * self._end_s or min(starts) < 0.25 * self._end_s:
                _write(self._axes, max(ends), row, "  " + text, "left", "center")
            else:
                _write(self._axes, min(starts), row, text + "  ", "right", "center", inside=True)

    def _said(self, span: Span) -> str:
        if span.end_ms is None:
            return self._word("waiting" if span.kind == "human-wait" else "unfinished")
        time = self._time(span.end_ms - span.start_ms)
        return time if span.kind in ("text", "reasoning") else self._word(f"said.{span.kind}", time=time)

    def _time(self, ms: float) -> str:
        if ms < 1000:
            return self._word("ms", number=f"{ms:,.0f}" if ms >= 0.5 else "<1")
        return self._word("s", number=f"{ms / 1000:,.1f}")


def _inside(times_ms: Sequence[float], ends_s: Sequence[tuple[float, float]], edge_s: float) -> list[float]:
    """The times, in seconds, that are inside one of the bars and not at its edge."""
    times = sorted(ms / 1000 for ms in times_ms)
    return [
        time
        for start, end in ends_s
        for time in times[bisect_right(times, start + edge_s) : bisect_left(times, end - edge_s)]
    ]


def _shorten(text: str, limit_chars: int) -> str:
    return text if len(text) <= limit_chars else text[: limit_chars - 1] + "…"


# --- ink ---


def _style(span: Span, alpha: float) -> dict[str, Any]:
    if span.kind == "human-wait":
        return {"facecolor": "none", "edgecolor": COLOURS["human-wait"], "hatch": "////", "lw": 0.0}
    return {"facecolor": COLOURS[span.kind], "edgecolor": "none", "alpha": alpha}


def _write(
    place: Any,
    x: float,
    y: float,
    text: str,
    ha: str,
    va: str,
    *,
    across: bool = False,
    inside: bool = False,
    transform: Any = None,
) -> None:
    """Grey text. `across`: x counts in widths of the axes; `inside`: the layout need not make room for it."""
    if across:
        transform = place.get_yaxis_transform()
    style: dict[str, Any] = {"color": INK, "fontsize": 8.5, "fontfamily": list(_fonts())}
    if transform is not None:
        style["transform"] = transform
    # Remote words are words: a dollar sign begins no formula, whatever the reader's settings say.
    written = place.text(x, y, _drawable(text), ha=ha, va=va, parse_math=False, usetex=False, clip_on=False, **style)
    written.set_in_layout(not inside)


@lru_cache(maxsize=1)
def _fonts() -> tuple[str, ...]:
    """The families of `FONTS` that are installed; DejaVu Sans comes with matplotlib."""
    from matplotlib.font_manager import fontManager

    installed = {entry.name for entry in fontManager.ttflist}
    return tuple(name for name in FONTS if name in installed)


@lru_cache(maxsize=1)
def _glyphs() -> frozenset[int]:
    """Every character that the installed families can draw."""
    from matplotlib.font_manager import FontProperties, findfont, get_font

    return frozenset(
        code for name in _fonts() for code in get_font(findfont(FontProperties(family=name))).get_charmap()
    )


def _drawable(text: str) -> str:
    """One line without control characters; what no font has becomes a box instead of a warning."""
    line = " ".join(text.split()) if text.strip() else text
    led = text[: len(text) - len(text.lstrip(" "))]
    trailed = text[len(text.rstrip(" ")) :]
    shown = "".join(c if ord(c) in _glyphs() else _MISSING_GLYPH for c in line if c.isprintable())
    return f"{led}{shown}{trailed}"


@lru_cache(maxsize=1)
def _figure_class() -> type[Figure]:
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtra("matplotlib", "plots") from error

    class TimingFigure(Figure):
        """A figure that a notebook shows without pyplot, on the page's own ground."""

        def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
            png = io.BytesIO()
            self.savefig(png, format="png", facecolor="none", dpi=2 * self.dpi)  # sharp on dense screens
            return png.getvalue(), {
                "width": int(self.get_figwidth() * self.dpi),
                "height": int(self.get_figheight() * self.dpi),
            }

    return TimingFigure
