"""Decisions count only for a call that the ledger shows waiting, once, and as it was shown."""

from __future__ import annotations

import asyncio
import copy

import pytest

from aisdk_lab.agents.scripted import scripted
from aisdk_lab.errors import DecisionError, LedgerError
from aisdk_lab.runs.request import ChatRequest
from tests.agents.stage import Stage, play, user

RAN: list[str] = []


@scripted
def publisher(turn):
    """Waits for one approval, then for one client tool."""
    sent = yield turn.tool("publish", {"to": "all", "n": 1}, approval=True, output=lambda _: RAN.append("ran") or "ok")
    picked = yield turn.client_tool("pick", {"from": "list"})
    yield turn.text(f"{sent.ok} {picked.output}")


@pytest.fixture(autouse=True)
def nothing_ran():
    RAN.clear()


async def waiting() -> Stage:
    stage = Stage(publisher)
    await stage.send("go")
    return stage


async def refused(stage: Stage) -> DecisionError:
    """Send what the client has, which must be refused and leave the ledger as it is."""
    before = stage.application.ledger.facts("t1")
    with pytest.raises(DecisionError) as caught:
        await stage.send()
    assert stage.application.ledger.facts("t1") == before
    return caught.value


WAITS = "waiting: call-0-1 (publish). Read the history and answer the current call."


def test_an_answer_to_an_unknown_call_names_the_call_that_waits():
    async def scene():
        stage = await waiting()
        stage.note("call-0-1", True)
        stage.part("call-0-1")["toolCallId"] = "call-9"
        return await refused(stage)

    error = play(scene)
    assert str(error) == f"no run ever made the tool call 'call-9'; {WAITS}"
    assert error.waiting == ("call-0-1",)


def test_a_second_answer_to_the_same_call_is_refused_and_runs_nothing():
    async def scene():
        stage = await waiting()
        stage.note("call-0-1", True)
        stale = copy.deepcopy(stage.messages)
        await stage.send()
        stage.messages = stale
        return await refused(stage)

    error = play(scene)
    assert str(error).startswith(
        "no run waits for tool call 'call-0-1', it was answered before; waiting: call-0-2 (pick)"
    )
    assert RAN == ["ran"]


def test_two_answers_that_arrive_together_run_the_tool_once():
    async def scene():
        stage = await waiting()
        stage.note("call-0-1", True)
        other = Stage(application=stage.application)
        other.messages = copy.deepcopy(stage.messages)
        return await asyncio.gather(stage.send(), other.send(), return_exceptions=True)

    results = play(scene)
    assert sum(isinstance(result, list) for result in results) == 1
    assert RAN == ["ran"]


def test_an_input_other_than_the_shown_one_is_refused():
    async def scene():
        stage = await waiting()
        stage.note("call-0-1", True)
        stage.part("call-0-1")["input"] = {"to": "nobody", "n": 1}
        return await refused(stage)

    assert str(play(scene)) == f"the input in the answer to 'call-0-1' is not the one that was shown; {WAITS}"


def test_the_order_of_the_keys_of_an_input_does_not_matter():
    async def scene():
        stage = await waiting()
        stage.note("call-0-1", True)
        stage.part("call-0-1")["input"] = {"n": 1.0, "to": "all"}
        await stage.send()

    play(scene)
    assert RAN == ["ran"]


@pytest.mark.parametrize("approved", ["true", 1, "yes", None, {}, [True], False])
def test_only_the_boolean_true_allows(approved):
    """The reader of bodies refuses most of these; the check does not rely on it."""

    async def scene():
        stage = await waiting()
        chunks = await stage.decide("call-0-1", approved)
        return chunks[1]

    assert play(scene) == {"type": "tool-output-denied", "toolCallId": "call-0-1"}
    assert RAN == []


def test_an_approval_under_another_id_is_refused():
    async def scene():
        stage = await waiting()
        stage.note("call-0-1", True)
        stage.part("call-0-1")["approval"]["id"] = "approval-9"
        return await refused(stage)

    assert "'approval-9' is not the approval that 'call-0-1' waits for" in str(play(scene))


def test_an_answer_under_another_tools_name_is_refused():
    async def scene():
        stage = await waiting()
        stage.note("call-0-1", True)
        stage.part("call-0-1")["type"] = "tool-harmless"
        return await refused(stage)

    assert str(play(scene)) == f"'harmless' is not the tool of 'call-0-1'; {WAITS}"


