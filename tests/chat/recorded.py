"""Plays the script of a recorded case with our chat, and writes down what it did in the recorder's words.

The format of the cases: tests/golden/chat/PROVENANCE.md and record.mjs beside it.
"""

from __future__ import annotations

import asyncio
import copy
import itertools
from collections.abc import Coroutine
from typing import Any

from aisdk_lab.chat import Chat, ChatError, ChatEvent, InvalidArgument, RequestOptions, ToolCall, TransportRequest
from aisdk_lab.errors import LabError, TransportError
from aisdk_lab.loopback import lab_loop
from aisdk_lab.ui_stream.chunks import UNSET
from aisdk_lab.ui_stream.predicates import complete_with_approval_responses, complete_with_tool_calls
from tests.chat.scripted_transport import ScriptedTransport, let_it_work

PREDICATES = {
    "toolCalls": complete_with_tool_calls,
    "approvals": complete_with_approval_responses,
    "either": lambda messages: complete_with_tool_calls(messages) or complete_with_approval_responses(messages),
}


def play_chat(given: dict[str, Any]) -> dict[str, Any]:
    """What the `expect` of a chat case holds, for its `input`: `{events, final}`."""

    async def run() -> dict[str, Any]:
        return await Player(given).play()

    return lab_loop().run(run(), timeout=30)


