"""What an answer does to the parts of a tool call, and which calls wait for one.

Stage: chat, pure. Source: `addToolOutput`, `addToolApprovalResponse` and the queue of `ai` 7.0.173 `chat.ts` (spec §6.7, §6.8,
§6.10).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from aisdk_lab.reducer import Change
from aisdk_lab.ui_stream.chunks import UNSET
from aisdk_lab.ui_stream.javascript import is_truthy
from aisdk_lab.ui_stream.messages import Message, Part, is_tool_part

_UNANSWERED = ("input-streaming", "input-available")


class Answer(Protocol):
    """An answer to calls, in the words of the parts that it changes."""

    def is_for(self, part: Part) -> bool:
        """Whether the part waits for this answer."""
        ...

    def answered(self, part: Part) -> Part:
        """The part with its answer, a new dict."""
        ...


@dataclass(frozen=True, slots=True)
class Output:
    """The output of a call, or its error. It goes to every part of the call, in whatever state it is."""

    call_id: str
    value: Any = None  # any JSON value
    error_text: str | None = None

    def is_for(self, part: Part) -> bool:
        """Whether the part is one of this call."""
        return is_tool_part(part) and part.get("toolCallId") == self.call_id

    def answered(self, part: Part) -> Part:
        """The part with its output; of its approval only a granted one stays."""
        approval = part.get("approval")
        kept = {key: value for key, value in part.items() if key not in ("output", "errorText")}
        if not (isinstance(approval, dict) and approval.get("approved") is True):
            kept.pop("approval", None)
        if self.error_text is not None:
            return {**kept, "state": "output-error", "errorText": self.error_text}
        return {**kept, "state": "output-available", "output": self.value}


@dataclass(frozen=True, slots=True)
class Approval:
    """A person's yes or no to a call that asks for it."""

    approval_id: str
    approved: bool
    reason: str | None = None

    def is_for(self, part: Part) -> bool:
        """Whether the part asks for this approval, and has no answer yet."""
        return open_approval(part) == self.approval_id

    def answered(self, part: Part) -> Part:
        """The part with the decision."""
        approval = {**part["approval"], "id": self.approval_id, "approved": self.approved}
        approval.pop("reason", None)
        if self.reason is not None:
            approval["reason"] = self.reason
        return {**part, "state": "approval-responded", "approval": approval}


def changes_between(index: int, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Change]:
    """What leads from one version of a part to the next, key by key."""
    for key in old:
        if key not in new:
            yield Change(index, (key,), "remove")
    for key, value in new.items():
        if key not in old or old[key] is not value:
            yield Change(index, (key,), "set", value)


def tools_of(message: Message) -> list[Part]:
    """The tool parts of an assistant message."""
    return [part for part in message["parts"] if is_tool_part(part)] if message["role"] == "assistant" else []


def open_approval(part: Part) -> str | None:
    """The id of the approval that a part asks for; `None` when it asks for none."""
    if not is_tool_part(part) or part.get("state") != "approval-requested":
        return None
    return (part.get("approval") or {}).get("id")


def waiting_calls(messages: Sequence[Message]) -> list[str]:
    """Ids of calls without an output or a decision."""
    states = ("input-available", "approval-requested")
    waiting = [part.get("toolCallId") for m in messages for part in tools_of(m) if part.get("state") in states]
    return [call_id for call_id in waiting if isinstance(call_id, str)]


def open_approvals(messages: Sequence[Message]) -> list[str]:
    """Ids of the approvals that are asked for."""
    return [found for message in messages for part in tools_of(message) if (found := open_approval(part)) is not None]


def waits_for_user(message: Message | None) -> bool:
    """Whether the queue waits behind this last message: a call without a result, or a decision that was not sent."""
    return message is not None and any(_is_open(part) or _is_decided(part) for part in tools_of(message))


def has_unsent_approval(message: Message | None) -> bool:
    """Whether this last message has a decision to send, and no call that still waits."""
    tools = [] if message is None else tools_of(message)
    return any(_is_decided(part) for part in tools) and not any(_is_open(part) for part in tools)


def message_to_continue(messages: Sequence[Message]) -> str | None:
    """Whom a request without a message continues: the last answer with a decision in it, else the last message."""
    for message in reversed(messages):
        if any(_is_decided(part) for part in tools_of(message)):
            return message["id"]
    return messages[-1]["id"] if messages else None


def has_call_under_way(message: Message | None) -> bool:
    """Whether a resumed stream may go on with calls of this last message: it has one that is under way over there."""
    return message is not None and any(
        part.get("state") in ("input-streaming", "approval-responded")
        or (part.get("state") == "input-available" and _is_provider_executed(part))
        for part in tools_of(message)
    )


def _is_open(part: Part) -> bool:
    state = part.get("state")
    return state == "approval-requested" or (state in _UNANSWERED and not _is_provider_executed(part))


def _is_provider_executed(part: Part) -> bool:
    return is_truthy(part.get("providerExecuted", UNSET))


def _is_decided(part: Part) -> bool:
    return part.get("state") == "approval-responded"
