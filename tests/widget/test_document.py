"""The document: a pure function of the chat's events, and operations that are linear in the stream."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aisdk_lab.agents._base import ClientTool
from aisdk_lab.chat import Chat, ChatEvent, Outcome, TransportRequest
from aisdk_lab.errors import TransportError
from aisdk_lab.importers import load_all
from aisdk_lab.ui_stream.tool_status import tool_status
from aisdk_lab.widget import document as document_module
from aisdk_lab.widget.document import Document
from aisdk_lab.widget.operations import apply_operation, apply_operations, plain
from aisdk_lab.wire import encode_sse, json_text
from tests.widget.projection import Projection

CAPTURES = sorted((Path(__file__).parents[1] / "golden" / "captures").glob("*.json"))
START = ({"type": "start", "messageId": "m1"}, {"type": "start-step"})
END = ({"type": "finish-step"}, {"type": "finish", "finishReason": "stop"})
TOOL_END = ({"type": "finish-step"}, {"type": "finish", "finishReason": "tool-calls"})


def call(call_id: str, name: str, **fields: Any) -> dict[str, Any]:
    return {"type": "tool-input-available", "toolCallId": call_id, "toolName": name, "input": {}, **fields}


def output(call_id: str, **fields: Any) -> dict[str, Any]:
    return {"type": "tool-output-available", "toolCallId": call_id, "output": 1, **fields}


@pytest.mark.parametrize("path", CAPTURES, ids=lambda path: path.stem)
def test_whoever_applies_the_operations_has_the_same_document(path: Path):
    """All recorded exchanges, one after the other in one sidebar, each begun with its request's messages."""
    captures = load_all(path)
    projection = Projection(*([chunk for _, chunk in capture.chunks()] for capture in captures))
    for capture in captures:
        body = capture.request.json if capture.request else None
        projection.chat.set_messages([m for m in (body or {}).get("messages") or [] if m.get("parts")])
        projection.chat.send()
        assert projection.view == json.loads(json_text.write(projection.document.value))
        assert projection.view["messages"] == json.loads(json_text.write(projection.chat.messages))
    assert captures


def test_a_document_made_from_a_history_equals_one_that_watched_it():
    answer = [*START, call("c1", "srv"), output("c1"), *END]
    watched = Projection(answer)
    watched.chat.send("hi")
    ended = ("complete", "m1")
    later = Document(title="canned", clock=watched.clock, messages=watched.chat.messages, ended=ended)
    assert later.value == {**watched.document.value, "tools": {"c1": {"status": "done", "kind": "server"}}}
    assert later.drain() == []


def test_a_text_delta_is_one_append_and_nothing_else():
    answer = [
        *START,
        {"type": "text-start", "id": "t"},
        *({"type": "text-delta", "id": "t", "delta": d} for d in "你好"),
    ]
    projection = Projection(answer)
    projection.chat.send("hi")
    path = ["messages", 1, "parts", 1, "text"]
    appends = [operation for operation in projection.operations if operation[0] == "append"]
    assert appends == [["append", path, "你"], ["append", path, "好"]]
    after = projection.operations[projection.operations.index(appends[0]) :]
    assert after == [
        *appends,
        ["set", ["status"], "ready"],
        ["set", ["ended"], {"state": "truncated", "messageId": "m1"}],
    ]


def stream(kind: str) -> list[dict[str, Any]]:
    """A stream of 2,000 deltas of four characters."""
    if kind == "text":
        deltas = [{"type": "text-delta", "id": "txt-0", "delta": "word"} for _ in range(2000)]
        return [*START, {"type": "text-start", "id": "txt-0"}, *deltas, {"type": "text-end", "id": "txt-0"}, *END]
    begin = {"type": "tool-input-start", "toolCallId": "call-0-0", "toolName": "write"}
    pieces = ['{"text":"', *["word"] * 2000, '"}']
    deltas = [{"type": "tool-input-delta", "toolCallId": "call-0-0", "inputTextDelta": piece} for piece in pieces]
    return [*START, begin, *deltas, call("call-0-0", "write", input={"text": "word" * 2000}), *END]


@pytest.mark.parametrize("kind", ["text", "tool input"])
def test_the_bytes_of_the_operations_stay_within_twice_those_of_the_stream(kind: str):
    """Each chunk sent by itself, the worst case: batches join the appends to one text."""
    chunks = stream(kind)
    projection = Projection(chunks)
    projection.chat.send("hi")
    sse = sum(len(encode_sse(json_text.write(chunk))) for chunk in chunks)
    sent = sum(len(json_text.write_bytes(operation)) for operation in projection.operations)
    assert sent <= 2 * sse
    assert projection.view == projection.document.value


