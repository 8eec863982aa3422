"""JSON Lines (NDJSON) bytes to frames: one line, one frame.

Stage: wire. The same two verbs as the SSE decoder. Lines end in LF; a CR before it belongs to the line end. A last
line without LF is a whole frame: many writers leave it out, and whether it was cut off shows when it is parsed.
Blank lines and a BOM at the start belong to the frame that follows them, so that `raw` of all frames, joined, is the
body. `data` is the line without its end; nothing here looks at the JSON.

Source: jsonlines.org and the NDJSON specification 1.0.0 (LF ends a line, a parser may ignore blank ones).
"""

from __future__ import annotations

from aisdk_lab.wire.body import BodyDecoder
from aisdk_lab.wire.frame import Frame

_WHITE = b" \t\r\n"


class JsonLinesDecoder(BodyDecoder):
    """Bytes of JSON Lines to frames; the cuts between segments change nothing but `t_ns`."""

    __slots__ = ()

    def feed(self, data: bytes, t_ns: int | None = None) -> list[Frame]:
        """Take the next bytes and return the lines that became complete."""
        if not data:
            return []
        buffer = self._buffer
        buffer += data
        self._last_t_ns = t_ns
        if self._start and not self._settle_bom():
            return []
        frames: list[Frame] = []
        if 10 in data:
            lines = bytes(buffer).split(b"\n")
            tail = lines.pop()
            del buffer[: len(buffer) - len(tail)]
            for line in lines:
                self._finish_line(line + b"\n", t_ns, frames)
        if len(buffer) > self._limit:
            self._oversize = True
            whole = len(buffer) // self._limit * self._limit
            frames += self._pieces(bytes(buffer[:whole]), t_ns)
            del buffer[:whole]
        return frames

    def close(self, t_ns: int | None = None) -> list[Frame]:
        """Return the last line, if it had no LF, or the blank lines at the end.

        Feed nothing afterwards. `t_ns` counts only when the segments had no time.
        """
        when = self._closing_time(t_ns)
        frames: list[Frame] = []
        if self._buffer:
            self._finish_line(bytes(self._buffer), when, frames)
            self._buffer.clear()
        if self._lead:
            frames.append(self._frame(b"", when))
        return frames

    def _finish_line(self, line: bytes, t_ns: int | None, frames: list[Frame]) -> None:
        if self._oversize or len(line) > self._limit:
            frames += self._pieces(line, t_ns)
            self._oversize = False
        elif line.strip(_WHITE):
            text = line.removesuffix(b"\n").removesuffix(b"\r").decode("utf-8", "replace")
            frames.append(self._frame(line, t_ns, (None, text, None, None, None)))
        else:
            self._lead += line
            if len(self._lead) > self._limit:
                frames.append(self._frame(b"", t_ns))
