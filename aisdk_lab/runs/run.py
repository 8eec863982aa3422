"""A run: one request of one agent to its finish, with its commits, and everybody who reads along.

Stage: runs. A run is a task of its own on the lab's loop, so that it does not depend on the connection that started it.
It commits the ledger at the end of each step, and its end before the terminal chunks go out: a client that answers at
once finds the call waiting and the thread free.
"""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable, Collection, Mapping
from contextlib import aclosing
from functools import partial
from typing import Any, cast

import msgspec

from aisdk_lab.agents import Agent, Turn
from aisdk_lab.errors import ChunkError, cut
from aisdk_lab.ledger import Entry, Ledger, Pending, RunState
from aisdk_lab.loopback import LOG
from aisdk_lab.reducer import MESSAGE, MessageReducer
from aisdk_lab.runs.admission import Admission
from aisdk_lab.runs.encoder import ABORT_REASON, MASKED_ERROR, RunEncoder, RunOutcome
from aisdk_lab.runs.request import Profile
from aisdk_lab.ui_stream.chunks import Chunk
from aisdk_lab.ui_stream.messages import Message, Part, is_tool_part, tool_name
from aisdk_lab.ui_stream.tool_status import tool_status
from aisdk_lab.ui_stream.validate import chunk_problems
from aisdk_lab.wire import json_text

OnError = Callable[[Exception], str]
"""Words for an exception, for the client's eyes."""

STOP_S = 5.0
"""How long a stop waits for an agent that is busy with something that cannot be cancelled."""


MAX_FAILURE_CHARS = 2_000
"""How much of an exception's text is kept."""


def _masked(_error: Exception) -> str:
    return MASKED_ERROR


def words(error: BaseException) -> str:
    """An exception's own text, cut; the name of its type when it has none that can be had."""
    try:
        return cut(str(error), MAX_FAILURE_CHARS)
    except BaseException:  # noqa: BLE001  # an agent's own class, which may do anything
        return type(error).__name__


