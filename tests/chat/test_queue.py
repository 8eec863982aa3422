"""Messages that wait: while an answer streams, while a call waits for a person, after a stop."""

from __future__ import annotations

import asyncio

from aisdk_lab.chat import Chat
from tests.chat.canned import ASK, THANKS, Canned, feed, on_loop
from tests.chat.scripted_transport import ScriptedTransport, let_it_work


def words(chat: Chat) -> list[str]:
    return [part["text"] for message in chat.messages for part in message["parts"] if message["role"] == "user"]


def queued(chat: Chat) -> list[str]:
    return [message["parts"][0]["text"] for message in chat.queued_messages]


@on_loop
async def test_a_message_waits_until_the_answer_has_come():
    transport = ScriptedTransport()
    chat = Chat(transport, queue=True)
    first = asyncio.ensure_future(chat.asend("one"))
    await let_it_work()
    second = asyncio.ensure_future(chat.asend("two", headers={"x": "2"}))
    await let_it_work()
    assert (queued(chat), words(chat), len(transport.requests)) == (["two"], ["one"], 1)
    await feed(transport, THANKS)
    transport.end()
    await let_it_work()
    assert (queued(chat), words(chat), len(transport.requests)) == ([], ["one", "two"], 2)
    assert transport.requests[1].options.headers == {"x": "2"}
    transport.end()
    assert (await first) is (await second)


def test_a_message_waits_while_a_call_waits_for_a_person_and_send_returns():
    chat = Chat(transport := Canned(ASK, THANKS, THANKS), queue=True)
    chat.send("one")
    assert chat.send("two").waiting == ("c1",)
    assert queued(chat) == ["two"]
    chat.add_tool_output("c1", 1)
    assert (queued(chat), words(chat), len(transport.requests)) == ([], ["one", "two"], 3)


def test_a_chat_that_never_asked_says_what_its_history_waits_for():
    history = [
        {
            "id": "a",
            "role": "assistant",
            "parts": [{"type": "tool-ask", "toolCallId": "c1", "state": "input-available", "input": {}}],
        }
    ]
    outcome = Chat(Canned(THANKS), messages=history, queue=True).send("later")
    assert (outcome.state, outcome.waiting) == ("waiting", ("c1",))


@on_loop
async def test_a_stop_pauses_the_queue_until_a_person_sends():
    transport = ScriptedTransport()
    chat = Chat(transport, queue=True)
    calls = [asyncio.ensure_future(chat.asend("one"))]
    await let_it_work()
    calls += [asyncio.ensure_future(chat.asend(text)) for text in ("two", "three")]
    await let_it_work()
    await chat.astop()
    await asyncio.gather(*calls)
    assert (queued(chat), chat.status) == (["two", "three"], "ready")
    chat.remove_queued_message(chat.queued_messages[0]["id"])
    sending = asyncio.ensure_future(chat.asend("four"))
    for _ in range(2):
        await feed(transport, THANKS)
        transport.end()
    await sending
    assert (queued(chat), words(chat)) == ([], ["one", "three", "four"])


@on_loop
async def test_a_waiting_message_may_go_now():
    transport = ScriptedTransport()
    chat = Chat(transport, queue=True)
    calls = [asyncio.ensure_future(chat.asend("one"))]
    await let_it_work()
    calls += [asyncio.ensure_future(chat.asend(text)) for text in ("two", "three")]
    await let_it_work()
    now = asyncio.ensure_future(chat.asend_queued_message_now(chat.queued_messages[1]["id"]))
    await let_it_work()
    assert (words(chat), queued(chat)) == (["one", "three"], ["two"])
    while transport.end():
        await let_it_work()
    await asyncio.gather(now, *calls)
    assert (words(chat), queued(chat)) == (["one", "three", "two"], [])


@on_loop
async def test_asking_anew_drops_what_waits_and_the_answer_under_way():
    transport = ScriptedTransport()
    chat = Chat(transport, queue=True)
    calls = [asyncio.ensure_future(chat.asend("one"))]
    await let_it_work()
    calls.append(asyncio.ensure_future(chat.asend("two")))
    await let_it_work()
    again = asyncio.ensure_future(chat.aregenerate())
    await let_it_work()
    assert (queued(chat), words(chat), len(transport.requests)) == ([], ["one"], 2)
    transport.end()
    await asyncio.gather(again, *calls)
