"""What the bench feeds: streams of a known shape and size, written to files that our side and the peers read.

A stream is a JSON-lines file: a header, then one chunk a line. The header says where it is cut into twentieths, counted
in messages that `readUIMessageStream` publishes, so that each side takes its samples at the same places. The decoding
cases and the replays read the same chunks as an SSE body.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

Chunk = dict[str, Any]

DELTA_CHARS = 12
SLICES = 20
SILENT = ("start-step", "finish-step", "finish")
"""Chunks after which the reference publishes no message."""
WORDS = {
    "ascii": (" hello", " world", " and", " so on", " into", ", the", " nextly", ".\n\n", " tokens", " is"),
    "chinese": ("你好", "世界", "，我们", "继续写", "一个", "很长的", "句子", "。\n", "然后", "结束吧"),
}
"""Tokens as models send them: a frame of a delta has 57 bytes, in Chinese 60."""


def dumps(value: Any) -> str:
    """JSON as a server writes it: no spaces, no escapes."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def pieces(text: str) -> list[str]:
    return [text[place : place + DELTA_CHARS] for place in range(0, len(text), DELTA_CHARS)]


def words(language: str, count: int) -> list[str]:
    known = WORDS[language]
    return [known[(7 * place + place // 10) % 10] for place in range(count)]


def whole(chunks: Iterable[Chunk]) -> list[Chunk]:
    """A reply of one step around the chunks."""
    start, end = [{"type": "start", "messageId": "m1"}, {"type": "start-step"}], [{"type": "finish-step"}]
    return [*start, *chunks, *end, {"type": "finish", "finishReason": "stop"}]


def text_block(block: str, deltas: Iterable[str]) -> Iterator[Chunk]:
    yield {"type": "text-start", "id": block}
    for delta in deltas:
        yield {"type": "text-delta", "id": block, "delta": delta}
    yield {"type": "text-end", "id": block}


def text(count: int) -> list[Chunk]:
    """`count` text deltas in one block."""
    return whole(text_block("t1", words("ascii", count)))


def parts(count: int) -> list[Chunk]:
    """`count` text parts of five deltas each."""
    return whole(chunk for place in range(count) for chunk in text_block(f"t{place}", words("ascii", 5)))


def document(kind: str, size: int) -> str:
    """JSON of about `size` bytes: `rows` is an array of small objects, `string` one long string (a file)."""
    if kind == "string":
        return dumps({"path": "app.py", "content": 'def f(x):\n    return "x" + 1\n' * (size // 34)})
    rows = [
        {"id": place, "name": f"row {place}", "ok": place % 3 > 0, "score": place % 7 + 0.59, "tags": ["a", "bc"]}
        for place in range(size // 68)
    ]
    return dumps({"rows": rows})


def call(identifier: str, source: str) -> tuple[Chunk, list[Chunk], Chunk]:
    """Start, deltas and end of one tool call's input."""
    name = {"toolCallId": identifier, "toolName": "write"}
    deltas = [
        {"type": "tool-input-delta", "toolCallId": identifier, "inputTextDelta": piece} for piece in pieces(source)
    ]
    end = {"type": "tool-input-available", **name, "input": json.loads(source)}
    return {"type": "tool-input-start", **name}, deltas, end


def tool(kind: str, size: int) -> list[Chunk]:
    """One tool call whose input of `size` bytes comes in deltas of 12 characters."""
    start, deltas, end = call("call-1", document(kind, size))
    return whole([start, *deltas, end])


def tools(count: int) -> list[Chunk]:
    """`count` tool calls of 2 KB each, their deltas in turn."""
    calls = [call(f"call-{place}", document("rows", 2_000)) for place in range(count)]
    deltas = [delta for turn in zip(*(deltas for _, deltas, _ in calls), strict=True) for delta in turn]
    return whole([*(start for start, _, _ in calls), *deltas, *(end for _, _, end in calls)])


def conversation(language: str, count: int) -> list[Chunk]:
    """`count` chunks, most of them text deltas and one in twelve a tool-input delta: for decoding, not for reducing."""
    chunks: list[Chunk] = [{"type": "start", "messageId": "m1"}, {"type": "start-step"}]
    for place, word in enumerate(words(language, count - 4)):
        if place % 12 == 11:
            chunks.append({"type": "tool-input-delta", "toolCallId": "call-1", "inputTextDelta": word})
        else:
            chunks.append({"type": "text-delta", "id": "t1", "delta": word})
    return [*chunks, {"type": "finish-step"}, {"type": "finish", "finishReason": "stop"}]


MAKERS = {"text": text, "parts": parts, "tool": tool, "tools": tools, "conversation": conversation}


def made(maker: str, *arguments: Any) -> list[Chunk]:
    return MAKERS[maker](*arguments)


def write_stream(folder: Path, maker: str, *arguments: Any) -> Path:
    """The stream as JSON lines, its header first, and beside it the same as an SSE body; both once."""
    path = folder / f"{'-'.join(map(str, (maker, *arguments)))}.jsonl"
    if path.exists():
        return path
    chunks = made(maker, *arguments)
    shown = [place for place, chunk in enumerate(chunks) if chunk["type"] not in SILENT]
    samples = [len(shown) * turn // SLICES - 1 for turn in range(1, SLICES + 1)]
    cuts = [shown[sample] + 1 for sample in samples]
    header = {"messages": len(shown), "samples": samples, "cuts": cuts}
    lines = [dumps(chunk) for chunk in chunks]
    path.write_text("\n".join([dumps(header), *lines]), "utf-8")
    body = "".join(f"data: {line}\n\n" for line in lines) + "data: [DONE]\n\n"
    path.with_suffix(".sse").write_bytes(body.encode())
    return path


def write_document(folder: Path, kind: str, size: int) -> Path:
    """The JSON text alone, for the parsers of unfinished JSON."""
    path = folder / f"{kind}-{size}.json"
    path.write_text(document(kind, size), "utf-8")
    return path
