"""Random UI messages that a chat could hold: every part type, every tool state, with the fields that the state has."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

Json = Any
AnyJson = Callable[[Random], Json]
STATES = (
    "input-streaming",
    "input-available",
    "approval-requested",
    "approval-responded",
    "output-available",
    "output-error",
    "output-denied",
)
TEXTS = ["", "a", "杭州", "🧑‍💻", "two\nlines"]
URLS = [
    "https://example.com/a",
    "HTTP://EXAMPLE.com:80/a/../b?q=é#f",
    "https://例え.jp/道 x",
    "data:text/plain;base64,aGk=",
    "data:,a b",
    "file:///a/./b",
    "mailto:a@example.com",
    "not a url",
    "",
]


def _maybe(rng: Random, likely: float = 0.3, **members: Json) -> dict[str, Json]:
    return {key: value for key, value in members.items() if rng.random() < likely}


def _metadata(rng: Random) -> Json:
    return {"mock": {"v": rng.randrange(9)}}


def _approval(rng: Random, state: str) -> dict[str, Json]:
    asked = {"id": f"p{rng.randrange(4)}"} | _maybe(
        rng,
        0.2,
        isAutomatic=True,
        signature="s",
        requestReason="needs a look",
        descriptor={"x": 1},
        inputSchemaInput=None,
    )
    if state == "approval-requested":
        return asked
    approved = {"approval-responded": rng.random() < 0.5, "output-denied": False}.get(state, True)
    return asked | {"approved": approved} | _maybe(rng, reason="because")


def _tool(rng: Random, any_json: AnyJson) -> dict[str, Json]:
    state, name = rng.choice(STATES), rng.choice(["weather", "search", "my-tool"])
    dynamic = {"type": "dynamic-tool", "toolName": name, **_maybe(rng, 0.2, dynamic=False)}
    head = dynamic if rng.random() < 0.3 else {"type": f"tool-{name}"}
    part = head | {"toolCallId": f"c{rng.randrange(6)}", "state": state, "input": any_json(rng)}
    if state == "input-streaming" and rng.random() < 0.5:
        del part["input"]
    if state == "output-available":
        part |= {"output": any_json(rng)} | _maybe(rng, preliminary=rng.random() < 0.5)
    if state == "output-error":
        part["errorText"] = rng.choice(TEXTS)
        if rng.random() < 0.3:
            del part["input"]
            part |= _maybe(rng, 0.5, rawInput="{")
    if state.startswith("approval") or state == "output-denied" or (state.startswith("output") and rng.random() < 0.3):
        part["approval"] = _approval(rng, state)
    part |= _maybe(rng, 0.2, title="T", toolMetadata={"k": [1]}, callProviderMetadata=_metadata(rng))
    part |= _maybe(rng, 0.2, providerExecuted=rng.random() < 0.7)
    if state in ("output-available", "output-error"):
        part |= _maybe(rng, 0.2, resultProviderMetadata=_metadata(rng))
    return part


def _part(rng: Random, any_json: AnyJson) -> dict[str, Json]:
    kind = rng.randrange(16)
    if kind < 5:
        return _tool(rng, any_json)
    if kind < 7:
        return {"type": "step-start"}
    extra = _maybe(rng, 0.2, providerMetadata=_metadata(rng))
    state = _maybe(rng, 0.6, state=rng.choice(["streaming", "done"]))
    return {
        7: {"type": "text", "text": rng.choice(TEXTS), **state, **extra},
        8: {"type": "reasoning", "text": rng.choice(TEXTS), **_maybe(rng, id="r"), **state, **extra},
        9: {
            "type": "file",
            "mediaType": "image/png",
            "url": rng.choice(URLS),
            **_maybe(rng, filename="f.png"),
            **_maybe(rng, 0.1, providerReference={"mock": "file-1"}),
            **extra,
        },
        10: {"type": "data-thing", "data": any_json(rng), **_maybe(rng, id="d")},
        11: {"type": "source-url", "sourceId": "s", "url": rng.choice(URLS), **_maybe(rng, title="T"), **extra},
        12: {"type": "custom", "kind": "mock.part", **extra},
        13: {"type": "reasoning-file", "mediaType": "image/png", "url": rng.choice(URLS[:-2]), **extra},
        14: {"type": "source-document", "sourceId": "s", "mediaType": "m", "title": "T", **extra},
        15: {"type": "steering-message", "id": "s", "parts": [{"type": "text", "text": rng.choice(TEXTS), **extra}]},
    }[kind]


def grow_messages(rng: Random, any_json: AnyJson, roles: list[str] | None = None) -> list[dict[str, Json]]:
    """A history; with `roles`, one message for each of them."""
    if roles is None:
        roles = [rng.choice(["user", "assistant", "assistant", "system"]) for _ in range(rng.randrange(1, 4))]
    messages: list[dict[str, Json]] = []
    for number, role in enumerate(roles):
        parts = [_part(rng, any_json) for _ in range(rng.randrange(0 if role == "assistant" else 1, 7))]
        if role != "assistant" and rng.random() < 0.8:  # what a client sends; the types allow any part
            parts = [part for part in parts if part["type"] in ("text", "file", "data-thing")]
            parts = parts or [{"type": "text", "text": "q"}]
        messages.append(
            {"id": f"m{number}", "role": role, "parts": parts, **_maybe(rng, 0.2, metadata={"a": any_json(rng)})}
        )
    return messages
