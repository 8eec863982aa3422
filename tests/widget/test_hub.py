"""The hub: one guarded loopback server for all sidebars of a kernel."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from tornado.web import Application, RequestHandler

from aisdk_lab.agents.scripted import scripted
from aisdk_lab.chat import Chat
from aisdk_lab.loopback import lab_loop
from aisdk_lab.server import serve
from aisdk_lab.widget.document import Document
from aisdk_lab.widget.hub import Hub, hub, kernel_id_here
from aisdk_lab.widget.port_file import read_note
from aisdk_lab.widget.session import Session
from aisdk_lab.widget.sidebar import _adapter_application
from aisdk_lab.wire import SseDecoder
from tests.chat.scripted_transport import ScriptedTransport


class Echo(RequestHandler):
    """Says what arrived, as an adapter's application would see it."""

    def post(self, path: str) -> None:
        headers = {name: self.request.headers.get(name) for name in ("Host", "Authorization", "Origin", "X-Test")}
        self.finish({"path": path, "query": self.request.query, "body": self.request.body.decode(), **headers})


ECHO = Application([(r"/(.*)", Echo)], log_function=lambda handler: None)


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path))
    made = Hub("k-1", lab_loop(), lambda name: (ECHO, 4711, "adapter-token") if name == "default" else None)
    yield made
    lab_loop().run(made.close())


@pytest.fixture
def sidebar(kernel: Hub) -> Session:
    chat = Chat(ScriptedTransport())
    session = Session("s-1", chat, Document(title="t", clock=lambda: 0))
    lab_loop().run(_start(session))
    kernel.sessions["s-1"] = session
    return session


async def _start(session: Session) -> None:
    session.start(None)


def ask(kernel: Hub, method: str, path: str, token: str | None = None, **options: Any) -> httpx.Response:
    headers = {"Authorization": f"Bearer {kernel.token if token is None else token}", **options.pop("headers", {})}
    with httpx.Client(trust_env=False) as client:
        return client.request(method, f"http://127.0.0.1:{kernel.port}{path}", headers=headers, **options)


def act(kernel: Hub, message: Any, **options: Any) -> httpx.Response:
    return ask(kernel, "POST", "/widget/s-1/actions", json=message, **options)


def test_only_who_has_the_token_gets_in(kernel: Hub, sidebar: Session):
    for path in ("/health", "/widget/s-1/events", "/adapter/default/x", "/nowhere"):
        answer = ask(kernel, "GET", path, token="wrong")
        assert (answer.status_code, kernel.token in answer.text) == (401, False)
    assert ask(kernel, "GET", "/health", headers={"Host": "evil.example"}).status_code == 403
    assert ask(kernel, "GET", "/health", headers={"Origin": "http://evil.example"}).status_code == 403
    assert ask(kernel, "GET", "/health").json()["kernel"] == "k-1"
    assert kernel.token not in repr(kernel)


def test_it_listens_on_this_machine_only(kernel: Hub):
    with pytest.raises(OSError, match="refused"), socket.create_connection(("127.0.0.2", kernel.port), timeout=5):
        pass


def test_other_addresses_are_not_found(kernel: Hub):
    for path in ("/", "/widget/../health2", "/widget/no-such/events", "/adapter/other/api", "/adapter/default"):
        assert ask(kernel, "GET", path).status_code == 404


def test_an_action_arrives_and_one_that_is_none_says_why(kernel: Hub, sidebar: Session):
    assert act(kernel, {"type": "action", "actionId": "a", "action": "send", "text": "hi"}).json() == {"ok": True}
    assert sidebar.chat.messages[0]["parts"] == [{"type": "text", "text": "hi"}]
    refused = act(kernel, {"type": "action", "actionId": "b", "action": "launch"})
    assert (refused.status_code, "expected an action" in refused.json()["error"]) == (400, True)
    assert (
        ask(
            kernel, "POST", "/widget/s-1/actions", content=b"{", headers={"Content-Type": "application/json"}
        ).status_code
        == 400
    )
    assert (
        ask(kernel, "POST", "/widget/s-1/actions", content=b"{}", headers={"Content-Type": "text/plain"}).status_code
        == 415
    )
    sidebar.chat.stop()


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


def test_an_adapter_is_asked_as_by_its_own_client(kernel: Hub):
    answer = ask(
        kernel,
        "POST",
        "/adapter/default/api/chat?x=1",
        content=b"body",
        headers={"Origin": f"http://127.0.0.1:{kernel.port}", "X-Test": "kept"},
    )
    assert answer.json() == {
        "path": "api/chat",
        "query": "x=1",
        "body": "body",
        "Host": "127.0.0.1:4711",
        "Authorization": "Bearer adapter-token",
        "Origin": None,
        "X-Test": "kept",
    }


def test_the_note_is_there_as_long_as_the_hub(kernel: Hub, tmp_path: Path):
    note = read_note("k-1")
    assert note is not None
    assert (note.port, note.token) == (kernel.port, kernel.token)
    lab_loop().run(kernel.close())
    lab_loop().run(kernel.close())
    assert (read_note("k-1"), kernel.is_open, list(tmp_path.iterdir())) == (None, False, [])
    with pytest.raises(httpx.ConnectError):
        ask(kernel, "GET", "/health")


def test_without_a_runtime_folder_the_comm_carries_everything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "file" / "runtime"))
    made = Hub("k-2", lab_loop(), lambda name: None)
    assert made.is_open
    lab_loop().run(made.close())


def test_outside_of_a_kernel_there_is_no_hub():
    assert (kernel_id_here(), hub(lambda name: None)) == ("", None)


def test_a_served_adapter_is_reached_by_its_name(kernel: Hub):
    @scripted(delay_ms=0)
    def hello(turn: Any) -> Any:
        yield turn.text(f"heard {turn.words}")

    adapter = serve(hello, name="hub-test")
    kernel.adapter_application = _adapter_application
    body = {"id": "c", "messages": [{"id": "u", "role": "user", "parts": [{"type": "text", "text": "你好"}]}]}
    answer = ask(kernel, "POST", "/adapter/hub-test/api/chat", json=body)
    assert answer.headers["x-vercel-ai-ui-message-stream"] == "v1"
    assert "heard" in answer.text
    assert answer.text.endswith("data: [DONE]\n\n")
    assert ask(kernel, "GET", "/adapter/hub-test/health").json()["agents"] == ["hello"]
    adapter.stop()
    assert ask(kernel, "GET", "/adapter/hub-test/health").status_code == 404


def test_the_address_from_another_machine_goes_through_the_jupyter_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setenv("JUPYTERHUB_SERVICE_PREFIX", "/user/x/")
    monkeypatch.delenv("JUPYTERHUB_PUBLIC_URL", raising=False)
    made = Hub("k-9", lab_loop(), lambda name: None)
    assert made.outside_url("default") == "/user/x/aisdk-lab/k/k-9/adapter/default/api/chat"
    lab_loop().run(made.close())
