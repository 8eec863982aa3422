"""The reducer against the recorded states of the official one, and what only ours promises."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from aisdk_lab.reducer import MESSAGE, Change, MessageReducer, UIMessageStreamError, read_ui_message_stream
from aisdk_lab.wire import json_text
from tests.reducer.cases import CASES
from tests.reducer.recorded import play


def wire(value: Any) -> Any:
    """A value as it stands on the wire: lone surrogates and numbers as JavaScript writes them."""
    return json.loads(json_text.write(value))


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_states_equal_those_of_the_official_reducer(case: dict[str, Any]) -> None:
    """Key for key in the same order: both sides are compared as the text that JSON.stringify would give."""
    expected, seen = case["expect"], play(case["input"])
    # Texts of the schema library are not part of the contract (README of the vectors): the name is.
    errors = [
        {"after": error["after"], "name": error["name"]} if error["name"] == "AI_TypeValidationError" else error
        for error in expected["errors"]
    ]
    assert [state["after"] for state in seen["snapshots"]] == [state["after"] for state in expected["snapshots"]]
    for state, right in zip(seen["snapshots"], expected["snapshots"], strict=True):
        assert json_text.write(state["message"].message) == json_text.write(right["message"])
    if expected["thrown"]:
        # What the reference records after it threw is an artefact of its streams (README of the vectors).
        assert seen["errors"] == errors[:1]
        return
    assert seen["errors"] == errors
    assert seen["endedAt"] == expected["endedAt"]
    if not errors or errors[-1]["name"] != "TypeError":  # what it did before it stumbled cannot be seen there
        assert json_text.write(seen["final"]) == json_text.write(expected["final"])


def apply(message: dict[str, Any], change: Change) -> dict[str, Any]:
    """A second, naive reading of `Change`: what a view does with it."""
    if change.part == MESSAGE and not change.path:
        return copy.deepcopy(change.value)
    target: Any = message if change.part == MESSAGE else message["parts"]
    path: tuple[Any, ...] = change.path if change.part == MESSAGE else (change.part, *change.path)
    if change.op == "add" and not change.path:
        target.append(copy.deepcopy(change.value))
        assert len(target) == change.part + 1
        return message
    for key in path[:-1]:
        target = target[key]
    if change.op == "append":
        target[path[-1]] += change.value
    elif change.op == "add":
        target[path[-1]].append(copy.deepcopy(change.value))
    elif change.op == "set":
        target[path[-1]] = copy.deepcopy(change.value)
    else:
        del target[path[-1]]
    return message


def without_half(value: Any) -> Any:
    """A value as a view may show it: half a character at the end of a text waits for its other half."""
    if isinstance(value, str):
        return value[:-1] if value and "\ud800" <= value[-1] <= "\udbff" else value
    if isinstance(value, list):
        return [without_half(item) for item in value]
    if isinstance(value, dict):
        return {key: without_half(item) for key, item in value.items()}
    return value


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_the_changes_alone_rebuild_the_message_after_every_chunk(case: dict[str, Any]) -> None:
    reducer = MessageReducer(case["input"].get("initialMessage"))
    view, late_view = copy.deepcopy(reducer.message), copy.deepcopy(reducer.message)
    changes: list[Change] = []
    for chunk in case["input"]["chunks"]:
        news = reducer.feed(chunk)
        changes.extend(news)
        for change in news:
            view = apply(view, change)
        assert wire(without_half(view)) == wire(without_half(reducer.message))
    for change in changes:
        late_view = apply(late_view, change)
    assert late_view == view, "a change says the same when it is read later"


def test_snapshots_stay_as_they_were_while_the_message_goes_on() -> None:
    chunks = [
        {"type": "text-start", "id": "t"},
        {"type": "text-delta", "id": "t", "delta": "你"},
        {"type": "tool-input-start", "toolCallId": "c", "toolName": "w"},
        {"type": "tool-input-delta", "toolCallId": "c", "inputTextDelta": '{"cities":["杭'},
        {"type": "tool-input-delta", "toolCallId": "c", "inputTextDelta": '州"'},
        {"type": "text-delta", "id": "t", "delta": "好"},
    ]
    snapshots = list(read_ui_message_stream(chunks))
    assert [snapshot["parts"][0]["text"] for snapshot in snapshots] == ["", "你", "你", "你", "你", "你好"]
    inputs = [snapshot["parts"][1].get("input") for snapshot in snapshots[2:]]
    assert inputs == [None, {"cities": ["杭"]}, {"cities": ["杭州"]}, {"cities": ["杭州"]}]
    assert snapshots[3]["parts"][0] is snapshots[4]["parts"][0], "an unchanged part is shared, not copied"


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_the_short_way_of_plain_deltas_leads_to_the_same_messages(case: dict[str, Any]) -> None:
    short, long = (MessageReducer(case["input"].get("initialMessage")) for _ in range(2))
    for chunk in case["input"]["chunks"]:
        short.feed(chunk)
        long._version += 1
        long._feed_any(chunk)
        assert (repr(short.message), short.visible, short.updates_status) == (
            repr(long.message),
            long.visible,
            long.updates_status,
        )


@pytest.mark.parametrize(
    "message",
    [
        {"role": "assistant"},
        {"role": "assistant", "parts": {}},
        {"role": "assistant", "parts": [None, "x", {}, {"type": 5}, {"type": "text"}]},
        {"role": "assistant", "parts": [{"type": "tool-w", "state": "input-streaming", "toolCallId": {"toString": 1}}]},
        {"role": "assistant", "parts": [{"type": "dynamic-tool", "state": "input-streaming", "rawInput": [1]}]},
        {"role": "user"},
        {},
    ],
    ids=repr,
)
def test_lenient_goes_on_from_any_message(message: Any) -> None:
    reducer = MessageReducer(message)
    reducer.feed({"type": "text-start", "id": "t"})
    assert reducer.message["parts"][-1] == {"type": "text", "text": "", "state": "streaming"}


def test_a_message_that_is_continued_is_not_changed_in_place() -> None:
    message = {"id": "m", "role": "assistant", "parts": [{"type": "text", "text": "a", "state": "done"}]}
    before = copy.deepcopy(message)
    reducer = MessageReducer(message)
    reducer.feed({"type": "text-start", "id": "t"})
    assert message == before
    assert len(reducer.message["parts"]) == 2


def test_strict_raises_where_lenient_opens_the_block_and_says_so() -> None:
    chunk = {"type": "text-delta", "id": "t", "delta": "late"}
    with pytest.raises(UIMessageStreamError, match='missing text part with ID "t"'):
        MessageReducer(strict=True).feed(chunk)
    lenient = MessageReducer()
    changes = lenient.feed(chunk)
    assert [change.op for change in changes] == ["add", "append"]
    assert lenient.message["parts"] == [{"type": "text", "text": "late", "state": "streaming"}]
    text = 'Received text-delta for missing text part with ID "t". Ensure a "text-start" chunk is sent before'
    assert lenient.findings == [f'chunk 0: {text} any "text-delta" chunks.']


def test_halves_of_an_emoji_in_two_deltas_become_one_character_in_the_changes_too() -> None:
    reducer = MessageReducer()
    reducer.feed({"type": "text-start", "id": "t"})
    first = reducer.feed({"type": "text-delta", "id": "t", "delta": "a\ud83d"})
    second = reducer.feed({"type": "text-delta", "id": "t", "delta": "\ude00b"})
    assert [change.value for change in (*first, *second)] == ["a", "😀b"]
    assert reducer.message["parts"][0]["text"] == "a😀b"


@pytest.mark.parametrize(("reset", "parts"), [("on_id_change", 0), ("on_first_start", 0), ("never", 1)], ids=str)
def test_a_start_with_another_id_begins_anew_only_where_the_rule_says_so(reset: Any, parts: int) -> None:
    old = {"id": "m1", "role": "assistant", "parts": [{"type": "text", "text": "a", "state": "done"}]}
    reducer = MessageReducer(old, reset=reset)
    reducer.feed({"type": "start", "messageId": "m2"})
    assert (reducer.message["id"], len(reducer.message["parts"])) == ("m2", parts)


MALFORMED: list[Any] = [
    None,
    [1],
    "x",
    {},
    {"type": ["x"]},
    {"type": "text-delta", "id": "a"},
    {"type": "text-delta", "id": "a", "delta": 5},
    {"type": "tool-output-available", "toolCallId": "nobody"},
]


@pytest.mark.parametrize("chunk", MALFORMED, ids=repr)
def test_lenient_finds_a_malformed_chunk_and_goes_on(chunk: Any) -> None:
    reducer = MessageReducer()
    assert reducer.feed(chunk) == ()
    assert len(reducer.findings) == 1
    reducer.feed({"type": "text-start", "id": "t"})
    assert reducer.message["parts"] == [{"type": "text", "text": "", "state": "streaming"}]


@pytest.mark.parametrize(
    ("chunk", "part"),
    [
        ({"type": "text-start", "id": ["a"]}, {"type": "text", "text": "", "state": "streaming"}),
        (
            {"type": "tool-input-available", "toolCallId": "a", "input": 1},
            {"type": "tool-undefined", "toolCallId": "a", "state": "input-available", "input": 1},
        ),
        ({"type": "file", "mediaType": 5}, {"type": "file", "mediaType": 5}),
    ],
)
def test_lenient_does_with_a_malformed_chunk_what_strict_does_and_says_so(chunk: Any, part: Any) -> None:
    for strict in (False, True):
        reducer = MessageReducer(strict=strict)
        reducer.feed(chunk)
        assert reducer.message["parts"] == [part]
        assert len(reducer.findings) == 1


class Text(str):
    """As numpy's, and those of markup libraries."""

    __slots__ = ()


