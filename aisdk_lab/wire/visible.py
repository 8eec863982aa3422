"""Remote text for a person's eyes: what would move the cursor or turn the writing direction is shown as its escape.

Stage: wire. Everything else stays, so that Arabic, emoji sequences and line breaks read as they were meant.
"""

from __future__ import annotations

import re

from aisdk_lab.wire.json_text import mend_surrogates

# Control characters but tab and line feed; the marks, embeddings, overrides and isolates of the bidi algorithm; line and
# paragraph separators stay.
_HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    r"""The text with hidden characters as Python's escapes, and half a surrogate pair as U+FFFD.

    >>> print(visible("a\x1b[2Jb\u202ec"))
    a\x1b[2Jb\u202ec
    """
    mended = mend_surrogates(text)
    return _HIDDEN.sub(lambda match: match.group().encode("unicode_escape").decode("ascii"), mended)
