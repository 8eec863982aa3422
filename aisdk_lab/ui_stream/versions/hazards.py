"""Where a stream of accepted chunks still dies, or shows something else, in an older client.

Stage: ui_stream. The schema is asked by `first_refusal`; here stand the behaviours that a stream can run into, found in
one pass. Each is a row of `behaviours`; what nobody sees (ids of reasoning parts, raw input) is not reported.
Source: `ai` 5.0.0 to 7.0.173, run (tests/golden/versions/sequence_ends.jsonl).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

from aisdk_lab.ui_stream.chunks import Chunk
from aisdk_lab.ui_stream.grammar import CHUNKS, ChunkRule
from aisdk_lab.ui_stream.versions.behaviours import has, named
from aisdk_lab.ui_stream.versions.release import REFERENCE, read_version

Effect = Literal["dies", "differs"]


class Hazard(NamedTuple):
    """One place, counted from 0, where the older client leaves the way of 7.0.173: it dies there, or shows otherwise."""

    place: int
    effect: Effect
    behaviour: str
    older: str
    instead: str


class _Call(NamedTuple):
    """What the stream said of a call: how its part began, and in which step."""

    name: Any
    is_dynamic: bool
    step: int


class _Watch:
    """What a pass has to remember: open blocks, those that a finish-step cut off, calls, the message's id."""

    def __init__(self) -> None:
        self.open: set[tuple[str, Any]] = set()
        self.cut: set[tuple[str, Any]] = set()
        self.calls: dict[Any, _Call] = {}
        self.message_id: Any = None
        self.step = 0

    def see(self, chunk: Chunk, rule: ChunkRule) -> Iterator[tuple[Effect, str]]:
        """The behaviours that this chunk depends on."""
        if rule.scope in ("text", "reasoning"):
            yield from self._block(chunk, rule)
        elif rule.scope == "step":
            self._step(chunk["type"])
        elif rule.scope == "tool":
            yield from self._tool(chunk)
        elif chunk["type"] == "start" and chunk.get("messageId") is not None:
            if self.message_id is not None and chunk["messageId"] != self.message_id:
                yield "differs", "new-id-resets-reader"
            self.message_id = chunk["messageId"]

    def _block(self, chunk: Chunk, rule: ChunkRule) -> Iterator[tuple[Effect, str]]:
        block = (rule.scope, chunk["id"])
        if rule.act == "opens":
            self.open.add(block)
            self.cut.discard(block)
            return
        if block in self.cut:
            yield "dies", "finish-step-keeps-blocks"
        if rule.act == "closes":
            self.open.discard(block)
            self.cut.discard(block)

    def _step(self, kind: str) -> None:
        if kind == "start-step":
            self.step += 1
        elif kind == "finish-step":
            self.cut |= self.open
            self.open.clear()

    def _tool(self, chunk: Chunk) -> Iterator[tuple[Effect, str]]:
        call_id = chunk.get("toolCallId")
        call = self.calls.get(call_id)
        if "toolName" in chunk:
            yield from self._input(chunk, call)
            self.calls[call_id] = _Call(chunk["toolName"], chunk.get("dynamic") is True, self.step)
        elif chunk["type"] in ("tool-output-available", "tool-output-error"):
            if call is not None and call.is_dynamic and chunk.get("dynamic") is not True:
                yield "dies", "dynamic-part-is-found"
            if "toolMetadata" in chunk:
                yield "differs", "output-tool-metadata"
            if "providerMetadata" in chunk:
                yield "differs", "result-metadata"

    def _input(self, chunk: Chunk, call: _Call | None) -> Iterator[tuple[Effect, str]]:
        if call is not None and call.step != self.step:
            yield "differs", "call-id-belongs-to-step"
        elif call is not None and call.name != chunk["toolName"] and not call.is_dynamic:
            yield "differs", "available-renames-part"
        if chunk["type"] == "tool-input-error" and chunk.get("dynamic") is not True:
            yield "differs", "failed-input-in-input"
        if chunk.get("inputEncoding") == "text":
            yield "differs", "text-input-is-shown"


def find_hazards(chunks: Iterable[Mapping[str, Any]], version: str = REFERENCE) -> list[Hazard]:
    """Where a client of that version dies or shows something else than 7.0.173, in order of the stream.

    Chunks that it refuses are not reported (`first_refusal`), nor is an order that is wrong for every client. After the
    first that `dies` the rest is what it would have met.

    >>> end = [{"type": "finish-step"}, {"type": "text-delta", "id": "t", "delta": "x"}]
    >>> [(one.place, one.effect) for one in find_hazards([{"type": "text-start", "id": "t"}, *end], "6")]
    [(2, 'dies')]
    """
    release = read_version(version)
    watch = _Watch()
    found: list[Hazard] = []
    for place, chunk in enumerate(chunks):
        rule = CHUNKS.get(str(chunk.get("type")))
        if rule is None or any(field.required and key not in chunk for key, field in rule.fields.items()):
            continue
        for effect, name in watch.see(dict(chunk), rule):
            if not has(name, release):
                behaviour = named(name)
                found.append(Hazard(place, effect, name, behaviour.older, behaviour.instead))
    return found
