"""What `make bench` measures: which runs, in which turn, and which figures are made of them.

A group's runs take turns (A B C A B C …), each in a fresh process; a figure is made of the medians over the rounds, and
a ratio only of runs of one group, so that a slow minute of the machine meets both sides.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from statistics import median
from typing import Any, Literal

Answer = dict[str, Any]
HTTPX, SPLIT, AI = "httpx-sse + json.loads", "bare split + msgspec", "parseJsonEventStream"
READER, CHAT = "readUIMessageStream", "AbstractChat"


@dataclass(frozen=True)
class Run:
    """One program on one input: `side` is a file of this folder (`ours`, `peers`, `ai`)."""

    side: Literal["ours", "peers", "ai"]
    work: str
    source: tuple[str | int, ...]
    """The maker of the input and its arguments: `inputs.MAKERS`, or a document."""
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True)
class Group:
    """Runs that take turns."""

    name: str
    rounds: int
    runs: tuple[Run, ...]
    last: bool = False
    """Takes as long as the rest together: `QUICK=1` leaves it out."""


@dataclass(frozen=True)
class Row:
    """One line of the table; `ratio` is `None` when nothing was measured, and `ours` says why."""

    case: str
    peer: str
    ours: str
    ratio: float | None
    sense: Literal["≥", "≤"] = "≥"
    goal: float | None = None
    bound: bool = False
    """The peer was stopped at its limit: the ratio is at least this."""

    @property
    def met(self) -> str:
        if self.ratio is None or self.goal is None:
            return "–"
        held = self.ratio >= self.goal if self.sense == "≥" else self.ratio <= self.goal
        return "yes" if held else ("not known" if self.bound else "missed")


def ours(work: str, *source: str | int, arguments: tuple[str, ...] = ()) -> Run:
    return Run("ours", work, source, arguments)


def reduces(*source: str | int) -> tuple[Run, Run]:
    """Our reducer on a stream, the snapshots dropped and kept."""
    return ours("reduce", *source, arguments=("dropped",)), ours("reduce", *source, arguments=("kept",))


def reader(*source: str | int) -> Run:
    return Run("ai", "reader", source)


# ── the runs ─────────────────────────────────────────────────────────────────────────────────────────────────────────

LANGUAGES = ("ascii", "chinese")
SIZES = {1: (4.0, 0.7), 64: (2.5, 0.7), 1460: (5.0, 0.6), 65536: (5.0, 0.6)}
"""Reads in bytes, with the goals against httpx-sse and against the bare split."""
FRAMES = 20_000
TEXT, TEXT_SMALL = ("text", 100_000), ("text", 10_000)
PARTS_SMALL, PARTS, PARTS_BIG = ("parts", 200), ("parts", 2_000), ("parts", 20_000)
TOOLS_SMALL, TOOLS, TOOLS_BIG = ("tools", 10), ("tools", 50), ("tools", 200)
ROWS_SMALL, ROWS, ROWS_BIG = (("tool", "rows", size) for size in (30_000, 122_000, 500_000))
STRING_SMALL, STRING, STRING_BIG = (("tool", "string", size) for size in (30_000, 122_000, 500_000))
DOCUMENT = ("document", "rows", 122_000)


READ_BYTES = ("1460",)
MADE = "every Frame made"


def decodes(language: str, size: int) -> dict[str, Run]:
    source, cut = ("conversation", language, FRAMES), (str(size),)
    runs = {
        "ours": Run("ours", "decode", source, (*cut, "batch")),
        HTTPX: Run("peers", "httpx-sse", source, cut),
        SPLIT: Run("peers", "split", source, cut),
    }
    if size < 1460:
        return runs
    return runs | {MADE: Run("ours", "decode", source, (*cut, "made")), AI: Run("ai", "decode", source, cut)}


def replays(source: tuple[str | int, ...]) -> tuple[Run, Run]:
    return Run("ours", "replay", source, READ_BYTES), Run("ai", "replay", source, READ_BYTES)


GROUPS = (
    *(
        Group(f"decode {language}, reads of {size} B", 3 if size == 1 else 5, tuple(decodes(language, size).values()))
        for language in LANGUAGES
        for size in SIZES
    ),
    Group(
        "text",
        5,
        (
            *(*reduces(*TEXT_SMALL), reader(*TEXT_SMALL)),
            *(*reduces(*TEXT), reader(*TEXT), Run("ai", "chat", TEXT), Run("peers", "append", TEXT)),
        ),
    ),
    Group(
        "parts",
        3,
        (
            *(*reduces(*PARTS_SMALL), reader(*PARTS_SMALL)),
            *(*reduces(*PARTS), reader(*PARTS), *reduces(*PARTS_BIG)),
        ),
    ),
    Group("tools", 3, (*reduces(*TOOLS), reader(*TOOLS), *reduces(*TOOLS_BIG), reader(*TOOLS_SMALL))),
    Group(
        "tool input, rows",
        3,
        (*reduces(*ROWS), ours("reduce-memory", *ROWS), reader(*ROWS), *reduces(*ROWS_BIG), reader(*ROWS_SMALL)),
    ),
    Group(
        "tool input, a string",
        3,
        (*reduces(*STRING), reader(*STRING), *reduces(*STRING_BIG), reader(*STRING_SMALL)),
    ),
    Group("unfinished JSON", 3, (ours("partial", *DOCUMENT), Run("ai", "partial", DOCUMENT))),
    Group("capture", 3, (ours("capture-memory", *TEXT),)),
    Group("replay, text", 5, replays(TEXT)),
    Group("replay, tool input", 3, replays(ROWS)),
    # Ours on both sides of the minutes that the peer takes.
    Group("tool input, 500 KB", 1, (*reduces(*ROWS_BIG), reader(*ROWS_BIG), *reduces(*ROWS_BIG)), last=True),
)


# ── the figures ──────────────────────────────────────────────────────────────────────────────────────────────────────


def shown_time(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def shown_bytes(size: float) -> str:
    return f"{size / 1e6:.3g} MB"


@dataclass
class Results:
    """What the runs answered, by run, one answer a round; `stopped` are those that met their limit."""

    answers: dict[Run, list[Answer]] = field(default_factory=dict)
    messages: dict[tuple[str | int, ...], int] = field(default_factory=dict)
    """How many messages a stream publishes: its size, for the slopes."""
    stopped: set[Run] = field(default_factory=set)
    trouble: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    """Names of groups."""

    def has(self, *runs: Run) -> bool:
        return all(self.answers.get(run) for run in runs)

    def median(self, run: Run, key: str = "seconds") -> float:
        return median(answer[key] for answer in self.answers[run])

    def slope(self, small: Run, large: Run) -> float:
        times = self.median(large) / self.median(small)
        return math.log(times) / math.log(self.messages[large.source] / self.messages[small.source])


def faster(
    results: Results, case: str, peer: tuple[str, Run], mine: Run, goal: float | None, key: str = "seconds"
) -> Row:
    """How many times as long as we the peer takes; `key` names our time."""
    name, run = peer
    if not results.has(run, mine):
        return Row(case, name, "not measured", None, "≥", goal)
    theirs, own, bound = results.median(run), results.median(mine, key), run in results.stopped
    shown = f"{name}: {'> ' * bound}{shown_time(theirs)}"
    return Row(case, shown, shown_time(own), theirs / own, "≥", goal, bound)


def at_most(case: str, peer: str, mine: str, ratio: float, goal: float | None) -> Row:
    return Row(case, peer, mine, ratio, "≤", goal)


def decode_rows(results: Results) -> list[Row]:
    rows: list[Row] = []
    for language in LANGUAGES:
        for size, (against_httpx, against_split) in SIZES.items():
            runs, case = decodes(language, size), f"decode, {language}, reads of {size} B"
            for name, goal in ((HTTPX, against_httpx), (AI, 10.0), (SPLIT, against_split)):
                if name in runs:
                    rows.append(faster(results, case, (name, runs[name]), runs["ours"], goal))
            if MADE in runs:
                rows.append(faster(results, f"{case}, {MADE}", (HTTPX, runs[HTTPX]), runs[MADE], None))
    return rows


def reduce_rows(results: Results) -> list[Row]:
    rows: list[Row] = []
    for case, source, goal in (
        ("100k text deltas", TEXT, 6.0),
        ("2,000 parts", PARTS, 60.0),
        ("50 parallel tools of 2 KB", TOOLS, 40.0),
        ("122 KB tool input, rows", ROWS, 200.0),
        ("122 KB tool input, a string", STRING, None),
        ("500 KB tool input, rows", ROWS_BIG, 1000.0),
    ):
        for how, mine in zip(("dropped", "kept"), reduces(*source), strict=True):
            rows.append(faster(results, f"{case}, snapshots {how}", (READER, reader(*source)), mine, goal))
    mine = reduces(*TEXT)[0]
    rows.append(faster(results, "100k text deltas, snapshots dropped", (CHAT, Run("ai", "chat", TEXT)), mine, 3.0))
    floor = Run("peers", "append", TEXT)
    if results.has(floor, mine):
        times = results.median(mine) / results.median(floor)
        peer = f"append and join: {shown_time(results.median(floor))}"
        rows.append(at_most("100k text deltas against the floor", peer, shown_time(results.median(mine)), times, 10.0))
    return rows


def flat_rows(results: Results) -> list[Row]:
    """The last twentieth of the deltas against the first."""
    runs = [
        (f"{size} KB tool input, {what}: last deltas against first", reduces(*source)[0])
        for what, sources in (("rows", (ROWS, ROWS_BIG)), ("a string", (STRING, STRING_BIG)))
        for size, source in zip((122, 500), sources, strict=True)
    ]
    runs.append(("122 KB unfinished JSON: last deltas against first", ours("partial", *DOCUMENT)))
    rows: list[Row] = []
    for case, run in runs:
        if results.has(run):
            first, last = results.median(run, "first_us"), results.median(run, "last_us")
            ratio = median(answer["last_us"] / answer["first_us"] for answer in results.answers[run])
            rows.append(at_most(case, f"first 5 %: {first:.2f} µs a delta", f"{last:.2f} µs", ratio, 1.3))
    return rows


def slope_rows(results: Results) -> list[Row]:
    """Log-log slopes; ours between larger sizes than the peer's where the peer would take minutes."""
    rows: list[Row] = []
    for case, mine, theirs in (
        ("text deltas, 10k to 100k", (TEXT_SMALL, TEXT), (TEXT_SMALL, TEXT)),
        ("parts, 200 to 2k", (PARTS_SMALL, PARTS), (PARTS_SMALL, PARTS)),
        # Here Python's collector begins to walk through the whole heap now and then, which no slope of ours can hide.
        ("parts, 2k to 20k (peer 200 to 2k)", (PARTS, PARTS_BIG), (PARTS_SMALL, PARTS)),
        ("parallel tools, 50 to 200 (peer 10 to 50)", (TOOLS, TOOLS_BIG), (TOOLS_SMALL, TOOLS)),
        ("tool input, rows, 122 to 500 KB (peer 30 to 122)", (ROWS, ROWS_BIG), (ROWS_SMALL, ROWS)),
        ("tool input, a string, 122 to 500 KB (peer 30 to 122)", (STRING, STRING_BIG), (STRING_SMALL, STRING)),
    ):
        small, large = (reduces(*source) for source in mine)
        peers = [reader(*source) for source in theirs]
        if not results.has(*small, *large, *peers):
            continue
        slopes = [results.slope(*pair) for pair in zip(small, large, strict=True)]
        shown = f"{slopes[0]:.2f} dropped, {slopes[1]:.2f} kept"
        rows.append(
            at_most(f"growth: {case}", f"{READER}: {results.slope(peers[0], peers[1]):.2f}", shown, max(slopes), 1.1)
        )
    return rows


