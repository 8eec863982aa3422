"""Random inputs of conformance cases, one function a kind, each from a seeded `random.Random`.

Legal inputs first, then faults: a chunk dropped, doubled or moved, a value of another type, a cut in the bytes. What is
right for an input is not known here: the installed `ai` package says it (tests/interop/test_vectors.py), or a property
that must hold for any input (tests/reducer/test_any_chunks.py, tests/wire/test_any_cut.py).
"""

from __future__ import annotations

import base64
import copy
import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from tests.fresh_messages import grow_messages

Json = Any
GOLDEN = Path(__file__).parent / "golden" / "chunk_validation" / "chunk_validation.jsonl"
_CASES = [json.loads(line) for line in GOLDEN.read_bytes().splitlines()]


def _recorded_chunks(name: str) -> dict[str, dict[str, Json]]:
    chunks = [case["input"]["chunk"] for case in _CASES if case["name"].endswith(f"/{name}")]
    return {chunk["type"]: chunk for chunk in chunks}


MINIMAL = _recorded_chunks("minimal")
"""Each chunk type with its required fields only, as the real schema accepted it."""
FULL = MINIMAL | _recorded_chunks("full")
"""Each chunk type with all its fields."""

TEXTS = ["", "a", " ", "\n", "杭州", "é", "🧑‍💻", 'say "x"', "\\", "</p>", "\u2028", "\x00", "constructor", "0"]
KEYS = ["", "a", " ", "杭州", "é", "constructor", "0", "x y", "</p>", "\u2028"]
"""No key that JSON writes with an escape: V8's `JSON.parse` takes it for another key that it met before (observed: Node
24.19.0; nodejs/node issue 63785)."""
NUMBERS = [0, 1, -1, 1.5, -0.5, 1e21, 1e-7, 2**53 + 1, 10**20, 5e-324]
ODD: list[Json] = [None, True, False, 0, -1, 1.5, "", "x", [], [None], {}, {"a": 1}, {"type": "text"}]
SCRIPTS: list[list[str]] = [
    ["text-start", "text-delta", "text-delta", "text-end"],
    ["reasoning-start", "reasoning-delta", "reasoning-end"],
    ["tool-input-start", "tool-input-delta", "tool-input-delta", "tool-input-available", "tool-output-available"],
    ["tool-input-available", "tool-approval-request", "tool-approval-response", "tool-output-error"],
    ["tool-input-available", "tool-approval-request", "tool-output-denied"],
    ["tool-input-start", "tool-input-delta", "tool-input-error"],
    ["tool-input-start", "tool-input-delta", "tool-input-delta", "tool-input-delta"],
    ["tool-input-available", "tool-output-available", "tool-output-available"],
    *([kind] for kind in ("custom", "source-url", "source-document", "file", "reasoning-file", "steering-message")),
    *([kind] for kind in ("message-metadata", "data-thing", "data-thing", "error", "abort", "reset-step")),
]
"""What a producer sends for one thing, in order; the scripts of a stream are woven into each other."""


def any_json(rng: Random, depth: int = 2) -> Json:
    """A small JSON value."""
    kind = rng.randrange(7 if depth else 5)
    if kind == 5:
        return [any_json(rng, depth - 1) for _ in range(rng.randrange(3))]
    if kind == 6:
        return {rng.choice(KEYS): any_json(rng, depth - 1) for _ in range(rng.randrange(3))}
    return [None, rng.random() < 0.5, rng.choice(NUMBERS), rng.choice(TEXTS), rng.randrange(-999, 999)][kind]


