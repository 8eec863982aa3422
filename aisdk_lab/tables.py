"""Captures as pandas tables: one row a segment, a frame or a chunk.

Stage: views. `SEGMENTS`, `FRAMES` and `CHUNKS` list the columns and dtypes; every table has exactly these, also an empty
one. Times are float64 milliseconds since the request (NaN without a clock), counts that can be missing are `Int64`,
texts are `string`; missing values are NaN and `<NA>`. `frame` joins `chunks` to `frames`, `segment` joins `frames` to
`segments`. `table.attrs["caption"]` says what one row is.
"""

from __future__ import annotations

import bisect
import html
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, cast

from aisdk_lab.capture import Capture, captures_of
from aisdk_lab.errors import UnknownName
from aisdk_lab.strings import word
from aisdk_lab.ui_stream.chunks import Chunk
from aisdk_lab.ui_stream.grammar import chunk_rule
from aisdk_lab.wire import json_text
from aisdk_lab.wire.frame import Frame
from aisdk_lab.wire.json_text import mend_surrogates

if TYPE_CHECKING:
    import pandas

TableKind: TypeAlias = Literal["segments", "frames", "chunks"]
Row: TypeAlias = tuple[Any, ...]  # values in the order of the columns

SEGMENTS: Final[Mapping[str, str]] = {
    "segment": "int64",  # place in the body, from 0
    "t_ms": "float64",  # arrival since the request
    "gap_ms": "float64",  # since the segment before; first row NaN
    "size_bytes": "int64",
    "offset_bytes": "int64",  # of its first byte in the body
    "frames": "int64",  # how many frames became whole with it; 0: it ends inside one
    "text": "string",  # the bytes as UTF-8, U+FFFD for halves of characters
}
FRAMES: Final[Mapping[str, str]] = {
    "frame": "int64",  # place among the frames, from 0
    "segment": "Int64",  # the segment that made it whole
    "t_ms": "float64",
    "gap_ms": "float64",  # since the frame before; first row NaN
    "size_bytes": "int64",
    "offset_bytes": "int64",
    "kind": "string",  # chunk, done, comment, text, or other (data that is no chunk, a block without data)
    "type": "string",  # of the chunk, also of one with a problem
    "event": "string",
    "id": "string",
    "data": "string",
    "comment": "string",
    "problem": "string",  # of the bytes or of the chunk in them
}
CHUNKS: Final[Mapping[str, str]] = {
    "chunk": "int64",  # place among the rows, from 0
    "frame": "int64",
    "t_ms": "float64",
    "gap_ms": "float64",  # since the chunk before; first row NaN
    "type": "string",
    "step": "Int64",  # from 1; missing before the first step
    "id": "string",  # of the block, of the data part, or of the message
    "tool_call_id": "string",
    "tool_name": "string",  # carried to every chunk of the call
    "approval_id": "string",
    "text": "string",  # the delta or the error text
    "text_chars": "Int64",  # its length in characters
    "problem": "string",
}
_COLUMNS: Final[Mapping[str, Mapping[str, str]]] = {"segments": SEGMENTS, "frames": FRAMES, "chunks": CHUNKS}
_KNOWN: Final = frozenset({"capture"}.union(*_COLUMNS.values()))
CODE_COLUMNS: Final = ("text", "data", "comment", "id", "tool_call_id", "approval_id")
"""Shown in the code font."""
SHOWN_ROWS: Final = 40
SHOWN_CHARS: Final = 72
_CELL: Final = "padding:2px 10px 2px 0;white-space:pre;"
_CODE: Final = "font-family:var(--jp-code-font-family,ui-monospace,monospace);"


def table(capture: Capture, kind: TableKind) -> pandas.DataFrame:
    """One capture as a table of its `segments`, `frames` or `chunks`, in arrival order.

    Columns and dtypes: `SEGMENTS`, `FRAMES`, `CHUNKS`. Comments, `[DONE]` and frames without data are in `frames` only;
    `chunks` has a row for every frame that carries a chunk or should, `problem` saying why one could not be read.

    Raises:
        UnknownName: no such table.
    """
    rows = _rows(kind)
    if not isinstance(cast("object", capture), Capture):
        captures_of(capture)  # says what is wrong, unless these are captures
        raise TypeError("expected one capture, got several; lab.tables(captures, kind) puts them into one table")
    return _build(kind, rows(capture), _COLUMNS[kind])


