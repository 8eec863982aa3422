"""The version axis against what a hundred published versions of `ai` said."""

from __future__ import annotations

import doctest
import importlib
import json
from pathlib import Path
from typing import Any

import pytest

from aisdk_lab.errors import UnknownName
from aisdk_lab.ui_stream import grammar, versions
from aisdk_lab.ui_stream.versions import find_hazards, first_refusal, validate_chunk, what_clients_do
from aisdk_lab.ui_stream.versions.behaviours import BEHAVIOURS
from aisdk_lab.ui_stream.versions.release import NEWEST, Release, read_version

GOLDEN = Path(__file__).parents[1] / "golden" / "versions"


def recorded(name: str) -> tuple[list[str], list[dict[str, Any]]]:
    lines = [json.loads(line) for line in (GOLDEN / f"{name}.jsonl").read_bytes().splitlines()]
    return lines[0]["versions"], lines[1:]


RELEASES, CHUNKS = recorded("chunk_verdicts")
_, MESSAGES = recorded("predicate_verdicts")
_, SEQUENCES = recorded("sequence_ends")
FROM_NOTHING = [case for case in SEQUENCES if "message" not in case]
_, CHATS = recorded("chat_ends")


def ends(case: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Version → what came of a recorded sequence."""
    return {version: entry["end"] for entry in case["ends"] for version in entry["versions"]}


@pytest.mark.parametrize("place", range(len(RELEASES)), ids=RELEASES)
def test_every_recorded_verdict_of_a_version_is_predicted(place: int) -> None:
    wrong = {
        case["name"]: problems
        for case in CHUNKS
        if ((problems := validate_chunk(case["chunk"], RELEASES[place])) == []) != (case["verdicts"][place] != "r")
    }
    assert wrong == {}


def test_a_key_of_another_type_is_an_unknown_key() -> None:
    """The recording says the same two thousand times over and leaves those lines out."""
    names = {name for rule in grammar.CHUNKS.values() for name in rule.fields}
    minimal = {case["name"].partition("/")[0]: case["chunk"] for case in CHUNKS if case["name"].endswith("/minimal")}
    for kind, rule in grammar.CHUNKS.items():
        for name in names - set(rule.fields):
            for version in ("5.0.0", "5", "6.0.0", "6", "7.0.31", "7.0.32", "7"):
                foreign, unknown = minimal[kind] | {name: None}, minimal[kind] | {"zzUnknown": None}
                assert bool(validate_chunk(foreign, version)) == bool(validate_chunk(unknown, version)), (kind, name)


def test_the_verdicts_turn_nowhere_else_than_in_the_table() -> None:
    """Two recorded neighbours that disagree have a turning point of the table between them."""
    turns = [read_version(version) for version in versions.turning_points()]
    for case in CHUNKS:
        for place in range(1, len(RELEASES)):
            if case["verdicts"][place - 1] != case["verdicts"][place]:
                before, after = read_version(RELEASES[place - 1]), read_version(RELEASES[place])
                assert any(before < turn <= after for turn in turns), (case["name"], RELEASES[place])


def test_each_turning_point_was_recorded_on_both_sides() -> None:
    """Releases that were never published stand between 7.0.79 and 7.0.82, and between 7.0.120 and 7.0.122."""
    releases = [read_version(version) for version in RELEASES]
    for row in versions.all_rows():
        if row.kind == "behaviour" and "change log" in row.source:
            continue
        for first in (*row.since, *row.until):
            turn = read_version(first)
            if turn.patch:
                before = max(release for release in releases if release < turn)
                after = min(release for release in releases if release >= turn)
                assert (turn.patch - before.patch, after.patch - turn.patch) in [(1, 0), (3, 0), (1, 1), (2, 0)], row


@pytest.mark.parametrize(
    ("written", "release"),
    [
        ("4", Release(4, 3, 19)),
        ("4.2", Release(4, 3, 19)),
        ("5", Release(5, 0, 277)),
        ("6", Release(6, 0, 326)),
        ("7", Release(7, 0, 173)),
        ("7.0", Release(7, 0, 173)),
        ("7.0.32", Release(7, 0, 32)),
        ("v7.0.32", Release(7, 0, 32)),
        ("ai@6.0.120", Release(6, 0, 120)),
    ],
)
def test_a_version_is_a_line_or_a_release(written: str, release: Release) -> None:
    assert read_version(written) == release


@pytest.mark.parametrize(
    "nonsense", ["", "8", "3", "7.1", "7.0.174", "7.0.0-beta.1", "seven", "7.", "７", 7, 7.0, None, ["7"]]
)
def test_another_version_is_refused_with_the_known_ones(nonsense: Any) -> None:
    hint = "" if isinstance(nonsense, str) else " (a text, such as '7')"
    with pytest.raises(UnknownName) as caught:
        validate_chunk({"type": "start"}, nonsense)
    assert str(caught.value) == (
        f"no version of `ai`{hint} is called {nonsense!r}. Known: 4 (the old data stream), 5, 5.0.0 to 5.0.277, "
        "6, 6.0.0 to 6.0.326, 7, 7.0.0 to 7.0.173."
    )


def test_a_refusal_says_since_when_and_what_to_send_instead() -> None:
    delta = {"type": "text-delta", "id": "t", "delta": "x", "seq": 4}
    assert validate_chunk(delta, "6.0.120") == [
        "unknown key 'seq': ai 6.0.120 refuses keys that it does not know; send instead: leave it out  @ $.seq"
    ]
    assert (validate_chunk(delta, "6"), validate_chunk(delta, "7")) == ([], [])
    assert validate_chunk({"type": "finish", "finishReason": "interrupted"}, "7.0.148") == [
        (
            "'interrupted' is unknown to ai 7.0.148 (since 7.0.149); send instead: an `error` chunk, then "
            "`finishReason: error`  @ $.finishReason"
        )
    ]
    assert validate_chunk(
        {"type": "tool-input-start", "toolCallId": "c", "toolName": "f", "title": "F"}, "5.0.216"
    ) == [
        "unknown key 'title': ai 5.0.216 refuses keys that it does not know (since 6.0.0); send instead: leave it out  @ $.title"
    ]
    assert validate_chunk({"type": "reset"}, "6") == [
        "unknown chunk type 'reset'; did you mean 'reset-step'?  @ $.type"
    ]


def test_a_table_says_what_each_client_does() -> None:
    chunk = {"type": "data-x", "data": 1, "note": "n"}
    assert [(row.version, row.does) for row in what_clients_do(chunk)] == [
        ("4", "refuses"),
        ("5.0.0", "refuses"),
        ("5", "keeps"),
        ("6.0.0", "refuses"),
        ("6", "keeps"),
        ("7.0.0", "refuses"),
        ("7.0.31", "refuses"),
        ("7", "keeps"),
    ]
    [row] = what_clients_do({"type": "abort", "reason": "stop"}, ["6.0.14"])
    assert row == (
        "6.0.14",
        "refuses",
        "unknown key 'reason': ai 6.0.14 refuses keys that it does not know (since 6.0.15)  @ $.reason",
        "`abort` without it",
    )
    [row] = what_clients_do({"type": "text-end", "id": "t", "citations": []}, ["6"])
    assert row == ("6", "ignores", "not known to ai 6.0.326: citations", "`source-url` and `source-document` chunks")


def test_the_first_version_and_all_ranges_that_accept_a_chunk() -> None:
    unknown = {"type": "start", "future": 1}
    assert versions.first_version_that_accepts(unknown) == "5.0.217"
    assert versions.first_version_that_accepts(unknown, "7") == "7.0.32"
    assert versions.ranges_that_accept(unknown) == [("5.0.217", None), ("6.0.231", None), ("7.0.32", None)]
    assert versions.ranges_that_accept({"type": "reasoning-part-finish"}) == [("5.0.0", "5.0.52")]
    assert versions.first_version_that_accepts({"type": "ping"}) is None


def test_the_first_chunk_that_ends_the_stream_of_a_client() -> None:
    chunks = [{"type": "start"}, {"type": "custom", "kind": "a.b"}, {"type": "finish", "finishReason": "interrupted"}]
    found = {version: first_refusal(chunks, version) for version in ("4", "5", "6", "7.0.0", "7")}
    assert {version: refusal and refusal[0] for version, refusal in found.items()} == {
        "4": 0,
        "5": 1,
        "6": 1,
        "7.0.0": 2,
        "7": None,
    }


@pytest.mark.parametrize(
    "value", [None, 5, "start", [], {}, {"type": None}, {"type": {}}, {"type": "data-"}, {"type": ""}]
)
def test_no_value_raises(value: Any) -> None:
    for version in versions.NAMED:
        validate_chunk(value, version)
        what_clients_do(value, [version])


@pytest.mark.parametrize("case", SEQUENCES, ids=[case["name"] for case in SEQUENCES])
def test_a_hazard_is_found_where_and_only_where_a_version_ends_otherwise(case: dict[str, Any]) -> None:
    reference = ends(case)[versions.REFERENCE]
    for version, end in ends(case).items():
        found = find_hazards(case["chunks"], version)
        if first_refusal(case["chunks"], version) is not None:
            continue
        died = end["error"] is not None and reference["error"] is None
        assert any(one.effect == "dies" for one in found) == (died and "message" not in case), version
        if found:
            assert end != reference, version


def looks(end: dict[str, Any]) -> list[Any]:
    """A recorded end without what nobody sees: ids of reasoning parts, raw input, the words of an error."""
    hidden = {"reasoning": {"id"}, "tool-f": {"rawInput"}}
    parts = [
        {key: value for key, value in part.items() if key not in hidden.get(part["type"], ())}
        for part in end["message"]["parts"]
    ]
    return [end["message"]["id"], parts, end["error"] is not None]


@pytest.mark.parametrize("case", FROM_NOTHING, ids=[case["name"] for case in FROM_NOTHING])
def test_a_version_that_shows_something_else_is_explained(case: dict[str, Any]) -> None:
    """It refuses a chunk, ignores a key, or runs into a hazard (of the stream: a stored message has its own)."""
    reference = ends(case)[versions.REFERENCE]
    for version, end in ends(case).items():
        if looks(end) != looks(reference):
            does = {row.does for chunk in case["chunks"] for row in what_clients_do(chunk, [version])}
            assert find_hazards(case["chunks"], version) or does & {"refuses", "ignores", "keeps"}, version


def test_each_behaviour_that_says_so_turns_where_the_recording_turns() -> None:
    """The recorded case of a row changes between its releases and the ones before, and the row names no other turn."""
    for behaviour in BEHAVIOURS:
        if not behaviour.recorded:
            continue
        turns = set(_turns(behaviour.recorded))
        for first in behaviour.since:
            if read_version(first).patch:
                assert any(_is_just_before(first, turn) for turn in turns), (behaviour.name, first, turns)


def _turns(name: str) -> list[tuple[str, str]]:
    """The neighbours between which what was recorded under a name changes."""
    for case in [*SEQUENCES, *CHATS]:
        if case["name"] == name:
            return [
                (one["versions"][-1], two["versions"][0])
                for one, two in zip(case["ends"], case["ends"][1:], strict=False)
            ]
    for cases, columns in ((CHUNKS, ("verdicts",)), (MESSAGES, ("toolCalls", "approvalResponses"))):
        for case in cases:
            if case["name"] == name:
                return [
                    (RELEASES[place - 1], RELEASES[place])
                    for place in range(1, len(RELEASES))
                    if any(case[column][place - 1] != case[column][place] for column in columns)
                ]
    raise AssertionError(f"nothing is recorded as {name!r}")


def _is_just_before(first: str, turn: tuple[str, str]) -> bool:
    return read_version(turn[0]) < read_version(first) <= read_version(turn[1])


def test_rows_name_what_a_server_and_a_client_differ_in() -> None:
    differ = {row.name for row in versions.rows_that_differ(read_version("7.0.162"), read_version("7"))}
    assert differ == {"steering-message", "steering-message.id", "steering-message.parts", "tool-errors-are-shown"}
    assert all(row.instead and row.older and row.source for row in versions.all_rows())
    names = [row.name for row in versions.all_rows()]
    assert len(names) == len(set(names))


def test_every_newest_version_was_run() -> None:
    assert {str(newest) for line, newest in NEWEST.items() if line != 4} <= set(RELEASES)


@pytest.mark.parametrize("name", ["release", "verdict", "hazards"])
def test_the_examples_in_the_documentation_hold(name: str) -> None:
    module = importlib.import_module(f"aisdk_lab.ui_stream.versions.{name}")
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize("version", ["5.0.0", "6", "7.0.0", "7"])
def test_values_that_no_frame_can_hold_are_problems_too(version: str) -> None:
    deep: Any = {}
    for _ in range(100_000):
        deep = {"a": deep}
    for odd, said in (
        ({"type": "text-start", "id": "t", "providerMetadata": deep}, "to be looked at  @ $"),
        ({"type": "text-start", "id": 10**5000}, "a huge number  @ $.id"),
    ):
        assert said in validate_chunk(odd, version)[0]
        assert what_clients_do(odd, [version])[0].does == "refuses"
