"""Tool-call handlers: tasks of their own, whose answers come when they come."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from aisdk_lab.chat import Chat, ToolCall
from tests.chat.canned import ASK, THANKS, Canned, feed, on_loop
from tests.chat.scripted_transport import ScriptedTransport, let_it_work


def test_a_plain_handler_runs_in_a_thread_of_its_own_and_its_value_is_the_output():
    threads: list[str] = []

    def handler(call: ToolCall) -> Any:
        threads.append(threading.current_thread().name)
        return {"doubled": call.input["q"] * 2}

    transport = Canned(ASK, THANKS)
    outcome = Chat(transport, on_tool_call=handler).send("hi")
    assert outcome.text == "thanks"
    assert transport.requests[1].messages[1]["parts"][1]["output"] == {"doubled": 2}
    assert threads == ["aisdk-lab-tool"]


def test_a_plain_handler_may_answer_with_the_blocking_method():
    """Inside a handler an answer returns at once: the exchange waits for the handler."""
    chat: Chat

    def handler(call: ToolCall) -> None:
        chat.add_tool_output(call.tool_call_id, "by hand")

    transport = Canned(ASK, THANKS)
    chat = Chat(transport, on_tool_call=handler)
    assert chat.send("hi").text == "thanks"
    assert transport.requests[1].messages[1]["parts"][1]["output"] == "by hand"


def test_a_handler_that_raises_answers_the_call_with_its_error():
    def handler(call: ToolCall) -> Any:
        raise KeyError("no such cell")

    transport = Canned(ASK, THANKS)
    assert Chat(transport, on_tool_call=handler).send("hi").state == "complete"
    part = transport.requests[1].messages[1]["parts"][1]
    assert (part["state"], part["errorText"]) == ("output-error", "KeyError: 'no such cell'")


class Wordless(Exception):
    """An exception that cannot say itself."""

    def __str__(self) -> str:
        raise SystemExit(3)


@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize("problem", [SystemExit(2), KeyboardInterrupt(), Wordless(), StopIteration(), GeneratorExit()])
def test_whatever_a_handler_raises_is_the_error_of_its_call(problem: BaseException, is_async: bool):
    def handler(call: ToolCall) -> Any:
        raise problem

    async def async_handler(call: ToolCall) -> Any:
        raise problem

    if is_async and isinstance(problem, StopIteration | GeneratorExit):
        return  # a coroutine cannot raise the one, and is being closed with the other
    transport = Canned(ASK, THANKS)
    outcome = Chat(transport, on_tool_call=async_handler if is_async else handler).send("hi")
    part = transport.requests[1].messages[1]["parts"][1]
    assert (outcome.state, part["state"]) == ("complete", "output-error")
    assert part["errorText"].startswith(type(problem).__name__)


def test_an_output_that_no_request_can_carry_is_refused():
    chat = Chat(Canned(ASK, THANKS))
    assert chat.send("hi").waiting == ("c1",)
    deep: list[Any] = []
    for _ in range(1000):
        deep = [deep]
    for output in (object(), deep):
        with pytest.raises((TypeError, ValueError), match="nested|not a JSON value"):
            chat.add_tool_output("c1", output)
    assert chat.add_tool_output("c1", 1).text == "thanks"  # type: ignore[union-attr]


def test_a_handler_that_returns_nothing_leaves_the_call_to_a_person():
    seen: list[str] = []
    chat = Chat(Canned(ASK, THANKS), on_tool_call=lambda call: seen.append(call.name))
    assert (chat.send("hi").waiting, seen) == (("c1",), ["ask"])


@on_loop
async def test_send_waits_for_a_handler_that_is_slower_than_the_stream():
    release = asyncio.Event()

    async def handler(call: ToolCall) -> Any:
        await release.wait()
        return 1

    chat = Chat(Canned(ASK, THANKS), on_tool_call=handler)
    sending = asyncio.ensure_future(chat.asend("hi"))
    await let_it_work()
    assert (chat.status, sending.done()) == ("ready", False)
    release.set()
    assert (await sending).text == "thanks"


@on_loop
async def test_a_stop_ends_the_handlers_and_what_they_answer_later_sends_nothing():
    started = asyncio.Event()

    async def handler(call: ToolCall) -> Any:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            await chat.aadd_tool_output(call.tool_call_id, "too late")

    transport = Canned(ASK, THANKS)
    chat = Chat(transport, on_tool_call=handler)
    sending = asyncio.ensure_future(chat.asend("hi"))
    await started.wait()
    await let_it_work()
    await chat.astop()
    await sending
    assert len(transport.requests) == 1
    assert chat.messages[1]["parts"][1]["output"] == "too late"


@pytest.mark.parametrize("steps", range(12))
def test_an_answer_keeps_its_reply_in_whatever_tick_it_comes(steps: int):
    """One of these ticks is the one in which the exchange has just ended and its task is about to be done."""

    async def handle(call: ToolCall) -> str:
        for _ in range(steps):
            await asyncio.sleep(0)
        return "sel"

    chat = Chat(Canned(ASK, THANKS), on_tool_call=handle)
    outcome = chat.send("hi")
    assert (outcome.state, outcome.text, chat.status) == ("complete", "thanks", "ready")
    assert [part["type"] for part in chat.messages[-1]["parts"]] == ["step-start", "tool-ask", "step-start", "text"]


# ── what a server may do to a handler ───────────────────────────────────────────────────────────────────────────────


@on_loop
async def test_an_answer_to_a_call_that_was_taken_back_is_dropped():
    release = asyncio.Event()

    async def slow(call: ToolCall) -> int:
        await release.wait()
        return 1

    transport = ScriptedTransport()
    chat = Chat(transport, on_tool_call=slow)
    sending = asyncio.ensure_future(chat.asend("hi"))
    await feed(transport, [*ASK[:3], {"type": "reset-step"}, *ASK[3:]])
    transport.end()
    release.set()
    assert (await sending).state == "complete"
    assert [part["type"] for part in chat.messages[1]["parts"]] == ["step-start"]


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("message_id", [1, None, True, ["m"], {"a": 1}])
@pytest.mark.parametrize("reason", ["interrupted", "stop"])
def test_an_id_that_is_no_text_ends_no_chat(message_id: Any, reason: str, strict: bool):
    chunks = [{"type": "start", "messageId": message_id}, *ASK[1:4], {"type": "finish", "finishReason": reason}]
    chat = Chat(Canned(chunks), strict=strict, on_tool_call=lambda call: None)
    assert chat.send("hi").waiting in ((), ("c1",))
    assert chat.status == "ready"


@pytest.mark.parametrize(
    "call", [{"toolCallId": None, "toolName": "x"}, {"toolName": "x"}, {"toolCallId": "c", "toolName": 1}]
)
def test_a_call_without_an_id_or_a_name_starts_no_handler(call: dict[str, Any]):
    seen: list[ToolCall] = []
    chat = Chat(Canned([{"type": "tool-input-available", "input": {}, **call}, ASK[4]]), on_tool_call=seen.append)
    chat.send("hi")
    assert (seen, chat.status) == ([], "ready")
