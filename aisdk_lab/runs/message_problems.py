"""Are these UI messages? Every problem with its path, as `validateUIMessages` of `ai` 7.0.173 judges.

Stage: runs, on the way down: a body that came from outside. Unlike the reference, which stops at the first bad part,
all problems are listed. Unknown keys are no problem and are kept.
Source: spec §3.3 (which keys a tool part must and must not have in which state), §8.2; recorded: tests/golden/requests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from aisdk_lab.ui_stream.grammar import DATA_PREFIX, TOOL_STATES
from aisdk_lab.ui_stream.messages import DYNAMIC_TOOL, TOOL_PREFIX

ROLES = ("system", "user", "assistant")

Check = Callable[[Any, str], Iterator[str]]
"""Gets a value and its path, gives its problems."""


def shown(value: object) -> str:
    """How a problem names a value: short, and with the value itself where it is small."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "an array"
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "…"


def expected(what: str, value: object, path: str) -> str:
    """The sentence of a problem.

    >>> expected("a string", 3, "$.messages[0].parts[1].text")
    'expected a string, got 3  @ $.messages[0].parts[1].text'
    """
    return f"expected {what}, got {shown(value)}  @ {path}"


def missing(what: str, path: str) -> str:
    """The sentence for a key that is not there."""
    return f"expected {what}, got nothing  @ {path}"


def is_string(value: Any, path: str) -> Iterator[str]:
    """A string."""
    if not isinstance(value, str):
        yield expected("a string", value, path)


def is_boolean(value: Any, path: str) -> Iterator[str]:
    """A boolean."""
    if not isinstance(value, bool):
        yield expected("a boolean", value, path)


