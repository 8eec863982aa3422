"""What an agent is: it gets a turn and speaks chunks.

Stage: agents. An agent yields everything between `start` and the end of the stream; the run adds `start`, keeps the
ledger and does the wire's part. On a continuation the agent first gives the results of the decided calls, before any
`start-step`, then goes on (spec §7.6). Whether a call waits is read from the chunks: an open approval, or a client tool
without an output, when the agent ends with finish reason `tool-calls`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from aisdk_lab.decision import Decision
from aisdk_lab.ui_stream.chunks import Chunk
from aisdk_lab.ui_stream.messages import Message, text_of

Sleep = Callable[[float], Awaitable[object]]
"""Waits for seconds; tests give one that does not."""


@dataclass(frozen=True, slots=True)
class ClientTool:
    """A tool that the client runs."""

    interactive: bool = True
    """True when a person has to act; false when a handler answers by itself."""
    input_schema: Mapping[str, Any] | None = None
    """JSON Schema of the input, when known."""


@dataclass(slots=True)
class Turn:
    """What an agent is asked, and what it may use while it answers."""

    thread_id: str
    run_id: str
    messages: Sequence[Message]
    """The conversation. The last message is the person's, or on a continuation the assistant's, decisions applied."""
    decisions: Sequence[Decision] = ()
    """The answers that this continuation is about; empty on a new turn."""
    body: Mapping[str, Any] = field(default_factory=dict)
    """Further keys of the request's body."""
    sleep: Sleep = asyncio.sleep
    input_tokens: int = 0
    """Tokens of this run; an agent with accounting adds to these two, and the run commits them."""
    output_tokens: int = 0

    @property
    def continued(self) -> Message | None:
        """The assistant message that goes on; `None` on a new turn."""
        last = self.messages[-1] if self.messages else None
        return last if last is not None and last["role"] == "assistant" else None

    @property
    def words(self) -> str:
        """The text of the person's last message; empty when there is none."""
        return next((text_of(message) for message in reversed(self.messages) if message["role"] == "user"), "")

    @property
    def number(self) -> int:
        """Which turn of the person this is, from 0."""
        return max(0, sum(message["role"] == "user" for message in self.messages) - 1)


@runtime_checkable
class Agent(Protocol):
    """Whatever can be run. Lives on the lab's loop: it may await, and must not block."""

    @property
    def name(self) -> str:
        """How requests call it (`agentId`)."""
        ...

    @property
    def title(self) -> str:
        """What a person reads."""
        ...

    @property
    def suggestions(self) -> Sequence[str]:
        """What one might ask first."""
        ...

    @property
    def client_tools(self) -> Mapping[str, ClientTool]:
        """The tools that the client runs, by name."""
        ...

    def run(self, turn: Turn) -> AsyncGenerator[Chunk, None]:
        """The chunks of one run, from after `start` to `finish`; closing the generator stops the agent."""
        ...
