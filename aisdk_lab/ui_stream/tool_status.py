"""Waiting or broken? One pure function that says what a tool part means for the person who looks at it.

Stage: ui_stream. Tables, linter and sidebar ask here, so that they cannot disagree. The wire state alone does not say
it: `input-available` is "running" while the chat is busy, "waiting" for a client tool, "queued" beside a waiting call,
and "interrupted" when the bytes stopped.
Source: design/decisions §6 (kept in the README), docs/patterns §4 (the procedure).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Literal, cast, get_args

from aisdk_lab.ui_stream.chunks import UNSET, Unset
from aisdk_lab.ui_stream.grammar import (
    APPROVAL_REQUESTED,
    APPROVAL_RESPONDED,
    INPUT_AVAILABLE,
    INPUT_STREAMING,
    OUTPUT_AVAILABLE,
    OUTPUT_DENIED,
    OUTPUT_ERROR,
)
from aisdk_lab.ui_stream.messages import Part, is_tool_part, tool_name

ToolStatus = Literal[
    "preparing",
    "running",
    "waiting",
    "queued",
    "approved-not-sent",
    "denied",
    "done",
    "failed",
    "interrupted",
    "unknown",
]
TOOL_STATUSES: tuple[ToolStatus, ...] = get_args(ToolStatus)


def tool_status(
    part: Part,
    siblings: Sequence[Part] = (),
    busy: bool = False,
    client_tools: Collection[str] | None = None,
    finish_reason: str | Unset | None = UNSET,
) -> ToolStatus:
    """What a tool part means now.

    `siblings` are the parts of the same step, `busy` is true while a response for this message is under way,
    `client_tools` the names that the client executes (`None`: not known), `finish_reason` the one of the response
    (`None`: the response had none; `UNSET`: there are no frames to ask, as in stored history).
    """
    return (
        _settled(part)
        or _client_call(part, busy, client_tools, finish_reason)
        or _unfinished(part, siblings, busy, client_tools, finish_reason)
    )


def _settled(part: Part) -> ToolStatus | None:
    """The statuses that the part alone decides."""
    state, approval = part.get("state"), part.get("approval")
    approval = cast("dict[str, Any]", approval) if isinstance(approval, dict) else {}
    if state == APPROVAL_REQUESTED:
        return None if approval.get("isAutomatic") else "waiting"
    if state == OUTPUT_DENIED or (state == APPROVAL_RESPONDED and approval.get("approved") is not True):
        return "denied"
    if state == OUTPUT_ERROR:
        return "failed"
    if state == OUTPUT_AVAILABLE and part.get("preliminary") is not True:
        return "done"
    return None


def _is_client_call(part: Part, client_tools: Collection[str] | None) -> bool | None:
    """Whether the client has to execute the call; `None` when nobody said."""
    if part.get("providerExecuted") is True:
        return False
    if client_tools is not None:
        return tool_name(part) in client_tools
    return None


def _client_call(
    part: Part, busy: bool, client_tools: Collection[str] | None, finish_reason: str | Unset | None
) -> ToolStatus | None:
    """An unanswered call of a client tool waits, also while the rest of the response still arrives."""
    if part.get("state") != INPUT_AVAILABLE:
        return None
    is_client = _is_client_call(part, client_tools)
    if is_client or (is_client is None and part.get("providerExecuted") is False and not busy):
        return "waiting"
    if is_client is None and not busy and finish_reason == "tool-calls":
        return "waiting"
    return None


def _unfinished(
    part: Part,
    siblings: Sequence[Part],
    busy: bool,
    client_tools: Collection[str] | None,
    finish_reason: str | Unset | None,
) -> ToolStatus:
    """The rest: nothing settled the call and nobody is asked to answer it."""
    state = part.get("state")
    if busy:
        return "preparing" if state == INPUT_STREAMING else "running"
    if state == APPROVAL_RESPONDED:
        return "approved-not-sent"
    if _a_sibling_waits(part, siblings, client_tools, finish_reason):
        return "queued"
    if state == INPUT_AVAILABLE and _is_client_call(part, client_tools) is None and isinstance(finish_reason, Unset):
        # Stored history without frames: a client tool that waits and a server tool that was cut off look the same.
        return "unknown"
    return "interrupted"


def _a_sibling_waits(
    part: Part, siblings: Sequence[Part], client_tools: Collection[str] | None, finish_reason: str | Unset | None
) -> bool:
    return any(
        sibling is not part
        and is_tool_part(sibling)
        and sibling.get("toolCallId") != part.get("toolCallId")
        and holds_up(sibling, client_tools, finish_reason)
        for sibling in siblings
    )


def holds_up(
    part: Part, client_tools: Collection[str] | None = None, finish_reason: str | Unset | None = UNSET
) -> bool:
    """Whether a tool part waits for the person or the page, so that its unfinished neighbours are `queued`.

    What a caller with thousands of calls in one step keeps a list of, to give only those as `siblings`.
    """
    return "waiting" in (_settled(part), _client_call(part, False, client_tools, finish_reason))