def tables(captures: Iterable[Capture], kind: TableKind) -> pandas.DataFrame:
    """Many captures in one table, one below the other; `capture` is the first column, the rest is as in `table`.

    Raises:
        UnknownName: no such table.
    """
    rows = _rows(kind)
    named = ((capture.name, *row) for capture in captures_of(captures) for row in rows(capture))
    return _build(kind, named, {"capture": "string", **_COLUMNS[kind]})


def _rows(kind: str) -> Callable[[Capture], Iterable[Row]]:
    makers = {"segments": _segment_rows, "frames": _frame_rows, "chunks": _chunk_rows}
    if kind not in makers:
        raise UnknownName("table", kind, makers)
    return makers[kind]


def _build(kind: TableKind, rows: Iterable[Row], columns: Mapping[str, str]) -> pandas.DataFrame:
    import pandas

    # Columns are built one by one: rows of mixed values would first become objects, then be guessed at.
    values = list(zip(*rows, strict=True)) or [()] * len(columns)
    made: dict[str, Any] = {}
    for (name, dtype), column in zip(columns.items(), values, strict=True):
        if dtype == "string":  # Arrow, where it holds the texts, refuses halves of surrogate pairs
            column = [None if text is None else mend_surrogates(text) for text in column]
        made[name] = pandas.array(list(column), dtype=dtype)
    built = _view()(made)
    built.attrs["caption"] = word(f"table.{kind}", rows=f"{len(built):,}")
    return built


def _ms(t_ns: int | None) -> float:
    return float("nan") if t_ns is None else t_ns / 1e6


def _segment_rows(capture: Capture) -> Iterable[Row]:
    ends = _segment_ends(capture)
    frames = [0] * len(ends)
    for frame in capture.frames():
        place = _segment_of(frame, ends)
        if place is not None:
            frames[place] += 1
    offset, before = 0, float("nan")
    for index, segment in enumerate(capture.segments):
        t_ms = _ms(segment.t_ns)
        text = segment.data.decode("utf-8", "replace")
        yield index, t_ms, t_ms - before, len(segment.data), offset, frames[index], text
        offset, before = offset + len(segment.data), t_ms


def _segment_ends(capture: Capture) -> Sequence[int]:
    """For each segment the offset of the byte after its last."""
    ends, offset = list[int](), 0
    for segment in capture.segments:
        ends.append(offset := offset + len(segment.data))
    return ends


def _segment_of(frame: Frame, ends: Sequence[int]) -> int | None:
    """The segment that brought the frame's last byte."""
    place = bisect.bisect_left(ends, frame.offset + len(frame.raw))
    return place if place < len(ends) else None


def _legible(frame: Frame) -> Chunk:
    """As much of a chunk as the JSON of a frame shows that could not be read as one; `{}` when it shows nothing."""
    if frame.data is None or frame.is_done:
        return {}
    try:
        value = json_text.read(frame.data)
    except json_text.JsonProblem:
        return {}
    return value if isinstance(value, dict) else {}


def _string(chunk: Chunk, *keys: str) -> str | None:
    """The first of the keys that holds a text; remote values may be anything."""
    for key in keys:
        value = chunk.get(key)
        if isinstance(value, str):
            return value
    return None


def _frame_rows(capture: Capture) -> Iterable[Row]:
    ends, before = _segment_ends(capture), float("nan")
    is_text = capture.protocol == "text"
    for frame, chunk, problem in ((f, {}, f.problem) for f in capture.frames()) if is_text else capture.walk():
        chunk = _legible(frame) if chunk is None else chunk
        t_ms, size, offset = _ms(frame.t_ns), len(frame.raw), frame.offset
        yield (
            *(frame.index, _segment_of(frame, ends), t_ms, t_ms - before, size, offset),
            *(_kind(capture, frame, problem), _string(chunk, "type"), frame.event, frame.id),
            *(frame.data, frame.comment, problem),
        )
        before = t_ms


def _kind(capture: Capture, frame: Frame, problem: str | None) -> str:
    if capture.protocol == "text":
        return "text"
    if frame.is_done:
        return "done"
    if frame.data is None:
        return "other" if frame.comment is None else "comment"
    return "chunk" if problem is None else "other"


def _wanted(capture: Capture) -> Iterable[tuple[Frame, Chunk, str | None]]:
    """Every frame that carries a chunk, or should."""
    if capture.protocol == "text":
        yield from ((frame, chunk, None) for frame, chunk in capture.chunks())
        return
    for frame, chunk, problem in capture.walk():
        if chunk is not None:
            yield frame, chunk, None
        elif problem is not None:
            yield frame, _legible(frame), problem


