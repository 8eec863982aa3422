"""Committed history as the awaken profile shows it: text, sources, files and one part for each call.

Stage: runs, on the way up. No reasoning, no step boundaries; only the call that waits now can be answered. `data-*` parts
stay, as an extension of ours. Pages are cut out of the raw list by "after this id", so a page may hold fewer items than
asked for, even none, and still name a cursor: loop until it is null.
Source: docs/awaken §8, with its quirks mended as the register there says (errors stay errors).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from aisdk_lab.errors import RequestError
from aisdk_lab.ledger import Pending
from aisdk_lab.runs.awaken_encoder import DENIED_TEXT, committed
from aisdk_lab.ui_stream.grammar import DATA_PREFIX
from aisdk_lab.ui_stream.messages import Message, Part, is_tool_part, tool_name

DEFAULT_SIZE = 50
MAX_SIZE = 500
_KEPT = ("source-url", "source-document", "file")


def history_page(
    history: Sequence[Message], waiting: Sequence[Pending], *, size: int = DEFAULT_SIZE, cursor: str | None = None
) -> dict[str, Any]:
    """One page: `{items, cursor}`, oldest first; `size` counts raw messages and is held between 1 and 500.

    Raises:
        RequestError: no message has the id that the cursor names.
    """
    start = 0
    if cursor is not None and cursor.strip():
        ids = [message["id"] for message in history]
        if cursor not in ids:
            raise RequestError(["unknown pagination cursor"])
        start = ids.index(cursor) + 1
    page = history[start : start + max(1, min(size, MAX_SIZE))]
    more = start + len(page) < len(history)
    pending = waiting[0] if waiting else None
    items = [item for item in (_item(message, pending) for message in page) if item["parts"]]
    return {"items": items, "cursor": page[-1]["id"] if more and page else None}


def _item(message: Message, pending: Pending | None) -> Message:
    return {"id": message["id"], "role": message["role"], "parts": list(_parts(message["parts"], pending))}


def _parts(parts: Sequence[Part], pending: Pending | None) -> Iterator[Part]:
    calls: list[Part] = []
    for part in parts:
        kind: str = part["type"]
        if kind == "text" and part["text"]:
            yield {"type": "text", "text": part["text"]}
        elif kind in _KEPT or kind.startswith(DATA_PREFIX):
            yield dict(part)
        elif is_tool_part(part):
            calls.append(part)
    for part in calls:
        yield _call(part, pending)


def _call(part: Part, pending: Pending | None) -> Part:
    call_id = part["toolCallId"]
    head: Part = {"type": f"tool-{tool_name(part)}", "toolName": tool_name(part), "toolCallId": call_id}
    tail: Part = {"input": part.get("input"), "providerExecuted": True}
    if part["state"] == "output-available":
        return {**head, "state": "output-available", **tail, "output": committed(part["output"])}
    if part["state"] == "output-error":
        return {**head, "state": "output-error", **tail, "errorText": part["errorText"]}
    if part["state"] == "output-denied":
        reason = (part.get("approval") or {}).get("reason") or DENIED_TEXT
        return {**head, "state": "output-error", **tail, "errorText": reason}
    if pending is not None and pending.tool_call_id == call_id:
        if pending.is_client_tool:
            return {**head, "state": "input-available", **tail, "providerExecuted": False}
        return {**head, "state": "approval-requested", **tail, "approval": {"id": call_id}}
    return {**head, "state": "input-available", **tail}
