"""What a chunk did to a message, and what it could not do.

Stage: reducer, the words that everybody else reads.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from aisdk_lab.errors import LabError

Path = tuple[str | int, ...]
ChangeOp = Literal["add", "append", "set", "remove"]
MESSAGE = -1
"""`Change.part` of a change to the message itself."""


class Change(msgspec.Struct, frozen=True, gc=False):
    """One thing that a chunk did to a message.

    `part` is the index in `parts`, or `MESSAGE`. `add` with an empty path pushes the part `value`; `append` lengthens
    the string at `path`; `set` assigns and `remove` deletes what is at `path`. A `set` of the message with an empty
    path replaces it whole (after a reset). Values are shared with the message: read them, never change them.
    """

    part: int
    path: Path
    op: ChangeOp
    value: Any = None  # any JSON value


class UIMessageStreamError(LabError):
    """What strict raises where `ai` 7.0.173 throws its error of this name: a chunk out of order."""

    def __init__(self, chunk_type: str, chunk_id: Any, message: str) -> None:
        super().__init__(message)
        self.name = "AI_UIMessageStreamError"
        self.chunk_type = chunk_type
        self.chunk_id = chunk_id
        """The id as it stood in the chunk: a string, unless the chunk was malformed; `UNSET` when it had none."""
