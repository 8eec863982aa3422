"""Many sidebars in one page: a browser has six connections to a server, and the page needs some of them itself."""

from __future__ import annotations

from tests.browser.jupyter import NotebookPage
from tests.browser.sidebar import SidebarView

SIDEBARS = 8
SETUP = """
import aisdk_lab as lab

@lab.scripted(title="Echo", delay_ms=1)
def echo(turn):
    yield turn.text(f"You said: {turn.words}")

adapter = lab.serve(echo)
"""
SHOW = "sidebar = lab.Sidebar(adapter, language='en'); sidebar"

STATUS = """async () => {
  const { baseUrl } = JSON.parse(document.getElementById('jupyter-config-data').textContent);
  const response = await fetch(`${baseUrl}api/status`, { signal: AbortSignal.timeout(3000), cache: 'no-store' });
  return response.status;
}"""


def views(page: NotebookPage) -> list[SidebarView]:
    page.page.get_by_test_id("aisdk-sidebar").nth(SIDEBARS - 1).wait_for()
    return [SidebarView(page, nth=index) for index in range(SIDEBARS)]


def answers(view: SidebarView, words: str) -> None:
    view.says("Ready")
    view.send(words)
    view.shows(f"You said: {words}")


def test_a_page_with_many_sidebars_stays_alive_after_two_runs_and_a_reload(lab_page):
    """Before: the seventh stream waited for a connection, and with it every request of JupyterLab."""
    page = lab_page(SETUP, *[SHOW] * SIDEBARS)
    page.run_all()
    page.run_all()
    assert page.page.evaluate(STATUS) == 200
    for index in (0, SIDEBARS - 1):
        answers(views(page)[index], f"hello {index}")
    # The kernel lives on with sixteen sidebars, and a page that is loaded anew restores the model of each.
    page.reload()
    assert page.page.evaluate(STATUS) == 200
    shown = views(page)
    for index in (0, SIDEBARS - 1):
        answers(shown[index], f"again {index}")
    assert sum(view.carrier == "relay" for view in shown) == 2
    assert page.errors == []


def test_a_stream_ends_with_its_view_and_the_place_goes_to_the_next(lab_page):
    page = lab_page(SETUP, *[SHOW] * 3)
    page.run_all()
    last = page.page.locator("[data-testid=aisdk-sidebar]").nth(2)
    last.wait_for()
    carriers = "(all) => all.map((view) => view.dataset.carrier).sort().join()"
    assert page.page.get_by_test_id("aisdk-sidebar").evaluate_all(carriers).count("relay") <= 2
    for index in (1, 2):
        page.page.evaluate("(i) => { jupyterapp.shell.currentWidget.content.activeCellIndex = i; }", index)
        page.command("notebook:clear-cell-output")
    page.page.locator("[data-testid=aisdk-sidebar][data-carrier=relay]").wait_for()
    assert page.page.get_by_test_id("aisdk-sidebar").count() == 1
    answers(SidebarView(page), "still here")
