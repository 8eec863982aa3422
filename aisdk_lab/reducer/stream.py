"""A whole stream of chunks to the states of its message.

Stage: reducer. Source: `readUIMessageStream` of `ai` 7.0.173 (spec §4.9).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import cast

from aisdk_lab.errors import LabError
from aisdk_lab.reducer.changes import UIMessageStreamError
from aisdk_lab.reducer.message_reducer import MessageReducer
from aisdk_lab.reducer.snapshot import Snapshot
from aisdk_lab.ui_stream.chunks import UNSET, Chunk
from aisdk_lab.ui_stream.javascript import js_text
from aisdk_lab.ui_stream.messages import Message


class ErrorChunk(LabError):
    """An `error` chunk came; its text is the chunk's `errorText`."""

    name = "Error"


def read_ui_message_stream(
    chunks: Iterable[Chunk],
    message: Message | None = None,
    strict: bool = False,
    *,
    on_error: Callable[[Exception], object] | None = None,
    terminate_on_error: bool = False,
) -> Iterator[Snapshot]:
    """The message after each chunk that shows something, as `readUIMessageStream` of `ai` 7.0.173 yields it.

    `on_error` gets an `ErrorChunk` for each `error` chunk, and in strict mode what `MessageReducer.feed` raises. In
    strict mode a chunk out of order ends the iteration, silently as in the reference. With `terminate_on_error` the
    first error of either kind is raised.
    """
    reducer = MessageReducer(message, strict=strict, reset="on_id_change")
    for chunk in chunks:
        problem: Exception | None = None
        try:
            reducer.feed(chunk)
            if isinstance(cast("object", chunk), dict) and chunk.get("type") == "error":
                text = chunk.get("errorText", UNSET)
                problem = ErrorChunk("" if text is UNSET else js_text(text))
        except (UIMessageStreamError, TypeError) as error:
            problem = error
        if problem is not None:
            if on_error is not None:
                on_error(problem)
            if terminate_on_error:
                raise problem
            if not isinstance(problem, ErrorChunk):
                return
        if reducer.visible:
            yield reducer.snapshot()