def _is_object(value: Any, path: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield expected("an object", value, path)


def _is_array(value: Any, path: str) -> Iterator[str]:
    if not isinstance(value, list):
        yield expected("an array", value, path)


def _is_any(_value: Any, _path: str) -> Iterator[str]:
    return iter(())


def _is_one_of(*words: object) -> Check:
    def check(value: Any, path: str) -> Iterator[str]:
        if not any(value is word or (isinstance(value, str) and value == word) for word in words):
            yield expected("one of " + ", ".join(str(shown(word)) for word in words), value, path)

    return check


def keys(
    value: Mapping[str, Any],
    path: str,
    required: Mapping[str, Check],
    optional: Mapping[str, Check] | None = None,
    forbidden: tuple[str, ...] = (),
) -> Iterator[str]:
    """The problems of an object's keys: required ones that are missing, wrong values, keys that must be absent."""
    for key, check in required.items():
        if key not in value:
            yield missing(_WANTED.get(check, "a value"), f"{path}.{key}")
        else:
            yield from check(value[key], f"{path}.{key}")
    for key, check in (optional or {}).items():
        if key in value:
            yield from check(value[key], f"{path}.{key}")
    for key in forbidden:
        if key in value:
            yield f"expected no key {key!r} here, got {shown(value[key])}  @ {path}.{key}"


_WANTED: dict[Check, str] = {
    is_string: "a string",
    is_boolean: "a boolean",
    _is_object: "an object",
    _is_array: "an array",
}
_STATE = _is_one_of("streaming", "done")
_META = {"providerMetadata": _is_object}

_PLAIN_PARTS: dict[str, tuple[dict[str, Check], dict[str, Check]]] = {
    "text": ({"text": is_string}, {"state": _STATE, **_META}),
    "reasoning": ({"text": is_string}, {"id": is_string, "state": _STATE, **_META}),
    "file": ({"mediaType": is_string, "url": is_string}, {"filename": is_string, **_META}),
    "reasoning-file": ({"mediaType": is_string, "url": is_string}, _META),
    "source-url": ({"sourceId": is_string, "url": is_string}, {"title": is_string, **_META}),
    "source-document": (
        {"sourceId": is_string, "mediaType": is_string, "title": is_string},
        {"filename": is_string, **_META},
    ),
    "custom": ({"kind": is_string}, _META),
    "steering-message": ({"id": is_string, "parts": _is_array}, {}),
    "step-start": ({}, {}),
}


def _approval(approved: tuple[bool, ...], is_open: bool = False) -> Check:
    """The approval of a tool part: `approved` lists what its field may be; an open one must not have it."""

    def check(value: Any, path: str) -> Iterator[str]:
        if not isinstance(value, dict):
            yield expected("an object", value, path)
            return
        required: dict[str, Check] = {"id": is_string}
        if not is_open:
            required["approved"] = _is_one_of(*approved)
        optional = {"requestReason": is_string} if is_open else {"requestReason": is_string, "reason": is_string}
        yield from keys(value, path, required, optional, ("approved", "reason") if is_open else ())

    return check


_Rule = tuple[dict[str, Check], dict[str, Check], tuple[str, ...]]
_ERROR, _OUTPUT, _APPROVAL = "errorText", "output", "approval"
_TOOL_RULES: dict[str, _Rule] = {
    "input-streaming": ({}, {}, (_OUTPUT, _ERROR, _APPROVAL)),
    "input-available": ({"input": _is_any}, {}, (_OUTPUT, _ERROR, _APPROVAL)),
    "approval-requested": ({"input": _is_any, _APPROVAL: _approval((), is_open=True)}, {}, (_OUTPUT, _ERROR)),
    "approval-responded": ({"input": _is_any, _APPROVAL: _approval((True, False))}, {}, (_OUTPUT, _ERROR)),
    "output-available": (
        {"input": _is_any, _OUTPUT: _is_any},
        {_APPROVAL: _approval((True,)), "preliminary": is_boolean},
        (_ERROR,),
    ),
    "output-error": ({_ERROR: is_string}, {_APPROVAL: _approval((True,))}, (_OUTPUT,)),
    "output-denied": ({"input": _is_any, _APPROVAL: _approval((False,))}, {}, (_OUTPUT, _ERROR)),
}
"""State of a tool part: what it must have, what it may have, what it must not have."""


def _tool_problems(part: Mapping[str, Any], path: str) -> Iterator[str]:
    required: dict[str, Check] = {"toolCallId": is_string, "state": _is_one_of(*TOOL_STATES)}
    if part["type"] == DYNAMIC_TOOL:
        required["toolName"] = is_string
    yield from keys(part, path, required, {"providerExecuted": is_boolean, "title": is_string})
    if part.get("state") in TOOL_STATES:
        yield from keys(part, path, *_TOOL_RULES[part["state"]])


def part_problems(part: Any, path: str) -> Iterator[str]:
    """The problems of one part."""
    if not isinstance(part, dict):
        yield expected("an object", part, path)
        return
    kind = part.get("type")
    if not isinstance(kind, str):
        yield missing("a string", f"{path}.type") if "type" not in part else expected("a string", kind, f"{path}.type")
    elif kind == DYNAMIC_TOOL or kind.startswith(TOOL_PREFIX):
        yield from _tool_problems(part, path)
    elif kind.startswith(DATA_PREFIX):
        yield from keys(part, path, {"data": _is_any}, {"id": is_string})
    elif kind in _PLAIN_PARTS:
        yield from keys(part, path, *_PLAIN_PARTS[kind])
    else:
        known = f"{', '.join(_PLAIN_PARTS)}, {TOOL_PREFIX}…, {DYNAMIC_TOOL} or {DATA_PREFIX}…"
        yield expected(f"a part type ({known})", kind, f"{path}.type")


def message_problems(message: Any, path: str) -> Iterator[str]:
    """The problems of one message."""
    if not isinstance(message, dict):
        yield expected("an object", message, path)
        return
    yield from keys(message, path, {"id": is_string, "role": _is_one_of(*ROLES), "parts": _is_array})
    parts = message.get("parts")
    if not isinstance(parts, list):
        return
    if not parts and message.get("role") in ("user", "system"):
        yield f"a {message['role']} message must have at least one part  @ {path}.parts"
    for index, part in enumerate(parts):
        yield from part_problems(part, f"{path}.parts[{index}]")


def messages_problems(messages: Any, path: str = "$.messages") -> list[str]:
    """The problems of a list of messages; an empty list is one."""
    if not isinstance(messages, list):
        return [expected("an array", messages, path)]
    if not messages:
        return [f"expected at least one message, got an empty array  @ {path}"]
    return [
        problem for index, message in enumerate(messages) for problem in message_problems(message, f"{path}[{index}]")
    ]
