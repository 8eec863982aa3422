"""Messages and their parts as plain dicts, and the few questions that everybody asks of them.

Stage: ui_stream. Source: `ai` 7.0.173 `ui-messages.ts` (part types, names of tools, current step).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Part = dict[str, Any]
"""One element of `message["parts"]`; keys as on the wire."""
Message = dict[str, Any]
"""`{"id", "role", "metadata"?, "parts"}`."""

TOOL_PREFIX = "tool-"
DYNAMIC_TOOL = "dynamic-tool"
STEP_START = "step-start"


def is_tool_part(part: Part) -> bool:
    """True for static (`tool-<name>`) and dynamic (`dynamic-tool`) tool parts."""
    kind = part.get("type")
    return isinstance(kind, str) and (kind == DYNAMIC_TOOL or kind.startswith(TOOL_PREFIX))


def tool_name(part: Part) -> str:
    """The tool's name: `toolName` of a dynamic part, else everything after the first dash of the type."""
    kind = str(part["type"])
    return str(part.get("toolName", "")) if kind == DYNAMIC_TOOL else kind.partition("-")[2]


def last_step(parts: Sequence[Part]) -> Sequence[Part]:
    """The parts after the last `step-start`; all of them when there is none."""
    for index in range(len(parts) - 1, -1, -1):
        if parts[index].get("type") == STEP_START:
            return parts[index + 1 :]
    return parts


def text_of(message: Message) -> str:
    """The text parts of a message, joined without separator."""
    return "".join(str(part.get("text", "")) for part in message.get("parts", ()) if part.get("type") == "text")
