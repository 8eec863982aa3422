"""The reference's repair of unfinished JSON: one scan that says how much to keep and what to close.

Stage: ui_stream. The scan is followed to the letter, with everything that it does not look at: it ignores escapes inside
keys, lets a `+` end a number, and takes any character after an array's value as worth keeping. What it makes is then
parsed strictly, so most nonsense ends there as a failed parse.

The scan can be fed in pieces, and can be started in the middle with the stack that it would have.
Source: observed, `ai` 7.0.173 `fixJson`; spec §4.6 has the table.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

# What the scan is inside of. Values are what that state adds at the end when it is still open.
ROOT, FINISH = "root", "finish"
STRING, ESCAPE, UNICODE = "string", "escape", "unicode"
NUMBER, LITERAL = "number", "literal"
OBJECT_START, OBJECT_KEY, OBJECT_AFTER_KEY = "object start", "object key", "object after key"
OBJECT_BEFORE_VALUE, OBJECT_AFTER_VALUE, OBJECT_AFTER_COMMA = (
    "object before value",
    "object after value",
    "object after comma",
)
ARRAY_START, ARRAY_AFTER_VALUE, ARRAY_AFTER_COMMA = "array start", "array after value", "array after comma"

_CLOSERS = {
    STRING: '"',
    **dict.fromkeys((OBJECT_START, OBJECT_KEY, OBJECT_AFTER_KEY), "}"),
    **dict.fromkeys((OBJECT_BEFORE_VALUE, OBJECT_AFTER_VALUE, OBJECT_AFTER_COMMA), "}"),
    **dict.fromkeys((ARRAY_START, ARRAY_AFTER_VALUE, ARRAY_AFTER_COMMA), "]"),
}
_WORDS = ("true", "false", "null")
_DIGITS = frozenset("0123456789")
_HEX = frozenset("0123456789abcdefABCDEF")
_STRING_RUN = re.compile(r'[^"\\]+')


class FixScan:
    """The scan as an object: `feed` any number of times, then look at `last_valid` and `closers`."""

    __slots__ = ("_hex_digits", "_length", "_literal", "last_valid", "stack")

    def __init__(self, stack: Sequence[str] = (ROOT,), literal: str = "") -> None:
        self.stack = list(stack)
        self.last_valid = -1
        """Index of the last character to keep, counted from the first one fed; -1 for none."""
        self._length = 0
        self._literal = literal
        self._hex_digits = 0

    def feed(self, text: str) -> None:
        """Scan more text."""
        stack = self.stack
        place, end = 0, len(text)
        while place < end:
            top = stack[-1]
            if top is FINISH:  # nothing that comes can change anything
                break
            run = _STRING_RUN.match(text, place) if top is STRING else None
            if run:
                place = run.end()
                self.last_valid = self._length + place - 1
            else:
                _STEPS[top](self, text[place], self._length + place)
                place += 1
        self._length += end

    def closers(self) -> str:
        """What closes all that is open, innermost first."""
        return "".join(self._rest() if state is LITERAL else _CLOSERS.get(state, "") for state in reversed(self.stack))

    @property
    def keeps_all(self) -> bool:
        """True when the repair cuts nothing off."""
        return self.last_valid == self._length - 1

    def place(self) -> tuple[list[str], str]:
        """The stack, and the letters of an open literal; two scans at one place go on alike."""
        return self.stack, self._literal if self.stack[-1] is LITERAL else ""

    def _rest(self) -> str:
        word = next(word for word in _WORDS if word.startswith(self._literal))
        return word[len(self._literal) :]

    def _keep_and_pop(self, index: int) -> None:
        self.last_valid = index
        self.stack.pop()

    def _value_start(self, char: str, index: int, then: str) -> None:
        if char in _DIGITS:
            inner = NUMBER
        elif char in "ftn":
            inner, self._literal = LITERAL, char
        else:
            inner = {'"': STRING, "{": OBJECT_START, "[": ARRAY_START, "-": NUMBER}.get(char, "")
        if inner:
            self.stack[-1] = then
            self.stack.append(inner)
            if char != "-":
                self.last_valid = index

    def _object_next(self, char: str, index: int) -> None:
        if char == ",":
            self.stack[-1] = OBJECT_AFTER_COMMA
        elif char == "}":
            self._keep_and_pop(index)

    def _array_next(self, char: str, index: int) -> None:
        if char == ",":
            self.stack[-1] = ARRAY_AFTER_COMMA
        elif char == "]":
            self._keep_and_pop(index)

    def _root(self, char: str, index: int) -> None:
        self._value_start(char, index, FINISH)

    def _object_start(self, char: str, index: int) -> None:
        if char == '"':
            self.stack[-1] = OBJECT_KEY
        elif char == "}":
            self._keep_and_pop(index)

    def _object_after_comma(self, char: str, index: int) -> None:
        if char == '"':
            self.stack[-1] = OBJECT_KEY

    def _object_key(self, char: str, index: int) -> None:
        if char == '"':
            self.stack[-1] = OBJECT_AFTER_KEY

    def _object_after_key(self, char: str, index: int) -> None:
        if char == ":":
            self.stack[-1] = OBJECT_BEFORE_VALUE

    def _object_before_value(self, char: str, index: int) -> None:
        self._value_start(char, index, OBJECT_AFTER_VALUE)

    def _array_start(self, char: str, index: int) -> None:
        if char == "]":
            self._keep_and_pop(index)
        else:
            self._value_start(char, index, ARRAY_AFTER_VALUE)

    def _array_after_value(self, char: str, index: int) -> None:
        if char in ",]":
            self._array_next(char, index)
        else:
            self.last_valid = index

    def _array_after_comma(self, char: str, index: int) -> None:
        self._value_start(char, index, ARRAY_AFTER_VALUE)

    def _string(self, char: str, index: int) -> None:
        if char == '"':
            self._keep_and_pop(index)
        else:  # a backslash; the others were taken as a run
            self.stack.append(ESCAPE)

    def _escape(self, char: str, index: int) -> None:
        self.stack.pop()
        if char == "u":
            self._hex_digits = 0
            self.stack.append(UNICODE)
        else:
            self.last_valid = index

    def _unicode(self, char: str, index: int) -> None:
        if char in _HEX:
            self._hex_digits += 1
            if self._hex_digits == 4:
                self._keep_and_pop(index)

    def _number(self, char: str, index: int) -> None:
        if char in _DIGITS:
            self.last_valid = index
        elif char not in "eE-.":
            self.stack.pop()
            if char in ",]" and self.stack[-1] is ARRAY_AFTER_VALUE:
                self._array_next(char, index)
            elif char in ",}" and self.stack[-1] is OBJECT_AFTER_VALUE:
                self._object_next(char, index)

    def _literal_letter(self, char: str, index: int) -> None:
        letters = self._literal + char
        if any(word.startswith(letters) for word in _WORDS):
            self._literal = letters
            self.last_valid = index
            return
        self.stack.pop()
        if self.stack[-1] is OBJECT_AFTER_VALUE:
            self._object_next(char, index)
        elif self.stack[-1] is ARRAY_AFTER_VALUE:
            self._array_next(char, index)


_STEPS: dict[str, Callable[[FixScan, str, int], None]] = {
    ROOT: FixScan._root,
    STRING: FixScan._string,
    ESCAPE: FixScan._escape,
    UNICODE: FixScan._unicode,
    NUMBER: FixScan._number,
    LITERAL: FixScan._literal_letter,
    OBJECT_START: FixScan._object_start,
    OBJECT_KEY: FixScan._object_key,
    OBJECT_AFTER_KEY: FixScan._object_after_key,
    OBJECT_BEFORE_VALUE: FixScan._object_before_value,
    OBJECT_AFTER_VALUE: FixScan._object_next,
    OBJECT_AFTER_COMMA: FixScan._object_after_comma,
    ARRAY_START: FixScan._array_start,
    ARRAY_AFTER_VALUE: FixScan._array_after_value,
    ARRAY_AFTER_COMMA: FixScan._array_after_comma,
}


def fix_json(text: str) -> str:
    """Return the repaired text; whether it is JSON is for a strict parser to say.

    >>> fix_json('{"a": {"b": ["c", tr')
    '{"a": {"b": ["c", true]}}'
    """
    scan = FixScan()
    scan.feed(text)
    return text[: scan.last_valid + 1] + scan.closers()
