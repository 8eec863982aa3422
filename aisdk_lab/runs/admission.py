"""What a request asks of the history that the ledger has: a new turn, or the answer to a waiting call.

Stage: runs, on the way down. An admission is worked out from three values (request, history, waiting calls) and nothing
else; the run commits its facts at once. The two profiles differ in whose history counts (README, "Two doors"): with
`ai-sdk` the client's list, and the ledger follows it; with `awaken` the ledger's alone, and rules R2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import uuid4

from aisdk_lab.decision import Decision
from aisdk_lab.errors import RequestError
from aisdk_lab.ledger import Entry, Pending
from aisdk_lab.runs.canonical import canonical_json
from aisdk_lab.runs.decisions import (
    apply_decisions,
    awaken_decision,
    read_awaken_decisions,
    read_decisions,
    refuse,
)
from aisdk_lab.runs.request import ChatRequest
from aisdk_lab.ui_stream.messages import Message, Part


@dataclass(slots=True)
class Admission:
    """What a run starts from."""

    messages: list[Message]
    """The history that the agent gets, decisions applied."""
    entries: list[Entry]
    """The facts that make the ledger agree with it."""
    decisions: tuple[Decision, ...] = ()
    operation_id: str | None = None
    repeats: bool = False
    """True when this very operation was admitted before: the earlier outcome is the answer."""

    @property
    def continued(self) -> Message | None:
        """The assistant message that goes on; `None` on a new turn."""
        return self.messages[-1] if self.decisions else None


# ── ai-sdk: the client's list is the history ───────────────────────────────────────────────────────────────────────


def admit_ai_sdk(
    request: ChatRequest, history: Sequence[Message], waiting: Sequence[Pending], *, trust: bool = False
) -> Admission:
    """Admit a request of `useChat`: submit, edit, regenerate, or the continuation of the last assistant message.

    Raises:
        RequestError: the list cannot be run.
        DecisionError: an answer that does not count.
    """
    wanted = _wanted(request, list(history))
    if wanted[-1]["role"] == "assistant" and request.trigger == "submit-message":
        return _continue(wanted, history, waiting, trust)
    if wanted[-1]["role"] != "user":
        last = wanted[-1]["role"]
        raise RequestError([f"the last message must be the user's, got one of role {last!r}  @ $.messages[-1].role"])
    kept = _common(history, wanted)
    entries: list[Entry] = []
    if kept < len(history):
        entries.append(("superseded", {"ids": [message["id"] for message in history[kept:]]}))
    entries.extend(_message_entries(wanted[kept:]))
    return Admission([*history[:kept], *wanted[kept:]], entries)


def _message_entries(messages: Sequence[Message]) -> list[Entry]:
    return [("message", {"message": message, "source": "client"}) for message in messages]


def _wanted(request: ChatRequest, history: list[Message]) -> list[Message]:
    """The list that the client means; a body with the last message only is completed from the ledger."""
    messages = list(request.messages)
    if request.is_last_only:
        messages = _up_to(history, request.message_id or (messages[0]["id"] if messages else None), messages)
    if request.trigger == "regenerate-message" and request.message_id is not None:
        place = next((index for index, each in enumerate(messages) if each["id"] == request.message_id), None)
        if place is not None:  # usually the client has cut its list already
            messages = messages[: place if messages[place]["role"] == "assistant" else place + 1]
    if request.trigger == "regenerate-message" and request.is_last_only:
        while messages and messages[-1]["role"] == "assistant":
            messages.pop()
    if not messages:
        raise RequestError([f"chat {request.thread_id!r} has no message to answer  @ $.messages"])
    return messages


def _up_to(history: list[Message], message_id: str | None, newest: list[Message]) -> list[Message]:
    """The ledger's messages before the one with this id, then the newest; without newest, up to and with it."""
    place = next((index for index, each in enumerate(history) if each["id"] == message_id), None)
    if place is None:
        return [*history, *newest]
    return [*history[:place], *newest] if newest else history[: place + 1]


def _common(history: Sequence[Message], wanted: Sequence[Message]) -> int:
    """How many messages from the start are the same in both.

    Of an assistant message only the id is compared: the client's copy may lag, and ours is the one that was committed.
    """
    for index, (held, sent) in enumerate(zip(history, wanted, strict=False)):
        if held["id"] != sent["id"] or held["role"] != sent["role"]:
            return index
        if held["role"] != "assistant" and canonical_json(held["parts"]) != canonical_json(sent["parts"]):
            return index
    return min(len(history), len(wanted))


