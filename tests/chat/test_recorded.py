"""A strict chat against the recorded behaviour of the official client, event by event."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.chat.recorded import play_chat

GOLDEN = Path(__file__).parents[1] / "golden" / "chat"


def cases(name: str) -> dict[str, Any]:
    """The cases of a file by their names."""
    lines = (GOLDEN / name).read_text("utf-8").splitlines()
    return {case["name"]: case for case in map(json.loads, lines)}


CASES = cases("chat.jsonl") | cases("chat_random.jsonl")


@pytest.mark.parametrize("name", CASES)
def test_a_strict_chat_does_what_the_official_client_did(name: str):
    assert play_chat(CASES[name]["input"]) == CASES[name]["expect"]
