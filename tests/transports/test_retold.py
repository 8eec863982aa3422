"""A message told as chunks again becomes the same message."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aisdk_lab.reducer import MessageReducer
from aisdk_lab.transports._retold import retold

GOLDEN = Path(__file__).parents[1] / "golden" / "chat" / "chat.jsonl"
MESSAGES: dict[str, Any] = {
    json.dumps(message, sort_keys=True): message
    for line in GOLDEN.read_text("utf-8").splitlines()
    for message in json.loads(line)["expect"]["final"]["messages"]
    if message["role"] == "assistant"
}


def again(message: dict[str, Any]) -> dict[str, Any]:
    """The message after it was told; calls with an answer keep the text of their input, which nobody looks at."""
    reducer = MessageReducer(message_id=message["id"], strict=True)
    for chunk in retold(message):
        reducer.feed(chunk)
    found = reducer.message
    parts = [
        {key: value for key, value in part.items() if key != "rawInput" or part["state"] == "input-streaming"}
        for part in found["parts"]
    ]
    return {**found, "parts": parts}


@pytest.mark.parametrize("message", MESSAGES.values(), ids=range(len(MESSAGES)))
def test_every_recorded_answer_survives(message: dict[str, Any]):
    done = {**message, "parts": [{"state": "done", **p} if p["type"] == "text" else p for p in message["parts"]]}
    assert again(message) == done


@pytest.mark.parametrize(
    "more",
    [
        {"state": "input-streaming", "rawInput": '{"a":[1', "input": {"a": [1]}},
        {"state": "input-available", "input": {"a": 1}, "title": "T", "toolMetadata": {"m": 1}},
        {
            "state": "approval-requested",
            "input": {},
            "approval": {"id": "p", "requestReason": "why", "isAutomatic": True},
        },
        {"state": "approval-responded", "input": {}, "approval": {"id": "p", "approved": False, "reason": "no"}},
        {"state": "output-denied", "input": {}, "approval": {"id": "p", "approved": False}},
        {"state": "output-available", "input": {}, "output": None, "preliminary": True, "providerExecuted": True},
        {"state": "output-available", "input": 1, "output": 2, "resultProviderMetadata": {"x": {"y": 1}}},
        {"state": "output-error", "input": None, "errorText": "no", "callProviderMetadata": {"x": {"y": 1}}},
    ],
)
@pytest.mark.parametrize("kind", [{"type": "tool-ask"}, {"type": "dynamic-tool", "toolName": "ask"}])
def test_every_state_of_a_call_survives(kind: dict[str, Any], more: dict[str, Any]):
    part = {**kind, "toolCallId": "c", **more}
    (found,) = again({"id": "m", "role": "assistant", "parts": [part]})["parts"]
    assert found == part
