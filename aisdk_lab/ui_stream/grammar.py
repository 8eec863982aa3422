"""The vocabulary of the UI Message Stream as tables; no second place knows chunk names.

Stage: ui_stream. The validator, the writer, the reducer's helpers, the linter, the documentation and the state-machine
widget read these tables. A new chunk type is a row here; the red tests that follow show what else it needs.
Source: `ai` 7.0.173, zod 4.6.7 (specification of chunks: fields; tool states and what moves them); the `since` columns
from the published packages themselves (recorded: tests/golden/versions). Lines 5.0 and 6.0 are still released and take
over much of 7.0, so a name has one first version a line.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple, get_args

FieldKind = Literal[
    "string",
    "boolean",
    "any",
    "provider-metadata",
    "json-object",
    "finish-reason",
    "citations",
    "steering-parts",
    "input-encoding",
]
Scope = Literal["message", "step", "text", "reasoning", "tool", "part", "data"]
Act = Literal["opens", "feeds", "closes", "adds", "marks"]

FINISH_REASONS = ("stop", "length", "content-filter", "tool-calls", "error", "interrupted", "other")
INPUT_ENCODINGS = ("json", "text")
DATA_PREFIX = "data-"


Since = tuple[str, ...]
"""The first version of each line of `ai` that knows something. A line that is not named has it from its `.0` on when an
earlier line is named, else never: `("5.0.92",)` holds in all of 6.0, `("6.0.308", "7.0.142")` not in 7.0.141."""
ALWAYS: Since = ("5.0.0",)


class Field(NamedTuple):
    """One field of a chunk, and since when a client knows it (`versions` reads that)."""

    kind: FieldKind
    required: bool = False
    since: Since = ALWAYS


class ChunkRule(NamedTuple):
    """One chunk type: its fields in the order in which the reference server writes them, and what it does to what."""

    fields: Mapping[str, Field]
    act: Act
    scope: Scope
    since: Since = ALWAYS


_STRING, _TEXT = Field("string"), Field("string", required=True)
_BOOLEAN, _METADATA = Field("boolean"), Field("provider-metadata")
_TOOL_METADATA = Field("json-object", since=("6.0.176",))
_TITLE = Field("string", since=("6.0.0",))
_RESULT_METADATA = Field("provider-metadata", since=("6.0.120",))
_ANY, _ANY_KEY = Field("any"), Field("any", required=True)


def _tool(**fields: Field) -> dict[str, Field]:
    return {"toolCallId": _TEXT, **fields}


CHUNKS: Mapping[str, ChunkRule] = {
    "start": ChunkRule({"messageMetadata": _ANY, "messageId": _STRING}, "opens", "message"),
    "finish": ChunkRule(
        {"finishReason": Field("finish-reason", since=("5.0.92",)), "messageMetadata": _ANY}, "closes", "message"
    ),
    "abort": ChunkRule({"reason": Field("string", since=("6.0.15",))}, "closes", "message"),
    "error": ChunkRule({"errorText": _TEXT}, "marks", "message"),
    "message-metadata": ChunkRule({"messageMetadata": _ANY_KEY}, "marks", "message"),
    "start-step": ChunkRule({}, "opens", "step"),
    "finish-step": ChunkRule({}, "closes", "step"),
    "reset-step": ChunkRule({}, "marks", "step", since=("7.0.70",)),
    "text-start": ChunkRule({"id": _TEXT, "providerMetadata": _METADATA}, "opens", "text"),
    "text-delta": ChunkRule({"id": _TEXT, "delta": _TEXT, "providerMetadata": _METADATA}, "feeds", "text"),
    "text-end": ChunkRule(
        {"id": _TEXT, "citations": Field("citations", since=("7.0.138",)), "providerMetadata": _METADATA},
        "closes",
        "text",
    ),
    "reasoning-start": ChunkRule({"id": _TEXT, "providerMetadata": _METADATA}, "opens", "reasoning"),
    "reasoning-delta": ChunkRule({"id": _TEXT, "delta": _TEXT, "providerMetadata": _METADATA}, "feeds", "reasoning"),
    "reasoning-end": ChunkRule({"id": _TEXT, "providerMetadata": _METADATA}, "closes", "reasoning"),
    "reasoning-file": ChunkRule(
        {"mediaType": _TEXT, "url": _TEXT, "providerMetadata": _METADATA}, "adds", "part", since=("7.0.0",)
    ),
    "file": ChunkRule({"mediaType": _TEXT, "url": _TEXT, "providerMetadata": _METADATA}, "adds", "part"),
    "custom": ChunkRule({"kind": _TEXT, "providerMetadata": _METADATA}, "adds", "part", since=("7.0.0",)),
    "source-url": ChunkRule(
        {"sourceId": _TEXT, "url": _TEXT, "title": _STRING, "providerMetadata": _METADATA}, "adds", "part"
    ),
    "source-document": ChunkRule(
        {
            "sourceId": _TEXT,
            "mediaType": _TEXT,
            "title": _TEXT,
            "filename": _STRING,
            "providerMetadata": _METADATA,
        },
        "adds",
        "part",
    ),
    "steering-message": ChunkRule(
        {"id": _TEXT, "parts": Field("steering-parts", required=True)}, "adds", "part", since=("7.0.163",)
    ),
    "tool-input-start": ChunkRule(
        _tool(
            toolName=_TEXT,
            inputEncoding=Field("input-encoding", since=("6.0.308", "7.0.142")),
            providerExecuted=_BOOLEAN,
            providerMetadata=Field("provider-metadata", since=("6.0.39",)),
            toolMetadata=_TOOL_METADATA,
            dynamic=_BOOLEAN,
            title=_TITLE,
        ),
        "opens",
        "tool",
    ),
    "tool-input-delta": ChunkRule(_tool(inputTextDelta=_TEXT), "feeds", "tool"),
    "tool-input-available": ChunkRule(
        _tool(
            toolName=_TEXT,
            input=_ANY_KEY,
            providerExecuted=_BOOLEAN,
            providerMetadata=_METADATA,
            toolMetadata=_TOOL_METADATA,
            dynamic=_BOOLEAN,
            title=_TITLE,
        ),
        "feeds",
        "tool",
    ),
    "tool-input-error": ChunkRule(
        _tool(
            toolName=_TEXT,
            input=_ANY_KEY,
            providerExecuted=_BOOLEAN,
            providerMetadata=_METADATA,
            toolMetadata=_TOOL_METADATA,
            dynamic=_BOOLEAN,
            errorText=_TEXT,
            title=_TITLE,
        ),
        "closes",
        "tool",
        since=("5.0.7",),
    ),
    "tool-approval-request": ChunkRule(
        {
            "approvalId": _TEXT,
            "toolCallId": _TEXT,
            "approvalDescriptor": Field("any", since=("6.0.274", "7.0.87")),
            "inputSchemaInput": Field("any", since=("6.0.290", "7.0.113")),
            "reason": Field("string", since=("7.0.82",)),
            "isAutomatic": Field("boolean", since=("7.0.0",)),
            "signature": Field("string", since=("6.0.202",)),
        },
        "feeds",
        "tool",
        since=("6.0.0",),
    ),
    "tool-approval-response": ChunkRule(
        {
            "approvalId": _TEXT,
            "approved": Field("boolean", required=True),
            "reason": _STRING,
            "providerExecuted": _BOOLEAN,
            "providerMetadata": _METADATA,
        },
        "feeds",
        "tool",
        since=("7.0.0",),
    ),
    "tool-output-available": ChunkRule(
        _tool(
            output=_ANY_KEY,
            providerExecuted=_BOOLEAN,
            providerMetadata=_RESULT_METADATA,
            toolMetadata=_TOOL_METADATA,
            preliminary=Field("boolean", since=("5.0.11",)),
            dynamic=_BOOLEAN,
        ),
        "closes",
        "tool",
    ),
    "tool-output-error": ChunkRule(
        _tool(
            errorText=_TEXT,
            providerExecuted=_BOOLEAN,
            providerMetadata=_RESULT_METADATA,
            toolMetadata=_TOOL_METADATA,
            dynamic=_BOOLEAN,
        ),
        "closes",
        "tool",
    ),
    "tool-output-denied": ChunkRule(_tool(), "closes", "tool", since=("6.0.0",)),
}
"""Every fixed chunk type. The open family `data-<name>` is `DATA_CHUNK`."""

DATA_CHUNK = ChunkRule({"id": _STRING, "data": _ANY_KEY, "transient": _BOOLEAN}, "adds", "data")

ToolState = Literal[
    "input-streaming",
    "input-available",
    "approval-requested",
    "approval-responded",
    "output-available",
    "output-error",
    "output-denied",
]
TOOL_STATES: tuple[ToolState, ...] = get_args(ToolState)
"""Every value of a tool part's `state`, in the order of a call's life; the names below are its only other spelling."""
INPUT_STREAMING: Final = "input-streaming"
INPUT_AVAILABLE: Final = "input-available"
APPROVAL_REQUESTED: Final = "approval-requested"
APPROVAL_RESPONDED: Final = "approval-responded"
OUTPUT_AVAILABLE: Final = "output-available"
OUTPUT_ERROR: Final = "output-error"
OUTPUT_DENIED: Final = "output-denied"
TERMINAL_TOOL_STATES: tuple[ToolState, ...] = (OUTPUT_AVAILABLE, OUTPUT_ERROR, OUTPUT_DENIED)

TOOL_TRANSITIONS: Mapping[str, ToolState] = {
    "tool-input-start": "input-streaming",
    "tool-input-delta": "input-streaming",
    "tool-input-available": "input-available",
    "tool-input-error": "output-error",
    "tool-approval-request": "approval-requested",
    "tool-approval-response": "approval-responded",
    "tool-output-available": "output-available",
    "tool-output-error": "output-error",
    "tool-output-denied": "output-denied",
}
"""The state that a tool part has after a chunk of that type."""

LEGAL_TOOL_CHUNKS: Mapping[str | None, tuple[str, ...]] = {
    None: ("tool-input-start", "tool-input-available", "tool-input-error"),
    "input-streaming": ("tool-input-delta", "tool-input-available", "tool-input-error"),
    "input-available": (
        "tool-approval-request",
        "tool-output-available",
        "tool-output-error",
    ),
    "approval-requested": (
        "tool-approval-response",
        "tool-output-denied",
        "tool-output-available",
        "tool-output-error",
    ),
    "approval-responded": ("tool-output-denied", "tool-output-available", "tool-output-error"),
    "output-available": ("tool-output-available", "tool-output-error"),
    "output-error": (),
    "output-denied": (),
}
"""The chunks that a well-behaved producer may send for a call in that state (`None`: a call not yet seen).

`output-available` is left only while the output is preliminary. `approval-requested` is left by an output directly when
the user's answer travelled in a request body, as it does in `useChat`.
"""


def chunk_rule(chunk_type: str) -> ChunkRule | None:
    """The row for a chunk type, the family `data-*` included; `None` for a type that `ai` 7.0.173 does not know."""
    rule = CHUNKS.get(chunk_type)
    if rule is None and chunk_type.startswith(DATA_PREFIX):
        return DATA_CHUNK
    return rule
