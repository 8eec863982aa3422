"""Whatever a cell may end with shows itself as HTML, and says what is wrong when it is given something else."""

from __future__ import annotations

from typing import Any

import pytest

import aisdk_lab as lab
from aisdk_lab.runs.application import RunApplication
from aisdk_lab.transports.in_process import InProcessTransport


async def no_wait(seconds: float) -> None:
    """The sleep of these agents."""


@lab.scripted(title="<b>Echo</b>", suggestions=["hi"], client_tools={"pick": True})
def echo(turn: Any) -> Any:
    """Says it again."""
    yield turn.text(f"<script>{turn.words}</script>")
    yield turn.client_tool("pick", {})


def test_an_agent_a_chat_and_an_outcome_have_cards_that_escape_and_name_what_waits() -> None:
    assert "&lt;b&gt;Echo&lt;/b&gt;" in echo._repr_html_()
    assert "Says it again." in echo._repr_html_()
    chat = lab.Chat(InProcessTransport(RunApplication(echo, sleep=no_wait)))
    outcome = chat.send("hi")
    for shown in (chat._repr_html_(), outcome._repr_html_()):
        assert "&lt;script&gt;hi&lt;/script&gt;" in shown
        assert "<script>" not in shown
    assert "waiting for you" in outcome._repr_html_()
    assert "call-0-1" in outcome._repr_html_()


@pytest.mark.parametrize(
    "call",
    [
        lambda: lab.table("weather", "frames"),
        lambda: lab.tables("weather", "frames"),
        lambda: lab.measure("weather"),
        lambda: lab.timing(5),
        lambda: lab.measure([lab.samples["weather"], 5]),
    ],
)
def test_what_is_no_capture_is_named_with_the_way_to_get_one(call: Any) -> None:
    with pytest.raises(TypeError, match=r"expected a capture or several, got .*lab\.samples\[name\], lab\.load"):
        call()


def test_several_captures_are_sent_to_the_table_of_many() -> None:
    with pytest.raises(TypeError, match=r"got several; lab\.tables\(captures, kind\)"):
        lab.table([lab.samples["weather"]], "frames")
