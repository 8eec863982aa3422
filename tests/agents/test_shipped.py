"""The shipped agents: every one answers, in the language of the question, and quickly."""

from __future__ import annotations

import pytest

from aisdk_lab.agents import agents
from aisdk_lab.errors import UnknownName
from aisdk_lab.ui_stream.messages import text_of
from tests.agents.stage import Stage, play

APPLIED = {"status": "applied"}


def states(stage: Stage) -> dict[str, str]:
    """The tool parts of the last message: name and state."""
    return {
        part["type"].removeprefix("tool-"): part["state"]
        for part in stage.messages[-1]["parts"]
        if part["type"].startswith("tool-")
    }


def plan(stage: Stage) -> list[str]:
    (part,) = [part for part in stage.messages[-1]["parts"] if part["type"] == "data-plan"]
    return [step["status"] for step in part["data"]["steps"]]


def test_the_shipped_agents_are_found_by_name():
    assert {"weather", "publish", "scripted"} <= set(agents)
    with pytest.raises(UnknownName, match="no agent is called 'weathr'. Known: .*weather"):
        agents["weathr"]


@pytest.mark.parametrize("name", sorted(agents))
def test_every_agent_is_known_by_the_name_of_its_module_and_has_something_to_ask(name):
    agent = agents[name]
    assert agent.name == name
    assert agent.title
    assert agent.suggestions


@pytest.mark.parametrize("name", sorted(agents))
@pytest.mark.parametrize("words", ["xyzzy", "随便说点什么", "", "🌤️"])
def test_every_agent_says_something_to_words_that_it_does_not_know(name, words):
    stage = Stage(agents[name])
    chunks = play(lambda: stage.send(words))
    assert chunks[-1] == {"type": "finish", "finishReason": "stop"}
    assert text_of(stage.messages[-1])
    assert sum(stage.slept) <= 6


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        ("杭州天气怎么样？", "**杭州**：25°C，晴 ☀️。穿短袖就行。"),
        ("What is the weather in Oslo?", "**Oslo**: 6°C, snow showers 🌧️. Dress warmly 🧥."),
        ("亚特兰蒂斯的天气？", "没查到（Error: unknown city）。"),
        ("Will it rain?", "Which city? I know Hangzhou"),
    ],
)
def test_the_weather_is_told_in_the_language_of_the_question(words, answer):
    stage = Stage(agents["weather"])
    play(lambda: stage.send(words))
    assert answer in text_of(stage.messages[-1])
    assert stage.application.pending("t1") == ()
    assert sum(stage.slept) <= 6


def test_two_cities_are_looked_up_at_once_and_both_have_their_source():
    stage = Stage(agents["weather"])
    chunks = play(lambda: stage.send("Compare Paris and Oslo"))
    kinds = [chunk["type"] for chunk in chunks if chunk["type"] in ("tool-input-available", "tool-output-available")]
    assert kinds == ["tool-input-available"] * 2 + ["tool-output-available"] * 2
    assert [part["title"] for part in stage.messages[-1]["parts"] if part["type"] == "source-url"] == ["Paris", "Oslo"]


@pytest.mark.parametrize("words", agents["publish"].suggestions)
def test_the_task_of_the_seed_waits_twice_and_keeps_one_plan(words):
    async def scene():
        stage = Stage(agents["publish"])
        seen = []
        await stage.send(words)
        seen.append((plan(stage), states(stage)))
        await stage.answer("call-0-2", APPLIED)
        seen.append((plan(stage), states(stage)))
        await stage.decide("call-0-3", True)
        seen.append((plan(stage), states(stage)))
        return stage, seen

    stage, seen = play(scene)
    assert seen == [
        (["done", "running", "pending"], {"readDocument": "output-available", "proposeEdit": "input-available"}),
        (
            ["done", "done", "running"],
            {
                "readDocument": "output-available",
                "proposeEdit": "output-available",
                "publishToFeishu": "approval-requested",
            },
        ),
        (
            ["done", "done", "done"],
            {
                "readDocument": "output-available",
                "proposeEdit": "output-available",
                "publishToFeishu": "output-available",
            },
        ),
    ]
    assert sum(stage.slept) <= 6
    assert "🎉" in text_of(stage.messages[-1])


def test_an_edit_that_is_not_wanted_is_not_published():
    async def scene():
        stage = Stage(agents["publish"])
        await stage.send("Make this shorter and publish it")
        await stage.answer("call-0-2", {"status": "rejected", "reason": "keep the emoji"})
        return stage

    stage = play(scene)
    assert "I do not publish it. I noted: “keep the emoji”" in text_of(stage.messages[-1])
    assert "publishToFeishu" not in states(stage)


def test_a_publication_that_is_denied_keeps_the_shorter_text():
    async def scene():
        stage = Stage(agents["publish"])
        await stage.send("把这段改得更简洁，然后存到飞书")
        await stage.answer("call-0-2", APPLIED)
        await stage.decide("call-0-3", False, "还没审")
        return stage

    stage = play(scene)
    assert states(stage)["publishToFeishu"] == "output-denied"
    assert "没有发布，改短的正文已经保留。已记下：“还没审”" in text_of(stage.messages[-1])


def test_an_edit_that_the_person_changed_is_the_one_that_is_published():
    async def scene():
        stage = Stage(agents["publish"])
        await stage.send("Make this shorter and publish it")
        await stage.answer("call-0-2", {"status": "applied", "text": "Shorter still."})
        return stage

    assert play(scene).part("call-0-3")["input"] == {"title": "Release notes", "text": "Shorter still."}
