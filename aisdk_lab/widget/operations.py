"""The operations that carry a document to its views, and what they mean.

Stage: widget. A view applies the same operations in TypeScript (widget_js/src/apply.ts); `apply_operations` here is the
meaning that the tests hold both to.

`["append", path, text]` lengthens the string at `path`; `["add", path, value]` pushes to the list at `path`;
`["set", path, value]` assigns the key or index at the end of `path`, with `[]` the whole document;
`["remove", path]` deletes a key, or a list item with those behind it moving up.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from typing import Any

Path = list[str | int]
Operation = list[Any]  # [op, path, value?]: JSON as it travels
JsonObject = dict[str, Any]


class Text:
    """A string that is being appended to: pieces, joined when somebody reads them.

    A plain string would be copied with each of ten thousand deltas, which is quadratic.
    """

    __slots__ = ("_pieces",)

    def __init__(self, text: str) -> None:
        self._pieces = [text]

    def append(self, text: str) -> None:
        """Lengthen the text; the cost is that of the new piece."""
        self._pieces.append(text)

    def __str__(self) -> str:
        if len(self._pieces) > 1:
            self._pieces = ["".join(self._pieces)]
        return self._pieces[0]


def plain(value: Any) -> Any:
    """A copy of a document or of a piece of one, with every `Text` as the string that it is."""
    if isinstance(value, dict):
        return {key: plain(member) for key, member in value.items()}
    if isinstance(value, list):
        return [plain(member) for member in value]
    return str(value) if isinstance(value, Text) else value


def apply_operation(document: JsonObject, operation: Sequence[Any]) -> JsonObject:
    """Apply one operation in place; returns the document, which `set` at `[]` makes a new one.

    Raises `LookupError` or `TypeError` when the operation does not fit: the two sides have come apart.
    """
    op, path = operation[0], operation[1]
    if not path:
        if op != "set":
            raise TypeError(f"cannot {op} the whole document")
        return copy.deepcopy(operation[2])
    if op == "add":
        _enter(document, path).append(copy.deepcopy(operation[2]))
        return document
    parent, key = _enter(document, path[:-1]), path[-1]
    if op == "append":
        old = parent[key]
        if isinstance(old, Text):
            old.append(operation[2])
        else:
            parent[key] = Text(old)
            parent[key].append(operation[2])
    elif op == "remove":
        del parent[key]
    elif isinstance(parent, list) and key == len(parent):
        parent.append(copy.deepcopy(operation[2]))
    else:
        parent[key] = copy.deepcopy(operation[2])
    return document


def apply_operations(document: JsonObject, operations: Iterable[Sequence[Any]]) -> JsonObject:
    """The document after the operations, as plain JSON; the one given stays as it was."""
    document = plain(document)
    for operation in operations:
        document = apply_operation(document, operation)
    return plain(document)


def _enter(document: JsonObject, path: Sequence[str | int]) -> Any:
    place: Any = document
    for step in path:
        place = place[step]
    return place
