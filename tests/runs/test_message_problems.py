"""Messages from outside are judged as the reference judges them."""

from __future__ import annotations

import json

import pytest

from aisdk_lab.runs.message_problems import messages_problems
from tests.conftest import GOLDEN

LINES = (GOLDEN / "validate_messages" / "validate_messages.jsonl").read_bytes().splitlines()
CASES = [case for case in map(json.loads, LINES) if set(case["input"]) == {"messages"}]


def paths(problems: list[str]) -> list[str]:
    return sorted(problem.split("  @ ")[1] for problem in problems)


def step(key: str | int) -> str:
    return f"[{key}]" if isinstance(key, int) else f".{key}"


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_the_verdict_and_the_places_are_those_of_the_reference(case):
    problems = messages_problems(case["input"]["messages"])
    assert (not problems) == case["expect"]["success"]
    if case["name"] != "m/null":  # the reference throws before it looks for places
        issues = case["expect"].get("issues", [])
        assert paths(problems) == sorted("$.messages" + "".join(map(step, issue["path"])) for issue in issues)


def test_all_problems_are_listed_not_only_the_first():
    messages = [
        {"id": 7, "role": "user", "parts": [{"type": "text", "text": 3}, None]},
        {"id": "a", "role": "robot", "parts": [{"type": "tool-x", "toolCallId": "c", "state": "output-available"}]},
        "hello",
    ]
    assert messages_problems(messages) == [
        "expected a string, got 7  @ $.messages[0].id",
        "expected a string, got 3  @ $.messages[0].parts[0].text",
        "expected an object, got null  @ $.messages[0].parts[1]",
        "expected one of 'system', 'user', 'assistant', got 'robot'  @ $.messages[1].role",
        "expected a value, got nothing  @ $.messages[1].parts[0].input",
        "expected a value, got nothing  @ $.messages[1].parts[0].output",
        "expected an object, got 'hello'  @ $.messages[2]",
    ]
