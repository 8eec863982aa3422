"""The problems of a request's messages, all of them, in the words of a request: `expected …, got …  @ $.messages[0]`.

Stage: runs, on the way down: a body that came from outside. The rules are those of `ui_stream.message_rules`, so the
verdict is that of `validate_messages`; it stops at the first bad part, here all problems are listed. The other functions
word the problems of the rest of a body.
Source: spec §8.2; recorded: tests/golden/validate_messages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from aisdk_lab.ui_stream.chunks import UNSET
from aisdk_lab.ui_stream.message_rules import messages as messages_rule
from aisdk_lab.ui_stream.shapes import Issue, Walk

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
    try:
        text = repr(value)
    except ValueError:  # Python refuses to write out an integer of thousands of digits
        return "a number"
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


def keys(
    value: Mapping[str, Any],
    path: str,
    required: Mapping[str, Check],
    optional: Mapping[str, Check] | None = None,
) -> Iterator[str]:
    """The problems of an object's keys: required ones that are missing, and wrong values."""
    for key, check in required.items():
        if key not in value:
            yield missing("a string" if check is is_string else "a boolean", f"{path}.{key}")
        else:
            yield from check(value[key], f"{path}.{key}")
    for key, check in (optional or {}).items():
        if key in value:
            yield from check(value[key], f"{path}.{key}")


def messages_problems(messages: Any, path: str = "$.messages") -> list[str]:
    """The problems of a list of messages; an empty list is one.

    >>> messages_problems([{"id": "u", "role": "user", "parts": [{"type": "text", "text": 3}]}])
    ['expected a string, got 3  @ $.messages[0].parts[0].text']
    """
    walk = Walk(is_stopping=False)
    messages_rule(messages, walk)
    return [_sentence(issue, path) for issue in walk.issues]


def _sentence(issue: Issue, root: str) -> str:
    path = root + "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in issue.path)
    if issue.value is UNSET:
        return missing("a value" if issue.expected.startswith("one of") else issue.expected, path)
    if issue.value == [] and issue.expected.startswith("at least"):
        return f"expected {issue.expected}, got an empty array  @ {path}"
    if issue.expected == "no key":
        return f"expected no key {issue.path[-1]!r} here, got {shown(issue.value)}  @ {path}"
    return expected(issue.expected, issue.value, path)
