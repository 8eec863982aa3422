"""`python -m tests.bench`: our side against its peers, as ratios of one run, in a table.

Peers are the real packages: `ai` 7.0.173 in Node 24, httpx-sse over httpx. Each run is a fresh process and times only the
work; how it is cut into groups and rounds stands in `figures.py`. Memory is the growth of VmHWM (set back before the
work), for a held capture that of VmRSS; both need Linux.

The table is printed and kept beside the same as JSON, with every round, in tests/_bench/. A figure that misses its goal
is told and is no failure; two sides that do not agree about the result are one, and so is a program that ends badly.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
import unicodedata
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tests.bench import inputs
from tests.bench.figures import GROUPS, Group, Results, Row, Run, all_rows
from tests.node import NODE, ROOT

OUTPUT = ROOT / "tests" / "_bench"
RUN_LIMIT_S = 180.0
WHOLE_LIMIT_S = 660.0
"""The group that comes last gets what is left of it."""


def command(run: Run, path: Path) -> list[str]:
    if run.side == "ai":
        return [
            str(NODE),
            "--expose-gc",
            str(ROOT / "tests" / "bench" / "peers.mjs"),
            run.work,
            str(path),
            *run.arguments,
        ]
    return [sys.executable, "-m", f"tests.bench.{run.side}", run.work, str(path), *run.arguments]


def write_input(folder: Path, run: Run, results: Results) -> Path:
    maker, *arguments = run.source
    if maker == "document":
        return inputs.write_document(folder, *arguments)
    path = inputs.write_stream(folder, str(maker), *arguments)
    if run.source not in results.messages:
        with path.open(encoding="utf-8") as file:
            results.messages[run.source] = json.loads(file.readline())["messages"]
    return path


def answer(run: Run, path: Path, limit_s: float, results: Results) -> None:
    """One round of one run; a peer that meets its limit counts with that, marked."""
    try:
        ended = subprocess.run(
            command(run, path), cwd=ROOT, capture_output=True, text=True, check=False, timeout=limit_s
        )
    except subprocess.TimeoutExpired:
        if run.side == "ours":
            results.trouble.append(f"{run}: did not end within {limit_s:.0f} s")
            return
        results.stopped.add(run)
        results.answers.setdefault(run, []).append({"seconds": limit_s, "check": {}})
        return
    if ended.returncode:
        last = ended.stderr.strip().splitlines()[-1:] or ["no word"]
        results.trouble.append(f"{run}: ended with {ended.returncode}: {last[0]}")
        return
    results.answers.setdefault(run, []).append(json.loads(ended.stdout))


def disagreements(group: Group, results: Results) -> list[str]:
    """Where the sides of a group read the same input differently, in what both have told."""
    told: dict[tuple[Any, str], dict[str, set[str]]] = {}
    for run in group.runs:
        for told_once in results.answers.get(run, []):
            for key, digest in told_once["check"].items():
                told.setdefault((run.source, key), {}).setdefault(digest, set()).add(f"{run.side} {run.work}")
    return [
        f"{source}, {key}: {' but '.join(f'{sorted(who)}: {digest}' for digest, who in digests.items())}"
        for (source, key), digests in told.items()
        if len(digests) > 1
    ]


def measure(group: Group, rounds: int, folder: Path, deadline: float, results: Results) -> None:
    started = time.monotonic()
    paths = {run: write_input(folder, run, results) for run in group.runs}
    for _ in range(rounds):
        for run in group.runs:
            left_s = deadline - time.monotonic()
            answer(run, paths[run], max(5.0, left_s if group.last else min(RUN_LIMIT_S, left_s)), results)
    results.trouble += disagreements(group, results)
    print(f"{group.name}: {rounds} rounds, {time.monotonic() - started:.1f} s", flush=True)


def wide(text: str) -> int:
    return sum(1 + (unicodedata.east_asian_width(sign) in "WF") for sign in text)


def table(rows: list[Row]) -> str:
    lines = [("case", "peer", "ours", "ratio", "goal", "met?")]
    for row in rows:
        ratio = "–" if row.ratio is None else f"{'≥ ' * row.bound}{row.ratio:.3g}"
        goal = "–" if row.goal is None else f"{row.sense} {row.goal:g}"
        lines.append((row.case, row.peer, row.ours, ratio, goal, row.met))
    widths = [max(wide(line[place]) for line in lines) for place in range(6)]
    return "\n".join(
        "  ".join(cell + " " * (width - wide(cell)) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def conditions() -> dict[str, Any]:
    package = json.loads((ROOT / "tests/interop/node_modules/ai/package.json").read_bytes())
    node = subprocess.run([NODE, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M"),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "load": [round(load, 2) for load in os.getloadavg()],
        "python": platform.python_version(),
        "node": node,
        "ai": package["version"],
        **{name: version(name) for name in ("httpx", "httpx-sse", "msgspec", "pandas")},
    }


def text_of(about: dict[str, Any], rows: list[Row], results: Results, seconds: float) -> str:
    lines = [", ".join(f"{name} {value}" for name, value in about.items()), "", table(rows), ""]
    lines.append(f"Medians over the rounds, each run a fresh process; {seconds:.0f} s in all.")
    missed = sum(row.met == "missed" for row in rows)
    lines.append(f"{sum(row.met == 'yes' for row in rows)} goals met, {missed} missed.")
    if results.left_out:
        lines.append(f"Left out, as asked for: {'; '.join(results.left_out)}.")
    if about["load"][0] > 0.5 * (os.cpu_count() or 1):
        lines.append(f"The machine was not quiet when this began (load {about['load'][0]}).")
    lines += [f"TROUBLE: {line}" for line in results.trouble]
    return "\n".join(lines)


def kept_answers(results: Results) -> list[dict[str, Any]]:
    return [{**asdict(run), "rounds": answers} for run, answers in results.answers.items()]


def main() -> int:
    """Measures, prints and keeps the table; 1 when a result was wrong or a program failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="leave out the round that takes four minutes")
    parser.add_argument("--rounds", type=int, metavar="N", help="at most N rounds of everything")
    parser.add_argument(
        "--only", metavar="WORD", help="groups whose name holds the word; figures that need others are left out"
    )
    options = parser.parse_args()
    if not sys.platform.startswith("linux"):
        parser.error("the figures of memory are read from /proc, which only Linux has")
    started, about, results = time.monotonic(), conditions(), Results()
    with tempfile.TemporaryDirectory(prefix="aisdk-lab-bench-") as folder:
        for group in GROUPS:
            if (options.only or "") not in group.name or (options.quick and group.last):
                results.left_out.append(group.name)
                continue
            rounds = min(group.rounds, options.rounds or group.rounds)
            measure(group, rounds, Path(folder), started + WHOLE_LIMIT_S, results)
    rows = [row for row in all_rows(results) if not (options.only and row.ratio is None)]
    text = text_of(about, rows, results, time.monotonic() - started)
    print(f"\n{text}")
    OUTPUT.mkdir(exist_ok=True)
    (OUTPUT / "bench.txt").write_text(text + "\n", "utf-8")
    kept = {
        "conditions": about,
        "rows": [asdict(row) | {"met": row.met} for row in rows],
        "runs": kept_answers(results),
    }
    (OUTPUT / "bench.json").write_text(json.dumps(kept, ensure_ascii=False, indent=1) + "\n", "utf-8")
    return int(bool(results.trouble))


if __name__ == "__main__":
    sys.exit(main())
