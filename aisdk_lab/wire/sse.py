"""SSE bytes to frames, and the few bytes that a server writes.

Stage: wire. Fed with segments cut anywhere; gives complete frames; keeps at most about `limit_bytes` of an unfinished
one. Lines end in LF, CR or CRLF and in nothing else (U+2028 is text), so a CR that is the last byte received leaves a
question open until the next byte: the frame comes out then.

What is a frame here: the bytes from the end of the block before up to and with the blank line that ends this block.
A BOM at the start of the body and blank lines between blocks belong to the frame that follows them, so that `raw` of
all frames, joined, is the body, whatever the cuts were.

`Frame.problem` is set on exactly the frames that the reference client never sees as an event: an unfinished tail, and
pieces of a block longer than the limit. Invalid UTF-8 becomes U+FFFD, as in a browser, and is no problem.

Source: WHATWG HTML, section 9.2.6 "Interpreting an event stream"; observed: eventsource-parser 3.1.1 as `ai` 7.0.173
uses it. Differences on purpose: comments, blocks without data and unfinished tails are kept, because a lab wants to
see them; `id` is that of the block alone, as eventsource-parser reports it.
"""

from __future__ import annotations

import re
from itertools import pairwise

from aisdk_lab.wire.body import BOM, LIMIT_BYTES, BodyDecoder, Fields
from aisdk_lab.wire.frame import DONE, UNFINISHED_CR, Frame, FrameRuns, Frames, PlainRun, text_of
from aisdk_lab.wire.json_text import mend_surrogates

DONE_FRAME = b"data: " + DONE.encode() + b"\n\n"
"""The last frame of a body that ended normally."""

UNFINISHED = "the body ended inside this block (no blank line): the reference client drops it"

_LINE_ENDS = b"\r\n"
# Two line ends. A CR counts as the second one only when the byte after it is known not to be LF.
_BLANK_LINE = re.compile(rb"(?:\r\n|\n|\r(?!\n))(?:\r\n|\n|\r(?=[^\n]))")
_LINE_END = re.compile(r"\r\n|\n|\r")
# Bytes after the limit that must be there before a piece is given out: no blank line can then reach back into it.
_SLACK_BYTES = 8
# A longer segment is taken in slices, and a slice with more than plain blocks in small ones, so that one comment among
# ten thousand blocks slows only its neighbours.
_SLICE_BYTES, _SMALL_SLICE_BYTES = 16 * 1024, 1024


