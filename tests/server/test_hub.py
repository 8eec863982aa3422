"""The hub: one guarded loopback server of a kernel, for the Jupyter server to relay to."""

from __future__ import annotations

import json
import logging
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from tornado.web import Application, RequestHandler

from aisdk_lab.errors import RefusedError
from aisdk_lab.loopback import lab_loop, runtime, stop_lab_loop
from aisdk_lab.server import hub as hub_module
from aisdk_lab.server.here import JupyterServer, Relay, kernel_id_here
from aisdk_lab.server.hub import Hub, HubHandler, hub, open_hub
from aisdk_lab.server.port_file import read_note
from tests.runs.test_application import HELLO, Written
from tests.server.conftest import ask_hub, user


class Echo(RequestHandler):
    """Says what arrived, as an adapter's application would see it."""

    def post(self, path: str) -> None:
        headers = {name: self.request.headers.get(name) for name in ("Host", "Authorization", "Origin", "X-Test")}
        self.finish({"path": path, "query": self.request.query, "body": self.request.body.decode(), **headers})


ECHO = Application([(r"/(.*)", Echo)], log_function=lambda handler: None)


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path))
    made = Hub("k-1", lab_loop())
    yield made
    lab_loop().run(made.close())


@pytest.fixture
def in_a_kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """This process is taken for the kernel `k-1` of a Jupyter server that relays."""
    server = JupyterServer("http://127.0.0.1:8888/user/x/", "/user/x/", 1)
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setenv("JPY_PARENT_PID", "4711")
    monkeypatch.delenv("JUPYTERHUB_SERVICE_PREFIX", raising=False)
    (tmp_path / "jpserver-4711.json").write_text(
        json.dumps({"url": server.url, "base_url": server.base_url, "pid": 4711, "token": ""})
    )
    monkeypatch.setattr(hub_module, "kernel_id_here", lambda: "k-1")
    monkeypatch.setattr(JupyterServer, "relay", lambda self: Relay("on", 200, "1"))
    yield
    stop_lab_loop()
    assert open_hub() is None
    assert list(tmp_path.glob("aisdk-lab-*")) == []


# ── who gets in, and where to ──────────────────────────────────────────────────────────────────────────────────────


def test_only_who_has_the_token_gets_in(kernel: Hub):
    for path in ("/health", "/adapter/default/x", "/nowhere"):
        answer = ask_hub(kernel, "GET", path, token="wrong")
        assert (answer.status_code, kernel.token in answer.text) == (401, False)
    assert ask_hub(kernel, "GET", "/health", headers={"Host": "evil.example"}).status_code == 403
    assert ask_hub(kernel, "GET", "/health", headers={"Origin": "http://evil.example"}).status_code == 403
    assert ask_hub(kernel, "GET", "/health").json()["kernel"] == "k-1"
    assert kernel.token not in repr(kernel)


def test_it_listens_on_this_machine_only(kernel: Hub):
    with pytest.raises(OSError, match="refused"), socket.create_connection(("127.0.0.2", kernel.port), timeout=5):
        pass


def test_other_addresses_are_not_found(kernel: Hub):
    for path in ("/", "/health2", "/widget/s-1/events", "/adapter/other/api", "/adapter/default", "/adapter"):
        assert ask_hub(kernel, "GET", path).status_code == 404


class Shown(HubHandler):
    """A room's handler: shows its path, or fails."""

    def get(self) -> None:
        if self.get_query_argument("fail", ""):
            raise ValueError("kaput")
        self.finish({"path": self.request.path})


def test_a_room_is_asked_for_what_begins_with_its_name_and_by_nobody_else(kernel: Hub):
    settings: dict[str, Any] = {"owner": kernel}
    kernel.rooms["room"] = Application([(r"/room/.*", Shown, settings)], log_function=lambda handler: None)
    assert ask_hub(kernel, "GET", "/room/a").json() == {"path": "/room/a"}
    assert [ask_hub(kernel, "GET", path).status_code for path in ("/rooms/a", "//room/a", "/adapter/room/a")] == [
        404
    ] * 3
    assert ask_hub(kernel, "GET", "/room/a", token="wrong").status_code == 401


def test_a_failing_handler_is_logged_and_nothing_is_printed(kernel: Hub, capfd, caplog):
    kernel.rooms["room"] = Application([(r"/room/.*", Shown, {"owner": kernel})], log_function=lambda handler: None)
    with caplog.at_level(logging.ERROR, "aisdk_lab"):
        assert ask_hub(kernel, "GET", "/room/a?fail=1").status_code == 500
    assert [record.getMessage() for record in caplog.records] == ["GET /room/a failed"]
    assert capfd.readouterr() == ("", "")


