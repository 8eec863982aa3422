"""Whether a chat sends by itself: when every open call is answered, up to a ceiling, never the same twice or after a stop.

Stage: chat. Source: `sendAutomaticallyWhen` of `ai` 7.0.173 `chat.ts` (spec §6.9), which has no ceiling and loops.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Awaitable, Callable, Sequence

from aisdk_lab.chat.events import ChatError
from aisdk_lab.chat.state import ChatState
from aisdk_lab.ui_stream.messages import Message
from aisdk_lab.ui_stream.predicates import complete_with_approval_responses, complete_with_tool_calls
from aisdk_lab.wire import json_text

Predicate = Callable[[Sequence[Message]], "bool | Awaitable[bool]"]
MAX_ROUNDS = 20
"""Automatic requests after one act of a person. The reference has no ceiling, and loops (spec §6.9)."""


def either_complete(messages: Sequence[Message]) -> bool:
    """True when all client tools have answered, or all approvals; what `send_automatically=True` asks."""
    return complete_with_tool_calls(messages) or complete_with_approval_responses(messages)


class Automatic:
    """Decides for one chat whether the next request goes out by itself."""

    def __init__(self, state: ChatState, when: bool | Predicate, max_rounds: int, *, strict: bool) -> None:
        self._state = state
        self._predicate: Predicate | None = (either_complete if when else None) if isinstance(when, bool) else when
        self._only_after_answers = when is True
        self._max_rounds = max_rounds
        self._strict = strict
        self._rounds = 0
        self._sent: bytes | None = None  # the fingerprint of the history that went out last
        self._has_answers = False  # somebody here answered a call since the last request
        self._deciding: list[int] = []
        self._interrupted: set[str] = set()
        self.stops = 0
        """How often the chat was stopped: what began before a stop sends nothing after it."""

    @property
    def is_deciding(self) -> bool:
        """Whether a decision is being made that can still start a request."""
        return self.stops in self._deciding

    def person_acted(self) -> None:
        """The ceiling begins anew."""
        self._rounds = 0

    def answered(self) -> None:
        """A call was answered here."""
        self._has_answers = True

    def requested(self) -> None:
        """A request goes out, with all that was answered."""
        self._has_answers = False
        if self._predicate is not None and not self._strict:
            self._sent = _fingerprint(self._state.conversation.messages)

    def ended(self, message_id: str, *, interrupted: bool, well: bool) -> None:
        """A response ended. One with the finish reason `interrupted` is never continued by itself."""
        if not isinstance(message_id, str):  # pyright: ignore[reportUnnecessaryIsInstance]  # a server's: anything
            return
        if interrupted:
            self._interrupted.add(message_id)
        elif well:
            self._interrupted.discard(message_id)

    async def decide(self, message_id: str | None) -> bool:
        """Whether a request goes out that continues this message."""
        if self._predicate is None or (self._only_after_answers and not self._has_answers):
            return False
        if self._is_interrupted(message_id):
            return False
        stops = self.stops
        self._deciding.append(stops)
        try:
            answer = self._predicate(self._state.conversation.messages)
            is_wanted = bool(await answer if inspect.isawaitable(answer) else answer)
        finally:
            self._deciding.remove(stops)
        return is_wanted and stops == self.stops and not self._is_interrupted(message_id)

    def take_round(self) -> bool:
        """Count one automatic request; false, and the chat in `error`, when it is one too many or the last one again."""
        self._rounds += 1
        if self._sent is not None and self._sent == _fingerprint(self._state.conversation.messages):
            text = "stopped: the answer changed nothing, so the same request would go out again and again"
            self._state.fail(ChatError("SameHistory", text + "; send() without a message asks once more"))
            return False
        if self._rounds <= self._max_rounds:
            return True
        text = f"stopped after {self._max_rounds} automatic requests in a row; send() without a message goes on"
        self._state.fail(ChatError("TooManyRounds", text))
        return False

    def _is_interrupted(self, message_id: str | None) -> bool:
        last = self._state.conversation.last
        ids = (message_id, None if last is None else last["id"])
        return not self._interrupted.isdisjoint(each for each in ids if isinstance(each, str))


def _fingerprint(messages: Sequence[Message]) -> bytes | None:
    """Tells one history from another; `None` for what is no JSON, of which nothing is known."""
    try:
        return hashlib.sha256(json_text.write_bytes(messages)).digest()
    except (TypeError, ValueError):
        return None
