"""A case of tests/golden/reduce on a strict reducer: what `readUIMessageStream` of `ai` 7.0.173 reports for it."""

from __future__ import annotations

from typing import Any

from aisdk_lab.reducer import ErrorChunk, MessageReducer, UIMessageStreamError
from aisdk_lab.ui_stream.chunks import UNSET
from aisdk_lab.ui_stream.javascript import js_text
from aisdk_lab.ui_stream.validate import chunk_problems


def told(error: Exception) -> dict[str, Any]:
    """An error as the recorder writes it."""
    if isinstance(error, UIMessageStreamError):
        chunk_id = {} if error.chunk_id is UNSET else {"chunkId": error.chunk_id}
        return {"name": error.name, "message": str(error), "chunkType": error.chunk_type, **chunk_id}
    return {"name": "Error" if isinstance(error, ErrorChunk) else "TypeError", "message": str(error)}


def play(given: dict[str, Any]) -> dict[str, Any]:
    """The outcome of a case's `input`; snapshots are read when the stream is over."""
    reducer = MessageReducer(given.get("initialMessage"), strict=True)
    snapshots: list[tuple[int, Any]] = []
    errors: list[dict[str, Any]] = []
    thrown = ended_at = None
    for index, chunk in enumerate(given["chunks"]):
        problem: Exception | None = None
        if given.get("validated") and chunk_problems(chunk):
            errors.append({"after": index, "name": "AI_TypeValidationError"})
            ended_at = index
            break
        try:
            reducer.feed(chunk)
            if isinstance(chunk, dict) and chunk.get("type") == "error":
                text = chunk.get("errorText", UNSET)
                problem = ErrorChunk("" if text is UNSET else js_text(text))
        except (UIMessageStreamError, TypeError) as error:
            problem, ended_at = error, index
        if problem is not None:
            errors.append({"after": index, **told(problem)})
            if given.get("terminateOnError"):
                thrown = errors[-1]
                break
        if ended_at is not None:
            break
        if reducer.visible:
            snapshots.append((index, reducer.snapshot()))
    seen = [{"after": index, "message": snapshot} for index, snapshot in snapshots]
    return {
        "snapshots": seen,
        "final": reducer.message,
        "error": errors[0].get("message") if errors else None,
        "errors": errors,
        "thrown": thrown,
        "endedAt": ended_at,
    }