class Number(int):
    """As those of an enum."""


def test_a_text_of_a_class_of_its_own_is_a_text() -> None:
    reducer = MessageReducer()
    reducer.feed({"type": "text-delta", "id": Text("t"), "delta": Text("a")})
    reducer.feed({"type": "data-x", "id": Text("t"), "data": {"n": Number(5), Text("k"): Text("v")}})
    first, second = reducer.message["parts"]
    assert (first["text"], second["data"]) == ("a", {"n": 5, "k": "v"})
    assert [type(value) for value in second["data"].values()] == [int, str]
    assert "text-start" in reducer.findings[0]


def circle(opening: Any, key: Any, link: Any) -> Any:
    opening[key] = [link, 1]
    link["back"] = opening
    return opening


@pytest.mark.parametrize("value", [circle({}, "a", {}), circle([0], 0, {}), object(), {"a": 1j}], ids=type)
def test_lenient_finds_a_value_that_is_no_json(value: Any) -> None:
    reducer = MessageReducer()
    assert reducer.feed({"type": "data-x", "data": value}) == ()
    assert "circular" in reducer.findings[0] or "is no JSON value" in reducer.findings[0]


class Elementwise:
    """As an array of numpy: comparing it gives another, which has no truth value."""

    def __eq__(self, other: object) -> Any:
        return self

    __hash__ = object.__hash__

    def __bool__(self) -> bool:
        raise ValueError("the truth value of an array is ambiguous")

    def __getitem__(self, key: object) -> Any:
        raise IndexError("only integers are indices")


