"""Which release of `ai` is meant, and whether something is part of it.

Stage: ui_stream. Three lines are alive at once (5.0, 6.0, 7.0) and take changes over from each other, so "since 7.0.32"
alone says nothing about 6.0.250: a life has one first release a line.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Final, NamedTuple

from aisdk_lab.errors import UnknownName
from aisdk_lab.ui_stream.grammar import ALWAYS, Since


class Release(NamedTuple):
    """One release; compares by its numbers.

    >>> str(read_version("7"))
    '7.0.173'
    """

    major: int
    minor: int
    patch: int

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}.{self.patch}"


OLD_DATA_STREAM: Final = Release(4, 3, 19)
"""The last release before the UI Message Stream; see `old_data_stream`."""
NEWEST: Mapping[int, Release] = {
    4: OLD_DATA_STREAM,
    5: Release(5, 0, 277),
    6: Release(6, 0, 326),
    7: Release(7, 0, 173),
}
"""The newest release of each line that was run (tests/golden/versions): what "5", "6" and "7" mean."""
REFERENCE: Final = "7.0.173"
"""The release that everything in this package means when none is named."""
NAMED: Final = ("4", "5.0.0", "5", "6.0.0", "6", "7.0.0", "7.0.31", "7")
"""Clients worth comparing: the old data stream, both ends of each line, and the last strict one of 7.0."""

_WRITTEN = re.compile(r"(?:ai@|v)?(?P<major>\d{1,3})(?:\.(?P<minor>\d{1,3}))?(?:\.(?P<patch>\d{1,6}))?", re.ASCII)


def read_version(version: str) -> Release:
    """The release that a version names: `"7"` and `"7.0"` are the newest known one of that line, `"7.0.31"` itself.

    Raises: `UnknownName` for anything else: another word, an unknown line, a release newer than the newest that was
    run (nobody knows what it accepts; compare with the line's name instead).
    """
    if not isinstance(version, str):  # pyright: ignore[reportUnnecessaryIsInstance] # 7.0 is an easy slip
        raise _unknown(version)
    return _read(version)


@cache
def _read(version: str) -> Release:
    found = _WRITTEN.fullmatch(version)
    newest = NEWEST.get(int(found["major"])) if found else None
    if found is None or newest is None:
        raise _unknown(version)
    if newest == OLD_DATA_STREAM:
        return newest
    if found["minor"] is not None and int(found["minor"]) != newest.minor:
        raise _unknown(version)
    release = newest if found["patch"] is None else Release(newest.major, newest.minor, int(found["patch"]))
    if release > newest:
        raise _unknown(version)
    return release


def _unknown(version: object) -> UnknownName:
    lines = [f"{line!s} (the old data stream)" if line == 4 else f"{line!s}" for line in NEWEST]
    exact = [f"{line}.0.0 to {newest}" for line, newest in NEWEST.items() if line != 4]
    kind = "version of `ai`" if isinstance(version, str) else "version of `ai` (a text, such as '7')"
    return UnknownName(kind, version, [*lines, *exact])


class Life(NamedTuple):
    """From when to when something is part of `ai`: the first release of each line that has it, and that lost it.

    >>> Life(("5.0.217", "6.0.231", "7.0.32")).holds(read_version("6.0.0"))
    False
    """

    since: Since = ALWAYS
    until: Since = ()

    def holds(self, release: Release) -> bool:
        """Whether that release has it."""
        return _has_begun(self.since, release) and not _has_begun(self.until, release)


@cache
def _has_begun(firsts: Since, release: Release) -> bool:
    """A line's own first release decides; a line that is not named follows the line before it."""
    numbers = [Release(*map(int, first.split("."))) for first in firsts]
    own = [first for first in numbers if first.major == release.major]
    return any(first <= release for first in own or numbers)
