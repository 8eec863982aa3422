"""`import aisdk_lab` costs nothing, and what lies at or below `capture` needs nothing heavy."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time

import pytest

from tests.house.test_import_contract import ROOMS
from tests.node import ROOT

HEAVY = {
    "IPython",
    "anywidget",
    "duckdb",
    "httpx",
    "ipykernel",
    "ipywidgets",
    "jupyter_server",
    "matplotlib",
    "numpy",
    "pandas",
    "sqlalchemy",
    "tornado",
}
BUDGET_MS = 100

CORE = ROOMS[ROOMS.index("capture") :]
LIGHT = ["aisdk_lab"] + [
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for room in CORE
    for path in sorted(
        {*(ROOT / "aisdk_lab").glob(f"{room}.py"), *(ROOT / "aisdk_lab" / room).rglob("*.py")},
    )
]


def fresh(code: str) -> str:
    """What a new interpreter prints; no site hook of the tests is in it."""
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=os.environ | {"PYTHONWARNINGS": "error"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def loaded(statement: str) -> set[str]:
    """The top-level packages that a fresh interpreter holds after `statement`."""
    return set(
        json.loads(fresh(f"import json, sys\n{statement}\nprint(json.dumps([n.split('.')[0] for n in sys.modules]))"))
    )


@pytest.mark.parametrize("module", LIGHT)
def test_a_fresh_interpreter_imports_it_without_anything_heavy(module):
    assert loaded(f"import {module}") & HEAVY == set()


def test_asking_for_the_public_names_loads_none_of_them():
    assert loaded("import aisdk_lab; assert 'Sidebar' in dir(aisdk_lab)") & HEAVY == set()


def import_ms() -> float:
    """Milliseconds that `import aisdk_lab` takes in a fresh interpreter, by its own clock: the start does not count."""
    clock = "from time import perf_counter as now; a = now(); import aisdk_lab; print((now() - a) * 1e3)"
    return float(fresh(clock))


def test_import_stays_under_the_budget():
    best = min(import_ms() for _ in range(5))  # the machine's other work only ever adds
    assert best < BUDGET_MS


@pytest.mark.bench
def test_import_time():
    times = [import_ms() for _ in range(15)]
    bare = []
    for _ in range(15):
        started = time.perf_counter()
        fresh("pass")
        bare.append((time.perf_counter() - started) * 1e3)
    print(  # noqa: T201 — a bench prints
        f"\nimport aisdk_lab: median {statistics.median(times):.1f} ms, worst {max(times):.1f} ms of {len(times)}; "
        f"a bare interpreter starts in {statistics.median(bare):.1f} ms"
    )
