"""Plays a recorded case of requests and answers over a real connection, and tells it in the recorder's words.

The format of the cases: tests/golden/requests/PROVENANCE.md.
"""

from __future__ import annotations

import copy
import itertools
import json
from typing import Any

from aisdk_lab.chat import Chat, ChatError, ChatEvent, RequestOptions, ToolCall
from aisdk_lab.errors import LabError
from aisdk_lab.loopback import lab_loop
from aisdk_lab.transports.http import HttpTransport
from tests.chat.recorded import PREDICATES
from tests.transports.answering_server import AnsweringServer, Asked, answering

OF_THE_HTTP_CLIENT = (
    "accept",
    "accept-encoding",
    "accept-language",
    "connection",
    "content-length",
    "host",
    "sec-fetch-mode",
    "user-agent",
)
"""Headers that belong to whoever speaks HTTP (fetch there, httpx here), and not to the transport."""
TEXT_OF_ANOTHER_LIBRARY = ("AI_JSONParseError", "AI_TypeValidationError")
"""Errors whose recorded texts were cut after their first line, because the schema library words the rest."""


def play_requests(given: dict[str, Any]) -> dict[str, Any]:
    """What the `expect` of a requests case holds, for its `input`: `{requests, result}`.

    Headers of the HTTP client are left out: they are not the transport's.
    """

    async def run() -> dict[str, Any]:
        async with answering(*(given.get("responses") or [{"status": 204}])) as server:
            return await Player(given, server).play()

    return lab_loop().run(run(), timeout=30)


class Player:
    """One case. Chat and transport are strict: they do what the official ones do."""

    def __init__(self, given: dict[str, Any], server: AnsweringServer) -> None:
        client = given.get("client") or {}
        self.actions = given["actions"]
        self.server = server
        self.events: list[dict[str, Any]] = []
        self.outputs = client.get("onToolCall") or {}
        ids = itertools.count(1)
        replays = client.get("resumeStreamIsReplay")
        transport = HttpTransport(
            server.url + client.get("api", "/api/chat"),
            headers=client.get("headers"),
            body=client.get("body"),
            prepare=prepare_last_message if client.get("prepare") else None,
            prepare_reconnect=self.prepare_reconnect if client.get("prepareReconnect") else None,
            resume_is_replay=True if replays is None else replays,
            strict=True,
        )
        when = client.get("sendAutomaticallyWhen")
        self.chat = Chat(
            transport,
            id=client.get("id", "chat-1"),
            messages=client.get("messages") or (),
            generate_id=lambda: f"gen-{next(ids)}",
            send_automatically=PREDICATES[when] if when else False,
            on_tool_call=self.on_tool_call,
            queue=bool(client.get("queue")),
            strict=True,
        )
        self.chat.subscribe(self.on_event)

    def prepare_reconnect(self, given: dict[str, Any]) -> dict[str, Any]:
        """What the recorder's `prepareReconnectToStreamRequest` did in the case `reconnect/prepared`."""
        headers = {**given["headers"], "x-reconnect": "1"}
        return {"api": f"{self.server.url}/custom/{given['id']}", "headers": headers}

    async def on_tool_call(self, call: ToolCall) -> None:
        if call.name in self.outputs:
            await self.chat.aadd_tool_output(call.tool_call_id, self.outputs[call.name])

    def on_event(self, event: ChatEvent) -> None:
        if event.kind == "error":
            self.events.append({"type": "error", **self.described(event.error)})
        elif event.kind in ("tool_call", "data"):
            kind, key = ("toolCall", "toolCall") if event.kind == "tool_call" else ("data", "part")
            self.events.append({"type": kind, key: copy.deepcopy(event.chunk)})
        elif event.kind == "finish" and event.outcome is not None:
            outcome = event.outcome
            flags = {"isAbort": outcome.is_abort, "isDisconnect": outcome.is_disconnect, "isError": bool(outcome.error)}
            reason = {} if outcome.finish_reason is None else {"finishReason": outcome.finish_reason}
            self.events.append({"type": "finish", **flags, **reason, "messageId": outcome.message["id"]})

    def described(self, error: ChatError | None) -> dict[str, Any]:
        """An error as the recorder wrote it down; the server's address is `http://HOST` there."""
        if error is None:
            return {}
        if error.name in TEXT_OF_ANOTHER_LIBRARY:
            return {"name": error.name, "message": error.message.partition("\n")[0], "truncated": True}
        details = dict(error.details)
        if "url" in details:
            details["url"] = details["url"].replace(self.server.url, "http://HOST")
        return {"name": error.name, "message": error.message, **details}

    async def play(self) -> dict[str, Any]:
        for action in self.actions:
            try:
                await self.do(action)
            except LabError as problem:
                name = getattr(problem, "name", type(problem).__name__)
                self.events.append({"type": "rejected", "name": name, "message": str(problem)})
        chat = self.chat
        error = self.described(chat.error) or None
        result = {"events": self.events, "status": chat.status, "error": error, "messages": chat.messages}
        return {"requests": [_sent(asked) for asked in self.server.asked], "result": result}

    async def do(self, action: dict[str, Any]) -> None:
        chat = self.chat
        given = {key: action[key] for key in ("body", "headers", "metadata") if key in action}
        given |= action.get("options") or {}
        options = RequestOptions(given.get("body") or {}, given.get("headers") or {}, given.get("metadata"))
        match action["do"]:
            case "send":
                await chat.asend(action.get("message"), **given)
            case "resend":
                await chat.asend(None, **given)
            case "regenerate":
                await chat.aregenerate(action.get("messageId"), **given)
            case "resume":
                await chat.aresume(**given)
            case "toolOutput":
                await chat.aadd_tool_output(
                    action["toolCallId"], action.get("output"), error_text=action.get("errorText"), options=options
                )
            case "approval":
                await chat.aadd_tool_approval_response(
                    action["id"], action["approved"], action.get("reason"), options=options
                )
            case "stop":
                await chat.astop()
            case "clearError":
                chat.clear_error()
            case "setMessages":
                chat.set_messages(action["messages"])
            case other:
                raise ValueError(f"the player does not know how to {other}")


def prepare_last_message(given: dict[str, Any]) -> dict[str, Any]:
    """What the recorder's `prepareSendMessagesRequest` did in the case `send/prepared`."""
    body = {
        "id": given["id"],
        "message": given["messages"][-1] if given["messages"] else None,
        "trigger": given["trigger"],
        "extra": given["body"],
        "requestMetadata": given["requestMetadata"],
    }
    known = {key: value for key, value in body.items() if value is not None}  # what is undefined is not sent
    return {"body": known, "headers": {**given["headers"], "x-prepared": "yes"}}


def _sent(asked: Asked) -> dict[str, Any]:
    headers = {name: value for name, value in asked.headers.items() if name not in OF_THE_HTTP_CLIENT}
    request: dict[str, Any] = {"method": asked.method, "path": asked.path, "headers": headers}
    if asked.body:
        text = asked.body.decode()
        request |= {"bodyText": text, "body": json.loads(text)}
    return request
