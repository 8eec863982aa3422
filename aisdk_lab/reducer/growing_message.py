"""A message that grows, with its past: every change goes through here, is told, and can be looked back at.

Stage: reducer. Each part is a record: the versions of its dict, and what is still being written into it. A version is
the number of chunks fed so far; a snapshot remembers one. Nothing that a snapshot may have seen is changed: a part is
replaced by its next version, and only where no snapshot was taken since does the new dict take the old one's place.

Dicts in records hold `UNSET` where the reference has a key with the value undefined, because a key that is given a
value later keeps its old place; readers get copies without them.

Cost: a delta to a text is one append in `GrowingText` and does not come by here; a snapshot costs nothing; reading one
costs the number of parts and the length of the unfinished ones.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Any, Protocol

from aisdk_lab.reducer.changes import MESSAGE, Change
from aisdk_lab.ui_stream.chunks import UNSET
from aisdk_lab.ui_stream.messages import Message, Part

_ALIVE = 1 << 62


class Growth(Protocol):
    """What is still being written into a part."""

    @property
    def last_version(self) -> int:
        """The version of its latest delta."""
        ...

    def count_at(self, version: int | None) -> int:
        """How many deltas had come at a version (`None`: now)."""
        ...

    def values_at(self, count: int) -> dict[str, Any]:
        """The keys that it writes and their values after so many deltas; later ones do not change them."""
        ...

    def settle(self) -> list[Change]:
        """Stop writing into the part; what a view was not told yet."""
        ...


class Entry:
    """A part as it was from one version on."""

    __slots__ = ("_shown", "_shown_count", "growth", "part", "since")

    def __init__(self, since: int, part: Part, growth: Growth | None) -> None:
        self.since = since
        self.part = part
        self.growth = growth
        self._shown: Part | None = None  # what readers got last, after so many deltas
        self._shown_count = 0

    def plain(self, version: int | None) -> Part:
        """The part for readers, without undefined keys; the same dict while nothing was written into it."""
        growth = self.growth
        count = 0 if growth is None else growth.count_at(version)
        if self._shown is None or count != self._shown_count:
            part = self.part if growth is None else self.part | growth.values_at(count)
            self._shown = {key: value for key, value in part.items() if value is not UNSET}
            self._shown_count = count
        return self._shown


class Record:
    """One part through time."""

    __slots__ = ("born", "died", "entries")

    def __init__(self, entry: Entry) -> None:
        self.born = entry.since
        self.died = _ALIVE
        self.entries = [entry]

    def at(self, version: int) -> Entry:
        """The entry that a version saw."""
        last = self.entries[-1]
        if last.since <= version:
            return last
        return self.entries[bisect_right(self.entries, version, key=lambda entry: entry.since) - 1]

    def store(self, entry: Entry, seen: int) -> None:
        """Go on with another entry; one that no snapshot has seen is forgotten."""
        last = self.entries[-1]
        if last.since > seen:
            entry.since = last.since
            self.entries[-1] = entry
        else:
            self.entries.append(entry)


class GrowingMessage:
    """Parts and head of one message, now and at every version that a snapshot remembers."""

    def __init__(self, head: Message, parts: list[Part], version: int) -> None:
        self.version = version
        """Of the chunk that is being handled; set by whoever feeds."""
        self.changes: list[Change] = []
        """What was changed, until somebody takes it."""
        self.seen = -1
        """The version of the latest snapshot."""
        self.hot: Growth | None = None
        """What grew last: it may have grown since the last look at `touched` and at what readers were shown."""
        # `parts` has its place among the keys here, and its value comes when the message is read.
        self._head = Record(Entry(version, {"parts": None, **head} if "parts" not in head else head, None))
        self._records = [Record(Entry(version, part, None)) for part in parts]
        self._places = [[record] for record in self._records]  # all that a snapshot may have seen at each index
        self._was_cut = False  # parts that a snapshot has seen were taken away
        self._shown: list[Any] = [None] * len(parts)  # what `message` gave out; replaced, never changed
        self._stale = set(range(len(parts)))
        self._touched = version  # of the latest change that did not come through `hot`
        self._read: tuple[int, Message] | None = None  # the snapshot that was read last

    def __len__(self) -> int:
        return len(self._records)

    # ── changing ───────────────────────────────────────────────────────────────────────────────────────────────────

    def part(self, index: int) -> Part:
        """The raw dict of a part, to look at; keys that are still being written hold placeholders."""
        return self._records[index].entries[-1].part

    def push(self, part: Part, growth: Growth | None = None) -> int:
        """Add a part at the end; returns its index."""
        index = len(self._records)
        entry = Entry(self.version, part, growth)
        record = Record(entry)
        self._records.append(record)
        if index == len(self._places):
            self._places.append([])
        self._places[index].append(record)
        self._shown.append(None)
        self._touch(index)
        # A copy without what is undefined: `part` itself goes on changing places.
        self.changes.append(Change(index, (), "add", {key: item for key, item in part.items() if item is not UNSET}))
        return index

    def edit(self, index: int) -> Part:
        """A copy of a part to be changed and given to `put`; what was being written into it is written for good."""
        record = self._records[index]
        entry = record.entries[-1]
        if entry.growth is not None:
            part = entry.part | entry.growth.values_at(entry.growth.count_at(None))
            self.changes.extend(entry.growth.settle())
            record.store(Entry(self.version, part, None), self.seen)
            self._touch(index)
            return dict(part)
        return dict(entry.part)

    def put(self, index: int, part: Part, growth: Growth | None = None) -> None:
        """Give a part its next version and tell what differs; `growth` is what goes on being written into it."""
        record = self._records[index]
        old = record.entries[-1].part
        record.store(Entry(self.version, part, growth), self.seen)
        self._tell(index, old, part)
        self._touch(index)

    def set_head(self, values: Message) -> None:
        """Assign keys of the message itself."""
        old = self._head.entries[-1].part
        head = old | values
        self._head.store(Entry(self.version, head, None), self.seen)
        self._touched, self.hot = self.version, None
        self._tell(MESSAGE, old, head)

    def truncate(self, length: int) -> None:
        """Take away the parts from `length` on, the last one first."""
        for index in range(len(self._records) - 1, length - 1, -1):
            self.changes.append(Change(index, (), "remove"))
            record = self._records[index]
            record.died = self.version
            if record.born > self.seen:
                self._places[index].pop()
            else:
                self._was_cut = True
            self._stale.discard(index)
        del self._records[length:], self._shown[length:]
        self._touched, self.hot = self.version, None

    def heat(self, index: int, growth: Growth, version: int) -> None:
        """What grows from this version on; whoever grows calls it when it is not `hot`."""
        self.version = version
        self._touch(index)
        self.hot = growth

    def _touch(self, index: int) -> None:
        self._stale.add(index)
        self._touched, self.hot = self.version, None

    def _tell(self, part: int, old: Part, new: Part) -> None:
        for key, value in new.items():
            before = old.get(key, UNSET)
            if value is before or (type(value) is str and value == before):
                continue
            if value is UNSET:
                self.changes.append(Change(part, (key,), "remove"))
            else:
                self.changes.append(Change(part, (key,), "set", value))
        for key, value in old.items():
            if key not in new and value is not UNSET:
                self.changes.append(Change(part, (key,), "remove"))

    # ── reading ────────────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def head(self) -> Message:
        """The message's own keys, raw; `parts` is a placeholder."""
        return self._head.entries[-1].part

    def message(self) -> Message:
        """The message now, as plain dicts; parts that did not change since the last reading are the same dicts."""
        if self.hot is not None:
            self._touched = self.hot.last_version
            self.hot = None
        for index in self._stale:
            self._shown[index] = self._records[index].entries[-1].plain(None)
        self._stale.clear()
        return self._with_parts(self.head, list(self._shown))

    def message_at(self, version: int) -> Message:
        """The message as a version saw it."""
        if self._read is not None and self._read[0] == version:
            message = self._read[1]
            return {**message, "parts": list(message["parts"])}
        changed_at = self._touched if self.hot is None else self.hot.last_version
        if version >= changed_at:
            message = self.message()
        else:
            parts = [record.at(version).plain(version) for record in self._records_at(version)]
            message = self._with_parts(self._head.at(version).part, parts)
        self._read = version, message
        return {**message, "parts": list(message["parts"])}

    def _records_at(self, version: int) -> list[Record]:
        """The parts that a version saw."""
        if not self._was_cut:
            return self._records[: bisect_right(self._records, version, key=lambda record: record.born)]
        found: list[Record] = []
        for records in self._places:
            born = bisect_right(records, version, key=lambda record: record.born)
            if not born or records[born - 1].died <= version:
                break  # only the end of a message is ever taken away, so nothing was behind a gap
            found.append(records[born - 1])
        return found

    @staticmethod
    def _with_parts(head: Message, parts: list[Part]) -> Message:
        message = {key: value for key, value in head.items() if value is not UNSET}
        message["parts"] = parts
        return message
