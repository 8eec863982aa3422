"""The real client at both doors of one adapter: send, approval, denial, client tool, error, stop.

`/api/chat` speaks as the SDK's own server does; `/v1/ai-sdk/chat` as the adapter of the seeds: one framed step for each
response, tools from the committed tail with `providerExecuted`, a decision names its call by `toolCallId`.
"""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

import aisdk_lab as lab
from aisdk_lab.loopback import lab_loop

DOORS = ("ai-sdk", "awaken")
USAGE = {"inputTokens": 0, "outputTokens": 0, "totalTokens": 0}


@pytest.fixture(params=DOORS)
def door(request) -> str:
    return request.param


@pytest.fixture
def talk(drive, door):
    """`talk(agent, step, …)`: serves the agent and lets the client do the steps; gives what the client saw."""
    served = []

    def run(agent: Any, *steps: dict[str, Any], **scenario: Any) -> dict[str, Any]:
        adapter = lab.serve(agent, name="interop")
        served.append(adapter)
        api = adapter.chat_url if door == "ai-sdk" else adapter.awaken_url
        saw = drive(api=api, token=adapter.token, door=door, agentId=agent.name, steps=list(steps), **scenario)
        assert adapter.token not in str(saw)
        return saw

    yield run
    for adapter in served:
        adapter.stop()


def send(text: str = "开始 🌤️", **more: Any) -> dict[str, Any]:
    return {"do": "send", "text": text, **more}


def masked(message: dict[str, Any]) -> dict[str, Any]:
    """The message without what differs from run to run: its own id."""
    return {key: value for key, value in message.items() if key != "id"}


def answer(saw: dict[str, Any]) -> dict[str, Any]:
    """The one assistant message, whole: every answer of a conversation with decisions continues the same message."""
    question, reply = saw["messages"]
    assert question["role"] == "user"
    return masked(reply)


def assistant(door: str, *parts: dict[str, Any]) -> dict[str, Any]:
    """The expected message; the awaken door adds the thread's usage."""
    usage = {} if door == "ai-sdk" else {"metadata": {"totalUsage": USAGE}}
    return {"role": "assistant", "parts": list(parts)} | usage


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words, "state": "done"}


STEP = {"type": "step-start"}


def test_a_turn_arrives_whole(talk, door):
    @lab.scripted
    def host(turn):
        yield turn.text(f"你说：{turn.words}")

    saw = talk(host, send("早上好 🌤️"))
    assert saw["statuses"] == ["submitted", "streaming", "ready"]
    assert saw["errors"] == []
    assert [finish["finishReason"] for finish in saw["finishes"]] == ["stop"]
    assert answer(saw) == assistant(door, STEP, text("你说：早上好 🌤️"))
    headers = saw["requests"][0]["headers"]
    assert headers["content-type"] == "text/event-stream"
    assert headers["x-vercel-ai-ui-message-stream"] == "v1"


@pytest.mark.parametrize("door", ["ai-sdk"], indirect=True)
def test_a_regenerated_answer_takes_the_place_of_the_old_one(talk, door):
    answers = iter(["第一次", "第二次"])

    @lab.scripted
    def fickle(turn):
        yield turn.text(next(answers))

    saw = talk(fickle, send(), {"do": "regenerate"})
    assert answer(saw) == assistant(door, STEP, text("第二次"))


def publisher(published: list[Any]):
    """A script with one tool that needs permission; the list keeps what it really did."""

    def publish(arguments: Any) -> dict[str, Any]:
        published.append(arguments)
        return {"url": "https://example.org/1"}

    @lab.scripted
    def editor(turn):
        result = yield turn.tool("publish", {"title": "周报"}, approval=True, reason="所有人可见", output=publish)
        yield turn.text("已发布。" if result.approved else f"没有发布：{result.reason}")

    return editor


def publication(door: str, state: str, approved: bool, **result: Any) -> dict[str, Any]:
    """The part of the call; at the awaken door it is the server's (`providerExecuted`), approved under the call's own id."""
    call = {"type": "tool-publish", "toolCallId": "call-0-1", "state": state, "input": {"title": "周报"}}
    approval = {"id": "approval-0-1", "requestReason": "所有人可见", "approved": approved}
    if not approved:
        approval["reason"] = "还没校对"
    if door == "awaken":
        call["providerExecuted"] = True
        approval["id"] = "call-0-1"
    return call | {"approval": approval} | result


def test_an_allowed_call_runs_on_the_server_and_the_run_goes_on(talk, door):
    published = []
    saw = talk(publisher(published), send(), {"do": "approve", "approved": True})
    assert published == [{"title": "周报"}]
    assert saw["statuses"] == ["submitted", "streaming", "ready"] * 2
    assert saw["unexpected"] == 0
    assert [finish["finishReason"] for finish in saw["finishes"]] == ["tool-calls", "stop"]
    call = publication(door, "output-available", True, output={"url": "https://example.org/1"})
    assert answer(saw) == assistant(door, STEP, call, STEP, text("已发布。"))


