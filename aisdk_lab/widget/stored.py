"""The bounded document of a sidebar, as the JSON that is saved with the notebook where widget state is.

Stage: widget, pure. A page without a kernel shows it. Long texts are cut, then the oldest messages are left out; of a newest
message that is too long by itself, the middle is: there is always something to see, and never more than was promised.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from aisdk_lab.strings import word
from aisdk_lab.ui_stream.messages import Message, Part
from aisdk_lab.wire import json_text

SNAPSHOT_BYTES: Final = 200_000
_TEXT_CHARS: Final = 8_000
_SHORTER_CHARS: Final = (2_000, 300)
"""Lengths that the texts of one enormous message are cut to, one after the other, before parts are left out."""
_TITLE_CHARS: Final = 200
_NOTE_CHARS: Final = 2_000
_HEAD_PARTS: Final = 3
_ALWAYS_WHOLE: Final = frozenset({"type", "toolCallId", "state", "approval", "toolName"})


@dataclass(frozen=True, slots=True)
class _Piece:
    """A message with its entries of the two tables."""

    message: Message
    tools: dict[str, Any]
    timings: dict[str, Any]

    @property
    def size(self) -> int:
        return sum(_size(value) + 2 for value in (self.message, self.tools, self.timings))


def bounded_json(document: Mapping[str, Any], limit_bytes: int = SNAPSHOT_BYTES) -> str:
    """The document as JSON of at most `limit_bytes`; the newest message is in it, shortened if it has to be."""
    frame = _frame(document, limit_bytes)
    left = limit_bytes - _size(frame)
    kept: list[Message] = []
    for message in reversed(document["messages"]):
        piece = _piece(_cut(message, _TEXT_CHARS), document)
        if piece.size > left:
            shorter = None if kept else _shortened(message, document, left)
            if shorter is None:
                break
            piece = shorter
        left -= piece.size
        kept.insert(0, piece.message)
        frame["tools"].update(piece.tools)
        frame["timings"].update(piece.timings)
    return json_text.write({**frame, "messages": kept})


def _size(value: Any) -> int:
    return len(json_text.write_bytes(value))


def _frame(document: Mapping[str, Any], limit_bytes: int) -> dict[str, Any]:
    """Everything but the messages: texts cut, and without its tables when those alone are too long."""
    error: Any = document.get("error")
    frame: dict[str, Any] = {
        **document,
        "title": _cut(document["title"], _TITLE_CHARS),
        "error": _cut(error, _NOTE_CHARS),
        "notice": _cut(document.get("notice"), _NOTE_CHARS),
        "suggestions": _cut(list(document.get("suggestions") or ())[:20], _TITLE_CHARS),
        "messages": [],
        "tools": {},
        "timings": {},
    }
    for key in ("clientTools", "queuedDecisions"):
        if _size(frame.get(key)) > limit_bytes // 8:
            frame[key] = {}
    return frame


def _piece(message: Message, document: Mapping[str, Any]) -> _Piece:
    calls = {part.get("toolCallId") for part in message["parts"]}
    tools = {call: entry for call, entry in document["tools"].items() if call in calls}
    prefix = f"{message['id']}/"
    timings = {key: entry for key, entry in document["timings"].items() if key.startswith(prefix)}
    return _Piece(message, tools, timings)


def _cut(value: Any, chars: int) -> Any:
    if isinstance(value, str):
        return value if len(value) <= chars else f"{value[:chars]}…"
    if isinstance(value, dict):
        return {key: _cut(member, chars) for key, member in value.items() if key != "rawInput"}
    if isinstance(value, list):
        return [_cut(member, chars) for member in value]
    return value


# ── one enormous message ────────────────────────────────────────────────────────────────────────────────────────────


def _shortened(message: Message, document: Mapping[str, Any], left: int) -> _Piece | None:
    """The message in at most `left` bytes; `None` when not even its frame fits."""
    frame: Message = {key: message[key] for key in ("id", "role") if key in message}
    if "metadata" in message and _size(message["metadata"]) <= _NOTE_CHARS:
        frame["metadata"] = message["metadata"]
    parts: list[Part] = []
    for chars in _SHORTER_CHARS:
        parts = [_short_part(part, chars) for part in message["parts"]]
        piece = _piece({**frame, "parts": parts}, document)
        if piece.size <= left:
            return piece
    return _without_middle(frame, parts, document, left)


def _short_part(part: Part, chars: int) -> Part:
    """A part whose texts are cut, and whose long values are the beginning of their JSON."""
    short: Part = {}
    for key, value in _cut(part, chars).items():
        is_whole = isinstance(value, str) or key in _ALWAYS_WHOLE or _size(value) <= chars
        short[key] = value if is_whole else f"{json_text.write(value)[:chars]}…"
    return short


def _without_middle(frame: Message, parts: list[Part], document: Mapping[str, Any], left: int) -> _Piece | None:
    """The first parts and the last ones, with a line between that counts what is not there."""

    def note(count: int) -> Part:
        text = word("static.omitted_parts", document["language"], n=count)
        return {"type": "text", "text": text, "state": "done"}

    empty = _Piece({**frame, "parts": [note(len(parts))]}, {}, {})
    left -= empty.size
    if left < 0:
        return None
    costs = [_cost(frame, index, part, document) for index, part in enumerate(parts)]
    head, tail = 0, len(parts)
    budget = left // 4
    while head < min(_HEAD_PARTS, tail) and costs[head] <= budget:
        budget -= costs[head]
        left -= costs[head]
        head += 1
    while tail > head and costs[tail - 1] <= left:
        tail -= 1
        left -= costs[tail]
    moved = {
        **{index: index for index in range(head)},
        **{index: index - tail + head + 1 for index in range(tail, len(parts))},
    }
    message: Message = {**frame, "parts": [*parts[:head], note(tail - head), *parts[tail:]]}
    timings = {
        f"{frame['id']}/{new}": document["timings"][key]
        for old, new in moved.items()
        if (key := f"{frame['id']}/{old}") in document["timings"]
    }
    return _Piece(message, _piece(message, document).tools, timings)


def _cost(frame: Message, index: int, part: Part, document: Mapping[str, Any]) -> int:
    """Bytes of a part and of its entries, commas and keys included."""
    cost = _size(part) + 1
    call, key = part.get("toolCallId"), f"{frame['id']}/{index}"
    if call in document["tools"]:
        cost += _size({call: document["tools"][call]})
    if key in document["timings"]:
        cost += _size({key: document["timings"][key]})
    return cost
