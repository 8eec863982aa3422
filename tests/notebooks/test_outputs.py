"""What a committed notebook holds: a question, cells, and outputs only where they can be read without running."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest

from tests.node import ROOT

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
KEEP_OUTPUTS = {"00_start"}
"""Read on a page that runs nothing; all others are committed cleared."""


@pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.stem)
def notebook(request) -> tuple[Path, nbformat.NotebookNode]:
    return request.param, nbformat.read(request.param, as_version=4)


def code_cells(content: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    return [cell for cell in content.cells if cell.cell_type == "code"]


def test_there_is_a_first_notebook():
    assert (ROOT / "notebooks" / "00_start.ipynb") in NOTEBOOKS


def test_it_is_valid_and_names_the_stock_kernel(notebook):
    _, content = notebook
    nbformat.validate(content)
    assert content.metadata.kernelspec.name == "python3"


def test_it_carries_no_widget_state(notebook):
    path, content = notebook
    assert "widgets" not in content.metadata
    assert "application/vnd.jupyter.widget-state+json" not in path.read_text("utf-8")


def test_outputs_are_kept_only_where_they_are_read_without_running(notebook):
    path, content = notebook
    cells = code_cells(content)
    if path.stem in KEEP_OUTPUTS:
        assert any(cell.outputs for cell in cells)
        assert all(cell.execution_count for cell in cells if cell.source.strip())
    else:
        assert [cell.source for cell in cells if cell.outputs or cell.execution_count] == []


def test_kept_outputs_are_not_errors_and_name_no_machine(notebook):
    _, content = notebook
    outputs = [output for cell in code_cells(content) for output in cell.outputs]
    assert [output for output in outputs if output.output_type == "error"] == []
    assert [output for output in outputs if re.search(r"/(?:home|root|Users|tmp)/|Bearer \w{8}", str(output))] == []


def test_it_starts_with_a_title(notebook):
    _, content = notebook
    first = content.cells[0]
    assert first.cell_type == "markdown"
    assert first.source.startswith("# ")


def test_cells_fit_a_screen(notebook):
    _, content = notebook
    assert [cell.source for cell in code_cells(content) if cell.source.count("\n") >= 30] == []
