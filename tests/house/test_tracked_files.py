"""What may stand in a committed file, and where a file may stand."""

from __future__ import annotations

import json
import re
import subprocess

import pytest

from tests.node import ROOT

TOP = {"Makefile", "README.md", "aisdk_lab", "notebooks", "pyproject.toml", "tests", "widget_js"}


def tracked(*patterns: str) -> list[str]:
    listing = subprocess.run(
        ["git", "ls-files", "-z", *patterns], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listing.returncode:
        pytest.skip("not a git checkout: nothing is tracked")
    return [name for name in listing.stdout.split("\0") if name and (ROOT / name).is_file()]


FORBIDDEN = {
    # Put together here, so that this file does not hold what it forbids.
    "a package registry's address": r"registry\.npm" r"js|files\.python" r"hosted|pypi\.o" r"rg|deb\.deb" r"ian\.org",
    "a path of one machine": r"(?<![\w.])/(?:wo" r"rk|ho" r"me|Us" r"ers|ro" r"ot|t" r"mp)/[\w.]",
    "a download address in a lock": r'"resol' r'ved": ',
    "a private key or a token": r"-----BEGIN [A-Z ]*PRIVATE KEY|sk-[A-Za-z0-9]{32,}|ghp_[A-Za-z0-9]{30,}",
}


@pytest.mark.parametrize("what", FORBIDDEN)
def test_no_tracked_file_holds(what):
    pattern = re.compile(FORBIDDEN[what].encode())
    found = [
        f"{name}:{data.count(10, 0, hit.start()) + 1}: {hit.group().decode()}"
        for name in tracked()
        for data in [(ROOT / name).read_bytes()]
        for hit in pattern.finditer(data)
    ]
    assert found == []


def test_the_top_of_the_tree_is_the_given_one():
    assert {name.split("/")[0] for name in tracked() if not name.startswith(".")} <= TOP


def test_no_lock_of_uv_is_committed():
    assert tracked("*uv.lock") == []


def test_every_package_of_the_npm_locks_has_a_digest():
    for name in tracked("*package-lock.json"):
        packages = json.loads((ROOT / name).read_bytes())["packages"]
        assert [path for path, entry in packages.items() if path and "integrity" not in entry] == []


def test_the_constraints_hold_names_and_versions_only():
    lines = (ROOT / "tests" / "constraints.txt").read_text("utf-8").splitlines()
    assert [line for line in lines if not re.fullmatch(r"#.*|[A-Za-z0-9._-]+==[A-Za-z0-9.!+]+", line)] == []


@pytest.mark.parametrize("area", sorted(path.name for path in (ROOT / "tests" / "golden").glob("*/")))
def test_golden_files_say_where_they_come_from(area):
    provenance = ROOT / "tests" / "golden" / area / "PROVENANCE.md"
    assert provenance.is_file()
    assert len(provenance.read_text("utf-8").split()) > 10


def test_no_file_is_a_second_home_for_everything():
    """A long file is asked which second thing is in it; the answer stands here."""
    answered: dict[str, str] = {}
    limits = {"aisdk_lab": 500, "widget_js": 500, "tests": 800}
    long = {
        name: lines
        for name in tracked("*.py", "*.ts", "*.tsx")
        if (lines := (ROOT / name).read_bytes().count(b"\n")) > limits[name.split("/")[0]]
    }
    assert long.keys() <= answered.keys(), long


@pytest.mark.parametrize("word", ["utils", "helpers", "common", "manager"])
def test_no_module_is_named(word):
    assert [name for name in tracked("aisdk_lab", "widget_js/src") if word in re.split(r"[/._]", name)] == []
