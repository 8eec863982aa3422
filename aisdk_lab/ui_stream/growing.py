"""Values that grow by deltas: text in pieces, and the unfinished input of a tool call.

Stage: ui_stream, below the reducer. A delta costs its own length only; the whole value is put together when somebody
asks for it.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from aisdk_lab.ui_stream.chunks import UNSET, Unset
from aisdk_lab.ui_stream.partial_json import PartialJsonParser


def join_surrogates(text: str) -> str:
    """Join surrogate pairs that are two code points, as text that was cut inside a pair has them."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return text


class GrowingText:
    """Text that arrives in deltas; `index` is the part that shows it."""

    def __init__(self, index: int = -1) -> None:
        self.index = index
        self.half = ""  # a high surrogate at the end of a delta waits for its other half
        self._pieces: list[str] = []

    def feed(self, delta: str) -> str:
        """The text that may be shown now: surrogate halves that arrived in two deltas are joined."""
        text = self.half + delta
        self.half = ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            self.half, text = text[-1], text[:-1]
        text = join_surrogates(text)
        if text:
            self._pieces.append(text)
        return text

    def join(self) -> str:
        """All of it, a waiting half included."""
        self._pieces = ["".join(self._pieces)]
        return self._pieces[0] + self.half


class GrowingInput:
    """The input of a tool call that is being written (an entry of the reference's `partialToolCalls`)."""

    def __init__(self, fields: Mapping[str, Any], name: str, dynamic: bool) -> None:
        self.name = name
        self.dynamic = dynamic
        self.encoding: str | Unset = fields.get("inputEncoding", UNSET)
        self.labels = {key: fields[key] for key in ("title", "toolMetadata") if fields.get(key) is not None}
        self.raw = GrowingText()
        self.parser = PartialJsonParser()

    @property
    def is_text(self) -> bool:
        """True when the input is plain text and not JSON (`inputEncoding: "text"`)."""
        return self.encoding == "text"

    def value(self) -> Any:
        """A copy of the value so far; `UNSET` while the text cannot be repaired. The original goes on changing."""
        return self.raw.join() if self.is_text else copy.deepcopy(self.parser.value)
