"""Importers: files to captures. An open set, one file format a module.

A member is a module with

- `LOOKS_FOR: str`: by what it knows its files, in words (for the message when nobody knows a file);
- `sniff(head: bytes, path: Path) -> float`: how sure it is, from 0 (no) to 1, from the first 64 KiB and the name;
- `read(data: bytes, path: Path) -> tuple[Capture, ...]`: the exchanges in file order; raises `CaptureError` with what it
  found when the file is not one of its own after all;
- `SAMPLE: bytes`: a short file of the format, which one test reads.

`data` is the whole file: `read` never touches the disk, so that an archive member or a download can be read as well.
"""

from __future__ import annotations

import os
from pathlib import Path
from types import ModuleType
from typing import Protocol, cast

from aisdk_lab._registry import Registry
from aisdk_lab.capture import Capture, StrPath
from aisdk_lab.errors import CaptureError

HEAD_BYTES = 64 * 1024


class Importer(Protocol):
    """What a member of the folder has; see the module's docstring."""

    LOOKS_FOR: str
    SAMPLE: bytes

    def sniff(self, head: bytes, path: Path) -> float:
        """How sure the importer is, 0 to 1."""
        ...

    def read(self, data: bytes, path: Path) -> tuple[Capture, ...]:
        """The exchanges of the file."""
        ...


def _pick(module: ModuleType) -> Importer:
    return cast(Importer, module)


importers: Registry[Importer] = Registry("importer", __name__, _pick)
"""The importers by name."""


def load(path: StrPath) -> Capture:
    """The capture in a file; of a file with several exchanges the first (`load_all` gives all).

    Reads our own capture files, recorded exchanges of the official SDK, and plain `.sse` text.

    Raises:
        CaptureError: no importer reads the file; the message says what was found.
        OSError: there is no such file, or it may not be read.
    """
    return load_all(path)[0]


def load_all(path: StrPath) -> tuple[Capture, ...]:
    """Every exchange in a file, in file order; at least one. Errors as for `load`."""
    place = Path(os.fsdecode(path))
    data = place.read_bytes()
    return read_bytes(data, place)


def read_bytes(data: bytes, path: Path) -> tuple[Capture, ...]:
    """The exchanges in the bytes of a file; `path` only names it. The surest importer is asked first."""
    head = data[:HEAD_BYTES]
    sure = {name: importer.sniff(head, path) for name, importer in importers.items()}
    refusals = {name: f"looks for {importers[name].LOOKS_FOR}" for name in sure}
    for name in sorted(sure, key=lambda name: -sure[name]):
        if sure[name] <= 0:
            break
        try:
            captures = importers[name].read(data, path)
        except CaptureError as refusal:
            refusals[name] = str(refusal)
            continue
        if captures:
            return captures
        refusals[name] = "found no exchange in it"
    reasons = "".join(f"\n  {name}: {reason}" for name, reason in refusals.items())
    found = f"{len(data):,} bytes that begin with {data[:48]!r}" if data else "an empty file"
    raise CaptureError(f"{str(path)!r} is not a capture: found {found}. The importers said:{reasons}")