@pytest.mark.parametrize("key", ["type", "dynamic", "toolCallId", "toolName"])
def test_lenient_finds_a_value_that_cannot_be_asked(key: str) -> None:
    reducer = MessageReducer()
    reducer.feed({"type": "tool-input-start", "toolCallId": "c", "toolName": "n", key: Elementwise()})
    reducer.feed(Elementwise())  # pyright: ignore[reportArgumentType]
    assert len(reducer.findings) == 2


@pytest.mark.parametrize("message", [5, "m", [{"role": "assistant"}]])
def test_a_message_that_is_none_is_refused_with_what_to_give(message: Any) -> None:
    with pytest.raises(TypeError, match=r"is a (int|str|list)\. Give a dict"):
        MessageReducer(message)


def test_a_snapshot_can_be_gone_on_with() -> None:
    reducer = MessageReducer()
    reducer.feed({"type": "text-start", "id": "t"})
    assert MessageReducer(reducer.snapshot().message).message == reducer.message


def test_metadata_that_cannot_be_merged_is_named_as_javascript_does() -> None:
    reducer = MessageReducer(strict=True)
    reducer.feed({"type": "message-metadata", "messageMetadata": 1})
    with pytest.raises(TypeError, match="search for '1' in 1"):
        reducer.feed({"type": "message-metadata", "messageMetadata": {"constructor": 0, "2": 1, "1": 1}})


def test_a_name_that_was_no_string_is_found_when_it_is_used() -> None:
    reducer = MessageReducer()
    reducer.feed({"type": "tool-input-start", "toolCallId": "a", "toolName": 1.5})
    reducer.feed({"type": "tool-input-delta", "toolCallId": "a", "inputTextDelta": "{"})
    assert reducer.findings


def test_an_id_that_only_reads_like_the_call_gets_a_part_of_its_own() -> None:
    """Both feed one text, as recorded from the reference; each delta shows it in the part of its own id."""
    reducer = MessageReducer(strict=True)
    reducer.feed({"type": "tool-input-start", "toolCallId": "1", "toolName": "w"})
    for call_id, delta in (("1", "a"), (1, "b"), ("1", "c"), ("1", "d")):
        reducer.feed({"type": "tool-input-delta", "toolCallId": call_id, "inputTextDelta": delta})
    assert [(part["toolCallId"], part["rawInput"]) for part in reducer.message["parts"]] == [("1", "abcd"), (1, "ab")]
