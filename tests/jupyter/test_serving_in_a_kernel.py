"""`lab.serve` alone in a notebook: the address that works from another machine, through a real Jupyter server."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest
from jupyter_client.blocking.client import BlockingKernelClient

from tests.browser.jupyter import JupyterServer

pytestmark = pytest.mark.xdist_group("jupyter-kernel")

SERVE = """
import asyncio, json, os, sys
import aisdk_lab as lab
from aisdk_lab.loopback import lab_loop

class Halting:
    name, title, suggestions, client_tools = "halting", "Halting", (), {}

    async def run(self, turn):
        yield {"type": "start-step"}
        yield {"type": "text-start", "id": "t"}
        yield {"type": "text-delta", "id": "t", "delta": "前半"}
        await gate.wait()
        yield {"type": "text-delta", "id": "t", "delta": "后半 🎉"}
        yield {"type": "text-end", "id": "t"}
        yield {"type": "finish-step"}
        yield {"type": "finish", "finishReason": "stop"}

async def new_gate():
    return asyncio.Event()

gate = lab_loop().run(new_gate())
adapter = lab.serve(Halting())
"""
SEEN = """
os.environ["SSH_CONNECTION"] = "192.0.2.1 1 192.0.2.2 22"
print(json.dumps({
    "outside": adapter.outside_url, "html": adapter._repr_html_(), "port": adapter.port, "token": adapter.token,
    "pid": os.getpid(), "check": {row.key: [row.status, row.found, row.advice] for row in lab.check("en").rows},
    "widgets": "anywidget" in sys.modules,
}))
"""
STUBBORN = """
class Stubborn(Halting):
    async def run(self, turn):
        yield {"type": "start-step"}
        while True:
            try:
                await gate.wait()
            except asyncio.CancelledError:
                pass

adapter = lab.serve(Stubborn())
"""
BODY = {"id": "c1", "messages": [{"id": "u1", "role": "user", "parts": [{"type": "text", "text": "你好"}]}]}


class Kernel:
    """A kernel of a Jupyter server, talked to past the server as a second front end would do it."""

    def __init__(self, server: JupyterServer, runtime: Path) -> None:
        self.id: str = server.request("POST", "api/kernels", json={"name": "python3"}).json()["id"]
        self.server = server
        self.runtime = runtime
        self._connect()

    def _connect(self) -> None:
        self._client = BlockingKernelClient(connection_file=str(self.runtime / f"kernel-{self.id}.json"))
        self._client.load_connection_file()
        self._client.start_channels()
        self._client.wait_for_ready(timeout=60)

    def run(self, code: str) -> str:
        """What the code prints; its exceptions are raised here."""
        printed: list[str] = []

        def keep(message: dict[str, Any]) -> None:
            if message["msg_type"] == "stream" and message["content"]["name"] == "stdout":
                printed.append(message["content"]["text"])

        reply = self._client.execute_interactive(code, timeout=60, output_hook=keep)
        assert reply["content"]["status"] == "ok", "\n".join(reply["content"].get("traceback", []))
        return "".join(printed)

    def restart(self) -> None:
        """Restart it as the notebook's button does."""
        self.close()
        assert self.server.request("POST", f"api/kernels/{self.id}/restart").is_success
        self._connect()

    @property
    def notes(self) -> list[Path]:
        """The notes of hubs in the runtime folder."""
        return sorted(self.runtime.glob("aisdk-lab-*"))

    def close(self) -> None:
        """Let the channels go; the kernel ends with its server."""
        self._client.stop_channels()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterServer]:
    started = JupyterServer(tmp_path_factory.mktemp("jupyter"), "lab")
    yield started
    started.stop()


@pytest.fixture
def kernel(server: JupyterServer) -> Iterator[Kernel]:
    made = Kernel(server, server.root.parent / "jupyter_runtime_dir")
    yield made
    made.close()
    server.request("DELETE", f"api/kernels/{made.id}")
    assert made.notes == []


@pytest.fixture
def seen(kernel: Kernel) -> Callable[[], dict[str, Any]]:
    """What the notebook shows of its adapter and its check."""
    return lambda: json.loads(kernel.run(SEEN))


