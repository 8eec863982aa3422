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
FILES = [path for kind in FRESH for path in sorted((GOLDEN / kind).glob("*.jsonl")) if vectors.kind_of(path) == kind]
FRESH_CASES = int(os.environ.get("FRESH_CASES", "300"))
FRESH_SEED = os.environ.get("FRESH_SEED", "0")
LIMIT_S = 100
SHOWN = 5

Record = Callable[[str, list[Any]], list[Any]]


@pytest.fixture
def record(node: Path) -> Record:
    """`record(kind, inputs)`: what the real package makes of them, in the format of the recordings."""

    def run(kind: str, inputs: list[Any]) -> list[Any]:
        done = subprocess.run(
            [node, "vectors.mjs"],
            cwd=HERE,
            input=json.dumps({"kind": kind, "inputs": inputs}),
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


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
    inputs = [FRESH[kind](Random(f"{FRESH_SEED}/{number}")) for number in range(FRESH_CASES)]
    different: list[str] = []
    for number, (given, expected) in enumerate(zip(inputs, record(kind, inputs), strict=True)):
        case = {"name": f"{FRESH_SEED}/{number}", "input": given, "expect": expected}
        if found := vectors.difference(kind, case):
            different.append(f"{case['name']}: {found}")
    assert not different, f"{len(different)} of {FRESH_CASES}:\n" + "\n".join(different[:SHOWN])
