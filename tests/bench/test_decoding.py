"""What decoding and unfinished JSON cost, against yardsticks of the same run (goals P1, P2, P4, P9)."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable

import msgspec
import pytest

from aisdk_lab.ui_stream.partial_json import PartialJsonParser
from aisdk_lab.wire import SseDecoder

FRAMES = 20_000
BODY = b"".join(
    f'data: {{"type":"text-delta","id":"t1","delta":"{"hello wo" if i % 2 else "你好世界"}"}}\n\n'.encode()
    for i in range(FRAMES)
)
decode = msgspec.json.Decoder().decode


def best_of(rounds: int, work: Callable[[], object]) -> float:
    """Seconds of the fastest round."""
    times: list[float] = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def bare_split(size: int) -> int:
    buffer, count = bytearray(), 0
    for place in range(0, len(BODY), size):
        segment = BODY[place : place + size]
        buffer += segment
        if b"\n" in segment:
            *blocks, tail = bytes(buffer).split(b"\n\n")
            buffer = bytearray(tail)
            count += len([decode(block[6:]) for block in blocks])
    return count


def ours(size: int) -> int:
    decoder, count = SseDecoder(), 0
    for place in range(0, len(BODY), size):
        count += len([decode(frame.data or "") for frame in decoder.feed(BODY[place : place + size])])
    return count


@pytest.mark.bench
@pytest.mark.parametrize("size", [1, 64, 1460, 65536])
def test_sse_against_a_bare_split(size: int) -> None:
    yardstick, measured = best_of(3, lambda: bare_split(size)), best_of(3, lambda: ours(size))
    assert ours(size) == bare_split(size) == FRAMES
    sys.stdout.write(
        f"\nSSE, reads of {size} B: {FRAMES / measured / 1e3:.0f}k frames/s, {yardstick / measured:.2f} x bare split\n"
    )


def document(kind: str, size: int) -> str:
    if kind == "string":
        return json.dumps({"content": 'def f(x):\n    return "x" + 1\n' * (size // 34)})
    row = {"id": 7, "name": "row 7", "ok": True, "score": 2.59, "tags": ["a", "bc"]}
    return json.dumps({"rows": [row] * (size // 72)})


@pytest.mark.bench
@pytest.mark.parametrize("kind", ["rows", "string"])
def test_unfinished_json_costs_the_same_at_any_length(kind: str) -> None:
    costs_us: list[float] = []
    for size in (3_000, 30_000, 122_000):
        text = document(kind, size)
        deltas = [text[place : place + 12] for place in range(0, len(text), 12)]

        def parse(deltas: list[str] = deltas) -> None:
            parser = PartialJsonParser()
            for delta in deltas:
                parser.feed(delta)

        costs_us.append(best_of(3, parse) / len(deltas) * 1e6)
    sys.stdout.write(f"\n{kind}: {', '.join(f'{cost:.2f}' for cost in costs_us)} us a delta at 3, 30, 122 KB\n")
    assert costs_us[-1] < 2 * costs_us[0]
