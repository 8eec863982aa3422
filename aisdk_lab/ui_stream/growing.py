"""Text that arrives in deltas, readable as it was after any of them.

Stage: ui_stream, below the reducer. A delta costs one append; text is put together when somebody asks for it. Nothing
is ever taken away, so whoever remembers a version (the number of a chunk) finds the text of that moment again.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

from aisdk_lab.wire.json_text import join_surrogates


class GrowingText:
    """Deltas and the versions at which they came."""

    __slots__ = ("_ends", "_offsets", "_whole", "_whole_count", "half", "has_halves", "pieces", "versions")

    def __init__(self, text: str = "", version: int = 0) -> None:
        self.pieces: list[str] = []
        self.versions: list[int] = []
        """The version of each piece, ascending."""
        self.half = ""
        """A high surrogate at the end: a view is told of it together with its other half."""
        self.has_halves = False
        """Some delta held a surrogate, so the pieces need joining as JavaScript joins them."""
        self._whole = ""  # the first `_whole_count` pieces joined
        self._whole_count = 0
        self._offsets: list[int] | None = None  # where each piece ends, once an older version was read
        self._ends: list[tuple[int, str]] = []  # with halves: where each piece ends, and the half after that
        if text:
            self.add(text, version)

    def add(self, delta: str, version: int) -> str:
        """Take a delta; return what a view may append now (halves that arrived in two deltas are joined)."""
        self.pieces.append(delta)
        self.versions.append(version)
        if delta.isascii() and not self.half:
            return delta
        try:
            (self.half + delta).encode()
        except UnicodeEncodeError:
            if not self.has_halves:
                self.has_halves, self._whole = True, ""
            return self._shown_of(self.half + delta)
        return delta

    def _shown_of(self, text: str) -> str:
        self.half = ""
        if "\ud800" <= text[-1] <= "\udbff":
            self.half, text = text[-1], text[:-1]
        return join_surrogates(text)

    def count_at(self, version: int | None) -> int:
        """How many pieces had come at a version (`None`: now)."""
        versions = self.versions
        if version is None or not versions or versions[-1] <= version:
            return len(versions)
        return bisect_right(versions, version)

    def text_at(self, count: int) -> str:
        """The first `count` pieces, a waiting half included."""
        if self.has_halves:
            return self._joined_at(count)
        if count > self._whole_count:
            self._whole += "".join(self.pieces[self._whole_count : count])
            self._whole_count = count
        if count == self._whole_count:
            return self._whole
        if self._offsets is None or len(self._offsets) < self._whole_count:
            self._offsets = list(accumulate(map(len, self.pieces[: self._whole_count])))
        return self._whole[: self._offsets[count - 1]] if count else ""

    def _joined_at(self, count: int) -> str:
        """The same, where halves of characters have to be joined; each piece is joined once."""
        ends = self._ends
        if count > len(ends):
            length, half = ends[-1] if ends else (0, "")
            grown: list[str] = []
            for piece in self.pieces[len(ends) : count]:
                text = join_surrogates(half + piece)
                half = text[-1] if text and "\ud800" <= text[-1] <= "\udbff" else ""
                grown.append(text.removesuffix(half))
                length += len(grown[-1])
                ends.append((length, half))
            self._whole += "".join(grown)
        length, half = ends[count - 1] if count else (0, "")
        return self._whole[:length] + half

    def text(self) -> str:
        """All of it."""
        return self.text_at(len(self.pieces))
