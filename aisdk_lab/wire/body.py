"""Where a decoder stands in a body: what every frame decoder keeps, and how it numbers frames and bytes.

Stage: wire. The decoders for SSE and for JSON Lines differ in where a frame ends; both must give out every byte exactly
once, in order, with its offset, and both must stay within a limit when a frame does not end.
"""

from __future__ import annotations

from aisdk_lab.wire.frame import Frame

LIMIT_BYTES = 16 * 1024 * 1024
"""A frame longer than this is given out in pieces of this size, each with a problem."""

BOM = b"\xef\xbb\xbf"

Fields = tuple[str | None, str | None, str | None, int | None, str | None]
"""`event, data, id, retry_ms, comment` of a frame."""

NO_FIELDS: Fields = (None, None, None, None, None)


class BodyDecoder:
    """The bytes that wait, and the place of the next frame."""

    __slots__ = ("_buffer", "_index", "_last_t_ns", "_lead", "_limit", "_offset", "_oversize", "_start")

    def __init__(self, limit_bytes: int = LIMIT_BYTES) -> None:
        if limit_bytes < 1:
            raise ValueError(f"limit_bytes must be at least 1, got {limit_bytes!r}")
        self._limit = limit_bytes
        self._buffer = bytearray()  # the unfinished frame, from its first significant byte on
        self._lead = bytearray()  # BOM and blank lines before it
        self._index = 0
        self._offset = 0  # of the first byte of `_lead`, or of `_buffer` when there is no lead
        self._start = True  # the first bytes of the body may still be a BOM
        self._oversize = False  # pieces of the unfinished frame were given out already
        self._last_t_ns: int | None = None

    def _settle_bom(self) -> bool:
        """Move a BOM to the lead; False while the first bytes could still become one."""
        buffer = self._buffer
        if len(buffer) < len(BOM) and BOM.startswith(buffer):
            return False
        self._start = False
        if buffer.startswith(BOM):
            self._lead += BOM
            del buffer[: len(BOM)]
        return True

    def _frame(self, block: bytes, t_ns: int | None, fields: Fields = NO_FIELDS, problem: str | None = None) -> Frame:
        """Make the next frame of the lead and these bytes."""
        raw = block
        if self._lead:
            raw = bytes(self._lead) + block
            self._lead.clear()
        frame = Frame(self._index, self._offset, raw, t_ns, *fields, problem)
        self._index += 1
        self._offset += len(raw)
        return frame

    def _pieces(self, block: bytes, t_ns: int | None) -> list[Frame]:
        """Give out a frame that is too long, in pieces cut at multiples of the limit."""
        problem = f"longer than {self._limit} bytes and not decoded; this is a piece of it"
        starts = range(0, len(block), self._limit)
        return [self._frame(block[start : start + self._limit], t_ns, problem=problem) for start in starts]

    def _closing_time(self, t_ns: int | None) -> int | None:
        """When the last byte came; the time of closing only where the segments had none."""
        return t_ns if self._last_t_ns is None else self._last_t_ns
