"""The peers and yardsticks in Python: `python -m tests.bench.peers WORK FILE [ARGUMENT]` answers with JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import httpx_sse
import msgspec

from tests.bench.clock import Answer, Stream, digest, segments_of, timed


class Reads(httpx.SyncByteStream):
    """The body of a response, in the reads of the case."""

    def __init__(self, segments: list[bytes]) -> None:
        self.segments = segments

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.segments)


def decode_httpx_sse(path: Path, size: str) -> Answer:
    """httpx-sse over a real response of httpx, and `json.loads`; nothing looks whether it is a chunk."""
    stream = Reads(segments_of(path, int(size)))

    def events() -> Iterator[httpx_sse.ServerSentEvent]:
        response = httpx.Response(200, headers={"content-type": "text/event-stream"}, stream=stream)
        return httpx_sse.EventSource(response).iter_sse()

    def work() -> None:
        for event in events():
            if event.data != "[DONE]":
                json.loads(event.data)

    seconds, _ = timed(work)
    chunks = [json.loads(event.data) for event in events() if event.data != "[DONE]"]
    return {"seconds": seconds, "check": {"chunks": digest(chunks)}}


def decode_split(path: Path, size: str) -> Answer:
    """The yardstick: split at blank lines and msgspec; right for nothing but frames of one `data: ` line."""
    segments = segments_of(path, int(size))
    read = msgspec.json.Decoder().decode

    def work(take: Callable[[list[Any]], object]) -> None:
        buffer = bytearray()
        for segment in segments:
            buffer += segment
            if b"\n" in segment:
                *blocks, tail = bytes(buffer).split(b"\n\n")
                buffer = bytearray(tail)
                take([read(block[6:]) for block in blocks if block[6:] != b"[DONE]"])

    seconds, _ = timed(lambda: work(len))
    chunks: list[Any] = []
    work(chunks.extend)
    return {"seconds": seconds, "check": {"chunks": digest(chunks)}}


class AppendWalk:
    """A message that grows by appending and is joined at the end of each block."""

    def __init__(self) -> None:
        self.parts: list[dict[str, Any]] = []
        self.blocks: dict[str, tuple[int, list[str]]] = {}
        self.handlers: dict[str, Callable[[dict[str, Any]], None]] = {
            "start-step": lambda _chunk: self.parts.append({"type": "step-start"}),
            "text-start": self.on_start,
            "text-delta": lambda chunk: self.blocks[chunk["id"]][1].append(chunk["delta"]),
            "text-end": self.on_end,
        }

    def on_start(self, chunk: dict[str, Any]) -> None:
        self.blocks[chunk["id"]] = len(self.parts), []
        self.parts.append({"type": "text", "text": "", "state": "done"})

    def on_end(self, chunk: dict[str, Any]) -> None:
        place, pieces = self.blocks[chunk["id"]]
        self.parts[place]["text"] = "".join(pieces)


def reduce_append(path: Path) -> Answer:
    """The floor: a walk that appends each delta; no message in between."""
    chunks, walk = Stream(path).chunks(), AppendWalk()

    def work() -> None:
        for chunk in chunks:
            handle = walk.handlers.get(chunk["type"])
            if handle is not None:
                handle(chunk)

    seconds, _ = timed(work)
    return {"seconds": seconds, "check": {"last": digest([{"id": "m1", "role": "assistant", "parts": walk.parts}])}}


WORKS = {"httpx-sse": decode_httpx_sse, "split": decode_split, "append": reduce_append}

if __name__ == "__main__":
    work, path, *arguments = sys.argv[1:]
    sys.stdout.write(json.dumps(WORKS[work](Path(path), *arguments)))
