"""Hidden characters are seen; everything else stays."""

from __future__ import annotations

import pytest

from aisdk_lab.wire.visible import visible


@pytest.mark.parametrize("character", ["\0", "\x1b", "\r", "\x7f", "\x9b", "\u200f", "\u202e", "\u2066", "\u061c"])
def test_control_and_direction_characters_are_shown_as_escapes(character: str) -> None:
    shown = visible(f"a{character}b")
    assert character not in shown
    assert shown == f"a{character!r}b".replace("'", "")


@pytest.mark.parametrize("text", ["a\tb\nc", "👩\u200d💻", "سلام", "杭州"])
def test_what_people_write_stays(text: str) -> None:
    assert visible(text) == text
