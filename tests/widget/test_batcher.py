"""One pusher: paced, numbered, bounded, and able to say again what somebody missed."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from aisdk_lab.widget.batcher import Batch, Batcher


class Timer:
    def __init__(self) -> None:
        self.is_cancelled = False

    def cancel(self) -> None:
        self.is_cancelled = True


class Host:
    """A clock and timers that fire when a test lets time pass."""

    def __init__(self, **options: Any) -> None:
        self.now_s = 0.0
        self.sent: list[Batch] = []
        self._timers: list[tuple[float, Callable[[], None], Timer]] = []
        self.batcher = Batcher(self.sent.append, now_s=lambda: self.now_s, call_later=self._call_later, **options)

    def _call_later(self, delay_s: float, function: Callable[[], None]) -> Timer:
        self._timers.append((self.now_s + delay_s, function, timer := Timer()))
        return timer

    def pass_s(self, seconds: float) -> None:
        self.now_s += seconds
        due = [entry for entry in self._timers if entry[0] <= self.now_s + 1e-9]
        self._timers = [entry for entry in self._timers if entry not in due]
        for _, function, timer in due:
            if not timer.is_cancelled:
                function()

    @property
    def operations(self) -> list[list[Any]]:
        return [json.loads(batch.text)["ops"] for batch in self.sent]


def append(text: str, *path: Any) -> list[Any]:
    return ["append", list(path or ("t",)), text]


def test_what_comes_in_one_tick_leaves_in_one_batch():
    host = Host()
    host.batcher.push([["set", ["a"], 1]])
    host.batcher.push([["set", ["b"], 2]])
    assert host.sent == []
    host.pass_s(0)
    assert host.operations == [[["set", ["a"], 1], ["set", ["b"], 2]]]


def test_there_is_at_most_one_batch_for_each_interval():
    host = Host(interval_s=0.033)
    for _ in range(100):
        host.batcher.push([append("x")])
        host.pass_s(0.001)
    host.pass_s(0.033)
    assert [len(op[2]) for ops in host.operations for op in ops] == [1, 33, 33, 33]
    assert "".join(op[2] for ops in host.operations for op in ops) == "x" * 100
    assert [batch.seq for batch in host.sent] == [1, 2, 3, 4]


def test_appends_to_one_text_become_one_and_keep_their_place():
    host = Host()
    host.batcher.push([append("a", "raw"), append("1", "input"), append("b", "raw"), append("2", "input")])
    host.batcher.flush()
    assert host.operations == [[append("ab", "raw"), append("12", "input")]]


def test_nothing_is_moved_over_another_kind_of_change():
    host = Host()
    host.batcher.push([append("a"), ["set", ["t"], ""], append("b"), append("c")])
    host.batcher.flush()
    assert host.operations == [[append("a"), ["set", ["t"], ""], append("bc")]]


def test_a_batch_stays_below_the_limit_and_one_large_operation_goes_alone():
    host = Host(limit_bytes=1000)
    host.batcher.push(
        [["set", ["a"], "x" * 600], ["set", ["b"], "x" * 600], ["set", ["c"], "x" * 5000], ["set", ["d"], 1]]
    )
    host.batcher.flush()
    assert [[op[1] for op in ops] for ops in host.operations] == [[["a"]], [["b"]], [["c"]], [["d"]]]
    assert [batch.seq for batch in host.sent] == [1, 2, 3, 4]


def test_what_was_missed_can_be_asked_for():
    host = Host()
    for number in range(4):
        host.batcher.push([["set", ["n"], number]])
        host.batcher.flush()
    missed = host.batcher.since(2)
    assert missed is not None
    assert [batch.seq for batch in missed] == [3, 4]
    assert host.batcher.since(4) == []


def test_a_number_that_nobody_gave_and_one_that_is_forgotten_need_a_snapshot():
    host = Host(ring_bytes=200)
    for number in range(20):
        host.batcher.push([["set", ["n"], number]])
        host.batcher.flush()
    assert host.batcher.since(0) is None
    assert host.batcher.since(21) is None
    assert host.batcher.since(2) is None
    assert host.batcher.since(19) is not None


def test_an_empty_batch_tells_that_the_kernel_is_alive():
    host = Host()
    host.batcher.speak()
    host.batcher.push([["set", ["a"], 1]])
    host.batcher.speak()
    host.pass_s(1)
    assert host.operations == [[], [["set", ["a"], 1]]]


def test_what_python_has_and_json_has_not_is_mended():
    host = Host()
    host.batcher.push([append("\ud83d"), append("\ude00"), ["set", ["n"], float("nan")], ["set", ["s"], "\ud800"]])
    host.batcher.flush()
    assert host.operations == [[append("😀"), ["set", ["n"], None], ["set", ["s"], "\ufffd"]]]


def test_nothing_is_sent_after_the_end():
    host = Host()
    host.batcher.push([["set", ["a"], 1]])
    host.batcher.close()
    host.pass_s(1)
    assert host.sent == []
