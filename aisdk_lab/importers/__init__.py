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
import stat
from pathlib import Path
from types import ModuleType
from typing import Protocol, cast

from aisdk_lab._registry import Registry
from aisdk_lab.capture import Capture, StrPath
from aisdk_lab.errors import CaptureError

HEAD_BYTES = 64 * 1024
MAX_FILE_BYTES = 1024**3
"""No larger file is read: a capture is held in memory, and so are the chunks that are made of it."""
GZIP_START = b"\x1f\x8b"


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
    try:
        kind = place.stat().st_mode
    except ValueError as error:  # a NUL or half a surrogate pair
        raise CaptureError(f"no file can be called {str(path)!r}: {error}. Check the path.") from error
    # Before it is opened: to open a pipe waits for somebody who writes to it.
    if stat.S_ISDIR(kind):
        raise IsADirectoryError(f"{str(place)!r} is a folder: name a file in it")
    if not stat.S_ISREG(kind):
        raise CaptureError(
            f"{str(place)!r} is a device or a pipe, not a file: save what comes out of it to a file first"
        )
    with place.open("rb") as file:
        head = file.read(HEAD_BYTES)
        size_bytes = os.fstat(file.fileno()).st_size
        ranked = _ranked(head, place, size_bytes)
        if size_bytes > MAX_FILE_BYTES:
            raise CaptureError(
                f"{str(place)!r} has {size_bytes:,} bytes, more than the {MAX_FILE_BYTES:,} (1 GiB) that are read: split it"
            )
        return _read(head + file.read(), place, ranked)


def read_bytes(data: bytes, path: Path) -> tuple[Capture, ...]:
    """The exchanges in the bytes of a file; `path` only names it. The surest importer is asked first."""
    return _read(data, path, _ranked(data[:HEAD_BYTES], path, len(data)))


def _ranked(head: bytes, path: Path, size_bytes: int) -> list[str]:
    """The importers that know the file by its head, the surest first; refused when none does."""
    sure = {name: importer.sniff(head, path) for name, importer in importers.items()}
    ranked = sorted((name for name in sure if sure[name] > 0), key=lambda name: -sure[name])
    if not ranked:
        raise _refusal(head, path, size_bytes, {})
    return ranked


def _read(data: bytes, path: Path, ranked: list[str]) -> tuple[Capture, ...]:
    refusals: dict[str, str] = {}
    for name in ranked:
        try:
            captures = importers[name].read(data, path)
        except CaptureError as refusal:
            refusals[name] = str(refusal)
            continue
        if captures:
            return captures
        refusals[name] = "found no exchange in it"
    raise _refusal(data, path, len(data), refusals)


def _refusal(head: bytes, path: Path, size_bytes: int, refusals: dict[str, str]) -> CaptureError:
    found = f"{size_bytes:,} bytes that begin with {head[:48]!r}" if head else "an empty file"
    if head.startswith(GZIP_START):
        found += ", which is gzip: decompress it first"
    said = {name: refusals.get(name, f"looks for {importers[name].LOOKS_FOR}") for name in importers}
    reasons = "".join(f"\n  {name}: {reason}" for name, reason in said.items())
    return CaptureError(f"{str(path)!r} is not a capture: found {found}. The importers said:{reasons}")