def _fill(rng: Random, kind: str, ids: dict[str, str]) -> dict[str, Json]:
    """One legal chunk: required fields, some of the others, names of this script, values of its own."""
    full, chunk = FULL[kind], dict(MINIMAL[kind])
    chunk |= {key: copy.deepcopy(value) for key, value in full.items() if key not in chunk and rng.random() < 0.3}
    for key in chunk:
        if key in ids:
            chunk[key] = ids[key]
        elif key == "messageMetadata" and rng.random() < 0.9:
            chunk[key] = {rng.choice(KEYS): any_json(rng) for _ in range(rng.randrange(3))}
        elif key in ("input", "output", "data", "messageMetadata", "inputSchemaInput", "approvalDescriptor"):
            chunk[key] = any_json(rng)
        elif isinstance(chunk[key], bool) and key != "dynamic":
            chunk[key] = rng.random() < 0.5
        elif key in ("delta", "errorText", "reason", "title"):
            chunk[key] = rng.choice(TEXTS)
        elif key == "providerMetadata":
            chunk[key] = {"mock": {"v": rng.randrange(9)}}
    if "inputEncoding" in chunk:
        chunk["inputEncoding"] = rng.choice(["json", "text"])
    return chunk


def _script(rng: Random) -> list[dict[str, Json]]:
    number = rng.randrange(4)  # few names, so that scripts get into each other's way
    ids = {"id": f"b{number}", "toolCallId": f"c{number}", "approvalId": f"p{number}"}
    ids["toolName"] = rng.choice(["weather", "search", "my-tool", "constructor"])
    kinds = rng.choice(SCRIPTS)
    chunks = [_fill(rng, kind, ids) for kind in kinds]
    if rng.random() < 0.8:  # static or dynamic all along, as a server does it
        is_dynamic = rng.random() < 0.3
        for chunk in chunks:
            chunk.pop("dynamic", None)
            if is_dynamic and "dynamic" in FULL[chunk["type"]]:
                chunk["dynamic"] = True
    deltas = [chunk for chunk in chunks if chunk["type"] == "tool-input-delta"]
    if deltas:
        text = _damaged(rng, json.dumps(any_json(rng, 3), ensure_ascii=rng.random() < 0.5), 0.2)
        cuts = sorted(rng.randrange(len(text) + 1) for _ in deltas[1:])
        for chunk, start, end in zip(deltas, [0, *cuts], [*cuts, len(text)], strict=True):
            chunk["inputTextDelta"] = text[start:end]
    return chunks


def _woven(rng: Random, scripts: list[list[Json]]) -> list[Json]:
    """One list that keeps the order of each script."""
    turns = [place for place, script in enumerate(scripts) for _ in script]
    rng.shuffle(turns)
    left = [iter(script) for script in scripts]
    return [next(left[place]) for place in turns]


def grow_chunks(rng: Random) -> list[dict[str, Json]]:
    """The chunks of one response, about half of the time with chunks dropped, doubled or moved."""
    chunks = [_fill(rng, "start", {"messageId": rng.choice(["m1", "m1", "m2"])})] if rng.random() < 0.8 else []
    for _ in range(rng.randrange(1, 4)):
        step = _woven(rng, [_script(rng) for _ in range(rng.randrange(1, 5))])
        is_framed = rng.random() < 0.8
        chunks += [{"type": "start-step"}, *step, {"type": "finish-step"}] if is_framed else step
        if rng.random() < 0.1:
            chunks.append(_fill(rng, "start", {"messageId": rng.choice(["m1", "m2"])}))
    if rng.random() < 0.8:
        chunks.append(_fill(rng, "finish", {}))
    for _ in range(rng.choice([0, 0, 1, 3])):
        place = rng.randrange(len(chunks))
        fault = rng.randrange(3)
        chunk = chunks[place] if fault == 1 else chunks.pop(place)
        if fault:
            chunks.insert(rng.randrange(len(chunks) + 1), copy.deepcopy(chunk))
        chunks = chunks or [{"type": "start"}]
    return chunks


def corrupted(rng: Random, value: Json) -> Json:
    """A copy of a value with one fault: a member replaced by something odd, taken out, or added."""
    value = copy.deepcopy(value)
    places: list[tuple[Any, Any]] = []

    def walk(node: Json) -> None:
        for key in node if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ():
            places.append((node, key))
            walk(node[key])

    walk(value)
    if not places:
        return rng.choice(ODD)
    holder, key = rng.choice(places)
    fault = rng.randrange(4)
    if fault == 0:
        del holder[key]
    elif fault == 1 and isinstance(holder, dict):
        holder[rng.choice(["extra", "state", "providerMetadata", "id", "type"])] = rng.choice(ODD)
    else:
        holder[key] = copy.deepcopy(rng.choice(ODD))
    return value