class SseDecoder(BodyDecoder):
    """Bytes of an event stream to frames; the cuts between segments change nothing but `t_ns`.

    The cost is linear in the bytes, also for reads of one byte, because only new bytes are searched.
    """

    __slots__ = ("_has_cr", "_plain_bytes", "_searched")

    def __init__(self, limit_bytes: int = LIMIT_BYTES) -> None:
        super().__init__(limit_bytes)
        self._has_cr = False  # the buffer holds a CR
        self._searched = False  # the buffer holds no BOM that is open, nor a CR at its end: only line ends matter now
        # Above 0 when nothing waits but the begin of a block without a CR: the longest segment for the fast way.
        self._plain_bytes = 0

    def feed(self, data: bytes, t_ns: int | None = None) -> Frames:
        """Take the next bytes and return the frames that became complete.

        `t_ns` is when these bytes arrived; each frame carries the time of its own last byte. Frames of plain blocks are
        made when they are first looked at (`FrameBatch`); the bytes are read now.
        """
        if not 0 < len(data) <= self._plain_bytes or 13 in data:
            return self._feed_other(data, t_ns)
        buffer = self._buffer
        fresh = len(buffer)
        buffer += data
        # `10 in data` asks for a byte and costs 15 ns, `b"\\n" in data` 100 ns: it is most of a one-byte read.
        if 10 not in data:
            self._last_t_ns = t_ns
            return [] if len(buffer) <= self._limit + _SLACK_BYTES else self._shed(t_ns)
        end = buffer.rfind(b"\n\n", fresh - 1 if fresh else 0) + 2
        if end < 8 or end > self._limit:
            return self._cut(data, fresh, t_ns)
        whole = bytes(buffer)
        inner = whole[6 : end - 2]
        if whole[:6] != b"data: ":
            frames = None
        elif 10 not in inner:  # one frame, as nearly always while a model writes
            frames = PlainRun(1, inner, False, self._index, self._offset, t_ns)
        else:
            frames = PlainRun.of(inner, self._index, self._offset, t_ns)
        if frames is None:
            if len(data) <= _SMALL_SLICE_BYTES:
                return self._cut(data, fresh, t_ns)
            del buffer[fresh:]
            return self._feed_slices(data, _SMALL_SLICE_BYTES, t_ns)
        del buffer[:end]
        self._index += frames.count
        self._offset += end
        self._last_t_ns = t_ns
        return frames

    def _feed_other(self, data: bytes, t_ns: int | None) -> Frames:
        """Every segment that cannot go the fast way, and long ones, which may in slices."""
        if not data:
            return []
        if len(data) > (len(BOM) if self._start else _SLICE_BYTES):
            return self._feed_slices(data, _SLICE_BYTES, t_ns)
        buffer = self._buffer
        fresh = len(buffer)
        buffer += data
        if 10 not in data and 13 not in data and self._searched:
            self._last_t_ns = t_ns
            return [] if len(buffer) <= self._limit + _SLACK_BYTES else self._shed(t_ns)
        return self._cut(data, fresh, t_ns)

    def _feed_slices(self, data: bytes, size: int, t_ns: int | None) -> Frames:
        runs: list[PlainRun | list[Frame]] = []
        first = self._index
        # What may be a BOM is looked at by itself: the fast way is open when that is settled.
        cuts = [0, *range(len(BOM) if self._start else size, len(data), size), len(data)]
        for start, end in pairwise(cuts):
            frames = self.feed(data[start:end], t_ns)
            if isinstance(frames, PlainRun):
                runs.append(frames)
            elif frames:
                runs.append([*frames])
        return runs[0] if len(runs) == 1 else FrameRuns(self._index - first, runs)

    def _cut(self, data: bytes, fresh: int, t_ns: int | None) -> list[Frame]:
        """Cut frames of any kind from the buffer, which ends with `data`, from `fresh` on."""
        buffer = self._buffer
        before, self._last_t_ns = self._last_t_ns, t_ns
        if self._start and not self._settle_bom():
            return []
        self._has_cr = self._has_cr or 13 in data
        frames = self._cut_any(fresh, before, t_ns) if self._has_cr else self._cut_lf(fresh, t_ns)
        self._searched = data[-1] != 13
        if buffer and buffer[0] <= 13 and not self._oversize:
            self._move_blank_lines()
            if len(self._lead) > self._limit:
                frames += self._shed_lead(t_ns)
        if len(buffer) > self._limit + _SLACK_BYTES:
            frames += self._shed(t_ns)
        is_plain = self._searched and not (self._has_cr or self._lead or self._oversize)
        self._plain_bytes = min(_SLICE_BYTES, self._limit) if is_plain else 0
        return frames

    def close(self, t_ns: int | None = None) -> list[Frame]:
        """Return what is left: the unfinished tail, with a problem, or trailing blank lines, without one.

        Feed nothing afterwards. `t_ns` counts only when the segments had no time.
        """
        when = self._closing_time(t_ns)
        tail = bytes(self._buffer)
        self._buffer.clear()
        if not tail:
            return [self._frame(b"", when)] if self._lead else []
        if self._oversize or len(tail) > self._limit:
            return self._pieces(tail, when)
        lost_to_cr = tail.endswith(b"\r") and tail[-2:-1] in (b"\r", b"\n")
        return [self._frame(tail, when, _fields(tail), UNFINISHED_CR if lost_to_cr else UNFINISHED)]

    def _cut_lf(self, fresh: int, t_ns: int | None) -> list[Frame]:
        """No CR anywhere, so a block ends at two LF."""
        buffer = self._buffer
        if buffer.find(b"\n\n", fresh - 1 if fresh else 0) < 0:
            return []
        blocks = bytes(buffer).split(b"\n\n")
        tail = blocks.pop()
        del buffer[: len(buffer) - len(tail)]
        frames: list[Frame] = []
        for block in blocks:
            self._finish_block(block + b"\n\n", t_ns, frames)
        return frames

    def _cut_any(self, fresh: int, before_ns: int | None, t_ns: int | None) -> list[Frame]:
        """Cut where lines end in any way; a block that the bytes before already ended keeps their time."""
        buffer = self._buffer
        ends = [match.end() for match in _BLANK_LINE.finditer(buffer, max(fresh - 3, 0))]
        frames: list[Frame] = []
        begin = 0
        for end in ends:
            self._finish_block(bytes(buffer[begin:end]), before_ns if end <= fresh else t_ns, frames)
            begin = end
        del buffer[:begin]
        self._has_cr = 13 in buffer if ends else True
        return frames

    def _finish_block(self, raw: bytes, t_ns: int | None, frames: list[Frame]) -> None:
        block = raw
        if raw[0] <= 13 and not self._oversize:
            block = raw.lstrip(_LINE_ENDS)
            self._lead += raw[: len(raw) - len(block)]
            if len(self._lead) > self._limit:
                frames += self._shed_lead(t_ns)
        if not block:
            return
        if self._oversize or len(block) > self._limit:
            frames += self._pieces(block, t_ns)
            self._oversize = False
        else:
            frames.append(self._frame(block, t_ns, _fields(block)))

    def _move_blank_lines(self) -> None:
        """Blank lines in front of a block are lead at once, or a body of blank lines would be searched again and again."""
        buffer = self._buffer
        blank = len(buffer) - len(buffer.lstrip(_LINE_ENDS))
        self._lead += buffer[:blank]
        del buffer[:blank]
        self._searched = self._searched or not buffer  # what follows a lone CR in the lead decides nothing
        self._has_cr = 13 in buffer

    def _shed_lead(self, t_ns: int | None) -> list[Frame]:
        frames: list[Frame] = []
        while len(self._lead) > self._limit:
            rest = self._lead[self._limit :]
            del self._lead[self._limit :]
            frames.append(self._frame(b"", t_ns))
            self._lead += rest
        return frames

    def _shed(self, t_ns: int | None) -> list[Frame]:
        """Give out pieces of a block that is certainly longer than the limit."""
        self._oversize, self._plain_bytes = True, 0
        frames: list[Frame] = []
        while len(self._buffer) > self._limit + _SLACK_BYTES:
            piece = bytes(self._buffer[: self._limit])
            del self._buffer[: self._limit]
            frames += self._pieces(piece, t_ns)
        return frames