class Run:
    """One run. Made and used on the lab's loop only."""

    def __init__(
        self,
        agent: Agent,
        turn: Turn,
        admission: Admission,
        encoder: RunEncoder,
        ledger: Ledger,
        *,
        profile: Profile,
        message_id: str,
        on_error: OnError | None = None,
    ) -> None:
        self.agent = agent
        self.turn = turn
        self.profile: Profile = profile
        self.message_id = message_id
        """The assistant message that this run writes."""
        self.failure: Exception | None = None
        """What the agent raised; details are in the log."""
        self._admission = admission
        self._encoder = encoder
        self._ledger = ledger
        self._on_error: OnError = on_error or (_masked if profile == "ai-sdk" else words)
        continued = admission.continued
        self._reducer = MessageReducer(continued, reset="never", message_id=message_id)
        self._first_new_part = len(continued["parts"]) if continued else 0
        self._changed: set[int] = set()
        self._steps = 0
        self._error_text: str | None = None
        self._abort_reason: str | None = None
        self._chunks: list[Chunk] = []
        self._is_over = False
        self._is_committed = False
        """True when the ledger was asked to take the end."""
        self._news = asyncio.Event()
        self._work: asyncio.Task[None] | None = None
        self._task: asyncio.Task[None] | None = None  # kept: a task that nobody holds may vanish
        self.readers = 0
        """How many streams read this run now."""

    def __repr__(self) -> str:
        return f"<Run {self.id} of {self.agent.name!r} on thread {self.thread_id!r}, {len(self._chunks)} chunks>"

    @property
    def id(self) -> str:
        """The run's own id."""
        return self.turn.run_id

    @property
    def thread_id(self) -> str:
        """The conversation."""
        return self.turn.thread_id

    @property
    def continued(self) -> Message | None:
        """The message that this run goes on with, as it was before; read-only."""
        return self._admission.continued

    @property
    def is_over(self) -> bool:
        """True when the last chunk is there."""
        return self._is_over

    @property
    def is_stopping(self) -> bool:
        """True when the run was told to stop."""
        return self._abort_reason is not None

    # ── from outside ───────────────────────────────────────────────────────────────────────────────────────────────

    def begin(self, on_end: Callable[[Run], None]) -> None:
        """Start the run. `on_end` is called after the last commit and before the last chunks."""
        self._publish(self._encoder.start())
        # Two tasks: the agent's, which may be cancelled, and the one that commits the end whatever happened to it.
        self._work = asyncio.create_task(self._play(), name=f"aisdk-lab agent of run {self.id}")
        self._task = asyncio.create_task(self._drive(self._work, on_end), name=f"aisdk-lab run {self.id}")

    async def stop(self, reason: str = ABORT_REASON) -> None:
        """Stop the agent, for good, and wait until the run has ended; does nothing to a run that is over."""
        if self._work is None or self._task is None or self._is_over:
            return
        if not self._work.done():
            self._abort_reason = reason
            self._work.cancel()
        await asyncio.wait([self._task], timeout=STOP_S)
        if not self._is_over:
            LOG.warning("run %s of agent %r ignores its cancellation", self.id, self.agent.name)

    def has(self, place: int) -> bool:
        """True when `chunk(place)` answers without waiting."""
        return place < len(self._chunks) or self._is_over

    async def wait(self, place: int) -> None:
        """Wait until `chunk(place)` has an answer."""
        while not self.has(place):
            await self._news.wait()

    async def chunk(self, place: int) -> Chunk | None:
        """The chunk number `place` (from 0) as soon as it is there; `None` after the last. For any number of readers."""
        await self.wait(place)
        return self._chunks[place] if place < len(self._chunks) else None

    # ── inside ─────────────────────────────────────────────────────────────────────────────────────────────────────

    async def _play(self) -> None:
        """The agent's part. `SystemExit` and its like end the run only: asyncio would let them end the whole loop."""
        try:
            async with aclosing(self.agent.run(self.turn)) as chunks:
                async for chunk in chunks:
                    self._take(chunk)
                    if self._abort_reason is not None:  # the agent swallowed the cancellation
                        return
        except (Exception, asyncio.CancelledError):
            raise
        except BaseException as error:
            raise RuntimeError(f"the agent raised {type(error).__name__}: {words(error)}") from error

    async def _drive(self, work: asyncio.Task[None], on_end: Callable[[Run], None]) -> None:
        try:
            await asyncio.wait([work])
        except asyncio.CancelledError:  # the loop is stopping
            work.cancel()
            self._abort_reason = self._abort_reason or ABORT_REASON
        if work.done() and work.cancelled() and self._abort_reason is None:
            self._fail(RuntimeError("the agent raised CancelledError, and nobody had stopped it"))
        elif work.done() and not work.cancelled() and isinstance(error := work.exception(), Exception):
            self._fail(error)
        try:
            last = self._encoder.end(self._commit_end())
        except Exception as error:  # noqa: BLE001  # ours or a ledger's: the readers wait for an end all the same
            self._fail(error)
            last = self._encoder.end(self._bare_end())
        on_end(self)
        self._is_over = True
        self._publish(last)
        self._wake()

    def _bare_end(self) -> RunOutcome:
        """The end of a run whose own end failed: an error, in the ledger too when it takes one."""
        if not self._is_committed:
            bare = {"state": "error", "finish_reason": None, "error": "the end of the run failed", "waiting": []}
            try:
                usage = {"input_tokens": 0, "output_tokens": 0}
                self._ledger.commit(self.thread_id, self.id, [("ended", {**bare, "usage": usage})], step=self._steps)
            except Exception:  # noqa: BLE001  # a store may raise anything, and it is in the log
                LOG.exception("the end of run %s could not be committed", self.id)
        nothing: Message = {"id": self.message_id, "role": "assistant", "parts": []}
        return RunOutcome("error", nothing, failure=MASKED_ERROR)

    def _shown_failure(self) -> str:
        """What a client may read of the failure; `on_error` is somebody else's and may fail itself."""
        if self.failure is None:
            return MASKED_ERROR
        try:
            shown = cast(object, self._on_error(self.failure))
        except BaseException as error:  # noqa: BLE001  # SystemExit too: it would end the loop
            LOG.error("on_error failed for run %s of agent %r", self.id, self.agent.name, exc_info=error)
            return MASKED_ERROR
        if isinstance(shown, str):
            return shown
        LOG.error("on_error gave %s for run %s, and no text", type(shown).__name__, self.id)
        return MASKED_ERROR

    def _fail(self, error: Exception) -> None:
        if self._abort_reason is None:
            self.failure = error
        LOG.error("run %s of agent %r failed", self.id, self.agent.name, exc_info=error)

    def _take(self, chunk: Chunk) -> None:
        """One chunk of the agent: reduce it, commit when it ends a step, tell it."""
        _check(self.agent.name, chunk)
        chunk = copy.deepcopy(chunk)  # the agent may use its own again; what goes out and what is committed are one
        for change in self._reducer.feed(chunk):
            self._changed.add(change.part)
        if chunk["type"] == "finish-step":
            self._steps += 1
            self._commit()
        elif chunk["type"] == "error":
            self._error_text = chunk["errorText"]
        self._publish(self._encoder.live(chunk))

    def _commit(self, *more: Entry) -> None:
        """Commit the parts that changed since the last commit, and more facts with them."""
        entries: list[Entry] = []
        if self._changed:
            message = self._reducer.message
            parts = message["parts"]
            body: dict[str, Any] = {
                "message_id": message["id"],
                "parts": {str(index): parts[index] for index in sorted(self._changed) if 0 <= index < len(parts)},
                "length": len(parts),
            }
            if MESSAGE in self._changed and "metadata" in message:
                body["metadata"] = message["metadata"]
            entries.append(("step", body))
        self._ledger.commit(self.thread_id, self.id, [*entries, *more], step=self._steps)
        self._changed.clear()

    def _commit_end(self) -> RunOutcome:
        for finding in self._reducer.findings:
            LOG.warning("run %s of agent %r: %s", self.id, self.agent.name, finding)
        message = self._reducer.message
        state = self._state(message)
        waiting = _waiting(message, self.agent, self._reducer.finish_reason) if state == "waiting" else ()
        ended: Mapping[str, Any] = {
            "state": state,
            "finish_reason": self._reducer.finish_reason,
            "error": self._error_text or (self.failure and f"{type(self.failure).__name__}: {words(self.failure)}"),
            "waiting": [msgspec.to_builtins(call) for call in waiting],
            "usage": {"input_tokens": self.turn.input_tokens, "output_tokens": self.turn.output_tokens},
        }
        self._is_committed = True
        try:
            self._commit(("ended", ended))
        except Exception as error:  # noqa: BLE001  # a store may raise anything; the run ends in any case
            self._fail(error)
            state, waiting = "error", ()
        return RunOutcome(
            state,
            message,
            self._first_new_part,
            [decision.tool_call_id for decision in self._admission.decisions],
            waiting,
            self._ledger.usage(self.thread_id),
            error_text=self._error_text,
            failure=None if self.failure is None else words(self.failure),
            shown_failure=self._shown_failure(),
            abort_reason=self._abort_reason or ABORT_REASON,
        )

    def _state(self, message: Message) -> RunState:
        """How the run ended (README, "End state")."""
        if self._error_text is not None or self.failure is not None:
            return "error"
        if self._abort_reason is not None:
            return "aborted"
        return "waiting" if _waiting(message, self.agent, self._reducer.finish_reason) else "complete"

    def _publish(self, chunks: list[Chunk]) -> None:
        if chunks:
            self._chunks += chunks
            self._wake()

    def _wake(self) -> None:
        self._news.set()
        self._news = asyncio.Event()


