"""Our side of each case, one fresh process a run: `python -m tests.bench.ours WORK FILE [ARGUMENT]` answers with JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from time import perf_counter
from typing import Any

import msgspec
import pandas  # noqa: F401 — a table imports it when first asked for, which is no part of the replay

import aisdk_lab as lab
from aisdk_lab.capture import Capture, Segment
from aisdk_lab.reducer import MessageReducer
from aisdk_lab.ui_stream.partial_json import PartialJsonParser
from aisdk_lab.ui_stream.validate import read_chunks
from aisdk_lab.wire import SseDecoder
from tests.bench import inputs
from tests.bench.clock import Answer, Stream, digest, forget_high_water, memory_bytes, segments_of, settle, timed


def decode(path: Path, size: str, frames: str) -> Answer:
    """Bytes to frames to chunks that were checked; `frames`: `made` when each is wanted as an object, else `batch`."""
    segments = segments_of(path, int(size))

    def work(take: Callable[[list[Any]], object]) -> bool:
        decoder, is_good = SseDecoder(), True
        for segment in segments:
            batch = decoder.feed(segment)
            if batch:
                chunks, problems = read_chunks(batch if frames == "batch" else list(batch))
                take(chunks)
                is_good = is_good and not any(problems)
        return is_good

    seconds, is_good = timed(lambda: work(len))
    assert is_good
    kept: list[Any] = []
    work(kept.extend)
    assert kept.pop() is None  # [DONE]
    return {"seconds": seconds, "check": {"chunks": digest(kept)}}


def reduce(path: Path, keep: str) -> Answer:
    """The message after every chunk, each of them kept or dropped; the samples are read when all is over."""
    stream = Stream(path)
    slices = stream.slices(stream.chunks())
    kept: list[Any] = []
    sampled: list[Any] = []
    reducer = MessageReducer()
    times: list[float] = []
    forget_high_water()
    before = memory_bytes("VmHWM")
    for part in slices:
        started = perf_counter()
        if keep == "kept":
            for chunk in part:
                reducer.feed(chunk)
                if reducer.visible:
                    kept.append(reducer.snapshot())
        else:
            snapshot = None
            for chunk in part:
                reducer.feed(chunk)
                if reducer.visible:
                    snapshot = reducer.snapshot()
            sampled.append(snapshot)
        times.append(perf_counter() - started)
    peak_bytes = memory_bytes("VmHWM") - before
    if kept:
        assert len(kept) == stream.messages
        sampled = [kept[len(kept) * turn // inputs.SLICES - 1] for turn in range(1, inputs.SLICES + 1)]
    return {
        "seconds": sum(times),
        "first_us": 1e6 * times[0] / len(slices[0]),
        # The last slice that holds nothing but deltas: in the one after it the whole input comes once more, finished.
        "last_us": 1e6 * times[-3] / len(slices[-3]),
        "peak_bytes": peak_bytes,
        "check": {
            "samples": digest([snapshot.message for snapshot in sampled[: inputs.SLICES]]),
            "last": digest([reducer.message]),
        },
    }


def reduce_memory(path: Path) -> Answer:
    """How much higher the process stands for a stream that is parsed chunk by chunk, as one that arrives.

    More than `reduce` says, where the chunks are there before: deltas and the final input stay in the message.
    """
    lines = Stream(path).lines
    read = msgspec.json.Decoder().decode
    reducer = MessageReducer()
    for line in lines[:300]:  # the pages of the program itself are no cost of the stream
        reducer.feed(read(line))
        reducer.snapshot()
    reducer = MessageReducer()
    forget_high_water()
    before = memory_bytes("VmHWM")
    for line in lines:
        reducer.feed(read(line))
        reducer.snapshot()
    peak = memory_bytes("VmHWM") - before
    return {"peak_bytes": peak, "chunk_bytes": sum(map(len, lines)), "check": {"last": digest([reducer.message])}}


def read_partial(path: Path) -> Answer:
    """The value of unfinished JSON after every delta."""
    deltas = inputs.pieces(path.read_text("utf-8"))
    ends = [len(deltas) * turn // inputs.SLICES for turn in range(inputs.SLICES + 1)]
    parser = PartialJsonParser()
    times: list[float] = []
    sampled: list[str] = []
    settle()
    for begin, end in pairwise(ends):
        part, value = deltas[begin:end], None
        started = perf_counter()
        for delta in part:
            parser.feed(delta)
            value = parser.value
        times.append(perf_counter() - started)
        sampled.append(digest([value]))  # now: the next feed changes the value
    return {
        "seconds": sum(times),
        "first_us": 1e6 * times[0] / ends[1],
        "last_us": 1e6 * times[-1] / (ends[-1] - ends[-2]),
        "check": {"samples": digest(sampled)},
    }


def recorded(lines: list[bytes]) -> Capture:
    """A capture as a recorder makes one: each chunk came with a read of its own."""
    return Capture(
        name="bench",
        segments=tuple(
            Segment(data=b"data: " + line + b"\n\n", t_ns=1_000_000 * place + 1) for place, line in enumerate(lines)
        ),
    )


def capture_memory(path: Path) -> Answer:
    """What a capture holds, and how much higher the process stands while its chunks are read."""
    lines = Stream(path).lines
    recorded(lines[:10])
    forget_high_water()
    before = memory_bytes("VmRSS")
    capture = recorded(lines)
    kept = memory_bytes("VmRSS") - before
    forget_high_water()
    before = memory_bytes("VmHWM")
    count = sum(1 for _frame, _chunk in capture.chunks())
    assert count == len(lines)
    reading = memory_bytes("VmHWM") - before
    return {"peak_bytes": kept, "reading_bytes": reading, "chunk_bytes": sum(map(len, lines)), "check": {}}


def replay(path: Path, size: str) -> Answer:
    """A recorded capture through decode, reduce (the message after every chunk) and into the table of its chunks."""
    segments = segments_of(path, int(size))
    times = [1_000_000 * place + 1 for place in range(len(segments))]
    capture = Capture(
        name="bench",
        segments=tuple(Segment(data=data, t_ns=t_ns) for data, t_ns in zip(segments, times, strict=True)),
    )
    reducer = MessageReducer(reset="never")
    steps: list[float] = []

    def work() -> int:
        started = perf_counter()
        for _frame, chunk in capture.chunks():
            reducer.feed(chunk)
            if reducer.visible:
                reducer.snapshot()
        steps.append(perf_counter() - started)
        return len(lab.table(capture, "chunks"))

    seconds, rows = timed(work)
    assert rows == path.read_bytes().count(b"\n")
    return {"seconds": seconds, "reduced_seconds": steps[0], "check": {"last": digest([reducer.message])}}


WORKS = {
    "decode": decode,
    "reduce": reduce,
    "reduce-memory": reduce_memory,
    "partial": read_partial,
    "capture-memory": capture_memory,
    "replay": replay,
}

if __name__ == "__main__":
    work, path, *arguments = sys.argv[1:]
    sys.stdout.write(json.dumps(WORKS[work](Path(path), *arguments)))
