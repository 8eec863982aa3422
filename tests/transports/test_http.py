"""The HTTP transport against what the official one sends, and makes of the answers."""

from __future__ import annotations

import asyncio
import copy
import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from aisdk_lab.chat import Chat, ChatEvent, RequestOptions, ToolCall, TransportRequest
from aisdk_lab.errors import RefusedError, TransportError
from aisdk_lab.loopback import lab_loop
from aisdk_lab.transports.http import HttpTransport
from aisdk_lab.ui_stream.predicates import complete_with_approval_responses, complete_with_tool_calls
from tests.transports.answering_server import AnsweringServer, answering

GOLDEN = Path(__file__).parents[1] / "golden" / "requests" / "requests.jsonl"
CASES = {case["name"]: case for case in map(json.loads, GOLDEN.read_text("utf-8").splitlines())}
NO_RESUME = "a chat cannot resume yet: the door that resumes comes with its own issue"
EXPECTED_TO_DIFFER = {name: NO_RESUME for name in CASES if name.startswith("reconnect/")}
PREDICATES = {"toolCalls": complete_with_tool_calls, "approvals": complete_with_approval_responses}
OURS = (
    "host",
    "content-length",
    "accept",
    "accept-encoding",
    "accept-language",
    "connection",
    "user-agent",
    "sec-fetch-mode",
)
"""Headers that belong to the HTTP client and not to the transport."""
ERROR_DETAILS = ("statusCode", "chunkType", "chunkId")
TEXT_OF_ANOTHER_LIBRARY = ("AI_JSONParseError", "AI_TypeValidationError")


def prepare_last_message(given: dict[str, Any]) -> dict[str, Any]:
    """What the recorder's `prepareSendMessagesRequest` did in the case `send/prepared`."""
    body = {
        "id": given["id"],
        "message": given["messages"][-1],
        "trigger": given["trigger"],
        "extra": given["body"],
        "requestMetadata": given["requestMetadata"],
    }
    return {"body": body, "headers": {**given["headers"], "x-prepared": "yes"}}


class Player:
    """Plays one recorded case over a real connection."""

    def __init__(self, case: dict[str, Any], server: AnsweringServer) -> None:
        client = case["input"].get("client") or {}
        self.actions = case["input"]["actions"]
        self.server = server
        self.events: list[dict[str, Any]] = []
        self.outputs = client.get("onToolCall") or {}
        ids = itertools.count(1)
        transport = HttpTransport(
            server.url + client.get("api", "/api/chat"),
            headers=client.get("headers"),
            body=client.get("body"),
            prepare=prepare_last_message if client.get("prepare") else None,
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
            strict=True,
        )
        self.chat.subscribe(self.on_event)

    async def on_tool_call(self, call: ToolCall) -> Any:
        return self.outputs.get(call.name)

    def on_event(self, event: ChatEvent) -> None:
        if event.kind == "error" and event.error is not None:
            self.events.append({"type": "error", "name": event.error.name, "message": event.error.message})
        elif event.kind in ("tool_call", "data"):
            kind, key = ("toolCall", "toolCall") if event.kind == "tool_call" else ("data", "part")
            self.events.append({"type": kind, key: copy.deepcopy(event.chunk)})
        elif event.kind == "finish" and event.outcome is not None:
            outcome = event.outcome
            flags = {"isAbort": outcome.is_abort, "isDisconnect": outcome.is_disconnect, "isError": bool(outcome.error)}
            reason = {} if outcome.finish_reason is None else {"finishReason": outcome.finish_reason}
            self.events.append({"type": "finish", **flags, **reason, "messageId": outcome.message["id"]})

    async def play(self) -> dict[str, Any]:
        for action in self.actions:
            await self.do(action)
        chat = self.chat
        error = chat.error and {"name": chat.error.name, "message": chat.error.message}
        result = {"events": self.events, "status": chat.status, "error": error, "messages": chat.messages}
        requests = [
            {
                "method": asked.method,
                "path": asked.path,
                "headers": {name: value for name, value in asked.headers.items() if name not in OURS},
                "bodyText": asked.body.decode(),
            }
            for asked in self.server.asked
        ]
        return {"requests": requests, "result": result}

    async def do(self, action: dict[str, Any]) -> None:
        given = action.get("options") or {key: action[key] for key in ("body", "headers") if key in action}
        options = RequestOptions(given.get("body") or {}, given.get("headers") or {}, given.get("metadata"))
        match action["do"]:
            case "send":
                await self.chat.asend(action["message"], **given)
            case "resend":
                await self.chat.asend(None, **given)
            case "regenerate":
                await self.chat.aregenerate(action.get("messageId"), **given)
            case "toolOutput":
                await self.chat.aadd_tool_output(
                    action["toolCallId"], action.get("output"), error_text=action.get("errorText"), options=options
                )
            case "approval":
                await self.chat.aadd_tool_approval_response(
                    action["id"], action["approved"], action.get("reason"), options=options
                )


