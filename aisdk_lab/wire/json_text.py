"""JSON text as JavaScript reads and writes it.

Stage: wire. The other end of the stream is JavaScript, so `read` accepts what its `JSON.parse` accepts, `write` gives the
text of its `JSON.stringify`, and what leaves Python passes here. msgspec does the work; where it and JavaScript differ
the standard library (reading) or a small walk over the value (writing) steps in.

Reading, what may surprise: numbers keep their Python type (`1` int, `1.0` float); an integer beyond 2^53 stays exact,
because that is what was on the wire, though JavaScript rounds it (`write` prints the rounded one); `1e400` is infinity;
a surrogate half in an escape is kept; of duplicate keys the last wins; `__proto__` keys, and a `constructor` that holds
an object with `prototype`, are refused as secure-json-parse refuses them; more than `MAX_DEPTH` open containers are
refused too, which JavaScript would accept: deeper values break `copy`, `repr` and every encoder in Python.

Source: ECMA-262, 25.5 JSON and 6.1.6.1.20 Number::toString; observed: `ai` 7.0.173 `secureJsonParse`, node 24.19.0.
Difference on purpose: `write` gives U+FFFD for a lone surrogate half where JavaScript gives an escape, because the
readers after us (Jupyter's packer, Parquet) cannot hold one.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from itertools import accumulate
from typing import Any, NoReturn, cast

import msgspec

MAX_DEPTH = 256
"""Open containers that `read` allows; a stack guard of ours, far above what any agent sends."""

MAX_SAFE_INTEGER = 2**53
"""Up to here, in both directions, an integer and the double of JavaScript are the same number."""

# Python refuses to turn longer texts into int; so does msgspec, which then comes to the same function.
_MAX_INTEGER_CHARS = 4300
_MAX_ARRAY_INDEX = 2**32 - 2

_decode = msgspec.json.Decoder().decode
_encode = msgspec.json.Encoder().encode
_NEGATIVE_ZERO = re.compile(r"-0(?![\d.eE])")
_SURROGATE = re.compile(r"\\u[dD][89abAB]|[\ud800-\udfff]")
_NOT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_ARRAY_INDEX = re.compile(r"0|[1-9]\d{0,9}", re.ASCII)


class JsonProblem(ValueError):
    """The text is not what JavaScript's secure parse accepts; `position` counts characters from 0."""

    def __init__(self, reason: str, position: int | None = None, near: str = "") -> None:
        self.reason = reason
        self.position = position
        place = "" if position is None else f" at character {position}"
        super().__init__(f"{reason}{place}" + (f", near {near!r}" if near else ""))


def read(text: str | bytes) -> Any:  # any JSON value
    """Read one JSON text by JavaScript's rules.

    Raises:
        JsonProblem: the text is not JSON, holds a forbidden key or is nested too deeply; says where.
        TypeError: it is no text and no bytes.

    >>> read('{"a": [1, "杭州"]}')
    {'a': [1, '杭州']}
    """
    if type(text) is not str:
        text = _as_text(text)
    if len(text) > MAX_DEPTH and _is_too_deep(text):
        raise JsonProblem(f"more than {MAX_DEPTH} open objects and arrays")
    if "-0" in text and _NEGATIVE_ZERO.search(text):
        value = _read_slowly(text)
    else:
        try:
            value = _decode(text)
        except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
            value = _read_slowly(text)
    # The walk is for texts that may name such a key, also in escapes.
    suspect = "__proto__" in text or "constructor" in text or "\\u00" in text
    if suspect and holds_forbidden_key(value):
        raise JsonProblem("an object holds a forbidden prototype property")
    return value


def _as_text(text: str | bytes) -> str:
    value = cast("object", text)  # a caller may be wrong about it
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value).decode("utf-8", "replace")
    raise TypeError(f"a {type(value).__name__} is no JSON text: give str or bytes")


def read_number(text: str) -> int | float:
    """Read the text of one JSON number: an int where it is written as one, else the nearest double, or infinity.

    `-0` is a float, because int has no negative zero. The caller has checked the grammar.
    """
    if text == "-0":
        return -0.0
    if len(text) <= _MAX_INTEGER_CHARS and not ("." in text or "e" in text or "E" in text):
        return int(text)
    return float(text)


def _read_slowly(text: str) -> Any:
    try:
        value = _SLOW.decode(join_surrogates(text))
    except json.JSONDecodeError as error:
        raise JsonProblem(error.msg, error.pos, text[error.pos : error.pos + 20]) from None
    except RecursionError:
        raise JsonProblem("nested too deeply for the stack") from None
    return _mapped_text(value, join_surrogates) if _SURROGATE.search(text) else value


def _refuse_constant(name: str) -> NoReturn:
    raise JsonProblem(f"{name} is not a JSON number")


_SLOW = json.JSONDecoder(parse_int=read_number, parse_constant=_refuse_constant)


def _is_too_deep(text: str) -> bool:
    """Tell whether more than `MAX_DEPTH` containers are ever open; brackets inside strings do not count."""
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return False
    outside_strings = "".join(text.replace("\\\\", "").replace('\\"', "").split('"')[::2])
    brackets = outside_strings.encode("utf-8", "replace").translate(None, _NOT_BRACKETS)
    # Nearly every text is settled here, at the speed of `bytes.replace`: a round takes away at most two levels.
    left = brackets
    for levels in range(2, MAX_DEPTH, 2):
        fewer = left.replace(b"[]", b"").replace(b"{}", b"")
        if levels + len(fewer) <= MAX_DEPTH:
            return False
        if len(fewer) == len(left):
            break
        left = fewer
    return max(accumulate(1 if bracket in b"[{" else -1 for bracket in brackets)) > MAX_DEPTH


