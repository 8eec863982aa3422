"""Imports point to the bytes. `lint-imports` checks the direction; here: that the contract describes this house."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.node import ROOT

LAYERS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"][0]["layers"]
ROOMS = [room.strip() for layer in LAYERS for room in layer.split("|")]


def test_every_import_keeps_the_contract():
    lint = Path(sys.executable).parent / "lint-imports"
    result = subprocess.run([lint, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout


@pytest.mark.parametrize("room", ROOMS)
def test_only_a_room_that_is_not_built_stands_in_parentheses(room):
    name = re.sub(r"[()]", "", room)
    exists = (ROOT / "aisdk_lab" / f"{name}.py").exists() or (ROOT / "aisdk_lab" / name).is_dir()
    assert room == (name if exists else f"({name})")
