"""What a chat tells: statuses, events, errors and how an exchange ended.

Stage: chat. Everything here is frozen and made on the lab's loop; subscribers get it there, in order.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from aisdk_lab.card import html_card
from aisdk_lab.errors import LabError, TransportError
from aisdk_lab.reducer import Change, UIMessageStreamError
from aisdk_lab.strings import word
from aisdk_lab.ui_stream.chunks import UNSET, Chunk
from aisdk_lab.ui_stream.messages import Message, text_of

ChatStatus = Literal["ready", "submitted", "streaming", "error"]
EndState = Literal["complete", "waiting", "error", "aborted", "truncated"]
EventKind = Literal["status", "error", "message", "changes", "data", "tool_call", "finish"]


class ChatError(msgspec.Struct, frozen=True):
    """Why an exchange failed, under the name that `ai` 7.0.173 would give it."""

    name: str
    message: str
    details: dict[str, Any] = {}
    """What else is known, under the reference's names: `chunkType`, `chunkId`; `statusCode`, `url`, `responseBody`; `parameter`."""

    @property
    def is_disconnect(self) -> bool:
        """True for what the reference takes for a lost network (spec §6.4)."""
        text = self.message.lower()
        return self.name == "TypeError" and ("fetch" in text or "network" in text or text == "load failed")


class ErrorChunk(LabError):
    """An `error` chunk came: the exchange ends with its text."""


class InvalidArgument(LabError, ValueError):
    """A message id that the chat does not have; `name` and text as in `ai` 7.0.173."""

    name = "AI_InvalidArgumentError"

    def __init__(self, parameter: str, problem: str) -> None:
        super().__init__(f"Invalid argument for parameter {parameter}: {problem}")
        self.parameter = parameter


def chat_error(problem: Exception) -> ChatError:
    """The error of a chat for what went wrong below it."""
    if isinstance(problem, UIMessageStreamError):
        known = {"chunkType": problem.chunk_type, "chunkId": problem.chunk_id}
        return ChatError(problem.name, str(problem), {key: it for key, it in known.items() if it is not UNSET})
    if isinstance(problem, TransportError):
        known = {"statusCode": problem.status, "url": problem.url, "responseBody": problem.body}
        return ChatError(problem.name, str(problem), {key: it for key, it in known.items() if it is not None})
    if isinstance(problem, InvalidArgument):
        return ChatError(problem.name, str(problem), {"parameter": problem.parameter})
    return ChatError("Error" if isinstance(problem, LabError) else type(problem).__name__, str(problem))


class ToolCall(msgspec.Struct, frozen=True):
    """A call whose input is complete, as a handler gets it."""

    tool_call_id: str
    name: str
    input: Any  # any JSON value
    chunk: Chunk


class Outcome(msgspec.Struct, frozen=True):
    """How an exchange ended (README, "End state"), with the message as it was then."""

    state: EndState
    message: Message
    finish_reason: str | None = None
    is_abort: bool = False
    """True for our own stop; an `abort` chunk of the far side ends in `aborted` too, but leaves this false."""
    is_disconnect: bool = False
    error: ChatError | None = None
    waiting: tuple[str, ...] = ()
    """Tool call ids that wait for a person or for a client tool; empty unless the state is `waiting`."""
    findings: tuple[str, ...] = ()
    """What the lenient reading mended or left out."""

    @property
    def text(self) -> str:
        """The text parts of the message, joined."""
        return text_of(self.message)

    def __repr__(self) -> str:
        text = self.text if len(self.text) <= 60 else self.text[:59] + "…"
        waiting = f", waiting={self.waiting!r}" if self.waiting else ""
        error = f", error={self.error.message!r}" if self.error else ""
        return f"Outcome({self.state!r}, text={text!r}{waiting}{error})"

    def _repr_html_(self) -> str:
        rows = {
            word("capture.reply"): self.text[:240],
            word("capture.waiting"): ", ".join(self.waiting),
            word("capture.ended"): self.error.message if self.error else None,
            word("capture.problem"): self.findings[0] if self.findings else None,
        }
        return html_card(word("chat.outcome"), word(f"capture.end_state.{self.state}"), None, rows)


class ChatEvent(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that happened in a chat; delivered on the lab's loop, in order."""

    kind: EventKind
    status: ChatStatus | None = None
    error: ChatError | None = None
    index: int = -1
    """Index in `messages` (`message`, `changes`); for `truncate` the new length of the list."""
    op: Literal["push", "replace", "truncate"] | None = None
    message: Message | None = None
    changes: tuple[Change, ...] = ()
    chunk: Chunk | None = None
    """The `data-*` chunk (also a transient one) or the `tool-input-available` chunk."""
    outcome: Outcome | None = None
