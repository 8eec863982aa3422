"""The JSON values of a frame of a foreign protocol: one, and with writers that forget a line end, several.

Stage: wire. Two objects on one line are a fault of the writer that need not cost the events: both are read, and the fault
is told. A UI Message Stream is read without this: the official client refuses such a frame, and `read_chunk` with it.
"""

from __future__ import annotations

import json
from typing import Any

from aisdk_lab.wire import json_text

_SCAN = json.JSONDecoder(parse_int=len, parse_float=len)  # only where a value ends is asked, not what it is
_WHITE = " \t\r\n"


def read_values(text: str) -> tuple[list[Any], str | None]:
    """All JSON values in a text, by JavaScript's rules, and what is wrong with it; never raises.

    After the first fault inside a value the rest is not read: nobody knows where the next value begins.

    >>> read_values('{"a":1}')
    ([{'a': 1}], None)
    >>> read_values('{"a":1}{"b":2}')
    ([{'a': 1}, {'b': 2}], '2 JSON values on one line: the writer left a line end out')
    """
    values: list[Any] = []
    start, length = 0, len(text)
    try:
        while (start := _skip_white(text, start)) < length:
            end = _end_of_value(text, start)
            values.append(json_text.read(text[start:end]))
            start = end
    except json_text.JsonProblem as problem:
        place = f" in what begins at character {start}" if start else ""
        return values, f"not JSON: {problem}{place}"
    if not values:
        return [], "not JSON: there is no value"
    glued = f"{len(values)} JSON values on one line: the writer left a line end out"
    return values, glued if len(values) > 1 else None


def _skip_white(text: str, start: int) -> int:
    while start < len(text) and text[start] in _WHITE:
        start += 1
    return start


def _end_of_value(text: str, start: int) -> int:
    """Where the value that begins at `start` ends; the end of the text where it is none, so that reading it says why."""
    try:
        return _SCAN.raw_decode(text, start)[1]
    except (json.JSONDecodeError, RecursionError):
        return len(text)