TOKENS = [*'{}[]:,"\\-.0 ', "tru", "null", "1e5", "\\u00", "\\ud83d", '"a":', "\n", "x", "杭", '"__proto__":']


def _damaged(rng: Random, text: str, likely: float = 0.5) -> str:
    """A text with a piece taken out and another put in, or cut off."""
    if rng.random() < likely:
        place = rng.randrange(len(text) + 1)
        text = text[:place] + rng.choice(["", *TOKENS]) + text[place + rng.randrange(3) :]
    return text


# --- one function a kind --------------------------------------------------------------------------------------------


def reduce(rng: Random) -> Json:
    given: dict[str, Json] = {"chunks": grow_chunks(rng)}
    if rng.random() < 0.2:
        given["validated"] = True
    if rng.random() < 0.3:  # refused by the schema; without it the reducer goes on as JavaScript does
        place = rng.randrange(len(given["chunks"]))
        given["chunks"][place] = corrupted(rng, given["chunks"][place])
    if rng.random() < 0.2:
        given["terminateOnError"] = True
    if rng.random() < 0.3:
        role = rng.choice(["assistant", "assistant", "user"])
        given["initialMessage"] = grow_messages(rng, any_json, roles=[role])[0]
    return given


BAD_BYTES = [
    b"",
    b"\xff",
    b"\xe6\x9d",
    b"\xed\xa0\x80",
    b"\xf0\x9f",
    b"\xc0\xaf",
    b"\xf4\x90\x80\x80",
    b"\0",
    b"\r",
    b"\n",
    b":",
]


def sse(rng: Random) -> Json:
    body = b"\xef\xbb\xbf" if rng.random() < 0.1 else b""
    end = rng.choice([b"\n", b"\r\n", b"\r"])
    for _ in range(rng.randrange(1, 6)):
        text = _damaged(rng, json.dumps(any_json(rng), ensure_ascii=False, indent=rng.choice([None, None, 1])), 0.3)
        lines = [f"data:{rng.choice(['', ' ', '  '])}{line}".encode() for line in text.split("\n")]
        lines = [rng.choice([b": note", b"event: e", b"id: 1", b"retry: 5", b"data", b"x: y"])] * rng.randrange(
            2
        ) + lines
        if rng.random() < 0.1:
            lines = [b"data: [DONE]"]
        if rng.random() < 0.1:
            end = rng.choice([b"\n", b"\r\n", b"\r"])
        body += end.join(lines) + end + end
    for _ in range(rng.choice([0, 0, 1, 2])):
        place = rng.randrange(len(body) + 1)
        body = body[:place] + rng.choice(BAD_BYTES) + body[place + rng.randrange(2) :]
    if b"\r" in body:
        # eventsource-parser 3.1.1 loses the event before a CR that ended a read when no line end comes after it; whether
        # it does depends on the cut, and our frames never do.
        body += b"\n"
    cuts = sorted({rng.randrange(len(body) + 1) for _ in range(rng.randrange(6))})
    reads = [body[start:stop] for start, stop in zip([0, *cuts], [*cuts, len(body)], strict=True)]
    schema = {"schema": "ui"} if rng.random() < 0.1 else {}
    return {"chunks": [base64.b64encode(read).decode() for read in reads if read], **schema}


def partial_json(rng: Random) -> Json:
    text = _damaged(rng, json.dumps(any_json(rng, 3), ensure_ascii=rng.random() < 0.5, indent=rng.choice([None, 1])))
    return {"text": text[: rng.randrange(len(text) + 1)]}


def chunk_validation(rng: Random) -> Json:
    kind = rng.choice(list(FULL))
    chunk = rng.choice([FULL[kind], MINIMAL[kind], _fill(rng, kind, {})])
    for _ in range(rng.choice([0, 1, 1, 2])):
        chunk = corrupted(rng, chunk)
    if rng.random() < 0.2:
        return {"text": _damaged(rng, json.dumps(chunk, ensure_ascii=False))}
    return {"chunk": chunk}


