"""Snapshots: messages as they were, for the price of two words."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from typing import Any

import pytest

from aisdk_lab.reducer import ErrorChunk, MessageReducer, Snapshot, UIMessageStreamError, read_ui_message_stream
from aisdk_lab.ui_stream.chunks import UNSET
from tests.reducer.cases import CASES

Chunk = dict[str, Any]


def text(delta: str, block: str = "t") -> Chunk:
    return {"type": "text-delta", "id": block, "delta": delta}


def tool_delta(delta: str, call: str = "c") -> Chunk:
    return {"type": "tool-input-delta", "toolCallId": call, "inputTextDelta": delta}


TEXT_START: Chunk = {"type": "text-start", "id": "t"}
TOOL_START: Chunk = {"type": "tool-input-start", "toolCallId": "c", "toolName": "w"}


def kept(chunks: list[Chunk]) -> list[Snapshot]:
    reducer = MessageReducer()
    return [reducer.snapshot() for chunk in chunks if reducer.feed(chunk) is not None]


def test_a_snapshot_is_a_mapping_that_equals_its_plain_dict() -> None:
    (snapshot,) = kept([{"type": "start", "messageId": "m", "messageMetadata": {"a": 1}}])
    plain = {"id": "m", "metadata": {"a": 1}, "role": "assistant", "parts": []}
    assert isinstance(snapshot, Mapping)
    assert snapshot == plain
    assert plain == snapshot
    assert snapshot != {**plain, "id": "n"}
    assert snapshot != "m"
    assert (dict(snapshot), list(snapshot), len(snapshot)) == (plain, list(plain), 4)
    assert (snapshot["id"], snapshot.get("x"), "parts" in snapshot, "x" in snapshot) == ("m", None, True, False)
    assert list(snapshot.items()) == list(zip(snapshot.keys(), snapshot.values(), strict=True))
    assert repr(snapshot) == f"Snapshot({plain!r})"
    with pytest.raises(TypeError):
        hash(snapshot)


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_snapshots_read_at_the_end_in_any_order_are_the_messages_of_their_moments(case: dict[str, Any]) -> None:
    """One reducer is read after each chunk, the other only when all is over, backwards and then forwards."""
    read, unread = MessageReducer(), MessageReducer()
    messages: list[Any] = []
    snapshots: list[Snapshot] = []
    for chunk in case["input"]["chunks"]:
        read.feed(chunk)
        unread.feed(chunk)
        messages.append(copy.deepcopy(read.message))
        snapshots.append(unread.snapshot())
    for snapshot, message in [*zip(reversed(snapshots), reversed(messages), strict=True)]:
        assert repr(snapshot.message) == repr(message)
    for snapshot, message in zip(snapshots, messages, strict=True):
        assert repr(snapshot.message) == repr(message)


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_snapshots_taken_now_and_then_are_right_too(case: dict[str, Any]) -> None:
    """What no snapshot saw is forgotten, and nothing else."""
    read, unread = MessageReducer(), MessageReducer()
    expected: list[tuple[Snapshot, str]] = []
    for index, chunk in enumerate(case["input"]["chunks"]):
        read.feed(chunk)
        unread.feed(chunk)
        if index % 3 == 1:
            expected.append((unread.snapshot(), repr(read.message)))
    assert [repr(snapshot.message) for snapshot, _ in expected] == [message for _, message in expected]


def test_a_reset_leaves_older_snapshots_alone() -> None:
    chunks: list[Chunk] = [
        TEXT_START,
        text("a"),
        {"type": "reset-step"},
        TEXT_START,
        text("b"),
        {"type": "start", "messageId": "n"},
    ]
    parts = [[part["text"] for part in snapshot["parts"]] for snapshot in kept(chunks)]
    assert parts == [[""], ["a"], [], [""], ["b"], []]


def test_a_block_that_is_opened_again_is_another_part() -> None:
    chunks = [TEXT_START, text("a"), TEXT_START, text("b"), {"type": "text-end", "id": "t"}]
    assert [[part["text"] for part in snapshot["parts"]] for snapshot in kept(chunks)] == [
        [""], ["a"], ["a", ""], ["a", "b"], ["a", "b"],
    ]  # fmt: skip


def test_a_delta_after_the_whole_input_begins_again_from_the_text() -> None:
    available = {"type": "tool-input-available", "toolCallId": "c", "toolName": "w", "input": [9]}
    snapshots = kept([TOOL_START, tool_delta("[1,"), tool_delta("2"), available, tool_delta(",3")])
    inputs = [snapshot["parts"][0].get("input") for snapshot in snapshots]
    assert inputs == [None, [1], [1, 2], [9], [1, 2, 3]]


def test_half_a_character_is_seen_in_the_snapshot_of_its_moment() -> None:
    snapshots = kept([TEXT_START, text("a\ud83d"), text("\ude00b")])
    assert [snapshot["parts"][0]["text"] for snapshot in snapshots] == ["", "a\ud83d", "a😀b"]


def test_a_reader_who_changes_what_is_still_being_written_changes_nothing_else() -> None:
    reducer = MessageReducer()
    for chunk in (TOOL_START, tool_delta('{"a":[1,'), TEXT_START, text("x")):
        reducer.feed(chunk)
    snapshot = reducer.snapshot()
    for message in (reducer.message, snapshot.message):
        message["parts"][0]["input"]["a"].append("mine")
        message["parts"].clear()
        message["id"] = "mine"
    for chunk in (tool_delta("2]}"), text("y")):
        reducer.feed(chunk)
    assert [part.get("input", part.get("text")) for part in reducer.message["parts"]] == [{"a": [1, 2]}, "xy"]
    assert (snapshot["id"], len(snapshot["parts"])) == ("", 2)


def vandalise(value: Any) -> None:
    """Empty everything that can be changed, from the inside out."""
    if isinstance(value, dict | list):
        for item in list(value.values() if isinstance(value, dict) else value):
            vandalise(item)
        value.clear()


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_chunks_and_message_share_nothing_that_can_change(case: dict[str, Any]) -> None:
    chunks = case["input"]["chunks"]
    left_alone, vandalised = MessageReducer(), MessageReducer()
    for chunk in chunks:
        left_alone.feed(chunk)
        mine = copy.deepcopy(chunk)
        vandalised.feed(mine)
        vandalise(mine)
    assert repr(vandalised.message) == repr(left_alone.message)
    before = repr(chunks)
    vandalise(left_alone.message)
    assert repr(chunks) == before


def test_the_live_input_is_looked_at_without_a_copy() -> None:
    reducer = MessageReducer()
    assert reducer.live_input("c") is UNSET
    reducer.feed(TOOL_START)
    assert reducer.live_input("c") is UNSET
    reducer.feed(tool_delta('{"rows":[{"a":1},{"t":"x'))
    live = reducer.live_input("c")
    assert live == {"rows": [{"a": 1}, {"t": "x"}]}
    reducer.feed(tool_delta('y"},2'))
    assert reducer.live_input("c") is live
    assert live == {"rows": [{"a": 1}, {"t": "xy"}, 2]}


LATE = [TEXT_START, {"type": "error", "errorText": "bad"}, text("a"), text("b", "nobody"), text("c")]


def test_reading_a_stream_ends_silently_where_the_official_reader_does() -> None:
    problems: list[Exception] = []
    read = read_ui_message_stream(LATE, strict=True, on_error=problems.append)
    assert [snapshot["parts"][0]["text"] for snapshot in read] == ["", "a"]
    assert [type(problem) for problem in problems] == [ErrorChunk, UIMessageStreamError]


def test_reading_a_stream_raises_the_first_error_where_that_is_asked_for() -> None:
    read = read_ui_message_stream(LATE, strict=True, terminate_on_error=True)
    assert next(read)["parts"][0]["text"] == ""
    with pytest.raises(ErrorChunk, match="bad"):
        next(read)


def test_reading_a_stream_leniently_goes_on() -> None:
    last = list(read_ui_message_stream(json.loads(json.dumps(LATE))))[-1]
    assert [part["text"] for part in last["parts"]] == ["ac", "b"]
