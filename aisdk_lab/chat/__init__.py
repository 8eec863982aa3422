"""Chat: the Python twin of the SDK's chat client, and the role of a transport."""

from aisdk_lab.chat.client import Chat
from aisdk_lab.chat.events import ChatError, ChatEvent, ChatStatus, EndState, InvalidArgument, Outcome, ToolCall
from aisdk_lab.chat.transport import Receipt, RequestOptions, Transport, TransportRequest, Trigger

__all__ = [
    "Chat",
    "ChatError",
    "ChatEvent",
    "ChatStatus",
    "EndState",
    "InvalidArgument",
    "Outcome",
    "Receipt",
    "RequestOptions",
    "ToolCall",
    "Transport",
    "TransportRequest",
    "Trigger",
]
