"""What happened when: one capture as spans and marks on the clock of its request.

Metrics and the timing picture both read this, so that a number and the picture of it cannot disagree. The grammar's
tables say which chunk opens, feeds and closes what; only what a state of a tool means for the clock is said here.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, TypeAlias

from aisdk_lab.capture import Capture, EndState
from aisdk_lab.ui_stream import grammar
from aisdk_lab.ui_stream.chunks import Chunk
from aisdk_lab.ui_stream.messages import is_tool_part, tool_name
from aisdk_lab.wire.frame import Frame

SpanKind: TypeAlias = Literal["step", "text", "reasoning", "tool-input", "tool-run", "human-wait"]
MarkKind: TypeAlias = Literal["data", "error"]


@dataclass(frozen=True, slots=True)
class Span:
    """Something that took time. Milliseconds since the request of its exchange."""

    kind: SpanKind
    label: str
    """The tool's name or title, `1`, `2` … for steps, the block's id for text and reasoning."""
    start_ms: float
    end_ms: float | None
    """`None`: it did not end in this capture."""
    key: str = ""
    """`toolCallId` or the block's id."""
    exchange: int = 1
    """Which of several exchanges it belongs to, from 1."""

    @property
    def duration_ms(self) -> float | None:
        """How long it took; `None` when it did not end, 0 where the clock of the file ran backwards."""
        return None if self.end_ms is None else max(0.0, self.end_ms - self.start_ms)


@dataclass(frozen=True, slots=True)
class Mark:
    """Something that happened at one moment."""

    kind: MarkKind
    label: str
    t_ms: float


@dataclass
class _Call:
    """A tool call while the chunks are read."""

    name: str
    approval_id: str | None = None
    phase: SpanKind | None = None
    since_ms: float = 0.0


@dataclass(frozen=True)
class Timeline:
    """A capture with its chunks, spans and marks; made once, read by every metric."""

    capture: Capture
    chunks: tuple[tuple[Frame, Chunk], ...]
    spans: tuple[Span, ...]
    """In the order in which they began. Empty without a clock."""
    marks: tuple[Mark, ...]

    @classmethod
    def of(cls, capture: Capture) -> Timeline:
        """Reads the capture once."""
        chunks = tuple(capture.chunks())
        calls = {part["toolCallId"]: part for part in capture.message()["parts"] if is_tool_part(part)}
        reader = _Reader({key: str(part.get("title") or tool_name(part)) for key, part in calls.items()})
        for frame, chunk in chunks:
            if frame.t_ns is not None:
                reader.feed(frame.t_ns / 1e6, chunk)
        return cls(capture, chunks, reader.close(capture.waiting), tuple(reader.marks))

    @cached_property
    def end_state(self) -> EndState:
        """How the exchange ended."""
        return self.capture.end_state

    def delta_times_ms(self, scope: str) -> list[float]:
        """When something to read came for the blocks of a scope (`text`, `reasoning`): empty deltas do not count."""
        times: list[float] = []
        for frame, chunk in self.chunks:
            rule = grammar.chunk_rule(chunk["type"])
            if (
                rule is not None
                and (rule.scope, rule.act) == (scope, "feeds")
                and chunk["delta"]
                and frame.t_ns is not None
            ):
                times.append(frame.t_ns / 1e6)
        return times


class _Reader:
    """Chunks in arrival order to spans and marks."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names
        self.spans: list[Span] = []
        self.marks: list[Mark] = []
        self._open: dict[tuple[str, str], Span] = {}
        self._calls: dict[str, _Call] = {}
        self._steps = 0

    def feed(self, t_ms: float, chunk: Chunk) -> None:
        rule = grammar.chunk_rule(chunk["type"])
        if rule is None:
            return
        if rule.scope == "tool":
            self._tool(t_ms, chunk)
        elif rule.scope in ("step", "text", "reasoning"):
            self._block(t_ms, chunk, rule.scope, rule.act)
        elif rule.scope in ("data", "part"):
            self.marks.append(Mark("data", chunk["type"].removeprefix(grammar.DATA_PREFIX), t_ms))
        elif "errorText" in rule.fields:
            self.marks.append(Mark("error", str(chunk["errorText"]), t_ms))

    def close(self, waiting: Collection[str]) -> tuple[Span, ...]:
        """What is still open stays open; a call that waits for the person has done so since its input was there."""
        for key, call in self._calls.items():
            if call.phase == "tool-run" and key in waiting:
                call.phase = "human-wait"
            if call.phase is not None:
                self._end(key, call, None)
        self.spans.extend(self._open.values())
        return tuple(sorted(self.spans, key=lambda span: span.start_ms))

    def _block(self, t_ms: float, chunk: Chunk, kind: SpanKind, act: str) -> None:
        key = (kind, str(chunk.get("id", "")))
        if act == "opens":
            if kind == "step":
                self._steps += 1
            if key in self._open:  # a second start with the same id: the first one never ends
                self.spans.append(self._open.pop(key))
            label = str(self._steps) if kind == "step" else key[1]
            self._open[key] = Span(kind, label, t_ms, None, key[1])
        elif act == "closes" and key in self._open:
            self.spans.append(replace(self._open.pop(key), end_ms=t_ms))

    def _tool(self, t_ms: float, chunk: Chunk) -> None:
        key, call = self._call(chunk)
        if call is None:
            return
        state = grammar.TOOL_TRANSITIONS[chunk["type"]]
        if state == "input-streaming":
            if call.phase is None:
                call.phase, call.since_ms = "tool-input", t_ms
        elif state == "input-available":
            self._turn(key, call, "tool-run", t_ms)
        elif state == "approval-requested":
            call.approval_id = chunk["approvalId"]
            if chunk.get("isAutomatic") is not True:
                self._turn(key, call, "human-wait", t_ms)
        elif state == "approval-responded":
            self._turn(key, call, "tool-run" if chunk["approved"] else None, t_ms)
        elif chunk.get("preliminary") is not True:
            self._turn(key, call, None, t_ms)
            if "errorText" in chunk:
                self.marks.append(Mark("error", f"{call.name}: {chunk['errorText']}", t_ms))

    def _call(self, chunk: Chunk) -> tuple[str, _Call | None]:
        if "toolCallId" not in chunk:  # an answer names its approval only
            for key, call in self._calls.items():
                if call.approval_id == chunk.get("approvalId"):
                    return key, call
            return "", None
        key = chunk["toolCallId"]
        if key not in self._calls:
            # A call from an earlier exchange: its run began with the request that brought the decision.
            ran = "toolName" not in chunk and grammar.TOOL_TRANSITIONS[chunk["type"]] in (
                "output-available",
                "output-error",
            )
            self._calls[key] = _Call(self._names.get(key, key), phase="tool-run" if ran else None)
        return key, self._calls[key]

    def _turn(self, key: str, call: _Call, phase: SpanKind | None, t_ms: float) -> None:
        """Ends the phase in which a call is and begins the next; what had to be allowed first did not run."""
        if (call.phase, phase) != ("tool-run", "human-wait"):
            self._end(key, call, t_ms)
        call.phase, call.since_ms = phase, t_ms

    def _end(self, key: str, call: _Call, t_ms: float | None) -> None:
        if call.phase is not None:
            self.spans.append(Span(call.phase, call.name, call.since_ms, t_ms, key))
