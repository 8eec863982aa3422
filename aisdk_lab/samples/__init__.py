"""Samples: captures that come with the package, by name, in our own file format.

An open set of files: `<name>.capture.jsonl` in this folder is a sample, and its header says in one line what it is a
recording of (`about`). `PROVENANCE.md` beside them says from what, which version and when.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from aisdk_lab.capture import Capture
from aisdk_lab.card import html_card
from aisdk_lab.errors import UnknownName
from aisdk_lab.importers import aisdk_capture
from aisdk_lab.strings import word

SUFFIX = ".capture.jsonl"


class Samples(Mapping[str, Capture]):
    """`samples["weather"]` is a capture; iterating gives the names. Files are read when asked for, once.

    Raises `UnknownName` with the known names for a name that is not there.
    """

    @staticmethod
    @cache
    def _files() -> dict[str, Traversable]:
        found = {
            entry.name.removesuffix(SUFFIX): entry for entry in files(__name__).iterdir() if entry.name.endswith(SUFFIX)
        }
        return dict(sorted(found.items()))

    @staticmethod
    @cache
    def _read(name: str) -> Capture:
        entry = Samples._files()[name]
        (capture,) = aisdk_capture.read(entry.read_bytes(), Path(entry.name))
        return capture

    def __getitem__(self, name: str) -> Capture:
        if name not in self._files():
            raise UnknownName("sample", name, self._files())
        return self._read(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._files())

    def __len__(self) -> int:
        return len(self._files())

    def __repr__(self) -> str:
        return "\n".join(f"{name:24}{capture.about or ''}" for name, capture in self.items())

    def _repr_html_(self) -> str:
        lines = {name: capture.about for name, capture in self.items()}
        return html_card(word("samples.title"), str(len(self)), word("samples.about"), lines)


samples = Samples()
"""The packaged captures."""
