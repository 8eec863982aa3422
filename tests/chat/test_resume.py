"""Resuming, and what a strict chat does where the default one speaks up."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from aisdk_lab.chat import Chat, Outcome
from aisdk_lab.errors import DecisionError, LabError, TransportError
from aisdk_lab.loopback import lab_loop
from aisdk_lab.transports.http import HttpTransport
from tests.chat.canned import ASK, ASK_APPROVAL, THANKS, Canned, feed, on_loop
from tests.chat.recorded import Player
from tests.chat.scripted_transport import ScriptedTransport, let_it_work
from tests.chat.test_recorded import CASES
from tests.transports.answering_server import answering

LOST = TransportError("network error", name="TypeError")
DIFFERENT_ON_PURPOSE = {
    "chat/bad-order-chunk": "the lenient reducer goes on",
    "chat/second-send-while-streaming": "a second message is refused, not mixed into the answer under way",
    "chat/tool-output-unknown-id": "an answer to a call that does not wait names what waits",
    "chat/approval-unknown-id": "an answer to a call that does not wait names what waits",
}


@pytest.mark.parametrize("name", [name for name in CASES if name.startswith("chat/")])
def test_without_strict_only_what_is_named_differs(name: str):
    async def run() -> dict[str, Any]:
        return await Player(CASES[name]["input"], strict=False).play()

    assert (lab_loop().run(run(), timeout=10) != CASES[name]["expect"]) == (name in DIFFERENT_ON_PURPOSE)


@on_loop
async def test_a_lost_network_is_mended_by_resuming():
    transport = ScriptedTransport(resume_is_replay=False)
    chat = Chat(transport)
    sending = asyncio.ensure_future(chat.asend("hi"))
    await feed(transport, THANKS[:4])
    transport.end(LOST)
    assert (await sending).is_disconnect
    resuming = asyncio.ensure_future(chat.aresume())
    await feed(transport, [{"type": "text-delta", "id": "t", "delta": "!"}, *THANKS[4:]])
    transport.end()
    outcome = await resuming
    assert outcome is not None
    assert (outcome.state, outcome.text, chat.status, chat.error) == ("complete", "thanks!", "ready", None)


@on_loop
async def test_a_resumed_answer_is_sent_on_by_itself_like_any_other():
    transport = ScriptedTransport()
    chat = Chat(transport, on_tool_call=lambda call: 1)
    resuming = asyncio.ensure_future(chat.aresume())
    await feed(transport, ASK)
    transport.end()
    while len(transport.requests) < 2:
        await asyncio.sleep(0)
    await feed(transport, THANKS)
    transport.end()
    outcome = await resuming
    assert outcome is not None
    assert (outcome.text, [request.trigger for request in transport.requests]) == (
        "thanks",
        ["resume-stream", "submit-message"],
    )


@on_loop
async def test_a_stop_ends_a_resumption_that_is_still_connecting():
    class Slow(ScriptedTransport):
        async def reconnect(self, request: Any) -> Any:
            await asyncio.Event().wait()

    chat = Chat(Slow())
    resuming = asyncio.ensure_future(chat.aresume())
    await let_it_work()
    assert chat.is_busy
    await chat.astop()
    assert (await resuming, chat.status, chat.is_busy) == (None, "ready", False)


@on_loop
async def test_a_resumption_is_refused_while_an_answer_streams():
    transport = ScriptedTransport()
    chat = Chat(transport)
    sending = asyncio.ensure_future(chat.asend("hi"))
    await let_it_work()
    with pytest.raises(LabError, match=r"Chat\.resume\(\): an answer is under way"):
        await chat.aresume()
    transport.end()
    await sending


def test_a_transport_that_cannot_join_says_so():
    outcome = Chat(Canned(THANKS)).resume()
    assert outcome is not None
    assert outcome.error is not None
    assert (outcome.state, "cannot join a response" in outcome.error.message) == ("error", True)


@pytest.mark.parametrize("status", [404, 405])
def test_a_server_without_a_door_to_resume_at_is_told_apart_from_a_lost_network(status: int):
    async def ask(strict: bool) -> Outcome:
        async with answering({"status": status, "body": "nope"}) as server:
            outcome = await Chat(HttpTransport(f"{server.url}/api/chat", strict=strict), id="c").aresume()
            assert outcome is not None
            return outcome

    friendly, strict = (lab_loop().run(ask(strict), timeout=10).error for strict in (False, True))
    assert friendly is not None
    assert strict is not None
    assert f"/api/chat/c/stream (HTTP {status}, 'nope'): the server has no such door" in friendly.message
    assert (strict.name, strict.message) == ("AI_APICallError", "nope")


@on_loop
async def test_a_strict_chat_stays_silent_where_the_official_one_does():
    chat = Chat(Canned(ASK_APPROVAL), strict=True, send_automatically=False)
    await chat.asend("hi")
    before = chat.messages
    assert await chat.aadd_tool_output("zz", 1) is chat.outcome
    assert await chat.aadd_tool_approval_response("zz", True) is chat.outcome
    assert chat.messages == before
    await chat.aadd_tool_approval_response("ap", True)
    await chat.aadd_tool_approval_response("ap", False)
    assert chat.messages[1]["parts"][1]["approval"]["approved"] is True


@on_loop
async def test_a_strict_chat_lets_a_second_message_through():
    transport = ScriptedTransport()
    chat = Chat(transport, strict=True)
    first = asyncio.ensure_future(chat.asend("one"))
    await let_it_work()
    second = asyncio.ensure_future(chat.asend("two"))
    await feed(transport, THANKS)
    transport.end_all()
    assert (await second).text == "thanks"
    await first
    assert [message["role"] for message in chat.messages] == ["user", "user", "assistant"]


def test_an_answer_that_names_no_call_names_those_that_wait():
    chat = Chat(Canned(ASK))
    chat.send("hi")
    with pytest.raises(DecisionError, match=r"waiting: \['c1'\]"):
        chat.add_tool_output("zz", 1)


@on_loop
async def test_what_a_predicate_raises_reaches_whoever_sent():
    def broken(messages: Any) -> bool:
        raise ValueError("my own")

    chat = Chat(Canned(THANKS), send_automatically=broken)
    with pytest.raises(ValueError, match="my own"):
        await chat.asend("hi")
    assert chat.status == "ready"


@on_loop
async def test_what_a_handler_answers_late_is_sent_with_the_options_of_its_request():
    release = asyncio.Event()

    async def slow(call: Any) -> int:
        await release.wait()
        return 1

    transport = Canned(ASK, THANKS)
    chat = Chat(transport, on_tool_call=slow)
    sending = asyncio.ensure_future(chat.asend("hi", headers={"x-tenant": "a"}))
    await let_it_work()
    release.set()
    await sending
    assert [request.options.headers for request in transport.requests] == [{"x-tenant": "a"}] * 2
