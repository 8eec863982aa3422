"""Unfinished JSON: what the reference shows after every prefix, whole and incrementally."""

from __future__ import annotations

import copy
import json
import math
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from aisdk_lab.ui_stream import growing_tree, partial_json
from aisdk_lab.ui_stream.chunks import UNSET
from aisdk_lab.ui_stream.fix_json import FixScan, fix_json
from aisdk_lab.ui_stream.partial_json import PartialJson, PartialJsonParser, PathOp, apply_ops, parse_partial_json
from aisdk_lab.wire.json_text import MAX_DEPTH, join_surrogates

GOLDEN = Path(__file__).parents[1] / "golden" / "partial_json" / "partial_json.jsonl"
CASES = [json.loads(line) for line in GOLDEN.read_bytes().splitlines()]
SPECIAL = {"Infinity": math.inf, "-Infinity": -math.inf, "-0": -0.0}


def exact(value: Any) -> Any:
    """A value that is equal only to itself: 1, 1.0, True and -0.0 are four things."""
    if isinstance(value, dict):
        return {key: exact(member) for key, member in value.items()}
    if isinstance(value, list):
        return [exact(member) for member in value]
    return type(value).__name__, repr(value)


def as_doubles(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: as_doubles(member) for key, member in value.items()}
    if isinstance(value, list):
        return [as_doubles(member) for member in value]
    return repr(float(value)) if isinstance(value, int | float) and not isinstance(value, bool) else value


def with_specials(case: dict[str, Any]) -> Any:
    """The expected value with the numbers put back that JSON cannot write."""
    expected = {"value": copy.deepcopy(case["expect"].get("value", UNSET))}
    for special in case["expect"].get("special", ()):
        path = ["value", *special["path"]]
        holder: Any = expected
        for key in path[:-1]:
            holder = holder[key]
        holder[path[-1]] = SPECIAL[special["is"]]
    return expected["value"]


def check_every_feed(pieces: list[str]) -> None:
    """After each feed: value, state and a mirror made of the operations are those of a whole parse."""
    parser = PartialJsonParser()
    mirror: Any = UNSET
    text = ""
    for piece in pieces:
        ops = parser.feed(piece)
        text += piece
        expected = parse_partial_json(text)
        mirror = apply_ops(mirror, copy.deepcopy(ops))
        assert parser.state == expected.state, ascii(text)
        assert exact(parser.value) == exact(expected.value), ascii(text)
        assert exact(mirror) == exact(expected.value), (ascii(text), ops)


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_the_value_and_state_are_those_of_the_reference(case: dict[str, Any]) -> None:
    result = parse_partial_json(case["input"].get("text"))
    assert (result.state, as_doubles(result.value)) == (case["expect"]["state"], as_doubles(with_specials(case)))


def test_every_prefix_of_every_golden_text_is_shown_as_a_whole_parse_shows_it() -> None:
    texts = [case["input"]["text"] for case in CASES if "text" in case["input"]]
    assert len(texts) == 517
    for text in texts:
        check_every_feed(list(text))


