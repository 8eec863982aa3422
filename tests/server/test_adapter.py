"""An adapter's life: one a name, its port free again, its token shown to nobody."""

from __future__ import annotations

import asyncio
import logging
import shlex
import socket
import subprocess
import sys
import threading
from types import SimpleNamespace

import httpx
import pytest

from aisdk_lab.agents.scripted import scripted
from aisdk_lab.errors import RefusedError, UnknownName
from aisdk_lab.loopback import THREAD_NAME, lab_loop, runtime, stop_lab_loop
from aisdk_lab.runs.application import RunApplication
from aisdk_lab.server import notice
from aisdk_lab.widget.source import conversation_of
from tests.runs.test_application import HELLO, Written
from tests.server.conftest import chunks, headers, post, user

BODY = {"id": "c1", "messages": [user("hi")]}


def is_free(port: int) -> bool:
    """Nobody listens on the port, and it can be bound again."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def test_serving_gives_an_address_on_loopback_and_a_port_of_the_systems_choice(served):
    adapter = served(Written(*HELLO))
    assert adapter.url == f"http://127.0.0.1:{adapter.port}"
    assert adapter.chat_url == f"{adapter.url}/api/chat"
    assert adapter.awaken_url == f"{adapter.url}/v1/ai-sdk/chat"
    assert chunks(post(adapter, "/api/chat", BODY))[1:] == list(HELLO)


def test_stopping_frees_the_port_and_twice_is_once(served):
    adapter = served(Written(*HELLO))
    assert not is_free(adapter.port)
    adapter.stop()
    adapter.stop()
    assert is_free(adapter.port)
    assert not adapter.is_running
    assert runtime().servers == {}


def test_a_stopped_adapter_gives_no_command_and_no_sidebar(served):
    adapter = served(Written(*HELLO))
    adapter.stop()
    with pytest.raises(RefusedError, match=r"is stopped; serve its agent again: lab\.serve\(adapter\.agent\)"):
        adapter.curl()
    with pytest.raises(RefusedError, match="is stopped"):
        conversation_of(adapter)


def test_the_same_name_replaces_the_old_server_and_frees_its_port(served):
    first = served(Written(*HELLO), name="mine")
    second = served(Written(*HELLO), name="mine")
    assert (first.is_running, second.is_running) == (False, True)
    assert is_free(first.port)
    assert runtime().servers == {"mine": second}
    assert [thread.name for thread in threading.enumerate()].count(THREAD_NAME) == 1


def test_the_same_name_and_port_can_be_served_again(served):
    first = served(Written(*HELLO))
    second = served(Written(*HELLO), port=first.port)
    assert second.port == first.port
    assert post(second, "/api/chat", BODY).status_code == 200


def test_other_names_are_other_servers(served):
    one, two = served(Written(*HELLO), name="one"), served(Written(*HELLO), name="two")
    assert one.port != two.port
    assert httpx.get(f"{two.url}/health", headers=headers(one), trust_env=False).status_code == 401


def test_a_server_that_cannot_be_bound_leaves_the_old_one_alone(served):
    first = served(Written(*HELLO))
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(RefusedError, match="Port 0 takes a free one"):
        served(Written(*HELLO), port=taken.getsockname()[1])
    assert first.is_running


def test_stopping_tells_the_readers_and_stops_the_runs(served):
    agent = Written(*HELLO[:3], asyncio.Event())
    adapter = served(agent)
    with httpx.stream(
        "POST", adapter.chat_url, headers=headers(adapter), json=BODY, trust_env=False, timeout=20
    ) as response:
        pieces = response.iter_text()
        text = ""
        while "text-delta" not in text:
            text += next(pieces)
        adapter.stop()
        text += "".join(pieces)
    assert text.endswith('data: {"type":"abort","reason":"the server is stopping"}\n\ndata: [DONE]\n\n')
    assert agent.closed == 1
    assert is_free(adapter.port)


def test_the_loops_end_is_the_servers_end(served):
    adapter = served(Written(*HELLO))
    stop_lab_loop()
    assert is_free(adapter.port)
    assert not adapter.is_running
    adapter.stop()
    assert served(Written(*HELLO)).is_running


def test_an_agent_may_stop_its_own_server(served):
    class Last(Written):
        async def run(self, turn):
            adapter.stop()
            for chunk in HELLO:
                yield chunk

    adapter = served(Last())
    post(adapter, "/api/chat", BODY)
    lab_loop().run(adapter.astop())
    assert not adapter.is_running


def test_a_program_that_ends_with_a_server_leaves_cleanly():
    program = "import aisdk_lab as lab\nadapter = lab.serve('weather')\nprint(adapter.port)\n"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert is_free(int(done.stdout))


# ── what is shown ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_token_is_shown_only_when_asked_for(served, caplog, capfd):
    with caplog.at_level(logging.DEBUG):
        adapter = served(Written(*HELLO, ValueError("x")), name="quiet")
        post(adapter, "/api/chat", BODY)
        post(adapter, "/api/chat", b"nonsense")
        httpx.get(f"{adapter.url}/health?token={adapter.token}", trust_env=False)
        shown = [repr(adapter), adapter._repr_html_(), str(adapter), repr(adapter._doors), repr(adapter.application)]
        asked_for = adapter.curl()
        adapter.stop()
        shown += [repr(adapter), adapter._repr_html_(), *capfd.readouterr()]
    logged = [record.getMessage() for record in caplog.records if record.name.startswith(("aisdk_lab", "tornado"))]
    assert any("GET /health" in line for line in logged), "the client's own log is not ours"
    shown += logged
    assert adapter.token not in "".join(shown)
    assert adapter.token in asked_for


def test_nothing_of_the_server_is_printed(served, capfd):
    class Broken(Written):
        async def run(self, turn):
            raise RuntimeError("kaput")
            yield

    adapter = served(Broken())
    post(adapter, "/api/chat", BODY)
    httpx.get(f"{adapter.url}/nowhere", headers=headers(adapter), trust_env=False)
    httpx.get(adapter.chat_url, headers=headers(adapter), trust_env=False)
    with socket.create_connection(("127.0.0.1", adapter.port)) as client:
        client.sendall(b"this is not HTTP\r\n\r\n")
        client.settimeout(10)
        client.recv(1000)
    adapter.stop()
    assert capfd.readouterr() == ("", "")


def test_the_notice_says_where_it_is_how_to_call_and_how_to_stop(served):
    adapter = served(Written(*HELLO), name="mine")
    page = adapter._repr_html_()
    for each in (adapter.chat_url, "lab.Sidebar(adapter)", "adapter.curl()", "adapter.stop()", "Written"):
        assert each in page
    assert repr(adapter) == f"Adapter mine: written at {adapter.url}, running"
    adapter.stop()
    assert repr(adapter) == "Adapter mine: written, stopped"
    assert adapter.url not in adapter._repr_html_()


def test_the_notice_shows_what_went_wrong_in_an_agent_and_escapes_it(served):
    adapter = served(Written(ValueError("<b>kaput</b>")))
    post(adapter, "/api/chat", BODY)
    assert "written: &lt;b&gt;kaput&lt;/b&gt;" in adapter._repr_html_()


def test_on_another_machine_the_notice_says_how_to_get_there(served, monkeypatch):
    for sign in (*notice._REMOTE_SIGNS, "JPY_PARENT_PID"):
        monkeypatch.delenv(sign, raising=False)
    monkeypatch.setattr(notice.Path, "exists", lambda _path: False)
    adapter = served(Written(*HELLO), name="mine")
    assert adapter.outside_url is None
    assert "another machine" not in adapter._repr_html_()
    monkeypatch.setenv("SSH_CONNECTION", "10.0.0.1 1 10.0.0.2 22")
    assert f"ssh -L {adapter.port}:127.0.0.1:{adapter.port}" in adapter._repr_html_()
    relaying = SimpleNamespace(is_open=True, outside_url=lambda name: f"https://hub.example/user/me/{name}/api/chat")
    monkeypatch.setattr(runtime(), "hub", relaying)
    assert adapter.outside_url == "https://hub.example/user/me/mine/api/chat"
    assert "https://hub.example/user/me/mine/api/chat, with your Jupyter login" in adapter._repr_html_()
    monkeypatch.delenv("SSH_CONNECTION")
    assert "another machine" not in adapter._repr_html_()
    monkeypatch.setattr(notice, "is_page_elsewhere", lambda: True)
    assert "https://hub.example" in adapter._repr_html_()


@pytest.mark.parametrize("door", ["api", "awaken"])
def test_the_command_for_a_terminal_does_what_it_says(served, door):
    adapter = served(Written(*HELLO), keep_alive_s=60)
    command = adapter.curl("it's “你好”", door=door)
    words = shlex.split(command.replace("\\\n", ""))
    assert words[:3] == ["curl", "-N", "-sS"]
    sent = dict(words[at + 1].split(": ", 1) for at, word in enumerate(words) if word == "-H")
    response = httpx.post(words[3], headers=sent, content=words[-1].encode(), trust_env=False)
    assert chunks(response)[-1]["finishReason"] == "stop"
    assert adapter.application.history("curl-1")[0]["parts"] == [{"type": "text", "text": "it's “你好”"}]
    assert repr(command) == str(command)
    with pytest.raises(UnknownName, match="no door is called 'back'. Known: api, awaken."):
        adapter.curl(door="back")


# ── what is refused ────────────────────────────────────────────────────────────────────────────────────────────────


def test_other_machines_are_let_near_only_when_asked_for(served):
    with pytest.raises(RefusedError, match="allow_remote=True"):
        served(Written(*HELLO), host="0.0.0.0")
    adapter = served(Written(*HELLO), host="0.0.0.0", allow_remote=True)
    assert httpx.get(f"http://127.0.0.1:{adapter.port}/health", headers=headers(adapter), trust_env=False).is_success
    foreign = headers(adapter, Host="evil.example")
    refused = httpx.get(f"http://127.0.0.1:{adapter.port}/health", headers=foreign, trust_env=False)
    assert refused.status_code == 403


@pytest.mark.parametrize("origin", ["*", "null", "localhost:3000", "http://*.example", "http://a.example/path", ""])
def test_what_is_no_origin_is_refused(served, origin):
    with pytest.raises(RefusedError, match="is no origin"):
        served(Written(*HELLO), origins=[origin])
    assert runtime().servers == {}


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"name": "a/b"}, "'a/b' cannot name an adapter"),
        ({"name": ""}, "'' cannot name an adapter"),
        ({"token": "short"}, "a token has at least 16 printable ASCII characters"),
        ({"token": "long enough but\nbroken"}, "a token has at least 16 printable ASCII characters"),
        ({"name": None}, "None cannot name an adapter"),
        ({"host": 127}, "host=127 is no address"),
        ({"port": 70_000}, "port=70000 is no port: give a whole number from 0"),
        ({"port": -1}, "port=-1 is no port"),
        ({"port": "80"}, "port='80' is no port"),
        ({"port": True}, "port=True is no port"),
        ({"token": 12345678901234567}, "a token has at least 16 printable ASCII characters, not of type int"),
        ({"origins": "http://localhost:3000"}, "is no list: write origins="),
        ({"origins": [3]}, "3 is no origin"),
        ({"on_disconnect": "explode"}, "on_disconnect='explode' is unknown: say 'interrupt', 'continue' or None"),
        ({"keep_alive_s": 0}, "keep_alive_s=0 is no period"),
        ({"keep_alive_s": float("nan")}, "keep_alive_s=nan is no period"),
        ({"keep_alive_s": None}, "keep_alive_s=None is no period"),
        ({"max_body_bytes": 0}, "max_body_bytes=0 is no limit"),
        ({"max_body_bytes": 1.5}, "max_body_bytes=1.5 is no limit"),
    ],
)
def test_options_are_looked_at(served, options, problem):
    with pytest.raises(RefusedError, match=problem):
        served(Written(*HELLO), **options)


def test_what_is_no_agent_is_named(served):
    def weather(turn):
        yield turn.text("x")

    with pytest.raises(RefusedError, match=r"is no agent. Decorate a generator function with @lab.scripted"):
        served(weather)
    with pytest.raises(RefusedError, match="3 is no agent: it needs name, title"):
        served([3])
    with pytest.raises(UnknownName, match="no agent is called 'weathr'"):
        served("weathr")


def test_an_application_of_ones_own_can_be_served(served):
    @scripted(delay_ms=0)
    def one(turn):
        yield turn.text("one")

    application = RunApplication(one)
    assert served(application).application is application


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt()], ids=repr)
def test_a_script_that_wants_to_leave_the_program_leaves_the_server_alone(served, error):
    @scripted(delay_ms=0)
    def leaving(turn):
        yield turn.text("bye")
        raise error

    adapter = served(leaving)
    for number in range(2):
        body = {"id": f"c{number}", "messages": [user("hi")]}
        assert chunks(post(adapter, "/api/chat", body))[-1] == {"type": "error", "errorText": "An error occurred."}
    assert adapter.is_running
