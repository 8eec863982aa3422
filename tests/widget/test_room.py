"""The sidebars' room in the hub: streams of what happens, and what persons do, posted."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from aisdk_lab.chat import Chat
from aisdk_lab.loopback import lab_loop
from aisdk_lab.server.hub import Hub
from aisdk_lab.widget.document import Document
from aisdk_lab.widget.room import sessions_of
from aisdk_lab.widget.session import Session
from aisdk_lab.wire import SseDecoder
from tests.chat.scripted_transport import ScriptedTransport
from tests.server.conftest import ask_hub


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path))
    made = Hub("k-1", lab_loop())
    yield made
    lab_loop().run(made.close())


@pytest.fixture
def sidebar(kernel: Hub) -> Session:
    chat = Chat(ScriptedTransport())
    session = Session("s-1", chat, Document(title="t", clock=lambda: 0))
    lab_loop().run(_start(session))
    sessions_of(kernel)["s-1"] = session
    return session


async def _start(session: Session) -> None:
    session.start(None)


def act(kernel: Hub, message: Any, **options: Any) -> httpx.Response:
    return ask_hub(kernel, "POST", "/widget/s-1/actions", json=message, **options)


def test_strangers_learn_nothing_of_a_sidebar(kernel: Hub, sidebar: Session):
    for path in ("/widget/s-1/events", "/widget/no-such/events", "/widget/"):
        answer = ask_hub(kernel, "GET", path, token="wrong")
        assert (answer.status_code, answer.json()["error"]) == (
            401,
            "the token is not the one of this server: ask for adapter.token again",
        )
    assert ask_hub(kernel, "GET", "/widget/s-1/events", headers={"Origin": "http://evil.example"}).status_code == 403


def test_other_addresses_are_not_found(kernel: Hub, sidebar: Session):
    for path in ("/widget", "/widget/", "/widget/s-1", "/widget/no-such/events", "/widget/s-1/events/x"):
        assert ask_hub(kernel, "GET", path).status_code == 404
    assert "run its cell again" in ask_hub(kernel, "GET", "/widget/no-such/events").text


def test_the_sessions_are_those_of_one_hub(kernel: Hub, sidebar: Session):
    assert sessions_of(kernel) == {"s-1": sidebar}
    assert repr(kernel) == f"<Hub of kernel 'k-1' on port {kernel.port}: adapter, widget>"


def test_an_action_arrives_and_one_that_is_none_says_why(kernel: Hub, sidebar: Session):
    assert act(kernel, {"type": "action", "actionId": "a", "action": "send", "text": "hi"}).json() == {"ok": True}
    assert sidebar.chat.messages[0]["parts"] == [{"type": "text", "text": "hi"}]
    refused = act(kernel, {"type": "action", "actionId": "b", "action": "launch"})
    assert (refused.status_code, "expected an action" in refused.json()["error"]) == (400, True)
    assert (
        ask_hub(
            kernel, "POST", "/widget/s-1/actions", content=b"{", headers={"Content-Type": "application/json"}
        ).status_code
        == 400
    )
    assert (
        ask_hub(
            kernel, "POST", "/widget/s-1/actions", content=b"{}", headers={"Content-Type": "text/plain"}
        ).status_code
        == 415
    )
    sidebar.chat.stop()


def test_an_action_that_is_too_large_is_refused(kernel: Hub, sidebar: Session):
    large = b'"' + b"x" * 2**24 + b'"'
    answer = ask_hub(kernel, "POST", "/widget/s-1/actions", content=large, headers={"Content-Type": "application/json"})
    assert answer.status_code == 413


def test_the_events_begin_at_once_and_go_on(kernel: Hub, sidebar: Session):
    async def read() -> list[dict[str, Any]]:
        url = f"http://127.0.0.1:{kernel.port}/widget/s-1/events?from=0"
        messages: list[dict[str, Any]] = []
        comments: list[str] = []
        decoder = SseDecoder()
        async with (
            httpx.AsyncClient(trust_env=False, timeout=10) as client,
            client.stream("GET", url, headers={"Authorization": f"Bearer {kernel.token}"}) as response,
        ):
            assert response.headers["content-type"] == "text/event-stream"
            async for data in response.aiter_bytes():
                for frame in decoder.feed(data):
                    comments += [frame.comment] if frame.comment else []
                    messages += [json.loads(frame.data)] if frame.data else []
                if len(messages) == 1:
                    sidebar.set(["notice"], "你好 😀")
                elif len(messages) == 2:
                    assert comments == ["stream-open"]
                    return messages
        raise AssertionError("the stream ended")

    snapshot, batch = lab_loop().run(read(), timeout=20)
    assert (snapshot["type"], snapshot["document"]["title"]) == ("snapshot", "t")
    assert batch == {"type": "batch", "seq": 1, "ops": [["set", ["notice"], "你好 😀"]]}
    lab_loop().run(_until(lambda: not sidebar._streams), timeout=10)  # the browser left: nothing is kept for it


async def _until(holds: Any) -> None:
    while not holds():
        await asyncio.sleep(0)


def test_a_closed_sidebar_ends_its_streams(kernel: Hub, sidebar: Session):
    async def read() -> bytes:
        url = f"http://127.0.0.1:{kernel.port}/widget/s-1/events"
        body = b""
        async with (
            httpx.AsyncClient(trust_env=False, timeout=10) as client,
            client.stream("GET", url, headers={"Authorization": f"Bearer {kernel.token}"}) as response,
        ):
            async for data in response.aiter_bytes():
                body += data
                if b"snapshot" in body and not sidebar.is_closed:
                    await sidebar.close()
        return body

    assert lab_loop().run(read(), timeout=20).count(b"data:") == 1
