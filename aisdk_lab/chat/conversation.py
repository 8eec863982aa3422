"""The list of messages, and where the response under way stands in it.

Stage: chat, the part without a clock, a loop or a transport: chunks and answers go in, events come out. The rules for
pushing and replacing are those of `ai` 7.0.173 (spec §6.4, §6.7, §6.8): the answer to a call is one more chunk for the
reducer, so that a response under way and a stored message change in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from aisdk_lab.chat.events import ChatEvent
from aisdk_lab.chat.transport import TransportRequest
from aisdk_lab.errors import DecisionError
from aisdk_lab.reducer import MESSAGE, Change, MessageReducer
from aisdk_lab.ui_stream.chunks import Chunk
from aisdk_lab.ui_stream.messages import Message, Part, is_tool_part


class Response:
    """A response under way: its reducer, and where its message stands in the list."""

    def __init__(
        self, request: TransportRequest, reducer: MessageReducer, seed: int | None, replaces: str | None
    ) -> None:
        self.request = request
        self.reducer = reducer
        self.seed = seed
        """Index of the message that goes on; `None` for a fresh one."""
        self.replaces = replaces
        """Id of an earlier assistant message that goes on: it is replaced even if the server renames it."""
        self.index: int | None = None
        """Where the message was published; `None` before the first snapshot."""
        self.is_stopped = False
        self.last_words: set[str] = set()
        """`finish` and `abort` as far as they came."""
        message = reducer.message
        self._id: str = message["id"]
        self._parts = self._shown_parts = len(message["parts"])
        self._held: list[Change] = []
        self._is_new_whole = False

    @property
    def message_id(self) -> str:
        """The id as the stream last said it."""
        return self._id

    @property
    def shown(self) -> Message:
        """The message as last published: a `step-start` shows itself with the next part only (spec §4.10)."""
        message = self.reducer.message
        return {**message, "parts": message["parts"][: self._shown_parts]}

    def hold(self, changes: Iterable[Change]) -> None:
        """Keep changes until the next snapshot shows them."""
        for change in changes:
            if change.part == MESSAGE and change.path == ():
                self._id, self._parts, self._is_new_whole = change.value["id"], 0, True
                self._held.clear()
            elif change.part == MESSAGE and change.path == ("id",):
                self._id = change.value
            elif change.path == ():
                self._parts += 1 if change.op == "add" else -1
            self._held.append(change)

    def take(self) -> tuple[tuple[Change, ...], bool]:
        """The held changes, now shown, and whether they replace the whole message."""
        changes, is_whole = tuple(self._held), self._is_new_whole
        self._held.clear()
        self._is_new_whole = False
        self._shown_parts = self._parts
        return changes, is_whole


class Conversation:
    """Messages and at most one response under way; tells what changed through `emit`."""

    def __init__(self, messages: Iterable[Message], emit: Callable[[ChatEvent], None]) -> None:
        self._messages = list(messages)
        self._emit = emit
        self.response: Response | None = None

    @property
    def messages(self) -> list[Message]:
        """A new list of the messages as published; the messages themselves are shared, read-only."""
        messages = list(self._messages)
        if self.response is not None and self.response.index is not None:
            messages[self.response.index] = self.response.shown
        return messages

    def __len__(self) -> int:
        return len(self._messages)

    def index_of(self, message_id: str | None) -> int | None:
        """Index of the first message with this id."""
        return next((i for i, message in enumerate(self.messages) if message["id"] == message_id), None)

    # ── whole messages ─────────────────────────────────────────────────────────────────────────────────────────────

    def push(self, message: Message) -> None:
        """Add a message at the end."""
        self._messages.append(message)
        self._emit(ChatEvent(kind="message", op="push", index=len(self._messages) - 1, message=message))

    def replace(self, index: int, message: Message) -> None:
        """Put another message in the place of one."""
        self._messages[index] = message
        self._emit(ChatEvent(kind="message", op="replace", index=index, message=message))

    def truncate(self, length: int) -> None:
        """Forget the messages from `length` on."""
        if length < len(self._messages):
            del self._messages[length:]
            self._emit(ChatEvent(kind="message", op="truncate", index=length))

    def become(self, messages: Sequence[Message]) -> None:
        """Turn into another history, telling only where it differs: a view keeps what stays."""
        for index, message in enumerate(messages[: len(self._messages)]):
            if message != self._messages[index]:
                self.replace(index, message)
        self.truncate(len(messages))
        for message in messages[len(self._messages) :]:
            self.push(message)

    # ── the response under way ─────────────────────────────────────────────────────────────────────────────────────

    def begin(self, request: TransportRequest, message_id: str, *, fresh: bool, strict: bool) -> Response:
        """Start a response: it continues the message that the request names (else the last one), or is `fresh`."""
        last = len(self._messages) - 1
        named = None if fresh or request.message_id is None else self.index_of(request.message_id)
        target = last if named is None else named
        seed = None if fresh or target < 0 or self._messages[target]["role"] != "assistant" else target
        replaces = self._messages[target]["id"] if seed is not None and target < last else None
        message = None if seed is None else self._messages[seed]
        reducer = MessageReducer(message, strict=strict, reset="never", message_id=message_id)
        self.response = Response(request, reducer, seed, replaces)
        return self.response

    def feed(self, chunk: Chunk) -> tuple[bool, bool]:
        """Give the response a chunk; returns whether it shows something, and whether that starts the streaming.

        Publishing is a second step (`publish`), because the status changes before the message does.
        """
        response = self._active()
        response.hold(response.reducer.feed(chunk))
        return response.reducer.visible, response.reducer.updates_status

    def publish(self) -> None:
        """Show what the response holds: as changes where the view has the same message, else as a whole message."""
        response = self._active()
        before = response.index if response.index is not None else response.seed
        changes, is_whole = response.take()
        index = self._place(response)
        if index is None:
            if response.index is not None:  # a second start named another message: the first one stays as it was
                old = self._messages[response.index]["id"]
                self._messages[response.index] = {**response.shown, "id": old}
            response.index = len(self._messages)
            self._messages.append(response.shown)
            self._emit(ChatEvent(kind="message", op="push", index=response.index, message=response.shown))
        elif index != before or is_whole:
            response.index = index
            self._emit(ChatEvent(kind="message", op="replace", index=index, message=response.shown))
        else:
            response.index = index
            self._emit(ChatEvent(kind="changes", index=index, changes=changes))

    def _place(self, response: Response) -> int | None:
        """Where the message belongs: the last one with its id, else the earlier one that goes on, else at the end."""
        if response.index is not None and self._messages[response.index]["id"] == response.message_id:
            return response.index
        ids = [message["id"] for message in self._messages]
        for wanted in (response.message_id, response.replaces):
            if wanted is not None and wanted in ids:
                index = len(ids) - 1 - ids[::-1].index(wanted)
                self._messages[index] = {**self._messages[index], "id": response.message_id}
                return index
        return None

    def end(self) -> Message:
        """Close the response; its message stays as it is, also when it was never listed."""
        response = self._active()
        if response.index is not None:
            self._messages[response.index] = response.shown
        self.response = None
        return response.reducer.message

    def _active(self) -> Response:
        if self.response is None:
            raise RuntimeError("no response is under way")
        return self.response

    # ── answers ────────────────────────────────────────────────────────────────────────────────────────────────────

    def answer_call(self, call_id: str, chunk: Chunk) -> str:
        """Give a tool call its output or error, in whatever state it is; returns the id of its message.

        Raises `DecisionError` when no message has such a call.
        """
        for index, message in enumerate(self.messages):
            if any(part["toolCallId"] == call_id for part in _tools(message)):
                return self._apply(index, message, chunk)
        raise DecisionError(
            f"no tool call {call_id!r} in this chat; waiting: {self.waiting_calls()!r}.", waiting=self.waiting_calls()
        )

    def answer_approval(self, approval_id: str, chunk: Chunk) -> str:
        """Answer an open approval request; returns the id of its message.

        Raises `DecisionError` when nothing asks for it (any more): each request is answered once.
        """
        for index, message in enumerate(self.messages):
            if any(approval_id == _open_approval(part) for part in _tools(message)):
                return self._apply(index, message, chunk)
        waiting = [found for message in self.messages for part in _tools(message) if (found := _open_approval(part))]
        raise DecisionError(
            f"no approval {approval_id!r} is open in this chat; open: {waiting!r}. Each request is answered once.",
            waiting=waiting,
        )

    def waiting_calls(self) -> list[str]:
        """Ids of calls without an output or a decision."""
        states = ("input-available", "approval-requested")
        return [part["toolCallId"] for message in self.messages for part in _tools(message) if part["state"] in states]

    def _apply(self, index: int, message: Message, chunk: Chunk) -> str:
        response = self.response
        if response is not None and index in (response.index, response.seed):
            response.hold(response.reducer.feed(chunk))
            self.publish()
            return response.message_id
        reducer = MessageReducer(message, reset="never")
        changes = reducer.feed(chunk)
        answered, dropped = _without_ungranted(reducer.message, chunk)
        self._messages[index] = answered
        self._emit(ChatEvent(kind="changes", index=index, changes=(*changes, *dropped)))
        return message["id"]


def _tools(message: Message) -> Sequence[Part]:
    return [part for part in message["parts"] if is_tool_part(part)] if message["role"] == "assistant" else []


def _open_approval(part: Part) -> str | None:
    return part["approval"]["id"] if part["state"] == "approval-requested" else None


def _without_ungranted(message: Message, chunk: Chunk) -> tuple[Message, list[Change]]:
    """An output keeps only an approval that was granted (spec §6.7)."""
    if not chunk["type"].startswith("tool-output-"):
        return message, []
    dropped: list[Change] = []
    parts: list[Part] = []
    for index, part in enumerate(message["parts"]):
        approval: Any = part.get("approval") if part.get("toolCallId") == chunk["toolCallId"] else None
        if approval and approval.get("approved") is not True:
            part = {key: value for key, value in part.items() if key != "approval"}
            dropped.append(Change(index, ("approval",), "remove"))
        parts.append(part)
    return {**message, "parts": parts}, dropped