def _chunk_rows(capture: Capture) -> Iterable[Row]:
    names: dict[str, str] = {}  # of the tool, by call
    calls: dict[str, str] = {}  # the call, by approval
    step, before = 0, float("nan")
    for index, (frame, chunk, problem) in enumerate(_wanted(capture)):
        kind = _string(chunk, "type")
        rule = chunk_rule(kind) if kind else None
        step += rule is not None and (rule.scope, rule.act) == ("step", "opens")
        approval_id, call_id = _string(chunk, "approvalId"), _string(chunk, "toolCallId")
        call_id = call_id or calls.get(approval_id or "")
        if approval_id and call_id:
            calls[approval_id] = call_id
        name = _string(chunk, "toolName") or names.get(call_id or "")
        if call_id and name:
            names[call_id] = name
        text = _string(chunk, "delta", "inputTextDelta", "errorText")
        t_ms = _ms(frame.t_ns)
        yield (
            *(index, frame.index, t_ms, t_ms - before, kind, step or None),
            *(_string(chunk, "id", "messageId", "sourceId"), call_id, name, approval_id),
            *(text, None if text is None else len(text), problem),
        )
        before = t_ms


# --- the look in a notebook ---


def _view() -> type[pandas.DataFrame]:
    """A DataFrame with our look: caption, times with one decimal, cells in part. Selections of rows and columns keep it."""
    import pandas

    known = globals().get("TableView")
    if known is not None:
        return known

    class TableView(pandas.DataFrame):
        @property
        def _constructor(self) -> type[pandas.DataFrame]:
            return TableView

        def _repr_html_(self) -> str | None:
            # What was grouped or pivoted has an index that says something: pandas shows it.
            is_rows = self.index.name is None and pandas.api.types.is_integer_dtype(self.index)
            is_ours = bool(self.attrs.get("caption")) and set(self.columns) <= _KNOWN
            return _html(self) if is_rows and is_ours else super()._repr_html_()

    # Named as if the module had it from the start, so that pickle finds it; pandas is loaded with the first table.
    TableView.__qualname__ = "TableView"
    globals()["TableView"] = TableView
    return TableView


def __getattr__(name: str) -> Any:  # a class that exists once pandas is there
    if name == "TableView":
        return _view()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _html(frame: pandas.DataFrame) -> str:
    """The table with its caption; everything escaped, long texts and long tables shown in part."""
    import pandas

    is_text = [str(dtype) == "string" for dtype in frame.dtypes]
    style = [
        "text-align:left;" + (_CODE if name in CODE_COLUMNS else "") if text else "text-align:right;"
        for name, text in zip(frame.columns, is_text, strict=True)
    ]
    head = "".join(
        f'<th style="{_CELL}{how}">{html.escape(str(name))}</th>' for name, how in zip(frame, style, strict=True)
    )

    def line(values: Iterable[Any]) -> str:
        shown = zip(("" if pandas.isna(value) else _shown(value) for value in values), style, strict=True)
        return "<tr>" + "".join(f'<td style="{_CELL}{how}">{html.escape(text)}</td>' for text, how in shown) + "</tr>"

    half = SHOWN_ROWS // 2
    parts = [frame] if len(frame) <= SHOWN_ROWS else [frame.iloc[:half], frame.iloc[-half:]]
    lines = ["".join(line(row) for row in part.itertuples(index=False)) for part in parts]
    gap = f'<tr><td colspan="{len(style)}" style="{_CELL}text-align:left;">⋯</td></tr>'
    caption = html.escape(str(frame.attrs.get("caption", "")))
    return (
        '<div style="font:12px/1.45 var(--jp-ui-font-family,system-ui);overflow-x:auto">'
        f'<div style="color:var(--jp-ui-font-color2,#767676);padding:0 0 4px">{caption}</div>'
        '<table style="border-collapse:collapse;font-variant-numeric:tabular-nums">'
        f"<thead><tr>{head}</tr></thead><tbody>{gap.join(lines)}</tbody></table></div>"
    )


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.1f}"
    text = str(value).replace("\r", "␍").replace("\n", "⏎")
    return text if len(text) <= SHOWN_CHARS else text[: SHOWN_CHARS - 1] + "…"
