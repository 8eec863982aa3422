"""The bug reports of golden/real_world, played on the package: one way for each form of input."""

from __future__ import annotations

import itertools
import json
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from aisdk_lab.capture import Capture, Segment
from aisdk_lab.chat import Chat, ChatEvent, TransportRequest
from aisdk_lab.exchange import CaptureProtocol, Response, protocol_of
from aisdk_lab.reducer import MessageReducer

Case = dict[str, Any]
GOLDEN = Path(__file__).parents[1] / "golden" / "real_world"
CASES: dict[str, Case] = {
    case["id"]: case for case in map(json.loads, (GOLDEN / "cases.jsonl").read_bytes().splitlines())
}


def reads_of(case: Case) -> list[bytes]:
    """The bytes of a network case, read by read."""
    given = case["input"]
    if given["form"] == "network-generated":
        text = {"type": "text", "text": "a" * case["expected"]["text_length"]}
        line = json.dumps({"type": "assistant", "message": {"id": "m1", "role": "assistant", "content": [text]}})
        data, size = f"{line}\n".encode(), given["read_size"]
        return [data[start : start + size] for start in range(0, len(data), size)]
    return [read.encode() if isinstance(read, str) else bytes.fromhex(read["hex"]) for read in given["chunks"]]


def capture_of(case: Case, reads: Sequence[bytes] | None = None) -> Capture:
    """A network case as a capture; foreign line protocols are JSON Lines."""
    given = case["input"]
    response = Response(200, given["headers"]) if "headers" in given else None
    protocol: CaptureProtocol = "json-lines" if "protocol" in given else "ui-message-stream"
    segments = tuple(Segment(None, read) for read in (reads_of(case) if reads is None else reads))
    return Capture(
        name=case["id"],
        segments=segments,
        response=response,
        protocol=protocol_of(response) if response else protocol,
    )


def reduced(case: Case, *, strict: bool = False) -> MessageReducer:
    """The reducer after the chunks of a case; a resumed stream begins anew at its first `start`."""
    given = case["input"]
    reset = "on_first_start" if case["expected"].get("mode") == "resume" else "on_id_change"
    chunks = [chunk for _frame, chunk in capture_of(case).chunks()] if given["form"] == "network" else given["chunks"]
    reducer = MessageReducer(given.get("message"), strict=strict, reset=reset)
    for chunk in chunks:
        reducer.feed(chunk)
    return reducer


class Answers:
    """A transport with one list of chunks for each request; the last one comes again and again."""

    title = "answers"
    suggestions: tuple[str, ...] = ()

    def __init__(self, *responses: list[dict[str, Any]]) -> None:
        self.client_tools: dict[str, Any] | None = None
        self.requests: list[TransportRequest] = []
        self._responses = itertools.chain(responses, itertools.repeat(responses[-1]))

    async def stream(self, request: TransportRequest) -> AsyncGenerator[dict[str, Any], None]:
        self.requests.append(request)
        for chunk in next(self._responses):
            yield chunk

    async def stop(self, chat_id: str) -> None:
        """Nothing goes on behind a response."""


def chunks_in_words(words: str) -> Iterator[dict[str, Any]]:
    """The shorthand of chat cases: `start, tool-input-available c1 readSelection, finish`, or `text "thanks"`."""
    if words.startswith("text "):
        yield {"type": "start"}
        yield {"type": "text-start", "id": "t1"}
        yield {"type": "text-delta", "id": "t1", "delta": json.loads(words.removeprefix("text "))}
        yield {"type": "text-end", "id": "t1"}
        yield {"type": "finish", "finishReason": "stop"}
        return
    for word in words.split(", "):
        kind, *rest = word.split(" ")
        yield {"type": kind, **dict(zip(("toolCallId", "toolName"), rest, strict=False))} | (
            {"input": {}} if kind == "tool-input-available" else {}
        )


def chat_over(transport: Answers, listen: Callable[[ChatEvent], None] = lambda event: None, **options: Any) -> Chat:
    """A chat over these answers, with an ear for its events."""
    chat = Chat(transport, **options)
    chat.subscribe(listen)
    return chat
