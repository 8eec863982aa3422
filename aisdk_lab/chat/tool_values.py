"""What may go into a conversation as the answer to a call: a JSON value, or words that say what went wrong.

Stage: chat, pure. A tool is other people's code: it may raise anything, exceptions that cannot say themselves included.
"""

from __future__ import annotations

from typing import Any

from aisdk_lab.errors import LabError
from aisdk_lab.wire import json_text

_DEEPEST = 200
"""Open containers in a value: below `json_text.MAX_DEPTH` by what stands around it in a request."""
_TEXT_CHARS = 2_000
"""Length of an error's text: a model reads it, and a person."""


class ToolFailed(LabError):
    """A tool's own code raised; the text is what the model gets as the error of its call."""


def problem_text(problem: BaseException) -> str:
    """`Type: text` of an exception, whatever its `__str__` does."""
    name = type(problem).__name__
    try:
        text = str(problem)
    except BaseException as other:  # noqa: BLE001  # it is the tool's code too, and must not end the kernel
        text = f"its text cannot be read ({type(other).__name__})"
    return f"{name}: {text[:_TEXT_CHARS]}…" if len(text) > _TEXT_CHARS else f"{name}: {text}"


def check_json(value: Any) -> None:
    """Raise for what no request can carry: `TypeError` for no JSON, `ValueError` for a circle or too deep a value."""
    level, depth = [value], 0
    while level:
        if depth > _DEEPEST:
            raise ValueError(f"the value is nested more than {_DEEPEST} deep")
        depth += 1
        level = [
            member
            for node in level
            if isinstance(node, dict | list | tuple)
            for member in (node.values() if isinstance(node, dict) else node)
            if isinstance(member, dict | list | tuple)
        ]
    json_text.write_bytes(value)
