"""Runs: one at a time on a thread, committed at each step, stopped for good, independent of who reads."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from aisdk_lab.agents.scripted import scripted
from aisdk_lab.errors import DecisionError, LedgerError, RequestError, UnknownName
from aisdk_lab.ledger import MemoryLedger
from aisdk_lab.runs.application import RunApplication, RunInProgress
from aisdk_lab.runs.request import ChatRequest
from tests.agents.stage import Stage, joined, play, user


class Written:
    """An agent whose chunks a test writes: values are chunks, events are waited for, exceptions are raised."""

    title, suggestions, client_tools = "Written", (), {}

    def __init__(self, *script: Any, name: str = "written") -> None:
        self.script = script
        self.name = name
        self.turns: list[Any] = []
        self.closed = 0

    async def run(self, turn) -> AsyncGenerator[dict, None]:
        self.turns.append(turn)
        try:
            for each in self.script:
                if isinstance(each, asyncio.Event):
                    await each.wait()
                elif isinstance(each, Exception):
                    raise each
                else:
                    yield dict(each)
        finally:
            self.closed += 1


STEP, END_STEP, STOP = {"type": "start-step"}, {"type": "finish-step"}, {"type": "finish", "finishReason": "stop"}
START = {"type": "start", "messageId": "msg-1"}
HELLO = (
    STEP,
    {"type": "text-start", "id": "t"},
    {"type": "text-delta", "id": "t", "delta": "你好"},
    {"type": "text-end", "id": "t"},
    END_STEP,
    STOP,
)


def request(text: str = "hi", message_id: str = "u1", **more: Any) -> ChatRequest:
    return ChatRequest("t1", (user(text, message_id),), **more)


async def until(condition) -> None:
    """Let other tasks run until something holds."""
    for _ in range(1000):
        if condition():
            return
        await asyncio.sleep(0)
    raise AssertionError("it never came to hold")


async def rest(stream) -> list[dict]:
    return [chunk async for chunk in stream]


def kinds(application: RunApplication) -> list[str]:
    return [fact.kind for fact in application.ledger.facts("t1")]


def test_a_run_says_start_with_a_fresh_id_and_the_agents_chunks():
    stage = Stage(Written(*HELLO))
    assert play(lambda: stage.send("hi")) == [START, *HELLO]
    assert stage.application.history("t1") == [
        user("hi"),
        {
            "id": "msg-1",
            "role": "assistant",
            "parts": [{"type": "step-start"}, {"type": "text", "text": "你好", "state": "done"}],
        },
    ]


def test_a_step_is_committed_before_its_end_is_told():
    async def scene():
        gate = asyncio.Event()
        application = RunApplication(Written(*HELLO[:5], gate, STOP))
        stream = await application.open(request())
        seen = []
        async for chunk in stream:
            if chunk["type"] == "finish-step":
                seen.append(kinds(application))
                gate.set()
            if chunk["type"] == "finish":
                seen.append(kinds(application))
        return seen

    assert play(scene) == [["message", "run", "step"], ["message", "run", "step", "ended"]]


def test_when_the_finish_is_told_the_thread_is_free_again():
    async def scene():
        application = RunApplication(Written(*HELLO))
        async for chunk in application.stream(request()):
            if chunk["type"] == "finish":
                return application.running("t1")
        return "no finish"

    assert play(scene) is None


def test_a_second_request_on_a_running_thread_is_refused_and_the_first_goes_on():
    async def scene():
        gate = asyncio.Event()
        application = RunApplication(Written(gate, *HELLO))
        first = await application.open(request())
        with pytest.raises(RunInProgress, match="thread 't1' has a run of 'written' in progress"):
            await application.open(request("again", "u2"))
        gate.set()
        return await rest(first)

    assert play(scene)[-1] == STOP


def test_other_threads_run_at_the_same_time():
    async def scene():
        gate = asyncio.Event()
        application = RunApplication(Written(gate, *HELLO))
        first = await application.open(request())
        second = await application.open(ChatRequest("t2", (user("hi"),)))
        gate.set()
        return await rest(first), await rest(second)

    first, second = play(scene)
    assert first[1:] == second[1:] == list(HELLO)


def test_a_run_that_nobody_reads_any_more_gives_way_to_a_new_request():
    async def scene():
        application = RunApplication(agent := Written(*HELLO[:3], asyncio.Event()))
        first = await application.open(request())
        assert [await anext(first), await anext(first)][1] == STEP
        first.leave()
        messages = (*application.history("t1"), user("again", "u2"))
        second = await application.open(ChatRequest("t1", messages))
        closed = agent.closed
        second.leave()
        await application.close()
        return closed, [fact.body["state"] for fact in application.ledger.facts("t1") if fact.kind == "ended"]

    closed, states = play(scene)
    assert closed == 1
    assert states[0] == "aborted"


def test_stopping_really_stops_and_tells_an_abort():
    async def scene():
        application = RunApplication(agent := Written(*HELLO[:3], asyncio.Event(), *HELLO[3:]))
        stream = await application.open(request())
        await until(lambda: len(agent.turns) == 1)
        assert await application.stop("t1") is True
        assert await application.stop("t1") is False, "nothing runs any more"
        return await rest(stream), agent.closed, application

    chunks, closed, application = play(scene)
    assert chunks[-1] == {"type": "abort", "reason": "AbortError: This operation was aborted"}
    assert STOP not in chunks
    assert closed == 1
    assert application.ledger.facts("t1")[-1].body["state"] == "aborted"
    assert application.pending("t1") == ()


def test_a_run_that_is_stopped_before_its_first_step_still_ends():
    async def scene():
        application = RunApplication(Written(*HELLO), new_id=lambda: "1")
        stream = await application.open(request())
        await application.stop("t1")
        return await rest(stream)

    assert play(scene) == [START, {"type": "abort", "reason": "AbortError: This operation was aborted"}]


def test_an_agent_that_swallows_its_cancellation_is_stopped_at_its_next_chunk():
    class Stubborn(Written):
        async def run(self, turn):
            yield STEP
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                yield {"type": "data-late", "data": 1}
                yield {"type": "data-never", "data": 2}

    async def scene():
        application = RunApplication(Stubborn())
        stream = await application.open(request())
        await anext(stream)
        await anext(stream)
        await application.stop("t1")
        return await rest(stream)

    assert [chunk["type"] for chunk in play(scene)] == ["data-late", "abort"]


@pytest.mark.parametrize(("profile", "goes_on"), [("ai-sdk", True), ("awaken", False)])
def test_the_profile_decides_what_becomes_of_a_run_whose_reader_leaves(profile, goes_on):
    async def scene():
        gate = asyncio.Event()
        application = RunApplication(Written(gate, *HELLO))
        stream = await application.open(request(), profile)
        stream.leave()
        stream.leave()
        await asyncio.sleep(0)
        gate.set()
        await until(lambda: application.running("t1") is None)
        return application.ledger.facts("t1")[-1].body["state"]

    assert play(scene) == ("complete" if goes_on else "aborted")


def test_leaving_interrupts_exactly_once():
    async def scene():
        application = RunApplication(Written(asyncio.Event()))
        calls = []
        interrupt = application.interrupt

        async def counted(thread_id):
            calls.append(thread_id)
            await interrupt(thread_id)

        application.interrupt = counted
        stream = await application.open(request(), "awaken")
        stream.leave()
        stream.leave()
        await until(lambda: application.running("t1") is None)
        return calls

    assert play(scene) == ["t1"]


def test_reading_to_the_end_is_not_leaving():
    async def scene():
        application = RunApplication(Written(*HELLO))
        await rest(await application.open(request(), "awaken"))
        await asyncio.sleep(0)
        return application.ledger.facts("t1")[-1].body["state"]

    assert play(scene) == "complete"


# ── which history ──────────────────────────────────────────────────────────────────────────────────────────────────


def seen_by(agent: Written, turn: int = -1) -> list[str]:
    return [message["id"] for message in agent.turns[turn].messages]


async def two_turns(agent: Written) -> Stage:
    stage = Stage(agent)
    await stage.send("one")
    await stage.send("two")
    return stage


def ids(stage: Stage) -> list[str]:
    return [message["id"] for message in stage.application.history("t1")]


def test_the_agent_gets_the_whole_conversation():
    agent = Written(*HELLO)
    stage = play(lambda: two_turns(agent))
    first, second = stage.messages[1]["id"], stage.messages[3]["id"]
    assert seen_by(agent) == ["u1", first, "u2"]
    assert ids(stage) == ["u1", first, "u2", second]


def test_a_body_with_the_last_message_only_is_completed_from_the_ledger():
    async def scene():
        agent = Written(*HELLO)
        stage = await two_turns(agent)
        await rest(await stage.application.open(ChatRequest("t1", (user("three", "u3"),), is_last_only=True)))
        return agent, stage

    agent, stage = play(scene)
    assert seen_by(agent) == [*(message["id"] for message in stage.messages), "u3"]


def test_a_regeneration_supersedes_the_answer_and_gives_a_new_id():
    async def scene():
        agent = Written(*HELLO)
        stage = await two_turns(agent)
        old = stage.messages.pop()["id"]
        await stage.send(trigger="regenerate-message", message_id=old)
        return stage, old

    stage, old = play(scene)
    assert ids(stage) == [message["id"] for message in stage.messages]
    assert old not in ids(stage)
    assert [fact.body["ids"] for fact in stage.application.ledger.facts("t1") if fact.kind == "superseded"] == [[old]]


@pytest.mark.parametrize("named", [True, False])
def test_a_regeneration_can_be_asked_without_messages(named):
    async def scene():
        agent = Written(*HELLO)
        stage = await two_turns(agent)
        old = stage.messages[-1]["id"] if named else None
        again = ChatRequest("t1", (), trigger="regenerate-message", message_id=old, is_last_only=True)
        await rest(await stage.application.open(again))
        return agent, stage

    agent, stage = play(scene)
    assert seen_by(agent) == ["u1", stage.messages[1]["id"], "u2"]


def test_an_edited_message_takes_what_followed_it_away():
    async def scene():
        agent = Written(*HELLO)
        stage = await two_turns(agent)
        stage.messages = [user("one, better", "u1")]
        await stage.send(message_id="u1")
        return agent, stage

    agent, stage = play(scene)
    assert seen_by(agent) == ["u1"]
    assert agent.turns[-1].words == "one, better"
    assert ids(stage) == ["u1", stage.messages[-1]["id"]]


def test_an_edit_can_be_asked_with_the_edited_message_only():
    async def scene():
        agent = Written(*HELLO)
        stage = await two_turns(agent)
        edited = ChatRequest("t1", (user("two, better", "u2"),), message_id="u2", is_last_only=True)
        await rest(await stage.application.open(edited))
        return agent, stage

    agent, stage = play(scene)
    assert seen_by(agent) == ["u1", stage.messages[1]["id"], "u2"]
    assert agent.turns[-1].words == "two, better"


def test_history_that_only_the_client_knows_is_taken_over_and_marked():
    async def scene():
        agent = Written(*HELLO)
        stage = Stage(agent)
        old = {"id": "a0", "role": "assistant", "parts": [{"type": "text", "text": "before the restart"}]}
        stage.messages = [user("zero", "u0"), old]
        await stage.send("one")
        return agent, stage

    agent, stage = play(scene)
    assert seen_by(agent) == ["u0", "a0", "u1"]
    facts = [fact.body["source"] for fact in stage.application.ledger.facts("t1") if fact.kind == "message"]
    assert facts == ["client"] * 3


def test_the_agents_messages_are_its_own():
    class Careless(Written):
        async def run(self, turn):
            turn.messages[0]["parts"][0]["text"] = "rewritten"
            for chunk in HELLO:
                yield chunk

    stage = Stage(Careless())
    play(lambda: stage.send("as I said"))
    assert stage.application.history("t1")[0] == user("as I said")


@pytest.mark.parametrize("role", ["system", "assistant"])
def test_a_list_that_does_not_end_with_the_person_is_no_new_turn(role):
    messages = (user("hi"), {"id": "x", "role": role, "parts": [{"type": "text", "text": "x"}]})
    asked = ChatRequest("t1", messages, trigger="regenerate-message")
    with pytest.raises(RequestError, match=r"the last message must be the user's, .*@ \$\.messages\[-1\]\.role"):
        play(lambda: RunApplication(Written(*HELLO)).open(asked))


def test_nothing_to_answer_is_a_problem_of_the_request():
    asked = ChatRequest("t1", (), trigger="regenerate-message", is_last_only=True)
    with pytest.raises(RequestError, match=r"chat 't1' has no message to answer  @ \$\.messages"):
        play(lambda: RunApplication(Written(*HELLO)).open(asked))


def test_further_keys_of_the_body_reach_the_agent():
    async def scene():
        agent = Written(*HELLO)
        await rest(await RunApplication(agent).open(request(body={"page": "p. 3"})))
        return agent.turns[0].body

    assert play(scene) == {"page": "p. 3"}


# ── agents and their failures ──────────────────────────────────────────────────────────────────────────────────────


def test_the_request_chooses_the_agent_and_the_first_is_the_default():
    async def scene():
        application = RunApplication([one := Written(*HELLO, name="one"), two := Written(*HELLO, name="two")])
        await rest(await application.open(request()))
        await rest(await application.open(ChatRequest("t2", (user("hi"),), agent_id="two")))
        with pytest.raises(UnknownName, match="no agent is called 'three'. Known: one, two"):
            await application.open(ChatRequest("t3", (user("hi"),), agent_id="three"))
        return len(one.turns), len(two.turns)

    assert play(scene) == (1, 1)


def test_what_an_agent_raises_is_masked_and_what_it_said_is_kept(caplog):
    stage = Stage(Written(*HELLO[:3], ValueError("sk-secret")))
    chunks = play(lambda: stage.send("hi"))
    assert chunks == [START, *HELLO[:3], {"type": "error", "errorText": "An error occurred."}]
    assert stage.application.history("t1")[1]["parts"][1]["text"] == "你好"
    assert stage.application.ledger.facts("t1")[-1].body["state"] == "error"
    assert stage.application.failures == ["written: sk-secret"]
    assert "ValueError: sk-secret" in caplog.text


def test_on_error_words_what_an_agent_raises():
    stage = Stage(Written(ValueError("kaput")), on_error=lambda error: f"The agent said: {error}")
    assert play(lambda: stage.send("hi"))[-1] == {"type": "error", "errorText": "The agent said: kaput"}


@pytest.mark.parametrize("chunk", [{"type": "text-delta", "id": "t"}, {"type": "nonsense"}, {"no": "type"}])
def test_an_agent_that_speaks_illegally_fails(chunk):
    chunks = play(lambda: Stage(Written(STEP, chunk)).send("hi"))
    assert chunks == [START, STEP, {"type": "error", "errorText": "An error occurred."}]


def test_a_value_that_cannot_be_sent_fails_the_run_and_not_the_connection(caplog):
    chunk = {"type": "data-x", "data": {1, 2}}
    assert play(lambda: Stage(Written(STEP, chunk)).send("hi"))[-1]["type"] == "error"
    assert "agent 'written' gave {'type': 'data-x', 'data': {1, 2}}" in caplog.text


@pytest.mark.parametrize(("finish", "waits"), [("tool-calls", True), ("stop", False)])
def test_an_agent_that_ends_with_tool_calls_is_taken_at_its_word(finish, waits):
    call = {"type": "tool-input-available", "toolCallId": "c1", "toolName": "pick", "input": {}}
    stage = Stage(Written(STEP, call, END_STEP, {"type": "finish", "finishReason": finish}))
    play(lambda: stage.send("hi"))
    assert [pending.tool_call_id for pending in stage.application.pending("t1")] == ["c1"] * waits


def test_keys_that_nobody_knows_pass():
    chunks = play(lambda: Stage(Written(STEP, {**END_STEP, "new": 1}, STOP)).send("hi"))
    assert chunks == [START, STEP, {**END_STEP, "new": 1}, STOP]


def test_a_ledger_that_refuses_a_commit_fails_the_run():
    class Full(MemoryLedger):
        def commit(self, session, run, entries, *, step=0, expect=None):
            if any(kind in ("step", "ended") for kind, _ in entries):
                raise LedgerError("the disk is full")
            return super().commit(session, run, entries, step=step, expect=expect)

    chunks = play(lambda: Stage(Written(*HELLO), ledger=Full()).send("hi"))
    assert chunks[-1] == {"type": "error", "errorText": "An error occurred."}
    assert END_STEP not in chunks, "a step that is not committed has not ended"


def test_reasoning_can_be_kept_back():
    @scripted
    def thinks(turn):
        yield turn.reasoning("secret plan")
        yield turn.text("hello")

    async def scene():
        shown, hidden = Stage(thinks), Stage(thinks, send_reasoning=False)
        return joined(await shown.send("x")), joined(await hidden.send("x")), hidden.application.history("t1")

    shown, hidden, history = play(scene)
    assert [chunk for chunk in shown if "reasoning" not in chunk["type"]] == hidden
    assert "secret plan" in str(history), "the ledger keeps it"


def test_tokens_that_an_agent_counts_are_committed():
    class Counting(Written):
        async def run(self, turn):
            turn.input_tokens += 3
            turn.output_tokens += 5
            for chunk in HELLO:
                yield chunk

    async def scene():
        stage = Stage(Counting())
        await stage.send("one")
        await stage.send("two")
        return stage.application.ledger.usage("t1")

    usage = play(scene)
    assert (usage.input_tokens, usage.output_tokens) == (6, 10)


def test_an_application_needs_an_agent():
    with pytest.raises(Exception, match="there is no agent to run"):
        RunApplication([])


@pytest.mark.parametrize(
    "refused",
    [
        ChatRequest("t1", ()),
        ChatRequest("t1", ({"id": "msg-9", "role": "assistant", "parts": [{"type": "text", "text": "x"}]},)),
    ],
    ids=["no request", "no decision"],
)
def test_a_request_that_is_refused_stops_no_run(refused):
    async def scene():
        gate = asyncio.Event()
        application = RunApplication(Written(*HELLO[:3], gate, *HELLO[3:]))
        first = await application.open(request())
        first.leave()
        with pytest.raises((RequestError, DecisionError)):
            await application.open(refused)
        gate.set()
        await until(lambda: application.running("t1") is None)
        return application.ledger.facts("t1")[-1].body["state"]

    assert play(scene) == "complete"


def test_an_operation_that_is_sent_again_while_it_runs_does_not_start_over():
    async def scene():
        gate = asyncio.Event()
        application = RunApplication(agent := Written(gate, *HELLO), on_disconnect="continue")
        first = await application.open(request(), "awaken")
        first.leave()
        with pytest.raises(RunInProgress, match="in progress"):
            await application.open(request(), "awaken")
        gate.set()
        await until(lambda: application.running("t1") is None)
        return len(agent.turns), application.ledger.facts("t1")[-1].body["state"]

    assert play(scene) == (1, "complete")
