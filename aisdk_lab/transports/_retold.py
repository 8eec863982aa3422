"""A message as chunks again: what came before a response that goes on with it.

Stage: transports, pure. A resumed response is told from its beginning; one that continues a message begins in the middle of
it, and a chat that starts anew with the first chunk would have lost the rest (spec §9.4). Calls that have their answer are
told without `tool-input-available`, so that no handler runs for them a second time.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from aisdk_lab.ui_stream.chunks import Chunk
from aisdk_lab.ui_stream.messages import DYNAMIC_TOOL, STEP_START, Message, Part, is_tool_part, tool_name
from aisdk_lab.wire import json_text

_BLOCKS = ("text", "reasoning")
_LABELS = ("title", "toolMetadata", "providerExecuted")


def retold(message: Message) -> Iterator[Chunk]:
    """Chunks that make the parts and the metadata of a message, in a reducer that has neither."""
    if message.get("metadata") is not None:
        yield {"type": "message-metadata", "messageMetadata": message["metadata"]}
    for index, part in enumerate(message["parts"]):
        if part["type"] == STEP_START:
            yield {"type": "start-step"}
        elif part["type"] in _BLOCKS:
            yield from _block(f"retold-{index}", part)
        elif is_tool_part(part):
            yield from _call(part)
        else:
            yield dict(part)


def _block(block_id: str, part: Part) -> Iterator[Chunk]:
    kind, block_id = part["type"], part.get("id", block_id)
    yield {"type": f"{kind}-start", "id": block_id, **_given(part, "providerMetadata")}
    if part.get("text"):
        yield {"type": f"{kind}-delta", "id": block_id, "delta": part["text"]}
    if part.get("state") != "streaming":
        yield {"type": f"{kind}-end", "id": block_id, **_given(part, "citations")}


def _call(part: Part) -> Iterator[Chunk]:
    call_id, state = {"toolCallId": part["toolCallId"]}, part.get("state")
    start: Chunk = {
        **call_id,
        "toolName": tool_name(part),
        **({"dynamic": True} if part["type"] == DYNAMIC_TOOL else {}),
        **_given(part, *_LABELS),
        **({"providerMetadata": part["callProviderMetadata"]} if "callProviderMetadata" in part else {}),
    }
    if state == "input-available":
        yield {"type": "tool-input-available", **start, "input": part.get("input")}
        return
    yield {"type": "tool-input-start", **start, **_given(part, "inputEncoding")}
    text = part.get("rawInput")
    if text is None and "input" in part:
        text = json_text.write(part["input"])
    if isinstance(text, str):
        yield {"type": "tool-input-delta", **call_id, "inputTextDelta": text}
    if part.get("approval"):
        yield from _approval(call_id, part["approval"])
    result = {"providerMetadata": part["resultProviderMetadata"]} if "resultProviderMetadata" in part else {}
    if state == "output-available":
        output = {"output": part.get("output"), **_given(part, "preliminary")}
        yield {"type": "tool-output-available", **call_id, **output, **result}
    elif state == "output-error":
        yield {"type": "tool-output-error", **call_id, "errorText": part.get("errorText", ""), **result}
    elif state == "output-denied":
        yield {"type": "tool-output-denied", **call_id}


def _approval(call_id: dict[str, str], approval: dict[str, Any]) -> Iterator[Chunk]:
    names = {"descriptor": "approvalDescriptor", "requestReason": "reason"}
    same = ("descriptor", "inputSchemaInput", "requestReason", "isAutomatic", "signature")
    told = {names.get(key, key): approval[key] for key in same if key in approval}
    yield {"type": "tool-approval-request", "approvalId": approval["id"], **call_id, **told}
    if "approved" in approval:
        decision = {"approvalId": approval["id"], "approved": approval["approved"], **_given(approval, "reason")}
        yield {"type": "tool-approval-response", **decision}


def _given(values: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {key: values[key] for key in keys if values.get(key) is not None}
