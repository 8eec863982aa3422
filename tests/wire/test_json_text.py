"""JSON as JavaScript reads and writes it."""

from __future__ import annotations

import json
import math
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from aisdk_lab.wire.json_text import (
    MAX_DEPTH,
    JsonProblem,
    join_surrogates,
    mend_surrogates,
    number_text,
    read,
    write,
    write_bytes,
)

GOLDEN = Path(__file__).parents[1] / "golden" / "json_text" / "json_text.jsonl"
CASES = [json.loads(line) for line in GOLDEN.read_bytes().splitlines()]
LONE_HALF = re.compile(r"\\ud[89a-f][0-9a-f]{2}")


def test_every_text_is_taken_or_refused_as_node_does() -> None:
    verdicts: dict[str, bool] = {}
    for case in CASES:
        try:
            read(case["text"])
            verdicts[case["text"]] = True
        except JsonProblem:
            verdicts[case["text"]] = False
    assert verdicts == {case["text"]: case["stringified"] is not None for case in CASES}


def test_what_is_read_is_written_as_node_does() -> None:
    """Byte for byte, but for a lone surrogate half, of which JavaScript writes the escape."""
    taken = [case for case in CASES if case["stringified"] is not None]
    written = {case["text"]: write(read(case["text"])) for case in taken}
    assert written == {case["text"]: LONE_HALF.sub("\ufffd", case["stringified"]) for case in taken}
    assert len(written) > 600


def test_bytes_and_text_are_read_alike() -> None:
    assert read('{"城": "杭州"}'.encode()) == read('{"城": "杭州"}') == {"城": "杭州"}
    assert read(bytearray(b'"\xff"')) == "\ufffd"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1),
        ("1.0", 1.0),
        ("-0", -0.0),
        ("[-0,0]", [-0.0, 0]),
        ("1e400", math.inf),
        ("-1e400", -math.inf),
        ("9007199254740993", 9007199254740993),
        ("1" * 5000, math.inf),
        ('"2024-01-05, -0"', "2024-01-05, -0"),
        ('"\\ud83d"', "\ud83d"),
        ('"\\ud83d\\ude00"', "😀"),
        ('"\ud83d\ude00"', "😀"),
        ('"\ud83d\\ude00"', "😀"),
        ('{"a":1,"a":2}', {"a": 2}),
        ('{"constructor":1}', {"constructor": 1}),
        ('{"constructor":[{"prototype":1}]}', {"constructor": [{"prototype": 1}]}),
        ('{"prototype":{"constructor":1}}', {"prototype": {"constructor": 1}}),
        ('"__proto__"', "__proto__"),
        ('{"a":"{\\"__proto__\\":1}"}', {"a": '{"__proto__":1}'}),
        ('{"constructor":{"prototype":1},"constructor":2}', {"constructor": 2}),
    ],
)
def test_a_value_is_read_as(text: str, value: Any) -> None:
    got = read(text)
    assert (repr(got), got) == (repr(value), value)


@pytest.mark.parametrize(
    "text",
    [
        '{"__proto__":1}',
        '[{"a":{"__proto__":null}}]',
        '{"\\u005f_proto__":1}',
        '{"__pr\\u006fto__":1}',
        '{"constructor":{"prototype":1}}',
        '{"c\\u006fnstructor":{"prototype":{}}}',
        '{"constructor":{"protot\\u0079pe":{}}}',
    ],
)
def test_keys_that_would_change_a_prototype_are_refused(text: str) -> None:
    with pytest.raises(JsonProblem, match="forbidden prototype property"):
        read(text)


def test_a_problem_says_where_it_is() -> None:
    with pytest.raises(JsonProblem) as caught:
        read('{"a": [1, 2, x]}')
    assert (caught.value.reason, caught.value.position) == ("Expecting value", 13)
    assert str(caught.value) == "Expecting value at character 13, near 'x]}'"


@pytest.mark.parametrize("opening", ["[", '{"a":', '[1,{"[":'])
def test_any_depth_is_taken_or_refused_but_never_an_error_of_the_stack(opening: str) -> None:
    with pytest.raises(JsonProblem, match="open objects and arrays"):
        read(opening * 100_000)