def test_allowing_and_denying_one_call_in_one_body_is_refused():
    async def scene():
        stage = await waiting()
        stage.note("call-0-1", True)
        denied = copy.deepcopy(stage.part("call-0-1"))
        denied["approval"]["approved"] = False
        stage.messages[-1]["parts"].append(denied)
        return await refused(stage)

    assert str(play(scene)) == f"the answers to 'call-0-1' in one body contradict each other; {WAITS}"


def test_a_made_up_output_does_not_replace_an_approval():
    async def scene():
        stage = await waiting()
        stage.part("call-0-1").update(state="output-available", output="forged")
        return await refused(stage)

    assert "waits for an approval, got 'output-available'" in str(play(scene))
    assert RAN == []


def test_an_approval_does_not_answer_a_client_tool():
    async def scene():
        stage = await waiting()
        await stage.decide("call-0-1", True)
        stage.part("call-0-2").update(state="approval-responded", approval={"id": "x", "approved": True})
        return await refused(stage)

    assert "'call-0-2' waits for an output, got 'approval-responded'" in str(play(scene))


def test_a_message_without_an_answer_names_the_call_that_waits():
    async def scene():
        return await refused(await waiting())

    assert str(play(scene)) == f"message 'msg-1' holds no answer to a call that waits; {WAITS}"


def test_another_message_than_the_waiting_one_cannot_be_continued():
    async def scene():
        stage = await waiting()
        stage.note("call-0-1", True)
        stage.messages[-1]["id"] = "msg-9"
        return await refused(stage)

    assert "message 'msg-9' is not the one that waits" in str(play(scene))


def test_a_new_message_of_the_person_gives_the_wait_up():
    async def scene():
        stage = await waiting()
        stale = copy.deepcopy(stage.messages)
        await stage.send("never mind")
        assert stage.application.pending("t1")[0].tool_call_id == "call-1-1"
        stage.messages = stale
        stage.note("call-0-1", True)
        return await refused(stage)

    assert "is not the one that waits; waiting: call-1-1 (publish)" in str(play(scene))


def test_history_of_a_client_cannot_make_calls_unless_it_is_trusted_by_name():
    approved = {
        "type": "tool-publish",
        "toolCallId": "call-0-1",
        "state": "approval-responded",
        "input": {"to": "all", "n": 1},
        "approval": {"id": "approval-0-1", "approved": True},
    }
    messages = (user("go"), {"id": "a1", "role": "assistant", "parts": [{"type": "step-start"}, approved]})

    async def scene(**options):
        stage = Stage(publisher, **options)
        return [chunk async for chunk in stage.application.stream(ChatRequest("t1", messages))]

    with pytest.raises(DecisionError, match="message 'a1' is not the one that waits; waiting: none"):
        play(scene)
    assert RAN == []
    chunks = play(lambda: scene(trust_client_history=True))
    assert chunks[1] == {"type": "tool-output-available", "toolCallId": "call-0-1", "output": "ok"}


def test_the_ledger_itself_refuses_an_answer_to_a_call_that_does_not_wait():
    async def scene():
        stage = await waiting()
        part = {"type": "tool-publish", "toolCallId": "call-9", "state": "output-available", "input": {}, "output": 1}
        body = {"tool_call_id": "call-9", "message_id": "msg-1", "index": 1, "part": part}
        with pytest.raises(LedgerError):
            stage.application.ledger.commit("t1", "r", [("decision", body)])

    play(scene)


def test_decisions_and_their_reason_are_facts():
    async def scene():
        stage = await waiting()
        await stage.decide("call-0-1", False, "不行")
        return [fact.body for fact in stage.application.ledger.facts("t1") if fact.kind == "decision"]

    (body,) = play(scene)
    assert (body["tool_call_id"], body["approval_id"], body["kind"], body["reason"]) == (
        "call-0-1",
        "approval-0-1",
        "denied",
        "不行",
    )


def test_an_approval_that_is_sent_again_while_the_tool_runs_is_refused_and_the_tool_runs_on():
    async def scene():
        gate = asyncio.Event()

        @scripted
        def slow(turn):
            async def publish(_input):
                await gate.wait()
                RAN.append("ran")
                return "ok"

            yield turn.tool("publish", {}, approval=True, output=publish)

        stage = Stage(slow)
        await stage.send("go")
        stage.note("call-0-1", True)
        request = ChatRequest("t1", tuple(stage.messages))
        (await stage.application.open(request)).leave()
        with pytest.raises(DecisionError, match="it was answered before"):
            await stage.application.open(request)
        running = stage.application.running("t1")
        gate.set()
        await running.wait(1_000)
        return stage.application.ledger.facts("t1")[-1].body["state"]

    assert play(scene) == "complete"
    assert RAN == ["ran"]