def predicates(rng: Random) -> Json:
    return {"messages": grow_messages(rng, any_json)}


SCHEMAS: list[Json] = [
    {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    {"type": "number"},
    {"type": "array", "items": {"type": "string"}},
    {"type": ["string", "null"]},
    {"enum": ["a", 1, None]},
    {},
]


def validate_messages(rng: Random) -> Json:
    messages: Json = grow_messages(rng, any_json)
    for _ in range(rng.choice([0, 1, 1, 2])):
        messages = corrupted(rng, messages)
    given = {"messages": messages}
    if rng.random() < 0.3:
        given["tools"] = {
            name: {"inputSchema": rng.choice(SCHEMAS)}
            | ({"outputSchema": rng.choice(SCHEMAS)} if rng.random() < 0.5 else {})
            for name in ("weather", "search")
        }
    if rng.random() < 0.2:
        given["dataSchemas"] = {"thing": rng.choice(SCHEMAS)}
    if rng.random() < 0.1:
        given["metadataSchema"] = rng.choice(SCHEMAS)
    return given


def convert(rng: Random) -> Json:
    options: dict[str, Json] = {}
    if rng.random() < 0.3:
        options["ignoreIncompleteToolCalls"] = rng.random() < 0.7
    if rng.random() < 0.3:
        options["tools"] = {"weather": rng.choice(["plain", "toModelOutput"])}
    if rng.random() < 0.5:
        options["convertDataPart"] = rng.choice(["text", "none"])
    return {"messages": grow_messages(rng, any_json)} | ({"options": options} if options else {})


def _response(rng: Random) -> Json:
    kind = rng.randrange(8)
    if kind == 0:
        return {
            "status": rng.choice([400, 404, 429, 500, 503]),
            "body": rng.choice(["", "no", '{"error":"slow down"}']),
        }
    if kind == 1:
        return {"status": rng.choice([200, 204])} | rng.choice([{}, {"headers": {"x-a": "b"}}])
    if kind == 2:
        return {
            "body": rng.choice(["", "<html>", "data: {}\n\n", "data: oops\n\n", 'data: {"type":"start"}\n\ndata: {'])
        }
    if kind == 3:
        return {"chunks": [corrupted(rng, chunk) if rng.random() < 0.1 else chunk for chunk in grow_chunks(rng)]}
    return {"chunks": [*grow_chunks(rng)[:6], {"type": "finish", "finishReason": "stop"}]}


def requests(rng: Random) -> Json:
    client: dict[str, Json] = {}
    if rng.random() < 0.4:
        client["id"] = rng.choice(["my chat/ü", "a?b#c", "..", ".", "%", "!~*'()", "🧑‍💻"])
    if rng.random() < 0.2:
        client["api"] = rng.choice(["/api/chat/", "/a?x=1", "/a/?x=1#f", "/ä b"])
    if rng.random() < 0.3:
        client["headers"] = {"X-A": "1", "content-type": "application/vnd.test+json"}
    if rng.random() < 0.3:
        client["body"] = {rng.choice(["a", "10", "2", "id", "trigger"]): any_json(rng)}
    if rng.random() < 0.1:
        client["prepare"] = "lastMessage"
    if rng.random() < 0.3:
        client["messages"] = grow_messages(rng, any_json, roles=["user", "assistant"][: rng.randrange(1, 3)])
    actions: list[Json] = []
    for _ in range(rng.randrange(1, 3)):
        kind = rng.randrange(5)
        options = {"headers": {"x-b": "2"}, "body": {"a": any_json(rng)}, "metadata": {"m": 1}}
        action = (
            {"do": "send", "message": {"text": rng.choice(TEXTS)}}
            if kind < 3
            else {"do": ["resume", "resend"][kind - 3]}
        )
        actions.append(action | ({"options": options} if rng.random() < 0.3 else {}))
    given = {"actions": actions, "responses": [_response(rng) for _ in range(rng.randrange(1, 3))]}
    return given | ({"client": client} if client else {})


FRESH: dict[str, Callable[[Random], Json]] = {
    function.__name__: function
    for function in (reduce, sse, partial_json, chunk_validation, predicates, validate_messages, convert, requests)
}
