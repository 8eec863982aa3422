"""Bodies of both doors: what is accepted, and every problem of what is not."""

from __future__ import annotations

import json

import pytest

from aisdk_lab.errors import RequestError
from aisdk_lab.runs.request import ChatRequest, read_ai_sdk_request, read_awaken_request
from tests.agents.stage import user

JSON = "application/json"
HI = user("hi")


def problems(read, body: object, content_type: str | None = JSON, **ids: str) -> list[str]:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    with pytest.raises(RequestError) as caught:
        read(data, content_type, **ids)
    return list(caught.value.problems)


def ai_sdk(body: dict) -> ChatRequest:
    return read_ai_sdk_request(json.dumps(body).encode(), JSON)


def awaken(body: dict, **ids: str) -> ChatRequest:
    return read_awaken_request(json.dumps(body).encode(), JSON, **ids)


# ── both ───────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("read", [read_ai_sdk_request, read_awaken_request])
@pytest.mark.parametrize(
    ("body", "content_type", "problem"),
    [
        (b"{}", "text/plain", "expected Content-Type application/json, got text/plain  @ header Content-Type"),
        (b"{}", None, "expected Content-Type application/json, got none  @ header Content-Type"),
        (b"", JSON, "expected a JSON object, got an empty body  @ $"),
        (b"[]", JSON, "expected an object, got an array  @ $"),
        (b"null", JSON, "expected an object, got null  @ $"),
    ],
)
def test_what_is_no_json_object_is_named(read, body, content_type, problem):
    assert problems(read, body, content_type) == [problem]


@pytest.mark.parametrize("read", [read_ai_sdk_request, read_awaken_request])
@pytest.mark.parametrize("body", [b'{"id": "a", ', b'{"id": NaN}', b"\xff\xfe{}", b'{"__proto__": {}}'])
def test_broken_json_is_a_problem_with_its_place(read, body):
    (problem,) = problems(read, body)
    assert problem.startswith("broken JSON: ")
    assert problem.endswith("  @ $")


@pytest.mark.parametrize(
    "content_type", ["application/json; charset=utf-8", "Application/JSON", "application/vnd.x+json"]
)
def test_the_content_type_may_have_parameters_and_any_case(content_type):
    assert read_awaken_request(b"{}", content_type).messages == ()


# ── ai-sdk ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_reason_of_an_approval_is_a_string():
    part = {"type": "tool-x", "toolCallId": "c", "state": "approval-responded", "input": {}}
    part["approval"] = {"id": "a", "approved": True, "reason": ["x"]}
    assert problems(
        read_ai_sdk_request, {"id": "c", "messages": [{"id": "m", "role": "assistant", "parts": [part]}]}
    ) == ["expected a string, got an array  @ $.messages[0].parts[0].approval.reason"]


def test_a_body_with_thousands_of_problems_lists_the_first_and_counts_the_rest():
    listed = problems(read_ai_sdk_request, {"id": "c", "messages": [3] * 100_000})
    assert len(listed) == 21
    assert listed[-1] == "and 99980 more"


def test_a_body_of_use_chat_is_read():
    body = {"id": "chat-1", "messages": [HI], "trigger": "submit-message", "plan": "free", "agentId": "weather"}
    assert ai_sdk(body) == ChatRequest("chat-1", (HI,), agent_id="weather", body={"plan": "free"})


def test_a_body_with_the_last_message_only_says_so():
    assert ai_sdk({"id": "c", "message": HI, "messageId": "u1"}) == ChatRequest(
        "c", (HI,), message_id="u1", is_last_only=True
    )


def test_a_regeneration_may_leave_the_messages_to_the_ledger():
    request = ai_sdk({"id": "c", "trigger": "regenerate-message", "messageId": "a1"})
    assert request == ChatRequest("c", (), trigger="regenerate-message", message_id="a1", is_last_only=True)


def test_every_problem_of_an_ai_sdk_body_is_listed_with_its_path():
    body = {
        "trigger": "resume-stream",
        "messageId": 4,
        "agentId": None,
        "messages": [{"id": "u", "role": "user", "parts": [{"type": "text", "text": 3}]}, {"id": "u"}],
    }
    assert problems(read_ai_sdk_request, body) == [
        "expected a string, got nothing  @ $.id",
        "expected a string, got null  @ $.agentId",
        "expected one of submit-message, regenerate-message, got 'resume-stream'  @ $.trigger",
        "expected a string, got 4  @ $.messageId",
        "expected a string, got 3  @ $.messages[0].parts[0].text",
        "expected a value, got nothing  @ $.messages[1].role",
        "expected an array, got nothing  @ $.messages[1].parts",
        "message id 'u' is also that of message 0  @ $.messages[1].id",
    ]


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ({"id": "c"}, "expected the messages of the chat, got nothing  @ $.messages"),
        ({"id": "c", "messages": []}, "expected at least one message, got an empty array  @ $.messages"),
        ({"id": "c", "messages": {}}, "expected an array, got an object  @ $.messages"),
        ({"id": "", "messages": [HI]}, "expected the id of the chat, got an empty string  @ $.id"),
        ({"id": "c", "messages": [HI], "message": HI}, "expected either messages or message, got both  @ $"),
        (
            {"id": "c", "message": {**HI, "role": 1}},
            "expected one of 'system', 'user', 'assistant', got 1  @ $.message.role",
        ),
    ],
)
def test_one_problem_of_an_ai_sdk_body(body, problem):
    assert problems(read_ai_sdk_request, body) == [problem]


