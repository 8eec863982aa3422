"""The input of a tool call that is being written.

Stage: reducer. An entry of the reference's `partialToolCalls`: the raw text as it came, and the value that it shows.
The newest value is the incremental parser's own tree; an older one is read again from the raw pieces of its moment,
which gives the same by the parser's guarantee. Reading older ones in order goes on where the last reading stopped.
"""

from __future__ import annotations

from typing import Any

from aisdk_lab.reducer.changes import Change
from aisdk_lab.ui_stream.growing import GrowingText
from aisdk_lab.ui_stream.partial_json import PartialJsonParser

RAW = ("rawInput",)
INPUT = ("input",)
NOWHERE = -1


class PartialCall:
    """One call: what its start said, and the deltas so far."""

    def __init__(self, name: Any, dynamic: bool, encoding: Any, labels: dict[str, Any]) -> None:
        self.name = name
        self.dynamic = dynamic
        self.encoding = encoding
        self.is_text = encoding == "text"
        """The input is plain text and not JSON."""
        self.labels = labels
        """`title` and `toolMetadata`, which every delta writes again."""
        self.raw = GrowingText()
        self.parser = PartialJsonParser(INPUT)
        self.index = NOWHERE
        """The part that it writes into."""
        self.step = NOWHERE
        """Where the part's step begins; a delta in another step does not write into this part."""
        self._replay = PartialJsonParser()
        self._replayed = 0

    @property
    def last_version(self) -> int:
        """The version of the latest delta."""
        return self.raw.versions[-1]

    def take(self, delta: str, version: int) -> str:
        """Take a delta before there is a part to write into; returns what a view may append to the raw text."""
        shown = self.raw.add(delta, version)
        if not self.is_text:
            self.parser.feed(delta)
        return shown

    def grow(self, delta: str, version: int) -> tuple[Change, ...]:
        """Take a delta and write it into the part: the input as path operations, never as text to be parsed again."""
        index, shown = self.index, self.raw.add(delta, version)
        if not self.is_text:
            changes = [Change(index, op.path, op.op, op.value) for op in self.parser.feed(delta)]
            return (Change(index, RAW, "append", shown), *changes) if shown else tuple(changes)
        return (Change(index, RAW, "append", shown), Change(index, INPUT, "append", shown)) if shown else ()

    def live_value(self) -> Any:  # any JSON value, or UNSET
        """The input now; what a container holds goes on changing with the next delta."""
        return self.raw.text() if self.is_text else self.parser.value

    def count_at(self, version: int | None) -> int:
        """How many deltas had come at a version (`None`: now)."""
        return self.raw.count_at(version)

    def values_at(self, count: int) -> dict[str, Any]:
        """`input` and `rawInput` after so many deltas; later ones do not change them."""
        raw = self.raw.text_at(count)
        if self.is_text:
            return {"input": raw, "rawInput": raw}
        return {
            "input": self.parser.snapshot() if count == len(self.raw.pieces) else self._value_at(count),
            "rawInput": raw,
        }

    def _value_at(self, count: int) -> Any:
        if count < self._replayed:
            self._replay, self._replayed = PartialJsonParser(), 0
        for piece in self.raw.pieces[self._replayed : count]:
            self._replay.feed(piece)
        self._replayed = count
        return self._replay.snapshot()

    def settle(self) -> list[Change]:
        """Write into no part any more; half a character that waited is told of now."""
        index, half = self.index, self.raw.half
        self.index = self.step = NOWHERE
        self.raw.half = ""
        if not half:
            return []
        changes = [Change(index, RAW, "append", half)]
        return [*changes, Change(index, INPUT, "append", half)] if self.is_text else changes
