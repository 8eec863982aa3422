"""When a chat client sends again by itself, as recorded from the SDK."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aisdk_lab.ui_stream.predicates import complete_with_approval_responses, complete_with_tool_calls

GOLDEN = Path(__file__).parents[1] / "golden" / "predicates" / "predicates.jsonl"
CASES = [json.loads(line) for line in GOLDEN.read_bytes().splitlines()]


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_both_predicates_answer_as_the_sdk_does(case: dict[str, Any]) -> None:
    messages = case["input"]["messages"]
    seen = {
        "toolCalls": complete_with_tool_calls(messages),
        "approvalResponses": complete_with_approval_responses(messages),
    }
    assert seen == case["expect"]