def test_an_adapter_is_asked_as_by_its_own_client(kernel: Hub, monkeypatch: pytest.MonkeyPatch):
    served = SimpleNamespace(web_application=(ECHO, 4711, "adapter-token"))
    monkeypatch.setitem(runtime().servers, "default", served)
    answer = ask_hub(
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


def test_a_served_adapter_is_reached_by_its_name(kernel: Hub, served):
    adapter = served(Written(*HELLO), name="mine")
    body = {"id": "c", "messages": [user("你好")]}
    answer = ask_hub(kernel, "POST", "/adapter/mine/api/chat", json=body)
    assert answer.headers["x-vercel-ai-ui-message-stream"] == "v1"
    assert answer.text.endswith("data: [DONE]\n\n")
    assert ask_hub(kernel, "GET", "/adapter/mine/health").json()["agents"] == ["written"]
    adapter.stop()
    assert ask_hub(kernel, "GET", "/adapter/mine/health").status_code == 404


# ── its life ───────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_note_is_there_as_long_as_the_hub(kernel: Hub, tmp_path: Path):
    note = read_note("k-1")
    assert note is not None
    assert (note.port, note.token) == (kernel.port, kernel.token)
    lab_loop().run(kernel.close())
    lab_loop().run(kernel.close())
    assert (read_note("k-1"), kernel.is_open, list(tmp_path.iterdir())) == (None, False, [])
    with pytest.raises(httpx.ConnectError):
        ask_hub(kernel, "GET", "/health")


def test_outside_of_a_kernel_nothing_starts(served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path))
    assert (kernel_id_here(), hub()) == ("", None)
    adapter = served(Written(*HELLO))
    assert (open_hub(), adapter.outside_url, list(tmp_path.iterdir())) == (None, None, [])


def test_serving_in_a_kernel_starts_the_one_hub_and_gives_the_address_through_jupyter(in_a_kernel, served):
    first = served(Written(*HELLO))
    started = open_hub()
    second = served(Written(*HELLO), name="second")
    assert started is not None
    assert hub() is open_hub() is started
    address = "http://127.0.0.1:8888/user/x/aisdk-lab/k/k-1/adapter"
    assert [each.outside_url for each in (first, second)] == [
        f"{address}/default/api/chat",
        f"{address}/second/api/chat",
    ]
    second.stop()
    assert second.outside_url is None


def test_an_adapter_that_is_refused_starts_no_second_one(in_a_kernel, served):
    adapter = served(Written(*HELLO))
    started = open_hub()
    with pytest.raises(RefusedError, match="cannot listen"):
        served(Written(*HELLO), name="second", port=adapter.port)
    assert open_hub() is started


def test_threads_that_start_it_at_once_get_the_same_one(in_a_kernel):
    together = threading.Barrier(8)

    def start(_number: int) -> Hub | None:
        together.wait(10)
        return hub()

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(start, range(8)))) == 1


def test_it_starts_while_the_loop_asks_for_itself(in_a_kernel):
    """An agent on the lab's thread may call `lab_loop()` at any time: the runtime's lock is not held meanwhile."""
    lab = lab_loop()
    asked = threading.Event()

    def ask() -> None:
        assert lab_loop() is lab
        asked.set()

    original = Hub._open

    async def open_after(self: Hub, sockets: list[Any]) -> None:
        ask()
        await original(self, sockets)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Hub, "_open", open_after)
        assert hub() is not None
    assert asked.is_set()


def test_after_the_loop_was_stopped_a_new_one_is_started(in_a_kernel):
    first = hub()
    stop_lab_loop()
    second = hub()
    assert first is not None
    assert second is not None
    assert (first.is_open, second.is_open) == (False, True)
    note = read_note("k-1")
    assert note is not None
    assert note.port == second.port


def test_without_a_runtime_folder_it_is_open_but_has_no_address_outside(
    in_a_kernel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "file" / "runtime"))
    monkeypatch.setenv("JUPYTERHUB_SERVICE_PREFIX", "/user/x/")
    made = hub()
    assert made is not None
    assert (made.is_open, made.outside_url("default")) == (True, None)


# ── the address from another machine ───────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("state", "has_address"), [("on", True), ("locked", True), ("off", False), ("silent", False)])
def test_there_is_no_address_where_it_is_known_that_nobody_relays(
    in_a_kernel, state: Any, has_address: bool, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(JupyterServer, "relay", lambda self: Relay(state))
    made = hub()
    assert made is not None
    assert (made.outside_url("default") is not None) == has_address


def test_the_jupyter_server_is_asked_until_it_says_yes(in_a_kernel, monkeypatch: pytest.MonkeyPatch):
    answers = [Relay("silent"), Relay("on")]
    monkeypatch.setattr(JupyterServer, "relay", lambda self: answers.pop(0))
    made = hub()
    assert made is not None
    assert made.outside_url("a") is None
    assert made.outside_url("a") == made.outside_url("a") is not None
    assert answers == []


def test_on_a_jupyterhub_the_address_is_the_hubs(kernel: Hub, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("JUPYTERHUB_SERVICE_PREFIX", "/user/x/")
    monkeypatch.delenv("JUPYTERHUB_PUBLIC_URL", raising=False)
    assert kernel.outside_url("default") == "/user/x/aisdk-lab/k/k-1/adapter/default/api/chat"
