"""The version axis against what a hundred published versions of `ai` said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aisdk_lab.ui_stream.versions import validate_chunk

GOLDEN = Path(__file__).parents[1] / "golden" / "versions"


def recorded(name: str) -> tuple[list[str], list[dict[str, Any]]]:
    lines = [json.loads(line) for line in (GOLDEN / f"{name}.jsonl").read_bytes().splitlines()]
    return lines[0]["versions"], lines[1:]


RELEASES, CHUNKS = recorded("chunk_verdicts")
_, SEQUENCES = recorded("sequence_ends")
_, CHATS = recorded("chat_ends")


@pytest.mark.parametrize("place", range(len(RELEASES)), ids=RELEASES)
def test_every_recorded_verdict_of_a_version_is_predicted(place: int) -> None:
    wrong = {
        case["name"]: validate_chunk(case["chunk"], RELEASES[place])
        for case in CHUNKS
        if (validate_chunk(case["chunk"], RELEASES[place]) == []) != (case["verdicts"][place] != "r")
    }
    assert wrong == {}
