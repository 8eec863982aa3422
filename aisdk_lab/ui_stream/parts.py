"""How parts are made from chunks: which keys, in which order, and what merges.

Stage: ui_stream, below the reducer. A key that the reference creates with the value undefined is `UNSET` here: it shows
nowhere, but a value that it gets later stands in its place.
Source: `ai` 7.0.173, `process-ui-message-stream.ts`, `merge-objects.ts` (spec §3.2, §3.3, §4.3).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aisdk_lab.ui_stream.chunks import UNSET, Chunk
from aisdk_lab.ui_stream.javascript import copied, js_text, own_properties
from aisdk_lab.ui_stream.messages import DYNAMIC_TOOL, TOOL_PREFIX, Part
from aisdk_lab.wire.json_text import in_js_order

PART_KEYS: Mapping[str, tuple[str, ...]] = {
    "file": ("mediaType", "url"),
    "reasoning-file": ("mediaType", "url"),
    "source-url": ("sourceId", "url", "title", "providerMetadata"),
    "source-document": ("sourceId", "mediaType", "title", "filename", "providerMetadata"),
    "custom": ("kind", "providerMetadata"),
    "steering-message": ("id", "parts"),
}
"""Chunks that become a part of the same type, and the keys that they always give it; others of theirs are dropped."""

_CREATED: Mapping[bool, tuple[str, ...]] = {
    False: ("title", "toolMetadata", "input", "inputEncoding", "output", "rawInput", "errorText", "providerExecuted", "preliminary"),
    True: ("input", "inputEncoding", "output", "errorText", "preliminary", "providerExecuted", "title", "toolMetadata"),
}  # fmt: skip
"""Keys of a new tool part after its name, id and state, by whether it is dynamic."""

_ONLY_WHEN_GIVEN = ("toolMetadata", "inputEncoding")
_SKIPPED = ("__proto__", "constructor", "prototype")
"""Keys that a merge leaves out."""


def given(chunk: Mapping[str, Any], key: str) -> Any:  # any JSON value, or UNSET
    """A copy of what a chunk gives for a key; chunk and message share nothing that can change."""
    return copied(chunk[key]) if key in chunk else UNSET


def is_nullish(value: Any) -> bool:  # any JSON value, or UNSET
    """True for what JavaScript's `== null` and `??` take for absent: null and undefined."""
    return value is None or value is UNSET


def plain_part(chunk: Chunk) -> Part:
    """The part that a file, source, custom or steering chunk becomes."""
    kind = chunk["type"]
    part: Part = {"type": kind, **{key: given(chunk, key) for key in PART_KEYS[kind]}}
    if kind in ("file", "reasoning-file") and not is_nullish(chunk.get("providerMetadata")):
        part["providerMetadata"] = given(chunk, "providerMetadata")
    return part


def new_tool_part(call_id: Any, name: Any, dynamic: bool, state: str, values: Mapping[str, Any]) -> Part:
    """A new tool part; `values` are those of an update (`update_tool_part`)."""
    part: Part = {"type": DYNAMIC_TOOL, "toolName": name} if dynamic else {"type": TOOL_PREFIX + js_text(name)}
    part |= {"toolCallId": call_id, "state": state}
    for key in _CREATED[dynamic]:
        value = values.get(key, UNSET)
        absent = is_nullish(value) if key == "inputEncoding" else value is UNSET
        if not (absent and key in _ONLY_WHEN_GIVEN):
            part[key] = value
    metadata = values.get("providerMetadata", UNSET)
    if not is_nullish(metadata):
        part[_metadata_key(state)] = metadata
    return part


def update_tool_part(part: Part, name: Any, state: str, values: Mapping[str, Any]) -> None:
    """Change a tool part: set what is given, reset what is not, keep what a call carries through its life."""
    part["state"] = state
    if part["type"] == DYNAMIC_TOOL:
        part["toolName"] = name
    else:
        part["type"] = TOOL_PREFIX + js_text(name)
    for key in ("input", "output", "errorText", "rawInput"):
        part[key] = values.get(key, UNSET)
    if is_nullish(values.get("inputEncoding", UNSET)):
        part.pop("inputEncoding", None)
    else:
        part["inputEncoding"] = values["inputEncoding"]
    part["preliminary"] = values.get("preliminary", UNSET)
    for key in ("title", "toolMetadata"):
        if values.get(key, UNSET) is not UNSET:
            part[key] = values[key]
    executed = values.get("providerExecuted", UNSET)
    part["providerExecuted"] = part.get("providerExecuted", UNSET) if is_nullish(executed) else executed
    metadata = values.get("providerMetadata", UNSET)
    if not is_nullish(metadata):
        part[_metadata_key(state)] = metadata


def _metadata_key(state: str) -> str:
    """Where a tool part in this state keeps the provider metadata of its chunk."""
    return "resultProviderMetadata" if state in ("output-available", "output-error") else "callProviderMetadata"


def approval_of(chunk: Chunk) -> dict[str, Any]:
    """The `approval` of a part from a `tool-approval-request`."""
    approval: dict[str, Any] = {"id": given(chunk, "approvalId")}
    if not is_nullish(chunk.get("approvalDescriptor")):
        approval["descriptor"] = given(chunk, "approvalDescriptor")
    if "inputSchemaInput" in chunk:
        approval["inputSchemaInput"] = given(chunk, "inputSchemaInput")
    if not is_nullish(chunk.get("reason")):
        approval["requestReason"] = given(chunk, "reason")
    if chunk.get("isAutomatic") is True:
        approval["isAutomatic"] = True
    if not is_nullish(chunk.get("signature")):
        approval["signature"] = given(chunk, "signature")
    return without_unset(approval)


def answered_approval(old: Any, chunk: Chunk) -> dict[str, Any]:
    """The `approval` of a part after a `tool-approval-response`; `old` is what it was, any JSON value or `UNSET`."""
    approval = {} if is_nullish(old) else own_properties(old)
    approval |= {"id": given(chunk, "approvalId"), "approved": given(chunk, "approved")}
    if not is_nullish(chunk.get("reason")):
        approval["reason"] = given(chunk, "reason")
    return without_unset(approval)


def without_unset(value: dict[str, Any]) -> dict[str, Any]:
    """A copy without the keys that are undefined."""
    return {key: item for key, item in value.items() if item is not UNSET}


def merge_metadata(old: Any, new: Any) -> Any:  # any JSON values
    """Deep merge of message metadata: objects merge, everything else (arrays, `null` inside) replaces.

    What is no object on the outermost level is spread into one, as the reference does. Raises `TypeError`, with the
    text of JavaScript's, where the old one is no object at all and the new one has keys.

    >>> merge_metadata({"a": {"b": 1}}, {"a": {"c": 2}, "d": None})
    {'a': {'b': 1, 'c': 2}, 'd': None}
    """
    merged = own_properties(old)
    todo: list[tuple[dict[str, Any], Any, Any]] = [(merged, old, new)]  # a list, because metadata may be nested deeply
    while todo:
        target, base, overrides = todo.pop()
        members = {key: value for key, value in own_properties(overrides).items() if key not in _SKIPPED}
        if members and not isinstance(base, dict | list):
            first = next(iter(in_js_order(members)))
            raise TypeError(f"Cannot use 'in' operator to search for '{first}' in {js_text(base)}")
        for key, value in members.items():
            before = target.get(key)
            if isinstance(value, dict) and isinstance(before, dict):
                target[key] = dict(before)
                todo.append((target[key], before, value))
            else:
                target[key] = value
    return merged
