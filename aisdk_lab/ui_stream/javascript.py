"""JSON values as JavaScript's operators see them: text, truth, strict equality, own properties.

Stage: ui_stream. The reference checks chunks with its schema and then trusts them; a chunk that went round the schema
meets these operators instead, and so does what the schema leaves open (`messageMetadata`). `UNSET` is undefined.
Source: ECMA-262, 7.1.17 ToString, 7.1.2 ToBoolean, 7.2.15 IsStrictlyEqual, 13.2.5 object spread.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Any

import msgspec

from aisdk_lab.ui_stream.chunks import UNSET
from aisdk_lab.wire.json_text import number_text

_SCALARS = frozenset({str, int, float, bool, type(None)})


def js_text(value: Any) -> str:  # any JSON value, or UNSET
    """The value as `String(value)` gives it.

    Raises `TypeError`, with the text of JavaScript's, for an object whose own `toString` is no function.

    >>> js_text(UNSET), js_text(1.0), js_text([1, None, ["a"]]), js_text({})
    ('undefined', '1', '1,,a', '[object Object]')
    """
    if isinstance(value, str):
        return value
    if value is None:
        return "null"
    if value is UNSET:
        return "undefined"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        number = _double(value)
        return number_text(number) if math.isfinite(number) else "Infinity" if number > 0 else "-Infinity"
    if isinstance(value, list):
        return ",".join("" if item is None else js_text(item) for item in value)
    if "toString" in value:
        raise TypeError("Cannot convert object to primitive value")
    return "[object Object]"


def is_truthy(value: Any) -> bool:  # any JSON value, or UNSET
    """The value as a condition: empty arrays and objects are true.

    >>> is_truthy([]), is_truthy(UNSET), is_truthy("")
    (True, False, False)
    """
    return isinstance(value, list | dict) or (value is not UNSET and bool(value))


def identity(value: Any) -> Hashable | None:  # any JSON value, or UNSET
    """What is equal for two values exactly when `===` holds; `None` for arrays and objects, which equal only themselves.

    >>> identity(1) == identity(1.0), identity(1) == identity(True), identity([])
    (True, False, None)
    """
    if isinstance(value, str) or value is UNSET:
        return value
    if value is None or isinstance(value, bool):
        return "null", value
    return ("number", _double(value)) if isinstance(value, int | float) else None


def own_properties(value: Any) -> dict[str, Any]:  # any JSON value
    """What `{...value}` holds: texts and arrays give their indices, other scalars nothing; always a new dict.

    >>> own_properties("ab"), own_properties(5)
    ({'0': 'a', '1': 'b'}, {})
    """
    if isinstance(value, dict):
        return dict(value)
    if isinstance(value, str):  # the units of UTF-16 are the elements
        units = value.encode("utf-16-le", "surrogatepass")
        value = [units[place : place + 2].decode("utf-16-le", "surrogatepass") for place in range(0, len(units), 2)]
    return {str(index): item for index, item in enumerate(value)} if isinstance(value, list) else {}


def copied(value: Any) -> Any:  # any JSON value
    """A copy that shares no array and no object with the value, however deep it is nested.

    Tuples, sets, bytes and the like become what JSON has for them; of a subclass of `str`, `int` or `float` the text or
    number is taken. Raises `TypeError` for anything else that is no JSON, and for a value that holds itself.
    """
    if type(value) in _SCALARS:
        return value
    try:
        return msgspec.to_builtins(value, enc_hook=_plain_scalar)  # a copy at the speed of C
    except RecursionError:
        return _copied_by_layers(value)


def _plain_scalar(value: Any) -> Any:
    for kind in (str, int, float):
        if isinstance(value, kind):
            return kind(value)
    raise TypeError(
        f"a value of type {type(value).__name__} is no JSON value. Give text, a number, true, false, None, a list or a dict"
    )


def _copied_by_layers(value: Any) -> Any:
    """A copy without recursion, one branch after the other; `inside` are the containers of the branch, to see a circle."""
    holder: list[Any] = [value]
    todo = [(holder, iter([(0, value)]), 0)]
    inside: set[int] = set()
    while todo:
        target, items, identity_of_source = todo[-1]
        for key, item in items:
            if not isinstance(item, dict | list):
                continue
            if id(item) in inside:
                raise TypeError("Converting circular structure to JSON: a list or dict holds itself")
            target[key] = item.copy()
            inside.add(id(item))
            todo.append(
                (target[key], iter(list(item.items() if isinstance(item, dict) else enumerate(item))), id(item))
            )
            break
        else:
            todo.pop()
            inside.discard(identity_of_source)
    return holder[0]


def _double(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
