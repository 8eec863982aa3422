"""What a delta did to a JSON value, as operations on paths.

Stage: ui_stream. The parser of unfinished JSON says what changed in these words, and so do the changes of the reducer;
whoever holds a copy of the value applies them and pays for the delta only.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import msgspec

from aisdk_lab.ui_stream.chunks import UNSET

Path = tuple[str | int, ...]


class PathOp(msgspec.Struct, frozen=True, gc=False):
    """One change to a value.

    `set` or `remove` what is at `path`, `append` text to the string at `path`, or `add` an element to the end of the
    list at `path`. The path `()` is the whole value.
    """

    path: Path
    op: Literal["set", "append", "remove", "add"]
    value: Any = None  # any JSON value


def apply_ops(value: Any, ops: Iterable[PathOp]) -> Any:  # any JSON value, or UNSET
    """Apply operations to a value, in place where it is a container, and return it.

    >>> apply_ops({"city": "Han"}, [PathOp(("city",), "append", "gzhou")])
    {'city': 'Hangzhou'}
    """
    for operation in ops:
        path, op, new = operation.path, operation.op, operation.value
        if not path and op != "add":
            value = UNSET if op == "remove" else value + new if op == "append" else new
            continue
        holder = value
        for key in path if op == "add" else path[:-1]:
            holder = holder[key]
        if op == "add":
            holder.append(new)
        elif op == "set":
            holder[path[-1]] = new
        elif op == "append":
            holder[path[-1]] += new
        else:
            del holder[path[-1]]
    return value
