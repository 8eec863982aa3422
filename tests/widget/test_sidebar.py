"""The sidebar as a widget: traits, comm, bundle, closing. What a page makes of it is in tests/browser."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import comm
import ipywidgets
import pytest

from aisdk_lab.agents import ClientTool, agents
from aisdk_lab.agents.scripted import scripted
from aisdk_lab.capture import Capture, Request, Segment
from aisdk_lab.chat import Chat
from aisdk_lab.errors import TransportError, UnknownName
from aisdk_lab.importers import load, load_all
from aisdk_lab.loopback import lab_loop
from aisdk_lab.runs.application import RunApplication
from aisdk_lab.transports.in_process import InProcessTransport
from aisdk_lab.transports.replay import ReplayPlayer
from aisdk_lab.widget import sidebar as sidebar_module
from aisdk_lab.widget.demo import demo
from aisdk_lab.widget.operations import apply_operations
from aisdk_lab.widget.sidebar import Sidebar
from aisdk_lab.wire import encode_sse, json_text

CAPTURES = Path(__file__).parents[1] / "golden" / "captures"


@scripted(title="Echo", suggestions=["hi"], delay_ms=0)
def echo(turn: Any) -> Any:
    """Says what it heard, or asks the client for something."""
    if "pick" in turn.words:
        result = yield turn.client_tool("pick", {"low": 1, "high": 6})
        yield turn.text(f"picked {result.output}" if result.ok else f"failed: {result.error}")
    else:
        yield turn.text(f"heard {turn.words}")


class Wordless(Exception):
    """An exception that cannot say itself."""

    def __str__(self) -> str:
        raise RuntimeError("no words")


def throw(problem: BaseException) -> Any:
    raise problem


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


class Page:
    """A page: what the comm brought, and what it says back."""

    def __init__(self, sent: list[dict[str, Any]], sidebar: Sidebar) -> None:
        self._sent = sent
        self.sidebar = sidebar
        self._ids = 0

    @property
    def messages(self) -> list[dict[str, Any]]:
        custom = [data["content"] for data in self._sent if data.get("method") == "custom"]
        return json.loads(json.dumps(custom))

    @property
    def document(self) -> dict[str, Any]:
        value: dict[str, Any] = {}
        for message in self.messages:
            if message["type"] == "snapshot":
                value = message["document"]
            elif value:
                value = apply_operations(value, message["ops"])
        return value

    def say(self, message: dict[str, Any]) -> None:
        data = {"method": "custom", "content": message}
        self.sidebar.comm.handle_msg({"content": {"data": data}, "buffers": []})

    def act(self, action: str, **fields: Any) -> None:
        self._ids += 1
        self.say({"type": "action", "actionId": f"p{self._ids}", "action": action, **fields})

    def wait(self, holds: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Wait for the lab's own loop until the document is as expected; nothing here sleeps."""

        async def turn() -> None:
            await asyncio.sleep(0)
            self.sidebar._session._batcher.flush()

        for _ in range(20_000):
            lab_loop().run(turn(), timeout=10)
            if (document := self.document) and holds(document):
                return document
        raise AssertionError(f"never came: {self.document}")


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    publish = comm.DummyComm.publish_msg

    def keep(
        self: Any, msg_type: str, data: Any = None, metadata: Any = None, buffers: Any = None, **keys: Any
    ) -> None:
        messages.append(data or {})
        publish(self, msg_type, data, metadata, buffers, **keys)

    monkeypatch.setattr(comm.DummyComm, "publish_msg", keep)
    return messages


@pytest.fixture
def show(sent: list[dict[str, Any]]) -> Iterator[Callable[..., Page]]:
    made: list[Sidebar] = []

    def build(source: Any = echo, **options: Any) -> Page:
        made.append(Sidebar(source, **options))
        page = Page(sent, made[-1])
        page.say({"type": "sync", "from": 0})
        page.wait(lambda document: True)
        return page

    yield build
    for sidebar in made:
        sidebar.close()


def ready(document: dict[str, Any]) -> bool:
    return document["status"] == "ready" and bool(document["messages"])


def test_what_is_typed_is_answered(show: Callable[..., Page]):
    page = show()
    page.act("send", text="good morning 🌤️")
    document = page.wait(ready)
    assert [message["parts"][-1]["text"] for message in document["messages"]] == [
        "good morning 🌤️",
        "heard good morning 🌤️",
    ]
    assert page.sidebar.chat.messages == document["messages"]


