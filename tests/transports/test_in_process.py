"""A chat in process goes through the same runs and the same ledger as one over HTTP."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from aisdk_lab.agents import agents
from aisdk_lab.agents.scripted import scripted
from aisdk_lab.chat import Chat
from aisdk_lab.errors import UnknownName
from aisdk_lab.loopback import lab_loop
from aisdk_lab.runs.application import RunApplication
from aisdk_lab.transports.in_process import InProcessTransport
from tests.chat.scripted_transport import let_it_work


async def no_wait(seconds: float) -> None:
    """Let others work instead of waiting for `seconds`."""
    await asyncio.sleep(0)


def application(*names: str) -> RunApplication:
    return RunApplication([agents[name] for name in names], sleep=no_wait)


def states(chat: Chat) -> dict[str, str]:
    parts = [part for message in chat.messages for part in message["parts"] if "toolCallId" in part]
    return {part["type"].removeprefix("tool-"): part["state"] for part in parts}


def test_the_published_edit_goes_through_both_questions():
    runs = application("publish")
    chat = Chat(InProcessTransport(runs))
    assert chat.send("Make this shorter and publish it").state == "waiting"
    (call,) = chat.outcome.waiting if chat.outcome else ()
    outcome = chat.add_tool_output(call, {"status": "applied"})
    assert outcome is not None
    assert (outcome.state, states(chat)["publishToFeishu"]) == ("waiting", "approval-requested")
    approval = next(p["approval"]["id"] for m in chat.messages for p in m["parts"] if p.get("approval"))
    outcome = chat.add_tool_approval_response(approval, True)
    assert outcome is not None
    assert outcome.state == "complete"
    assert states(chat) == {
        "readDocument": "output-available",
        "proposeEdit": "output-available",
        "publishToFeishu": "output-available",
    }
    assert [m["id"] for m in chat.messages] == [m["id"] for m in runs.history(chat.id)]
    assert runs.pending(chat.id) == ()


def test_a_denial_with_a_reason_reaches_the_agent():
    chat = Chat(InProcessTransport(application("publish")))
    chat.send("Make this shorter and publish it")
    assert chat.outcome is not None
    chat.add_tool_output(chat.outcome.waiting[0], {"status": "applied"})
    approval = next(p["approval"]["id"] for m in chat.messages for p in m["parts"] if p.get("approval"))
    outcome = chat.add_tool_approval_response(approval, False, "after the review")
    assert outcome is not None
    assert "after the review" in outcome.text
    assert states(chat)["publishToFeishu"] == "output-denied"


def test_a_second_message_and_another_answer_go_on_in_the_same_thread():
    chat = Chat(InProcessTransport(application("weather")))
    first = chat.send("杭州天气怎么样？")
    again = chat.regenerate()
    assert (first.state, again.state) == ("complete", "complete")
    chat.send("And tomorrow?")
    assert [message["role"] for message in chat.messages] == ["user", "assistant", "user", "assistant"]


def test_stopping_the_chat_stops_the_run():
    async def run() -> tuple[str, bool]:
        waits = asyncio.Event()

        async def never(seconds: float) -> None:
            waits.set()
            await asyncio.Event().wait()

        runs = RunApplication(agents["weather"], sleep=never)
        chat = Chat(InProcessTransport(runs))
        sending = asyncio.ensure_future(chat.asend("杭州天气怎么样？"))
        await waits.wait()
        await let_it_work()
        assert runs.running(chat.id) is not None
        await chat.astop()
        return (await sending).state, runs.running(chat.id) is not None

    assert lab_loop().run(run(), timeout=10) == ("aborted", False)


def test_what_the_agent_raises_ends_in_an_error_that_on_error_words():
    @scripted
    def broken(turn: Any) -> Any:
        yield turn.text("so far so good")
        raise ValueError("a secret path")

    application = RunApplication(broken, sleep=no_wait, on_error=lambda _error: "masked")
    outcome = Chat(InProcessTransport(application)).send("hi")
    assert (outcome.state, outcome.text) == ("error", "so far so good")
    assert outcome.error is not None
    assert outcome.error.message == "masked"


def test_a_history_that_the_ledger_does_not_know_cannot_answer_a_call():
    """Decisions count only for a call that the ledger shows waiting; the refusal is an error of the chat."""
    part = {
        "type": "tool-publish",
        "toolCallId": "c",
        "state": "approval-requested",
        "input": {},
        "approval": {"id": "a"},
    }
    history = [{"id": "m", "role": "assistant", "parts": [part]}]
    chat = Chat(InProcessTransport(application("publish")), messages=history)
    outcome = chat.add_tool_approval_response("a", True)
    assert outcome is not None
    assert outcome.state == "error"


def test_the_transport_tells_what_the_agent_is():
    transport = InProcessTransport(application("weather", "publish"), agent_id="publish")
    assert transport.title == agents["publish"].title
    assert list(transport.client_tools) == ["proposeEdit"]
    assert tuple(transport.suggestions) == tuple(agents["publish"].suggestions)
    with pytest.raises(UnknownName, match="weather"):
        InProcessTransport(application("weather"), agent_id="nobody")


def test_whoever_is_in_this_process_reads_why_a_script_failed():
    @scripted
    def typo(turn):
        yield turn.text("half ")
        yield turn.txt("rest")

    outcome = Chat(InProcessTransport(RunApplication(typo, sleep=no_wait))).send("hi")
    assert outcome.error is not None
    said = outcome.error.message
    assert said == "script 'typo' raised after yield 1: AttributeError: 'ScriptTurn' object has no attribute 'txt'"


# ── joining a run ───────────────────────────────────────────────────────────────────────────────────────────────────


@scripted(client_tools={"tone": True})
def slow(turn: Any) -> Any:
    tone = yield turn.client_tool("tone", {"choices": ["short"]})
    yield turn.text(f"tone {tone.output}, ")
    yield turn.sleep(9)
    yield turn.text("done")


def test_a_second_chat_joins_a_run_that_goes_on_with_an_earlier_message():
    """What the run continues is told first: a chat that begins anew with the first chunk keeps the answered call."""

    async def run() -> tuple[Any, Any, list[Any]]:
        waits, go_on = asyncio.Event(), asyncio.Event()

        async def sleep(seconds: float) -> None:
            if seconds == 9:
                waits.set()
                await go_on.wait()

        runs = RunApplication(slow, sleep=sleep)
        chat = Chat(InProcessTransport(runs), id="t")
        call = (await chat.asend("hi")).waiting[0]
        answering = asyncio.ensure_future(chat.aadd_tool_output(call, "short"))
        await waits.wait()
        calls: list[str] = []
        other = Chat(
            InProcessTransport(runs), id="t", messages=chat.messages, on_tool_call=lambda c: calls.append(c.name)
        )
        joining = asyncio.ensure_future(other.aresume())
        await let_it_work()
        go_on.set()
        return (await answering), (await joining), [chat.messages, other.messages, calls]

    answered, joined, (mine, theirs, calls) = lab_loop().run(run(), timeout=10)
    assert (answered.state, joined.state, joined.text) == ("complete", "complete", "tone short, done")
    assert (mine, calls) == (theirs, [])


def test_there_is_nothing_to_join_when_no_run_is_under_way():
    chat = Chat(InProcessTransport(application("weather")))
    assert (chat.resume(), chat.status, chat.messages) == (None, "ready", [])
