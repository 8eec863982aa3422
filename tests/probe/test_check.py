"""The check says what it found and what to do, whatever the environment is."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from aisdk_lab._version import __version__
from aisdk_lab.errors import UnknownName
from aisdk_lab.probe import Check, JupyterServer, Row, check, checks as looks, jupyter_server_here, page_address
from aisdk_lab.probe.checks import Here, run_checks

VERSIONS = dict.fromkeys((*looks.NEEDED, *looks.SHOWN, "matplotlib"), "9.9")
SERVER = JupyterServer(url="http://localhost:8888/user/x/", base_url="/user/x/", pid=1, token="secret-token")


def here(**changes: Any) -> Here:
    """An environment in which everything is as it should be."""
    fields: dict[str, Any] = {
        "environ": {},
        "version": VERSIONS.get,
        "kernel": lambda: "ipykernel",
        "labextensions": lambda: ["anywidget", "@jupyter-widgets/jupyterlab-manager"],
        "server": lambda environ: None,
        "is_remote": lambda: False,
        "has_view": lambda: True,
    }
    return Here(**{**fields, **changes})


class Answers(JupyterServer, frozen=True):
    """A server that answers as it is told."""

    status: int = 200
    answer: Any = None

    def get(self, path: str) -> tuple[int, Any]:
        assert path == "aisdk-lab/health"
        if self.status == 0:
            raise OSError("connection refused")
        return self.status, self.answer


def server(status: int, answer: Any = None) -> Callable[[Mapping[str, str]], JupyterServer]:
    return lambda environ: Answers("http://localhost:1/", "/", 1, "t", status, answer)


def test_where_everything_is_as_it_should_be_nothing_need_be_done():
    report = run_checks(here(server=server(200, {"version": __version__})))
    assert report.ok
    assert [row.status for row in report.rows] == ["ok"] * 10
    assert [row.advice for row in report.rows] == [""] * 10


@pytest.mark.parametrize(
    ("key", "changes", "status", "words"),
    [
        ("packages", {"version": {**VERSIONS, "anywidget": None}.get}, "problem", "anywidget"),
        ("kernel", {"kernel": lambda: None}, "warning", "plain Python"),
        ("kernel", {"kernel": lambda: "marimo"}, "ok", "marimo"),
        ("kernel", {"version": {**VERSIONS, "ipykernel": "6.29.5"}.get}, "warning", "6.29.5"),
        ("kernel", {"version": {**VERSIONS, "ipykernel": "7.3.0a1"}.get}, "ok", "7.3.0a1"),
        ("widget", {"has_view": lambda: False}, "problem", "missing"),
        ("widget", {"labextensions": lambda: ["anywidget"]}, "warning", "jupyterlab_widgets"),
        ("widget", {"labextensions": list, "environ": {"VSCODE_PID": "1"}}, "ok", "its own"),
        ("proxy", {"environ": {"http_proxy": "http://p:1"}}, "warning", "HTTP_PROXY"),
        ("proxy", {"environ": {"HTTPS_PROXY": "http://p:1", "no_proxy": "localhost"}}, "warning", "HTTPS_PROXY"),
        ("proxy", {"environ": {"HTTP_PROXY": "http://p:1", "no_proxy": "a.b, 127.0.0.1,LOCALHOST"}}, "ok", "spared"),
        ("proxy", {"environ": {"ALL_PROXY": "http://p:1", "NO_PROXY": "*"}}, "ok", "spared"),
        ("relay", {}, "warning", "not found"),
        ("relay", {"kernel": lambda: None}, "ok", "none around"),
        ("relay", {"server": server(404)}, "warning", "404"),
        ("relay", {"server": server(200, "<html>")}, "warning", "not enabled"),
        ("relay", {"server": server(200, {"version": "0.0"})}, "warning", "0.0"),
        ("relay", {"server": server(0)}, "warning", "connection refused"),
        ("browser", {"is_remote": lambda: True}, "warning", "another machine"),
        (
            "browser",
            {"is_remote": lambda: True, "environ": {"JUPYTERHUB_SERVICE_PREFIX": "/user/x/"}},
            "warning",
            "/user/x/",
        ),
        ("extras", {"version": {**VERSIONS, "matplotlib": None}.get}, "warning", "matplotlib"),
    ],
)
def test_each_thing_says_what_it_found_and_what_to_do(key: str, changes: dict[str, Any], status: str, words: str):
    row = run_checks(here(**changes))[key]
    assert (row.status, words in row.found) == (status, True)
    assert bool(row.advice) == (status != "ok")


def test_only_problems_break_the_verdict():
    assert run_checks(here(is_remote=lambda: True)).ok
    broken = run_checks(here(has_view=lambda: False))
    assert (broken.ok, [row.key for row in broken.problems]) == (False, ["widget"])


def test_a_port_that_cannot_be_opened_is_a_problem(monkeypatch: pytest.MonkeyPatch):
    async def refuse(*args: Any, **kwargs: Any) -> None:
        raise OSError("no more ports")

    monkeypatch.setattr(looks.asyncio, "start_server", refuse)
    row = looks.port(here())
    assert (row.status, "no more ports" in row.found) == ("problem", True)


def test_the_real_environment_is_looked_at_in_both_languages():
    english, chinese = check("en"), check("zh")
    assert [row.key for row in english.rows] == [row.key for row in chinese.rows]
    assert english["port"].status == english["thread"].status == english["python"].status == "ok"
    assert "本机端口" in repr(chinese)
    with pytest.raises(UnknownName, match="zh"):
        check("fr")
    with pytest.raises(KeyError, match="python"):
        english["weather"]


def test_the_report_shows_itself_and_takes_what_was_found_for_text():
    report = Check((Row("proxy", "warning", "<b>found</b>", "do & tell"), Row("python", "ok", "3")))
    assert repr(report).splitlines() == [
        "Everything that is needed works.",
        "! proxy   <b>found</b>",
        "          → do & tell",
        "✓ Python  3",
    ]
    page = report._repr_html_()
    assert "&lt;b&gt;found&lt;/b&gt;" in page
    assert "do &amp; tell" in page


# ── the Jupyter server around us ────────────────────────────────────────────────────────────────────────────────────


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
