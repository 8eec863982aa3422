"""A JSON value that grows, and what is told of its growth.

Stage: ui_stream, the inside of `partial_json`. Whoever reads the text says which value, character or digit comes next;
this puts it into one tree and gathers path operations. Nothing here knows the grammar.

What began in one piece of text is told as one operation with its whole value; what goes on is told as what was added.
A container in an operation is never one that still grows: open ones are copied, closed ones do not change again.
"""

from __future__ import annotations

from typing import Any, Final

from aisdk_lab.ui_stream.chunks import UNSET
from aisdk_lab.ui_stream.path_ops import Path, PathOp
from aisdk_lab.wire.json_text import MAX_DEPTH, join_surrogates, read_number

_GUARDED_KEYS = frozenset({"__proto__", "prototype"})
NOWHERE: Final = 1 << 30
"""The depth of no container."""


class GrowingTree:
    """The tree, the way to its open end, and the operations that were not taken yet."""

    __slots__ = (
        "_base", "_dirty", "_first_op", "_forbidden_count", "_fresh", "_is_new", "_key", "_number", "_number_shown", "_ops", "_path", "_pieces",
        "_root", "_run", "_stack", "_stale", "_tail_high", "_text", "forbidden", "too_deep",
    )  # fmt: skip

    def __init__(self, prefix: Path = ()) -> None:
        """`prefix` is put before the path of every operation."""
        self._root: Any = UNSET
        self._stack: list[Any] = []  # open containers, outermost first
        self._path = prefix  # of the innermost open container; the prefix while none is open
        self._base = len(prefix)
        self._key = ""  # of the member that comes or is open, in an object
        self._ops: list[PathOp] = []
        self._fresh = NOWHERE  # depth of the outermost open container that began in this piece of text
        self._first_op = 0  # the operation that carries that container
        self._text = ""  # of the open string, as the tree holds it
        self._pieces: list[str] = []  # what comes after it and was told
        self._run: list[str] = []  # what comes after that and was not told yet; an open key is all here
        self._tail_high = False  # the string ends with the first half of a surrogate pair
        self._is_new = False  # no operation has told of the string yet
        self._dirty = False  # the tree does not hold all of the open string yet
        self._number = ""
        self._number_shown = False
        self._stale: tuple[Any, str, Any] | None = None  # object, key, value of a number that shows later
        self._forbidden_count = 0
        self.forbidden = False
        """The tree holds a key that the secure parse refuses."""
        self.too_deep = False
        """More containers were open at once than any reader of ours accepts."""

    @property
    def value(self) -> Any:
        """The live tree; it goes on changing. `UNSET` while there is nothing to show."""
        if self._dirty:
            tail, self._pieces, self._dirty = "".join(self._pieces), [], False
            # The tree lets go of the text for a moment, because CPython lengthens a text that nobody else holds in
            # place: a reader who looks after every delta of a long string does not pay for its length each time.
            text, self._text = self._text, ""
            self._write("")
            text += tail
            self._text = text
            self._write(text)
        return self._root

    @property
    def is_shown(self) -> bool:
        """True when there is a value and nothing forbids it."""
        return self._root is not UNSET and not self.forbidden

    def snapshot(self) -> Any:  # any JSON value
        """A copy that does not change."""
        return _copied(self.value)

    def settled(self) -> Any:  # any JSON value
        """The value as it stays: the open containers are copied, closed ones do not change any more."""
        value = self.value
        return self._copy_of_open(0) if self._stack else value

    def take_ops(self) -> tuple[PathOp, ...]:
        """The operations since the last call."""
        ops, self._ops = self._ops, []
        return tuple(ops)

    def _place(self, value: Any, tell: bool = True) -> None:
        """Put the next value where it belongs."""
        if self._stale is not None:
            self._settle_stale()
        stack = self._stack
        if not stack:
            self._root = value
        else:
            holder = stack[-1]
            if type(holder) is list:
                holder.append(value)
            else:
                if self.forbidden or self._key in _GUARDED_KEYS:
                    self._guard(holder)
                holder[self._key] = value
        if len(stack) < self._fresh and tell:
            self._tell_new(value)

    def _tell_new(self, value: Any) -> None:
        stack, path = self._stack, self._path
        if not stack:
            self._ops.append(PathOp(path, "set", value))
        elif type(stack[-1]) is list:
            self._ops.append(PathOp(path, "add", value))
        else:
            self._ops.append(PathOp((*path, self._key), "set", value))

    def _place_of_last(self) -> Path:
        if not self._stack:
            return self._path
        holder = self._stack[-1]
        return (*self._path, len(holder) - 1 if type(holder) is list else self._key)

    def _write(self, value: Any) -> None:
        """Replace the value that was placed last."""
        if not self._stack:
            self._root = value
        else:
            holder = self._stack[-1]
            holder[-1 if type(holder) is list else self._key] = value

    def _open(self, container: Any) -> None:
        self._place(container)
        if self._stack:
            self._path = self._place_of_last()
        self._stack.append(container)
        depth = len(self._stack)
        self.too_deep = self.too_deep or depth > MAX_DEPTH
        if depth < self._fresh:
            self._fresh, self._first_op = depth, len(self._ops) - 1

    def _close(self) -> None:
        if self._stale is not None:
            self._settle_stale()
        self._stack.pop()
        if len(self._stack) < self._fresh:
            self._fresh = NOWHERE
        if self._stack:
            self._path = self._path[:-1]

    def _guard(self, holder: dict[str, Any]) -> None:
        """See to the keys of secure-json-parse; overwriting a member may take forbidden ones away.

        Only what is overwritten is searched, so that each value is searched once at most.
        """
        key = self._key
        if key in holder:
            self._forbidden_count -= _forbidden_in({key: holder[key]}) - (key == "__proto__")
        else:
            in_constructor = len(self._stack) > 1 and self._path[-1] == "constructor"
            self._forbidden_count += key == "__proto__" or (key == "prototype" and in_constructor)
        self.forbidden = self._forbidden_count > 0

    def _open_string(self) -> None:
        self._place("", tell=False)
        self._text, self._pieces, self._run = "", [], []
        self._tail_high, self._is_new, self._dirty = False, True, False

    def _close_string(self) -> None:
        self._tell_string()
        self._write(self._text + "".join(self._pieces))
        self._text, self._pieces, self._dirty = "", [], False

    def _tell_string(self) -> None:
        text = "".join(self._run)
        self._run = []
        again = False
        if not text.isascii():
            text, again = self._join_halves(text)
        elif text:
            self._tail_high = False
        if not text and not self._is_new:
            return
        self._pieces.append(text)
        self._dirty = True
        if len(self._stack) < self._fresh:
            if self._is_new:
                self._tell_new(text)
            else:
                self._ops.append(PathOp(self._place_of_last(), "set" if again else "append", text))
        self._is_new = False

    def _join_halves(self, text: str) -> tuple[str, bool]:
        """Join surrogate halves; where one half was told of before, give the whole string and True."""
        text = joined(text)
        again = self._tail_high and "\udc00" <= text[0] <= "\udfff"
        if again:
            text = join_surrogates(self._text + "".join(self._pieces) + text)
            self._text, self._pieces = "", []
        self._tail_high = "\ud800" <= text[-1] <= "\udbff"
        return text, again

    def _show_number(self, ended: bool) -> None:
        """Show the number as far as the reference does: its scan keeps digits, and takes a `+` for the end."""
        whole = self._number
        in_object = bool(self._stack) and type(self._stack[-1]) is dict
        shown = whole.rstrip("eE-.")
        if "+" in whole and (in_object or whole[-1] == "+"):
            shown = whole[: max(whole.find("e"), whole.find("E"))]
        if not shown:
            return
        value = read_number(shown)
        if not self._number_shown:
            self._place(value)
            self._number_shown = True
        else:
            self._show_again(value)
        if ended and shown != whole:
            self._stale = (self._stack[-1], self._key, read_number(whole))

    def _show_again(self, value: float) -> None:
        holder = self._stack[-1] if self._stack else None
        old = self._root if holder is None else holder[-1 if type(holder) is list else self._key]
        if type(value) is not type(old) or value != old:
            self._write(value)
            if len(self._stack) < self._fresh:
                self._ops.append(PathOp(self._place_of_last(), "set", value))

    def _settle_stale(self) -> None:
        if self._stale is None:
            return
        (holder, key, value), self._stale = self._stale, None
        holder[key] = value
        if len(self._stack) < self._fresh:
            self._ops.append(PathOp((*self._path, key), "set", value))

    def _close_piece(self, in_string: bool) -> None:
        """Bring what is told up to date with the end of this piece of text."""
        if in_string:
            self._tell_string()
        if self._fresh != NOWHERE:
            _ = self.value  # the tree holds all of an open string now
            op = self._ops[self._first_op]
            self._ops[self._first_op] = PathOp(op.path, op.op, self._copy_of_open(self._fresh - 1))
            self._fresh = NOWHERE

    def _copy_of_open(self, first: int) -> Any:
        """Copy the open containers from this depth on; what is closed inside of them never changes again."""
        inner: Any = None
        for depth in range(len(self._stack) - 1, first - 1, -1):
            holder = self._stack[depth].copy()
            if depth < len(self._stack) - 1:
                holder[self._path[self._base + depth]] = inner
            inner = holder
        return inner


def _forbidden_in(value: Any) -> int:
    """How many keys of a value secure-json-parse refuses."""
    count, todo = 0, [value]
    while todo:
        node = todo.pop()
        if type(node) is dict:
            inner = node.get("constructor")
            count += ("__proto__" in node) + (type(inner) is dict and "prototype" in inner)
            todo.extend(node.values())
        elif type(node) is list:
            todo.extend(node)
    return count


def joined(text: str) -> str:
    """Join surrogate halves, at no cost for the texts that have none."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return join_surrogates(text)
    return text


def _copied(value: Any) -> Any:  # any JSON value
    if type(value) is dict:
        return {key: _copied(member) for key, member in value.items()}
    if type(value) is list:
        return [_copied(member) for member in value]
    return value
