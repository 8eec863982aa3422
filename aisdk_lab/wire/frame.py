"""A frame: one SSE block or one line of JSON, with exact bytes, place and arrival time.

Stage: wire. Decoders make frames out of segments; nothing here knows what a chunk is.
"""

from __future__ import annotations

import msgspec

DONE = "[DONE]"
"""The sentinel that ends an SSE body. It is not JSON, and it ends nothing in the reference client (spec §1.4)."""


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
        """True for the sentinel `[DONE]`; false for one whose block has no end, which the reference client drops."""
        return self.data == DONE and self.problem is None
