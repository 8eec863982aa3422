"""When a chat client sends again by itself, as recorded from the SDK."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aisdk_lab.errors import UnknownName
from aisdk_lab.ui_stream.predicates import complete_with_approval_responses, complete_with_tool_calls

GOLDEN = Path(__file__).parents[1] / "golden"
CASES = [json.loads(line) for line in (GOLDEN / "predicates" / "predicates.jsonl").read_bytes().splitlines()]
_HEAD, *BY_VERSION = [
    json.loads(line) for line in (GOLDEN / "versions" / "predicate_verdicts.jsonl").read_bytes().splitlines()
]
RELEASES: list[str] = _HEAD["versions"]
DONE = {"type": "tool-t", "toolCallId": "c", "state": "output-available", "input": {}, "output": 1}


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_both_predicates_answer_as_the_sdk_does(case: dict[str, Any]) -> None:
    messages = case["input"]["messages"]
    seen = {
        "toolCalls": complete_with_tool_calls(messages),
        "approvalResponses": complete_with_approval_responses(messages),
    }
    assert seen == case["expect"]


@pytest.mark.parametrize("place", range(len(RELEASES)), ids=RELEASES)
def test_each_version_gets_its_own_answer(place: int) -> None:
    """`-` means that the version has no such predicate: nothing is ever sent."""
    seen = {
        case["name"]: (
            complete_with_tool_calls(case["messages"], RELEASES[place]),
            complete_with_approval_responses(case["messages"], RELEASES[place]),
        )
        for case in BY_VERSION
    }
    assert seen == {
        case["name"]: (case["toolCalls"][place] == "y", case["approvalResponses"][place] == "y") for case in BY_VERSION
    }


def test_the_lines_disagree_about_a_preliminary_output() -> None:
    messages = [{"id": "a", "role": "assistant", "parts": [{**DONE, "preliminary": True}]}]
    assert [complete_with_tool_calls(messages, version) for version in ("4", "5", "6", "7.0.106", "7")] == [
        False,
        True,
        False,
        True,
        False,
    ]


def test_a_message_without_parts_is_not_complete() -> None:
    for message in ({"role": "assistant"}, {"role": "assistant", "parts": None}, {}):
        assert not complete_with_tool_calls([message])
        assert not complete_with_approval_responses([message])


@pytest.mark.parametrize("odd", [None, 5, "x", [1], {"parts": 5, "role": "assistant"}], ids=repr)
def test_what_is_no_message_and_no_part_is_left_out(odd: Any) -> None:
    for messages in ([odd], [{"role": "assistant", "parts": odd}], [{"role": "assistant", "parts": [odd]}]):
        assert not complete_with_tool_calls(messages)
        assert not complete_with_approval_responses(messages)
    assert complete_with_tool_calls([{"role": "assistant", "parts": [odd, DONE]}])


def test_an_unknown_version_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UnknownName, match=r"no version of `ai` is called '8'.*7\.0\.0 to 7\.0\.173"):
        complete_with_tool_calls([], "8")
