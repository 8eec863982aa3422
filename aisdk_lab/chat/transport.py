"""Transport: how a chat reaches an agent. The role, and what goes over it.

Stage: chat. Implementations live in `transports/`: in process, HTTP, a recording.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

from aisdk_lab.ui_stream.chunks import Chunk
from aisdk_lab.ui_stream.messages import Message

Trigger = Literal["submit-message", "regenerate-message", "resume-stream"]
"""Why a chat asks. `resume-stream` goes to `Resumable.reconnect` only, and is in no request's body."""


@dataclass(slots=True)
class Receipt:
    """What a transport found out on the way beside the chunks; one for each request."""

    done: bool = False
    """`[DONE]` or an equally clear end came: a stream without `finish` is then not truncated."""
    interrupted: bool = False
    """Somebody on this side broke the response off, as a recording may tell: an exchange without an error is then aborted."""
    findings: list[str] = field(default_factory=list)
    """Frames that were no chunks, in words."""


@dataclass(frozen=True, slots=True)
class RequestOptions:
    """What a caller adds to one request and to the requests that follow from it by themselves."""

    body: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    metadata: Any = None  # any JSON value: for the code that prepares a request, never sent by itself


@dataclass(frozen=True, slots=True)
class TransportRequest:
    """One request of a chat: what the SDK gives its transports."""

    chat_id: str
    trigger: Trigger
    messages: tuple[Message, ...]
    """The whole history. Shared with the chat: read-only."""
    message_id: str | None = None
    options: RequestOptions = field(default_factory=RequestOptions)
    receipt: Receipt = field(default_factory=Receipt)


class Transport(Protocol):
    """How a chat reaches an agent. Raises `TransportError` for everything that the far side did wrong."""

    @property
    def title(self) -> str | None:
        """What the agent is called, when known."""
        ...

    @property
    def suggestions(self) -> Sequence[str]:
        """What one might ask first."""
        ...

    @property
    def client_tools(self) -> Mapping[str, Any] | None:
        """The tools that the client has to run, by name; `None` when the far side does not say."""
        ...

    def stream(self, request: TransportRequest) -> AsyncGenerator[Chunk, None]:
        """The chunks of one response; closing the generator breaks the request off."""
        ...

    async def stop(self, chat_id: str) -> None:
        """Tell the far side that the run is not wanted any more; called after the stream was closed."""
        ...


@runtime_checkable
class Resumable(Protocol):
    """A transport that can join a response that is under way."""

    @property
    def resume_is_replay(self) -> bool:
        """True when a joined response is told from its beginning, false when only what is still to come."""
        ...

    async def reconnect(self, request: TransportRequest) -> AsyncGenerator[Chunk, None] | None:
        """The chunks of the response of `request.chat_id` that is under way; `None` when there is none.

        Raises `TransportError` when the far side cannot be asked.
        """
        ...
