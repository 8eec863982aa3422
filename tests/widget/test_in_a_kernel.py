"""The sidebar in a real kernel, without a page: what the saved notebook holds, and what the kernel leaves behind."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

NOTE = """
import json, os, pathlib
from jupyter_core.paths import jupyter_runtime_dir

notes = sorted(pathlib.Path(jupyter_runtime_dir()).glob("aisdk-lab-*.json"))
assert len(notes) == 1, notes
note = json.loads(notes[0].read_text())
assert (note["kernel"], note["pid"]) == (sidebar.kernel_id, os.getpid())
assert notes[0].stat().st_mode & 0o777 == 0o600
notes[0].name
"""
CELLS = (
    "import aisdk_lab as lab\nsidebar = lab.demo(language='en'); sidebar",
    "outcome = sidebar.chat.send('Make this shorter and publish it <b>now</b>'); outcome",
    # Blocking in a cell waits for no person, and the answer goes on in the same run.
    "sidebar.chat.add_tool_output(outcome.waiting[0], {'status': 'applied'}).state",
    NOTE,
    "sidebar.close(); sidebar",
    "print(lab.check('en'))",
)


@pytest.fixture(scope="module")
def notebook(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Path]:
    """The executed notebook, and the runtime folder of its kernel after the shutdown."""
    folder = tmp_path_factory.mktemp("kernel")
    environ = {**os.environ, "IPYTHONDIR": str(folder / "ipython"), "JUPYTER_RUNTIME_DIR": str(folder / "runtime")}
    cells = [nbformat.v4.new_code_cell(source) for source in CELLS]
    notebook = nbformat.v4.new_notebook(cells=cells)
    client = NotebookClient(notebook, timeout=60, kernel_name="python3", resources={"metadata": {"path": str(folder)}})
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JUPYTER_RUNTIME_DIR", environ["JUPYTER_RUNTIME_DIR"])
        patch.setenv("IPYTHONDIR", environ["IPYTHONDIR"])
        client.execute(env=environ)
    return notebook, folder / "runtime"


def output(notebook: Any, cell: int, number: int = 0) -> dict[str, Any]:
    return notebook.cells[cell].outputs[number]["data"]


def test_the_twin_in_the_saved_notebook_shows_how_the_conversation_ended(notebook: tuple[Any, Path]):
    page = output(notebook[0], 0)["text/html"]
    assert page.startswith('<div class="aisdk-static"')
    assert "publish it &lt;b&gt;now&lt;/b&gt;" in page
    assert "Waiting for you: publishToFeishu" in page


def test_the_widget_is_the_second_output_and_its_text_is_the_same_in_each_run(notebook: tuple[Any, Path]):
    widget = output(notebook[0], 0, 1)
    assert set(widget) == {"application/vnd.jupyter.widget-view+json", "text/plain"}
    assert widget["text/plain"] == "Sidebar: Publish · 发布, 0 messages, Ready"


def test_a_cell_that_sends_returns_when_a_call_waits(notebook: tuple[Any, Path]):
    assert output(notebook[0], 1)["text/plain"].startswith("Outcome('waiting'")
    assert output(notebook[0], 2)["text/plain"] == "'waiting'"


def test_the_kernel_takes_its_note_back_when_it_leaves(notebook: tuple[Any, Path]):
    name = output(notebook[0], 3)["text/plain"].strip("'")
    assert name.startswith("aisdk-lab-")
    assert list(notebook[1].glob("aisdk-lab-*")) == []


def test_a_closed_sidebar_says_so_and_the_check_works_in_a_kernel(notebook: tuple[Any, Path]):
    closed = output(notebook[0], 4)
    assert set(closed) == {"text/html", "text/plain"}
    assert closed["text/plain"].endswith(", closed")
    report = notebook[0].cells[5].outputs[0]["text"]
    assert "✓ kernel" in report
    assert "✓ lab thread" in report
