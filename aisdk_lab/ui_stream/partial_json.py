"""Unfinished JSON: the value that the reference shows after every prefix, whole and incrementally.

Stage: ui_stream. `parse_partial_json` is the reference's function: parse strictly, else repair and parse strictly.
`PartialJsonParser` gives the same value and state after every delta, but a delta costs its own length, however much came
before: the value is one tree that grows, and each feed says what it did to it as path operations.

How it stays exact. As long as the text is the beginning of some JSON, a strict parser knows what the repair would show:
everything but an unfinished number tail, escape or key (`json_tree`). Two places need care there, because the
reference's scan does not read JSON properly: `1e+5` in an object shows as 1 until something after it counts, and an
escaped quote followed by a colon in a key leads the scan astray; then, until the scan has found back, each feed that
changes what the repair keeps or closes parses the whole text again, as the reference always does, unless the repair
closes what is not open, as it mostly does then. When the text stops
being JSON, it is parsed once more, and what that gave stays until the scan keeps another character: from there on
every parse fails, for good.

A number that goes on over many deltas is read again with each; numbers are short.

Source: observed, `ai` 7.0.173 `parsePartialJson`; recorded: tests/golden/partial_json, compared at every prefix.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from aisdk_lab.ui_stream.chunks import UNSET
from aisdk_lab.ui_stream.fix_json import FixScan, fix_json
from aisdk_lab.ui_stream.json_tree import JsonTree
from aisdk_lab.ui_stream.path_ops import Path, PathOp, apply_ops
from aisdk_lab.wire.json_text import JsonProblem, read

__all__ = ["PartialJson", "PartialJsonParser", "Path", "PathOp", "State", "apply_ops", "parse_partial_json"]

State = Literal["undefined-input", "successful-parse", "repaired-parse", "failed-parse"]
"""The reference's words for how a parse went."""


class PartialJson(NamedTuple):
    """What a prefix shows; `value` is `UNSET` when nothing can be shown."""

    value: Any  # any JSON value
    state: State


def parse_partial_json(text: str | None) -> PartialJson:
    """Parse a beginning of JSON as the reference does; `None` is JavaScript's undefined.

    >>> parse_partial_json('{"city": "Han')
    PartialJson(value={'city': 'Han'}, state='repaired-parse')
    """
    if text is None:
        return PartialJson(UNSET, "undefined-input")
    try:
        return PartialJson(read(text), "successful-parse")
    except JsonProblem:
        pass
    try:
        return PartialJson(read(fix_json(text)), "repaired-parse")
    except JsonProblem:
        return PartialJson(UNSET, "failed-parse")