def test_the_cost_of_a_delta_does_not_grow_with_the_text():
    """An append adds a piece; the text is joined when somebody reads it."""
    document: dict[str, Any] = {"text": ""}
    for _ in range(1000):
        apply_operation(document, ["append", ["text"], "x"])
    assert not isinstance(document["text"], str)
    assert plain(document) == {"text": "x" * 1000}


# ── tools ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_server_tool_runs_and_is_done_with_the_time_that_it_ran():
    begin = {"type": "tool-input-start", "toolCallId": "c1", "toolName": "srv"}
    projection = Projection([*START, begin, 500, call("c1", "srv"), 412, output("c1"), 1000, *END])
    projection.chat.send("hi")
    assert projection.statuses("c1") == ["preparing", "running", "done"]
    assert projection.view["tools"] == {"c1": {"status": "done", "kind": "server", "durationMs": 412}}


def test_the_time_of_a_person_is_not_the_time_of_the_tool():
    request = {"type": "tool-approval-request", "approvalId": "ap", "toolCallId": "c1"}
    projection = Projection(
        [*START, call("c1", "rm"), 10, request, *TOOL_END],
        [{"type": "start", "messageId": "m1"}, 30, output("c1"), *END],
    )
    projection.chat.send("hi")
    assert projection.view["tools"]["c1"] == {"status": "waiting", "kind": "server"}
    projection.clock.pass_ms(60_000)
    projection.chat.add_tool_approval_response("ap", True)
    assert projection.statuses("c1") == ["running", "waiting", "approved-not-sent", "running", "done"]
    assert projection.view["tools"]["c1"] == {"status": "done", "kind": "server", "durationMs": 40}


def test_an_approval_that_was_sent_shows_no_unsent_state_to_a_view_that_batches():
    """The step between is in one tick with the next one: a view that applies batches never draws it."""
    request = {"type": "tool-approval-request", "approvalId": "ap", "toolCallId": "c1"}
    projection = Projection([*START, call("c1", "rm"), request, *TOOL_END], [output("c1"), *END])
    projection.chat.send("hi")
    projection.chat.add_tool_approval_response("ap", False, "no")
    assert projection.view["tools"]["c1"]["status"] == "done"
    assert projection.statuses("c1")[1:3] == ["waiting", "denied"]


def test_a_client_tool_waits_also_while_the_rest_of_the_answer_arrives():
    projection = Projection([*START, call("c1", "pick"), *TOOL_END], client_tools={"pick": ClientTool()})
    projection.chat.send("hi")
    assert projection.statuses("c1") == ["waiting"]
    assert projection.view["tools"]["c1"] == {"status": "waiting", "kind": "client"}
    assert projection.view["clientTools"] == {"pick": {"interactive": True, "inputSchema": None}}


def test_without_a_list_of_client_tools_the_one_that_waits_is_one():
    projection = Projection([*START, call("c1", "pick"), *TOOL_END])
    projection.chat.send("hi")
    assert projection.statuses("c1") == ["running", "waiting"]
    assert projection.view["tools"]["c1"] == {"status": "waiting", "kind": "client"}


def test_a_call_beside_one_that_waits_is_queued_and_one_that_was_cut_off_is_interrupted():
    pick = {"pick": ClientTool()}
    beside = Projection([*START, call("c1", "pick"), call("c2", "srv"), *TOOL_END], client_tools=pick)
    beside.chat.send("hi")
    assert beside.view["tools"]["c2"]["status"] == "queued"
    cut = Projection([*START, call("c2", "srv"), 7, TransportError("terminated", name="TypeError")], client_tools=pick)
    cut.chat.send("hi")
    assert cut.view["tools"]["c2"] == {"status": "interrupted", "kind": "server", "durationMs": 7}
    assert (cut.view["status"], cut.view["error"]) == ("error", {"text": "terminated", "name": "TypeError"})


def test_an_earlier_message_is_no_longer_running_when_the_person_goes_on():
    projection = Projection([*START, call("c1", "srv"), *END], [{"type": "start", "messageId": "m2"}, *END])
    projection.chat.send("hi")
    projection.chat.send("never mind")
    assert projection.view["tools"]["c1"]["status"] == "interrupted"
    assert projection.statuses("c1") == ["running", "interrupted"]


