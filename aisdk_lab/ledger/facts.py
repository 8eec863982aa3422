"""Facts, and what they come to: the messages, the waiting calls, the tokens. No clock, no store.

Stage: ledger. A session's history is the sum of its facts; nothing else is remembered. Kinds and their bodies:

    message     {message, source}          a whole message came in: the person's, or history that a client brought along
    superseded  {ids}                      messages that the client cut off or replaced
    run         {agent, trigger, message_id, continues, operation_id}     a run began
    decision    {tool_call_id, approval_id, kind, value, reason, message_id, index, part}   an answer, and the part it made
    step        {message_id, parts: {index: part}, length, metadata?}     the parts that a step added or changed
    ended       {state, finish_reason, error, waiting, usage}             a run ended; `waiting` lists the open calls

A step stores changed parts and not the whole message, so that a long run does not store its beginning again and again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import msgspec

from aisdk_lab.errors import LedgerError
from aisdk_lab.ui_stream.messages import Message, Part

FactKind = Literal["message", "superseded", "run", "decision", "step", "ended"]
RunState = Literal["complete", "waiting", "error", "aborted"]


class Fact(msgspec.Struct, frozen=True):
    """One committed line of a session's history."""

    session: str
    """The conversation (`threadId`)."""
    seq: int
    """Number in the session, from 1, without gaps."""
    run: str
    """The run that committed it."""
    step: int
    """How many steps of that run had ended, this one included; 0 before the first."""
    kind: FactKind
    body: dict[str, Any]
    """Plain JSON, see the module. Read-only."""
    committed_at: str
    """UTC, ISO 8601."""


class Pending(msgspec.Struct, frozen=True):
    """A call that waits for a decision, as it was shown."""

    tool_call_id: str
    name: str
    input: Any  # any JSON value
    message_id: str
    """The assistant message that holds the call."""
    approval_id: str | None = None
    """The id of the approval; `None` for a client tool."""

    @property
    def is_client_tool(self) -> bool:
        """True when the client runs the tool; false when the server waits for permission."""
        return self.approval_id is None


class Usage(msgspec.Struct, frozen=True):
    """Tokens that the agents of a session reported; an agent without accounting reports none."""

    input_tokens: int = 0
    output_tokens: int = 0


class Projection:
    """What the facts of one session come to, kept up to date fact by fact.

    Messages are replaced and never changed in place, so that a `copy` costs one dict and can be thrown away when a
    commit does not hold.
    """

    def __init__(self) -> None:
        self.messages: dict[str, Message] = {}
        self.waiting: dict[str, Pending] = {}
        """The calls that wait, in the order in which they were made, by tool call id."""
        self.usage = Usage()

    def copy(self) -> Projection:
        """A second projection that can go its own way."""
        twin = Projection()
        twin.messages, twin.waiting, twin.usage = dict(self.messages), dict(self.waiting), self.usage
        return twin

    def apply(self, fact: Fact) -> None:
        """Take one more fact in.

        Raises:
            LedgerError: the fact does not fit what came before it.
        """
        if fact.kind not in _APPLY:
            raise LedgerError(f"{fact.kind!r} is no kind of fact. Known: {', '.join(_APPLY)}.")
        try:
            _APPLY[fact.kind](self, fact.body)
        except (KeyError, IndexError, TypeError, ValueError) as error:
            raise LedgerError(
                f"session {fact.session!r}: a fact of kind {fact.kind!r} does not fit its history ({error!r})"
            ) from error


def _on_message(projection: Projection, body: Mapping[str, Any]) -> None:
    message = body["message"]
    if message["id"] in projection.messages:
        raise ValueError(f"there is a message {message['id']!r} already")
    projection.messages[message["id"]] = message


def _on_superseded(projection: Projection, body: Mapping[str, Any]) -> None:
    gone = set(body["ids"])
    projection.messages = {key: message for key, message in projection.messages.items() if key not in gone}
    projection.waiting = {key: call for key, call in projection.waiting.items() if call.message_id not in gone}


def _on_run(projection: Projection, body: Mapping[str, Any]) -> None:
    if not body["continues"]:  # a new input gives up what waited before it
        projection.waiting = {}


def _on_decision(projection: Projection, body: Mapping[str, Any]) -> None:
    del projection.waiting[body["tool_call_id"]]
    message = projection.messages[body["message_id"]]
    parts = list(message["parts"])
    parts[body["index"]] = body["part"]
    projection.messages[message["id"]] = {**message, "parts": parts}


def _on_step(projection: Projection, body: Mapping[str, Any]) -> None:
    old = projection.messages.get(body["message_id"], {"id": body["message_id"], "role": "assistant", "parts": []})
    parts: list[Part] = old["parts"][: body["length"]]
    for index, part in sorted((int(key), part) for key, part in body["parts"].items()):
        if index > len(parts):
            raise IndexError(f"part {index} of {old['id']!r} would leave a hole")
        parts[index : index + 1] = [part]
    if len(parts) != body["length"]:
        raise ValueError(f"message {old['id']!r} has {len(parts)} parts, not {body['length']}")
    metadata = {"metadata": body["metadata"]} if "metadata" in body else {}
    head = {key: value for key, value in old.items() if key != "parts"}
    projection.messages[old["id"]] = {**head, **metadata, "parts": parts}


def _on_ended(projection: Projection, body: Mapping[str, Any]) -> None:
    projection.waiting = {call["tool_call_id"]: Pending(**call) for call in body["waiting"]}
    projection.usage = Usage(
        projection.usage.input_tokens + body["usage"]["input_tokens"],
        projection.usage.output_tokens + body["usage"]["output_tokens"],
    )


_APPLY = {
    "message": _on_message,
    "superseded": _on_superseded,
    "run": _on_run,
    "decision": _on_decision,
    "step": _on_step,
    "ended": _on_ended,
}


def project(facts: Iterable[Fact]) -> Projection:
    """What facts come to, from the first on."""
    projection = Projection()
    for fact in facts:
        projection.apply(fact)
    return projection
