"""The Jupyter Server extension: the only way in, to noted ports only, streaming both ways of ending."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterator
from http.cookies import SimpleCookie
from types import SimpleNamespace
from typing import Any

import pytest
from tornado.httpclient import AsyncHTTPClient, HTTPClientError, HTTPRequest
from tornado.web import Application, RequestHandler

from aisdk_lab.chat import Chat
from aisdk_lab.loopback import lab_loop, runtime
from aisdk_lab.server.hub import Hub
from aisdk_lab.server.port_file import PortNote, write_note
from aisdk_lab.widget.document import Document
from aisdk_lab.widget.room import sessions_of
from aisdk_lab.widget.session import Session
from tests.chat.scripted_transport import ScriptedTransport
from tests.house.test_light_import import fresh

KERNEL = "b8f1c6d2-0000-4000-8000-000000000001"


class Adapter(RequestHandler):
    """Streams in three pieces, or says what it was asked."""

    async def post(self, path: str) -> None:
        if path != "api/chat":
            self.set_header("Set-Cookie", "upstream=1")
            self.set_header("X-Vercel-Ai-Ui-Message-Stream", "v1")
            headers = {
                name: value for name, value in self.request.headers.items() if name in ("Cookie", "Origin", "Accept")
            }
            self.finish({"query": self.request.query, "body": self.request.body.decode(), "headers": headers})
            return
        self.set_header("Content-Type", "text/event-stream")
        for piece in (b"data: 1\n\n", b"data: 2\n\n", b"data: 3\n\n"):
            self.write(piece)
            await self.flush()
            await PIECE_READ.acquire()

    async def get(self, path: str) -> None:
        """Break off in the middle of the body, when somebody has read its beginning."""
        self.set_header("Content-Type", "text/event-stream")
        self.write(b"data: 1\n\n")
        await self.flush()
        await BEGINNING_READ.wait()
        self.detach().close()


PIECE_READ = asyncio.Semaphore(0)
"""Released by the reader for each piece, so that the next one is written only when it has the last one."""
BEGINNING_READ = asyncio.Event()
ADAPTER = Application([(r"/(.*)", Adapter)], log_function=lambda handler: None)


@pytest.fixture
def jp_server_config() -> dict[str, Any]:
    return {"ServerApp": {"jpserver_extensions": {"aisdk_lab.jupyter.extension": True}}}


@pytest.fixture
def jp_base_url() -> str:
    return "/user/x/"


@pytest.fixture
def fetch(jp_serverapp: Any, jp_http_port: int, jp_base_url: str, http_server_client: Any, jp_auth_header: Any) -> Any:
    """Ask with a login; the path is sent as it is written."""

    async def ask(path: str, **options: Any) -> Any:
        headers = {**jp_auth_header, **options.pop("headers", {})}
        return await http_server_client.fetch(f"{jp_base_url}aisdk-lab/{path}", headers=headers, **options)

    return ask


@pytest.fixture
def kernel(jp_environ: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    served = SimpleNamespace(web_application=(ADAPTER, 1, "adapter-token"))
    monkeypatch.setitem(runtime().servers, "default", served)
    made = Hub(KERNEL, lab_loop())
    yield made
    lab_loop().run(made.close())


@pytest.fixture
def sidebar(kernel: Hub) -> Session:
    session = Session("s-1", Chat(ScriptedTransport()), Document(title="t", clock=lambda: 0))

    async def start() -> None:
        session.start(None)

    lab_loop().run(start())
    sessions_of(kernel)["s-1"] = session
    return session


async def status_of(fetching: Any) -> int:
    try:
        return (await fetching).code
    except HTTPClientError as problem:
        return problem.code


def test_the_jupyter_server_loads_nothing_of_the_lab_but_the_relay():
    code = "import sys, aisdk_lab.jupyter.extension; print(*(n for n in sys.modules if n.startswith('aisdk_lab.')))"
    relay = {"_version", "jupyter", "jupyter.extension", "server", "server.port_file"}
    assert set(fresh(code).split()) == {f"aisdk_lab.{module}" for module in relay}


async def test_it_is_found_and_says_its_version(jp_serverapp: Any, fetch: Any):
    assert jp_serverapp.extension_manager.extensions["aisdk_lab.jupyter.extension"].enabled
    answer = await fetch("health")
    assert json.loads(answer.body)["ok"] is True


async def test_an_action_and_its_refusal_pass(fetch: Any, sidebar: Session):
    async def act(message: dict[str, Any]) -> Any:
        headers = {"Content-Type": "application/json"}
        path = f"k/{KERNEL}/widget/s-1/actions"
        return await fetch(path, method="POST", body=json.dumps(message), headers=headers)

    answer = await act({"type": "action", "actionId": "a", "action": "send", "text": "你好"})
    assert (answer.code, json.loads(answer.body)) == (200, {"ok": True})
    assert sidebar.chat.messages[0]["parts"][0]["text"] == "你好"
    with pytest.raises(HTTPClientError) as refused:
        await act({"type": "action", "actionId": "b", "action": "launch"})
    assert refused.value.code == 400
    assert "expected an action" in json.loads(refused.value.response.body)["error"]
    sidebar.chat.stop()


async def test_nobody_gets_in_without_a_login(
    jp_http_port: int, jp_base_url: str, jp_serverapp: Any, http_server: Any, sidebar: Session
):
    base = f"http://127.0.0.1:{jp_http_port}{jp_base_url}aisdk-lab/"
    client = AsyncHTTPClient(force_instance=True)
    for path, method in (
        ("health", "GET"),
        (f"k/{KERNEL}/widget/s-1/events", "GET"),
        (f"k/{KERNEL}/widget/s-1/actions", "POST"),
    ):
        request = HTTPRequest(base + path, method, body="{}" if method == "POST" else None, follow_redirects=False)
        assert await status_of(client.fetch(request)) in (302, 403)
    client.close()


async def test_a_login_by_cookie_needs_the_xsrf_token_to_post(
    jp_http_port: int, jp_base_url: str, jp_serverapp: Any, http_server: Any, sidebar: Session
):
    base = f"http://127.0.0.1:{jp_http_port}{jp_base_url}"
    client = AsyncHTTPClient(force_instance=True)
    login = HTTPRequest(f"{base}tree?token={jp_serverapp.identity_provider.token}", follow_redirects=False)
    logged_in = await client.fetch(login, raise_error=False)
    cookies: SimpleCookie = SimpleCookie()
    for line in logged_in.headers.get_list("Set-Cookie"):
        cookies.load(line)
    page = HTTPRequest(f"{base}login", headers={"Cookie": _cookie(cookies)}, follow_redirects=False)
    for line in (await client.fetch(page, raise_error=False)).headers.get_list("Set-Cookie"):
        cookies.load(line)
    assert "_xsrf" in cookies
    headers = {"Cookie": _cookie(cookies), "Content-Type": "application/json"}
    url = f"{base}aisdk-lab/k/{KERNEL}/widget/s-1/actions"
    body = json.dumps({"type": "action", "actionId": "a", "action": "clearError"})
    assert await status_of(client.fetch(HTTPRequest(url, "POST", headers=headers, body=body))) == 403
    headers["X-XSRFToken"] = cookies["_xsrf"].value
    assert await status_of(client.fetch(HTTPRequest(url, "POST", headers=headers, body=body))) == 200
    client.close()


def _cookie(cookies: SimpleCookie) -> str:
    return "; ".join(f"{name}={morsel.value}" for name, morsel in cookies.items())


@pytest.mark.parametrize(
    "path",
    [
        "k/unknown/widget/s-1/events",
        "k/..%2F..%2Fetc/widget/s-1/events",
        f"k/{KERNEL}/widget/..%2F..%2Fhealth",
        f"k/{KERNEL}/widget/../health",
        f"k/{KERNEL}/secret",
        f"k/{KERNEL}/",
        f"k/{KERNEL}/widget//events",
        f"k/{KERNEL}/widget/none/events",
        f"k/{KERNEL}/adapter/other/api/chat",
        "nowhere",
    ],
    ids=lambda path: path.removeprefix(f"k/{KERNEL}"),
)
async def test_only_what_a_kernel_serves_can_be_asked_for(path: str, fetch: Any, kernel: Hub):
    assert await status_of(fetch(path)) == 404


async def test_a_note_that_others_can_read_or_write_leads_nowhere(fetch: Any, kernel: Hub):
    write_note(PortNote(kernel="open", port=kernel.port, pid=os.getpid(), token=kernel.token)).chmod(0o644)
    assert await status_of(fetch("k/open/health")) == 404
    assert (await fetch(f"k/{KERNEL}/health")).code == 200


async def test_a_kernel_whose_server_is_gone_is_a_bad_gateway(fetch: Any):
    write_note(PortNote(kernel="gone", port=1, pid=os.getpid(), token="t"))
    assert await status_of(fetch("k/gone/health")) == 502


async def test_a_stream_comes_in_more_than_one_piece(fetch: Any, kernel: Hub):
    pieces: list[bytes] = []

    def keep(piece: bytes) -> None:
        pieces.append(piece)
        lab_loop().call(PIECE_READ.release)

    path = f"k/{KERNEL}/adapter/default/api/chat"
    answer = await fetch(path, method="POST", body="{}", streaming_callback=keep)
    assert (answer.headers["Content-Type"], b"".join(pieces)) == (
        "text/event-stream",
        b"data: 1\n\ndata: 2\n\ndata: 3\n\n",
    )
    assert len(pieces) > 1


async def test_the_login_stays_here_and_the_kernels_cookie_there(
    fetch: Any, kernel: Hub, jp_http_port: int, jp_serverapp: Any
):
    path = f"k/{KERNEL}/adapter/default/echo?token={jp_serverapp.identity_provider.token}&q=a+b"
    headers = {"Cookie": "secret=1", "Accept": "text/event-stream", "Origin": f"http://127.0.0.1:{jp_http_port}"}
    answer = await fetch(path, method="POST", body="你好", headers=headers)
    echoed = json.loads(answer.body)
    assert echoed == {"query": "q=a+b", "body": "你好", "headers": {"Accept": "text/event-stream"}}
    assert "upstream" not in answer.headers.get("Set-Cookie", "")
    assert answer.headers["X-Vercel-Ai-Ui-Message-Stream"] == "v1"


async def open_stream(port: int, base: str, token: str, path: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    head = f"GET {base}aisdk-lab/k/{KERNEL}/{path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: token {token}\r\n\r\n"
    writer.write(head.encode())
    return reader, writer


async def test_when_the_browser_leaves_the_kernel_hears_it_also_in_silence(
    jp_http_port: int, jp_base_url: str, jp_serverapp: Any, http_server: Any, sidebar: Session
):
    token = jp_serverapp.identity_provider.token
    reader, writer = await open_stream(jp_http_port, jp_base_url, token, "widget/s-1/events?from=0")
    head = await reader.readuntil(b"snapshot")
    assert b"200 OK" in head
    assert len(sidebar._streams) == 1
    writer.close()
    await writer.wait_closed()
    while sidebar._streams:  # the test's own limit ends this if the kernel never hears
        await asyncio.sleep(0)


async def test_a_stream_that_breaks_half_way_is_no_tidy_end(
    jp_http_port: int, jp_base_url: str, jp_serverapp: Any, http_server: Any, kernel: Hub
):
    token = jp_serverapp.identity_provider.token
    reader, writer = await open_stream(jp_http_port, jp_base_url, token, "adapter/default/api")
    await reader.readuntil(b"data: 1\n\n\r\n")
    lab_loop().call(BEGINNING_READ.set)
    assert await reader.read() == b""  # and not the chunk of length 0 that ends a whole body
    writer.close()
    await writer.wait_closed()
