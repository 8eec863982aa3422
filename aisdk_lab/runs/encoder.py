"""The single projection of a run to chunks: what goes out live, and what only after the commit.

Stage: runs, on the way up. `RunEncoder` is the one place that knows the difference between the two profiles. The
`ai-sdk` profile forwards the agent's own chunks as the SDK's server does; the `awaken` profile (`awaken_encoder`) frames
a response as one step and tells tools from the committed tail.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from aisdk_lab.ledger import Pending, RunState, Usage
from aisdk_lab.ui_stream.chunks import Chunk
from aisdk_lab.ui_stream.messages import Message

MASKED_ERROR = "An error occurred."
"""What the SDK says instead of an error's text, which may hold anything."""
ABORT_REASON = "AbortError: This operation was aborted"


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """How a run ended, after its commit."""

    state: RunState
    message: Message
    """The assistant message as committed."""
    first_new_part: int = 0
    """Index of the first part that this run added; the parts before it are those of a continued message."""
    decided: Sequence[str] = ()
    """The tool calls whose decisions this run carried out."""
    waiting: Sequence[Pending] = ()
    usage: Usage = Usage()  # noqa: RUF009  # frozen
    error_text: str | None = None
    """The text of the agent's own `error` chunk."""
    failure: str | None = None
    """What the agent raised, in words; `None` when it did not raise."""
    shown_failure: str = MASKED_ERROR
    """What a client may read of it."""
    abort_reason: str = ABORT_REASON


class RunEncoder(ABC):
    """Turns one run into the chunks of one response. One instance a response."""

    @abstractmethod
    def start(self) -> list[Chunk]:
        """The beginning of the response."""

    @abstractmethod
    def live(self, chunk: Chunk) -> list[Chunk]:
        """What a chunk of the agent comes to at once."""

    @abstractmethod
    def end(self, outcome: RunOutcome) -> list[Chunk]:
        """What follows after the last commit."""


class AiSdkEncoder(RunEncoder):
    """The profile of the SDK's own server: the agent's chunks as they are, `finish` after the commit."""

    def __init__(self, message_id: str, *, send_reasoning: bool = True) -> None:
        self._message_id = message_id
        self._send_reasoning = send_reasoning
        self._finish: list[Chunk] = []

    def start(self) -> list[Chunk]:
        """`start` with the id of the message: a fresh one, or that of the message which goes on (spec §5.3)."""
        return [{"type": "start", "messageId": self._message_id}]

    def live(self, chunk: Chunk) -> list[Chunk]:
        """The chunk itself; `finish` waits for the commit, so that a client that hurries finds it done."""
        if chunk["type"] == "finish":
            self._finish = [chunk]
            return []
        if not self._send_reasoning and chunk["type"].startswith("reasoning"):
            return []
        return [chunk]

    def end(self, outcome: RunOutcome) -> list[Chunk]:
        """`finish`, or `abort` after a stop, or the masked error after an exception."""
        if outcome.state == "aborted":
            return [{"type": "abort", "reason": outcome.abort_reason}]
        if outcome.failure is not None:
            return [{"type": "error", "errorText": outcome.shown_failure}]
        return self._finish