@pytest.mark.parametrize("last", [output, lambda call_id: call(call_id, "srv")], ids=["answered", "cut off"])
@pytest.mark.parametrize("names", [None, {"pick": ClientTool()}])
def test_the_statuses_that_are_asked_grow_with_the_calls_of_a_step_and_not_with_their_square(
    names: Any, last: Any, monkeypatch: pytest.MonkeyPatch
):
    asked: list[int] = []

    def counting(part: Any, siblings: Any = (), *rest: Any) -> Any:
        asked.append(1 + len(siblings))
        return tool_status(part, siblings, *rest)

    monkeypatch.setattr(document_module, "tool_status", counting)

    def cost(count: int) -> int:
        asked.clear()
        calls = [chunk for n in range(count) for chunk in (call(f"c{n}", "srv"), last(f"c{n}"))]
        projection = Projection([*START, *calls, *END], client_tools=names)
        projection.chat.send("hi")
        assert len(projection.view["tools"]) == count
        return sum(asked)

    assert cost(400) <= 4.2 * cost(100)


def test_the_neighbours_of_a_call_follow_when_the_last_one_that_waited_is_answered():
    calls = [call("c1", "pick"), call("c2", "pick"), call("c3", "srv"), *TOOL_END]
    pick = {"pick": ClientTool()}
    projection = Projection([*START, *calls], client_tools=pick)
    projection.chat.send("hi")
    assert [entry["status"] for entry in projection.view["tools"].values()] == ["waiting", "waiting", "queued"]
    for answered, third in (("c1", "queued"), ("c2", "interrupted")):
        projection.chat.add_tool_output(answered, 1)
        assert (projection.view["tools"][answered]["status"], projection.view["tools"]["c3"]["status"]) == (
            "done",
            third,
        )
        later = Document(
            title="canned",
            clock=projection.clock,
            client_tools=pick,
            messages=projection.chat.messages,
            finish_reasons={"m1": "tool-calls"},
        )
        statuses = {key: entry["status"] for key, entry in projection.view["tools"].items()}
        assert {key: entry["status"] for key, entry in later.value["tools"].items()} == statuses


# ── how the exchange ended ──────────────────────────────────────────────────────────────────────────────────────────

WORD = [{"type": "text-start", "id": "t"}, {"type": "text-delta", "id": "t", "delta": "half"}]


@pytest.mark.parametrize(
    ("last", "state"),
    [
        ([], "truncated"),
        ([{"type": "abort"}], "aborted"),
        ([{"type": "error", "errorText": "x"}], "error"),
        ([call("c1", "pick"), *TOOL_END], "waiting"),
        (END, "complete"),
    ],
)
def test_the_document_says_how_the_last_exchange_ended(last: list[dict[str, Any]], state: str):
    projection = Projection([*START, *WORD, *last])
    assert projection.view["ended"] is None
    projection.chat.send("hi")
    assert projection.view["ended"] == {"state": state, "messageId": "m1"}


def test_the_end_of_an_exchange_is_over_when_the_next_one_begins_or_the_history_is_another():
    projection = Projection([*START, *WORD], [{"type": "start", "messageId": "m2"}, *END])
    projection.chat.send("hi")
    projection.chat.regenerate()
    ends = [value for op, path, *rest in projection.operations for value in rest if path == ["ended"]]
    assert [end and end["state"] for end in ends] == ["truncated", None, "complete"]
    user, answer = projection.chat.messages
    projection.chat.set_messages([{**user, "parts": []}, answer])
    assert projection.view["ended"] == {"state": "complete", "messageId": "m2"}
    projection.chat.set_messages([user])
    assert projection.view["ended"] is None


def test_a_seek_in_a_recording_is_nobodys_stop():
    """A seek breaks off what is being played; only a stop that was recorded is told."""
    outcome = Outcome("aborted", {"id": "m1", "role": "assistant", "parts": []}, is_abort=True)
    for replay, ended in ((None, {"state": "aborted", "messageId": "m1"}), ({"speed": 1}, None)):
        document = Document(title="t", clock=lambda: 0, replay=replay)
        document.on_event(ChatEvent(kind="finish", outcome=outcome))
        assert document.value["ended"] == ended


# ── other parts ─────────────────────────────────────────────────────────────────────────────────────────────────────


