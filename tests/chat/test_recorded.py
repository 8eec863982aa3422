"""Chat against the recorded behaviour of the official client, event by event."""

from __future__ import annotations

import asyncio
import copy
import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from aisdk_lab.chat import Chat, ChatError, ChatEvent, InvalidArgument, ToolCall, TransportRequest
from aisdk_lab.errors import LabError, TransportError
from aisdk_lab.loopback import lab_loop
from aisdk_lab.ui_stream.predicates import complete_with_approval_responses, complete_with_tool_calls
from tests.chat.scripted_transport import ScriptedTransport, let_it_work

CASES = {
    case["name"]: case
    for case in map(
        json.loads, (Path(__file__).parents[1] / "golden" / "chat" / "chat.jsonl").read_text("utf-8").splitlines()
    )
}
NO_RESUME = "a chat cannot resume yet: the door that resumes comes with its own issue"
NAMES_THE_CALL = "an answer to a call that does not wait raises and names what waits; the reference stays silent"
EXPECTED_TO_DIFFER = {
    "chat/resume-replay": NO_RESUME,
    "chat/resume-none": NO_RESUME,
    "chat/resume-after-disconnect": NO_RESUME,
    "chat/resume-continues-without-replay": NO_RESUME,
    "chat/queue-while-streaming": "the experimental queue of messages is not built",
    "chat/second-send-while-streaming": "a second message is refused instead of breaking the answer under way",
    "chat/tool-output-unknown-id": NAMES_THE_CALL,
    "chat/approval-unknown-id": NAMES_THE_CALL,
}
PREDICATES = {
    "toolCalls": complete_with_tool_calls,
    "approvals": complete_with_approval_responses,
    "either": lambda messages: complete_with_tool_calls(messages) or complete_with_approval_responses(messages),
}


class Player:
    """Plays one recorded script and writes down what the chat did, in the recorder's words."""

    def __init__(self, case: dict[str, Any]) -> None:
        given, options = case["input"], case["input"].get("options") or {}
        self.script = given["script"]
        self.events: list[dict[str, Any]] = []
        self.place: dict[str, int] = {}
        self.transport = ScriptedTransport()
        self.transport.on_request = self.on_request
        ids = itertools.count(1)
        when = options.get("sendAutomaticallyWhen")
        self.outputs = options.get("onToolCall") or {}
        self.chat = Chat(
            self.transport,
            id="chat-1",
            messages=given.get("messages") or (),
            generate_id=lambda: f"gen-{next(ids)}",
            send_automatically=PREDICATES[when] if when else False,
            on_tool_call=self.on_tool_call,
            strict=True,
        )
        self.chat.subscribe(self.on_event)
        self.calls: list[asyncio.Task[Any]] = []

    def note(self, kind: str, **fields: Any) -> None:
        known = {key: value for key, value in fields.items() if value is not None}
        self.events.append(copy.deepcopy({**self.place, "type": kind, **known}))

    def on_request(self, request: TransportRequest) -> None:
        self.note(
            "transport",
            op="sendMessages",
            trigger=request.trigger,
            messageId=request.message_id,
            chatId=request.chat_id,
            messages=list(request.messages),
        )

    async def on_tool_call(self, call: ToolCall) -> None:
        if call.name in self.outputs:  # awaited inside the handler: the reference would wait for itself
            await self.chat.aadd_tool_output(call.tool_call_id, self.outputs[call.name])

    def on_event(self, event: ChatEvent) -> None:
        match event.kind:
            case "status":
                self.note("status", status=event.status)
            case "error":
                self.note("error", **_error(event.error))
            case "data":
                self.note("data", part=event.chunk)
            case "tool_call":
                self.note("toolCall", toolCall=event.chunk)
            case "changes":
                self.note("message", op="replace", index=event.index, message=self.chat.messages[event.index])
            case "message" if event.op != "truncate":
                self.note("message", op=event.op, index=event.index, message=event.message)
            case "finish":
                outcome = event.outcome
                assert outcome is not None
                self.note(
                    "finish",
                    isAbort=outcome.is_abort,
                    isDisconnect=outcome.is_disconnect,
                    isError=outcome.error is not None,
                    finishReason=outcome.finish_reason,
                    message=outcome.message,
                    messageCount=len(self.chat.messages),
                )

    async def play(self) -> dict[str, Any]:
        for number, step in enumerate(self.script):
            self.place = {"step": number}
            await self.do(step)
            await let_it_work()
        for call in self.calls:
            call.cancel()
        await asyncio.gather(*self.calls, return_exceptions=True)
        chat = self.chat
        error = _error(chat.error) or None
        return {
            "events": self.events,
            "final": {"status": chat.status, "error": error, "messages": chat.messages, "queued": []},
        }

    async def do(self, step: dict[str, Any]) -> None:
        chat, transport = self.chat, self.transport
        match step["do"]:
            case "send":
                self.call(chat.asend(step.get("message")))
            case "regenerate":
                self.call(chat.aregenerate(step.get("messageId")))
            case "chunks":
                await self.feed(step["chunks"])
            case "close":
                transport.end()
            case "fail":
                transport.end(_problem(step["error"]))
            case "transportError":
                transport.fail_next = _problem(step["error"])
            case "stop":
                self.call(chat.astop())
            case "clearError":
                chat.clear_error()
            case "toolOutput" if step.get("state") == "output-error":
                self.call(chat.aadd_tool_output(step["toolCallId"], error_text=step["errorText"]))
            case "toolOutput":
                self.call(chat.aadd_tool_output(step["toolCallId"], step["output"]))
            case "approval":
                self.call(chat.aadd_tool_approval_response(step["id"], step["approved"], step.get("reason")))
            case other:
                raise LabError(f"the player does not know how to {other}")

    async def feed(self, chunks: list[dict[str, Any]]) -> None:
        for number, chunk in enumerate(chunks):
            self.place = {**self.place, "chunk": number}
            if not self.transport.put(chunk):
                self.note("dropped", chunkType=chunk["type"])
            await let_it_work()
        self.place.pop("chunk", None)

    def call(self, coroutine: Any) -> None:
        async def run() -> None:
            try:
                await coroutine
            except InvalidArgument as problem:
                self.note("rejected", name=problem.name, message=str(problem), parameter=problem.parameter)
            except LabError as problem:
                self.note("rejected", name=type(problem).__name__, message=str(problem))

        self.calls.append(asyncio.get_running_loop().create_task(run()))


def _error(error: ChatError | None) -> dict[str, Any]:
    return {"name": error.name, "message": error.message, **error.details} if error else {}


def _problem(error: dict[str, str]) -> TransportError:
    return TransportError(error["message"], name=error.get("name", "Error"))


def play(name: str) -> dict[str, Any]:
    async def run() -> dict[str, Any]:
        return await Player(CASES[name]).play()

    return lab_loop().run(run(), timeout=10)


@pytest.mark.parametrize("name", [name for name in CASES if name not in EXPECTED_TO_DIFFER])
def test_a_chat_does_what_the_official_client_did(name: str):
    assert play(name) == CASES[name]["expect"]


@pytest.mark.parametrize(("name", "reason"), EXPECTED_TO_DIFFER.items())
def test_what_differs_on_purpose_still_differs(name: str, reason: str):
    """Fails as soon as a case starts to agree: then it belongs to the test above. `reason` says why it differs."""
    assert reason
    try:
        observed: Any = play(name)
    except LabError as problem:
        observed = problem
    assert observed != CASES[name]["expect"]
