"""The names that the browser's type test compares with the official types are those of the grammar."""

from __future__ import annotations

from pathlib import Path

from aisdk_lab.ui_stream.grammar_json import names_json

GRAMMAR_JSON = Path(__file__).parents[2] / "widget_js" / "src" / "grammar.json"


def test_typescript_has_the_same_names():
    assert GRAMMAR_JSON.read_text("utf-8") == names_json(), "print it again: cd widget_js && npm run grammar"