def comparable(found: dict[str, Any]) -> dict[str, Any]:
    """Less what belongs to the recorder's HTTP client, and to the texts of its schema library."""
    found = copy.deepcopy(found)
    for request in found["requests"]:
        request.pop("body", None)
        request["body"] = list(json.loads(request.pop("bodyText") or "{}").items())
        request["headers"] = {name: value for name, value in request["headers"].items() if name not in OURS}
    result = found["result"]
    for error in [*result["events"], *([result["error"]] if result["error"] else [])]:
        for key in [
            *(key for key in error if error.get("type", "error") == "error" and key not in ("type", "name", "message"))
        ]:
            del error[key]
        if error.get("name") in TEXT_OF_ANOTHER_LIBRARY:
            error["message"] = error["message"].partition(".")[0]
    return found


def play(name: str) -> dict[str, Any]:
    async def run() -> dict[str, Any]:
        async with answering(*CASES[name]["input"]["responses"]) as server:
            return await Player(CASES[name], server).play()

    return lab_loop().run(run(), timeout=20)


@pytest.mark.parametrize("name", [name for name in CASES if name not in EXPECTED_TO_DIFFER])
def test_requests_and_their_answers_are_those_of_the_official_transport(name: str):
    """The order of a body's own keys counts too; that inside of messages has no meaning."""
    assert comparable(play(name)) == comparable(CASES[name]["expect"])


def test_what_is_left_out_is_named():
    assert len(EXPECTED_TO_DIFFER) == 7


def gather(transport: HttpTransport, **fields: Any) -> tuple[list[Any], TransportRequest]:
    request = TransportRequest("chat-1", "submit-message", (), **fields)

    async def run() -> list[Any]:
        return [chunk async for chunk in transport.stream(request)]

    return lab_loop().run(run(), timeout=10), request


def with_server(*answers: dict[str, Any], **options: Any) -> tuple[list[Any], TransportRequest, AnsweringServer]:
    async def run() -> tuple[list[Any], TransportRequest, AnsweringServer]:
        async with answering(*answers) as server:
            request = TransportRequest("chat-1", "submit-message", ())
            transport = HttpTransport(server.url + "/api/chat", **options)
            return [chunk async for chunk in transport.stream(request)], request, server

    return lab_loop().run(run(), timeout=10)


def test_a_frame_that_is_no_chunk_is_a_finding_and_the_stream_goes_on():
    body = 'data: oops\n\ndata: {"type":"wat"}\n\ndata: {"type":"start"}\n\ndata: [DONE]\n\ndata: {"type":'
    chunks, request, _ = with_server({"body": body})
    assert chunks == [{"type": "start"}]
    assert request.receipt.done
    assert [finding.partition(":")[0] for finding in request.receipt.findings] == ["frame 0", "frame 1", "frame 4"]


def test_the_token_is_sent_and_never_shown():
    _, _, server = with_server({"chunks": []}, token="secret-token")
    assert server.asked[0].headers["authorization"] == "Bearer secret-token"
    transport = HttpTransport("http://127.0.0.1:1/api/chat?token=secret-token", token="secret-token")
    assert "secret" not in repr(transport)
    with pytest.raises(TransportError) as caught:
        gather(transport)
    assert "secret" not in str(caught.value)


def test_nobody_listening_is_a_lost_network_as_the_reference_names_it():
    with pytest.raises(TransportError, match="fetch failed") as caught:
        gather(HttpTransport("http://127.0.0.1:1/api/chat"))
    assert caught.value.name == "TypeError"
    outcome = Chat(HttpTransport("http://127.0.0.1:1/api/chat")).send("hi")
    assert (outcome.state, outcome.is_disconnect) == ("error", True)


