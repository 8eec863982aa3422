"""Two doors, two profiles, one run: what goes over the wire and what is refused."""

from __future__ import annotations

import json
import socket

import httpx
import pytest

from aisdk_lab.agents import agents
from aisdk_lab.agents.scripted import scripted
from aisdk_lab.server import adapter as adapter_module
from tests.agents.stage import joined
from tests.server.conftest import chunks, frames, headers, post, user


@scripted(delay_ms=0, title="Tester")
def tester(turn):
    """Says hello, or asks for permission when told to publish."""
    if "publish" in turn.words:
        sent = yield turn.tool("publish", {"to": "所有人"}, approval=True, output={"url": "u"})
        yield turn.text("sent" if sent.ok else "kept")
        return
    yield turn.text("你好 🌤️")


HELLO = {"id": "c1", "messages": [user("hi")]}
AWAKEN = {"messages": [user("hi")], "threadId": "c1"}


def test_api_chat_streams_as_the_sdks_server_does(served):
    response = post(served(tester), "/api/chat", HELLO)
    assert response.status_code == 200
    wanted = {
        "content-type": "text/event-stream",
        "cache-control": "no-cache",
        "x-vercel-ai-ui-message-stream": "v1",
        "x-accel-buffering": "no",
    }
    assert {name: response.headers[name] for name in wanted} == wanted
    assert response.headers["connection"].lower() == "keep-alive"
    assert "content-encoding" not in response.headers
    assert "server" not in response.headers
    told = chunks(response)
    assert told[0]["type"] == "start"
    assert told[0]["messageId"].startswith("msg-")
    assert joined(told[1:]) == [
        {"type": "start-step"},
        {"type": "text-start", "id": "txt-0"},
        {"type": "text-delta", "id": "txt-0", "delta": "你好 🌤️"},
        {"type": "text-end", "id": "txt-0"},
        {"type": "finish-step"},
        {"type": "finish", "finishReason": "stop"},
    ]
    assert "🌤️".encode() in response.content, "UTF-8 as it is, not escaped"


def test_the_awaken_door_has_its_own_headers_and_frames(served):
    adapter = served(tester, keep_alive_s=60)
    response = post(adapter, "/v1/ai-sdk/chat", AWAKEN)
    assert response.status_code == 200
    wanted = {
        "content-type": "text/event-stream",
        "cache-control": "no-cache, no-transform",
        "x-vercel-ai-ui-message-stream": "v1",
        "x-accel-buffering": "no",
    }
    assert {name: response.headers[name] for name in wanted} == wanted
    assert frames(response.text)[:3] == [": keep-alive", 'data: {"type":"start"}', 'data: {"type":"start-step"}']
    assert chunks(response)[-1]["messageMetadata"] == {
        "totalUsage": {"inputTokens": 0, "outputTokens": 0, "totalTokens": 0}
    }


@pytest.mark.parametrize("path", ["/v1/ai-sdk/threads/%E7%BA%BF/runs", "/v1/ai-sdk/agents/two/runs"])
def test_the_path_names_the_thread_or_the_agent(served, path):
    @scripted(delay_ms=0)
    def two(turn):
        yield turn.text("two")

    adapter = served([tester, two])
    assert chunks(post(adapter, path, AWAKEN))[-1]["finishReason"] == "stop"
    thread = "线" if "threads" in path else "c1"
    assert adapter.application.ledger.sessions() == (thread,)
    wanted = "two" if "agents" in path else "tester"
    assert [fact.body["agent"] for fact in adapter.application.ledger.facts(thread) if fact.kind == "run"] == [wanted]


def test_a_wait_opened_at_one_door_is_answered_at_the_other(served):
    adapter = served(tester)
    first = chunks(post(adapter, "/api/chat", {"id": "c1", "messages": [user("publish")]}))
    assert first[-1]["finishReason"] == "tool-calls"
    part = {
        "type": "tool-publish",
        "toolCallId": "call-0-1",
        "state": "approval-responded",
        "approval": {"approved": True},
    }
    second = chunks(
        post(adapter, "/v1/ai-sdk/chat", {"threadId": "c1", "messages": [{"role": "assistant", "parts": [part]}]})
    )
    assert second[2] == {"type": "tool-output-available", "toolCallId": "call-0-1", "output": {"url": "u"}}


