"""The stream of `ai` 3.1 to 4.3, recognised and named: lines of a one-letter code, a colon and JSON.

Stage: ui_stream. It is no event stream, so a client of `ai` 5, 6 or 7 finds no data in it and shows a blank answer
without an error (run: 5.0.0, 5.0.277, 6.0.326 and 7.0.173 give zero chunks). The lab says what it is instead.
Source: `@ai-sdk/ui-utils` 1.2.11 of `ai` 4.3.19, `data-stream-parts.ts` (codes and the shape of each value).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from aisdk_lab.errors import cut
from aisdk_lab.wire import json_text

HEADER = "x-vercel-ai-data-stream"
"""The response header of the old server, with the value `v1`."""
HEAD_LINES = 20
"""How many lines are looked at to tell what a body is; each of them has to be a part."""


class OldRule(NamedTuple):
    """One code: what it was called, what its value is, which string keys it needs, and what says the same today."""

    name: str
    value: type
    keys: tuple[str, ...]
    today: str


PARTS: Mapping[str, OldRule] = {
    "0": OldRule("text", str, (), "text-delta"),
    "2": OldRule("data", list, (), "data-<name>"),
    "3": OldRule("error", str, (), "error"),
    "8": OldRule("message_annotations", list, (), "message-metadata"),
    "9": OldRule("tool_call", dict, ("toolCallId", "toolName"), "tool-input-available"),
    "a": OldRule("tool_result", dict, ("toolCallId",), "tool-output-available"),
    "b": OldRule("tool_call_streaming_start", dict, ("toolCallId", "toolName"), "tool-input-start"),
    "c": OldRule("tool_call_delta", dict, ("toolCallId", "argsTextDelta"), "tool-input-delta"),
    "d": OldRule("finish_message", dict, ("finishReason",), "finish"),
    "e": OldRule("finish_step", dict, ("finishReason",), "finish-step"),
    "f": OldRule("start_step", dict, ("messageId",), "start-step"),
    "g": OldRule("reasoning", str, (), "reasoning-delta"),
    "h": OldRule("source", dict, (), "source-url"),
    "i": OldRule("redacted_reasoning", dict, ("data",), "reasoning-start with providerMetadata"),
    "j": OldRule("reasoning_signature", dict, ("signature",), "reasoning-end with providerMetadata"),
    "k": OldRule("file", dict, ("data", "mimeType"), "file"),
}
"""Code → rule. A line with another code was an error already then."""


class OldPart(NamedTuple):
    """One line: `name` as `PARTS` calls it, `value` as JSON gave it."""

    code: str
    name: str
    value: Any


class OldDataStream(NamedTuple):
    """What was recognised: by the `header`, by the first `lines`, or by both, and what the stream said."""

    by_header: bool
    by_lines: bool
    text: str
    finish_reason: str | None
    example: str

    @property
    def finding(self) -> str:
        """What this is, what a client of today makes of it, and what to do: one sentence for a table of findings."""
        seen = f"lines such as {self.example}" if self.by_lines else f"the header {HEADER}"
        return (
            f"this is the old data stream of ai 4 (v4, {seen}), not a UI message stream: a client of ai 5, 6 or 7 gets "
            "zero chunks and no error from it, and shows a blank answer. Answer with `toUIMessageStreamResponse()` of "
            "ai 5 or newer, or read it with a client of ai 4."
        )


def read_line(line: str) -> OldPart | None:
    """The part in one line, or `None` when the line is none.

    >>> read_line('0:"Hello"')
    OldPart(code='0', name='text', value='Hello')
    """
    code, colon, text = line.partition(":")
    rule = PARTS.get(code)
    if rule is None or not colon:
        return None
    try:
        value = json_text.read(text)
    except json_text.JsonProblem:
        return None
    if not isinstance(value, rule.value) or not all(isinstance(value.get(key), str) for key in rule.keys):
        return None
    return OldPart(code, rule.name, value)


def detect(body: bytes | str, headers: Mapping[str, str] | None = None) -> OldDataStream | None:
    """The old data stream in a response, or `None` when it is something else.

    Each of the first `HEAD_LINES` lines that are not blank must be a part (the last may be cut off). The header alone
    is enough for a body without lines; it decides nothing where the lines are no parts, because no client reads it.
    Costs nothing much for other bodies: their first line ends the look.
    """
    by_header = any(name.lower() == HEADER for name in headers or ())
    lines = [line for line in _first_lines(body, HEAD_LINES) if line.strip()]
    if not lines:
        return OldDataStream(by_header, False, "", None, "") if by_header else None
    if not all(read_line(line) for line in lines[: max(1, len(lines) - 1)]):
        return None
    text, finish_reason = _told(body)
    return OldDataStream(by_header, True, text, finish_reason, cut(lines[0], 60))


def _first_lines(body: bytes | str, count: int) -> list[str]:
    """A line is ended by LF, as the old reader ended it; `count` lines and the beginning of the next."""
    data = body.encode("utf-8", "replace") if isinstance(body, str) else body
    pieces = data.removeprefix(b"\xef\xbb\xbf").split(b"\n", count)
    # The rest of the body stands in the last piece: only its first line is wanted.
    return [piece.partition(b"\n")[0].decode("utf-8", "replace") for piece in pieces]


def iter_parts(body: bytes | str) -> Iterator[OldPart]:
    """The parts of a body in order; lines that are none are left out."""
    text = body if isinstance(body, str) else body.decode("utf-8", "replace")
    for line in text.removeprefix("\ufeff").split("\n"):
        part = read_line(line)
        if part is not None:
            yield part


def _told(body: bytes | str) -> tuple[str, str | None]:
    """The visible text, and the finish reason of the message (of the last step when the message has none)."""
    words: list[str] = []
    reasons: dict[str, str] = {}
    for part in iter_parts(body):
        if part.name == "text":
            words.append(part.value)
        elif part.name in ("finish_message", "finish_step"):
            reasons[part.name] = part.value["finishReason"]
    return "".join(words), reasons.get("finish_message", reasons.get("finish_step"))
