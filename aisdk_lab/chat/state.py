"""What a chat tells about itself: status, error, the last outcome; and whom it tells.

Stage: chat. Only changed on the lab's loop.
"""

from __future__ import annotations

import copy
import logging
from collections.abc import Callable, Iterable

from aisdk_lab.chat.conversation import Conversation
from aisdk_lab.chat.events import ChatError, ChatEvent, ChatStatus, Outcome
from aisdk_lab.ui_stream.messages import Message

LOG = logging.getLogger("aisdk_lab.chat")

Subscriber = Callable[[ChatEvent], None]


class ChatState:
    """The observable side of one chat."""

    def __init__(self, chat_id: str, messages: Iterable[Message]) -> None:
        self.id = chat_id
        self.subscribers: tuple[Subscriber, ...] = ()
        self.conversation = Conversation(copy.deepcopy(list(messages)), self.emit)
        self.status: ChatStatus = "ready"
        self.error: ChatError | None = None
        self.outcome: Outcome | None = None

    def emit(self, event: ChatEvent) -> None:
        """Tell every subscriber; one that fails must not end the conversation."""
        for subscriber in self.subscribers:
            try:
                subscriber(event)
            except Exception:
                LOG.exception("a subscriber of chat %r failed at %r", self.id, event.kind)

    def set_status(self, status: ChatStatus, error: ChatError | None = None) -> None:
        """Take a status with its error, and tell it if anything is new."""
        if (status, error) != (self.status, self.error):
            self.status, self.error = status, error
            self.emit(ChatEvent(kind="status", status=status, error=error))

    def fail(self, error: ChatError) -> None:
        """Tell an error and take it as the status."""
        self.emit(ChatEvent(kind="error", error=error))
        self.set_status("error", error)
