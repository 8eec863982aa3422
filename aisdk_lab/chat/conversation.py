"""The list of messages, and where the responses under way stand in it.

Stage: chat, the part without a clock, a loop or a transport: chunks and answers go in, events come out. The rules for
pushing and replacing are those of `ai` 7.0.173 (spec §6.4, §6.7, §6.8). What a response has published is kept as the
reducer's snapshot and put together only when somebody reads it: a delta costs the same whatever came before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from aisdk_lab.chat.answers import Answer, changes_between
from aisdk_lab.chat.events import ChatEvent
from aisdk_lab.reducer import MESSAGE, Change, MessageReducer, Reset, Snapshot
from aisdk_lab.ui_stream.chunks import Chunk
from aisdk_lab.ui_stream.messages import Message, Part


class Response:
    """The message that a stream writes: its reducer, and what of it no event has shown yet."""

    def __init__(self, reducer: MessageReducer, replaces: str | None = None) -> None:
        self.reducer = reducer
        self.replaces = replaces
        """Id of an earlier assistant message that goes on: it is replaced even if the server renames it."""
        self._id: str = reducer.snapshot()["id"]
        self._held: list[Change] = []
        self._is_new_whole = False

    @property
    def message_id(self) -> str:
        """The id as the stream last said it."""
        return self._id

    def hold(self, changes: Iterable[Change]) -> None:
        """Keep changes until the next snapshot shows them (a `step-start` shows itself with the next part: spec §4.10)."""
        for change in changes:
            if change.part == MESSAGE and change.path == ():
                self._id, self._is_new_whole = change.value["id"], True
                self._held.clear()
            elif change.part == MESSAGE and change.path == ("id",):
                self._id = change.value
            self._held.append(change)

    def take(self) -> tuple[tuple[Change, ...], bool]:
        """The held changes, now shown, and whether they replace the whole message."""
        changes, is_whole = tuple(self._held), self._is_new_whole
        self._held.clear()
        self._is_new_whole = False
        return changes, is_whole

    def rejoin(self, reset: Reset) -> None:
        """Go on with the chunks of another stream: the response was cut off, and is resumed."""
        self.replaces = None
        self.reducer.rejoin(reset)


@dataclass(slots=True)
class _Entry:
    """One message of the list, as published."""

    id: str
    shown: Message | Snapshot
    owner: Response | None = None
    """The response whose changes lead on from `shown`: only those need not be told as a whole message."""

    @property
    def message(self) -> Message:
        if isinstance(self.shown, Snapshot):
            self.shown = self.shown.message
        return self.shown


class Conversation:
    """Messages, changed as a whole or by a response; tells what changed through `emit`."""

    def __init__(self, messages: Iterable[Message], emit: Callable[[ChatEvent], None]) -> None:
        self._entries = [_entry(message) for message in messages]
        self._emit = emit

    @property
    def messages(self) -> list[Message]:
        """A new list of the messages as published; the messages themselves are shared, read-only."""
        return [entry.message for entry in self._entries]

    @property
    def last(self) -> Message | None:
        """The last message, shared, read-only."""
        return self._entries[-1].message if self._entries else None

    def __len__(self) -> int:
        return len(self._entries)

    def __getitem__(self, index: int) -> Message:
        return self._entries[index].message

    def index_of(self, message_id: str | None) -> int | None:
        """Index of the first message with this id."""
        return next((i for i, entry in enumerate(self._entries) if entry.id == message_id), None)

    def _last_index(self, message_id: str | None) -> int | None:
        """Index of the last message with this id; looks from the end, where the response under way nearly always is."""
        for index in range(len(self._entries) - 1, -1, -1):
            if self._entries[index].id == message_id:
                return index
        return None

    # ── whole messages ─────────────────────────────────────────────────────────────────────────────────────────────

    def push(self, message: Message, shown: Message | Snapshot | None = None, owner: Response | None = None) -> None:
        """Add a message at the end."""
        self._entries.append(_Entry(message["id"], message if shown is None else shown, owner))
        self._emit(ChatEvent(kind="message", op="push", index=len(self._entries) - 1, message=message))

    def replace(
        self, index: int, message: Message, shown: Snapshot | None = None, owner: Response | None = None
    ) -> None:
        """Put another message in the place of one."""
        self._entries[index] = _Entry(message["id"], message if shown is None else shown, owner)
        self._emit(ChatEvent(kind="message", op="replace", index=index, message=message))

    def truncate(self, length: int) -> None:
        """Forget the messages from `length` on."""
        if length < len(self._entries):
            del self._entries[length:]
            self._emit(ChatEvent(kind="message", op="truncate", index=length))

    def become(self, messages: Sequence[Message]) -> None:
        """Turn into another history, telling only where it differs: a view keeps what stays."""
        for index, message in enumerate(messages[: len(self._entries)]):
            if message != self._entries[index].message:
                self.replace(index, message)
        self.truncate(len(messages))
        for message in messages[len(self._entries) :]:
            self.push(message)

    # ── responses ──────────────────────────────────────────────────────────────────────────────────────────────────

    def begin(self, message_id: str | None, new_id: str, *, strict: bool) -> Response:
        """A response that continues the message with this id, else the last one; a fresh one where that is no answer."""
        last = len(self._entries) - 1
        named = None if message_id is None else self.index_of(message_id)
        target = last if named is None else named
        if target < 0 or self[target]["role"] != "assistant":
            return self.begin_fresh(new_id, strict=strict)
        entry = self._entries[target]
        reducer = MessageReducer(entry.message, strict=strict, reset="never", message_id=new_id)
        entry.owner = Response(reducer, replaces=entry.id if target < last else None)
        return entry.owner

    def begin_fresh(self, new_id: str, *, strict: bool) -> Response:
        """A response that is a message of its own."""
        return Response(MessageReducer(None, strict=strict, reset="never", message_id=new_id))

    def begin_resumed(self, seed: int | None, new_id: str, reset: Reset, *, strict: bool) -> Response:
        """A response that was begun by another request: from the message `seed`, or from nothing."""
        message = None if seed is None else self[seed]
        response = Response(MessageReducer(message, strict=strict, reset=reset, message_id=new_id))
        if seed is not None:
            self._entries[seed].owner = response
        return response

    def feed(self, response: Response, chunk: Chunk) -> tuple[bool, bool]:
        """Give a response a chunk; returns whether it shows something, and whether that starts the streaming.

        Publishing is a second step (`publish`), because the status changes before the message does.
        """
        response.hold(response.reducer.feed(chunk))
        return response.reducer.visible, response.reducer.updates_status

    def publish(self, response: Response) -> None:
        """Show what a response holds: as changes where the view has the same message, else as a whole message.

        Its place is the last message with its id, else the earlier one that it continues, else the end of the list.
        """
        index = self._last_index(response.message_id)
        if index is None and response.replaces is not None:
            index = self._last_index(response.replaces)
        snapshot = response.reducer.snapshot()
        changes, is_whole = response.take()
        if index is None:
            self.push(snapshot.message, snapshot, response)
            return
        entry = self._entries[index]
        if is_whole or entry.owner is not response:
            self.replace(index, snapshot.message, snapshot, response)
        else:
            entry.id, entry.shown = response.message_id, snapshot
            self._emit(ChatEvent(kind="changes", index=index, changes=changes))

    # ── answers ────────────────────────────────────────────────────────────────────────────────────────────────────

    def answer(self, answer: Answer, active: Response | None) -> str | None:
        """Give the first message with a part that the answer is for its answer; returns the id that it has in the list.

        The response under way gets it too, listed or not. `None`: no listed message has such a part.
        """
        index = next((i for i, m in enumerate(self.messages) if any(map(answer.is_for, m["parts"]))), None)
        if index is not None:
            entry = self._entries[index]
            parts, changes = _answered(entry.message["parts"], answer)
            entry.shown = {**entry.message, "parts": parts}
            if entry.owner is not active:
                entry.owner = None
            self._emit(ChatEvent(kind="changes", index=index, changes=changes))
        if active is not None:
            for place, part in enumerate(active.reducer.message["parts"]):
                if answer.is_for(part):
                    active.reducer.put_part(place, answer.answered(part))
        return None if index is None else self._entries[index].id


def _entry(message: Message) -> _Entry:
    return _Entry(message["id"], message)


def _answered(parts: Sequence[Part], answer: Answer) -> tuple[list[Part], tuple[Change, ...]]:
    """The parts with their answer, and what changed."""
    new: list[Part] = []
    changes: list[Change] = []
    for index, part in enumerate(parts):
        new.append(answer.answered(part) if answer.is_for(part) else dict(part))
        if new[-1] != part:
            changes.extend(changes_between(index, part, new[-1]))
    return new, tuple(changes)
