"""The chunk as a Python value: a plain dict, so that unknown fields and types survive.

Stage: ui_stream. A chunk that was read is never turned into a class: the vocabulary moves monthly and a lab must keep
what it saw. What we say ourselves goes through `writer.ChunkWriter`.
"""

from __future__ import annotations

from enum import Enum
from typing import Any, Final

Chunk = dict[str, Any]
"""`{"type": …, …}`: one object of the stream; fields as `grammar.CHUNKS` lists them, and whatever else came."""


class Unset(Enum):
    """The type of `UNSET`: JavaScript's *absent*, which is not `None` (JSON's `null`)."""

    # An enum of one, because copying keeps its identity and type checkers narrow on it.
    UNSET = "absent"

    def __repr__(self) -> str:
        return "UNSET"


UNSET: Final = Unset.UNSET
"""Marks a value that is absent, where `None` is a value (spec §0.3)."""
