"""The report of `lab.check()`: rows in words, as text and as HTML.

Stage: probe, pure. What was found comes from the environment and is shown as text only.
"""

from __future__ import annotations

import html
import unicodedata
from dataclasses import dataclass
from typing import Literal

from aisdk_lab.strings import word

Status = Literal["ok", "warning", "problem"]
_GLYPHS = {"ok": "✓", "warning": "!", "problem": "✕"}


@dataclass(frozen=True, slots=True)
class Row:
    """One thing that was looked at."""

    key: str
    """Which thing, for a program: `python`, `packages`, `kernel`, `widget`, `thread`, `port`, `proxy`, `relay`, …"""
    status: Status
    found: str
    """What was found, in words."""
    advice: str = ""
    """What to do; empty when nothing need be done."""


@dataclass(frozen=True, slots=True)
class Check:
    """What works here. Shows itself as a table; `ok` says whether everything needed does."""

    rows: tuple[Row, ...]
    language: str = "en"

    @property
    def ok(self) -> bool:
        """True when no row is a problem; warnings are about what is optional or only sometimes in the way."""
        return all(row.status != "problem" for row in self.rows)

    @property
    def problems(self) -> tuple[Row, ...]:
        """The rows that are problems."""
        return tuple(row for row in self.rows if row.status == "problem")

    def __getitem__(self, key: str) -> Row:
        """The row with this key. Raises `KeyError` with the known ones."""
        for row in self.rows:
            if row.key == key:
                return row
        raise KeyError(f"no row is called {key!r}; there are {', '.join(row.key for row in self.rows)}")

    def _title(self, row: Row) -> str:
        return word(f"check.{row.key}", self.language)

    @property
    def _verdict(self) -> str:
        return word("check.works" if self.ok else "check.broken", self.language)

    def __repr__(self) -> str:
        width = max(_columns(self._title(row)) for row in self.rows) if self.rows else 0
        lines = [self._verdict]
        for row in self.rows:
            title = self._title(row)
            pad = " " * (width - _columns(title))
            lines.append(f"{_GLYPHS[row.status]} {title}{pad}  {row.found}")
            if row.advice:
                lines.append(f"  {' ' * width}  → {row.advice}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        cells = "".join(
            f"<tr><td>{_GLYPHS[row.status]} {html.escape(word(f'check.status.{row.status}', self.language))}</td>"
            f'<td style="text-align: left">{html.escape(self._title(row))}</td>'
            f'<td style="text-align: left">{html.escape(row.found)}'
            + (f"<br>→ {html.escape(row.advice)}" if row.advice else "")
            + "</td></tr>"
            for row in self.rows
        )
        return f"<div><b>{html.escape(self._verdict)}</b><table>{cells}</table></div>"


def _columns(text: str) -> int:
    """Columns of a terminal: Chinese characters take two."""
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)
