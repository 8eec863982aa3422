"""The one place where runs begin and end, for every door and for a chat in process.

Stage: runs. Holds the agents and the ledger. One thread has one run at a time. Lives on the lab's loop; reading history
and waiting calls is allowed from any thread.
"""

from __future__ import annotations

import asyncio
import copy
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from typing import Literal
from uuid import uuid4

from aisdk_lab.agents import Agent, Sleep, Turn
from aisdk_lab.errors import LabError, UnknownName, cut
from aisdk_lab.ledger import Entry, Ledger, MemoryLedger, Pending
from aisdk_lab.runs.admission import Admission, admit_ai_sdk, admit_awaken
from aisdk_lab.runs.awaken_encoder import AwakenEncoder
from aisdk_lab.runs.encoder import ABORT_REASON, AiSdkEncoder, RunEncoder, RunOutcome
from aisdk_lab.runs.request import ChatRequest, Profile
from aisdk_lab.runs.run import OnError, Run, words
from aisdk_lab.ui_stream.chunks import Chunk
from aisdk_lab.ui_stream.messages import Message

OnDisconnect = Literal["interrupt", "continue"]
ON_DISCONNECT: Mapping[Profile, OnDisconnect] = {"awaken": "interrupt", "ai-sdk": "continue"}
"""What happens to a run when the last reader leaves (README, "Two doors")."""


class RunInProgress(LabError):
    """A second request for a thread whose run is still being read."""


class RunStream:
    """One response: an async iterator of chunks. `leave()` when the reader goes before the end."""

    def __init__(self, run: Run, on_leave: Callable[[Run], None]) -> None:
        self.run = run
        self._on_leave = on_leave
        self._place = 0
        self._is_here = True
        run.readers += 1

    def __aiter__(self) -> RunStream:
        return self

    async def __anext__(self) -> Chunk:
        chunk = await self.run.chunk(self._place)
        if chunk is None:
            self.leave()
            raise StopAsyncIteration
        self._place += 1
        return chunk

    @property
    def is_ready(self) -> bool:
        """True when the next chunk, or the end, is there already."""
        return self.run.has(self._place)

    async def wait(self) -> None:
        """Wait until the next chunk, or the end, is there; may be cancelled without losing one."""
        await self.run.wait(self._place)

    def leave(self) -> None:
        """The reader is gone, or has read everything; counts once."""
        if self._is_here:
            self._is_here = False
            self.run.readers -= 1
            self._on_leave(self.run)


class ToldAgain:
    """The response to an operation that was admitted before: its committed outcome, once more."""

    run = None
    is_ready = True

    def __init__(self, outcome: RunOutcome) -> None:
        encoder = AwakenEncoder(is_live=False)
        self._chunks = iter([*encoder.start(), *encoder.end(outcome)])

    def __aiter__(self) -> ToldAgain:
        return self

    async def __anext__(self) -> Chunk:
        for chunk in self._chunks:
            return chunk
        raise StopAsyncIteration

    async def wait(self) -> None:
        """Everything is there."""

    def leave(self) -> None:
        """Nothing runs for this response."""