@pytest.mark.parametrize("address", ["http://[::1/api/chat", "/api/chat", "ftp://host/", "http://:80/", "http://h:x/"])
def test_what_is_no_address_is_said_at_once(address: str):
    with pytest.raises(TransportError, match="is not an address"):
        HttpTransport(address)


def test_the_title_is_the_host_without_a_name_and_a_password():
    assert HttpTransport("https://me:pass@example.org:8443/api/chat").title == "example.org:8443"


def test_a_redirect_is_not_followed():
    """The token would go with it."""
    with pytest.raises(TransportError) as caught:
        with_server({"status": 307, "headers": {"location": "http://127.0.0.1:1/"}, "body": ""}, token="t")
    assert (caught.value.name, caught.value.status) == ("AI_APICallError", 307)


def test_closing_the_stream_closes_the_connection():
    async def run() -> None:
        async with answering({"chunks": [{"type": "start"}], "hold": True}) as server:
            stream = HttpTransport(server.url).stream(TransportRequest("c", "submit-message", ()))
            assert await anext(stream) == {"type": "start"}
            await stream.aclose()
            await asyncio.wait_for(server.closed_by_client.wait(), 5)

    lab_loop().run(run(), timeout=10)


def test_a_stop_is_posted_only_where_it_was_asked_for():
    async def run() -> list[tuple[str, str]]:
        async with answering({"body": ""}) as server:
            await HttpTransport(server.url + "/api/chat?x=1", stop=True, token="t").stop("my chat/ü")
            await HttpTransport(server.url + "/api/chat").stop("other")
            return [(asked.method, asked.path) for asked in server.asked]

    assert lab_loop().run(run(), timeout=10) == [("POST", "/api/chat/my%20chat%2F%C3%BC/stop?x=1")]


def test_the_answer_to_a_stop_does_not_matter_but_a_dead_server_is_said():
    async def run() -> None:
        async with answering({"status": 404, "body": "no such run"}) as server:
            await HttpTransport(server.url, stop=True).stop("c")
        with pytest.raises(TransportError, match="cannot stop"):
            await HttpTransport(server.url, stop=True).stop("c")

    lab_loop().run(run(), timeout=10)


# ── the token is a secret ───────────────────────────────────────────────────────────────────────────────────────────

SECRET = "s3cret-token-value"


@pytest.mark.parametrize("token", [f"{SECRET}\nX-Evil: 1", f"{SECRET}\r", f"a\x00{SECRET}", f"{SECRET}\u2019", " ", ""])
def test_a_token_that_no_header_can_hold_is_refused_without_being_shown(token: str):
    if token == f"{SECRET}\r":  # only around it: a file's line end
        assert HttpTransport("http://127.0.0.1:1/api", token=token)._base_headers({})["authorization"][7:] == SECRET
        return
    with pytest.raises(RefusedError) as caught:
        HttpTransport("http://127.0.0.1:1/api", token=token)
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize("value", [f"{SECRET}\nx: y", f"{SECRET}é", SECRET.encode()])
def test_a_header_that_cannot_be_sent_is_named_and_not_quoted(value: Any):
    chat = Chat(HttpTransport("http://127.0.0.1:1/api", headers={"X-Key": value}))
    outcome = chat.send("hi")
    assert outcome.error is not None
    assert "'x-key'" in outcome.error.message
    assert SECRET not in outcome.error.message


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize(
    "answer",
    [
        {"status": 401, "body": f"bad token {SECRET}!"},
        {"chunks": [{"type": "error", "errorText": f"bad token {SECRET}!"}]},
        {"chunks": [{"type": SECRET}]},
    ],
)
def test_a_token_that_the_far_side_says_again_is_not_shown(answer: dict[str, Any], strict: bool):
    async def ask() -> Any:
        async with answering(answer) as server:
            return await Chat(HttpTransport(f"{server.url}/api", token=SECRET, strict=strict)).asend("hi")

    outcome = lab_loop().run(ask(), timeout=10)
    assert SECRET not in repr(outcome) + str(outcome.error) + str(outcome.findings)
    assert "***" in str(outcome.error) + str(outcome.findings)
