"""The kernel's note: only its owner reads it, only what can be trusted is read."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from aisdk_lab.server.port_file import PortNote, path_of, read_note, remove_note, write_note

NOTE = PortNote(kernel="k-1", port=4711, pid=os.getpid(), token="secret-token")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))
    return tmp_path / "runtime"


def test_what_was_written_is_read_and_only_its_owner_may(folder: Path):
    path = write_note(NOTE)
    assert (path, path.stat().st_mode & 0o777) == (folder / "aisdk-lab-k-1.json", 0o600)
    assert read_note("k-1") == NOTE
    assert [file.name for file in folder.iterdir()] == ["aisdk-lab-k-1.json"]


def test_the_token_is_not_in_the_repr():
    assert "secret" not in repr(NOTE)


@pytest.mark.parametrize("name", ["", "..", "../k-1", "a/b", "a.b", "x" * 65, "k 1", "é"])
def test_a_name_is_never_a_path(name: str):
    assert path_of(name) is None
    assert read_note(name) is None


def test_a_note_that_others_can_read_is_not_trusted():
    write_note(NOTE).chmod(0o644)
    assert read_note("k-1") is None


def test_a_link_is_not_followed(folder: Path):
    real = write_note(NOTE)
    (folder / "aisdk-lab-k-2.json").symlink_to(real)
    assert read_note("k-2") is None


@pytest.mark.parametrize("text", ["", "{", '{"port": 1}', '{"kernel":"k-1","port":0,"pid":1,"token":"t"}', "[]"])
def test_what_is_no_note_is_not_read(text: str):
    path = write_note(NOTE)
    path.write_text(text)
    assert read_note("k-1") is None


def test_the_note_of_another_kernel_is_not_read(folder: Path):
    write_note(NOTE)
    os.rename(folder / "aisdk-lab-k-1.json", folder / "aisdk-lab-k-3.json")
    assert read_note("k-3") is None


def test_the_note_of_a_dead_process_is_removed(folder: Path):
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    write_note(PortNote(kernel="k-1", port=4711, pid=dead.pid, token="t"))
    assert read_note("k-1") is None
    assert list(folder.iterdir()) == []


def test_the_notes_of_killed_kernels_go_when_the_next_one_comes(folder: Path):
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    write_note(PortNote(kernel="killed", port=4711, pid=dead.pid, token="t"))
    write_note(PortNote(kernel="living", port=4712, pid=os.getpid(), token="t"))
    write_note(PortNote(kernel="far", port=4713, pid=dead.pid, token="t", host="another.example"))
    write_note(NOTE)
    names = sorted(file.name for file in folder.iterdir())
    assert names == ["aisdk-lab-far.json", "aisdk-lab-k-1.json", "aisdk-lab-living.json"]


def test_the_note_of_another_machine_is_left_alone_and_not_used(folder: Path):
    """On a shared disk: its port and its process are not ours, whatever their numbers are."""
    write_note(PortNote(kernel="k-1", port=4711, pid=os.getpid(), token="t", host="another.example"))
    assert read_note("k-1") is None
    assert len(list(folder.iterdir())) == 1


def test_a_note_is_taken_back_only_by_the_process_that_left_it(folder: Path):
    write_note(NOTE)
    remove_note("k-1", os.getpid() + 1)
    assert read_note("k-1") == NOTE
    remove_note("k-1", os.getpid())
    remove_note("k-1", os.getpid())
    assert list(folder.iterdir()) == []


def test_writing_again_replaces_in_one_step(folder: Path):
    write_note(NOTE)
    write_note(PortNote(kernel="k-1", port=4712, pid=os.getpid(), token="other"))
    assert json.loads((folder / "aisdk-lab-k-1.json").read_text())["port"] == 4712
    assert len(list(folder.iterdir())) == 1


def test_a_kernel_without_a_usable_id_is_an_error():
    with pytest.raises(ValueError, match="no kernel id"):
        write_note(PortNote(kernel="../x", port=1, pid=1, token="t"))
