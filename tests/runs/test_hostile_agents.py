"""Agents that misbehave: their run ends with an error, and nothing else does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from aisdk_lab.runs import run as run_module
from aisdk_lab.runs.application import RunApplication, RunInProgress
from aisdk_lab.runs.request import ChatRequest
from tests.agents.stage import Stage, play, user

MASKED = {"type": "error", "errorText": "An error occurred."}


class Mute(Exception):
    def __str__(self) -> str:
        raise ValueError("no words")


class Raising:
    """An agent that raises what a test says."""

    name, title, suggestions, client_tools = "raising", "Raising", (), {}

    def __init__(self, error: BaseException) -> None:
        self.error = error

    async def run(self, turn: Any) -> AsyncGenerator[dict, None]:
        yield {"type": "start-step"}
        raise self.error


def state(stage: Stage) -> str:
    return stage.application.ledger.facts("t1")[-1].body["state"]


@pytest.mark.parametrize(
    "error", [SystemExit(3), KeyboardInterrupt(), asyncio.CancelledError(), GeneratorExit(), Mute()], ids=repr
)
def test_whatever_an_agent_raises_is_an_error_of_its_run(error):
    stage = Stage(Raising(error))
    assert play(lambda: stage.send("hi"))[-1] == MASKED
    assert state(stage) == "error"


@pytest.mark.parametrize("answer", [ValueError("on_error"), SystemExit(), 3], ids=repr)
def test_an_on_error_that_fails_itself_falls_back_to_the_masked_text(answer):
    def on_error(_error: Exception) -> Any:
        if isinstance(answer, BaseException):
            raise answer
        return answer

    stage = Stage(Raising(ValueError("sk-secret")), on_error=on_error)
    assert play(lambda: stage.send("hi"))[-1] == MASKED
    assert state(stage) == "error"


def test_an_exception_without_words_is_told_by_its_type_at_the_awaken_door():
    async def scene():
        application = RunApplication(Raising(Mute()))
        return [chunk async for chunk in await application.open(ChatRequest("t1", (user("hi"),)), "awaken")]

    error, _, finish = play(scene)[-3:]
    assert error == {"type": "error", "errorText": "stream_failed: Mute"}
    assert finish["finishReason"] == "error"


def test_an_agent_that_uses_its_chunk_again_changes_nothing_that_it_said():
    class Reusing(Raising):
        async def run(self, turn):
            yield {"type": "start-step"}
            chunk = {"type": "data-plan", "data": {"step": 1}}
            yield chunk
            chunk["data"]["step"] = 2
            yield {"type": "finish-step"}

    stage = Stage(Reusing(ValueError()))
    chunks = play(lambda: stage.send("hi"))
    assert chunks[2]["data"] == {"step": 1}
    assert stage.application.history("t1")[1]["parts"][1]["data"] == {"step": 1}


def test_an_agent_that_will_not_stop_keeps_its_thread_and_the_next_request_is_refused(monkeypatch):
    monkeypatch.setattr(run_module, "STOP_S", 0.01)
    gate = asyncio.Event()

    class Stubborn(Raising):
        async def run(self, turn):
            yield {"type": "start-step"}
            while not gate.is_set():
                try:
                    await gate.wait()
                except asyncio.CancelledError:
                    continue

    async def scene():
        application = RunApplication(Stubborn(ValueError()))
        first = await application.open(ChatRequest("t1", (user("hi"),)))
        assert [(await anext(first))["type"], (await anext(first))["type"]] == ["start", "start-step"]
        first.leave()
        with pytest.raises(RunInProgress, match="was stopped and does not end"):
            await application.open(ChatRequest("t1", (user("again", "u2"),)))
        gate.set()
        await application.close()

    play(scene)


def test_the_quote_of_a_huge_chunk_is_cut(caplog):
    class Huge(Raising):
        async def run(self, turn):
            yield {"type": "nonsense", "text": "x" * 100_000}

    stage = Stage(Huge(ValueError()))
    assert play(lambda: stage.send("hi"))[-1] == MASKED
    assert len(stage.application.failures[0]) < 1_000
    assert len(caplog.text) < 10_000


@pytest.mark.parametrize("profile", ["ai-sdk", "awaken"])
def test_a_run_whose_end_fails_still_ends_for_its_readers_and_in_the_ledger(profile):
    class Broken(Raising):
        client_tools = property(lambda _self: 1 / 0)

        async def run(self, turn):
            yield {"type": "tool-input-available", "toolCallId": "c1", "toolName": "pick", "input": {}}

    async def scene():
        application = RunApplication([Broken(ValueError())])
        chunks = [chunk async for chunk in await application.open(ChatRequest("t1", (user("hi"),)), profile)]
        return chunks, application

    chunks, application = play(scene)
    assert "error" in [chunk["type"] for chunk in chunks]
    assert application.ledger.facts("t1")[-1].body["state"] == "error"
    assert application.running("t1") is None