class RunApplication:
    """Agents over one ledger.

    `agents` is one agent or several; the first is the default. `trust_client_history` accepts decisions for calls that
    only the client's history shows: for recorded vectors, never for people. `on_error` words an agent's exception for
    clients; without it the profile `ai-sdk` says `An error occurred.` and `awaken` the exception's own text, as each
    one's reference does. The log has the rest.
    """

    def __init__(
        self,
        agents: Agent | Iterable[Agent],
        *,
        ledger: Ledger | None = None,
        on_disconnect: OnDisconnect | None = None,
        trust_client_history: bool = False,
        send_reasoning: bool = True,
        on_error: OnError | None = None,
        sleep: Sleep = asyncio.sleep,
        new_id: Callable[[], str] = lambda: uuid4().hex,
    ) -> None:
        several = [agents] if isinstance(agents, Agent) else list(agents)
        if not several:
            raise LabError("there is no agent to run: give one, for example lab.serve('weather')")
        self.agents: Mapping[str, Agent] = {agent.name: agent for agent in several}
        self.default: Agent = several[0]
        """The agent of a request that names none."""
        self.ledger: Ledger = MemoryLedger() if ledger is None else ledger
        self.failures: list[str] = []
        """The last exceptions of agents, newest last, in words; clients see a masked text."""
        self._on_disconnect: OnDisconnect | None = on_disconnect
        self._trust = trust_client_history
        self._send_reasoning = send_reasoning
        self._on_error = on_error
        self._sleep = sleep
        self._new_id = new_id
        self._runs: dict[str, Run] = {}
        self._ending: set[asyncio.Task[None]] = set()

    def __repr__(self) -> str:
        return f"<RunApplication: {', '.join(self.agents)}; {len(self._runs)} running>"

    # ── questions, from any thread ─────────────────────────────────────────────────────────────────────────────────

    def history(self, thread_id: str) -> list[Message]:
        """The committed messages of a thread, oldest first."""
        return self.ledger.history(thread_id)

    def pending(self, thread_id: str) -> tuple[Pending, ...]:
        """The calls of a thread that wait for a decision."""
        return self.ledger.pending(thread_id)

    def running(self, thread_id: str) -> Run | None:
        """The run of a thread, while there is one."""
        return self._runs.get(thread_id)

    # ── runs, on the lab's loop ────────────────────────────────────────────────────────────────────────────────────

    async def open(
        self,
        request: ChatRequest,
        profile: Profile = "ai-sdk",
        *,
        on_disconnect: OnDisconnect | None = None,
        on_error: OnError | None = None,
    ) -> RunStream | ToldAgain:
        """Admit a request and start its run; `on_error` words exceptions where the application was given no words.

        A run of the same thread that nobody reads any more is stopped first (a page that was stopped and asks anew), but
        only for a request that is admitted and is not that run's own request once more.

        Raises:
            RequestError: the request is not one that can be run.
            DecisionError: an answer that does not count; names the calls that wait.
            RunInProgress: the thread has a run that is being read, was asked the same, or does not end.
            UnknownName: there is no such agent.
        """
        agent = self._agent(request.agent_id)
        await self._make_way(request, profile)
        on_disconnect = on_disconnect or self._on_disconnect or ON_DISCONNECT[profile]
        seen = self.ledger.facts(request.thread_id)
        admission = self._admit(request, profile)
        if admission.repeats and (outcome := self._earlier(request.thread_id, admission)) is not None:
            return ToldAgain(outcome)
        run = self._run(agent, request, profile, admission, self._on_error or on_error)
        entry: Entry = ("run", _run_body(run, request, admission))
        self.ledger.commit(request.thread_id, run.id, [*admission.entries, entry], expect=len(seen))
        self._runs[request.thread_id] = run
        run.begin(self._ended)
        return RunStream(run, self._interrupt_left if on_disconnect == "interrupt" else _go_on)

    async def stream(
        self, request: ChatRequest, profile: Profile = "ai-sdk", *, on_error: OnError | None = None
    ) -> AsyncGenerator[Chunk, None]:
        """The chunks of one request, `open` and reading in one; closing the generator is leaving."""
        response = await self.open(request, profile, on_error=on_error)
        try:
            async for chunk in response:
                yield chunk
        finally:
            response.leave()

    async def stop(self, thread_id: str, reason: str = ABORT_REASON) -> bool:
        """Stop the run of a thread, for good; true when there was one. Its readers get an `abort` chunk."""
        run = self._runs.get(thread_id)
        if run is None:
            return False
        await run.stop(reason)
        return True

    async def interrupt(self, thread_id: str) -> None:
        """Stop the run of a thread because its reader is gone."""
        await self.stop(thread_id, "the client is gone")

    async def close(self) -> None:
        """Stop every run."""
        await asyncio.gather(*(run.stop("the server is stopping") for run in list(self._runs.values())))

    # ── inside ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def _agent(self, name: str | None) -> Agent:
        if name is None:
            return self.default
        if name not in self.agents:
            raise UnknownName("agent", name, self.agents)
        return self.agents[name]

    async def _make_way(self, request: ChatRequest, profile: Profile) -> None:
        """End the run of the thread for a new one, or refuse; a request that is refused stops nobody."""
        while (running := self._runs.get(request.thread_id)) is not None:
            busy = f"thread {cut(request.thread_id)!r} has a run of {running.agent.name!r} in progress"
            if not running.is_stopping:
                if running.readers:
                    raise RunInProgress(f"{busy}. Wait for its end, or stop it.")
                admission = self._admit(request, profile)  # again after the stop, which changes the history
                if admission.decisions or admission.repeats:  # no end of a run leaves these anything to go on with
                    raise RunInProgress(f"{busy}. Wait for its end and read the history.")
            await running.stop()
            if not running.is_over:
                raise RunInProgress(f"{busy} that was stopped and does not end. Use another thread.")

    def _admit(self, request: ChatRequest, profile: Profile) -> Admission:
        history, waiting = self.ledger.history(request.thread_id), self.ledger.pending(request.thread_id)
        if profile == "awaken":
            return admit_awaken(request, history, waiting)
        return admit_ai_sdk(request, history, waiting, trust=self._trust)

    def _run(
        self, agent: Agent, request: ChatRequest, profile: Profile, admission: Admission, on_error: OnError | None
    ) -> Run:
        continued = admission.continued
        message_id = continued["id"] if continued else f"msg-{self._new_id()}"
        encoder: RunEncoder
        if profile == "awaken":
            encoder = AwakenEncoder(is_live=continued is None)
        else:
            encoder = AiSdkEncoder(message_id, send_reasoning=self._send_reasoning)
        turn = Turn(
            request.thread_id,
            f"run-{self._new_id()}",
            copy.deepcopy(admission.messages),  # the agent's own: what it does to them is not history
            admission.decisions,
            request.body,
            self._sleep,
        )
        return Run(
            agent,
            turn,
            admission,
            encoder,
            self.ledger,
            profile=profile,
            message_id=message_id,
            on_error=on_error,
        )

    def _ended(self, run: Run) -> None:
        if self._runs.get(run.thread_id) is run:
            del self._runs[run.thread_id]
        if run.failure is not None:
            self.failures = [*self.failures[-19:], f"{run.agent.name}: {words(run.failure)}"]

    def _interrupt_left(self, run: Run) -> None:
        """Interrupt a run that nobody reads any more."""
        if run.readers or run.is_over:
            return
        task = asyncio.get_running_loop().create_task(self.interrupt(run.thread_id))
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    def _earlier(self, thread_id: str, admission: Admission) -> RunOutcome | None:
        """The committed outcome of an operation that was admitted before; `None` when its run did not come to an end."""
        facts = self.ledger.facts(thread_id)
        runs = [fact for fact in facts if fact.kind == "run" and fact.body["operation_id"] == admission.operation_id]
        ended = next((fact for fact in facts if runs and fact.kind == "ended" and fact.run == runs[-1].run), None)
        if ended is None:
            return None
        message_id = runs[-1].body["message_id"]
        empty: Message = {"id": message_id, "role": "assistant", "parts": []}
        message = next((each for each in admission.messages if each["id"] == message_id), empty)
        waiting = tuple(call for call in self.ledger.pending(thread_id) if call.message_id == message_id)
        usage = self.ledger.usage(thread_id)
        return RunOutcome(ended.body["state"], message, waiting=waiting, usage=usage, error_text=ended.body["error"])


def _run_body(run: Run, request: ChatRequest, admission: Admission) -> dict[str, str | bool | None]:
    return {
        "agent": run.agent.name,
        "trigger": request.trigger,
        "profile": run.profile,
        "message_id": run.message_id,
        "continues": admission.continued is not None,
        "operation_id": admission.operation_id,
    }


def _go_on(_run: Run) -> None:
    """A run that goes on when its reader leaves."""