def answered(adapter, approved: bool = True, **changes) -> dict:
    """The body that answers the approval which `tester` asks for."""
    (call,) = adapter.application.pending("c1")
    part = {
        "type": "tool-publish",
        "toolCallId": call.tool_call_id,
        "state": "approval-responded",
        "input": call.input,
        "approval": {"id": call.approval_id, "approved": approved},
        **changes,
    }
    message = {"id": call.message_id, "role": "assistant", "parts": [{"type": "step-start"}, part]}
    return {"id": "c1", "messages": [user("publish"), message], "messageId": call.message_id}


def test_an_approval_over_api_chat_continues_the_same_message(served):
    adapter = served(tester)
    first = chunks(post(adapter, "/api/chat", {"id": "c1", "messages": [user("publish")]}))
    told = chunks(post(adapter, "/api/chat", answered(adapter)))
    assert told[:2] == [first[0], {"type": "tool-output-available", "toolCallId": "call-0-1", "output": {"url": "u"}}]
    assert told[-1] == {"type": "finish", "finishReason": "stop"}


# ── bad input ──────────────────────────────────────────────────────────────────────────────────────────────────────

BAD = {"id": "c1", "threadId": "c1", "messages": [{"id": "u1", "role": "user", "parts": [{"type": "text", "text": 3}]}]}


@pytest.mark.parametrize(
    ("body", "content_type", "problem"),
    [
        (b'{"messages": [', "application/json", "broken JSON: "),
        (json.dumps(AWAKEN).encode(), "text/plain", "expected Content-Type application/json, got text/plain  @ header"),
        (BAD, "application/json", "expected a string, got 3  @ $.messages[0].parts[0].text"),
    ],
)
def test_the_awaken_door_answers_a_bad_body_in_the_stream(served, body, content_type, problem):
    response = post(served(tester), "/v1/ai-sdk/chat", body, **{"Content-Type": content_type})
    assert response.status_code == 200
    assert response.headers["content-type"] == "text/event-stream"
    error, finish = chunks(response)
    assert error["type"] == "error"
    assert problem in error["errorText"]
    assert finish == {"type": "finish", "finishReason": "error"}


@pytest.mark.parametrize(
    ("body", "content_type", "problem"),
    [
        (b'{"messages": [', "application/json", "broken JSON: "),
        (json.dumps(HELLO).encode(), "text/plain", "expected Content-Type application/json, got text/plain  @ header"),
        (BAD, "application/json", "expected a string, got 3  @ $.messages[0].parts[0].text"),
    ],
)
def test_api_chat_answers_a_bad_body_with_400_and_every_problem(served, body, content_type, problem):
    response = post(served(tester), "/api/chat", body, **{"Content-Type": content_type})
    assert response.status_code == 400
    assert response.headers["content-type"].startswith("application/json")
    told = response.json()
    assert told["problems"][0].startswith(problem)
    assert told["problems"][0] in told["error"]


def test_a_stale_decision_is_a_409_that_names_the_call_that_waits(served):
    adapter = served(tester)
    post(adapter, "/api/chat", {"id": "c1", "messages": [user("publish")]})
    response = post(adapter, "/api/chat", answered(adapter, toolCallId="call-9"))
    assert response.status_code == 409
    assert response.json()["waiting"] == ["call-0-1"]
    assert "no run ever made the tool call 'call-9'; waiting: call-0-1 (publish)" in response.json()["error"]


def test_a_stale_decision_at_the_awaken_door_is_an_error_in_the_stream(served):
    adapter = served(tester)
    post(adapter, "/api/chat", {"id": "c1", "messages": [user("publish")]})
    part = {"type": "tool-publish", "toolCallId": "call-9", "state": "approval-responded"}
    error, finish = chunks(
        post(adapter, "/v1/ai-sdk/chat", {"threadId": "c1", "messages": [{"role": "assistant", "parts": [part]}]})
    )
    assert error["errorText"].startswith(
        'tool_use_id "call-9" does not match the pending tool; waiting: call-0-1 (publish)'
    )
    assert finish["finishReason"] == "error"


