"""What a kernel knows of the Jupyter server around it, and whether that relays."""

from __future__ import annotations

import json
import os
import ssl
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from aisdk_lab.server.here import (
    JupyterServer,
    Relay,
    is_page_elsewhere,
    jupyter_server_here,
    page_address,
    relaying_page_address,
)

SERVER = JupyterServer(url="http://localhost:8888/user/x/", base_url="/user/x/", pid=1, token="secret-token")


@pytest.fixture
def note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path))
    path = tmp_path / "jpserver-4711.json"
    fields = {"url": SERVER.url, "base_url": SERVER.base_url, "pid": 4711, "token": "secret-token", "port": 8888}
    path.write_text(json.dumps(fields))
    return path


def test_the_server_that_started_us_is_found_by_its_note(note: Path):
    found = jupyter_server_here({"JPY_PARENT_PID": "4711"})
    assert found is not None
    assert (found.url, found.token, "secret" in repr(found)) == (SERVER.url, "secret-token", False)
    assert jupyter_server_here({"JPY_PARENT_PID": "4712"}) is None
    assert jupyter_server_here({"JPY_PARENT_PID": "../4711"}) is None
    assert jupyter_server_here({}) is None
    note.write_text("{")
    assert jupyter_server_here({"JPY_PARENT_PID": "4711"}) is None


def test_the_address_that_a_browser_knows(note: Path):
    assert page_address({"JPY_PARENT_PID": "4711"}) == "http://localhost:8888/user/x/"
    assert page_address({"JUPYTERHUB_SERVICE_PREFIX": "/user/y"}) == "/user/y/"
    public = {"JUPYTERHUB_SERVICE_PREFIX": "/user/y/", "JUPYTERHUB_PUBLIC_URL": "https://hub.example/user/y/"}
    assert page_address(public) == "https://hub.example/user/y/"
    assert page_address({}) is None


@pytest.fixture
def answering() -> Iterator[tuple[HTTPServer, list[tuple[str, str | None]]]]:
    asked: list[tuple[str, str | None]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:  # the name that the base class looks for
            asked.append((self.path, self.headers["Authorization"]))
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b'{"ok": true}' if self.path.endswith("health") else b"<html>")

        def log_message(self, *args: Any) -> None: ...

    served = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=served.serve_forever, daemon=True)
    thread.start()
    yield served, asked
    served.shutdown()
    served.server_close()
    thread.join()


def test_it_is_asked_with_its_own_token_and_past_any_proxy(answering: Any, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(os.environ, "HTTP_PROXY", "http://127.0.0.1:1")
    served, asked = answering
    found = JupyterServer(f"http://localhost:{served.server_port}/user/x/", "/user/x/", 1, "secret-token")
    assert found.get("aisdk-lab/health") == (200, {"ok": True})
    assert found.get("other") == (200, None)
    assert asked[0] == ("/user/x/aisdk-lab/health", "token secret-token")


def test_a_server_that_is_gone_is_an_error_of_the_system():
    with pytest.raises(OSError, match="refused"):
        JupyterServer("http://localhost:1/", "/", 1).get("aisdk-lab/health")


class Answers(JupyterServer, frozen=True):
    """A server that answers as it is told."""

    answer: Any = None

    def get(self, path: str) -> tuple[int, Any]:
        assert path == "aisdk-lab/health"
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def answers(answer: Any, url: str = "http://localhost:1/") -> Answers:
    return Answers(url, "/", 1, "t", answer)


@pytest.mark.parametrize(
    ("answer", "relay"),
    [
        ((200, {"ok": True, "version": "9"}), Relay("on", 200, "9")),
        ((200, None), Relay("off", 200)),
        ((404, None), Relay("off", 404)),
        ((302, None), Relay("locked", 302)),
        ((401, None), Relay("locked", 401)),
        ((403, {"message": "Forbidden"}), Relay("locked", 403)),
        (ssl.SSLCertVerificationError("self-signed"), Relay("locked", problem="('self-signed',)")),
        (ConnectionRefusedError("connection refused"), Relay("silent", problem="connection refused")),
    ],
)
def test_what_an_answer_tells_about_the_relay(answer: Any, relay: Relay):
    assert answers(answer).relay() == relay
    assert relay.may_work == (relay.state in ("on", "locked"))


def test_a_page_that_does_not_relay_is_no_address():
    assert relaying_page_address({}, lambda environ: answers((200, {}))) == "http://localhost:1/"
    assert relaying_page_address({}, lambda environ: answers((404, None))) is None
    assert relaying_page_address({}, lambda environ: None) is None
    hub = {"JUPYTERHUB_SERVICE_PREFIX": "/user/y/"}
    assert relaying_page_address(hub, lambda environ: answers((404, None))) is None
    assert relaying_page_address(hub, lambda environ: None) == "/user/y/"  # nobody to ask: the hub knows where


@pytest.mark.parametrize(
    ("url", "is_elsewhere"),
    [
        ("http://localhost:8888/", False),
        ("http://127.0.0.1:8888/x/", False),
        ("http://[::1]:8888/", False),
        ("http://lab.example:8888/", True),
        ("https://10.0.0.7:8888/", True),
    ],
)
def test_a_server_that_listens_for_other_machines_shows_its_pages_there(note: Path, url: str, is_elsewhere: bool):
    note.write_text(json.dumps({"url": url, "base_url": "/", "pid": 4711}))
    assert is_page_elsewhere({"JPY_PARENT_PID": "4711"}) == is_elsewhere
    assert not is_page_elsewhere({})