TEXT = st.text(alphabet=st.characters(codec="utf-8"), max_size=4) | st.sampled_from(
    ["\\", '"', "😀", "杭州", "\n", "a:b"]
)
KEYS = TEXT | st.sampled_from(["a", "__proto__", "constructor", "prototype", 'q":', "0"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=10,
)


def pieces_of(text: str, places: list[int]) -> list[str]:
    cuts = sorted({place % (len(text) + 1) for place in places} - {0, len(text)})
    return [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]


@given(JSON, st.booleans(), st.none() | st.just(1), st.lists(st.integers(0, 300), max_size=12))
def test_any_json_cut_anywhere_is_shown_as_a_whole_parse_shows_it(
    value: Any, is_ascii: bool, indent: int | None, places: list[int]
) -> None:
    text = json.dumps(value, ensure_ascii=is_ascii, indent=indent)
    check_every_feed(pieces_of(text, places))


# Pieces of the grammar, and of the places where the reference's scan does not read JSON as a parser does.
TOKENS = [
    *"{}[]:,", '"', '"a"', '"a":', '{"a":', "\\", '\\"', "\\u", "00", "41", "\\ud83d", "\\ude00", "\ud83d", "\ude00", "1", "0", "-",
    "-0", ".", "5", "e", "E", "+", "1e+5", "1e400", "t", "true", "tr", "null", "nul", "false", "x", " ", "\n", "\u00a0", "\ufeff",
    "\x01", "杭", '"a\\":t"', '"a\\":', '"__proto__":', '"constructor":', '"prototype":', '{"constructor":{"prototype":', '"\\u005f_proto__":',
]  # fmt: skip


@settings(max_examples=300)
@given(st.lists(st.sampled_from(TOKENS), max_size=14), st.booleans(), st.lists(st.integers(0, 60), max_size=6))
def test_any_nonsense_is_shown_as_a_whole_parse_shows_it(tokens: list[str], by_token: bool, places: list[int]) -> None:
    check_every_feed(tokens if by_token else pieces_of("".join(tokens), places))


@settings(max_examples=200)
@given(JSON, st.data())
def test_json_with_a_fault_is_shown_as_a_whole_parse_shows_it(value: Any, data: st.DataObject) -> None:
    text = json.dumps(value, ensure_ascii=False)
    place = data.draw(st.integers(0, len(text)))
    dropped = data.draw(st.integers(0, 3))
    text = text[:place] + data.draw(st.sampled_from(["", *TOKENS])) + text[place + dropped :]
    check_every_feed(pieces_of(text, data.draw(st.lists(st.integers(0, 200), max_size=12))))


@pytest.mark.parametrize(
    "text",
    [
        '{"a":1e+5,"b":2}',  # shows 1 until the value of b begins
        '[1e+5,{"a":1e+12}]',
        "1e+5 x",  # whole, then only the 1 is kept
        '{"a":1e+5 x',
        "[true}",  # right behind a literal or number the scan is still inside of it
        "[true }",
        "[1}2",
        "[1 }",
        '{"a":tr,"b":1}',
        '{"a\\":t":1,"b":[2,{"c":3}],"d":"e"}',  # the scan leaves the key at the escaped quote
        '{"a\\":\\"b":1,"c":2,"a\\":{":[4],"e":5,"f":6}',
        '{"a\\":1":2}x',
        '{"__proto__":1,"a":2}',
        '{"a":{"__proto__":1},"b":2,"a":3,"c":4}',  # the forbidden object is overwritten
        '{"constructor":{"prototype":[1,2]},"constructor":"x"}',
        '{"constructor":[{"prototype":1}]}',
        '{"a":"\\ud83d\\ude00\\ud83dx","b":"\ud83d\ude00"}',
        '"\\ud83d\\ude00"',
        '{"a":"x","a":{"b":1},"a":[2]}',
        "[" * (MAX_DEPTH + 2),
        "[" * MAX_DEPTH + "1" + "]" * MAX_DEPTH + "!",
    ],
)
def test_the_strange_cases_hold_at_every_prefix(text: str) -> None:
    check_every_feed(list(text))
    for seed in range(20):
        places = random.Random(seed).choices(range(len(text) + 1), k=5)
        check_every_feed(pieces_of(text, places))


def test_a_delta_says_what_it_changed() -> None:
    parser = PartialJsonParser()
    assert [
        parser.feed(delta) for delta in ('{"to', 'ols":[{"n":"a', 'b"},{"n', '":1', "2},true", ',"x"', "]}", " ")
    ] == [
        (PathOp((), "set", {}),),
        (PathOp(("tools",), "set", [{"n": "a"}]),),
        (PathOp(("tools", 0, "n"), "append", "b"), PathOp(("tools",), "add", {})),
        (PathOp(("tools", 1, "n"), "set", 1),),
        (PathOp(("tools", 1, "n"), "set", 12), PathOp(("tools",), "add", True)),
        (PathOp(("tools",), "add", "x"),),
        (),
        (),
    ]
    assert (parser.value, parser.state) == ({"tools": [{"n": "ab"}, {"n": 12}, True, "x"]}, "successful-parse")


def test_a_value_that_can_no_longer_be_shown_is_removed_and_stays_away() -> None:
    parser = PartialJsonParser()
    assert parser.feed('{"a":1') == (PathOp((), "set", {"a": 1}),)
    assert parser.feed(" !") == ()  # not JSON any more, but what was there is kept
    assert (parser.value, parser.state) == ({"a": 1}, "repaired-parse")
    assert parser.feed(',"b":"') == (PathOp((), "remove", None),)
    assert (parser.value, parser.state) == (UNSET, "failed-parse")
    assert parser.feed('"}') == ()


def test_halves_of_a_character_that_were_told_apart_are_told_again_as_one() -> None:
    parser = PartialJsonParser()
    parser.feed('["x')
    assert parser.feed("\\ud83d") == (PathOp((0,), "append", "\ud83d"),)
    assert parser.feed("\\ude00!") == (PathOp((0,), "set", "x😀!"),)
    assert parser.feed("\\ud83d\\ude00") == (PathOp((0,), "append", "😀"),)


def test_before_any_text_nothing_is_shown() -> None:
    parser = PartialJsonParser()
    assert (parser.feed(""), parser.value, parser.state) == ((), UNSET, "failed-parse")
    assert parse_partial_json(None) == (UNSET, "undefined-input")


def test_an_operation_never_shares_a_container_that_still_grows() -> None:
    parser = PartialJsonParser()
    ops = parser.feed('{"a":{"b":[1')
    parser.feed(',2],"c":3}')
    assert ops == (PathOp((), "set", {"a": {"b": [1]}}),)
    assert parser.value == {"a": {"b": [1, 2], "c": 3}}


@pytest.fixture
def no_whole_parse(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(text: str | None) -> None:
        raise AssertionError(f"parsed again: {text!r:.60}")

    monkeypatch.setattr(partial_json, "parse_partial_json", refuse)


ROWS = json.dumps({"rows": [{"id": i, "name": f"行 {i}", "ok": i % 2 == 0, "score": i * 0.37} for i in range(500)]})
FILE = json.dumps({"path": "a.py", "content": 'def f(x):\n    return "x\\y" + 杭\n' * 500}, ensure_ascii=False)


@pytest.mark.usefixtures("no_whole_parse")
@pytest.mark.parametrize("text", [ROWS, FILE, '{"a":1e+5,"b":[-1.5e+10,{"c\\"d":"\\u00e9"}]}', "  [1]  "])
def test_well_formed_text_is_never_parsed_again(text: str) -> None:
    parser = PartialJsonParser()
    for place in range(0, len(text), 5):
        parser.feed(text[place : place + 5])
    assert (parser.value, parser.state) == (json.loads(text), "successful-parse")


@pytest.mark.parametrize("text", [ROWS, FILE])
def test_the_operations_are_together_no_longer_than_the_text(text: str) -> None:
    """Paths aside: each character is told once, so what is sent stays linear in the stream."""
    parser = PartialJsonParser()
    told = 0
    for place in range(0, len(text), 12):
        told += sum(len(json.dumps(op.value)) for op in parser.feed(text[place : place + 12]))
    assert told < 2 * len(text)


def test_the_scan_finds_back_to_a_key_that_it_had_left(monkeypatch: pytest.MonkeyPatch) -> None:
    whole_parses: list[str | None] = []

    def counted(text: str | None) -> partial_json.PartialJson:
        whole_parses.append(text)
        return parse_partial_json(text)

    monkeypatch.setattr(partial_json, "parse_partial_json", counted)
    parser = PartialJsonParser()
    text = '{"say \\"x\\": y":1,"rows":[' + ",".join(["12"] * 200) + '],"a":"b","c":[' + ",".join(["12"] * 200) + "]}"
    for char in text:
        parser.feed(char)
    assert parser.value == json.loads(text)
    assert 0 < len(whole_parses) < 30


def test_a_forbidden_key_costs_no_whole_parse_and_ends_when_it_is_overwritten() -> None:
    parser = PartialJsonParser()
    assert parser.feed('{"a":{"__proto__":') == (PathOp((), "set", {"a": {}}),)
    assert parser.feed("1") == (PathOp((), "remove", None),)
    assert parser.feed('},"b":2,"a"') == ()
    assert parser.feed(":[") == (PathOp((), "set", {"a": [], "b": 2}),)


@pytest.mark.parametrize(
    "text", ['{"k\\":":[' + "1," * 300, '{"k\\":[":1,' + '"b":2,' * 100, '{"k\\":x":' + "[1," * 90]
)
def test_a_scan_that_stays_astray_costs_few_whole_parses(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole_parses: list[str] = []

    def counted(text: str) -> Any:
        whole_parses.append(text)
        return parse_partial_json(text)

    monkeypatch.setattr(partial_json, "parse_partial_json", counted)
    parser = PartialJsonParser()
    for end in range(1, len(text) + 1):
        parser.feed(text[end - 1])
        assert PartialJson(parser.snapshot(), parser.state) == parse_partial_json(text[:end]), text[:end]
    assert len(whole_parses) < 12


@given(st.data())
def test_keys_that_lead_the_scan_astray_cost_no_truth(data: st.DataObject) -> None:
    tokens = st.sampled_from(
        ['"', '\\"', ":", "{", "}", "[", "]", ",", "1", "t", "true", "x", " ", "-", "e", '"a":', '{"b\\":']
    )
    text, parser = '{"k\\":' + "".join(data.draw(st.lists(tokens, max_size=14))), PartialJsonParser()
    for end in range(1, len(text) + 1):
        parser.feed(text[end - 1])
        assert PartialJson(parser.snapshot(), parser.state) == parse_partial_json(text[:end]), text[:end]


@given(st.data())
def test_forbidden_keys_come_and_go_as_in_a_whole_parse(data: st.DataObject) -> None:
    keys = st.sampled_from(["__proto__", "constructor", "prototype", "a"])

    def grow(depth: int) -> str:
        kind = data.draw(st.integers(0, 3 if depth else 0))
        if not kind:
            return data.draw(st.sampled_from(["1", '"x"', "null", "{}"]))
        if kind == 1:
            return "[" + ",".join(grow(depth - 1) for _ in range(data.draw(st.integers(1, 2)))) + "]"
        members = range(data.draw(st.integers(1, 3)))
        return "{" + ",".join(f'"{data.draw(keys)}":{grow(depth - 1)}' for _ in members) + "}"

    text, parser = grow(4), PartialJsonParser()
    for end in range(1, len(text) + 1):
        parser.feed(text[end - 1])
        assert PartialJson(parser.snapshot(), parser.state) == parse_partial_json(text[:end]), text[:end]


def test_overwriting_forbidden_keys_searches_only_what_is_overwritten(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[int] = []
    original = growing_tree._forbidden_in
    monkeypatch.setattr(
        growing_tree, "_forbidden_in", lambda value: searched.append(len(repr(value))) or original(value)
    )
    parser = PartialJsonParser()
    for char in '{"a":[' + "1," * 3000 + "1]" + ',"c":{"__proto__":1},"c":2' * 50 + "}":
        parser.feed(char)
    assert parser.value["c"] == 2
    assert max(searched) < 40


def test_the_scan_in_pieces_is_the_scan_in_one() -> None:
    texts = [case["input"]["text"] for case in CASES if "text" in case["input"]]
    for text in texts:
        scan = FixScan()
        for char in text:
            scan.feed(char)
        assert text[: scan.last_valid + 1] + scan.closers() == fix_json(text)


@pytest.mark.parametrize(
    ("text", "fixed"),
    [
        ('{"a":{"b":["c",{"d":"e', '{"a":{"b":["c",{"d":"e"}]}}'),
        ("2.5e-", "2.5"),
        ('"value with \\u003', '"value with "'),
        ('{"a":tr', '{"a":true}'),
        ("[1}", "[1]"),
        ("x", ""),
    ],
)
def test_a_repair_keeps_what_counts_and_closes_what_is_open(text: str, fixed: str) -> None:
    assert fix_json(text) == fixed


@given(st.text(alphabet="a\ud83d\ude00é", max_size=8))
def test_joining_halves_twice_changes_nothing(text: str) -> None:
    assert join_surrogates(join_surrogates(text)) == join_surrogates(text)
