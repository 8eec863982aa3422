"""Runs a shipped notebook in a real JupyterLab and keeps its outputs: `python -m tests.browser.keep_outputs 00_start`.

For the notebooks that are read without being run. Living widgets are left out, their static twins stand for them; the
state of widgets is never saved.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import nbformat
from playwright.sync_api import sync_playwright

from tests.browser import chromium
from tests.browser.jupyter import JupyterServer, NotebookPage
from tests.node import ROOT

WIDGET = "application/vnd.jupyter.widget-view+json"


def run(notebook: Path) -> None:
    """Runs the notebook from top to bottom and writes it back with its outputs."""
    with tempfile.TemporaryDirectory() as folder:
        server = JupyterServer(Path(folder), "lab")
        try:
            (server.root / notebook.name).write_bytes(notebook.read_bytes())
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=chromium.find(), args=list(chromium.ARGUMENTS))
                page = NotebookPage(server, browser.new_context(), notebook.name)
                page.command("notebook:clear-all-cell-outputs")
                page.run_all()
                page.command("docmanager:save")
                browser.close()
            ran = nbformat.read(server.root / notebook.name, as_version=4)
            server.shut_down_kernels()
        finally:
            server.stop()
    notebook.write_text(nbformat.writes(without_widgets(ran)) + "\n", "utf-8")


def without_widgets(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """The notebook without living widgets, times of execution, and what JupyterLab says about the kernel."""
    notebook.metadata.pop("widgets", None)
    notebook.metadata["language_info"] = {"name": "python"}
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if WIDGET not in output.get("data", {})]
    return notebook


if __name__ == "__main__":
    for name in sys.argv[1:]:
        run(ROOT / "notebooks" / f"{name.removesuffix('.ipynb')}.ipynb")