class Player:
    """One script. The chat is strict: it does what the official client does."""

    def __init__(self, given: dict[str, Any], **options: Any) -> None:
        asked = given.get("options") or {}
        self.script = given["script"]
        self.events: list[dict[str, Any]] = []
        self.place: dict[str, int] = {}
        self.status = "ready"
        replays = asked.get("resumeStreamIsReplay")
        self.transport = ScriptedTransport(resume_is_replay=True if replays is None else replays)
        self.transport.on_request = self.on_request
        ids = itertools.count(1)
        when = asked.get("sendAutomaticallyWhen")
        self.outputs = asked.get("onToolCall") or {}
        self.chat = Chat(
            self.transport,
            id="chat-1",
            messages=given.get("messages") or (),
            generate_id=lambda: f"gen-{next(ids)}",
            send_automatically=PREDICATES[when] if when else False,
            on_tool_call=self.on_tool_call,
            queue=bool(asked.get("queue")),
            **{"strict": True, **options},
        )
        self.chat.subscribe(self.on_event)
        self.calls: list[asyncio.Task[Any]] = []

    def note(self, kind: str, **fields: Any) -> None:
        known = {key: value for key, value in fields.items() if value is not UNSET}
        self.events.append(copy.deepcopy({**self.place, "type": kind, **known}))

    # ── what the chat does ─────────────────────────────────────────────────────────────────────────────────────────

    def on_request(self, request: TransportRequest) -> None:
        if request.trigger == "resume-stream":
            self.note("transport", op="reconnectToStream", chatId=request.chat_id)
            return
        self.note(
            "transport",
            op="sendMessages",
            trigger=request.trigger,
            messageId=UNSET if request.message_id is None else request.message_id,
            chatId=request.chat_id,
            messages=list(request.messages),
        )

    async def on_tool_call(self, call: ToolCall) -> None:
        if (
            isinstance(call.name, str) and call.name in self.outputs
        ):  # awaited inside the handler: the reference would wait for itself
            await self.chat.aadd_tool_output(call.tool_call_id, self.outputs[call.name])

    def on_event(self, event: ChatEvent) -> None:
        match event.kind:
            case "status" if event.status != self.status:  # another error with the same status is no event over there
                self.status = event.status
                self.note("status", status=event.status)
            case "error":
                self.note("error", **described(event.error))
            case "data":
                self.note("data", part=event.chunk)
            case "tool_call":
                self.note("toolCall", toolCall=event.chunk)
            case "changes":
                self.note("message", op="replace", index=event.index, message=self.chat.messages[event.index])
            case "message" if event.op != "truncate" and not self.place.get("quiet"):
                self.note("message", op=event.op, index=event.index, message=event.message)
            case "finish":
                outcome = event.outcome
                assert outcome is not None
                self.note(
                    "finish",
                    isAbort=outcome.is_abort,
                    isDisconnect=outcome.is_disconnect,
                    isError=outcome.error is not None,
                    finishReason=UNSET if outcome.finish_reason is None else outcome.finish_reason,
                    message=outcome.message,
                    messageCount=len(self.chat.messages),
                )

    # ── what the script does ───────────────────────────────────────────────────────────────────────────────────────

    async def play(self) -> dict[str, Any]:
        for number, step in enumerate(self.script):
            self.place = {"step": number}
            await self.do(step)
            await let_it_work()
        chat, events = self.chat, self.events
        error = described(chat.error) or None
        final = {"status": chat.status, "error": error, "messages": chat.messages, "queued": chat.queued_messages}
        self.events = []  # of what ends now that the script is over
        while self.transport.end_all():
            await chat.astop()
            await let_it_work()
        for call in self.calls:
            call.cancel()
        await asyncio.gather(*self.calls, return_exceptions=True)
        return {"events": events, "final": final}

    async def do(self, step: dict[str, Any]) -> None:
        chat, transport = self.chat, self.transport
        given = step.get("options") or {}
        options = RequestOptions(given.get("body") or {}, given.get("headers") or {}, given.get("metadata"))
        match step["do"]:
            case "send":
                self.call(chat.asend(step.get("message"), message_id=step.get("messageId"), **given))
            case "regenerate":
                self.call(chat.aregenerate(step.get("messageId"), **given))
            case "resume":
                self.call(chat.aresume(**given))
            case "chunks":
                await self.feed(step["chunks"])
            case "close":
                transport.end()
            case "fail":
                transport.end(problem_of(step["error"]))
            case "transportError":
                transport.fail_next.append(problem_of(step["error"]))
            case "reconnectNull":
                transport.nothing_to_join += 1
            case "stop":
                self.call(chat.astop())
            case "clearError":
                chat.clear_error()
            case "setMessages":
                self.place["quiet"] = True
                chat.set_messages(step["messages"])
                del self.place["quiet"]
            case "toolOutput" if step.get("state") == "output-error":
                answer = chat.aadd_tool_output(step["toolCallId"], error_text=step["errorText"], options=options)
                self.call(answer)
            case "toolOutput":
                self.call(chat.aadd_tool_output(step["toolCallId"], step.get("output"), options=options))
            case "approval":
                answer = chat.aadd_tool_approval_response(
                    step["id"], step["approved"], step.get("reason"), options=options
                )
                self.call(answer)
            case other:
                raise LabError(f"the player does not know how to {other}")

    async def feed(self, chunks: list[dict[str, Any]]) -> None:
        for number, chunk in enumerate(chunks):
            self.place = {**self.place, "chunk": number}
            if not self.transport.put(chunk):
                self.note("dropped", chunkType=chunk.get("type", UNSET) if isinstance(chunk, dict) else UNSET)
            await let_it_work()
        self.place.pop("chunk", None)

    def call(self, coroutine: Coroutine[Any, Any, Any]) -> None:
        async def run() -> None:
            try:
                await coroutine
            except InvalidArgument as problem:
                self.note("rejected", name=problem.name, message=str(problem), parameter=problem.parameter)
            except LabError as problem:
                self.note("rejected", name=type(problem).__name__, message=str(problem))

        self.calls.append(asyncio.get_running_loop().create_task(run()))


def described(error: ChatError | None) -> dict[str, Any]:
    """An error in the recorder's words."""
    return {"name": error.name, "message": error.message, **error.details} if error else {}


def problem_of(error: dict[str, str]) -> TransportError:
    """What the scripted transport raises for an error of a script."""
    return TransportError(error["message"], name=error.get("name", "Error"))
