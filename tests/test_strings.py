"""The list of words: complete in both languages, well formed, and the same in the browser."""

from __future__ import annotations

import json
import string
import subprocess
import sys
from pathlib import Path

import pytest

from aisdk_lab.errors import UnknownName
from aisdk_lab.strings import WORDS, languages, view_json, word

STRINGS_JSON = Path(__file__).parents[1] / "widget_js" / "src" / "strings.json"


def fields(template: str) -> set[str]:
    """Names of the fields of a template; the empty name stands for an unnamed field."""
    return {name for _, name, _, _ in string.Formatter().parse(template) if name is not None}


def test_a_word_comes_in_the_language_asked_for():
    assert [word("view.deny", language) for language in languages] == ["Deny", "拒绝"]


def test_fields_are_filled_from_the_values():
    assert word("view.tool.running", name="get_weather") == "Running get_weather"
    assert word("view.tool.running", "zh", name="get_weather") == "正在运行 get_weather"


def test_an_unknown_word_names_the_known_ones():
    with pytest.raises(UnknownName, match="no word is called 'view.alow'.*view.allow"):
        word("view.alow")


def test_an_unknown_language_is_refused():
    with pytest.raises(UnknownName, match="no language is called 'fr'. Known: en, zh"):
        word("view.allow", "fr")


@pytest.mark.parametrize("key", sorted(WORDS))
def test_both_languages_say_the_same_fields_by_name(key: str):
    english, chinese = WORDS[key]
    assert fields(english) == fields(chinese)
    assert "" not in fields(english)
    assert english.strip() == english != ""
    assert chinese.strip() == chinese != ""


@pytest.mark.parametrize("key", sorted(WORDS))
def test_our_words_do_not_shout(key: str):
    assert not [text for text in WORDS[key] if "!" in text or "！" in text]


def test_the_browser_has_the_same_words():
    assert STRINGS_JSON.read_text("utf-8") == view_json()


def test_the_command_prints_what_the_browser_has():
    printed = subprocess.run([sys.executable, "-m", "aisdk_lab.strings"], capture_output=True, check=True).stdout
    assert json.loads(printed) == {key: list(pair) for key, pair in WORDS.items() if key.startswith("view.")}
