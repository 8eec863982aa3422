"""Plays a script: actions to chunks, and the results of decided calls back into the script.

Stage: agents. A script that waited is played again from its start: silently up to the call that was decided, whose
result is given first (before any `start-step`, as the reference server does), and aloud from there on. The message that
goes on holds every earlier result, so nothing has to be remembered between two requests.
Source: order of chunks as `ai` 7.0.173 gives them (spec §7, §14; recorded: tests/golden/agents).
"""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Callable, Generator, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from aisdk_lab.agents._actions import (
    Action,
    Call,
    CallResult,
    Fail,
    NextStep,
    Rest,
    Say,
    ScriptError,
    ScriptTurn,
    Tell,
    Together,
)
from aisdk_lab.agents._base import Turn
from aisdk_lab.agents._pieces import json_pieces, text_pieces
from aisdk_lab.errors import ChunkError
from aisdk_lab.ui_stream.chunks import Chunk
from aisdk_lab.ui_stream.messages import Part, is_tool_part, tool_name
from aisdk_lab.ui_stream.writer import ChunkWriter
from aisdk_lab.wire import json_text

Script = Callable[[ScriptTurn], Generator[Any, Any, None]]
"""A generator function: yields actions, is sent results."""

_ACTIONS = (Say, Call, Together, Tell, Rest, NextStep, Fail)


@dataclass(frozen=True, slots=True)
class _Event:
    """Something that a running tool gives: after how many seconds, and what."""

    at: float
    call: Call
    preliminary: bool
    value: Any