def test_a_cell_and_the_page_talk_in_one_conversation(show: Callable[..., Page]):
    page = show()
    page.sidebar.chat.send("from the cell")
    document = page.wait(lambda value: ready(value) and len(value["messages"]) == 2)
    assert (document["title"], document["suggestions"]) == ("Echo", ["hi"])


def test_messages_of_the_page_only_hand_over_and_bad_ones_are_logged(show: Callable[..., Page], caplog: Any):
    page = show()
    page.say({"type": "action", "action": "launch", "actionId": "x"})
    page.act("clearError")
    page.wait(lambda value: True)
    assert "expected an action" in caplog.text


def test_the_traits_are_those_of_the_contract(show: Callable[..., Page]):
    sidebar = show(language="zh", height_px=400, carrier="comm", theme="dark").sidebar
    state = sidebar.get_state()
    names = ("carrier", "language", "theme", "height_px", "kernel_id", "runs")
    assert {name: state[name] for name in names} == {
        "carrier": "comm",
        "language": "zh",
        "theme": "dark",
        "height_px": 400,
        "kernel_id": "",
        "runs": 0,
    }
    assert len(state["session"]) == 16
    assert state["_esm"].startswith(("import", "var", "let", "const", "function", "(", "class", "/*"))
    assert json.loads(state["snapshot"])["messages"] == []


def test_the_end_of_a_run_writes_the_stored_document_and_the_counter(show: Callable[..., Page], sent: list[Any]):
    page = show()
    page.sidebar.chat.send("hi")
    page.wait(ready)
    assert page.sidebar.runs == 1
    assert len(json.loads(page.sidebar.snapshot)["messages"]) == 2
    states = [data["state"] for data in sent if data.get("method") == "update"]
    assert {key for state in states for key in state} >= {"runs", "snapshot"}


# ── what it is given ────────────────────────────────────────────────────────────────────────────────────────────────


class Served:
    def __init__(self, application: RunApplication) -> None:
        self.application = application


def test_everything_that_can_be_talked_to(show: Callable[..., Page]):
    runs = RunApplication(echo)
    for source in (echo, runs, Served(runs), Chat(InProcessTransport(runs))):
        page = show(source)
        assert page.sidebar.title == "Echo"
        assert page.sidebar.chat.send("hi").text == "heard hi"
    assert show("weather").sidebar.title == agents["weather"].title
    assert show("http://127.0.0.1:1/api/chat").sidebar.title == "127.0.0.1:1"


@pytest.mark.parametrize(
    ("source", "error", "text"),
    [
        (7, TypeError, "a URL, a capture"),
        ([], TypeError, "a URL, a capture"),
        ("nobody", UnknownName, "weather"),
        ("ftp://host/x", TransportError, "not an address"),
    ],
)
def test_what_cannot_be_talked_to_says_what_can(source: Any, error: type[Exception], text: str):
    with pytest.raises(error, match=text):
        Sidebar(source)


def test_a_capture_waits_for_play_and_its_twin_shows_the_end(show: Callable[..., Page]):
    capture = load(CAPTURES / "abort-by-client.json")
    page = show(capture)
    assert (page.document["source"], page.document["messages"]) == ("replay", [])
    assert json.loads(page.sidebar.snapshot)["messages"] == capture.messages
    page.act("replay", command="play", speed=0)
    document = page.wait(
        lambda value: len(value["messages"]) == len(capture.messages) and not value["replay"]["playing"]
    )
    assert document["status"] == "ready"
    assert json.loads(page.sidebar.snapshot)["messages"] == capture.messages


def test_an_answer_that_was_cut_off_does_not_look_finished(show: Callable[..., Page]):
    """In a chat that goes on elsewhere, while a recording plays, and in the twin of that recording."""
    chunks = [{"type": "start", "messageId": "m1"}, {"type": "text-start", "id": "t"}]
    half = [*chunks, {"type": "text-delta", "id": "t", "delta": "It will directly"}]
    data = b"".join(encode_sse(json_text.write(chunk)) for chunk in half)
    capture = Capture(name="cut", segments=(Segment(0, data),))
    player = ReplayPlayer(capture, speed="max")
    lab_loop().run(player.restart(), timeout=10)
    lab_loop().run(player.wait(), timeout=10)
    ended = {"state": "truncated", "messageId": "m1"}
    assert show(player.chat).sidebar._session.document.value["ended"] == ended
    player.chat.set_messages([])
    player.chat.set_messages([{"id": "m0", "role": "assistant", "parts": []}])
    assert show(player.chat).sidebar._session.document.value["ended"] is None
    recording = show(capture, speed="max").sidebar
    assert "Cut off: the stream stopped without a finish" in recording.static_html()
    assert json.loads(recording.snapshot)["ended"] == ended


