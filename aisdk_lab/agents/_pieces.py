"""Text cut the way a model gives it: words in Latin script, one character at a time in Chinese.

Stage: agents. Joined, the pieces are the text. A character with its marks (an emoji with its selector, a family of
emoji) stays in one piece, because no model's text breaks there; cuts inside a character happen further down, in bytes.
"""

from __future__ import annotations

import re

_WIDE = "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uff60\U00020000-\U0003ffff"
_MARKS = "\u0300-\u036f\u3099\u309a\ufe00-\ufe0f\U000e0100-\U000e01ef"
_PIECE = re.compile(rf"\s*(?:[{_WIDE}][{_MARKS}]*|[^\s{_WIDE}]+)|\s+")

JSON_PIECE_CHARS = 12
"""How much of a tool's input one delta carries; the model writes input faster than prose."""


def text_pieces(text: str) -> list[str]:
    """The deltas for a text.

    >>> text_pieces("Sunny today 🌤️，25°C 晴")
    ['Sunny', ' today', ' 🌤️', '，', '25°C', ' 晴']
    """
    return _PIECE.findall(text)


def json_pieces(text: str) -> list[str]:
    """The deltas for the JSON text of a tool's input.

    >>> json_pieces('{"city":"杭州"}')
    ['{"city":"杭州', '"}']
    """
    return [text[start : start + JSON_PIECE_CHARS] for start in range(0, len(text), JSON_PIECE_CHARS)]