class Player:
    """One run of one script. `heard` is told the name of every client tool that the script calls."""

    def __init__(self, name: str, script: Script, turn: Turn, delay_ms: float, heard: Callable[[str], None]) -> None:
        self._name = name
        self._turn = turn
        self._heard = heard
        parts = turn.continued["parts"] if turn.continued else ()
        self._parts: dict[str, Part] = {part["toolCallId"]: part for part in parts if is_tool_part(part)}
        self._decided = {decision.tool_call_id for decision in turn.decisions}
        self._replaying = bool(self._decided)
        self._results: dict[str, CallResult] = {}
        self._writer = ChunkWriter(known_calls={key: part["state"] for key, part in self._parts.items()})
        self._calls_are_last = False
        self._yields = 0
        self._script = script(ScriptTurn(turn, delay_ms))

    async def play(self) -> AsyncIterator[Chunk]:
        """The chunks of the run.

        Raises:
            ScriptError: the script yielded something that is no action, raised, or is not the same when played again.
        """
        result: Any = None
        try:
            while (action := self._next(result)) is not None:
                try:
                    async for chunk in self._perform(action):
                        yield chunk
                except (ChunkError, TypeError, ValueError) as error:
                    raise ScriptError(f"script {self._name!r}, yield {self._yields}: {error}") from error
                if isinstance(action, Fail) and not self._replaying:
                    return
                calls = _calls_of(action)
                open_calls = [call.tool_call_id for call in calls if call.tool_call_id not in self._results]
                if open_calls and self._replaying:
                    raise ScriptError(self._not_pure(f"call {open_calls[0]}, which has no result, comes before"))
                if open_calls:
                    for chunk in self._writer.finish("tool-calls"):
                        yield chunk
                    return
                results = tuple(self._results[call.tool_call_id] for call in calls)
                result = results if isinstance(action, Together) else results[0] if results else None
        finally:
            self._script.close()
        for chunk in self._end():
            yield chunk

    def _next(self, result: Any) -> Action | None:
        """The next action, or `None` when the script is over."""
        try:
            action = self._script.send(result)
        except StopIteration:
            if self._replaying:
                raise ScriptError(self._not_pure("it came to its end without")) from None
            return None
        except Exception as error:
            raise ScriptError(
                f"script {self._name!r} raised after yield {self._yields}: {type(error).__name__}: {error}"
            ) from error
        self._yields += 1
        if not isinstance(action, _ACTIONS):
            raise ScriptError(
                f"script {self._name!r} yielded {action!r} at yield {self._yields}; "
                "yield what turn.text(), turn.tool(), turn.plan() and their kin return"
            )
        return action

    def _not_pure(self, what: str) -> str:
        return (
            f"script {self._name!r}, played again: {what} the call that was decided ({', '.join(sorted(self._decided))}). "
            "A script must do the same each time it is played."
        )

    def _end(self) -> list[Chunk]:
        """The script said everything. After tool calls the model is asked once more and says nothing.

        Without that empty step a client that sends automatically would take the last step for one that it has to
        answer, and would send again and again (spec §6.9).
        """
        chunks = [*self._writer.start_step()] if self._calls_are_last else []
        return [*chunks, *self._writer.finish("stop")]

    async def _perform(self, action: Action) -> AsyncIterator[Chunk]:
        calls = _calls_of(action)
        if self._replaying:
            if not self._decided.isdisjoint(call.tool_call_id for call in calls):
                self._replaying = False
                performing = self._answer(calls)
            else:
                self._remember(calls)
                return
        elif calls:
            performing = self._call(calls)
        else:
            performing = self._simple(action)
        async for chunk in performing:
            yield chunk
        if calls:
            self._calls_are_last = True
        elif not isinstance(action, Rest):
            self._calls_are_last = self._calls_are_last and not self._writer.in_step

    # ── words and parts ────────────────────────────────────────────────────────────────────────────────────────────

    async def _simple(self, action: Action) -> AsyncIterator[Chunk]:
        match action:
            case Say():
                async for chunk in self._say(action):
                    yield chunk
            case Tell():
                for chunk in [*self._step_open(action.needs_step), *action.write(self._writer)]:
                    yield chunk
            case Rest():
                await self._turn.sleep(action.seconds)
            case NextStep():
                for chunk in self._writer.start_step():
                    yield chunk
            case Fail():
                for chunk in self._writer.error(action.text):
                    yield chunk
            case _:
                raise ScriptError(f"script {self._name!r}: {action!r} cannot be played")

    async def _say(self, action: Say) -> AsyncIterator[Chunk]:
        for chunk in self._step_open():
            yield chunk
        say = self._writer.text if action.kind == "text" else self._writer.reasoning
        for piece in text_pieces(action.text):
            for chunk in say(piece):
                yield chunk
            await self._pause(action.delay_ms)
        for chunk in self._writer.end_block():
            yield chunk

    def _step_open(self, needed: bool = True) -> list[Chunk]:
        return self._writer.start_step() if needed and not self._writer.in_step else []

    async def _pause(self, delay_ms: float) -> None:
        if delay_ms > 0:
            await self._turn.sleep(delay_ms / 1000)

    # ── calls ──────────────────────────────────────────────────────────────────────────────────────────────────────

    async def _call(self, calls: Iterable[Call]) -> AsyncIterator[Chunk]:
        """One model step with calls: inputs in order, then the outputs of what the server may run."""
        for chunk in self._step_open():
            yield chunk
        for call in calls:
            async for chunk in self._input(call):
                yield chunk
        async for chunk in self._run([call for call in calls if not call.waits]):
            yield chunk
        for chunk in self._writer.finish_step():
            yield chunk

    async def _input(self, call: Call) -> AsyncIterator[Chunk]:
        fields = call.fields or {}
        if call.is_client:
            self._heard(call.name)
        for chunk in self._writer.tool_input_start(call.tool_call_id, call.name, **fields):
            yield chunk
        for piece in json_pieces(json_text.write(call.input)):
            for chunk in self._writer.tool_input_delta(call.tool_call_id, piece):
                yield chunk
            await self._pause(call.delay_ms)
        for chunk in self._writer.tool_input(call.tool_call_id, call.name, call.input, **fields):
            yield chunk
        if call.approval_id is not None:
            reason = {} if call.reason is None else {"reason": call.reason}
            for chunk in self._writer.approval_request(call.tool_call_id, call.approval_id, **reason):
                yield chunk

    async def _run(
        self, calls: Iterable[Call], approvals: Mapping[str, CallResult] | None = None
    ) -> AsyncIterator[Chunk]:
        """Run server tools at the same time; outputs come in the order in which the tools are done."""
        events = sorted((event for call in calls for event in _events(call)), key=lambda event: event.at)
        now = 0.0
        for event in events:
            if event.at > now:
                await self._turn.sleep(event.at - now)
                now = event.at
            output, error = await _output(event)
            for chunk in self._result(event, output, error):
                yield chunk
            if not event.preliminary:
                call_id = event.call.tool_call_id
                asked = (approvals or {}).get(call_id, CallResult(call_id))
                self._results[call_id] = CallResult(call_id, output, error, asked.approved, asked.reason)

    def _result(self, event: _Event, output: Any, error: str | None) -> list[Chunk]:
        call_id, fields = event.call.tool_call_id, event.call.fields or {}
        kept = {key: value for key, value in fields.items() if key == "dynamic"}
        if error is not None:
            return self._writer.tool_error(call_id, error, **kept)
        return self._writer.tool_output(call_id, output, preliminary=event.preliminary, **kept)

    # ── decided calls ──────────────────────────────────────────────────────────────────────────────────────────────

    async def _answer(self, calls: Iterable[Call]) -> AsyncIterator[Chunk]:
        """Results of the decided calls: denials first, then what was approved is run (spec §7.6)."""
        approved: list[Call] = []
        for call in calls:
            part = self._part_of(call)
            if part is None or call.tool_call_id not in self._decided:
                self._remember([call])
                continue
            result = _result_of(part)
            if part["state"] == "approval-responded" and result.approved:
                approved.append(call)
            self._results[call.tool_call_id] = result
            if result.approved is False:
                for chunk in self._writer.tool_denied(call.tool_call_id):
                    yield chunk
        async for chunk in self._run(approved, dict(self._results)):
            yield chunk

    def _remember(self, calls: Iterable[Call]) -> None:
        """Take the results of calls that were over before from the message; what still waits has none."""
        for call in calls:
            part = self._part_of(call)
            if call.is_client:
                self._heard(call.name)
            if part is not None and part["state"] in ("output-available", "output-error", "output-denied"):
                self._results[call.tool_call_id] = _result_of(part)

    def _part_of(self, call: Call) -> Part | None:
        part = self._parts.get(call.tool_call_id)
        if part is not None and tool_name(part) != call.name:
            raise ScriptError(
                f"script {self._name!r} made {call.tool_call_id} a call of {call.name!r}, and before it was one of "
                f"{tool_name(part)!r}: a script must do the same each time it is played"
            )
        return part


