"""The version axis as one open table: every chunk type, field, value and behaviour with its life.

Stage: ui_stream. Types and fields come from `grammar` (their `since` columns); here stand what only older releases knew,
the lives of enum values, and what to send to a client that does not know a name.
Source: `ai` 5.0.0 to 7.0.173, run (tests/golden/versions).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Literal, NamedTuple

from aisdk_lab.ui_stream import grammar
from aisdk_lab.ui_stream.grammar import ChunkRule, Field, Since
from aisdk_lab.ui_stream.versions.behaviours import BEHAVIOURS
from aisdk_lab.ui_stream.versions.release import Life, Release

RowKind = Literal["type", "field", "value", "behaviour"]

LEGACY_CHUNKS: Mapping[str, tuple[ChunkRule, Since]] = {
    "reasoning": (
        ChunkRule(
            {"text": Field("string", required=True), "providerMetadata": Field("provider-metadata")}, "adds", "part"
        ),
        ("5.0.52",),
    ),
    "reasoning-part-finish": (ChunkRule({}, "marks", "part"), ("5.0.52",)),
}
"""Types that only early 5.0 accepts, and until when. Its reducer does nothing with them."""

VALUES: Mapping[str, Mapping[str, Life]] = {
    "finish-reason": {
        **dict.fromkeys(grammar.FINISH_REASONS, Life(("5.0.92",))),
        "interrupted": Life(("7.0.149",)),
        "unknown": Life(("5.0.92",), ("6.0.0",)),
    },
    "input-encoding": dict.fromkeys(grammar.INPUT_ENCODINGS, Life(("6.0.308", "7.0.142"))),
}
"""Kind of field → its values with their lives."""

INSTEAD: Mapping[str, str] = {
    "custom": "a `data-<name>` chunk",
    "reasoning": "`reasoning-start`, `reasoning-delta`, `reasoning-end`",
    "reasoning-file": "a `file` chunk",
    "reasoning-part-finish": "`reasoning-end`",
    "reset-step": "hold the step back until it stands, or let the retried parts stay",
    "steering-message": "a `data-<name>` chunk",
    "tool-approval-request": "ask with a client tool (an unanswered `tool-input-available`)",
    "tool-approval-response": "only the result: the output or `tool-output-denied`",
    "tool-input-error": "`tool-input-available`, then `tool-output-error`",
    "tool-output-denied": "`tool-output-error` that says the call was denied",
    "abort.reason": "`abort` without it",
    "finish.finishReason": "`messageMetadata` of the same chunk",
    "finish.finishReason=interrupted": "an `error` chunk, then `finishReason: error`",
    "finish.finishReason=unknown": "`other`",
    "text-end.citations": "`source-url` and `source-document` chunks",
    "tool-input-start.inputEncoding": "no deltas of a text input; `tool-input-available` with the whole text",
    "tool-output-available.preliminary": "only the final output",
    "tool-approval-request.reason": "a `data-<name>` chunk beside the request",
    "tool-approval-request.isAutomatic": "no request; the output or `tool-output-denied` alone",
    "tool-approval-request.signature": "no signature; check the decision against the server's own record",
}
"""What to send to a client that does not know a type, field or value; where nothing stands, leave it out."""
LEAVE_OUT = "leave it out"


class Row(NamedTuple):
    """One fact of the version axis.

    `since` and `until` hold one release a line (see `grammar.Since`); `older` is what a client outside that life does.
    """

    name: str
    kind: RowKind
    since: Since
    until: Since
    older: str
    instead: str
    source: str

    def holds(self, release: Release) -> bool:
        """Whether that release knows or does it."""
        return Life(self.since, self.until).holds(release)


_RECORDED = "recorded: tests/golden/versions"
_REFUSED = "refuses the chunk; the stream ends with AI_TypeValidationError"
_FIELD_LOST = "strict releases refuse the chunk, loose ones ignore the field (row loose-chunks)"


def all_chunk_rules() -> Iterator[tuple[str, ChunkRule, Since]]:
    """Every type that any release knows, with its rule and until when; the open family as `data-<name>`."""
    for kind, rule in grammar.CHUNKS.items():
        yield kind, rule, ()
    yield f"{grammar.DATA_PREFIX}<name>", grammar.DATA_CHUNK, ()
    for kind, (rule, until) in LEGACY_CHUNKS.items():
        yield kind, rule, until


def _vocabulary() -> Iterator[Row]:
    for kind, rule, until in all_chunk_rules():
        yield Row(kind, "type", rule.since, until, _REFUSED, INSTEAD.get(kind, LEAVE_OUT), _RECORDED)
        for name, field in rule.fields.items():
            path = f"{kind}.{name}"
            since = later(rule.since, field.since)
            instead = INSTEAD.get(path, LEAVE_OUT)
            yield Row(path, "field", since, until, _FIELD_LOST, instead, _RECORDED)
            for value, life in VALUES.get(field.kind, {}).items():
                about = f"{path}={value}"
                yield Row(about, "value", *life, _REFUSED, INSTEAD.get(about, instead), _RECORDED)


def later(type_since: Since, field_since: Since) -> Since:
    """Since when a field is there: not before its type."""
    return type_since if field_since == grammar.ALWAYS else field_since


def _behaviour_rows() -> Iterator[Row]:
    for behaviour in BEHAVIOURS:
        source = f"{_RECORDED}, {behaviour.recorded}" if behaviour.recorded else "change log of `ai`"
        older = behaviour.older if behaviour.side == "client" else f"(server) {behaviour.older}"
        yield Row(behaviour.name, "behaviour", behaviour.since, (), older, behaviour.instead, source)


@cache
def all_rows() -> tuple[Row, ...]:
    """The whole table, vocabulary first; `pandas.DataFrame(all_rows())` shows it."""
    return (*_vocabulary(), *_behaviour_rows())


def rows_that_differ(one: Release, other: Release) -> list[Row]:
    """The facts in which two releases differ: what a server of one and a client of the other may stumble over."""
    return [row for row in all_rows() if row.holds(one) != row.holds(other)]
