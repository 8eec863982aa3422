"""Messages that wait to be sent: while a response comes, and while the assistant waits for an answer.

Stage: chat, pure. Source: `experimental_queue` of `ai` 7.0.173 `chat.ts` (spec §6.11).
"""

from __future__ import annotations

from aisdk_lab.chat.transport import RequestOptions
from aisdk_lab.ui_stream.messages import Message


class MessageQueue:
    """The waiting messages of one chat, in the order in which they will be sent, with the options of their requests."""

    def __init__(self, is_on: bool) -> None:
        self.is_on = is_on
        self.is_paused = False
        """A stop, an error or an interruption pauses the queue until a person sends again."""
        self.deferred_approval: RequestOptions | None = None
        """A person sent while a decision was about to go out by itself: if it does not, it goes first, with these."""
        self._waiting: list[tuple[Message, RequestOptions]] = []

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def messages(self) -> list[Message]:
        """The waiting messages; shared, read-only."""
        return [message for message, _ in self._waiting]

    def options_of(self, message_id: str) -> RequestOptions | None:
        """The options that a message was sent with; `None` when none waits under this id."""
        return next((options for message, options in self._waiting if message["id"] == message_id), None)

    def add(self, message: Message, options: RequestOptions) -> None:
        """Let a message wait."""
        self._waiting.append((message, options))

    def remove(self, message_id: str) -> None:
        """Forget the messages with this id."""
        self._waiting = [waiting for waiting in self._waiting if waiting[0]["id"] != message_id]

    def move_first(self, message_id: str) -> None:
        """Let a message be the next one."""
        first = [waiting for waiting in self._waiting if waiting[0]["id"] == message_id][:1]
        self._waiting = first + [waiting for waiting in self._waiting if waiting[0]["id"] != message_id]

    def take(self) -> tuple[Message, RequestOptions]:
        """The next message."""
        return self._waiting.pop(0)

    def clear(self) -> None:
        """Forget everything: the history that the messages were written after is being changed."""
        self._waiting.clear()
        self.deferred_approval = None