def _check(agent: str, chunk: Chunk) -> None:
    """Raise for a chunk that may not or cannot be sent; found here, it fails the run and not a connection."""
    problems = chunk_problems(chunk)
    if not problems:
        try:
            json_text.write(chunk)
        except (TypeError, ValueError) as error:
            problems = [str(error)]
    if problems:
        raise ChunkError(f"agent {agent!r} gave {cut(repr(chunk))}: {cut('; '.join(problems))}")


def _waiting(message: Message, agent: Agent, finish_reason: str | None) -> tuple[Pending, ...]:
    """The calls of a message that wait when the run has ended: open approvals and unanswered client tools.

    An agent that ends with `tool-calls` and declared none of its open calls is taken at its word: the client runs them.
    """
    parts = message["parts"]

    def waiting_for(client_tools: Collection[str] | None) -> list[Part]:
        status = partial(tool_status, siblings=parts, client_tools=client_tools, finish_reason=finish_reason)
        return [part for part in parts if is_tool_part(part) and status(part) == "waiting"]

    calls = waiting_for(agent.client_tools) or waiting_for(None)
    return tuple(
        Pending(
            part["toolCallId"],
            tool_name(part),
            part.get("input"),
            message["id"],
            part["approval"]["id"] if part["state"] == "approval-requested" else None,
        )
        for part in calls
    )