def test_a_denied_call_does_not_run_and_the_agent_learns_why(talk, door):
    published = []
    saw = talk(publisher(published), send(), {"do": "approve", "approved": False, "reason": "还没校对"})
    assert published == []
    assert [finish["finishReason"] for finish in saw["finishes"]] == ["tool-calls", "stop"]
    # The awaken door has no word for a denial: it is an error, with the reason as its text (W7).
    state, result = ("output-denied", {}) if door == "ai-sdk" else ("output-error", {"errorText": "还没校对"})
    call = publication(door, state, False, **result)
    assert answer(saw) == assistant(door, STEP, call, STEP, text("没有发布：还没校对"))


@lab.scripted
def reader(turn):
    """A script that asks the client."""
    result = yield turn.client_tool("readSelection", {"scope": "文档"})
    yield turn.text(f"选中：{result.output}" if result.ok else f"读不到：{result.error}")


def selection(door: str, state: str, **result: Any) -> dict[str, Any]:
    """The part of the call; the awaken door says that it is not the server's."""
    call = {"type": "tool-readSelection", "toolCallId": "call-0-1", "state": state, "input": {"scope": "文档"}}
    return call | result | ({} if door == "ai-sdk" else {"providerExecuted": False})


def test_a_client_tool_answers_by_itself(talk, door):
    saw = talk(reader, send(rounds=2), outputs={"readSelection": "第一段"})
    assert [call["toolName"] for call in saw["toolCalls"]] == ["readSelection"]
    assert saw["unexpected"] == 0
    call = selection(door, "output-available", output="第一段")
    assert answer(saw) == assistant(door, STEP, call, STEP, text("选中：第一段"))


def test_a_client_tool_that_fails_is_told_to_the_agent(talk, door):
    saw = talk(reader, send(), {"do": "toolOutput", "tool": "readSelection", "errorText": "没有选中"})
    call = selection(door, "output-error", errorText="没有选中")
    assert answer(saw) == assistant(door, STEP, call, STEP, text("读不到：没有选中"))


def test_an_error_of_the_agent_ends_the_response_in_error(talk, door):
    @lab.scripted
    def broken(turn):
        yield turn.text("先说一半")
        yield turn.error("模型断了")

    saw = talk(broken, send())
    assert saw["statuses"] == ["submitted", "streaming", "error"]
    assert saw["errors"] == [{"name": "Error", "message": "模型断了"}]
    assert [finish["isError"] for finish in saw["finishes"]] == [True]
    # The client drops what follows an error, so no usage arrives at either door.
    assert answer(saw) == assistant("ai-sdk", STEP, text("先说一半"))


class Patient:
    """An agent that says one word, waits for the gate, and says another; it tells how it ended."""

    name = title = "patient"
    suggestions = ()
    client_tools = {}

    def __init__(self) -> None:
        self.gate = asyncio.Event()
        self.ended = threading.Event()
        self.said_all = False

    async def run(self, turn):
        try:
            yield {"type": "start-step"}
            yield {"type": "text-start", "id": "t"}
            yield {"type": "text-delta", "id": "t", "delta": "等一下"}
            await self.gate.wait()
            self.said_all = True
            yield {"type": "text-delta", "id": "t", "delta": "，好了"}
            yield {"type": "text-end", "id": "t"}
            yield {"type": "finish-step"}
            yield {"type": "finish", "finishReason": "stop"}
        finally:
            self.ended.set()


def test_after_a_stop_of_the_client_the_run_goes_on_or_ends_as_its_door_says(talk, door):
    """At `/api/chat` a page that leaves does not end the run; at the awaken door a hang-up interrupts it."""
    agent = Patient()
    saw = talk(agent, send(rounds=0), {"do": "stop", "after": "等一下"})
    assert saw["statuses"] == ["submitted", "streaming", "ready"]
    assert [finish["isAbort"] for finish in saw["finishes"]] == [True]
    assert answer(saw)["parts"] == [STEP, {"type": "text", "text": "等一下", "state": "streaming"}]
    if door == "ai-sdk":
        assert not agent.ended.is_set()
        lab_loop().call(agent.gate.set)
    assert agent.ended.wait(10)
    assert agent.said_all == (door == "ai-sdk")


def test_without_the_token_nothing_is_answered(drive, door):
    adapter = lab.serve(reader, name="interop")
    api = adapter.chat_url if door == "ai-sdk" else adapter.awaken_url
    saw = drive(api=api, token="guess", door=door, steps=[send()])
    adapter.stop()
    assert saw["status"] == "error"
    assert [request["status"] for request in saw["requests"]] == [401]