def test_an_unknown_agent_is_404_at_one_door_and_a_failed_run_at_the_other(served):
    adapter = served(tester)
    response = post(adapter, "/api/chat", {**HELLO, "agentId": "nobody"})
    assert response.status_code == 404
    assert response.json() == {"error": "no agent is called 'nobody'. Known: tester.", "known": ["tester"]}
    told = chunks(post(adapter, "/v1/ai-sdk/chat", {**AWAKEN, "agentId": "nobody"}))
    assert [chunk["type"] for chunk in told] == ["start", "start-step", "error", "finish-step", "finish"]
    assert told[2]["errorText"] == "stream_failed: no agent is called 'nobody'. Known: tester."


@pytest.mark.parametrize("size", [1_001, 3_900])
def test_a_body_that_is_too_large_is_413_or_an_error_in_the_stream(served, size):
    adapter = served(tester, max_body_bytes=1_000)
    body = b"x" * size
    response = post(adapter, "/api/chat", body)
    assert response.status_code == 413
    assert "the body has more than 1000 bytes" in response.json()["error"]
    assert "the body has more than 1000 bytes" in chunks(post(adapter, "/v1/ai-sdk/chat", body))[0]["errorText"]


def test_a_body_far_beyond_the_limit_is_not_read(served):
    adapter = served(tester, max_body_bytes=1_000)
    try:
        response = post(adapter, "/api/chat", b"x" * 1_000_000)
    except httpx.TransportError:
        return  # the connection was closed while we were still sending
    assert response.status_code == 400


# ── who ────────────────────────────────────────────────────────────────────────────────────────────────────────────

PATHS = [
    ("GET", "/health"),
    ("POST", "/api/chat"),
    ("POST", "/api/chat/c1/stop"),
    ("POST", "/v1/ai-sdk/chat"),
    ("POST", "/v1/ai-sdk/threads/t/runs"),
    ("GET", "/v1/ai-sdk/threads/t/messages"),
    ("GET", "/nowhere"),
]


@pytest.mark.parametrize(("method", "path"), PATHS)
@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"Authorization": ""}, 401),
        ({"Authorization": "Bearer wrong-token-wrong-token"}, 401),
        ({"Host": "evil.example"}, 403),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
    ],
    ids=["no token", "wrong token", "foreign host", "foreign origin", "opaque origin"],
)
def test_nobody_gets_in_anywhere_without_token_host_and_origin(served, method, path, change, status):
    adapter = served(tester)
    sent = {**headers(adapter), **change}
    response = httpx.request(method, adapter.url + path, headers=sent, json=HELLO, trust_env=False)
    assert response.status_code == status
    assert set(response.json()) == {"error"}
    assert adapter.token not in response.text
    assert "access-control-allow-origin" not in response.headers
    assert adapter.application.ledger.sessions() == ()


def test_a_token_in_the_address_is_no_token(served):
    adapter = served(tester)
    response = httpx.get(f"{adapter.url}/health?token={adapter.token}", trust_env=False)
    assert response.status_code == 401
    assert response.headers["www-authenticate"] == "Bearer"


def preflight(adapter, origin: str | None, **more: str) -> httpx.Response:
    sent = {"Access-Control-Request-Method": "POST", **({"Origin": origin} if origin else {}), **more}
    return httpx.options(adapter.chat_url, headers=sent, trust_env=False)


def test_a_listed_origin_gets_its_preflight_and_its_answer(served):
    adapter = served(tester, origins=["http://localhost:3000/"])
    wanted = {
        "Access-Control-Request-Private-Network": "true",
        "Access-Control-Request-Headers": "authorization,content-type,x-tenant",
    }
    asked = preflight(adapter, "http://localhost:3000", **wanted)
    assert asked.status_code == 204
    assert asked.headers["access-control-allow-origin"] == "http://localhost:3000"
    assert asked.headers["access-control-allow-headers"] == "authorization,content-type,x-tenant"
    plain = preflight(adapter, "http://localhost:3000")
    assert plain.headers["access-control-allow-headers"] == "authorization, content-type"
    assert asked.headers["access-control-allow-private-network"] == "true"
    assert "Origin" in asked.headers["vary"]
    response = post(adapter, "/api/chat", HELLO, Origin="http://localhost:3000")
    assert response.status_code == 200
    assert response.headers["access-control-allow-origin"] == "http://localhost:3000"
    refused = httpx.post(adapter.chat_url, headers={"Origin": "http://localhost:3000"}, json=HELLO, trust_env=False)
    assert (refused.status_code, refused.headers["access-control-allow-origin"]) == (401, "http://localhost:3000")