class PartialJsonParser:
    """The same results as `parse_partial_json` of all text so far, for the price of the new text.

    >>> parser = PartialJsonParser()
    >>> parser.feed('{"city": "Han'), parser.feed('gzhou"')
    ((PathOp(path=(), op='set', value={'city': 'Han'}),), (PathOp(path=('city',), op='append', value='gzhou'),))
    >>> parser.value, parser.state
    ({'city': 'Hangzhou'}, 'repaired-parse')
    """

    __slots__ = ("_aligned_at", "_dead", "_parsed_at", "_prefix", "_result", "_scan", "_texts", "_tree", "_visible")

    def __init__(self, prefix: Path = ()) -> None:
        """`prefix` is put before the path of every operation: where the value stands in something greater."""
        self._prefix = prefix
        self._tree: JsonTree | None = JsonTree(prefix)  # None once the text has stopped being JSON
        self._texts: list[str] = []  # all text, for the cases that parse it again
        self._scan: FixScan | None = None  # the reference's scan, while it is not where the tree is
        self._aligned_at: int | None = None  # how far the scan had kept when it was first seen where the tree is
        self._parsed_at: tuple[int, str, bool] | None = None  # what the scan kept and closed at the last whole parse
        self._result: PartialJson | None = None  # of a whole parse; while there is one it stands for the tree
        self._dead = False  # every longer text fails, too
        self._visible = False  # the last feed left a value

    @property
    def value(self) -> Any:  # any JSON value, or UNSET
        """The value that shows now, `UNSET` where the reference's parse fails.

        It is the parser's own tree, which the next feed changes: copy what must stay.
        """
        if self._result is not None:
            return self._result.value
        return self._tree.value if self._tree is not None and self._visible else UNSET

    def snapshot(self) -> Any:  # any JSON value, or UNSET
        """The value that shows now, which later feeds do not change.

        Only the containers that are still open are copied; what is closed is shared with the parser: read-only.
        """
        if self._result is not None:
            return self._result.value
        return self._tree.settled() if self._tree is not None and self._visible else UNSET

    @property
    def state(self) -> State:
        """How the reference's parse of the text so far goes; before the first text as for an empty one."""
        if self._result is not None:
            return self._result.state
        if self._tree is None or not self._visible:
            return "failed-parse"
        return "successful-parse" if self._tree.is_complete else "repaired-parse"

    def feed(self, delta: str) -> tuple[PathOp, ...]:
        """Take more text; return what that did to the value, in operations that give it when applied to a copy."""
        if self._dead or not delta:
            return ()
        tree = self._tree
        if tree is None:
            return self._feed_frozen(delta)
        self._texts.append(delta)
        if self._scan is not None:
            self._scan.feed(delta)
        rest = tree.feed(delta)
        ops = tree.take_ops()
        if tree.astray is not None:
            self._lose_the_scan(tree)
        if rest is not None:
            return self._freeze(tree, rest, ops)
        if self._scan is not None:
            return self._feed_astray(tree, self._scan)
        if tree.too_deep:
            return self._die()
        return ops if self._visible and not tree.forbidden else self._tell(tree, ops)

    def _tell(self, tree: JsonTree, ops: tuple[PathOp, ...]) -> tuple[PathOp, ...]:
        """The tree's own operations, unless a forbidden key hides it or no longer does."""
        was, self._visible = self._visible, tree.is_shown
        if was and self._visible:
            return ops
        if self._visible:
            began_now = bool(ops) and ops[0].path == self._prefix and ops[0].op == "set"
            return ops if began_now else (PathOp(self._prefix, "set", tree.snapshot()),)
        return (PathOp(self._prefix, "remove"),) if was else ()

    def _tell_result(self, result: PartialJson) -> tuple[PathOp, ...]:
        """The whole value, which a whole parse gave."""
        self._result = result
        was, self._visible = self._visible, result.value is not UNSET
        if self._visible:
            return (PathOp(self._prefix, "set", result.value),)
        return (PathOp(self._prefix, "remove"),) if was else ()

    def _freeze(self, tree: JsonTree, rest: str, ops: tuple[PathOp, ...]) -> tuple[PathOp, ...]:
        """The text is not JSON from `rest` on: parse it once more and see what the scan still does."""
        if self._scan is None:
            self._scan = FixScan(*tree.fix_place())
            self._scan.feed(rest)
        result = parse_partial_json("".join(self._texts))
        # They differ only where the whole text was a number like 0e+1, of which the repair keeps the 0.
        shown = tree.value if self._result is None and tree.is_shown else UNSET
        is_same = shown is not UNSET and type(result.value) is type(shown) and result.value == shown
        self._tree, self._texts = None, []
        if not is_same:
            return self._tell_result(result)
        told = self._tell(tree, ops)
        self._result = result
        return told

    def _feed_frozen(self, delta: str) -> tuple[PathOp, ...]:
        scan = self._scan
        if scan is None:
            return ()
        kept = scan.last_valid
        scan.feed(delta)
        return () if scan.last_valid == kept else self._die()

    def _die(self) -> tuple[PathOp, ...]:
        self._dead = True
        self._tree, self._scan, self._texts = None, None, []
        return self._tell_result(PartialJson(UNSET, "failed-parse"))

    def _lose_the_scan(self, tree: JsonTree) -> None:
        """The reference's scan has left a key that goes on: follow it until it is where the tree is."""
        stack, tail = tree.take_astray()
        self._aligned_at, tree.is_followed = None, True
        if self._scan is None:
            self._scan = FixScan(stack)
            self._scan.feed(tail)

    def _feed_astray(self, tree: JsonTree, scan: FixScan) -> tuple[PathOp, ...]:
        if tree.too_deep or tree.is_inside_escape or tree.fix_place() != scan.place():
            self._aligned_at = None
        elif self._aligned_at is None:
            self._aligned_at = scan.last_valid
        elif scan.last_valid > self._aligned_at:
            # Both were at the same place and the scan has kept something since: from now on they agree.
            self._scan, self._aligned_at, self._parsed_at, self._result = None, None, None, None
            tree.is_followed = False
            was, self._visible = self._visible, tree.is_shown
            if self._visible:
                return (PathOp(self._prefix, "set", tree.snapshot()),)
            return (PathOp(self._prefix, "remove"),) if was else ()
        # The repair keeps and closes the same as when it was last parsed, and the text itself is no JSON either.
        repair = scan.last_valid, scan.closers(), tree.is_complete
        if repair == self._parsed_at:
            return ()
        self._parsed_at = repair
        if scan.keeps_all and not tree.is_complete and not tree.is_closed_by(scan.closers()):
            # Told without a parse: an astray scan mostly closes what is not open, and stays astray for long.
            return self._tell_result(PartialJson(UNSET, "failed-parse"))
        self._texts = ["".join(self._texts)]
        return self._tell_result(parse_partial_json(self._texts[0]))
