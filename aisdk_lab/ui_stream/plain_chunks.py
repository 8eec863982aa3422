"""The frequent chunks, recognised at once: known keys only, each a text, a boolean or a word of a closed list.

Stage: ui_stream. Nine chunks of ten are `{"type": "text-delta", "id": …, "delta": …}` and its kin. Structs made from the
grammar's rows let msgspec say yes to them at the speed of C, many at a time. A no decides nothing: `validate` then
looks properly, and writes the problems.

A plain chunk needs no look at its JSON text either: what `wire.json_text.read` treats apart (numbers, nesting, forbidden
keys) cannot be in it, and whatever a key held before it was given a second time is gone, as in JavaScript.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Union

import msgspec

from aisdk_lab.ui_stream import grammar

_TYPES: dict[str, Any] = {
    "string": str,
    "boolean": bool,
    "finish-reason": Literal[grammar.FINISH_REASONS],
    "input-encoding": Literal[grammar.INPUT_ENCODINGS],
}


def _struct(kind: str, rule: grammar.ChunkRule) -> Any:
    """A struct that takes the chunk type when every key is plain; an optional key that is not plain is unknown to it."""
    plain = [(name, field) for name, field in rule.fields.items() if field.kind in _TYPES]
    return msgspec.defstruct(
        kind.title().replace("-", ""),
        [(name, _TYPES[f.kind]) if f.required else (name, _TYPES[f.kind], None) for name, f in plain],
        tag_field="type",
        tag=kind,
        kw_only=True,
        forbid_unknown_fields=True,
        gc=False,
    )


PLAIN = {
    kind: _struct(kind, rule)
    for kind, rule in grammar.CHUNKS.items()
    if all(field.kind in _TYPES for field in rule.fields.values() if field.required)
}
"""`msgspec.convert(value, PLAIN[value["type"]])` raises one of `NOT_PLAIN` when the value is no plain chunk."""
# A struct around the list, because msgspec keeps what it knows of a struct and would study a bare list type each time.
_Chunks = msgspec.defstruct("_Chunks", [("chunks", list[Union[tuple(PLAIN.values())]])], gc=False)  # noqa: UP007

NOT_PLAIN = (msgspec.ValidationError, KeyError, TypeError)


def are_plain(values: Sequence[Any]) -> bool:  # any JSON values
    """True when all are plain chunks that `ai` 7.0.173 accepts; a call costs nearly the same for one and for eight."""
    try:
        msgspec.convert({"chunks": values}, _Chunks)
    except NOT_PLAIN:
        return False
    return True