@pytest.mark.parametrize("origin", ["http://localhost:3001", "http://evil.example", None])
def test_an_unlisted_origin_gets_neither(served, origin):
    asked = preflight(served(tester, origins=["http://localhost:3000"]), origin)
    assert asked.status_code == 403
    assert not any(name.startswith("access-control") for name in asked.headers)


def test_other_addresses_and_methods_are_told_in_json(served):
    adapter = served(tester)
    nowhere = httpx.get(f"{adapter.url}/api/chats", headers=headers(adapter), trust_env=False)
    assert (nowhere.status_code, set(nowhere.json())) == (404, {"error"})
    method = httpx.get(adapter.chat_url, headers=headers(adapter), trust_env=False)
    assert (method.status_code, method.json()) == (405, {"error": "405 Method Not Allowed"})


def test_health_says_who_is_here(served):
    adapter = served(tester)
    response = httpx.get(f"{adapter.url}/health", headers=headers(adapter), trust_env=False)
    assert response.json()["agents"] == ["tester"]


# ── history ────────────────────────────────────────────────────────────────────────────────────────────────────────


def page(adapter, query: str = "") -> httpx.Response:
    url = f"{adapter.url}/v1/ai-sdk/threads/c1/messages{query}"
    return httpx.get(url, headers=headers(adapter), trust_env=False)


def test_history_shows_the_call_that_waits_and_walks_by_cursor(served):
    adapter = served(tester)
    post(adapter, "/v1/ai-sdk/chat", AWAKEN)
    post(adapter, "/v1/ai-sdk/chat", {"threadId": "c1", "messages": [user("publish", "u2")]})
    whole = page(adapter).json()
    assert whole["cursor"] is None
    assert [item["role"] for item in whole["items"]] == ["user", "assistant", "user", "assistant"]
    assert whole["items"][0]["parts"] == [{"type": "text", "text": "hi"}]
    assert whole["items"][1]["parts"] == [{"type": "text", "text": "你好 🌤️"}]
    assert whole["items"][3]["parts"] == [
        {
            "type": "tool-publish",
            "toolName": "publish",
            "toolCallId": "call-1-1",
            "state": "approval-requested",
            "input": {"to": "所有人"},
            "providerExecuted": True,
            "approval": {"id": "call-1-1"},
        }
    ]
    walked, cursor = [], ""
    while cursor is not None:
        part = page(adapter, f"?size=1&cursor={cursor}").json()
        walked += part["items"]
        cursor = part["cursor"]
    assert walked == whole["items"]


def test_history_of_nobody_is_empty_and_an_unknown_cursor_is_refused(served):
    adapter = served(tester)
    assert page(adapter).json() == {"items": [], "cursor": None}
    refused = page(adapter, "?cursor=nobody")
    assert (refused.status_code, refused.text) == (400, "unknown pagination cursor")
    assert page(adapter, "?size=many").status_code == 400


@pytest.mark.parametrize("name", ["weather", "publish", "gallery"])
def test_the_shipped_agents_are_served_by_name(served, name):
    adapter = served(name)
    assert adapter.agent is agents[name]
    assert chunks(post(adapter, "/api/chat", {"id": "c1", "messages": [user("?")]}))[-1]["type"] == "finish"


def test_a_sender_that_stalls_in_its_body_is_let_go(served, monkeypatch):
    monkeypatch.setattr(adapter_module, "BODY_S", 0.05)
    adapter = served(tester)
    head = f"POST /api/chat HTTP/1.1\r\nHost: 127.0.0.1:{adapter.port}\r\nAuthorization: Bearer {adapter.token}\r\n"
    with socket.create_connection(("127.0.0.1", adapter.port), timeout=10) as sender:
        sender.sendall(f"{head}Content-Length: 100\r\n\r\n{{".encode())
        assert sender.recv(1024) == b"", "the server closes the connection"
