"""The check says what it found and what to do, whatever the environment is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from aisdk_lab._version import __version__
from aisdk_lab.errors import UnknownName
from aisdk_lab.probe import Check, Row, check, checks as looks
from aisdk_lab.probe.checks import Here, run_checks
from aisdk_lab.server.here import JupyterServer

VERSIONS = dict.fromkeys((*looks.NEEDED, *looks.SHOWN, "matplotlib"), "9.9")


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
        ("relay", {"server": server(302)}, "ok", "does not let this kernel ask"),
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


@pytest.mark.parametrize(
    ("changes", "has_address"),
    [
        ({"server": server(200, {"version": __version__})}, True),
        ({"server": server(403)}, True),
        ({"server": server(404)}, False),
        ({"server": server(0)}, False),
        ({}, False),
        ({"environ": {"JUPYTERHUB_SERVICE_PREFIX": "/user/x/"}}, True),
        ({"environ": {"JUPYTERHUB_SERVICE_PREFIX": "/user/x/"}, "server": server(404)}, False),
        ({"server": server(200, {"version": __version__}), "kernel": lambda: "marimo"}, False),
    ],
)
def test_the_address_from_another_machine_is_named_only_where_an_adapter_has_one(
    changes: dict[str, Any], has_address: bool
):
    row = run_checks(here(is_remote=lambda: True, **changes))["browser"]
    assert ("adapter.outside_url" in row.advice) == has_address


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
