"""What a UI message is, as tables: each part and each tool state with its keys, in the order of the reference.

Stage: ui_stream. Two judges read these tables: `validate_messages` (stops at the first bad part, as the reference does,
and gives the cleaned messages) and the request reader (lists every problem).
Source: `ai` 7.0.173 `validate-ui-messages.ts` with zod 4.6.7; spec §3.3 (which keys a tool part must and must not have
in which state), §8.2; recorded: tests/golden/validate_messages.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from aisdk_lab.ui_stream.grammar import DATA_PREFIX, INPUT_ENCODINGS
from aisdk_lab.ui_stream.messages import DYNAMIC_TOOL, TOOL_PREFIX
from aisdk_lab.ui_stream.shapes import (
    Optional,
    Rule,
    Shape,
    Union,
    Walk,
    anything,
    array_of,
    boolean,
    index,
    json_members,
    json_object,
    literal,
    never,
    one_of,
    provider_metadata,
    references,
    string,
)

ROLES: Final = ("system", "user", "assistant")

_TEXT, _FLAG, _ANY = Optional(string), Optional(boolean), Optional(anything)
_NEVER, _META = Optional(never), Optional(provider_metadata)
_STATE = Optional(one_of("streaming", "done"))
_FILE: Mapping[str, Rule | Optional] = {
    "mediaType": string,
    "filename": _TEXT,
    "url": string,
    "providerReference": Optional(references),
    "providerMetadata": _META,
}

_SOURCE: Mapping[str, Rule | Optional] = {"type": literal("source"), "sourceType": anything, "id": string}
_CITATION = Shape(
    {
        "source": Union(
            "sourceType",
            {
                "url": Shape({**_SOURCE, "url": string, "title": _TEXT, "providerMetadata": _META}),
                "document": Shape(
                    {**_SOURCE, "mediaType": string, "title": string, "filename": _TEXT, "providerMetadata": _META}
                ),
            },
        ),
        "startIndex": Optional(index),
        "endIndex": Optional(index),
        "citedText": _TEXT,
    }
)


def _citation(value: Any, walk: Walk) -> Any:
    """The metadata of the source comes first: where it is no JSON, nothing else is judged."""
    source = value.get("source") if isinstance(value, Mapping) else None
    if isinstance(source, Mapping) and "providerMetadata" in source:
        before = Walk(path=[*walk.path, "source", "providerMetadata"])
        json_members(source["providerMetadata"], before)
        if before.issues:
            walk.issues += before.issues
            return value
    return _CITATION(value, walk)


def _part(**keys: Rule | Optional) -> Shape:
    """`type` was judged when the shape was chosen."""
    return Shape({"type": anything, **keys})


_STEERING = Union(
    "type", {"text": _part(text=string, providerMetadata=_META), "file": Shape({"type": anything, **_FILE})}
)
PLAIN_PARTS: Final[Mapping[str, Shape]] = {
    "text": _part(text=string, citations=Optional(array_of(_citation)), state=_STATE, providerMetadata=_META),
    "reasoning": _part(id=_TEXT, text=string, state=_STATE, providerMetadata=_META),
    "custom": _part(kind=string, providerMetadata=_META),
    "source-url": _part(sourceId=string, url=string, title=_TEXT, providerMetadata=_META),
    "source-document": _part(sourceId=string, mediaType=string, title=string, filename=_TEXT, providerMetadata=_META),
    "file": Shape({"type": anything, **_FILE}),
    "reasoning-file": _part(mediaType=string, url=string, providerMetadata=_META),
    "steering-message": _part(id=string, parts=array_of(_STEERING)),
    "step-start": _part(),
}
"""The parts whose `type` is fixed."""

_DATA_PART = _part(id=_TEXT, data=anything)


def _approval(approved: Rule | Optional, reason: Optional) -> Shape:
    return Shape(
        {
            "id": string,
            "approved": approved,
            "descriptor": _ANY,
            "requestReason": _TEXT,
            "reason": reason,
            "isAutomatic": _FLAG,
            "signature": _TEXT,
            "inputSchemaInput": _ANY,
        }
    )


_REQUESTED = _approval(_NEVER, _NEVER)
_RESPONDED, _GRANTED, _DENIED = (_approval(rule, _TEXT) for rule in (boolean, literal(True), literal(False)))
_RAW_INPUT: Mapping[str, Rule | Optional] = {"rawInput": _TEXT, "inputEncoding": Optional(one_of(*INPUT_ENCODINGS))}

_STATES: Mapping[str, Mapping[str, Rule | Optional]] = {
    "input-streaming": {"input": _ANY, **_RAW_INPUT, "output": _NEVER, "errorText": _NEVER, "approval": _NEVER},
    "input-available": {"input": anything, "output": _NEVER, "errorText": _NEVER, "approval": _NEVER},
    "approval-requested": {"input": anything, "output": _NEVER, "errorText": _NEVER, "approval": _REQUESTED},
    "approval-responded": {"input": anything, "output": _NEVER, "errorText": _NEVER, "approval": _RESPONDED},
    "output-available": {
        "input": anything,
        "output": anything,
        "errorText": _NEVER,
        "resultProviderMetadata": _META,
        "preliminary": _FLAG,
        "approval": Optional(_GRANTED),
    },
    "output-error": {
        "input": _ANY,
        "rawInput": _ANY,
        "output": _NEVER,
        "errorText": string,
        "resultProviderMetadata": _META,
        "approval": Optional(_GRANTED),
    },
    "output-denied": {"input": anything, "output": _NEVER, "errorText": _NEVER, "approval": _DENIED},
}
"""What a tool part in this state must have, may have and must not have, after the keys that all states share."""

_CALL: Mapping[str, Rule | Optional] = {
    "toolCallId": string,
    "title": _TEXT,
    "toolMetadata": Optional(json_object),
    "state": anything,
}
_EXECUTED: Mapping[str, Rule | Optional] = {"providerExecuted": _FLAG}
_CALL_META: Mapping[str, Rule | Optional] = {"callProviderMetadata": _META}


def _tool_keys(state: str, is_dynamic: bool) -> Mapping[str, Rule | Optional]:
    """The keys of a tool part in the order in which the reference gives them back; it is not the same everywhere."""
    keys = dict(_STATES[state])
    head: dict[str, Rule | Optional] = {"type": anything}
    if is_dynamic:
        head |= {"dynamic": Optional(literal(False)), "toolName": string}
    if state == "input-streaming":
        rest = {key: keys.pop(key) for key in ("output", "errorText", "approval")}
        middle = {**keys, **_EXECUTED, **_CALL_META} if is_dynamic else {**_EXECUTED, **_CALL_META, **keys}
        return {**head, **_CALL, **middle, **rest}
    first = {key: keys.pop(key) for key in ("input", "rawInput") if key in keys}
    output = {key: keys.pop(key) for key in ("output", "errorText")}
    executed_first = not is_dynamic and state in (
        "input-available",
        "output-available",
        "output-error",
        "output-denied",
    )
    middle = {**_EXECUTED, **first} if executed_first else {**first, **_EXECUTED}
    return {**head, **_CALL, **middle, **output, **_CALL_META, **keys}


_STATIC_TOOL = Union("state", {state: Shape(_tool_keys(state, False)) for state in _STATES})
_DYNAMIC_TOOL = Union("state", {state: Shape(_tool_keys(state, True)) for state in _STATES})


def part_shapes() -> dict[str, Shape]:
    """Every part with its keys; families end in `*`, and a tool part has one shape for each state: `tool-*/input-available`."""
    tools = {f"{TOOL_PREFIX}*": False, DYNAMIC_TOOL: True}
    states = {
        f"{kind}/{state}": Shape(_tool_keys(state, is_dynamic))
        for kind, is_dynamic in tools.items()
        for state in _STATES
    }
    return {**PLAIN_PARTS, f"{DATA_PREFIX}*": _DATA_PART, **states}


_PLAIN_PART = Union(
    "type",
    PLAIN_PARTS,
    'Invalid UI message part type. Expected a known part type (for example "text" or "dynamic-tool") '
    'or a type starting with "data-" or "tool-".',
    f"a part type ({', '.join(PLAIN_PARTS)}, {TOOL_PREFIX}…, {DYNAMIC_TOOL} or {DATA_PREFIX}…)",
)


def part(value: Any, walk: Walk) -> Any:
    """A part, judged by the rules of its type alone."""
    kind: Any = value.get("type") if isinstance(value, Mapping) else None
    if isinstance(kind, str):
        if kind.startswith(DATA_PREFIX):
            return _DATA_PART(value, walk)
        if kind.startswith(TOOL_PREFIX):
            return _STATIC_TOOL(value, walk)
        if kind == DYNAMIC_TOOL:
            return _DYNAMIC_TOOL(value, walk)
    return _PLAIN_PART(value, walk)


_MESSAGE = Shape({"id": string, "role": one_of(*ROLES), "metadata": _ANY, "parts": array_of(part)})


def message(value: Any, walk: Walk) -> Any:
    """A message. Only an assistant's may be without parts."""
    count = len(walk.issues)
    cleaned = _MESSAGE(value, walk)
    if len(walk.issues) == count and not cleaned["parts"] and cleaned["role"] != "assistant":
        walk.report("Message must contain at least one part", "at least one part", cleaned["parts"], "parts")
    return cleaned


def messages(value: Any, walk: Walk) -> Any:
    """A list of messages; an empty one is none."""
    cleaned = array_of(message)(value, walk)
    if not walk.issues and not cleaned:
        walk.report("Messages array must not be empty", "at least one message", value)
    return cleaned
