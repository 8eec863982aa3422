"""What the bug reports promise in words, each as a check."""

from __future__ import annotations

import copy
import itertools
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

from aisdk_lab.reducer import MessageReducer
from aisdk_lab.ui_stream.partial_json import PartialJsonParser
from tests.real_world.play import Case, capture_of, reads_of, reduced

DELTA = {"type": "text-delta", "id": "t1", "delta": "a" * 100}


def no_replacement_character(case: Case) -> None:
    """No U+FFFD in any decoded value."""
    assert "\ufffd" not in repr([frame.data for frame in capture_of(case).frames()])


def cuts_do_not_matter(case: Case) -> None:
    """The same frames for the whole body, byte by byte, and in every two pieces; the frames of a plain text are its reads."""
    body = b"".join(reads_of(case))
    expected = list(capture_of(case, [body]).frames())
    cuts = itertools.chain([[bytes([byte]) for byte in body]], ([body[:at], body[at:]] for at in range(1, len(body))))
    for reads in cuts:
        assert list(capture_of(case, reads).frames()) == expected, f"cut into {[len(read) for read in reads]}"


def keys_stay(case: Case) -> None:
    """A key once shown does not disappear in a later prefix of the same document."""
    for text in case["input"]["prefixes"]:
        parser, known = PartialJsonParser(), set[str]()
        for character in text:
            parser.feed(character)
            shown = set(parser.value) if isinstance(parser.value, dict) else known
            assert known <= shown
            known = shown


def _seconds(count: int) -> float:
    reducer = MessageReducer()
    reducer.feed({"type": "text-start", "id": "t1"})
    began = time.process_time()
    for _ in range(count):
        reducer.feed(DELTA)
        reducer.snapshot()
    return time.process_time() - began


def snapshots_are_linear(_case: Case) -> None:
    """Time for 20000 deltas is at most about 3 times the time for 10000: linear is 2, quadratic 4."""
    ratios = [_seconds(20_000) / _seconds(10_000) for _ in range(3)]
    assert min(ratios) <= 3


def snapshots_stay(_case: Case) -> None:
    """A snapshot taken earlier does not change later."""
    reducer = MessageReducer()
    reducer.feed({"type": "text-start", "id": "t1"})
    taken: list[Any] = []
    for _ in range(200):
        reducer.feed(DELTA)
        taken.append(reducer.snapshot())
    assert [len(snapshot.message["parts"][0]["text"]) for snapshot in taken] == [100 * n for n in range(1, 201)]


def nothing_shared_changes(case: Case) -> None:
    """No attribute of any shared object changes: not of a class, not of another reducer, not of the chunks."""
    given, other = copy.deepcopy(case["input"]), MessageReducer()
    before = [dict(vars(each)) for each in (MessageReducer, dict, object)]
    reduced(case)
    assert [dict(vars(each)) for each in (MessageReducer, dict, object)] == before
    assert case["input"] == given
    assert other.message["parts"] == []


def long_lines_are_read(case: Case) -> None:
    """Nothing raises: there is no line limit of 64 KiB."""
    (frame,) = capture_of(case).frames()
    assert frame.problem is None


def _peak(case: Case, factor: int) -> int:
    longer = case | {"expected": {"text_length": factor * case["expected"]["text_length"]}}
    capture = capture_of(longer)
    tracemalloc.start()
    assert len(list(capture.frames())) == 1
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def memory_is_linear(case: Case) -> None:
    """Four times the line takes about four times the memory."""
    assert _peak(case, 4) < 5 * _peak(case, 1)


INVARIANTS: dict[str, Callable[[Case], None]] = {
    "no U+FFFD in any decoded value": no_replacement_character,
    "same result for every possible cut of the bytes": cuts_do_not_matter,
    "a key once shown does not disappear in a later prefix of the same document": keys_stay,
    "time for 20000 deltas is at most about 3 times the time for 10000": snapshots_are_linear,
    "a snapshot taken earlier does not change later": snapshots_stay,
    "no attribute of any shared object changes": nothing_shared_changes,
    "no LimitOverrunError": long_lines_are_read,
    "memory linear": memory_is_linear,
}
