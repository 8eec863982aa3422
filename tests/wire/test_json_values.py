"""Values of foreign frames: glued ones are told apart, and no text raises."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from aisdk_lab.wire import json_text
from aisdk_lab.wire.json_values import read_values

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
PROBLEM = "{} JSON values on one line: the writer left a line end out"


@given(
    st.lists(st.dictionaries(st.text(max_size=3), JSON, max_size=3), min_size=2, max_size=5),
    st.sampled_from(["", " ", "\t "]),
)
def test_glued_objects_are_all_read_and_the_fault_is_told(objects, between):
    text = between.join(map(json_text.write, objects))
    expected = [json_text.read(json_text.write(each)) for each in objects]
    assert read_values(text) == (expected, PROBLEM.format(len(objects)))


@given(JSON)
def test_one_value_has_no_problem(value):
    text = json_text.write(value)
    assert read_values(f" {text}\r") == ([json_text.read(text)], None)


@given(st.text())
def test_no_text_raises(text):
    values, problem = read_values(text)
    assert problem is not None or len(values) == 1


@pytest.mark.parametrize(
    ("text", "values", "problem"),
    [
        ("", [], "not JSON: there is no value"),
        ('{"a":1}{"b":', [{"a": 1}], "not JSON: Expecting value at character 5 in what begins at character 7"),
        ('{"a":1}{"b":NaN}', [{"a": 1}], "not JSON: NaN is not a JSON number in what begins at character 7"),
        ('{"a":1} nonsense', [{"a": 1}], None),
        ("[" * 100_000, [], None),
        ("9" * 10_000 + '{"a":1}', [float("inf"), {"a": 1}], PROBLEM.format(2)),
    ],
)
def test_what_was_read_before_the_fault_is_kept(text, values, problem):
    read, said = read_values(text)
    assert read == values
    assert said == problem if problem else said.startswith("not JSON: ")


def test_many_glued_values_cost_what_they_are_long():
    values, _problem = read_values('{"a":1}' * 100_000)  # a quadratic reading takes minutes
    assert len(values) == 100_000
