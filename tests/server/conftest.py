"""Adapters for one test, and a client that is no browser."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from aisdk_lab.loopback import runtime, stop_lab_loop
from aisdk_lab.server.adapter import Adapter, serve
from aisdk_lab.server.hub import Hub

Body = dict[str, Any]


@pytest.fixture
def served() -> Iterator[Callable[..., Adapter]]:
    """`served(agent, **options)`: an adapter that is stopped after the test."""
    yield serve
    for adapter in list(runtime().servers.values()):
        adapter.stop()
    stop_lab_loop()


def headers(adapter: Adapter, **more: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {adapter.token}", "Content-Type": "application/json", **more}


def user(text: str, message_id: str = "u1") -> Body:
    return {"id": message_id, "role": "user", "parts": [{"type": "text", "text": text}]}


def post(adapter: Adapter, path: str, body: Any, **more: str) -> httpx.Response:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return httpx.post(
        adapter.url + path, content=content, headers=headers(adapter, **more), trust_env=False, timeout=20
    )


def ask_hub(hub: Hub, method: str, path: str, token: str | None = None, **options: Any) -> httpx.Response:
    """Ask the hub of a kernel as the relay does; `token` for a wrong one."""
    sent = {"Authorization": f"Bearer {hub.token if token is None else token}", **options.pop("headers", {})}
    with httpx.Client(trust_env=False) as client:
        return client.request(method, f"http://127.0.0.1:{hub.port}{path}", headers=sent, **options)


def frames(text: str) -> list[str]:
    """The blocks of an event stream, as text without their blank lines."""
    assert text.endswith("\n\n")
    return text.removesuffix("\n\n").split("\n\n")


def chunks(response: httpx.Response) -> list[Body]:
    """The chunks of a response that ends with `[DONE]`; comments are left out."""
    blocks = [block for block in frames(response.text) if not block.startswith(":")]
    assert blocks[-1] == "data: [DONE]"
    return [json.loads(block.removeprefix("data: ")) for block in blocks[:-1]]
