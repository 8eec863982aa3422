"""A session between a chat and its views: what was missed is said again, an action counts once."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Coroutine
from typing import Any

import pytest

from aisdk_lab.agents import ClientTool
from aisdk_lab.capture import Capture, Segment
from aisdk_lab.chat import Chat
from aisdk_lab.loopback import lab_loop
from aisdk_lab.transports.replay import ReplayPlayer
from aisdk_lab.widget import session as session_module
from aisdk_lab.widget.document import Document
from aisdk_lab.widget.operations import apply_operations
from aisdk_lab.widget.session import ActionProblem, Session
from aisdk_lab.wire import encode_sse, json_text
from tests.chat.scripted_transport import ScriptedTransport, let_it_work
from tests.transports.fake_clock import FakeClock

START = [{"type": "start", "messageId": "m1"}, {"type": "start-step"}]
WORDS = [*START, {"type": "text-start", "id": "t"}, {"type": "text-delta", "id": "t", "delta": "hello"}]
END = [{"type": "finish-step"}, {"type": "finish", "finishReason": "stop"}]
ASK = [*START, {"type": "tool-input-available", "toolCallId": "c1", "toolName": "ask", "input": {}}]
APPROVAL = {"type": "tool-approval-request", "approvalId": "ap", "toolCallId": "c1"}
WAITING = [{"type": "finish-step"}, {"type": "finish", "finishReason": "tool-calls"}]


def on_loop(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """Run an async test on the lab's loop itself."""

    def run() -> None:
        lab_loop().run(test(), timeout=10)

    run.__name__, run.__doc__ = test.__name__, test.__doc__
    return run


class View:
    """What a page knows: it applies what comes, in order, and notes a gap."""

    def __init__(self) -> None:
        self.document: dict[str, Any] | None = None
        self.seq = 0
        self.kinds: list[str] = []

    def take(self, text: str) -> None:
        message = json.loads(text)
        self.kinds.append(message["type"])
        if message["type"] == "snapshot":
            self.document, self.seq = message["document"], message["seq"]
        elif self.document is not None:
            assert message["seq"] == self.seq + 1, "a gap"
            self.document, self.seq = apply_operations(self.document, message["ops"]), message["seq"]


class Stage:
    """A chat with a scripted far side, its session, and one view by comm."""

    def __init__(self, player: ReplayPlayer | None = None, client_tools: Any = None, messages: Any = ()) -> None:
        self.transport = ScriptedTransport(client_tools)
        self.player = player
        self.chat = player.chat if player else Chat(self.transport, messages=messages)
        replay = player.state if player else None
        document = Document(title="t", clock=lambda: 0, client_tools=client_tools, messages=messages, replay=replay)
        self.session = Session("s1", self.chat, document, player=player)
        self.view = View()
        self.session.start(self.view.take)
        self._ids = 0

    def act(self, action: str, **fields: Any) -> dict[str, Any]:
        self._ids += 1
        message = {"type": "action", "actionId": f"a{self._ids}", "action": action, **fields}
        self.session.receive(message)
        return message

    async def feed(self, chunks: list[dict[str, Any]], end: bool = True) -> None:
        await let_it_work()
        for chunk in chunks:
            assert self.transport.put(chunk)
        if end:
            self.transport.end()
        await let_it_work()

    @property
    def document(self) -> dict[str, Any]:
        """What the view shows once it is told everything."""
        self.session._batcher.flush()
        assert self.view.document is not None
        return self.view.document


@on_loop
async def test_a_view_that_asks_from_nothing_gets_a_snapshot_and_then_batches():
    stage = Stage()
    stage.session.receive({"type": "sync", "from": 0})
    stage.act("send", text="hi")
    await stage.feed([*WORDS, *END])
    assert stage.document == json.loads(json_text.write(stage.session.document.value))
    assert stage.view.kinds[0] == "snapshot"
    assert [message["parts"][-1].get("text") for message in stage.document["messages"]] == ["hi", "hello"]


