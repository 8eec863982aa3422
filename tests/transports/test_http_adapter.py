"""A chat over HTTP with the lab's own adapter: the whole way down and up, on a real port."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from aisdk_lab.agents.scripted import scripted
from aisdk_lab.chat import Chat
from aisdk_lab.loopback import lab_loop
from aisdk_lab.server.adapter import Adapter, serve
from aisdk_lab.transports.http import HttpTransport


@scripted(delay_ms=0, client_tools=["pick"])
def agent(turn: Any) -> Any:
    """Asks, publishes, or waits for ever."""
    if "wait" in turn.words:
        yield turn.text("begun")
        yield turn.sleep(3600)
    picked = yield turn.client_tool("pick", {})
    sent = yield turn.tool("publish", {"title": "周报"}, approval=True, output={"ok": True})
    yield turn.text(f"{picked.output}: " + ("published" if sent.ok else f"not published, {sent.reason}"))


@pytest.fixture
def adapter() -> Iterator[Adapter]:
    served = serve(agent, name="http-transport")
    yield served
    served.stop()


def chat_with(adapter: Adapter, **options: Any) -> Chat:
    return Chat(HttpTransport(adapter.chat_url, token=adapter.token, stop=True, **options))


@pytest.mark.parametrize(("approved", "text"), [(True, "7: published"), (False, "7: not published, later")])
def test_a_client_tool_and_an_approval_resume_the_same_run(adapter: Adapter, approved: bool, text: str):
    chat = chat_with(adapter)
    assert chat.send("go").state == "waiting"
    assert chat.outcome is not None
    waiting = chat.add_tool_output(chat.outcome.waiting[0], 7)
    assert waiting is not None
    assert waiting.state == "waiting"
    (approval,) = [part["approval"]["id"] for part in waiting.message["parts"] if part.get("approval")]
    outcome = chat.add_tool_approval_response(approval, approved, "later")
    assert outcome is not None
    assert (outcome.state, outcome.text) == ("complete", text)
    assert adapter.application.pending(chat.id) == ()


def test_stop_really_stops_the_run(adapter: Adapter):
    async def run() -> None:
        chat = chat_with(adapter)
        came = asyncio.Event()
        chat.subscribe(lambda event: came.set() if event.kind == "changes" else None)
        sending = asyncio.ensure_future(chat.asend("wait"))
        await came.wait()
        assert adapter.application.running(chat.id) is not None
        await chat.astop()
        assert (await sending).state == "aborted"
        assert adapter.application.running(chat.id) is None

    lab_loop().run(run(), timeout=20)


def test_without_the_token_the_door_says_what_is_missing(adapter: Adapter):
    outcome = Chat(HttpTransport(adapter.chat_url)).send("go")
    assert outcome.error is not None
    assert (outcome.error.name, outcome.error.details["statusCode"]) == ("AI_APICallError", 401)
    assert "token is missing" in outcome.error.message
    assert adapter.token not in repr(outcome)
