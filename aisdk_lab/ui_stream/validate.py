"""Is this a chunk? Every problem with its path, as the schema of `ai` 7.0.173 judges.

Stage: ui_stream. Reading never raises: a frame gives a chunk or a sentence that says what is wrong with it.
Source: spec §2.2 (loose objects, required "any" fields, stripped citations); recorded: tests/golden/chunk_validation.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from aisdk_lab.ui_stream import grammar
from aisdk_lab.ui_stream.chunks import Chunk
from aisdk_lab.ui_stream.plain_chunks import NOT_PLAIN, PLAIN, are_plain
from aisdk_lab.wire import json_text
from aisdk_lab.wire.frame import DONE, Frame, FrameRuns, Frames, PlainRun

Check = Callable[[Any, str], Iterator[str]]

_convert = msgspec.convert
_decode = msgspec.json.Decoder().decode
_decode_lines = msgspec.json.Decoder().decode_lines
_UNREADABLE = (msgspec.MsgspecError, UnicodeError, RecursionError)
_NOT_PLAIN = (*_UNREADABLE, *NOT_PLAIN)


def _kind(value: object) -> str:
    """How a problem names a value: short and with the value itself where it is small."""
    if value is None:
        return "null"
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "an array"
    try:
        text = repr(value)
    except ValueError:  # an integer of more digits than Python prints
        return "a huge number"
    return text if len(text) <= 40 else f"{text[:37]}…"


def _expect(holds: bool, what: str, value: object, path: str) -> Iterator[str]:
    if not holds:
        yield f"expected {what}, got {_kind(value)}  @ {path}"


def _string(value: Any, path: str) -> Iterator[str]:
    return _expect(isinstance(value, str), "a string", value, path)


def _boolean(value: Any, path: str) -> Iterator[str]:
    return _expect(isinstance(value, bool), "a boolean", value, path)


def _any(_value: Any, _path: str) -> Iterator[str]:
    return iter(())


def _json(value: Any, path: str) -> Iterator[str]:
    """A JSON value with finite numbers only (1e400 parses to infinity in JavaScript and is refused here)."""
    if isinstance(value, float):
        yield from _expect(math.isfinite(value), "a finite number", value, path)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _json(item, f"{path}.{key}")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _json(item, f"{path}[{index}]")


def _json_object(value: Any, path: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield from _expect(False, "an object", value, path)
    else:
        yield from _json(value, path)


def _provider_metadata(value: Any, path: str) -> Iterator[str]:
    """Two levels are mandatory: provider name, then its keys."""
    if not isinstance(value, dict):
        yield from _expect(False, "an object", value, path)
        return
    for provider, entry in value.items():
        yield from _json_object(entry, f"{path}.{provider}")


def _one_of(words: tuple[str, ...]) -> Check:
    def check(value: Any, path: str) -> Iterator[str]:
        return _expect(isinstance(value, str) and value in words, "one of " + ", ".join(words), value, path)

    return check


def _place(value: Any, path: str) -> Iterator[str]:
    """A non-negative whole number; `true` is not one, and JavaScript's 1.0 is."""
    whole = isinstance(value, int | float) and not isinstance(value, bool) and float(value).is_integer()
    return _expect(whole and 0 <= value <= 2**53 - 1, "a non-negative integer", value, path)


def _fields(value: dict[str, Any], path: str, fields: dict[str, tuple[Check, bool]]) -> Iterator[str]:
    for name, (check, required) in fields.items():
        if name in value:
            yield from check(value[name], f"{path}.{name}")
        elif required:
            yield f"missing  @ {path}.{name}"


