"""A strict JSON parser that can stop anywhere: the tree so far, and what each piece of text did to it.

Stage: ui_stream, the inside of `partial_json`. It knows JSON and one thing more: what the reference's repair would show
of the text so far. That is everything but the tail of a number without a digit at its end (`1.`, `2e-`), an escape that
is not complete, and a key without a value; a literal counts from its first letter.

Cost: each character is looked at once, most of them inside one regular expression call for a token. The text of an open
string is kept in pieces. A number that goes on over many pieces is read again with each, and so is the beginning of a
member before its colon, up to `_LONGEST_REREAD` characters; most numbers and keys are short.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from json.decoder import scanstring  # pyright: ignore[reportAttributeAccessIssue]  # typeshed leaves it out
from typing import Any, cast

from aisdk_lab.ui_stream import fix_json as fix
from aisdk_lab.ui_stream.chunks import UNSET
from aisdk_lab.ui_stream.growing_tree import NOWHERE, GrowingTree, joined
from aisdk_lab.ui_stream.path_ops import Path
from aisdk_lab.wire.json_text import read_number

# What may come next. The order is that of `_STEPS`.
VALUE, FIRST_VALUE, AFTER, FIRST_KEY, NEXT_KEY, IN_KEY, COLON, IN_STRING, IN_NUMBER, IN_LITERAL, END = range(11)

_S = r"[ \t\n\r]*+"
_PLAIN = r'[^"\\\x00-\x1f]'
_NUMBER = r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?"
_LONGEST_REREAD = 80


def _scalar_before(closer: str) -> str:
    """A whole text, or a number or word that surely ends: groups 1, 2 and 3.

    Only before a comma or the right closer, because the reference's scan is still inside of a number or word when it
    meets what comes next, and takes the wrong closer for something else there than it does after a value.
    """
    end = rf"(?=[,{closer}])"
    return rf'(?:"({_PLAIN}*+)"|({_NUMBER}){end}|(true|false|null){end})'


_SCALARS = {
    list: re.compile(_scalar_before(r"\]")).match,
    dict: re.compile(_scalar_before("}")).match,
    str: re.compile(rf'"({_PLAIN}*+)"').match,  # outermost, nothing surely ends but a text
}
_MEMBER = rf'"({_PLAIN}*+)"{_S}:{_S}{_scalar_before("}")}?'  # group 1 is the key, the others are one further
_next_member = re.compile(rf",{_S}{_MEMBER}").match
_first_member = re.compile(rf"{_S}{_MEMBER}").match
_next_begun = re.compile(rf',{_S}(?:"{_PLAIN}*+(?:"{_S})?)?\Z').match
_first_begun = re.compile(rf'{_S}(?:"{_PLAIN}*+(?:"{_S})?)?\Z').match
_open_escape = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z").match
_whole_number = re.compile(r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][-+]?[0-9]++)?").fullmatch


def _always(pattern: str) -> Callable[[str, int], re.Match[str]]:
    """The matcher of a pattern that also matches nothing, so that it never gives `None`."""
    return cast("Callable[[str, int], re.Match[str]]", re.compile(pattern).match)


_space = _always(_S)
# No possessive repeat around a choice: up to Python 3.11.4 it keeps half of an alternative that failed (gh-106052).
_characters = _always(rf'{_PLAIN}*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{{4}}){_PLAIN}*+)*')
_number_run = _always(r"[-+.eE0-9]*+")
_number_start = _always(r"-?(?:(?:0|[1-9][0-9]*+)(?:\.(?:[0-9]++(?:[eE][-+]?[0-9]*+)?)?|[eE][-+]?[0-9]*+)?)?")

_VALUES: tuple[Callable[[str], Any], ...] = (
    joined,
    read_number,
    {"true": True, "false": False, "null": None}.__getitem__,
)
"""What the groups of `_scalar_before` stand for."""
_WORDS = {"t": ("true", True), "f": ("false", False), "n": ("null", None)}
_SPACES = frozenset(" \t\n\r")
_NUMBER_CHARS = frozenset("-0123456789")


class JsonTree(GrowingTree):
    """The value of an unfinished JSON text."""

    __slots__ = ("_key_quoted", "_literal", "_pending", "_phase", "_rest", "astray", "is_followed")

    def __init__(self, prefix: Path = ()) -> None:
        super().__init__(prefix)
        self._phase = VALUE
        self._pending = ""  # an escape or the beginning of a member, to be read again with what comes
        self._key_quoted = False  # the open key holds an escaped quote
        self._literal = ""
        self._rest = ""  # letters of the literal that are still to come
        self.astray: tuple[list[str], str] | None = None
        """Set when the reference's scan took the end of a key too early: its stack, and the text from there on."""
        self.is_followed = False
        """Set by whoever compares `fix_place` with the reference's scan after each piece: everything is read at once."""

    @property
    def is_complete(self) -> bool:
        """True when the text so far is a whole JSON text."""
        if self._stack or self._root is UNSET:
            return False
        if self._phase == IN_NUMBER:
            return _whole_number(self._number) is not None
        return self._phase == END or (self._phase == IN_LITERAL and not self._rest)

    def feed(self, text: str) -> str | None:
        """Take more text; return the rest of it from where it stopped being JSON, or `None`."""
        if self._pending:
            text, self._pending = self._pending + text, ""
        place, end, steps = 0, len(text), _STEPS
        while 0 <= place < end:
            place = steps[self._phase](self, text, place)
        phase = self._phase
        if phase == IN_NUMBER:
            self._show_number(ended=False)
        if phase == IN_STRING or self._fresh != NOWHERE:
            self._close_piece(in_string=phase == IN_STRING)
        return text[~place:] if place < 0 else None

    @property
    def is_inside_escape(self) -> bool:
        """True when the text of a tree that is followed ends in the middle of an escape."""
        return bool(self._pending)

    def is_closed_by(self, closers: str) -> bool:
        """Whether the text so far and these characters, none of which opens a container, are together JSON."""
        twin = JsonTree()  # where this tree is, but with nothing in the containers
        twin._root = None
        twin._stack = [{} if type(holder) is dict else [None] for holder in self._stack]
        twin._phase, twin._pending, twin._number = self._phase, self._pending, self._number
        twin._literal, twin._rest = self._literal, self._rest
        return twin.feed(closers) is None and twin.is_complete

    def take_astray(self) -> tuple[list[str], str]:
        """What `astray` holds, and forget it."""
        astray, self.astray = self.astray, None
        return astray or ([], "")

    def fix_place(self) -> tuple[list[str], str]:
        """Stack and literal of the reference's scan at this point; that of an open escape's start, if one is open."""
        stack = [fix.ROOT if self._phase == VALUE and not self._stack else fix.FINISH]
        stack += [fix.ARRAY_AFTER_VALUE if type(holder) is list else fix.OBJECT_AFTER_VALUE for holder in self._stack]
        if self._stack:
            table = _ARRAY_STATES if type(self._stack[-1]) is list else _OBJECT_STATES
            stack[-1] = table.get(self._phase, stack[-1])
            if self._phase == IN_KEY and self._key_quoted:
                stack[-1] = fix.OBJECT_AFTER_KEY
        if self._phase == IN_STRING:
            stack.append(fix.STRING)
        elif self._phase == IN_LITERAL:
            stack.append(fix.LITERAL)
        elif self._phase == IN_NUMBER and "+" not in self._number:
            stack.append(fix.NUMBER)
        letters = self._literal[: len(self._literal) - len(self._rest)]
        return stack, letters if self._phase == IN_LITERAL else ""

    # --- steps: each takes the text and a place, and returns the next place, or ~place where JSON ends --------------

    def _value(self, text: str, place: int) -> int:
        if text[place] in _SPACES:
            place = _space(text, place).end()
            if place == len(text):
                return place
        char = text[place]
        if char in "{[":
            self._open({} if char == "{" else [])
            self._phase = FIRST_KEY if char == "{" else FIRST_VALUE
            return place + 1
        match = _SCALARS[type(self._stack[-1]) if self._stack else str](text, place)
        if match:
            group = cast("int", match.lastindex)
            self._place(_VALUES[group - 1](match[group]))
            self._phase = AFTER if self._stack else END
            return match.end()
        if char == '"':
            self._open_string()
            self._phase = IN_STRING
        elif char in _NUMBER_CHARS:
            self._number, self._number_shown, self._phase = "", False, IN_NUMBER
            return place
        elif char in _WORDS:
            self._literal, value = _WORDS[char]
            self._rest = self._literal[1:]
            self._place(value)
            self._phase = IN_LITERAL
        elif char == "]" and self._phase == FIRST_VALUE:
            self._close()
            self._phase = AFTER if self._stack else END
        else:
            return ~place
        return place + 1

    def _members(self, text: str, match: re.Match[str] | None) -> int:
        """Take a key, its value when that is a whole scalar, and further such members."""
        place = 0
        while match:
            group, place = cast("int", match.lastindex), match.end()
            self._key = joined(match[1])
            if group == 1:
                self._phase = VALUE
                return place
            self._place(_VALUES[group - 2](match[group]))
            match = _next_member(text, place)
        self._phase = AFTER
        return place

    def _after(self, text: str, place: int) -> int:
        if text[place] in _SPACES:
            place = _space(text, place).end()
            if place == len(text):
                return place
        char = text[place]
        is_list = type(self._stack[-1]) is list
        if char == ",":
            if not is_list:
                match = _next_member(text, place)
                if match:
                    return self._members(text, match)
                if self._is_put_off(_next_begun(text, place), text, place):
                    return len(text)
            self._phase = VALUE if is_list else NEXT_KEY
        elif char == ("]" if is_list else "}"):
            self._close()
            self._phase = AFTER if self._stack else END
        else:
            return ~place
        return place + 1

    def _before_key(self, text: str, place: int) -> int:
        match = _first_member(text, place)
        if match:
            return self._members(text, match)
        if text[place] in _SPACES:
            place = _space(text, place).end()
            if place == len(text):
                return place
        if text[place] == '"':
            if self._is_put_off(_first_begun(text, place), text, place):
                return len(text)
            self._run, self._key_quoted, self._phase = [], False, IN_KEY
        elif text[place] == "}" and self._phase == FIRST_KEY:
            self._close()
            self._phase = AFTER if self._stack else END
        else:
            return ~place
        return place + 1

    def _is_put_off(self, begun: re.Match[str] | None, text: str, place: int) -> bool:
        """True when a member has begun that nothing shows of yet: it is read again, whole, with the next text."""
        if begun is None or self.is_followed or len(text) - place > _LONGEST_REREAD:
            return False
        self._pending = text[place:]
        return True

    def _in_key(self, text: str, place: int) -> int:
        match = _characters(text, place)
        end = match.end()
        self._watch_key(text, place, end)
        if end > place:
            self._run.append(scanstring(text[place:end] + '"', 0)[0])
        if end == len(text):
            return end
        if text[end] == '"':
            self._key, self._phase = joined("".join(self._run)), COLON
            self._run = []
            return end + 1
        return self._stop_in_string(text, end)

    def _colon(self, text: str, place: int) -> int:
        if text[place] in _SPACES:
            place = _space(text, place).end()
            if place == len(text):
                return place
        if text[place] != ":":
            return ~place
        self._phase = VALUE
        return place + 1

    def _in_string(self, text: str, place: int) -> int:
        match = _characters(text, place)
        end = match.end()
        if end > place:
            piece = match.group()
            self._run.append(scanstring(piece + '"', 0)[0] if "\\" in piece else piece)
        if end == len(text):
            return end
        if text[end] == '"':
            self._close_string()
            self._phase = AFTER if self._stack else END
            return end + 1
        return self._stop_in_string(text, end)

    def _stop_in_string(self, text: str, place: int) -> int:
        """An escape that may go on with the next text, or the end of JSON."""
        if _open_escape(text, place):
            self._pending = text[place:]
            return len(text)
        return ~place

    def _in_number(self, text: str, place: int) -> int:
        end = _number_run(text, place).end()
        before = len(self._number)
        whole = self._number + text[place:end]
        self._number = whole
        if not _whole_number(whole):
            good = _number_start(whole, 0).end()
            if good < len(whole):
                self._number = whole[:good]
                return ~(place + good - before)
            if end < len(text):
                return ~end
        if end == len(text):
            return end
        return self._leave_scalar(text, end)

    def _in_literal(self, text: str, place: int) -> int:
        while self._rest and place < len(text):
            if text[place] != self._rest[0]:
                return ~place
            self._rest = self._rest[1:]
            place += 1
        return self._leave_scalar(text, place) if place < len(text) else place

    def _leave_scalar(self, text: str, place: int) -> int:
        """What comes right after a number or literal: the reference's scan is still inside of it then."""
        phase = self._phase
        if phase == IN_NUMBER:
            self._show_number(ended=True)
        self._phase = AFTER if self._stack else END
        if text[place] in _SPACES:
            return place + 1
        place = _STEPS[self._phase](self, text, place)
        if place < 0:
            self._phase = phase
        return place

    def _end(self, text: str, place: int) -> int:
        if text[place] in _SPACES:
            place = _space(text, place).end()
        return place if place == len(text) else ~place

    def _watch_key(self, text: str, place: int, end: int) -> None:
        """Notice where the reference's scan, which knows no escapes in keys, leaves this key for a value.

        Any quote before `end` is an escaped one.
        """
        if not self._key_quoted:
            place = text.find('"', place, end)
            if place < 0:
                return
            self._key_quoted = True
        colon = text.find(":", place, end)
        if colon >= 0 and self.astray is None:
            self.astray = self.fix_place()[0], text[colon:]


_ARRAY_STATES = {FIRST_VALUE: fix.ARRAY_START, VALUE: fix.ARRAY_AFTER_COMMA}
_OBJECT_STATES = {
    FIRST_KEY: fix.OBJECT_START,
    NEXT_KEY: fix.OBJECT_AFTER_COMMA,
    IN_KEY: fix.OBJECT_KEY,
    COLON: fix.OBJECT_AFTER_KEY,
    VALUE: fix.OBJECT_BEFORE_VALUE,
}
_STEPS: tuple[Callable[[JsonTree, str, int], int], ...] = (
    JsonTree._value,
    JsonTree._value,
    JsonTree._after,
    JsonTree._before_key,
    JsonTree._before_key,
    JsonTree._in_key,
    JsonTree._colon,
    JsonTree._in_string,
    JsonTree._in_number,
    JsonTree._in_literal,
    JsonTree._end,
)
