"""What a JSON value must be, as rules: a judge of structure that words its issues as zod does.

Stage: ui_stream, under `message_rules`. A rule is a function that gets a value and the walk, reports what is wrong, and
gives the value back without the keys that it does not know.
Source: zod 4.6.7 (verdicts, order of issues, English texts), as `ai` 7.0.173 uses it; recorded:
tests/golden/validate_messages.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, cast

from aisdk_lab.ui_stream.chunks import UNSET
from aisdk_lab.wire import json_text

Key = str | int
Path = tuple[Key, ...]


@dataclass(frozen=True, slots=True)
class Issue:
    """One thing that is wrong, and where."""

    path: Path
    """Keys and indices from the judged value down; empty: the value itself."""
    message: str
    """In the words of zod 4.6.7 where the structure is wrong, else in those of the `jsonschema` library."""
    expected: str = ""
    """What would have been right: `a string`, `one of 'system', 'user', 'assistant'`, `no key` …"""
    value: Any = UNSET
    """What was found."""


@dataclass(slots=True)
class Walk:
    """One way through the messages: where we are, and what was wrong so far."""

    is_stopping: bool = True
    """Leave a list at its first bad element, as the reference does against huge bad input."""
    issues: list[Issue] = field(default_factory=list[Issue])
    path: list[Key] = field(default_factory=list[Key])

    def report(self, message: str, expected: str, value: Any, *below: Key) -> None:
        """Note an issue at this place, or at `below` it."""
        self.issues.append(Issue((*self.path, *below), message, expected, value))

    def wrong_type(self, kind: str, value: Any, *below: Key) -> None:
        """Note a value of another type; `kind` is a type in zod's words."""
        expected = {"nonoptional": "a value", "record": "an object"}.get(kind) or _with_article(kind)
        self.report(f"Invalid input: expected {kind}, received {_type_name(value)}", expected, value, *below)

    def step(self, key: Key, rule: Rule, value: Any) -> Any:
        """Judge what lies under `key`."""
        self.path.append(key)
        try:
            return rule(value, self)
        finally:
            self.path.pop()


Rule = Callable[[Any, Walk], Any]
"""Gets a value (`UNSET`: the key is absent) and the walk; gives the cleaned value."""


