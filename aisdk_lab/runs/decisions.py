"""Decisions out of a request, and the check against the ledger: only a call that waits, once, as it was shown.

Stage: runs, on the way down. What a client says about the past is never believed here: whether a call waits, what its
input was and what kind of answer it takes comes from the ledger (README, "Decisions and trust").
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from aisdk_lab.decision import Decision
from aisdk_lab.errors import DecisionError, cut
from aisdk_lab.ledger import Entry, Pending
from aisdk_lab.runs.canonical import input_hash
from aisdk_lab.runs.request import ANSWERED_STATES
from aisdk_lab.ui_stream.messages import Message, Part, is_tool_part, tool_name

CLIENT_DENIED = "client denied the tool"
CLIENT_ERROR = "tool execution error"


def waiting_text(waiting: Iterable[Pending]) -> str:
    """The calls that wait, for an error text."""
    return cut(", ".join(f"{call.tool_call_id} ({call.name})" for call in waiting)) or "none"


def refuse(what: str, waiting: Sequence[Pending]) -> DecisionError:
    """The error for an answer that does not count: what is wrong with it, and what waits instead."""
    return DecisionError(
        f"{cut(what)}; waiting: {waiting_text(waiting)}. Read the history and answer the current call.",
        waiting=[call.tool_call_id for call in waiting],
    )


def read_decisions(
    sent: Message, held: Message, waiting: Sequence[Pending], *, trust: bool = False
) -> tuple[Decision, ...]:
    """The decisions in a message that `useChat` sent back, checked against the same message in the ledger.

    `held` is the ledger's copy. Finished calls of both are history and are passed over. With `trust` the parts decide
    alone: for vectors, never for people.

    Raises:
        DecisionError: an answer to a call that does not wait, of the wrong kind, or to another tool or input than was
            shown; two answers that differ; or no answer at all.
    """
    open_calls = {call.tool_call_id: call for call in waiting}
    known = {part["toolCallId"]: part for part in held["parts"] if is_tool_part(part)}
    decisions: dict[str, Decision] = {}
    for part in sent["parts"]:
        if not is_tool_part(part) or part["state"] not in ANSWERED_STATES or part.get("preliminary") is True:
            continue
        call_id = part["toolCallId"]
        call = _as_sent(part, sent) if trust else open_calls.get(call_id)
        if call is not None:
            decision = _decision(part, call, waiting)
            if decisions.setdefault(call_id, decision) != decision:
                raise _contradiction(call_id, waiting)
        elif call_id not in known:
            raise refuse(f"no run ever made the tool call {call_id!r}", waiting)
        elif part["state"] == "approval-responded" and known[call_id]["state"] != "input-available":
            raise refuse(f"no run waits for tool call {call_id!r}, it was answered before", waiting)
    if not decisions:
        raise refuse(f"message {sent['id']!r} holds no answer to a call that waits", waiting)
    return tuple(decisions.values())


def _as_sent(part: Part, message: Message) -> Pending | None:
    """A waiting call as the client's own history has it."""
    if part["state"] == "output-denied":
        return None
    approval_id = part["approval"]["id"] if part["state"] == "approval-responded" else None
    return Pending(part["toolCallId"], tool_name(part), part.get("input"), message["id"], approval_id)


def _contradiction(call_id: str, waiting: Sequence[Pending]) -> DecisionError:
    return refuse(f"the answers to {call_id!r} in one body contradict each other", waiting)


def _check_as_shown(part: Part, call: Pending, waiting: Sequence[Pending]) -> None:
    """Raise for an answer to another tool or another input than the person saw."""
    if tool_name(part) != call.name:
        raise refuse(f"{tool_name(part)!r} is not the tool of {call.tool_call_id!r}", waiting)
    if "input" in part and input_hash(part["input"]) != input_hash(call.input):
        raise refuse(f"the input in the answer to {call.tool_call_id!r} is not the one that was shown", waiting)


def _decision(part: Part, call: Pending, waiting: Sequence[Pending]) -> Decision:
    approval: Mapping[str, Any] = part.get("approval") or {}
    _check_as_shown(part, call, waiting)
    if call.is_client_tool:
        if part["state"] not in ("output-available", "output-error"):
            raise refuse(f"tool call {call.tool_call_id!r} waits for an output, got {part['state']!r}", waiting)
        is_error = part["state"] == "output-error"
        return Decision(
            tool_call_id=call.tool_call_id,
            kind="error" if is_error else "output",
            value=part["errorText"] if is_error else part["output"],
            input=call.input,
        )
    if part["state"] not in ("approval-responded", "output-denied"):
        raise refuse(f"tool call {call.tool_call_id!r} waits for an approval, got {part['state']!r}", waiting)
    if approval.get("id") != call.approval_id:
        raise refuse(f"{approval.get('id')!r} is not the approval that {call.tool_call_id!r} waits for", waiting)
    is_approved = (
        part["state"] == "approval-responded" and approval.get("approved") is True
    )  # the boolean, nothing else
    return Decision(
        tool_call_id=call.tool_call_id,
        kind="approved" if is_approved else "denied",
        approval_id=call.approval_id,
        reason=approval.get("reason"),
        input=call.input,
    )


