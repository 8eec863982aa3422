"""What a chat promises beyond the recorded cases: threads, handlers, ceilings, and never waiting for a person."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from aisdk_lab.chat import Chat, ChatEvent, Outcome, TransportRequest
from aisdk_lab.errors import DecisionError, LabError, TransportError
from aisdk_lab.loopback import lab_loop
from aisdk_lab.ui_stream.predicates import complete_with_tool_calls
from tests.chat.canned import ASK, ASK_APPROVAL, THANKS, Canned, feed, on_loop
from tests.chat.scripted_transport import ScriptedTransport, let_it_work


def test_send_blocks_a_plain_thread_until_the_exchange_ended():
    outcome = Chat(Canned(THANKS)).send("hi")
    assert (outcome.state, outcome.text) == ("complete", "thanks")


def test_send_returns_when_a_call_waits_for_a_person():
    chat = Chat(Canned(ASK_APPROVAL))
    outcome = chat.send("hi")
    assert (outcome.state, outcome.waiting, chat.status) == ("waiting", ("c1",), "ready")


def test_an_answer_from_another_thread_sends_on_and_returns_how_it_ended():
    chat = Chat(transport := Canned(ASK, THANKS))
    chat.send("hi")
    outcome = chat.add_tool_output("c1", 42)
    assert outcome is not None
    assert (outcome.state, outcome.text) == ("complete", "thanks")
    assert transport.requests[1].messages[1]["parts"][1] == {
        "type": "tool-ask",
        "toolCallId": "c1",
        "state": "output-available",
        "input": {"q": 1},
        "output": 42,
    }


@on_loop
async def test_a_blocking_method_on_the_labs_own_thread_says_which_twin_to_await():
    chat = Chat(Canned(THANKS))
    for call, twin in (
        (lambda: chat.send("hi"), "asend"),
        (chat.regenerate, "aregenerate"),
        (chat.stop, "astop"),
        (lambda: chat.add_tool_output("c1", 1), "aadd_tool_output"),
        (lambda: chat.add_tool_approval_response("ap", True), "aadd_tool_approval_response"),
        (chat.wait, "await_idle"),
    ):
        with pytest.raises(RuntimeError, match=rf"chat\.{twin}\("):
            call()


def test_asend_may_be_awaited_on_any_loop():
    chat = Chat(Canned(THANKS))
    assert asyncio.run(chat.asend("hi")).text == "thanks"


def test_a_cancelled_asend_stops_the_exchange_and_keeps_what_came():
    transport = ScriptedTransport()
    chat = Chat(transport)
    came = threading.Event()
    chat.subscribe(lambda event: came.set() if event.kind == "changes" else None)

    async def cell() -> None:
        task = asyncio.ensure_future(chat.asend("hi"))
        while not transport.requests:
            await asyncio.sleep(0)
        lab_loop().run(feed(transport, THANKS[:4]), timeout=10)
        assert await asyncio.to_thread(came.wait, 10)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cell())
    chat.wait()
    assert chat.outcome is not None
    assert (chat.status, chat.outcome.state, chat.outcome.text) == ("ready", "aborted", "thanks")
    assert transport.stopped == [chat.id]


@on_loop
async def test_stop_tells_the_far_side_after_the_stream_was_closed():
    transport = ScriptedTransport()
    chat = Chat(transport)
    sending = asyncio.ensure_future(chat.asend("hi"))
    await feed(transport, THANKS[:4])
    await chat.astop()
    outcome = await sending
    assert (outcome.state, outcome.is_abort, transport.stopped) == ("aborted", True, [chat.id])
    assert not transport.put(THANKS[4])


@on_loop
async def test_a_stop_before_the_request_began_ends_in_ready():
    transport = ScriptedTransport()
    chat = Chat(transport)
    sending = asyncio.ensure_future(chat.asend("hi"))
    await asyncio.sleep(0)  # the turn exists, its first step has not run
    assert chat.status == "submitted"
    await chat.astop()
    assert (await sending).state == "aborted"
    assert chat.status == "ready"


@on_loop
async def test_a_second_message_is_refused_while_an_answer_streams():
    transport = ScriptedTransport()
    chat = Chat(transport)
    sending = asyncio.ensure_future(chat.asend("one"))
    await let_it_work()
    with pytest.raises(LabError, match="an answer is under way"):
        await chat.asend("two")
    transport.end()
    assert (await sending).state == "truncated"
    assert [message["role"] for message in chat.messages] == ["user"]


# ── answers ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_an_unknown_call_is_refused_with_the_calls_that_wait():
    chat = Chat(Canned(ASK))
    chat.send("hi")
    with pytest.raises(DecisionError, match="c1") as caught:
        chat.add_tool_output("zz", 1)
    assert caught.value.waiting == ("c1",)


def test_an_approval_is_answered_once():
    chat = Chat(Canned(ASK_APPROVAL, THANKS))
    chat.send("hi")
    outcome = chat.add_tool_approval_response("ap", False, "not yet")
    assert outcome is not None
    assert outcome.message["parts"][1]["approval"] == {"id": "ap", "approved": False, "reason": "not yet"}
    with pytest.raises(DecisionError, match="answered once"):
        chat.add_tool_approval_response("ap", True)


def test_only_a_real_boolean_approves():
    chat = Chat(Canned(ASK_APPROVAL))
    chat.send("hi")
    with pytest.raises(TypeError, match="'true'"):
        chat.add_tool_approval_response("ap", "true")  # type: ignore[arg-type]
    assert chat.messages[1]["parts"][1]["state"] == "approval-requested"


def test_an_output_for_a_call_that_asked_for_approval_drops_the_open_question():
    chat = Chat(Canned(ASK_APPROVAL), send_automatically=False)
    events: list[ChatEvent] = []
    chat.send("hi")
    chat.subscribe(events.append)
    chat.add_tool_output("c1", 7)
    assert chat.messages[1]["parts"][1] == {
        "type": "tool-ask",
        "toolCallId": "c1",
        "state": "output-available",
        "input": {"q": 1},
        "output": 7,
    }
    assert ("remove", ("approval",)) in [(change.op, change.path) for change in events[0].changes]


def test_an_approval_whose_request_failed_is_sent_by_the_next_send_without_a_message():
    class FailsOnce(Canned):
        async def stream(self, request: TransportRequest) -> Any:
            if len(self.requests) == 1:
                self.requests.append(request)
                raise TransportError("busy", name="AI_APICallError", status=503)
            async for chunk in super().stream(request):
                yield chunk

    chat = Chat(transport := FailsOnce(ASK_APPROVAL, [], THANKS))
    chat.send("hi")
    outcome = chat.add_tool_approval_response("ap", True)
    assert outcome is not None
    assert outcome.error is not None
    assert (outcome.state, outcome.error.details) == ("error", {"statusCode": 503})
    assert chat.send().text == "thanks"
    assert [request.message_id for request in transport.requests] == [None, "m1", "m1"]


# ── sending by itself ───────────────────────────────────────────────────────────────────────────────────────────────


def test_automatic_sending_has_a_ceiling():
    """A server that always stops after its own tools makes the official client loop for ever (spec §6.9)."""
    server_tool = [
        {"type": "start", "messageId": "m1"},
        {"type": "start-step"},
        {"type": "tool-input-available", "toolCallId": "s", "toolName": "srv", "input": {}},
        {"type": "tool-output-available", "toolCallId": "s", "output": 1},
        {"type": "finish", "finishReason": "tool-calls"},
    ]
    by_itself = Chat(transport := Canned(server_tool))
    by_itself.send("hi")
    assert (len(transport.requests), by_itself.status) == (1, "ready")  # nothing was answered here

    chat = Chat(transport := Canned(server_tool), max_rounds=3, send_automatically=complete_with_tool_calls)
    chat.send("hi")
    assert len(transport.requests) == 4
    assert chat.status == "error"
    assert chat.error is not None
    assert (chat.error.name, "3 automatic requests" in chat.error.message) == ("TooManyRounds", True)
    chat.send()
    assert len(transport.requests) == 8


def test_the_ceiling_begins_anew_when_a_person_answers():
    chat = Chat(transport := Canned(ASK, ASK, ASK, ASK, THANKS), max_rounds=1)
    chat.send("hi")
    for _ in range(4):
        chat.add_tool_output("c1", 1)
    assert (len(transport.requests), chat.status) == (5, "ready")


def test_a_predicate_of_ones_own_may_be_async():
    async def never(messages: Any) -> bool:
        return False

    chat = Chat(transport := Canned(ASK), send_automatically=never)
    chat.send("hi")
    chat.add_tool_output("c1", 1)
    assert len(transport.requests) == 1


# ── reading ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_chunk_out_of_order_is_a_finding_and_only_strict_stops_at_it():
    broken = [THANKS[0], THANKS[4], *THANKS[1:]]
    outcome = Chat(Canned(broken)).send("hi")
    assert (outcome.state, outcome.text, len(outcome.findings)) == ("complete", "thanks", 1)
    strict = Chat(Canned(broken), strict=True).send("hi")
    assert strict.error is not None
    assert (strict.state, strict.error.name) == ("error", "AI_UIMessageStreamError")


@pytest.mark.parametrize(
    ("chunks", "done", "state"),
    [
        (THANKS, False, "complete"),
        (THANKS[:-1], True, "complete"),
        (THANKS[:-1], False, "truncated"),
        ([*THANKS[:4], {"type": "abort"}], False, "aborted"),
        ([*THANKS[:4], {"type": "error", "errorText": "boom"}], False, "error"),
        (ASK, False, "waiting"),
    ],
)
def test_how_an_exchange_ended(chunks: list[dict[str, Any]], done: bool, state: str):
    assert Chat(Canned(chunks, done=done)).send("hi").state == state


@pytest.mark.parametrize(
    ("last", "state"),
    [([], "truncated"), ([{"type": "abort"}], "aborted"), ([{"type": "error", "errorText": "x"}], "error")],
)
def test_nothing_waits_after_an_exchange_that_did_not_end_in_waiting(last: list[dict[str, Any]], state: str):
    """`Capture.waiting` says the same of the same bytes."""
    outcome = Chat(Canned([*ASK_APPROVAL[:4], *last])).send("hi")
    assert (outcome.state, outcome.waiting) == (state, ())


def test_an_open_question_of_an_earlier_step_is_still_one():
    """The reduced message holds it, whatever the server did after it (README, "End state")."""
    chunks = [*ASK_APPROVAL[:4], {"type": "finish-step"}, *THANKS[1:]]
    outcome = Chat(Canned(chunks)).send("hi")
    assert (outcome.state, outcome.waiting, outcome.text) == ("waiting", ("c1",), "thanks")


def test_messages_are_a_copy():
    chat = Chat(Canned(THANKS))
    chat.send("hi")
    chat.messages[0]["parts"].clear()
    assert chat.messages[0]["parts"] == [{"type": "text", "text": "hi"}]


def test_a_subscriber_that_fails_does_not_end_the_conversation():
    chat = Chat(Canned(THANKS))
    kinds: list[str] = []

    def fail(event: ChatEvent) -> None:
        raise ValueError("a view with a mistake")

    chat.subscribe(fail)
    unsubscribe = chat.subscribe(lambda event: kinds.append(event.kind))
    assert chat.send("hi").state == "complete"
    unsubscribe()
    count = len(kinds)
    chat.send("again")
    assert (kinds[-1], len(kinds)) == ("finish", count)


def test_another_history_tells_only_what_differs():
    def message(name: str, text: str) -> dict[str, Any]:
        return {"id": name, "role": "user", "parts": [{"type": "text", "text": text}]}

    chat = Chat(Canned(THANKS), messages=[message("a", "1"), message("b", "2"), message("c", "3")])
    events: list[tuple[Any, int]] = []
    chat.subscribe(lambda event: events.append((event.op, event.index)))
    chat.set_messages([message("a", "1"), message("b", "x")])
    assert events == [("replace", 1), ("truncate", 2)]
    chat.set_messages([message("a", "1"), message("b", "x"), message("d", "4")])
    assert events[2:] == [("push", 2)]


def test_a_response_that_names_another_message_half_way_leaves_the_first_as_it_was():
    chunks = [*THANKS[:4], {"type": "start", "messageId": "m2"}, {"type": "text-delta", "id": "t", "delta": "!"}]
    chat = Chat(Canned(chunks))
    chat.send("hi")
    assert [(m["id"], m["parts"][-1]["text"]) for m in chat.messages[1:]] == [("m1", "thanks"), ("m2", "thanks!")]


def test_the_repr_of_an_outcome_says_what_counts():
    outcome = Chat(Canned(ASK)).send("hi")
    assert repr(outcome) == "Outcome('waiting', text='', waiting=('c1',))"
    assert repr(Outcome("complete", {"id": "a", "role": "assistant", "parts": []})) == "Outcome('complete', text='')"


# ── a turn and its own response ─────────────────────────────────────────────────────────────────────────────────────


@on_loop
async def test_a_turn_that_was_stopped_before_it_began_ends_once_and_lets_the_next_one_be():
    transport = ScriptedTransport()
    chat, ends = Chat(transport), list[str]()
    chat.subscribe(lambda event: ends.append(event.outcome.state) if event.outcome else None)

    async def send_as_soon_as_possible() -> Outcome:
        while chat.is_busy:
            await asyncio.sleep(0)
        return await chat.asend("two")

    first = asyncio.ensure_future(chat.asend("one"))
    second = asyncio.ensure_future(send_as_soon_as_possible())
    await asyncio.sleep(0)  # the request is open, its task has not run yet
    await chat.astop()
    await feed(transport, THANKS)
    transport.end()
    await first
    assert ((await second).text, ends) == ("thanks", ["aborted", "complete"])