def test_reasoning_says_how_long_it_took():
    block = [{"type": "reasoning-start", "id": "r"}, 1200, {"type": "reasoning-end", "id": "r"}]
    open_block = [{"type": "reasoning-start", "id": "s"}, 300]
    projection = Projection([*START, *block, *open_block, *END])
    projection.chat.send("hi")
    assert projection.view["timings"] == {"m1/1": {"durationMs": 1200}, "m1/2": {"durationMs": 300}}


def test_a_plan_that_is_replaced_in_place_is_one_part():
    steps = [{"type": "data-plan", "id": "plan", "data": {"steps": [n]}} for n in range(4)]
    projection = Projection([*START, *steps, *END])
    projection.chat.send("hi")
    path = ["messages", 1, "parts", 1]
    assert [o for o in projection.operations if o[1][:4] == path] == [
        ["set", [*path, "data"], {"steps": [n]}] for n in (1, 2, 3)
    ]


def test_regenerating_forgets_what_belonged_to_the_dropped_message():
    answer = [
        *START,
        {"type": "reasoning-start", "id": "r"},
        {"type": "reasoning-end", "id": "r"},
        call("c1", "srv"),
        *END,
    ]
    projection = Projection(answer, [{"type": "start", "messageId": "m2"}, *END])
    projection.chat.send("hi")
    assert projection.view["timings"]
    projection.chat.regenerate()
    assert (projection.view["tools"], projection.view["timings"]) == ({}, {})
    assert [message["id"] for message in projection.view["messages"]][1:] == ["m2"]
    assert projection.view == projection.document.value


def test_setting_what_is_already_so_says_nothing():
    document = Document(title="t", clock=lambda: 0)
    document.set(["notice"], None)
    document.set(["notice"], "busy-cell")
    document.set(["queuedDecisions", "ap"], "sending")
    document.remove(["queuedDecisions", "ap"])
    document.remove(["queuedDecisions", "ap"])
    assert document.drain() == [
        ["set", ["notice"], "busy-cell"],
        ["set", ["queuedDecisions", "ap"], "sending"],
        ["remove", ["queuedDecisions", "ap"]],
    ]


def test_an_operation_stays_what_it_was_when_the_part_grows():
    """The operation of a new part holds a copy: it may be written to JSON long after the part has changed."""

    class Twice:
        title, suggestions, client_tools = None, (), None

        async def stream(self, request: TransportRequest) -> Any:
            yield {"type": "tool-input-start", "toolCallId": "c", "toolName": "w"}
            yield {"type": "tool-input-available", "toolCallId": "c", "toolName": "w", "input": {"a": [1]}}

        async def stop(self, chat_id: str) -> None: ...

    chat = Chat(Twice())
    document = Document(title="t", clock=lambda: 0)
    before = document.value
    chat.subscribe(document.on_event)
    chat.send("hi")
    operations = document.drain()
    added = [o for o in operations if o[0] == "add" and o[1] == ["messages"]][-1]
    assert added[2]["parts"] == [{"type": "tool-w", "toolCallId": "c", "state": "input-streaming"}]
    assert apply_operations(before, operations) == document.value


# ── the meaning of the operations ───────────────────────────────────────────────────────────────────────────────────


def test_each_operation_means_what_the_view_takes_it_for():
    document = {"a": [1, 2, 3], "t": "x", "o": {"k": 1}}
    operations = [
        ["append", ["t"], "y"],
        ["append", ["t"], "z"],
        ["add", ["a"], 4],
        ["set", ["a", 0], 0],
        ["set", ["a", 4], 5],
        ["remove", ["a", 1]],
        ["set", ["o", "n"], {"deep": []}],
        ["add", ["o", "n", "deep"], "d"],
        ["remove", ["o", "k"]],
    ]
    assert apply_operations(document, operations) == {"a": [0, 3, 4, 5], "t": "xyz", "o": {"n": {"deep": ["d"]}}}
    assert document == {"a": [1, 2, 3], "t": "x", "o": {"k": 1}}
    assert apply_operations(document, [["set", [], {"new": True}]]) == {"new": True}


@pytest.mark.parametrize("operation", [["remove", []], ["add", ["nowhere"], 1], ["append", ["a"], "x"]])
def test_an_operation_that_does_not_fit_is_refused(operation: list[Any]):
    with pytest.raises((LookupError, TypeError, AttributeError)):
        apply_operations({"a": 1}, [operation])
