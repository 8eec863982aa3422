"""Every recorded case on this package, kind by kind; and the runner itself, which must not call a difference a pass."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests import vectors
from tests.vector_rules import as_recorded, first_difference, specials

GOLDEN = Path(__file__).parent / "golden"
FILES = [
    (kind, path)
    for kind in vectors.KINDS
    for path in sorted((GOLDEN / kind).glob("*.jsonl"))
    if vectors.kind_of(path) == kind
]
CASES = [
    pytest.param(kind, case, id=f"{path.stem}:{case['name']}")
    for kind, path in FILES
    for case in vectors.read_cases(path)
    if not vectors.is_quirk(case)
]


@pytest.mark.parametrize(("kind", "case"), CASES)
def test_the_outcome_is_the_recorded_one(kind: str, case: dict[str, Any]) -> None:
    assert first_difference(kind, case, vectors.KINDS[kind](case["input"])) is None


def test_every_kind_has_recorded_cases() -> None:
    assert {kind for kind, _ in FILES} == set(vectors.KINDS)


# --- what counts as equal -------------------------------------------------------------------------------------------


def compared(expected: Any, ours: Any, kind: str = "sse", **case: Any) -> str | None:
    return first_difference(kind, {"name": "x", "expect": expected, **case}, ours)


@pytest.mark.parametrize(
    ("expected", "ours"),
    [
        ({"a": 1}, {"a": 1.0}),
        ({"a": 12345678901234567000}, {"a": 12345678901234567890}),
        ({"a": None, "b": 0}, {"b": -0.0, "a": float("inf")}),
        ({"a": None}, {"a": 10**400}),
        ({"text": "😀"}, {"text": "\ud83d\ude00"}),
        ({"name": "AI_JSONParseError", "message": "x", "truncated": True}, {"name": "AI_JSONParseError"}),
        ({"name": "E", "message": "One.", "truncated": True}, {"name": "E", "message": "One. And more."}),
    ],
    ids=["float", "beyond-2^53", "infinity-and-minus-0", "huge", "two-halves", "name-only", "cut-text"],
)
def test_what_the_format_calls_equal_is_equal(expected: Any, ours: Any) -> None:
    assert compared(expected, ours) is None


@pytest.mark.parametrize(
    ("expected", "ours", "difference"),
    [
        ({"a": [1, {"b c": 2}]}, {"a": [1, {"b c": 3}]}, '$.a[1]["b c"]: expected 2, got 3'),
        ({"a": 1}, {"a": True}, "$.a: expected 1, got true"),
        ({"a": 0}, {"a": False}, "$.a: expected 0, got false"),
        ({"a": 1}, {"a": "1"}, '$.a: expected 1, got "1"'),
        ({"a": None}, {}, "$.a: expected null, got nothing"),
        ({}, {"a": None}, "$.a: expected nothing, got null"),
        ([1], [1, 2], "$[1]: expected nothing, got 2"),
        ([1, 2], [1], "$[1]: expected 2, got nothing"),
        ({"a": []}, {"a": {}}, "$.a: expected [], got {}"),
        ({"name": "AI_JSONParseError"}, {"name": "AI_TypeValidationError"}, "$.name: expected"),
        (
            {"name": "AI_UIMessageStreamError", "message": "a"},
            {"name": "AI_UIMessageStreamError", "message": "b"},
            "$.m",
        ),
        ({"name": "E", "message": "One.", "truncated": True}, {"name": "E", "message": "Two."}, "$.message: expected"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_differs_is_named_by_its_path_with_both_values(expected: Any, ours: Any, difference: str) -> None:
    found = compared(expected, ours)
    assert found is not None
    assert found.startswith(difference)


def test_a_verdict_that_depends_on_the_schema_library_may_be_either() -> None:
    either = {"4.6.7": False, "4.1.8": True}
    expected = {"accepted": False, "error": {"name": "AI_TypeValidationError", "message": "x"}}
    ours = {"accepted": True, "value": {"type": "data-x"}}
    assert compared(expected, ours, "chunk_validation", zodDependent=either) is None
    assert compared(expected, ours, "chunk_validation") is not None
    assert compared(expected, {}, "chunk_validation", zodDependent=either) is not None


def test_of_issues_only_the_paths_count() -> None:
    expected = {"success": False, "issues": [{"path": [1, "parts"], "message": "theirs"}]}
    assert (
        compared(
            expected, {"success": False, "issues": [{"path": [1, "parts"], "message": "ours"}]}, "validate_messages"
        )
        is None
    )
    found = compared(expected, {"success": False, "issues": [{"path": [0, "parts"]}]}, "validate_messages")
    assert found == "$.issues[0].path[0]: expected 1, got 0"


def test_what_the_reference_records_after_it_threw_does_not_count() -> None:
    thrown = {"after": 1, "name": "Error", "message": "boom"}
    artefact = {"after": 2, "name": "TypeError", "message": "Invalid state"}
    theirs = {"errors": [thrown, artefact], "thrown": thrown, "endedAt": 2, "final": 1}
    assert compared(theirs, {"errors": [thrown], "thrown": thrown, "endedAt": 2, "final": 1}, "reduce") is None
    assert compared(theirs, {"errors": [artefact], "thrown": thrown, "endedAt": 2, "final": 1}, "reduce") is not None


def test_numbers_that_a_recording_cannot_hold_are_marked() -> None:
    value = {"a": [float("inf"), -0.0, 10**400], "b": -float("inf"), "c": True}
    assert as_recorded(value) == {"a": [None, 0, None], "b": None, "c": True}
    assert [(special["path"], special["is"]) for special in specials(value)] == [
        (["a", 0], "Infinity"),
        (["a", 1], "-0"),
        (["a", 2], "Infinity"),
        (["b"], "-Infinity"),
    ]


# --- the command line -----------------------------------------------------------------------------------------------

PASSES = {"name": "ok", "input": {"text": "[1"}, "expect": {"state": "repaired-parse", "value": [1]}}
FAILS = {"name": "wrong", "input": {"text": "[1"}, "expect": {"state": "repaired-parse", "value": [2]}}
QUIRK = {**FAILS, "name": "quirk", "tags": ["js-quirk"]}
BREAKS = {"name": "breaks", "input": {"text": 5}, "expect": {"state": "failed-parse"}}


def write(folder: Path, name: str, *cases: dict[str, Any]) -> None:
    (folder / name).write_text("".join(json.dumps(case) + "\n" for case in cases), "utf-8")


def test_a_folder_is_run_file_by_file_and_its_failures_are_named(tmp_path: Path, capsys: Any) -> None:
    write(tmp_path, "partial_json.jsonl", PASSES, QUIRK)
    write(tmp_path, "partial_json_more.jsonl", PASSES, FAILS, BREAKS)
    write(tmp_path, "partial_jsonish.jsonl", FAILS)
    (tmp_path / "captures").mkdir()
    assert vectors.main([str(tmp_path)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[:4] == [
        "captures: not run (a folder)",
        "partial_json.jsonl: 1 passed, 0 failed, 1 js-quirks (0 matched)",
        "partial_json_more.jsonl: 1 passed, 2 failed",
        "  wrong: $.value[0]: expected 2, got 1",
    ]
    assert lines[4].startswith("  breaks: raised TypeError: ")
    assert lines[5:] == ["partial_jsonish.jsonl: not run (no known kind of cases)", "5 cases, 2 failed"]


@pytest.mark.parametrize("text", ["{", "5\n", '{"text": "["}\n'], ids=["no-json", "no-object", "no-case"])
def test_a_file_that_holds_no_cases_fails_and_the_others_still_run(text: str, tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "partial_json.jsonl").write_text(text, "utf-8")
    write(tmp_path, "partial_json_z.jsonl", PASSES)
    assert vectors.main([str(tmp_path)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [lines[0], *lines[2:]] == [
        "partial_json.jsonl: 0 passed, 1 failed",
        "partial_json_z.jsonl: 1 passed, 0 failed",
        "2 cases, 1 failed",
    ]


def test_a_folder_without_cases_does_not_pass(tmp_path: Path, capsys: Any) -> None:
    assert vectors.main([str(tmp_path)]) == 1
    assert capsys.readouterr().out.startswith("no cases: files must be named reduce, sse, ")


@pytest.mark.parametrize("how", [[str(Path(vectors.__file__))], ["-m", "tests.vectors"]], ids=["file", "module"])
def test_it_runs_as_a_file_from_anywhere_and_as_a_module(how: list[str], tmp_path: Path) -> None:
    write(tmp_path, "partial_json.jsonl", PASSES, QUIRK)
    place = vectors.ROOT if how[0] == "-m" else tmp_path
    done = subprocess.run([sys.executable, *how, str(tmp_path)], cwd=place, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1] == "2 cases, 0 failed"
