"""A click by comm, with each ipykernel that routes clicks in a way of its own: it counts once, also while a cell sleeps.

7.3 runs the handler on the page's subshell. 7.4 would send what the page says to the shell that last sent on the comm, so
that a click waits for the running cell, if the sidebar did not trust the page's choice (widget/sidebar.py).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import version
from itertools import count
from pathlib import Path

import nbformat
import pytest

from tests.browser import chromium
from tests.browser.jupyter import JupyterServer, NotebookPage
from tests.browser.sidebar import SidebarView
from tests.browser.test_sidebar import BUSY, SETUP

pytestmark = [pytest.mark.slow, pytest.mark.browser]

OLDER = "7.3.0"
INSTALLED = version("ipykernel")

SHOW = """
from aisdk_lab.ledger import MemoryLedger

ledger, heard = MemoryLedger(), []
sidebar = lab.Sidebar(lab.serve(editor, ledger=ledger), carrier="comm", language="en")
sidebar.on_msg(lambda _widget, content, _buffers: heard.append([content.get("action"), threading.current_thread().name]))
sidebar
"""
DECIDED = """
facts = [fact for fact in ledger.facts(sidebar.chat.id) if fact.kind == "decision"]
print(json.dumps({
    "ipykernel": ipykernel.__version__, "approvals": [who for action, who in heard if action == "approve"],
    "decisions": [fact.body["kind"] for fact in facts], "published": published,
}))
"""


@pytest.fixture(scope="session")
def older_ipykernel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with nothing but the older ipykernel, from the package registry."""
    folder = tmp_path_factory.mktemp(f"ipykernel-{OLDER}")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q", "install", "--no-deps", "--no-compile"]
    done = subprocess.run(
        [*pip, "--target", str(folder), f"ipykernel=={OLDER}"], capture_output=True, text=True, timeout=90, check=False
    )
    if done.returncode:
        reason = f"ipykernel {OLDER} could not be installed: {done.stderr.strip()}"
        (pytest.fail if chromium.is_required() else pytest.skip)(reason)
    return folder


@pytest.fixture(params=[OLDER, "installed"])
def kernel_name(request: pytest.FixtureRequest, lab_server: JupyterServer) -> str:
    """The name of a kernel with this ipykernel, which the server knows."""
    if request.param == "installed":
        return "python3"
    name = f"ipykernel-{OLDER}"
    folder: Path = request.getfixturevalue("older_ipykernel")
    # First on the path, so that the kernel's own packages are found behind it.
    paths = [str(folder), *filter(None, [os.environ.get("PYTHONPATH")])]
    kernel = {
        "argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        "display_name": name,
        "language": "python",
        "env": {"PYTHONPATH": os.pathsep.join(paths)},
    }
    spec = lab_server.root.parent / "jupyter_data_dir" / "kernels" / name / "kernel.json"
    spec.parent.mkdir(parents=True, exist_ok=True)
    spec.write_text(json.dumps(kernel), "utf-8")
    return name


_numbers = count(1)


@pytest.fixture
def opened(context, lab_server: JupyterServer, kernel_name: str) -> Iterator[Callable[[str], SidebarView]]:
    """`opened(later)`: the sidebar of an agent that wants to publish, and a cell that has not run yet."""

    def open_(later: str = "") -> SidebarView:
        name = f"{kernel_name}-{next(_numbers)}.ipynb"  # a name used again could find the session that is ending
        lab_server.write(name, (SETUP, SHOW, later))
        path = lab_server.root / name
        notebook = nbformat.read(path, 4)
        notebook.metadata.kernelspec = {"name": kernel_name, "display_name": kernel_name, "language": "python"}
        nbformat.write(notebook, path)
        page = NotebookPage(lab_server, context, name)
        for index in range(2):
            page.run_cell(index)
        return SidebarView(page)

    yield open_
    lab_server.shut_down_kernels()


def assert_decided_once(view: SidebarView, kernel_name: str) -> str:
    """The row is done and the decision came once; gives the thread on which the click was heard."""
    view.shows("It is out.")
    view.says("Ready")
    assert view.row("call-0-1").get_attribute("data-status") == "done"
    assert view.carrier == "comm"
    seen = json.loads(view.page.kernel_eval(f"import ipykernel, json\n{DECIDED}"))
    assert seen["ipykernel"] == (INSTALLED if kernel_name == "python3" else OLDER)
    assert seen["decisions"] == ["approved"]
    assert seen["published"] == ["周报 🌤️"]
    assert len(seen["approvals"]) == 1
    assert view.page.errors == []
    return seen["approvals"][0]


def test_the_versions_are_two():
    assert INSTALLED != OLDER


def test_a_click_by_comm_counts_once(opened, kernel_name: str):
    view = opened()
    view.send("publish it")
    view.says("Waiting for you")
    view.press("Allow")
    assert_decided_once(view, kernel_name)


def test_a_click_by_comm_counts_once_while_a_cell_sleeps(opened, kernel_name: str):
    """The cell ends only after the run did, and the run waits for the click: so the click did not wait for the cell."""
    view = opened(f"sidebar.height_px = 500  # ipykernel 7.4 would now send clicks to this cell's shell\n{BUSY}")
    view.send("publish it")
    view.says("Waiting for you")
    view.page.run_cell(2)
    view.press("Allow")
    thread = assert_decided_once(view, kernel_name)
    view.page.wait_idle()
    assert view.page.outputs(2) == [{"output_type": "stream", "name": "stdout", "text": "the cell saw it\n"}]
    assert thread.startswith("subshell-")