@on_loop
async def test_a_view_that_missed_something_gets_just_that():
    stage = Stage()
    stage.session.receive({"type": "sync", "from": 0})
    stage.act("send", text="hi")
    await let_it_work()
    late = View()
    late.document, late.seq = json.loads(json.dumps(stage.document)), stage.view.seq
    await stage.feed([*WORDS, *END])
    stage.session._batcher.flush()
    stage.session._comm = late.take
    stage.session.receive({"type": "sync", "from": late.seq})
    assert (late.document, set(late.kinds)) == (stage.view.document, {"batch"})


@on_loop
async def test_a_view_that_has_everything_hears_that_the_kernel_is_alive():
    stage = Stage()
    stage.session.receive({"type": "sync", "from": 0})
    stage.act("stop")
    await let_it_work()
    seq = stage.view.seq
    stage.session.receive({"type": "sync", "from": seq})
    assert (stage.view.seq, stage.view.kinds) == (seq + 1, ["snapshot", "batch", "batch"])


@pytest.mark.parametrize("seq", [10_000, -1, "7", None])
def test_a_number_that_was_never_given_gets_a_snapshot(seq: Any):
    async def run() -> list[str]:
        stage = Stage()
        stage.session.receive({"type": "sync", "from": seq})
        return stage.view.kinds

    assert lab_loop().run(run(), timeout=10) == ["snapshot"]


@on_loop
async def test_an_action_counts_once_whatever_carrier_brings_it_again():
    stage = Stage()
    message = stage.act("send", text="hi")
    stage.session.receive(message)
    await stage.feed([*WORDS, *END])
    stage.session.receive(message)
    await let_it_work()
    assert len(stage.transport.requests) == 1


@on_loop
async def test_the_view_hears_at_once_that_its_action_arrived():
    stage = Stage()
    stage.session.receive({"type": "sync", "from": 0})
    stage.act("clearError")
    await let_it_work()
    assert stage.view.kinds == ["snapshot", "batch"]


@on_loop
async def test_an_approval_that_two_views_answer_is_answered_by_the_first():
    stage = Stage()
    stage.session.receive({"type": "sync", "from": 0})
    stage.act("send", text="hi")
    await stage.feed([*ASK, APPROVAL, *WAITING])
    stage.act("approve", approvalId="ap", toolCallId="c1", approved=False, reason="not yet")
    stage.act("approve", approvalId="ap", toolCallId="c1", approved=True)
    await stage.feed([{"type": "start", "messageId": "m1"}, {"type": "tool-output-denied", "toolCallId": "c1"}, *END])
    part = stage.document["messages"][1]["parts"][1]
    assert part["approval"] == {"id": "ap", "approved": False, "reason": "not yet"}
    assert (stage.document["notice"], len(stage.transport.requests)) == (None, 2)


@on_loop
async def test_an_answer_to_an_unknown_call_says_what_waits():
    stage = Stage(client_tools={"ask": ClientTool()})
    stage.session.receive({"type": "sync", "from": 0})
    stage.act("send", text="hi")
    await stage.feed([*ASK, *WAITING])
    stage.act("toolOutput", toolCallId="zz", output=1)
    await let_it_work()
    assert "'c1'" in stage.document["notice"]
    stage.act("toolError", toolCallId="c1", errorText="not here")
    await let_it_work()
    assert stage.document["notice"] is None
    assert stage.document["tools"]["c1"]["status"] == "failed"
    stage.act("toolOutput", toolCallId="c1", output="too late")
    await let_it_work()
    assert stage.document["messages"][1]["parts"][1]["errorText"] == "not here"
    await stage.feed(END)


@on_loop
async def test_stop_and_retry():
    stage = Stage()
    stage.session.receive({"type": "sync", "from": 0})
    stage.act("send", text="hi")
    await stage.feed(WORDS, end=False)
    stage.act("stop")
    await let_it_work()
    assert (stage.document["status"], stage.transport.stopped) == ("ready", [stage.chat.id])
    stage.act("retry")
    await stage.feed([*WORDS, *END])
    assert [request.trigger for request in stage.transport.requests] == ["submit-message", "regenerate-message"]
    assert len(stage.document["messages"]) == 2


