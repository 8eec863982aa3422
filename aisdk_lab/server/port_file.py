"""The note that a kernel leaves in Jupyter's runtime folder: on which loopback port its sidebars are served.

Stage: between two processes. The kernel writes it (hub.py), the Jupyter Server extension reads it (jupyter/extension.py) and
nothing else says where requests may be relayed to. Owner only (0600), written in one step, removed when the kernel leaves; the
note of a kernel that was killed is removed by whoever comes across it.
The file is `aisdk-lab-<kernel id>.json` with `{"port", "pid", "host", "token", "kernel"}`.
"""

from __future__ import annotations

import json
import os
import re
import socket
import stat
import tempfile
from pathlib import Path

import msgspec

_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


class PortNote(msgspec.Struct, frozen=True):
    """Where a kernel's hub listens, and the secret that lets its own Jupyter server in."""

    kernel: str
    port: int
    pid: int
    token: str
    host: str = msgspec.field(default_factory=socket.gethostname)
    """Whose port and process they are: the folder may lie on a disk that several machines share."""

    def __repr__(self) -> str:  # the token is shown nowhere
        return f"PortNote(kernel={self.kernel!r}, port={self.port}, pid={self.pid})"


def runtime_folder() -> Path:
    """Jupyter's runtime folder of this user."""
    from jupyter_core.paths import jupyter_runtime_dir

    return Path(jupyter_runtime_dir())


def path_of(kernel_id: str) -> Path | None:
    """Where the note of a kernel is; `None` for what is no kernel id (a name is never a path)."""
    return runtime_folder() / f"aisdk-lab-{kernel_id}.json" if _ID.fullmatch(kernel_id) else None


def write_note(note: PortNote) -> Path:
    """Leave the note; an older one of the same kernel is replaced in one step, those of killed kernels go.

    Raises:
        ValueError: the kernel's id could not be found again.
        OSError: the folder cannot be written.
    """
    path = path_of(note.kernel)
    if path is None:
        raise ValueError(f"{note.kernel!r} is no kernel id: expected letters, digits, - and _")
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=".aisdk-lab-")  # mode 0600
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(msgspec.to_builtins(note), file)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    for other in path.parent.glob("aisdk-lab-*.json"):
        read_note(other.stem.removeprefix("aisdk-lab-"))
    return path


def read_note(kernel_id: str) -> PortNote | None:
    """The note of a kernel; `None` when there is none, or none that can be trusted.

    Trusted is a regular file of this user that nobody else can read, about a process of this machine that lives. The note of
    a dead process is removed.
    """
    path = path_of(kernel_id)
    if path is None:
        return None
    try:
        # Opened without following a link, and judged by what was opened: between a look and a read it could be swapped.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.getuid() or stat.S_IMODE(found.st_mode) & 0o077:
            return None
        try:
            note = msgspec.json.decode(file.read(4096), type=PortNote)
        except msgspec.DecodeError:
            return None
    if note.kernel != kernel_id or not 0 < note.port < 65536 or not note.token:
        return None
    if note.host != socket.gethostname():
        return None
    if not _is_alive(note.pid):
        path.unlink(missing_ok=True)
        return None
    return note


def remove_note(kernel_id: str, pid: int) -> None:
    """Take the note back, if it is that of this process; a newer kernel of the same name keeps its own."""
    path = path_of(kernel_id)
    if path is None:
        return
    try:
        note = msgspec.json.decode(path.read_bytes(), type=PortNote)
    except (OSError, msgspec.DecodeError):
        return
    if note.pid == pid:
        path.unlink(missing_ok=True)


def _is_alive(pid: int) -> bool:
    if pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:  # somebody else's process: not one of our kernels, but alive
        return True
    return True