def _source(value: Any, path: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield from _expect(False, "an object", value, path)
        return
    yield from _expect(value.get("type") == "source", "'source'", value.get("type"), f"{path}.type")
    kind = value.get("sourceType")
    fields: dict[str, tuple[Check, bool]] = {"id": (_string, True), "providerMetadata": (_provider_metadata, False)}
    if kind == "url":
        fields |= {"url": (_string, True), "title": (_string, False)}
    elif kind == "document":
        fields |= {"mediaType": (_string, True), "title": (_string, True), "filename": (_string, False)}
    else:
        yield f"expected one of url, document, got {_kind(kind)}  @ {path}.sourceType"
    yield from _fields(value, path, fields)


def _citations(value: Any, path: str) -> Iterator[str]:
    if not isinstance(value, list):
        yield from _expect(False, "an array", value, path)
        return
    for index, citation in enumerate(value):
        place = f"{path}[{index}]"
        if not isinstance(citation, dict):
            yield from _expect(False, "an object", citation, place)
            continue
        yield from _fields(
            citation,
            place,
            {
                "source": (_source, True),
                "startIndex": (_place, False),
                "endIndex": (_place, False),
                "citedText": (_string, False),
            },
        )


def _string_map(value: Any, path: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield from _expect(False, "an object", value, path)
        return
    for key, item in value.items():
        yield from _string(item, f"{path}.{key}")


_STEERING_PARTS: dict[str, dict[str, tuple[Check, bool]]] = {
    "text": {"text": (_string, True), "providerMetadata": (_provider_metadata, False)},
    "file": {
        "mediaType": (_string, True),
        "url": (_string, True),
        "filename": (_string, False),
        "providerReference": (_string_map, False),
        "providerMetadata": (_provider_metadata, False),
    },
}


def _steering_parts(value: Any, path: str) -> Iterator[str]:
    if not isinstance(value, list):
        yield from _expect(False, "an array", value, path)
        return
    for index, part in enumerate(value):
        place = f"{path}[{index}]"
        kind = part.get("type") if isinstance(part, dict) else None
        if not isinstance(kind, str) or kind not in _STEERING_PARTS:
            yield f"expected a text or file part, got {_kind(kind if isinstance(part, dict) else part)}  @ {place}"
        else:
            yield from _fields(part, place, _STEERING_PARTS[kind])


CHECKS: dict[str, Check] = {
    "string": _string,
    "boolean": _boolean,
    "any": _any,
    "provider-metadata": _provider_metadata,
    "json-object": _json_object,
    "finish-reason": _one_of(grammar.FINISH_REASONS),
    "input-encoding": _one_of(grammar.INPUT_ENCODINGS),
    "citations": _citations,
    "steering-parts": _steering_parts,
}
"""One check for each kind of field that the grammar knows."""
_SIMPLE: dict[str, type] = {"string": str, "boolean": bool}


def chunk_problems(chunk: Any) -> list[str]:
    """What the schema of `ai` 7.0.173 has against a value; an empty list when it is a chunk.

    Each problem reads `what was expected, what was found  @ $.path`. Unknown keys are no problem.
    """
    if not isinstance(chunk, dict):
        return [f"expected an object with a string `type`, got {_kind(chunk)}  @ $"]
    kind = chunk.get("type")
    rule = grammar.chunk_rule(kind) if isinstance(kind, str) else None
    if rule is None:
        return [f"unknown chunk type {_kind(kind)}; {_nearest(kind)}  @ $.type"]
    problems: list[str] = []
    for name, field in rule.fields.items():
        if name in chunk:
            value = chunk[name]
            if type(value) is not _SIMPLE.get(field.kind) and field.kind != "any":
                try:
                    problems.extend(CHECKS[field.kind](value, f"$.{name}"))
                except RecursionError:  # made in Python: what is read from bytes is refused long before
                    problems.append(f"nested too deeply to be looked at  @ $.{name}")
        elif field.required:
            problems.append(f"missing  @ $.{name}")
    return problems


def _nearest(kind: object) -> str:
    import difflib

    close = difflib.get_close_matches(str(kind), [*grammar.CHUNKS, grammar.DATA_PREFIX + "…"], n=1)
    return f"did you mean {close[0]!r}?" if close else "see grammar.CHUNKS for the known types"


_CITATION_KEYS = ("source", "startIndex", "endIndex", "citedText")
_SOURCE_KEYS = ("type", "sourceType", "id", "url", "mediaType", "title", "filename", "providerMetadata")


def accepted(chunk: Chunk) -> Chunk:
    """The chunk as the official client keeps it: citations lose their unknown keys, everything else stays."""
    # On other chunks `citations` is an unknown key: never checked, and kept as it is.
    if "citations" not in chunk or chunk["type"] != "text-end":
        return chunk
    citations = [
        {
            key: _only(value, _SOURCE_KEYS) if key == "source" else value
            for key, value in _only(citation, _CITATION_KEYS).items()
        }
        for citation in chunk["citations"]
    ]
    return {**chunk, "citations": citations}


def _only(value: dict[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
    return {key: value[key] for key in keys if key in value}


def read_chunk(frame: Frame) -> tuple[Chunk | None, str | None]:
    """The chunk in a frame, or what is wrong with it.

    `(None, None)` for frames that carry no chunk on purpose: comments, `[DONE]`, blocks without data.
    """
    text = frame.data
    if text is None or frame.problem is not None:
        return None, frame.problem
    try:
        value = _decode(text)
        _convert(value, PLAIN[value["type"]])
    except _NOT_PLAIN:
        return _read_carefully(text)
    return value, None


def read_chunks(frames: Frames) -> tuple[list[Chunk | None], list[str | None]]:
    """`read_chunk` for many frames at once: all chunks and all problems, one of each for every frame.

    Several times as fast where the frames are a decoder's answer as it came, because no `Frame` is made for it:

        chunks, problems = read_chunks(decoder.feed(data))
    """
    if isinstance(frames, PlainRun):
        if frames.count > 1:
            return _read_run(frames)
        try:  # as `read_chunk`, which would need the frame
            value = _decode(frames.lines)
            _convert(value, PLAIN[value["type"]])
        except _NOT_PLAIN:
            return _read_each(frames)
        return [value], [None]
    if not isinstance(frames, FrameRuns):
        return _read_frames(frames)
    columns = [read_chunks(run) for run in frames.runs]
    return [chunk for chunks, _ in columns for chunk in chunks], [p for _, problems in columns for p in problems]


_Columns = tuple[list[Chunk | None], list[str | None]]
# Few enough that a chunk which is not plain costs only its neighbours a second look, many enough to share a call.
_GROUP = 8
_DONE_LINE = f"\n{DONE}".encode()


def _read_run(run: PlainRun) -> _Columns:
    columns = _read_objects(run.lines, run.count) if run.has_braces else _read_lines(run.lines, run.count)
    return columns or _read_each(run)


def _read_frames(frames: Frames) -> _Columns:
    if len(frames) < 2:
        return _read_each(frames)
    texts = [frame.data or "" if frame.problem is None else "" for frame in frames]
    try:
        columns = _read_lines("\n".join(texts).encode(), len(texts))
    except UnicodeEncodeError:  # halves of surrogate pairs, which no decoder of ours makes
        columns = None
    return columns or _read_each(frames)


def _read_each(frames: Frames) -> _Columns:
    pairs = [read_chunk(frame) for frame in frames]
    return [chunk for chunk, _problem in pairs], [problem for _chunk, problem in pairs]


def _read_lines(lines: bytes, count: int) -> _Columns | None:
    """Read `count` texts joined by LF, the last of which may be `[DONE]`; `None` where that cannot be done in one call."""
    is_done = lines.endswith(_DONE_LINE)
    if is_done:
        lines, count = lines[: -len(_DONE_LINE)], count - 1
    has_braces = lines[:1] == b"{" and lines[-1:] == b"}"
    if not has_braces or not lines.count(b"\n") == lines.count(b"}\n{") == count - 1:
        return None
    columns = _read_objects(lines, count)
    if columns is not None and is_done:
        columns[0].append(None)
        columns[1].append(None)
    return columns


def _read_objects(lines: bytes, count: int) -> _Columns | None:
    """Read `count` lines in braces in one call; `None` when they are not certainly one JSON object each."""
    # No JSON text goes on with `{` after `}` and a line end, so each line holds one object or more: the number tells.
    try:
        values: list[Any] = _decode_lines(lines)
    except _UNREADABLE:
        return None
    if len(values) != count:
        return None
    problems: list[str | None] = [None] * count
    if not are_plain(values):
        texts = lines.split(b"\n")
        for place in _not_plain(values):
            values[place], problems[place] = _read_carefully(texts[place].decode())
    return values, problems


def _not_plain(values: list[Any]) -> list[int]:
    """The places of the chunks to look at properly: a few among many, so groups are asked first."""
    odd: list[int] = []
    for start in range(0, len(values), _GROUP):
        group = values[start : start + _GROUP]
        if are_plain(group):
            continue
        for place, value in enumerate(group, start):
            try:
                _convert(value, PLAIN[value["type"]])
            except NOT_PLAIN:
                odd.append(place)
    return odd


def _read_carefully(text: str) -> tuple[Chunk | None, str | None]:
    if text == DONE:
        return None, None
    try:
        value = json_text.read(text)
    except json_text.JsonProblem as problem:
        return None, f"not JSON: {problem}"
    problems = chunk_problems(value)
    if problems:
        return None, "; ".join(problems)
    return accepted(value), None