def test_a_recording_may_play_at_once(show: Callable[..., Page]):
    captures = load_all(CAPTURES / "approval-approved.json")
    page = show(captures, speed="max", play=True)
    document = page.wait(
        lambda value: ready(value) and value["replay"]["position_ms"] == value["replay"]["duration_ms"]
    )
    assert document["messages"] == captures[-1].messages
    assert {entry["status"] for entry in document["tools"].values()} == {"done"}


def test_the_title_can_be_given(show: Callable[..., Page]):
    assert show(title="My agent").document["title"] == "My agent"


# ── what is broken ──────────────────────────────────────────────────────────────────────────────────────────────────

USER = {"id": "u", "role": "user", "parts": [{"type": "text", "text": "hi"}]}
TOOL = {"type": "tool-t", "toolCallId": "c", "state": "input-available"}
BAD_MESSAGES = [
    5,
    [5],
    [{"role": "user", "parts": [5]}],
    [{"role": "user", "parts": [{"type": "text", "text": 7}, {"type": "text"}]}],
    [{"id": 5, "role": ["user"], "parts": []}, {"role": "assistant"}],
    [{"id": "a", "role": "assistant", "parts": [{**TOOL, "approval": 5}, {"type": "tool-t"}, {"type": 5}]}],
    [{"id": "a", "role": "assistant", "parts": [{**TOOL, "type": "dynamic-tool", "toolName": 5}]}],
    [{"role": "assistant", "parts": [TOOL]}],
]


@pytest.mark.parametrize("bad", BAD_MESSAGES, ids=repr)
@pytest.mark.parametrize("answer", [[], [{"type": "start"}, {"type": "text-start", "id": "t"}, {"type": "finish"}]])
def test_a_recording_with_a_bad_request_shows_what_can_be_shown(show: Callable[..., Page], bad: Any, answer: Any):
    sent = [*bad, USER] if isinstance(bad, list) else bad
    segments = [Segment(0, b"".join(encode_sse(json_text.write(chunk)) for chunk in answer))]
    request = Request("POST", "http://127.0.0.1/api", {}, json_text.write_bytes({"messages": sent}))
    capture = Capture(name="bad", request=request, response=None, segments=segments, protocol="ui-message-stream")
    page = show(capture, speed="max", play=True)
    document = page.wait(lambda value: value["status"] == "ready" and not value["replay"]["playing"])
    assert page.sidebar.static_html()
    if isinstance(bad, list):
        assert {"id": "u", **USER} in document["messages"]


def test_closing_a_sidebar_whose_making_failed_is_silent(monkeypatch: pytest.MonkeyPatch):
    made: list[Sidebar] = []

    def fail(*_args: Any, **_kwargs: Any) -> Any:
        raise RuntimeError("no")

    for name in ("Session", "Document", "KernelTools", "hub", "_bundle", "conversation_of", "bounded_json"):
        with monkeypatch.context() as patch:
            patch.setattr(sidebar_module, name, fail)
            sidebar = Sidebar.__new__(Sidebar)
            made.append(sidebar)
            with pytest.raises(RuntimeError, match="no"):
                sidebar.__init__(echo)
            sidebar.close()
            sidebar.close()
    assert len(made) == 7


# ── client tools ────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_function_of_the_kernel_answers_a_client_tool(show: Callable[..., Page]):
    page = show()
    threads: list[str] = []

    @page.sidebar.client_tool
    def pick(low: int, high: int) -> int:
        threads.append(threading.current_thread().name)
        return low + high

    page.act("send", text="pick one")
    document = page.wait(lambda value: ready(value) and "picked" in value["messages"][-1]["parts"][-1].get("text", ""))
    assert document["messages"][-1]["parts"][-1]["text"] == "picked 7"
    assert document["clientTools"]["pick"]["interactive"] is False
    assert threads == ["aisdk-lab-tool"]
    assert document["queuedDecisions"] == {}