def holds_forbidden_key(value: Any) -> bool:  # any JSON value
    """True where secure-json-parse refuses: a `__proto__` key, or `constructor` holding an object with `prototype`."""
    todo = [value]
    while todo:
        node = todo.pop()
        if isinstance(node, dict):
            if is_forbidden(cast("dict[str, Any]", node)):
                return True
            todo.extend(cast("dict[str, Any]", node).values())
        elif isinstance(node, list):
            todo.extend(cast("list[Any]", node))
    return False


def is_forbidden(node: Mapping[str, Any]) -> bool:
    """True when this object itself, whatever its members hold, is one that secure-json-parse refuses."""
    if "__proto__" in node:
        return True
    constructor = node.get("constructor")
    return isinstance(constructor, dict) and "prototype" in constructor


def join_surrogates(text: str) -> str:
    """Make one character of two halves that stand side by side, as they do in JavaScript; lone halves stay."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def mend_surrogates(text: str) -> str:
    """Join halves and put U+FFFD for each lone one, so that the text can be encoded."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def write(value: Any) -> str:  # any JSON value
    """Write a value as JavaScript's `JSON.stringify(value)` would.

    Raises:
        TypeError: the value holds something that is not JSON; says its type.
        ValueError: nested too deeply, or in a circle.

    >>> write({"b": 1.0, "10": 1e21, "2": float("nan")})
    '{"2":null,"10":1e+21,"b":1}'
    """
    return write_bytes(value).decode()


def write_bytes(value: Any) -> bytes:  # any JSON value
    """Like `write`, encoded in UTF-8."""
    try:
        plain = _plain(value)
        try:
            return _encode(plain)
        except UnicodeEncodeError:
            return _encode(_mapped_text(plain, mend_surrogates))
    except RecursionError:
        raise ValueError("the value is nested too deeply for JSON, or holds itself") from None


def number_text(value: float) -> str:
    """Write a number as JavaScript does: shortest digits, exponent from 1e21 on and below 1e-6.

    >>> number_text(1e16), number_text(1e-5), number_text(1e-7), number_text(float("inf"))
    ('10000000000000000', '0.00001', '1e-7', 'null')
    """
    try:
        value = float(value)
    except OverflowError:
        return "null"
    if not math.isfinite(value):
        return "null"
    if value == 0:
        return "0"
    shortest = repr(value)
    if "e" not in shortest:
        return shortest.removesuffix(".0")
    sign = "-" if value < 0 else ""
    mantissa, _, exponent = shortest.lstrip("-").partition("e")
    digits = mantissa.replace(".", "")
    point = int(exponent) + 1  # where the decimal point stands, counted from before the first digit
    if len(digits) <= point <= 21:
        return sign + digits + "0" * (point - len(digits))
    if 0 < point <= 21:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    fraction = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{fraction}e{point - 1:+d}"


def _plain(value: Any) -> Any:
    """Give the value back where msgspec writes it as JavaScript does, else an equal one that it does."""
    kind = type(value)
    if kind is str or kind is bool or value is None:
        return value
    if kind is dict:
        return _plain_object(value)
    if kind is list or kind is tuple:
        return _plain_array(value)
    if kind is int and -MAX_SAFE_INTEGER <= value <= MAX_SAFE_INTEGER:
        return value
    if isinstance(value, (int, float)):
        return msgspec.Raw(number_text(value).encode())
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, Mapping):
        return _plain_object(dict(cast("Mapping[Any, Any]", value)))
    if isinstance(value, (list, tuple)):
        return _plain_array(cast("list[Any]", value))
    raise TypeError(f"a {kind.__name__} is not a JSON value: {value!r:.80}")


def _plain_array(value: list[Any] | tuple[Any, ...]) -> Any:
    plain = [_plain(member) for member in value]
    return plain if any(new is not old for new, old in zip(plain, value, strict=True)) else value


def _plain_object(value: dict[Any, Any]) -> dict[str, Any]:
    for key in value:
        if type(key) is not str or key < ":":  # what begins with a digit sorts before the colon
            value = in_js_order(value)
            break
    changed: dict[str, Any] = {}
    for key, member in value.items():
        if type(member) is str:
            continue
        plain = _plain(member)
        if plain is not member:
            changed[key] = plain
    return {**value, **changed} if changed else value


def in_js_order(value: dict[Any, Any]) -> dict[str, Any]:
    """Put keys that look like array indices first, ascending, as every JavaScript object has them."""
    named: dict[str, Any] = {}
    for key, member in value.items():
        if isinstance(key, bool) or not isinstance(key, (str, int)):
            raise TypeError(f"a key of an object must be text, got {key!r}")
        named[str(key)] = member
    indices = [key for key in named if _ARRAY_INDEX.fullmatch(key) and int(key) <= _MAX_ARRAY_INDEX]
    first = {key: named[key] for key in sorted(indices, key=int)}
    return {**first, **named} if indices else named


def _mapped_text(value: Any, change: Any) -> Any:  # any JSON value; change: str to str
    """Copy a value with every text and key changed."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value).items()
        return {change(key): _mapped_text(member, change) for key, member in members}
    if isinstance(value, list):
        return [_mapped_text(member, change) for member in cast("list[Any]", value)]
    return value
