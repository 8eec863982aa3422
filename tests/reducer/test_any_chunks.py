"""What must hold for any chunks at all: those of a server, damaged ones, and JSON that was never a chunk."""

from __future__ import annotations

import copy
from random import Random
from typing import Any

from hypothesis import given, settings, strategies as st

from aisdk_lab.reducer import MessageReducer
from tests.fresh_inputs import FULL, corrupted, grow_chunks, reduce

KEYS = st.sampled_from([*sorted({key for chunk in FULL.values() for key in chunk}), "__proto__", "constructor", "x"])
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([10**400, -(10**400), 2**53 + 1, float("inf"), float("-inf"), -0.0, 1e308])
    | st.floats(allow_nan=False)
    | st.text(alphabet='a\ud83d\ude00é{"\\', max_size=4)
    | st.sampled_from(["b0", "b1", "c0", "c1", "p0", "m1", "__proto__", *FULL])
)
HOSTILE = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5), max_leaves=8
)
"""Any JSON value, with the words that chunks use."""


def _deep(levels: int) -> Any:
    value: Any = []
    for _ in range(levels):
        value = [value] if levels % 2 else {"a": value}
    return value


@st.composite
def any_chunks(draw: st.DrawFn) -> list[Any]:
    """The chunks of a response, some of them damaged, with hostile values and over-deep ones between them."""
    rng: Random = draw(st.randoms(use_true_random=False))
    chunks: list[Any] = grow_chunks(rng)
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.integers(0, len(chunks) - 1))
        chunks[place] = corrupted(rng, chunks[place])
    for hostile in draw(st.lists(HOSTILE | st.fixed_dictionaries({"type": st.sampled_from(sorted(FULL))}), max_size=4)):
        chunks.insert(draw(st.integers(0, len(chunks))), hostile)
    return chunks


@st.composite
def histories(draw: st.DrawFn) -> dict[str, Any] | None:
    return reduce(draw(st.randoms(use_true_random=False))).get("initialMessage")


@settings(max_examples=300)
@given(any_chunks(), histories())
def test_lenient_never_raises_and_is_always_readable(chunks: list[Any], message: Any) -> None:
    reducer = MessageReducer(message)
    for chunk in chunks:
        changes = reducer.feed(chunk)
        assert isinstance(changes, tuple)
        assert isinstance(reducer.message["parts"], list)


@settings(max_examples=300)
@given(any_chunks(), histories(), st.booleans())
def test_feeding_never_changes_a_chunk_nor_the_message_that_is_continued(
    chunks: list[Any], message: Any, is_read: bool
) -> None:
    before = copy.deepcopy((chunks, message))
    reducer = MessageReducer(message)
    for chunk in chunks:
        reducer.feed(chunk)
        if is_read:
            _ = reducer.message
    _ = reducer.message
    assert repr((chunks, message)) == repr(before)


@settings(max_examples=300)
@given(any_chunks(), histories())
def test_strict_and_lenient_agree_until_strict_reports_an_error(chunks: list[Any], message: Any) -> None:
    strict, lenient = MessageReducer(message, strict=True), MessageReducer(message)
    for chunk in chunks:
        try:
            changes = strict.feed(chunk)
        except Exception:  # noqa: BLE001 — of whatever kind: what lenient does about it is another test
            return
        assert lenient.feed(chunk) == changes
        assert repr(lenient.message) == repr(strict.message)
        assert (lenient.visible, lenient.finish_reason) == (strict.visible, strict.finish_reason)


@settings(max_examples=200)
@given(any_chunks(), histories())
def test_messages_and_snapshots_stay_as_they_were(chunks: list[Any], message: Any) -> None:
    reducer = MessageReducer(message)
    kept: list[tuple[Any, Any, str]] = []
    for chunk in chunks:
        reducer.feed(chunk)
        snapshot = reducer.snapshot()  # taken before the message is read, and put together after all is over
        kept.append((snapshot, reducer.message, repr(reducer.message)))
    for snapshot, read, text in reversed(kept):
        assert repr(read) == text
        assert repr(snapshot.message) == text


def test_values_nested_too_deep_for_the_stack_do_not_raise() -> None:
    for value in (_deep(101), _deep(5001), _deep(5000)):
        reducer = MessageReducer()
        for chunk in (
            {"type": "start", "messageId": "m", "messageMetadata": {"a": value}},
            {"type": "message-metadata", "messageMetadata": {"a": value}},
            {"type": "data-x", "id": "1", "data": value},
            {"type": "tool-input-available", "toolCallId": "c", "toolName": "t", "input": value},
            {"type": "tool-output-available", "toolCallId": "c", "output": value},
            {"type": "text-start", "id": value},
            {"type": "text-delta", "delta": 5, "providerMetadata": {"a": {"b": value}}},
            {"type": "tool-input-start", "toolName": 5, "toolMetadata": {"b": value}},
            {"type": "text-end", "id": 5, "citations": value},
            {"type": value},
        ):
            reducer.feed(chunk)
        assert [part["type"] for part in reducer.message["parts"]][:1] == ["data-x"]


def test_numbers_of_more_digits_than_python_prints_do_not_raise() -> None:
    huge, reducer = 10**5000, MessageReducer()
    for kind in (*FULL, "data-x"):
        chunk = FULL.get(kind, {"type": kind, "id": "1", "data": 1})
        reducer.feed({key: member if key == "type" else huge for key, member in chunk.items()})
    reducer.feed({"type": huge})
    assert [finding for finding in reducer.findings if "too long to be looked at" in finding]
    assert MessageReducer(reducer.message).message == reducer.message


def test_input_text_nested_too_deep_for_the_stack_does_not_raise() -> None:
    for opening in ("[", '{"a":', '[{"a":'):
        reducer = MessageReducer()
        reducer.feed({"type": "tool-input-start", "toolCallId": "c", "toolName": "t"})
        for _ in range(20):
            reducer.feed({"type": "tool-input-delta", "toolCallId": "c", "inputTextDelta": opening * 500})
            assert reducer.message["parts"][0]["state"] == "input-streaming"
        assert reducer.message["parts"][0]["rawInput"] == opening * 10_000
