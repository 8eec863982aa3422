"""Real bug reports: what each expects of decoding and reducing, and what the real `ai` does with its input."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.real_world.checks import CHECKS
from tests.real_world.invariants import cuts_do_not_matter
from tests.real_world.play import CASES, GOLDEN, Case
from tests.vectors import difference, kind_of, read_cases

TRANSLATORS = "a foreign protocol: it is read by a translator, and none is built"
LINTER = "what a whole stream or history adds up to is told by the linter, which is not built"
ELSEWHERE: dict[str, str] = {
    **{f"{name}:*": TRANSLATORS for name, case in CASES.items() if case["input"]["form"] == "events"},
    "rw-008:lint:*": LINTER,
    "rw-016:lint:*": LINTER,
    "rw-017:lint:*": LINTER,
    "rw-019:lint:*": f"{LINTER}; the finding of the reducer names the call, not the chunk type",
    "rw-020:lint:*": LINTER,
    "rw-039:lint:*": LINTER,
    "rw-041:lint:*": LINTER,
    "rw-047:lint:*": LINTER,
    "rw-048:lint:*": LINTER,
    "rw-045:rendered": "drawn in the browser: widget_js/tests/renderers.test.tsx shows 0, false and an empty text",
    "rw-071:invariants:JS side uses Map or null-prototype objects": "in the browser: widget_js/tests/ids.test.tsx draws and answers calls with such ids",
}
"""`case:key` (`*`: and all that begins so) → why it is not checked here."""


def items() -> Iterator[tuple[str, str, Any]]:
    """Every expectation: name of the case, key, what is expected; findings and sentences one by one."""
    for name, case in CASES.items():
        for key, wanted in case["expected"].items():
            if key == "why":
                continue
            if key == "lint":
                yield from ((name, f"lint:{' '.join(each['mentions'])}", each) for each in wanted)
            elif key == "guard":
                yield from ((name, f"guard:{part}", {part: each}) for part, each in wanted.items())
            elif key == "invariants":
                yield from ((name, f"invariants:{sentence}", sentence) for sentence in wanted)
            else:
                yield name, key, wanted


def reason_for(name: str, key: str) -> str | None:
    place = f"{name}:{key}"
    return next(
        (why for rule, why in ELSEWHERE.items() if rule == place or (rule[-1] == "*" and place.startswith(rule[:-1]))),
        None,
    )


CHECKED = [item for item in items() if reason_for(*item[:2]) is None]


@pytest.mark.parametrize(("name", "key", "wanted"), CHECKED, ids=[f"{name}-{key}" for name, key, _ in CHECKED])
def test_a_report_is_answered(name: str, key: str, wanted: Any) -> None:
    CHECKS[key.partition(":")[0]](CASES[name], wanted)


def test_what_is_not_checked_here_is_really_expected_somewhere() -> None:
    places = [f"{name}:{key}" for name, key, _ in items()]
    assert not [
        rule
        for rule in ELSEWHERE
        if not any(place == rule or (rule[-1] == "*" and place.startswith(rule[:-1])) for place in places)
    ]


# The body of rw-014 is announced as plain text, whose frames are the reads themselves.
@pytest.mark.parametrize(
    "name", [n for n, case in CASES.items() if case["input"]["form"] == "network" and n != "rw-014"]
)
def test_no_cut_between_reads_changes_a_frame(name: str) -> None:
    cuts_do_not_matter(CASES[name])


# ── what the real client does: recorded from it (record.mjs), predicted by strict ────────────────────────────────────

RECORDED = [(kind, case) for path in sorted(GOLDEN.iterdir()) if (kind := kind_of(path)) for case in read_cases(path)]


@pytest.mark.parametrize(("kind", "case"), RECORDED, ids=[f"{kind}-{case['name']}" for kind, case in RECORDED])
def test_strict_predicts_the_real_client(kind: str, case: Case) -> None:
    assert difference(kind, case) is None


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if re.search(r"\w+Error\b", case["ai7"])])
def test_the_report_and_the_recording_name_the_same_error(name: str) -> None:
    said = set(re.findall(r"[A-Z]\w*Error\b", CASES[name]["ai7"]))
    recorded = repr([case["expect"] for _kind, case in RECORDED if case["name"].startswith(f"{name}/")])
    assert not [error for error in said - {"TypeError"} if error not in recorded]  # a TypeError is of an older client