def _continue(
    wanted: Sequence[Message], history: Sequence[Message], waiting: Sequence[Pending], trust: bool
) -> Admission:
    sent = wanted[-1]
    if trust and not any(message["id"] == sent["id"] for message in history):
        decisions = read_decisions(sent, sent, (), trust=True)
        entries: list[Entry] = []
        if history:
            entries.append(("superseded", {"ids": [message["id"] for message in history]}))
        entries.extend(_message_entries(wanted))
        return Admission(list(wanted), entries, decisions)
    if not history or history[-1]["id"] != sent["id"]:
        raise refuse(f"message {sent['id']!r} is not the one that waits", waiting)
    ids = {message["id"] for message in wanted}
    gone = [message["id"] for message in history if message["id"] not in ids]
    kept = [message for message in history if message["id"] in ids]
    decisions = read_decisions(sent, kept[-1], waiting)
    entries = apply_decisions(kept[-1], decisions)
    if gone:
        entries.insert(0, ("superseded", {"ids": gone}))
    return Admission(kept, entries, decisions)


# ── awaken: the ledger is the history, a body is exactly one operation ─────────────────────────────────────────────


def admit_awaken(request: ChatRequest, history: Sequence[Message], waiting: Sequence[Pending]) -> Admission:
    """Admit a request of the awaken profile (rules R2): one current input, or the decision for the waiting call.

    Raises:
        RequestError: the body is not exactly one operation.
        DecisionError: the decision is not for the call that waits.
    """
    problems = _r2_problems(request, history)
    if problems:
        raise RequestError(problems)
    last = request.messages[-1] if request.messages else None
    if last is not None and is_input(last):
        return _awaken_turn(last, history)
    parts = read_awaken_decisions(last) if last is not None and last["role"] == "assistant" else []
    if last is None or not parts:
        raise RequestError(["AI SDK request contains neither a turn nor a tool decision  @ $.messages"])
    operation_id = _id_of(last) or f"ai-sdk-operation-{uuid4().hex}"
    messages = list(history)
    decisions = (awaken_decision(parts, waiting, operation_id),)
    entries = apply_decisions(messages[-1], decisions)
    return Admission(messages, entries, decisions, operation_id)


def _awaken_turn(last: Message, history: Sequence[Message]) -> Admission:
    operation_id = _id_of(last) or f"ai-sdk-operation-{uuid4().hex}"
    message: Message = {"id": operation_id, "role": last["role"], "parts": _input_parts(last)}
    known = next((each for each in history if each["id"] == operation_id), None)
    if known is None:
        return Admission([*history, message], _message_entries([message]), (), operation_id)
    if canonical_json(known["parts"]) != canonical_json(message["parts"]):
        raise RequestError([f"operation `{operation_id}` was admitted before with another payload  @ $.messages[-1]"])
    return Admission(list(history), [], (), operation_id, repeats=True)


def _r2_problems(request: ChatRequest, history: Sequence[Message]) -> list[str]:
    roles = {message["id"]: message["role"] for message in history}
    problems: list[str] = []
    for index, message in enumerate(request.messages):
        message_id = _id_of(message)
        is_current = index == len(request.messages) - 1
        if message_id in roles and roles[message_id] != message["role"]:
            path = f"$.messages[{index}].role"
            problems.append(f"AI SDK message id `{message_id}` conflicts with its committed role  @ {path}")
        elif not is_current and is_input(message) and message_id not in roles:
            path = f"$.messages[{index}]"
            problems.append(f"AI SDK turn requires exactly one current user or system input message  @ {path}")
    return problems


def _id_of(message: Message) -> str | None:
    return (message.get("id") or "").strip() or None


def _input_parts(message: Message) -> list[Part]:
    return [part for part in message["parts"] if _is_input_part(part)]


def _is_input_part(part: Part) -> bool:
    match part["type"]:
        case "text":
            return bool(part["text"])
        case "file":
            return part["mediaType"].startswith("image/")
        case kind:
            return kind == "data-awaken-file"


def is_input(message: Message) -> bool:
    """True for a user or system message with something in it that a model can be given (awaken profile)."""
    return message["role"] in ("user", "system") and bool(_input_parts(message))