def is_answered(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def test_the_address_from_another_machine_streams_with_the_login_of_jupyter_alone(
    server: JupyterServer, kernel: Kernel, seen: Callable[[], dict[str, Any]]
):
    kernel.run(SERVE)
    address = seen()["outside"]
    assert address == f"{server.url}aisdk-lab/k/{kernel.id}/adapter/default/api/chat"
    login = {"Authorization": f"token {server.token}"}
    text = ""
    with (
        httpx.Client(trust_env=False, timeout=30) as client,
        client.stream("POST", address, json=BODY, headers=login) as answer,
    ):
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "text/event-stream"
        assert answer.headers["x-vercel-ai-ui-message-stream"] == "v1"
        for piece in answer.iter_text():
            text += piece
            if "前半" in text and "后半" not in text:  # the rest is written only after this was read
                kernel.run("lab_loop().call(gate.set)")
    chunks = [json.loads(block.removeprefix("data: ")) for block in text.split("\n\n") if block.startswith("data: {")]
    assert [chunk["delta"] for chunk in chunks if chunk["type"] == "text-delta"] == ["前半", "后半 🎉"]
    assert text.endswith("data: [DONE]\n\n")


def test_nobody_gets_through_without_a_login_of_jupyter(kernel: Kernel, seen: Callable[[], dict[str, Any]]):
    kernel.run(SERVE)
    found = seen()
    for headers in ({}, {"Authorization": f"Bearer {found['token']}"}, {"Authorization": f"token {found['token']}"}):
        assert httpx.post(found["outside"], json=BODY, headers=headers, trust_env=False).status_code == 403
    assert kernel.run("print(adapter.application.history('c1'))") == "[]\n"


def test_the_notice_and_the_check_say_the_same(kernel: Kernel, seen: Callable[[], dict[str, Any]]):
    kernel.run(SERVE)
    found = seen()
    assert f"{found['outside']}, with your Jupyter login" in found["html"]
    assert found["check"]["relay"] == ["ok", "its extension relays to this kernel", ""]
    assert found["check"]["browser"][0] == "warning"
    assert "adapter.outside_url" in found["check"]["browser"][2]
    assert found["token"] not in json.dumps([found["html"], found["check"], found["outside"]])
    assert found["widgets"] is False  # serving needs no widget


def test_serving_again_and_reloaded_modules_keep_the_one_hub(kernel: Kernel, seen: Callable[[], dict[str, Any]]):
    kernel.run(SERVE)
    first, notes = seen(), [path.read_text("utf-8") for path in kernel.notes]
    assert [json.loads(note)["kernel"] for note in notes] == [kernel.id]
    kernel.run(SERVE)
    kernel.run("import importlib, aisdk_lab.server.hub as hub, aisdk_lab.server.adapter as adapters")
    kernel.run("importlib.reload(hub); importlib.reload(adapters); adapter = adapters.serve(Halting())")
    second = seen()
    assert [path.read_text("utf-8") for path in kernel.notes] == notes
    assert second["outside"] == first["outside"]
    assert (is_answered(first["port"]), is_answered(second["port"])) == (False, True)


def test_a_restart_leaves_no_note_no_port_and_no_process_and_serving_works_again(
    server: JupyterServer, kernel: Kernel, seen: Callable[[], dict[str, Any]]
):
    kernel.run(SERVE)
    first = seen()
    port = json.loads(kernel.notes[0].read_text("utf-8"))["port"]
    assert (is_answered(port), is_answered(first["port"])) == (True, True)
    kernel.restart()
    assert (kernel.notes, is_answered(port), is_answered(first["port"])) == ([], False, False)
    assert not psutil.pid_exists(first["pid"])
    login = {"Authorization": f"token {server.token}"}
    assert httpx.post(first["outside"], json=BODY, headers=login, trust_env=False).status_code == 404
    kernel.run(f"{SERVE}\nlab_loop().call(gate.set)")
    assert seen()["outside"] == first["outside"]
    answer = httpx.post(first["outside"], json=BODY, headers=login, trust_env=False, timeout=30)
    assert answer.text.endswith("data: [DONE]\n\n")


def test_a_restart_leaves_no_note_though_a_run_will_not_end(
    server: JupyterServer, kernel: Kernel, seen: Callable[[], dict[str, Any]]
):
    """Jupyter kills a kernel that does not leave in time: the note must have gone by then."""
    kernel.run(SERVE + STUBBORN)
    first = seen()
    with (
        httpx.Client(trust_env=False, timeout=30) as client,
        client.stream(
            "POST", first["outside"], json=BODY, headers={"Authorization": f"token {server.token}"}
        ) as answer,
    ):
        assert "start-step" in next(block for block in answer.iter_lines() if "start-step" in block)
        kernel.restart()
    assert (kernel.notes, is_answered(first["port"]), psutil.pid_exists(first["pid"])) == ([], False, False)
