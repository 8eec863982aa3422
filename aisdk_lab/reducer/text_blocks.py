"""Blocks of text and of reasoning, from start to end.

Stage: reducer. The two families are alike but for two keys: a reasoning part keeps the id of its block, and only the
end of a text brings citations. Their ids are apart: a text and a reasoning may share one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

from aisdk_lab.reducer.changes import Change, UIMessageStreamError
from aisdk_lab.reducer.growing_message import GrowingMessage
from aisdk_lab.ui_stream.chunks import UNSET, Chunk
from aisdk_lab.ui_stream.growing import GrowingText
from aisdk_lab.ui_stream.javascript import js_text
from aisdk_lab.ui_stream.messages import Part
from aisdk_lab.ui_stream.parts import given, is_nullish

TEXT = ("text",)


class TextBlock(GrowingText):
    """A block that is open, and the part that shows it."""

    __slots__ = ("index",)

    def __init__(self, index: int) -> None:
        super().__init__()
        self.index = index

    def grow(self, delta: str, version: int) -> tuple[Change, ...]:
        """Take a delta; what a view may append."""
        shown = self.add(delta, version)
        return (Change(self.index, TEXT, "append", shown),) if shown else ()

    @property
    def last_version(self) -> int:
        """The version of the latest delta."""
        return self.versions[-1]

    def values_at(self, count: int) -> dict[str, Any]:
        """`text` after so many deltas."""
        return {"text": self.text_at(count)}

    def settle(self) -> list[Change]:
        """Half a character that waited is told of now."""
        half, self.half = self.half, ""
        return [Change(self.index, TEXT, "append", half)] if half else []


class TextBlocks:
    """The blocks of one family in one message."""

    def __init__(self, message: GrowingMessage, family: Literal["text", "reasoning"]) -> None:
        self._message = message
        self._family = family
        self.open: dict[str, TextBlock] = {}
        self.handlers: Mapping[str, Callable[[Chunk], None]] = {
            f"{family}-start": self.start,
            f"{family}-delta": self._on_delta,
            f"{family}-end": self._on_end,
        }

    def start(self, chunk: Chunk) -> None:
        """Open a block; one of the same id that is open stays as it is, for ever."""
        part: Part = {"type": self._family}
        if self._family == "reasoning":
            part["id"] = given(chunk, "id")
        part |= {"text": "", "providerMetadata": given(chunk, "providerMetadata"), "state": "streaming"}
        name = js_text(chunk.get("id", UNSET))
        old = self.open.get(name)
        if old is not None:
            self._message.changes.extend(old.settle())
        block = TextBlock(len(self._message))
        self._message.push(part, block)
        self.open[name] = block

    def clear(self) -> None:
        """Forget which blocks are open; their parts stay as they are."""
        for block in self.open.values():
            self._message.changes.extend(block.settle())
        self.open.clear()

    def _find(self, chunk: Chunk) -> tuple[str, TextBlock]:
        kind, family, block_id = chunk["type"], self._family, chunk.get("id", UNSET)
        name = js_text(block_id)
        block = self.open.get(name)
        if block is None:
            raise UIMessageStreamError(
                kind,
                block_id,
                f'Received {kind} for missing {family} part with ID "{name}". '
                f'Ensure a "{family}-start" chunk is sent before any "{kind}" chunks.',
            )
        return name, block

    def _on_delta(self, chunk: Chunk) -> None:
        """The deltas that `MessageReducer.feed` has no short way for: empty, with metadata, malformed."""
        message, (_, block) = self._message, self._find(chunk)
        delta = js_text(chunk.get("delta", UNSET))
        if delta:
            message.heat(block.index, block, message.version)
            message.changes.extend(block.grow(delta, message.version))
        if not is_nullish(chunk.get("providerMetadata")):
            part = dict(message.part(block.index))
            part["providerMetadata"] = given(chunk, "providerMetadata")
            message.put(block.index, part, block)

    def _on_end(self, chunk: Chunk) -> None:
        name, block = self._find(chunk)
        del self.open[name]
        part = self._message.edit(block.index)
        part["state"] = "done"
        keys = ("citations", "providerMetadata") if self._family == "text" else ("providerMetadata",)
        for key in keys:
            if not is_nullish(chunk.get(key)):
                part[key] = given(chunk, key)
        self._message.put(block.index, part)