def _calls_of(action: Action) -> tuple[Call, ...]:
    return action.calls if isinstance(action, Together) else (action,) if isinstance(action, Call) else ()


def _events(call: Call) -> list[_Event]:
    share = call.seconds / (len(call.preliminary) + 1)
    early = [_Event(share * number, call, True, value) for number, value in enumerate(call.preliminary, start=1)]
    return [*early, _Event(call.seconds, call, False, call.output)]


async def _output(event: _Event) -> tuple[Any, str | None]:
    """The output of a tool, or the text of its error as the reference words it: `Name: message`."""
    if event.preliminary or (event.call.error is None and not callable(event.value)):
        return event.value, None
    if event.call.error is not None:
        return None, event.call.error
    try:
        output = event.value(event.call.input)
        return (await output if inspect.isawaitable(output) else output), None
    except Exception as error:  # noqa: BLE001  # the tool's own error is its result
        return None, f"{type(error).__name__}: {error}"


def _result_of(part: Part) -> CallResult:
    """What a part of the message says about its call."""
    approval = cast("dict[str, Any]", part.get("approval") or {})
    approved = approval.get("approved") if approval else None
    if part["state"] == "output-denied" or (part["state"] == "approval-responded" and approved is not True):
        return CallResult(part["toolCallId"], approved=False, reason=approval.get("reason"))
    return CallResult(part["toolCallId"], part.get("output"), part.get("errorText"), approved, approval.get("reason"))