def _with_article(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeio' else 'a'} {kind}"


def _type_name(value: Any) -> str:
    """A value's type as zod names it."""
    if value is UNSET:
        return "undefined"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return "NaN" if value != value else "number"
    if isinstance(value, (list, tuple)):
        return "array"
    return "string" if isinstance(value, str) else "object"


# ── rules for single values ──────────────────────────────────────────────────────────────────────────────────────────


def string(value: Any, walk: Walk) -> Any:
    """A string."""
    if not isinstance(value, str):
        walk.wrong_type("string", value)
    return value


def boolean(value: Any, walk: Walk) -> Any:
    """A boolean; 0 and 1 are numbers."""
    if not isinstance(value, bool):
        walk.wrong_type("boolean", value)
    return value


def anything(value: Any, walk: Walk) -> Any:
    """Any value, `None` too, but the key must be there."""
    if value is UNSET:
        walk.wrong_type("nonoptional", value)
    return value


def never(value: Any, walk: Walk) -> Any:
    """No value, not even `None`."""
    walk.report(f"Invalid input: expected never, received {_type_name(value)}", "no key", value)
    return value


def index(value: Any, walk: Walk) -> Any:
    """A whole number from 0 to 2^53 - 1; `1.0` is one."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not _is_finite(value):
        shown = "number" if isinstance(value, float) and math.isinf(value) else _type_name(value)
        walk.report(f"Invalid input: expected number, received {shown}", "a number", value)
    elif value != int(value):
        walk.report("Invalid input: expected int, received number", "a whole number", value)
    elif value >= json_text.MAX_SAFE_INTEGER:
        walk.report("Too big: expected int to be <=9007199254740991", "a number below 2^53", value)
    else:
        if value <= -json_text.MAX_SAFE_INTEGER:
            walk.report("Too small: expected int to be >=-9007199254740991", "a number from 0 on", value)
        if value < 0:
            walk.report("Too small: expected number to be >=0", "a number from 0 on", value)
    return value


def literal(wanted: bool | str) -> Rule:
    """Exactly this value."""

    def rule(value: Any, walk: Walk) -> Any:
        if type(value) is not type(wanted) or value != wanted:
            word = json_text.write(wanted)
            walk.report(f"Invalid input: expected {word}", f"one of {word}", value)
        return value

    return rule


def one_of(*words: str) -> Rule:
    """One of these words."""
    options = "|".join(f'"{word}"' for word in words)
    listed = "one of " + ", ".join(map(repr, words))

    def rule(value: Any, walk: Walk) -> Any:
        if not (isinstance(value, str) and value in words):
            walk.report(f"Invalid option: expected one of {options}", listed, value)
        return value

    return rule


# ── rules for JSON values and metadata ───────────────────────────────────────────────────────────────────────────────

_NOT_JSON: Final = "Invalid JSON value. Expected null, a string, a finite number, a boolean, an array, or an object."


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer beyond every double is infinity in JavaScript
        return False


def _path_of(place: Any) -> Path:
    """The path of a chain `(place of the parent, key)`; a path of its own for each node would be quadratic."""
    keys: list[Key] = []
    while place:
        place, key = place
        keys.append(key)
    return tuple(reversed(keys))


def json_copy(value: Any, not_json: Callable[[Any, Path], Any] | None = None, *, without: str | None = None) -> Any:
    """Copy a JSON value, leaving keys named `without` out; what JSON cannot hold becomes `not_json(value, path)`, or `None`.

    Without recursion: remote values may be nested thousands deep. What occurs twice, or in itself, is copied once.

    >>> json_copy({"a": (1, float("inf"))})
    {'a': [1, None]}
    """
    top: list[Any] = [None]
    copies: dict[int, Any] = {}
    # Last in, first out: members are put on in reverse, so that they are visited in order.
    todo: list[tuple[Any, Any, Any, Any]] = [(top, 0, value, ())]
    while todo:
        holder, key, node, place = todo.pop()
        if node is None or isinstance(node, (str, bool)) or (isinstance(node, (int, float)) and _is_finite(node)):
            holder[key] = node
        elif id(node) in copies:
            holder[key] = copies[id(node)]
        elif isinstance(node, Mapping) and all(isinstance(name, str) for name in node):
            copies[id(node)] = holder[key] = dict.fromkeys(name for name in node if name != without)
            todo += [(holder[key], name, node[name], (place, name)) for name in reversed(list(holder[key]))]
        elif isinstance(node, (list, tuple)):
            members = cast("list[Any]", node)
            copies[id(node)] = holder[key] = [None] * len(members)
            todo += [(holder[key], at, members[at], (place, at)) for at in range(len(members) - 1, -1, -1)]
        else:
            holder[key] = not_json(node, _path_of(place)) if not_json else None
    return top[0]


def json_members(value: Any, walk: Walk) -> Any:
    """A copy of a JSON value as zod makes it, without `__proto__`; the first thing in it that is no JSON is reported."""
    count = len(walk.issues)

    def refuse(node: Any, place: Path) -> None:
        if len(walk.issues) == count:
            walk.report(_NOT_JSON, "a JSON value", node, *place)

    return json_copy(value, refuse, without="__proto__")


def json_object(value: Any, walk: Walk) -> Any:
    """An object of JSON values."""
    count = len(walk.issues)
    copied = json_members(value, walk)
    if len(walk.issues) == count and not isinstance(value, Mapping):
        walk.wrong_type("record", value)
    return copied


def provider_metadata(value: Any, walk: Walk) -> Any:
    """Two levels are mandatory: the provider's name, then its keys."""
    count = len(walk.issues)
    copied = json_object(value, walk)
    if len(walk.issues) == count:
        for provider, entry in copied.items():
            if not isinstance(entry, dict):
                walk.wrong_type("record", value[provider], provider)
    return copied


def references(value: Any, walk: Walk) -> Any:
    """An object of strings: the provider's name, and the name of the file there."""
    if not isinstance(value, Mapping):
        walk.wrong_type("record", value)
        return value
    entries = {name: value[name] for name in value if name != "__proto__"}
    for name, entry in entries.items():
        walk.step(name, string, entry)
    return entries


# ── rules for objects and lists ──────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Optional:
    """A key that may be absent; where it is present, `None` is judged like any other value."""

    rule: Rule


@dataclass(frozen=True, slots=True)
class Shape:
    """An object with these keys, judged and given back in this order; other keys are dropped."""

    keys: Mapping[str, Rule | Optional]

    def __call__(self, value: Any, walk: Walk) -> Any:
        """Judge an object."""
        if not isinstance(value, Mapping):
            walk.wrong_type("object", value)
            return value
        members = cast("Mapping[str, Any]", value)
        cleaned: dict[str, Any] = {}
        for key, rule in self.keys.items():
            if key in members:
                cleaned[key] = walk.step(key, rule.rule if isinstance(rule, Optional) else rule, members[key])
            elif not isinstance(rule, Optional):
                walk.step(key, rule, UNSET)
        return cleaned


def array_of(rule: Rule) -> Rule:
    """A list whose elements keep the rule."""

    def judge(value: Any, walk: Walk) -> Any:
        if not isinstance(value, (list, tuple)):
            walk.wrong_type("array", value)
            return value
        count = len(walk.issues)
        cleaned: list[Any] = []
        for position, element in enumerate(cast("list[Any]", value)):
            cleaned.append(walk.step(position, rule, element))
            if walk.is_stopping and len(walk.issues) > count:
                break
        return cleaned

    return judge


@dataclass(frozen=True, slots=True)
class Union:
    """An object whose `key` says which of the shapes it has."""

    key: str
    shapes: Mapping[str, Rule]
    message: str = ""
    expected: str = ""

    def __call__(self, value: Any, walk: Walk) -> Any:
        """Judge an object."""
        if not isinstance(value, Mapping):
            walk.wrong_type("object", value)
            return value
        word: Any = cast("Mapping[str, Any]", value).get(self.key, UNSET)
        if isinstance(word, str) and word in self.shapes:
            return self.shapes[word](value, walk)
        options = " | ".join(f"'{option}'" for option in self.shapes)
        message = self.message or f"Invalid discriminator value. Expected {options}"
        walk.report(message, self.expected or f"one of {options.replace(' |', ',')}", word, self.key)
        return value
