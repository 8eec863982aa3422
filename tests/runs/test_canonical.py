"""The fingerprint of an input is the reference's."""

from __future__ import annotations

import pytest

from aisdk_lab.runs.canonical import canonical_json, input_hash


def test_the_digest_is_that_of_the_recorded_vector():
    """Source: spec §7.7, verified against `ai` 7.0.173 (`experimental_toolApprovalSecret`)."""
    assert input_hash({"city": "P"}) == "DDB3Ne85vXRYwIxiOJPxDOp1p3q-rM0RDbXIyI2pk80"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": 1, "a": {"d": [], "c": None}}, '{"a":{"c":null,"d":[]},"b":1}'),
        ({"10": 1, "9": 2}, '{"10":1,"9":2}'),
        ({"\ue000": 1, "𐀀": 2}, '{"𐀀":2,"\ue000":1}'),
        ([1.0, 1e21, -0.0, "杭\n州", True], '[1,1e+21,0,"杭\\n州",true]'),
    ],
    ids=["nested", "digits", "utf-16 order", "numbers and texts"],
)
def test_keys_are_sorted_by_utf16_and_scalars_are_written_as_javascript_does(value, text):
    assert canonical_json(value) == text


def test_the_order_of_keys_does_not_matter_and_everything_else_does():
    assert input_hash({"a": 1, "b": [1, 2]}) == input_hash({"b": [1, 2], "a": 1.0})
    assert input_hash({"a": [1, 2]}) != input_hash({"a": [2, 1]})
