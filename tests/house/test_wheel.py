"""What an installation gets: the wheel and the sdist, looked into, and the wheel installed where there is no Node."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.node import ROOT

CONFIG = "etc/jupyter/jupyter_server_config.d/aisdk_lab.json"


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    """A folder with wheel and sdist of this tree."""
    folder = tmp_path_factory.mktemp("dist")
    hatchling = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-t", "sdist", "-d", folder]
    subprocess.run(hatchling, cwd=ROOT, check=True, capture_output=True)
    return folder


@pytest.fixture(scope="module")
def wheel(built) -> Path:
    [path] = built.glob("*.whl")
    return path


def sources() -> set[str]:
    """Every module of the package."""
    return {str(path.relative_to(ROOT)) for path in (ROOT / "aisdk_lab").rglob("*.py")}


def test_the_wheel_holds_every_module_the_bundle_the_samples_and_the_config(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    samples = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "aisdk_lab" / "samples").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert sources() | samples | {"aisdk_lab/widget/static/sidebar.js"} <= names
    assert any(not name.endswith(".py") for name in samples), "no sample recording"
    [config] = [name for name in names if name.endswith(f".data/data/{CONFIG}")]
    extensions = json.loads(zipfile.ZipFile(wheel).read(config))["ServerApp"]["jpserver_extensions"]
    assert extensions == {"aisdk_lab.jupyter.extension": True}


def test_the_wheel_holds_nothing_else(wheel):
    tops = {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert {top.split("-")[0] for top in tops} == {"aisdk_lab"}
    assert [name for name in zipfile.ZipFile(wheel).namelist() if "node_modules" in name or "__pycache__" in name] == []


def test_the_sdist_holds_what_a_rebuild_needs_and_no_installed_package(built):
    [path] = built.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames()}
    assert sources() <= names
    assert {"Makefile", "pyproject.toml", "widget_js/package-lock.json", "widget_js/build.mjs"} <= names
    assert [name for name in names if "node_modules" in name or "_screenshots" in name or ".venv" in name] == []


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_it_installs_and_works_where_there_is_no_node(wheel, tmp_path):
    """Dependencies only, no extra: reads, reduces, serves and shows a widget; what is missing names its extra."""
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    python = tmp_path / "venv" / "bin" / "python"
    environment = {"PATH": str(python.parent), "HOME": os.environ["HOME"]} | {
        name: value for name, value in os.environ.items() if name.startswith("PIP_")
    }

    def run(*command: str | Path) -> str:
        return subprocess.run(
            [python, *command], cwd=tmp_path, env=environment, check=True, text=True, stdout=subprocess.PIPE
        ).stdout

    run("-m", "pip", "install", "-q", "-c", ROOT / "tests" / "constraints.txt", wheel)
    seen = json.loads(run("-c", USE))
    assert Path(seen["package"]).is_relative_to(tmp_path)
    assert seen["node"] is None
    assert seen["sample"] == "complete"
    assert seen["bundle"] > 10_000
    assert seen["missing"].endswith("Install it with: pip install 'aisdk-lab[plots]'")
    assert (tmp_path / "venv" / CONFIG).is_file()
    listed = subprocess.run(
        [python.parent / "jupyter-server", "extension", "list"],
        env=environment,
        check=True,
        text=True,
        capture_output=True,
    )
    assert "aisdk_lab.jupyter.extension" in listed.stdout + listed.stderr
    assert "X is not importable" not in listed.stdout + listed.stderr


USE = """
import json, shutil
import aisdk_lab as lab
from aisdk_lab.errors import LabError
sidebar = lab.Sidebar(lab.samples["weather"])
try:
    lab.timing(lab.samples["weather"])
    missing = ""
except LabError as error:
    missing = str(error)
print(json.dumps({
    "package": lab.__file__,
    "node": shutil.which("node"),
    "sample": lab.samples["weather"].end_state,
    "bundle": len(sidebar._esm),
    "missing": missing,
}))
"""