# ── awaken ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_an_awaken_body_is_read_and_the_path_wins_over_it():
    body = {"messages": [HI], "threadId": "  t ", "agentId": "weather", "extra": 1}
    assert awaken(body) == ChatRequest("t", (HI,), agent_id="weather", body={"extra": 1})
    assert awaken(body, thread_id="path", agent_id="publish").thread_id == "path"
    assert awaken(body, thread_id="path", agent_id="publish").agent_id == "publish"
    assert awaken({"messages": [HI], "thread_id": "t", "agent_id": "a"}).thread_id == "t"


@pytest.mark.parametrize("body", [{}, {"threadId": None}, {"threadId": "   "}])
def test_a_blank_thread_becomes_a_fresh_one(body):
    first, second = awaken(body).thread_id, awaken(body).thread_id
    assert first.startswith("thread-")
    assert first != second


def test_parts_that_are_no_input_and_no_tool_are_not_looked_into():
    parts = [{"type": "reasoning"}, {"type": "data-x"}, {"type": "dynamic-tool", "state": 3}, {"type": "brand-new"}]
    assert awaken({"messages": [{"role": "assistant", "parts": parts}]}).messages[0]["parts"] == parts


@pytest.mark.parametrize(
    ("part", "problem"),
    [
        ({}, "expected a string, got nothing  @ $.messages[0].parts[0].type"),
        ({"type": 1}, "expected a string, got 1  @ $.messages[0].parts[0].type"),
        ("x", "expected an object, got 'x'  @ $.messages[0].parts[0]"),
        ({"type": "text"}, "expected a string, got nothing  @ $.messages[0].parts[0].text"),
        ({"type": "text", "text": None}, "expected a string, got null  @ $.messages[0].parts[0].text"),
        ({"type": "file", "mediaType": "image/png"}, "expected a string, got nothing  @ $.messages[0].parts[0].url"),
        ({"type": "tool-x", "toolCallId": 1}, "expected a string, got 1  @ $.messages[0].parts[0].toolCallId"),
        (
            {"type": "tool-x", "providerExecuted": None},
            "expected a boolean, got null  @ $.messages[0].parts[0].providerExecuted",
        ),
        (
            {"type": "tool-x", "approval": {"approved": None}},
            "expected a boolean, got null  @ $.messages[0].parts[0].approval.approved",
        ),
        (
            {"type": "tool-x", "approval": {"approved": True, "reason": {}}},
            "expected a string, got an object  @ $.messages[0].parts[0].approval.reason",
        ),
        ({"type": "tool-x", "approval": True}, "expected an object, got true  @ $.messages[0].parts[0].approval"),
        (
            {"type": "data-awaken-file", "data": {"object": "awaken.file_reference", "fileRef": "x", "kind": "image"}},
            "expected file_ and 32 lower-case hexadecimal digits, got 'x'  @ $.messages[0].parts[0].data.fileRef",
        ),
        (
            {"type": "data-awaken-file", "id": "1", "data": 3},
            "expected no key 'id' here  @ $.messages[0].parts[0].id",
        ),
    ],
)
def test_one_bad_part_refuses_the_whole_awaken_body(part, problem):
    assert problems(read_awaken_request, {"messages": [{"role": "user", "parts": [part]}]})[0] == problem


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ({"messages": None}, "expected an array, got null  @ $.messages"),
        ({"messages": [{"parts": []}]}, "expected a string, got nothing  @ $.messages[0].role"),
        ({"messages": [{"role": "user", "parts": None}]}, "expected an array, got null  @ $.messages[0].parts"),
        ({"messages": [{"role": "user", "id": 1}]}, "expected a string, got 1  @ $.messages[0].id"),
        ({"threadId": 3}, "expected a string, got 3  @ $.threadId"),
        ({"threadId": "a", "thread_id": "a"}, "expected either threadId or thread_id, got both  @ $"),
    ],
)
def test_one_problem_of_an_awaken_body(body, problem):
    assert problems(read_awaken_request, body) == [problem]
