"""The installed package says again what was recorded from it, and says it of inputs that nobody has recorded.

The first test keeps the recordings honest: they are regenerated and must be the same, byte for byte of their JSON
values. The second keeps us honest: no case of it was known when the code was written. `FRESH_CASES=5000` asks for more
of them, `FRESH_SEED=7` for others.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests import vectors
from tests.fresh_inputs import FRESH
from tests.vector_rules import first_difference

HERE = Path(__file__).parent
GOLDEN = HERE.parent / "golden"
FILES = [
    path for kind in vectors.KINDS for path in sorted((GOLDEN / kind).glob("*.jsonl")) if vectors.kind_of(path) == kind
]
FRESH_CASES = int(os.environ.get("FRESH_CASES", "300"))
FRESH_SEED = os.environ.get("FRESH_SEED", "0")
LIMIT_S = 100
SHOWN = 5

PLAYERS = {kind: GOLDEN / kind / "record.mjs" for kind in ("chat", "requests")}
"""What records the kinds of a whole client; `vectors.mjs` records the others."""

Record = Callable[[str, list[Any]], list[Any]]
Run = Callable[..., str]


@pytest.fixture
def run(node: Path) -> Run:
    """`run(script, *arguments, given="")`: what a Node script prints."""

    def run(script: Path, *arguments: str, given: str = "") -> str:
        command = [node, script.name, *arguments]
        done = subprocess.run(
            command, cwd=script.parent, input=given, capture_output=True, text=True, timeout=LIMIT_S, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.fixture
def record(run: Run) -> Record:
    """`record(kind, inputs)`: what the real package makes of them, in the format of the recordings."""

    def record(kind: str, inputs: list[Any]) -> list[Any]:
        if kind in PLAYERS:
            lines = [json.dumps({"name": "", "input": given}) for given in inputs]
            return [case["expect"] for case in cases_of(run(PLAYERS[kind], "play", given="\n".join(lines)))]
        return json.loads(run(HERE / "vectors.mjs", given=json.dumps({"kind": kind, "inputs": inputs})))

    return record


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_the_installed_package_says_what_was_recorded(path: Path, record: Record) -> None:
    kind, cases = str(vectors.kind_of(path)), vectors.read_cases(path)
    again = record(kind, [case["input"] for case in cases])
    changed = [
        f"{case['name']}: {first_difference(kind, case, outcome) or 'a text that does not count'}"
        for case, outcome in zip(cases, again, strict=True)
        if outcome != case["expect"]
    ]
    assert not changed, "\n".join(changed[:SHOWN])


@pytest.mark.parametrize("kind", FRESH)
def test_ours_is_what_the_installed_package_says_of_fresh_inputs(kind: str, record: Record) -> None:
    count = max(1, FRESH_CASES // 5) if kind in PLAYERS else FRESH_CASES
    inputs = [FRESH[kind](Random(f"{FRESH_SEED}/{number}")) for number in range(count)]
    outcomes = zip(inputs, record(kind, inputs), strict=True)
    agree(
        kind,
        [
            {"name": f"{FRESH_SEED}/{number}", "input": given, "expect": expected}
            for number, (given, expected) in enumerate(outcomes)
        ],
    )


@pytest.mark.parametrize("kind", PLAYERS)
def test_ours_is_what_the_installed_package_does_in_a_random_script(kind: str, run: Run) -> None:
    agree(kind, cases_of(run(PLAYERS[kind], "random", FRESH_SEED, str(max(1, FRESH_CASES // 5)))))


def cases_of(lines: str) -> list[Any]:
    return [json.loads(line) for line in lines.split("\n") if line]


def agree(kind: str, cases: list[Any]) -> None:
    found = [(case["name"], vectors.difference(kind, case)) for case in cases]
    different = [f"{name}: {difference}" for name, difference in found if difference]
    assert not different, f"{len(different)} of {len(cases)}:\n" + "\n".join(different[:SHOWN])
