"""The ai-sdk profile beside recordings of the SDK's own server: the same scenario gives the same chunks.

Ids are compared by order of appearance, deltas of one block as one. The recordings with a client-made message id have it
only on continuations; ours always has one, which the reference server also sends when it is told how to make ids.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from aisdk_lab.agents.scripted import ScriptedAgent, scripted
from tests.agents.stage import Stage, joined, play
from tests.conftest import GOLDEN

LINES = (GOLDEN / "agents" / "sdk_transcripts.jsonl").read_text().splitlines()
RECORDED = {case["name"]: case["exchanges"] for case in map(json.loads, LINES)}

Scene = Callable[[Stage], Any]
SCENES: dict[str, tuple[ScriptedAgent, Scene]] = {}


def scene(name: str) -> Callable[[Scene], Scene]:
    """Register what the client did in a recording; the agent is the function of the same name below."""

    def register(client: Scene) -> Scene:
        SCENES[name] = (scripted(globals()[name.replace("-", "_")]), client)
        return client

    return register


def normal(exchanges: list[list[dict]]) -> list[list[dict]]:
    """Exchanges with ids renamed in order of appearance, deltas joined, and no message id on a new message."""
    names: dict[str, str] = {}
    blocks: dict[tuple[int, str, int], str] = {}
    normalised = []
    for number, chunks in enumerate(exchanges):
        starts = 0
        result = []
        for chunk in joined(chunks):
            chunk = dict(chunk)
            if number == 0:
                chunk.pop("messageId", None)
            for key in ("toolCallId", "approvalId", "messageId"):
                if key in chunk:
                    chunk[key] = names.setdefault(f"{key} {chunk[key]}", f"{key} {len(names)}")
            if "id" in chunk and not chunk["type"].startswith("data-"):
                starts += chunk["type"].endswith("-start")
                chunk["id"] = blocks.setdefault((number, chunk["id"], starts), f"block {starts}")
            result.append(chunk)
        normalised.append(result)
    return normalised


def preliminary_results(turn):
    last = {"status": "done", "percent": 100}
    early = [{"status": "queued", "target": "app"}, {"status": "running", "percent": 50}, last]
    yield turn.tool("build", {"target": "app"}, preliminary=early, output=last)
    yield turn.text("Built.")


def approval_approved_with_reason(turn):
    yield turn.tool("remove", {"path": "b"}, approval=True, reason="Deleting is final", output={"deleted": "b"})
    yield turn.text("Deleted.")


def approval_denied(turn):
    yield turn.tool("remove", {"path": "/etc"}, approval=True, output={"deleted": "/etc"})
    yield turn.text("Not deleted.")


def approval_mixed(turn):
    yield turn.together(
        turn.tool("remove", {"path": "a"}, approval=True, output={"deleted": "a"}),
        turn.tool("remove", {"path": "b"}, approval=True, output={"deleted": "b"}),
    )
    yield turn.text("One deleted.")


def client_tool_output_added(turn):
    yield turn.text("One question:")
    yield turn.client_tool("confirm", {"question": "Sure?"})
    yield turn.text("Thanks, going on.")


def client_tool_error_added(turn):
    yield turn.client_tool("confirm", {"question": "Sure?"})
    yield turn.text("Understood.")


def mixed_server_and_client_tool(turn):
    yield turn.together(
        turn.tool("weather", {"city": "Oslo"}, output={"city": "Oslo", "celsius": 21}),
        turn.client_tool("confirm", {"question": "Celsius?"}),
    )
    yield turn.text("21°C")


def parallel_tool_calls(turn):
    yield turn.together(
        turn.tool("slow", {"n": 1}, output={"n": "1", "took": "slow"}, seconds=0.06),
        turn.tool("mid", {"n": 2}, output={"n": "2", "took": "mid"}, seconds=0.03),
        turn.tool("fast", {"n": 3}, output={"n": "3", "took": "fast"}, seconds=0.01),
    )
    yield turn.text("All three done")


def tool_error(turn):
    yield turn.tool("weather", {"city": "Atlantis"}, error="Error: No station in Atlantis")
    yield turn.text("Sorry.")


@scene("preliminary-results")
@scene("parallel-tool-calls")
@scene("tool-error")
async def only_sends(stage):
    return [await stage.send("Hello")]


@scene("approval-approved-with-reason")
async def approves(stage):
    return [await stage.send("Hello"), await stage.decide("call-0-1", True, "I have a backup")]


@scene("approval-denied")
async def denies(stage):
    return [await stage.send("Delete /etc"), await stage.decide("call-0-1", False, "too dangerous")]


@scene("approval-mixed")
async def approves_one_and_denies_the_other(stage):
    first = await stage.send("Hello")
    stage.note("call-0-1", True)
    return [first, await stage.decide("call-0-2", False, "keep b")]


@scene("client-tool-output-added")
async def answers(stage):
    return [await stage.send("Ask me"), await stage.answer("call-0-1", {"answer": "yes"})]


@scene("client-tool-error-added")
async def reports(stage):
    return [await stage.send("Hello"), await stage.report("call-0-1", "user closed the dialog")]


@scene("mixed-server-and-client-tool")
async def answers_the_client_tool(stage):
    return [await stage.send("Hello"), await stage.answer("call-0-2", True)]


@pytest.mark.parametrize("name", sorted(RECORDED))
def test_the_same_scenario_gives_the_chunks_of_the_reference_server(name):
    agent, client = SCENES[name]
    ours = play(lambda: client(Stage(agent)))
    assert normal(ours) == normal(RECORDED[name])