def test_the_limit_of_depth_is_exact_and_brackets_in_text_do_not_count() -> None:
    strings = json.dumps(["[" * 1000, '"]' * 1000, "{}[" * 1000])
    inner = f"[{strings}]"
    for closers in ("[]", "{}"):
        opening, closing = ("[", "]") if closers == "[]" else ('{"]":', "}")
        most = MAX_DEPTH - 2
        assert read(opening * most + inner + closing * most) is not None
        with pytest.raises(JsonProblem, match="more than 256 open"):
            read(opening * (most + 1) + inner + closing * (most + 1))


def test_a_full_stack_is_a_problem_of_the_text_and_not_of_the_program() -> None:
    def at_depth(frames: int) -> Any:
        return at_depth(frames - 1) if frames else read("[" * 200 + "]" * 200)

    used = len(__import__("inspect").stack())
    with pytest.raises(JsonProblem):
        at_depth(sys.getrecursionlimit() - used - 60)


def test_surrogate_halves_are_joined_and_lone_ones_replaced() -> None:
    assert join_surrogates("\ud83d\ude00\ud83d") == "😀\ud83d"
    assert mend_surrogates("\ude00\ud83d\ude00\ud83d\ud83d") == "\ufffd😀\ufffd\ufffd"
    assert write({"\ud83d\ude00": ["\ud83d", {"\ude00": 1.0}]}) == '{"😀":["\ufffd",{"\ufffd":1}]}'


def test_integers_are_written_as_the_doubles_of_javascript() -> None:
    assert write([2**53, 2**53 + 1, -(2**53) - 1, 2**64, 10**21, 10**400, -(10**400)]) == (
        "[9007199254740992,9007199254740992,-9007199254740992,18446744073709552000,1e+21,null,null]"
    )
    assert write([float("nan"), math.inf, -0.0, True, False, None]) == "[null,null,0,true,false,null]"


def test_keys_that_look_like_indices_come_first_and_ascend() -> None:
    assert write({"b": 1.5, "10": {"1": 2, "0": 3}, 2: "x", "a": ()}) == '{"2":"x","10":{"0":3,"1":2},"b":1.5,"a":[]}'


def test_what_is_not_json_is_named() -> None:
    with pytest.raises(TypeError, match="a set is not a JSON value"):
        write({"a": {1, 2}})
    with pytest.raises(TypeError, match="a key of an object must be text, got None"):
        write({None: 1})


def test_a_circle_is_refused() -> None:
    circle: list[Any] = []
    circle.append(circle)
    with pytest.raises(ValueError, match="nested too deeply for JSON, or holds itself"):
        write(circle)


def test_the_value_given_is_not_changed() -> None:
    value = {"b": 1.0, "1": [2.0, "\ud83d"], "c": {"d": math.nan}}
    before = repr(value)
    write(value)
    assert repr(value) == before


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=4) | st.sampled_from(["0", "7"]), inner, max_size=4)
    ),
    max_leaves=12,
)


def doubled(value: Any) -> Any:
    """The value as JavaScript would hold it."""
    if isinstance(value, dict):
        return {key: doubled(member) for key, member in value.items()}
    if isinstance(value, list):
        return [doubled(member) for member in value]
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            return float(value) if math.isfinite(float(value)) else None
        except OverflowError:
            return None
    return value


@given(VALUES)
def test_what_is_written_is_read_back(value: Any) -> None:
    text = write(value)
    assert doubled(read(text)) == doubled(value)
    assert write(read(text)) == text
    assert write_bytes(value) == text.encode()


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_is_written_so_that_it_reads_back_exactly(number: float) -> None:
    assert float(number_text(number)) == number


@given(st.text(alphabet='{}[]",:\\untrfalse01-+.eE \n\x01é', max_size=12))
def test_the_fast_reader_and_the_standard_library_agree_on_nonsense(text: str) -> None:
    def refuse(name: str) -> None:
        raise ValueError(name)

    try:
        expected = json.loads(text, parse_constant=refuse)
    except ValueError:
        with pytest.raises(JsonProblem):
            read(text)
    else:
        assert read(text) == expected


class Text(str):
    """A text of a class of its own."""

    __slots__ = ()


@pytest.mark.parametrize("text", [b"[1]", bytearray(b"[1]"), memoryview(b"[1]"), Text("[1]")], ids=type)
def test_any_kind_of_text_is_read(text: Any) -> None:
    assert read(text) == [1]


@pytest.mark.parametrize("value", [None, 5, 10**12, [91, 93], {}], ids=repr)
def test_what_is_no_text_is_refused_before_it_becomes_bytes(value: Any) -> None:
    with pytest.raises(TypeError, match="give str or bytes"):
        read(value)