def test_in_a_kernel_a_function_runs_on_the_main_thread_after_the_cell(sent: list[Any]):
    """The main thread's loop is this one; while it stands still the row says that the call waits for the cell."""
    seen: dict[str, Any] = {}

    def pick(low: int, high: int) -> int:
        seen["thread"] = threading.current_thread()
        return high

    async def cell() -> None:
        sidebar = Sidebar(echo, client_tools={"pick": pick})
        page = Page(sent, sidebar)
        page.say({"type": "sync", "from": 0})
        page.act("send", text="pick one")
        # Blocking on purpose: this is the cell that computes.
        document = page.wait(lambda value: bool(value["queuedDecisions"]))
        seen["queued"] = document["queuedDecisions"], [entry["status"] for entry in document["tools"].values()]
        seen["early"] = "thread" in seen
        while sidebar.chat.is_busy or "thread" not in seen or "picked" not in str(sidebar.chat.messages):
            await asyncio.sleep(0)
        seen["text"] = sidebar.chat.messages[-1]["parts"][-1]["text"]
        await asyncio.to_thread(sidebar.close)

    asyncio.run(asyncio.wait_for(cell(), 20))
    (queued, statuses), early = seen["queued"], seen["early"]
    assert (list(queued.values()), statuses, early) == (["cell"], ["waiting"], False)
    assert (seen["thread"], seen["text"]) == (threading.main_thread(), "picked 6")


@pytest.mark.parametrize(
    ("tool", "text"),
    [
        (lambda: 1, "TypeError"),
        (lambda low, high: {1, 2}, "TypeError"),
        (lambda low, high: 1 / 0, "ZeroDivisionError"),
        (lambda low, high: sys.exit(2), "SystemExit: 2"),
        (lambda low, high: throw(KeyboardInterrupt()), "KeyboardInterrupt"),
        (lambda low, high: throw(Wordless()), "Wordless"),
        (lambda low, high: nested(1000), "ValueError"),
    ],
)
def test_a_function_that_fails_is_an_error_of_the_call(show: Callable[..., Page], tool: Any, text: str):
    page = show(client_tools={"pick": tool})
    page.act("send", text="pick one")
    document = page.wait(lambda value: ready(value) and "failed" in value["messages"][-1]["parts"][-1].get("text", ""))
    assert text in document["messages"][-1]["parts"][-1]["text"]


def test_an_async_function_is_awaited(show: Callable[..., Page]):
    async def pick(low: int, high: int) -> int:
        await asyncio.sleep(0)
        return 3

    page = show(client_tools={"pick": pick})
    page.act("send", text="pick one")
    page.wait(lambda value: ready(value) and value["messages"][-1]["parts"][-1].get("text") == "picked 3")


def test_what_a_person_answers_is_declared_for_a_url(show: Callable[..., Page]):
    schema = {"type": "object"}
    page = show("http://127.0.0.1:1/api/chat", client_tools={"ask": True, "form": ClientTool(input_schema=schema)})
    assert page.document["clientTools"] == {
        "ask": {"interactive": True, "inputSchema": None},
        "form": {"interactive": True, "inputSchema": schema},
    }


# ── without a page ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_bundle_has_the_widget_and_a_readable_text(show: Callable[..., Page]):
    sidebar = show().sidebar
    sidebar.chat.send("<b>hi</b>")
    data, _ = sidebar._repr_mimebundle_()
    assert set(data) == {"application/vnd.jupyter.widget-view+json", "text/html", "text/plain"}
    assert data["text/plain"] == repr(sidebar) == "Sidebar: Echo, 2 messages, Ready"
    assert "heard &lt;b&gt;hi&lt;/b&gt;" in data["text/html"]


def test_closing_frees_everything_and_a_chat_that_was_given_goes_on(show: Callable[..., Page]):
    chat = Chat(InProcessTransport(echo))
    sidebar = show(chat).sidebar
    model_id = sidebar.model_id
    assert chat._core.state.subscribers
    sidebar.close()
    sidebar.close()
    assert chat._core.state.subscribers == ()
    assert model_id not in ipywidgets.widget._instances
    assert repr(sidebar).endswith(", closed")
    assert chat.send("still here").text == "heard still here"


def test_closing_stops_what_runs(show: Callable[..., Page]):
    @scripted(delay_ms=0)
    def endless(turn: Any) -> Any:
        yield turn.text("begun")
        yield turn.sleep(3600)

    page = show(endless)
    page.act("send", text="go")
    page.wait(lambda value: len(value["messages"]) == 2)
    page.sidebar.close()
    assert page.sidebar.chat.outcome is not None
    assert page.sidebar.chat.outcome.state == "aborted"


def test_the_demo_is_one_until_it_is_closed():
    first = demo("weather")
    assert demo("weather") is first
    first.close()
    second = demo("weather")
    assert second is not first
    second.close()
    with pytest.raises(UnknownName, match="publish"):
        demo("nobody")