def read_awaken_decisions(message: Message) -> list[Part]:
    """The parts of a message that are decisions in the awaken profile: static tool parts with a call id and an answer.

    Parts with `providerExecuted: true` count only as `approval-responded`: permissions are asked for such calls.
    """
    return [
        part
        for part in message["parts"]
        if str(part.get("type")).startswith("tool-")
        and isinstance(part.get("toolCallId"), str)
        and part.get("state") in ANSWERED_STATES
        and (part.get("providerExecuted") is not True or part["state"] == "approval-responded")
    ]


def awaken_decision(parts: Sequence[Part], waiting: Sequence[Pending], operation_id: str) -> Decision:
    """The decision of the awaken profile for the first call that waits, out of the parts that are decisions.

    Raises:
        DecisionError: none is for this call, or not for this call as it was shown, or two contradict each other.
    """
    if not waiting:
        raise refuse("no awaiting run to resume", waiting)
    call = waiting[0]
    found = [part for part in parts if part["toolCallId"] == call.tool_call_id]
    if not found:
        raise refuse(f'tool_use_id "{parts[0]["toolCallId"]}" does not match the pending tool', waiting)
    for part in found:
        _check_as_shown(part, call, waiting)
        approval_id = (part.get("approval") or {}).get("id")
        # This door shows the id of the call as that of the approval; the wait may have been shown at the other one.
        if approval_id is not None and approval_id not in (call.tool_call_id, call.approval_id):
            raise refuse(f"{approval_id!r} is not the approval that {call.tool_call_id!r} waits for", waiting)
    first, *others = (_awaken_meaning(part, call, operation_id) for part in found)
    if any(other != first for other in others):
        raise _contradiction(call.tool_call_id, waiting)
    return first


def _awaken_meaning(part: Part, call: Pending, operation_id: str) -> Decision:
    """What a part means for the call that waits; the binding decides, not the client.

    A permission is allowed by an output and by an approval, denied by an error and by a denial. A client tool takes an
    output or an error; an approval is an empty output, a denial an error.
    """
    approval: Mapping[str, Any] = part.get("approval") or {}
    state = part["state"]
    error = part.get("errorText", CLIENT_ERROR)
    is_approved = state == "approval-responded" and approval.get("approved") is True
    is_allowed = state == "output-available" or is_approved
    common: dict[str, Any] = {"tool_call_id": call.tool_call_id, "input": call.input, "operation_id": operation_id}
    if not call.is_client_tool:
        # The reason is an extension: the reference does not read it.
        reason = error if state == "output-error" else approval.get("reason")
        return Decision(
            kind="approved" if is_allowed else "denied", approval_id=call.approval_id, reason=reason, **common
        )
    if is_allowed:
        return Decision(kind="output", value="" if is_approved else part.get("output"), **common)
    return Decision(kind="error", value=error if state == "output-error" else CLIENT_DENIED, **common)


def decided_part(part: Part, decision: Decision) -> Part:
    """The part of the ledger's message after a decision."""
    if decision.kind == "output":
        return {**part, "state": "output-available", "output": decision.value}
    if decision.kind == "error":
        return {**part, "state": "output-error", "errorText": str(decision.value)}
    approval = {**part["approval"], "approved": decision.kind == "approved"}
    if decision.reason is not None:
        approval["reason"] = decision.reason
    return {**part, "state": "approval-responded", "approval": approval}


def apply_decisions(message: Message, decisions: Iterable[Decision]) -> list[Entry]:
    """Put decisions into a message (changed in place) and give the facts that say so."""
    entries: list[Entry] = []
    for decision in decisions:
        index = next(
            place for place, part in enumerate(message["parts"]) if part.get("toolCallId") == decision.tool_call_id
        )
        part = message["parts"][index] = decided_part(message["parts"][index], decision)
        body = {
            "tool_call_id": decision.tool_call_id,
            "approval_id": decision.approval_id,
            "kind": decision.kind,
            "value": decision.value,
            "reason": decision.reason,
            "operation_id": decision.operation_id,
            "message_id": message["id"],
            "index": index,
            "part": part,
        }
        entries.append(("decision", body))
    return entries
