"""How parts are made from chunks: which keys, in which order, and what merges.

Stage: ui_stream, below the reducer. Source: `ai` 7.0.173, `process-ui-message-stream.ts` (spec §3.2, §3.3, §4.3).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aisdk_lab.ui_stream.chunks import UNSET, Chunk, Unset
from aisdk_lab.ui_stream.messages import DYNAMIC_TOOL, TOOL_PREFIX, Part

PART_KEYS: Mapping[str, tuple[str, ...]] = {
    "file": ("mediaType", "url", "providerMetadata"),
    "reasoning-file": ("mediaType", "url", "providerMetadata"),
    "source-url": ("sourceId", "url", "title", "providerMetadata"),
    "source-document": ("sourceId", "mediaType", "title", "filename", "providerMetadata"),
    "custom": ("kind", "providerMetadata"),
    "steering-message": ("id", "parts"),
}
"""Chunks that become a part of the same type; other keys of theirs are dropped, as the reference drops them."""

RESET_KEYS = ("input", "output", "errorText", "rawInput", "preliminary")
"""The keys of a tool part that an update resets when it does not give them."""


def plain_part(chunk: Chunk) -> Part:
    """The part that a file, source, custom or steering chunk becomes."""
    keys = PART_KEYS[chunk["type"]]
    return {"type": chunk["type"], **{key: chunk[key] for key in keys if chunk.get(key) is not None}}


def metadata_key(state: str) -> str:
    """Where a tool part in this state keeps the provider metadata of its chunk."""
    return "resultProviderMetadata" if state in ("output-available", "output-error") else "callProviderMetadata"


def new_tool_part(
    call_id: str, name: str, dynamic: bool, state: str, chunk: Mapping[str, Any], values: Mapping[str, Any]
) -> Part:
    """A new tool part, keys in the order of the reference; `values` are those of the update, `UNSET` is left out."""
    shared = {key: values.get(key, UNSET) for key in ("input", "inputEncoding", "output")}
    given = {key: chunk[key] for key in ("title", "toolMetadata", "providerExecuted") if chunk.get(key) is not None}
    raw, error = values.get("rawInput", UNSET), values.get("errorText", UNSET)
    if dynamic:
        part: Part = {"type": DYNAMIC_TOOL, "toolName": name, "toolCallId": call_id, "state": state}
        part |= {**shared, "errorText": error, **given, "rawInput": raw}
    else:
        part = {"type": TOOL_PREFIX + name, "toolCallId": call_id, "state": state}
        part |= {**given, **shared, "rawInput": raw, "errorText": error}
    if chunk.get("providerMetadata") is not None:
        part[metadata_key(state)] = chunk["providerMetadata"]
    return {key: value for key, value in part.items() if not isinstance(value, Unset)}


def approval_of(chunk: Chunk) -> dict[str, Any]:
    """The `approval` of a part from a `tool-approval-request`."""
    approval: dict[str, Any] = {"id": chunk["approvalId"]}
    if chunk.get("approvalDescriptor") is not None:
        approval["descriptor"] = chunk["approvalDescriptor"]
    if "inputSchemaInput" in chunk:
        approval["inputSchemaInput"] = chunk["inputSchemaInput"]
    if chunk.get("reason") is not None:
        approval["requestReason"] = chunk["reason"]
    if chunk.get("isAutomatic") is True:
        approval["isAutomatic"] = True
    if chunk.get("signature") is not None:
        approval["signature"] = chunk["signature"]
    return approval


def merge_metadata(old: Any, new: Any) -> Any:
    """Deep merge of message metadata: objects merge, everything else (arrays, `null` inside) replaces."""
    if not isinstance(old, dict) or not isinstance(new, dict):
        return new
    merged = dict(old)
    for key, value in new.items():
        if key not in ("__proto__", "constructor", "prototype"):
            merged[key] = merge_metadata(merged.get(key), value)
    return merged
