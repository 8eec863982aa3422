"""The HTTP transport against what the official one sends, and makes of the answers."""

from __future__ import annotations

import asyncio
import copy
import json
from pathlib import Path
from typing import Any

import pytest

from aisdk_lab.chat import Chat, TransportRequest
from aisdk_lab.errors import RefusedError, TransportError
from aisdk_lab.loopback import lab_loop
from aisdk_lab.transports.http import HttpTransport
from tests.transports.answering_server import AnsweringServer, answering
from tests.transports.recorded import OF_THE_HTTP_CLIENT, play_requests

GOLDEN = Path(__file__).parents[1] / "golden" / "requests"
CASES = {
    case["name"]: case
    for name in ("requests.jsonl", "requests_random.jsonl")
    for case in map(json.loads, (GOLDEN / name).read_text("utf-8").splitlines())
}


@pytest.mark.parametrize("name", CASES)
def test_requests_and_their_answers_are_those_of_the_official_transport(name: str):
    """Bodies count byte for byte; headers of the HTTP client do not count."""
    expected = copy.deepcopy(CASES[name]["expect"])
    for request in expected["requests"]:
        request["headers"] = {key: it for key, it in request["headers"].items() if key not in OF_THE_HTTP_CLIENT}
    assert play_requests(CASES[name]["input"]) == expected


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
