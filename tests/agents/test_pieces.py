"""Texts are cut as a model gives them, and nothing is lost."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from aisdk_lab.agents._pieces import json_pieces, text_pieces


@given(st.text())
def test_joined_the_pieces_are_the_text(text):
    assert "".join(text_pieces(text)) == text
    assert "".join(json_pieces(text)) == text


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("", []),
        ("让我看看", ["让", "我", "看", "看"]),
        ("one two\n\nthree ", ["one", " two", "\n\nthree", " "]),
        ("25°C，晴", ["25°C", "，", "晴"]),
        ("家👨‍👩‍👧好", ["家", "👨‍👩‍👧", "好"]),
        ("か゚き", ["か゚", "き"]),
    ],
)
def test_words_stay_whole_and_chinese_comes_by_character(text, pieces):
    assert text_pieces(text) == pieces