def memory_rows(results: Results) -> list[Row]:
    rows: list[Row] = []
    run = ours("capture-memory", *TEXT)
    if results.has(run):
        for case, key in (("a capture of 100k chunks, held", "peak_bytes"), ("its chunks read, peak", "reading_bytes")):
            mine, chunks = results.median(run, key), results.median(run, "chunk_bytes")
            rows.append(
                at_most(f"memory: {case}", f"its chunks: {shown_bytes(chunks)}", shown_bytes(mine), mine / chunks, 4.0)
            )
    (run, _), peer, arriving = reduces(*ROWS), reader(*ROWS), ours("reduce-memory", *ROWS)
    if results.has(run, peer, arriving):
        mine, chunks = results.median(run, "peak_bytes"), results.median(arriving, "chunk_bytes")
        theirs, case = results.median(peer, "peak_bytes"), "memory: reducer at 122 KB tool input, peak"
        rows.append(at_most(case, f"its chunks: {shown_bytes(chunks)}", shown_bytes(mine), mine / chunks, 4.0))
        rows.append(Row(case, f"{READER}: {shown_bytes(theirs)}", shown_bytes(mine), theirs / mine, "≥", 20.0))
        held = results.median(arriving, "peak_bytes")
        case += ", with what it keeps of chunks"
        rows.append(at_most(case, f"its chunks: {shown_bytes(chunks)}", shown_bytes(held), held / chunks, None))
    return rows


def all_rows(results: Results) -> list[Row]:
    partial = (f"{'parsePartialJson'} at each prefix", Run("ai", "partial", DOCUMENT))
    rows = [
        *decode_rows(results),
        *reduce_rows(results),
        faster(results, "122 KB unfinished JSON, rows", partial, ours("partial", *DOCUMENT), 150.0),
        *flat_rows(results),
        *slope_rows(results),
        *memory_rows(results),
    ]
    for case, source, goal in (("100k text chunks", TEXT, 5.0), ("122 KB tool input", ROWS, 100.0)):
        mine, theirs = replays(source)
        peer = (f"{AI} + {CHAT}, no table", theirs)
        rows.append(faster(results, f"replay: decode, reduce, table: {case}", peer, mine, goal))
        rows.append(faster(results, f"replay: decode, reduce: {case}", peer, mine, None, "reduced_seconds"))
    return rows