@on_loop
async def test_retry_sends_answers_again_that_never_arrived():
    answered = {"type": "tool-rm", "toolCallId": "c", "state": "approval-responded", "input": {}}
    answered["approval"] = {"id": "ap", "approved": True}
    history = [
        {"id": "u", "role": "user", "parts": [{"type": "text", "text": "hi"}]},
        {"id": "m", "role": "assistant", "parts": [{"type": "step-start"}, answered]},
    ]
    stage = Stage(messages=history)
    stage.act("retry")
    await let_it_work()
    assert [(r.trigger, r.message_id) for r in stage.transport.requests] == [("submit-message", "m")]
    await stage.feed(END)


@on_loop
async def test_a_message_while_an_answer_streams_is_refused_in_words():
    stage = Stage()
    stage.session.receive({"type": "sync", "from": 0})
    stage.act("send", text="one")
    await stage.feed(WORDS, end=False)
    stage.act("send", text="two")
    await let_it_work()
    assert "an answer is under way" in stage.document["notice"]
    await stage.feed(END)


@pytest.mark.parametrize(
    "message",
    [
        "no object",
        {"type": "action", "action": "send", "text": "no id"},
        {"type": "action", "action": "launch", "actionId": "a"},
        {"type": "action", "action": "send", "actionId": "a", "text": 7},
        {"type": "action", "action": "approve", "actionId": "a", "approvalId": "ap", "approved": "true"},
        {"type": "action", "action": "approve", "actionId": "a", "approved": True},
        {"type": "action", "action": "toolError", "actionId": "a", "toolCallId": "c"},
        {"type": "weather"},
    ],
)
def test_what_is_no_action_is_refused(message: Any):
    async def run() -> None:
        stage = Stage()
        with pytest.raises(ActionProblem, match="expected"):
            stage.session.receive(message)
        assert stage.transport.requests == []

    lab_loop().run(run(), timeout=10)


@on_loop
async def test_an_output_that_cannot_be_sent_on_is_refused_with_a_notice_and_the_call_still_waits():
    stage = Stage(client_tools={"ask": ClientTool()})
    stage.session.receive({"type": "sync", "from": 0})
    stage.act("send", text="hi")
    await stage.feed([*ASK, *WAITING])
    deep: Any = []
    for _ in range(950):
        deep = [deep]
    for value in (deep, object()):
        message = {"type": "action", "actionId": "deep", "action": "toolOutput", "toolCallId": "c1", "output": value}
        with pytest.raises(ActionProblem):
            stage.session.receive(message)
        with pytest.raises(ActionProblem):
            stage.session.receive({"type": "action", "action": value})
        await let_it_work()
        stage.session._batcher.flush()
        assert stage.document["notice"]
    assert stage.document["tools"]["c1"]["status"] == "waiting"
    stage.act("toolOutput", toolCallId="c1", output=1)
    await let_it_work()
    assert stage.document["tools"]["c1"]["status"] == "done"
    await stage.feed(END)


# ── the event stream ────────────────────────────────────────────────────────────────────────────────────────────────


async def read(stream: AsyncGenerator[str, None], view: View, count: int) -> None:
    for _ in range(count):
        view.take(await anext(stream))


@on_loop
async def test_an_event_stream_and_the_comm_bring_the_same():
    stage = Stage()
    stage.session.receive({"type": "sync", "from": 0})
    stream, view = stage.session.events(0), View()
    await read(stream, view, 1)
    stage.act("send", text="hi")
    await stage.feed([*WORDS, *END])
    expected = stage.document
    while view.seq < stage.view.seq:
        await read(stream, view, 1)
    assert (view.document, view.kinds[0]) == (expected, "snapshot")
    await stream.aclose()
    assert stage.session._streams == set()


@on_loop
async def test_nothing_falls_between_what_was_missed_and_what_follows():
    """A batch that goes out while the stream is still writing what was missed comes after it."""
    stage = Stage()
    stage.act("send", text="hi")
    await stage.feed(WORDS, end=False)
    stage.session._batcher.flush()
    stream, view = stage.session.events(0), View()
    await read(stream, view, 1)
    await stage.feed(END)
    stage.session._batcher.flush()
    while view.seq < stage.session._batcher.seq:
        await read(stream, view, 1)
    assert view.document == json.loads(json_text.write(stage.session.document.value))
    await stream.aclose()