def _fields(block: bytes) -> Fields:
    """Read the lines of one block; unknown names, bad `retry` and an `id` with NUL are ignored, as browsers do."""
    text = text_of(block)
    inner = text.rstrip("\r\n")
    if "\r" in inner:
        lines = _LINE_END.split(inner)
    elif "\n" in inner:
        lines = inner.split("\n")
    elif inner[:6] == "data: ":
        return None, inner[6:], None, None, None
    else:
        lines = [inner]
    event: str | None = None
    identifier: str | None = None
    retry_ms: int | None = None
    data: list[str] = []
    comments: list[str] = []
    for line in lines:
        name, _, value = line.partition(":")
        value = value[1:] if value[:1] == " " else value
        if name == "data":
            data.append(value)
        elif name == "event":
            event = value or None
        elif name == "id":
            identifier = identifier if "\0" in value else value
        elif name == "retry":
            retry_ms = int(value) if value.isascii() and value.isdigit() and len(value) <= 18 else retry_ms
        elif line[:1] == ":":
            comments.append(value)
    return event, "\n".join(data) if data else None, identifier, retry_ms, "\n".join(comments) if comments else None


def encode_sse(data: str) -> bytes:
    r"""Write one event without a name: `data: …` and a blank line.

    JSON never holds a raw line end, so a chunk is always one line. Other text is written as one `data` line for each
    of its lines; a reader gets LF for every line end, because the format cannot carry CR. A lone surrogate half
    becomes U+FFFD.

    >>> encode_sse('{"type":"start"}')
    b'data: {"type":"start"}\n\n'
    """
    return _encode("data: ", data)


def encode_comment(text: str) -> bytes:
    r"""Write a comment, which every reader ignores: `: …` and a blank line.

    >>> encode_comment("keep-alive")
    b': keep-alive\n\n'
    """
    return _encode(": ", text)


def _encode(prefix: str, text: str) -> bytes:
    if "\n" in text or "\r" in text:
        text = ("\n" + prefix).join(_LINE_END.split(text))
    block = f"{prefix}{text}\n\n"
    try:
        return block.encode()
    except UnicodeEncodeError:
        return mend_surrogates(block).encode()
