"""What a chunk costs does not grow with what came before: counted, not timed."""

from __future__ import annotations

import json
import sys
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest

from aisdk_lab.reducer import MessageReducer, Snapshot
from aisdk_lab.ui_stream import growing
from aisdk_lab.ui_stream.growing import GrowingText

Chunks = list[dict[str, Any]]
SIZES = (300, 1200)  # deltas or parts


def texts(count: int) -> Chunks:
    return [
        {"type": "text-start", "id": "t"},
        *({"type": "text-delta", "id": "t", "delta": "你好 ok"} for _ in range(count)),
    ]


def reasonings(count: int) -> Chunks:
    start = {"type": "reasoning-start", "id": "t"}
    return [
        start,
        *({"type": "reasoning-delta", "id": "t", "delta": "a\ud83d" if i % 2 else "\ude00"} for i in range(count)),
    ]


def tool(text: str, call: str = "c") -> Chunks:
    deltas = [text[place : place + 12] for place in range(0, len(text), 12)]
    return [
        {"type": "tool-input-start", "toolCallId": call, "toolName": "w"},
        *({"type": "tool-input-delta", "toolCallId": call, "inputTextDelta": delta} for delta in deltas),
    ]


def rows(count: int) -> Chunks:
    return tool(json.dumps([{"id": 7, "name": "row 7", "ok": True, "score": 2.59, "tags": ["a", "b"]}] * (count // 6)))


def long_string(count: int) -> Chunks:
    return tool(json.dumps({"content": 'x = "y"\n' * count}))


def pretty_rows(count: int) -> Chunks:
    return tool(json.dumps([{"id": 1e21, "k\u00e9y": [None, -1.5e-7]}] * (count // 6), indent=1))


def parts(count: int) -> Chunks:
    return [
        {"type": kind, "id": str(number), **more}
        for number in range(count // 3)
        for kind, more in (("text-start", {}), ("text-delta", {"delta": "x"}), ("text-end", {}))
    ]


def parallel_tools(count: int) -> Chunks:
    inputs = [tool(json.dumps({"rows": [1, 2] * 20}), str(number)) for number in range(count // 12)]
    return [chunk for chunks in zip(*inputs, strict=True) for chunk in chunks]


def steps(count: int) -> Chunks:
    call = {"toolCallId": "c", "toolName": "w"}
    step = (
        {"type": "start-step"},
        {"type": "tool-input-available", **call, "input": 1},
        {"type": "tool-output-available", **call, "output": 2},
    )
    return [dict(chunk) for _ in range(count // 3) for chunk in step]


def reset_steps(count: int) -> Chunks:
    return [
        dict(chunk)
        for _ in range(count // 3)
        for chunk in ({"type": "start-step"}, {"type": "text-start", "id": "t"}, {"type": "reset-step"})
    ]


def reset_last_step(count: int) -> Chunks:
    return [
        *({"type": "data-x", "data": 1} for _ in range(count // 3)),
        {"type": "start-step"},
        *(chunk for _ in range(count // 3) for chunk in ({"type": "text-start", "id": "t"}, {"type": "reset-step"})),
    ]


def replaced_data(count: int) -> Chunks:
    return [{"type": "data-progress", "id": "p", "data": {"done": number}} for number in range(count)]


FAMILIES: list[Callable[[int], Chunks]] = [
    texts, reasonings, rows, long_string, pretty_rows, parts, parallel_tools, steps, reset_steps, reset_last_step,
    replaced_data,
]  # fmt: skip


def keep_all(chunks: Chunks) -> tuple[MessageReducer, list[Snapshot]]:
    reducer = MessageReducer()
    kept: list[Snapshot] = []
    for chunk in chunks:
        reducer.feed(chunk)
        kept.append(reducer.snapshot())
    return reducer, kept


def calls_per_chunk(chunks: Chunks) -> float:
    """How many functions, Python's and C's, are called for a chunk and its snapshot."""
    count = 0

    def count_calls(_frame: Any, event: str, _arg: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(count_calls)
    try:
        keep_all(chunks)
    finally:
        sys.setprofile(None)
    return count / len(chunks)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
def test_the_work_for_a_chunk_does_not_grow(family: Callable[[int], Chunks]) -> None:
    few, many = (calls_per_chunk(family(size)) for size in SIZES)
    assert many < few * 1.1, (few, many)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
def test_the_memory_of_kept_snapshots_does_not_grow_faster_than_the_stream(family: Callable[[int], Chunks]) -> None:
    sizes: list[float] = []
    for size in SIZES:
        chunks = family(size)
        tracemalloc.start()
        kept = keep_all(chunks)
        sizes.append(tracemalloc.get_traced_memory()[1] / len(chunks))
        tracemalloc.stop()
        del kept
    assert sizes[1] < sizes[0] * 1.25, sizes


def test_reading_the_newest_message_again_copies_no_closed_container() -> None:
    reducer, _ = keep_all(rows(600))
    first, again = reducer.message, reducer.message
    assert first["parts"][0] is again["parts"][0]
    reducer.feed({"type": "tool-input-delta", "toolCallId": "c", "inputTextDelta": " "})
    later = reducer.message
    assert later["parts"][0]["input"] is not None
    assert all(old is new for old, new in zip(first["parts"][0]["input"], later["parts"][0]["input"], strict=True))


def test_unfinished_inputs_read_in_order_go_on_where_the_last_reading_stopped() -> None:
    """An older one is no whole parse for each snapshot."""
    _, kept = keep_all(rows(300))
    reads: list[int] = []
    for snapshot in kept:
        count = 0

        def count_calls(_frame: Any, event: str, _arg: Any) -> None:
            nonlocal count
            count += event == "call"

        sys.setprofile(count_calls)
        try:
            _ = snapshot.message
        finally:
            sys.setprofile(None)
        reads.append(count)
    assert max(reads[-20:-1]) < 3 * max(reads[10:30])


def test_a_message_that_was_reset_often_is_read_for_what_it_held_then() -> None:
    """Reading an old snapshot costs its own parts, not those that came and went before."""
    chunks = [{"type": "start-step"}, *reset_last_step(900)[301:]]
    _, kept = keep_all(chunks)
    count = 0

    def count_calls(_frame: Any, event: str, _arg: Any) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(count_calls)
    try:
        lengths = [len(snapshot.message["parts"]) for snapshot in reversed(kept)]
    finally:
        sys.setprofile(None)
    assert max(lengths) == 2
    assert count < 60 * len(kept)


def test_a_long_text_with_halves_of_characters_is_joined_once(monkeypatch: pytest.MonkeyPatch) -> None:
    joined: list[int] = []
    original = growing.join_surrogates
    monkeypatch.setattr(growing, "join_surrogates", lambda text: joined.append(len(text)) or original(text))
    text, prefixes = GrowingText("ab"), ["", "ab"]
    assert text.text() == "ab"
    for number in range(200):
        text.add("\ud83d", number)
        prefixes.append(original(prefixes[-1] + "\ud83d"))
        assert text.text() == prefixes[-1]
        text.add("\ude00x\ud83d" if number % 2 else "\ude00", number)
        prefixes.append(original(prefixes[-1] + text.pieces[-1]))
    assert [text.text_at(count) for count in range(len(prefixes) - 1, -1, -1)] == prefixes[::-1]
    assert sum(joined) < 3000