@on_loop
async def test_a_stream_that_falls_behind_is_ended_so_that_the_page_asks_again():
    stage = Stage()
    stream = stage.session.events(0)
    await anext(stream)
    for number in range(session_module._QUEUE + 1):
        stage.session.document.set(["notice"], f"n{number}")
        stage.session.push()
        stage.session._batcher.flush()
    with pytest.raises(StopAsyncIteration):
        await anext(stream)


@on_loop
async def test_closing_ends_the_streams_and_what_comes_after_does_nothing():
    stage = Stage()
    stream = stage.session.events(0)
    await anext(stream)
    await stage.session.close()
    await stage.session.close()
    with pytest.raises(StopAsyncIteration):
        await anext(stream)
    stage.act("send", text="hi")
    await let_it_work()
    assert stage.transport.requests == []


# ── a recording ─────────────────────────────────────────────────────────────────────────────────────────────────────


def recording() -> Capture:
    deltas = [{"type": "text-delta", "id": "t", "delta": word} for word in ("one ", "two ", "three")]
    timed = zip((0, 0, 100, 200, 300), [START[0], {"type": "text-start", "id": "t"}, *deltas], strict=True)
    return Capture(
        name="words", segments=tuple(Segment(ms * 1_000_000, encode_sse(json_text.write(chunk))) for ms, chunk in timed)
    )


@on_loop
async def test_a_replay_is_driven_from_the_view():
    clock = FakeClock()
    stage = Stage(ReplayPlayer(recording(), clock=clock))
    stage.session.receive({"type": "sync", "from": 0})
    assert stage.document["replay"] == {"speed": 1.0, "playing": False, "position_ms": 0, "duration_ms": 300}
    stage.act("replay", command="play", speed=2)
    await clock.advance_ms(60)
    stage.act("replay", command="pause")
    await let_it_work()
    assert stage.document["messages"][0]["parts"][0]["text"] == "one "
    assert stage.document["replay"] == {"speed": 2.0, "playing": False, "position_ms": 120, "duration_ms": 300}
    stage.act("replay", command="seek", positionMs=250)
    await let_it_work()
    assert stage.document["messages"][0]["parts"][0]["text"] == "one two "
    stage.act("replay", command="restart", speed=0)
    await let_it_work()
    assert stage.document["messages"][0]["parts"][0]["text"] == "one two three"
    assert stage.document["replay"] == {"speed": 0, "playing": False, "position_ms": 300, "duration_ms": 300}
    await stage.session.close()


@on_loop
async def test_nobody_answers_in_a_recording():
    stage = Stage(ReplayPlayer(recording(), clock=FakeClock()))
    stage.session.receive({"type": "sync", "from": 0})
    stage.act("send", text="hi")
    stage.act("retry")
    await let_it_work()
    assert (stage.document["messages"], stage.document["notice"]) == ([], None)
    for fields in ({"command": "rewind"}, {"command": "seek"}, {"command": "play", "speed": -1}, {"speed": "fast"}):
        with pytest.raises(ActionProblem):
            stage.act("replay", **fields)
    await stage.session.close()


@on_loop
async def test_what_a_script_names_late_becomes_known():
    tools: dict[str, Any] = {}
    stage = Stage(client_tools=tools)
    stage.session.receive({"type": "sync", "from": 0})
    stage.act("send", text="hi")
    await let_it_work()
    tools["ask"] = ClientTool()
    await stage.feed([*ASK, *WAITING])
    assert stage.document["tools"]["c1"] == {"status": "waiting", "kind": "client"}
    assert stage.document["clientTools"] == {"ask": {"interactive": True, "inputSchema": None}}


@on_loop
async def test_the_end_of_a_run_is_told_after_its_last_batch():
    stage = Stage()
    stage.session.receive({"type": "sync", "from": 0})
    seen: list[str] = []
    stage.session.on_run_end = lambda: seen.append(stage.view.document["status"] if stage.view.document else "")
    stage.act("send", text="hi")
    await stage.feed([*WORDS, *END])
    assert seen == ["ready"]
    assert asyncio.get_running_loop() is stage.chat.lab.loop
