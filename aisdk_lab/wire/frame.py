"""A frame: one SSE block or one line of JSON, with exact bytes, place and arrival time.

Stage: wire. Decoders make frames out of segments; nothing here knows what a chunk is.

Nearly every server writes nothing but blocks of one `data: ` line. Such a run of blocks is kept as it came, in one piece
(`PlainRun`), and becomes `Frame` objects only when somebody looks at them: making them costs more than reading the JSON
of all of them at once, which is what `ui_stream.validate.read_chunks` does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, repeat
from typing import TypeAlias, overload

import msgspec

DONE = "[DONE]"
"""The sentinel that ends an SSE body. It is not JSON, and it ends nothing in the reference client (spec §1.4)."""

UNFINISHED_CR = (
    "the body ended with a CR that may be half of a CRLF: eventsource-parser 3.1.1 still waits and drops this event"
)
"""`Frame.problem` of a last block that is whole by WHATWG and that the reference client never sees."""


class Frame(msgspec.Struct, frozen=True, gc=False):
    """One frame of a body.

    Comments, `[DONE]` and unfinished tails are frames too: a lab wants to see them.
    """

    index: int
    """Place among the frames of the body, from 0."""
    offset: int
    """Byte offset of the first byte of `raw` in the body."""
    raw: bytes
    """The exact bytes, with the blank line that ended the block."""
    t_ns: int | None = None
    """Monotonic arrival of the last byte, nanoseconds since the request; `None` where no clock was kept."""
    event: str | None = None
    data: str | None = None
    """The joined `data` lines; `None` when the block has none (a comment)."""
    id: str | None = None
    retry_ms: int | None = None
    comment: str | None = None
    """Comment lines joined by LF, without the colon and one space."""
    problem: str | None = None
    """What is wrong with the bytes, in words; remote bytes never raise."""

    @property
    def is_done(self) -> bool:
        """True for the sentinel `[DONE]`; false for one whose block has no end."""
        return self.data == DONE and self.problem in (None, UNFINISHED_CR)


_BEFORE, _AFTER = b"data: ", b"\n\n"
# What stands between two plain blocks, what is put in its place, and whether it shows the braces of JSON objects. The
# longer one comes first: it is found faster, and nobody has to count the braces later.
_BOUNDARIES = ((b"}\n\ndata: {", b"}\n{", True), (b"\n\ndata: ", b"\n", False))


class FrameBatch(msgspec.Struct, gc=False, eq=False):
    """Frames that are made when they are first looked at: the answer to one `feed`.

    It equals every list of the same frames, and `frames += batch` extends a list. (`frames + batch` does not work: Python
    would take it for `+=` too, and copy all frames before.)
    """

    # A struct, because one is made for each read, and this is four times as quick as a class of ours.
    count: int

    def frames(self) -> list[Frame]:
        """The frames, made now unless they were before."""
        raise NotImplementedError

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[Frame]:
        return iter(self.frames())

    @overload
    def __getitem__(self, place: int) -> Frame: ...
    @overload
    def __getitem__(self, place: slice) -> list[Frame]: ...
    def __getitem__(self, place: int | slice) -> Frame | list[Frame]:
        return self.frames()[place]

    def __eq__(self, other: object) -> bool:
        return self.frames() == list(other) if isinstance(other, (list, FrameBatch)) else NotImplemented

    __hash__ = None  # pyright: ignore[reportAssignmentType]  # as a list: it equals what can change

    def __repr__(self) -> str:
        return repr(self.frames())


class PlainRun(FrameBatch, gc=False, eq=False):
    """Blocks of one `data: ` line each, that end in LF LF and came in one segment."""

    lines: bytes
    """The data of the blocks, joined by LF; no data holds an LF or a CR."""
    has_braces: bool
    """True when there are several lines and each begins with `{` and ends with `}`; false says nothing."""
    index: int
    """Of the first frame."""
    offset: int
    """Of the first frame, in the body."""
    t_ns: int | None
    _made: list[Frame] | None = None

    @classmethod
    def of(cls, inner: bytes, index: int, offset: int, t_ns: int | None) -> PlainRun | None:
        """Take several blocks, less the first `data: ` and the last LF LF; `None` when they are anything but plain.

        The caller knows that there is no CR.
        """
        for boundary, line_end, has_braces in _BOUNDARIES:
            lines = inner.replace(boundary, line_end)
            line_ends = lines.count(b"\n")
            # Each replacement took seven bytes away and left one LF: if there are others, they were no such boundary.
            if len(inner) - len(lines) == 7 * line_ends:
                has_braces = has_braces and lines[0] == 123 and lines[-1] == 125
                return cls(line_ends + 1, lines, has_braces, index, offset, t_ns)
        return None

    def frames(self) -> list[Frame]:
        """The frames, made now unless they were before."""
        if self._made is None:
            # Invalid UTF-8 becomes U+FFFD, as in a browser.
            raws = [_BEFORE + line + _AFTER for line in self.lines.split(b"\n")]
            places = range(self.index, self.index + self.count)
            offsets = accumulate(map(len, raws), initial=self.offset)
            texts = text_of(self.lines).split("\n")
            self._made = list(map(Frame, places, offsets, raws, repeat(self.t_ns), repeat(None), texts))
        return self._made


class FrameRuns(FrameBatch, gc=False, eq=False):
    """The answer to a long segment, which was taken in slices."""

    runs: list[PlainRun | list[Frame]]
    """The frames in order: runs that are still bytes, and lists of frames that have something to them."""
    _made: list[Frame] | None = None

    def frames(self) -> list[Frame]:
        """The frames, made now unless they were before."""
        if self._made is None:
            self._made = [frame for run in self.runs for frame in run]
        return self._made


Frames: TypeAlias = Sequence[Frame] | FrameBatch
"""Several frames in their order."""


def text_of(data: bytes) -> str:
    """Decode as a browser does: what is no UTF-8 becomes U+FFFD."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace")
