"""The first notebook as a newcomer meets it: opened in JupyterLab, run from top to bottom, and answered."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.browser.jupyter import NotebookPage
from tests.browser.sidebar import SidebarView
from tests.node import ROOT

NAME = "00_start.ipynb"
DEMO, REPLAY, SHOP = range(3)
"""The sidebars of the notebook, in its order."""


@pytest.fixture
def unrun(lab_server, context) -> Iterator[NotebookPage]:
    """The committed notebook, open in JupyterLab."""
    (lab_server.root / NAME).write_bytes((ROOT / "notebooks" / NAME).read_bytes())
    yield NotebookPage(lab_server, context, NAME)
    lab_server.shut_down_kernels()


@pytest.fixture
def start(unrun) -> NotebookPage:
    """The same, run from top to bottom."""
    unrun.run_all()
    return unrun


def errors(page: NotebookPage) -> list[str]:
    """What its cells raised."""
    sources = "() => jupyterapp.shell.currentWidget.content.widgets.map(({ model }) => model.sharedModel.outputs ?? [])"
    return [
        json.dumps(output)
        for cell in page.page.evaluate(sources)
        for output in cell
        if output["output_type"] == "error"
    ]


@pytest.mark.notebook
def test_it_runs_and_its_sidebars_go_on_after_the_persons_answers(start):
    assert errors(start) == []
    demo = SidebarView(start, DEMO)
    demo.press("Adopt")
    demo.press("Allow")
    demo.says("Ready")
    start.screenshot("start-demo", demo.root)
    states = "print([part['state'] for part in sidebar.chat.messages[-1]['parts'] if part['type'] == 'tool-publishToFeishu'])"
    assert start.kernel_eval(states) == "['output-available']"

    shop = SidebarView(start, SHOP)
    shop.root.get_by_role("group", name="Suggestions").get_by_role("button").first.click()
    shop.press("Allow")
    shop.shows("已退款。")
    start.screenshot("start-shop", shop.root)
    assert start.errors == []


def test_before_it_is_run_its_stored_outputs_can_be_read(unrun):
    twin = unrun.page.locator(".aisdk-static").first
    twin.wait_for()
    assert twin.is_visible()
    for sign in ("Error displaying widget", "model not found", "Loading widget"):
        assert unrun.page.get_by_text(sign).count() == 0
    unrun.screenshot("start-before-run")
