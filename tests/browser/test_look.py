"""What the sidebar looks like, photographed for a person to look at (tests/_screenshots), and what a machine can say."""

from __future__ import annotations

import pytest

from tests.browser.sidebar import SidebarView

NARROW_PX = 320
CUT = """(panel) => [...panel.querySelectorAll('*')]
  .filter((element) => !element.closest('.table-scroll, pre, [hidden]'))
  .filter((element) => element.getBoundingClientRect().right > panel.getBoundingClientRect().right + 1)
  .map((element) => element.outerHTML.slice(0, 120))"""


@pytest.fixture
def demo(lab_page):
    """`demo("publish")`: the shipped agent in the page, without the file browser beside it."""

    def show(name: str, language: str = "en") -> SidebarView:
        page = lab_page("import aisdk_lab as lab", f"lab.demo({name!r}, language={language!r})")
        page.command("application:toggle-left-area")
        page.run_all()
        return SidebarView(page)

    return show


def photograph(view: SidebarView, name: str) -> None:
    """In light, dark and at 320 px; nothing may reach over the edge."""
    for theme in ("light", "dark"):
        view.page.screenshot(f"{name}-{theme}", view.root, theme=theme)
    view.page.set_theme("light")
    view.root.evaluate("(panel, width) => { panel.getRootNode().host.style.width = `${width}px`; }", NARROW_PX)
    view.page.screenshot(f"{name}-{NARROW_PX}", view.root)
    assert view.root.bounding_box()["width"] <= NARROW_PX
    assert view.root.evaluate("(panel) => panel.scrollWidth - panel.clientWidth") == 0
    assert view.root.evaluate(CUT) == []
    view.root.evaluate("(panel) => { panel.getRootNode().host.style.width = ''; }")


def test_the_publication_is_adopted_allowed_and_done(demo):
    view = demo("publish")
    view.root.get_by_role("group", name="Suggestions").get_by_role("button").first.click()
    view.press("Adopt")
    view.says("Waiting for you")
    photograph(view, "publish-waiting")
    view.press("Allow")
    view.says("Ready")
    photograph(view, "publish-done")
    assert view.page.errors == []


def test_a_proposed_edit_is_shown_as_a_difference(demo):
    view = demo("publish", language="zh")
    view.root.get_by_role("group", name="试着问").get_by_role("button").first.click()
    view.root.get_by_role("button", name="采纳", exact=True).wait_for()
    photograph(view, "publish-edit-zh")


def test_the_weather_is_told(demo):
    view = demo("weather", language="zh")
    photograph(view, "weather-empty")
    view.root.get_by_role("group", name="试着问").get_by_role("button").first.click()
    view.root.locator("[data-testid=aisdk-row][data-kind=tool][data-status=done]").first.wait_for()
    view.says("就绪")
    photograph(view, "weather-done")


def test_the_theme_of_the_sidebar_is_that_of_the_page(demo):
    view = demo("weather")
    colours = {}
    for theme in ("light", "dark"):
        view.page.set_theme(theme)
        colours[theme] = view.root.evaluate(
            "(panel) => [getComputedStyle(panel).color, getComputedStyle(panel).backgroundColor]"
        )
    page = view.page.page.evaluate("() => getComputedStyle(document.body).getPropertyValue('--jp-layout-color1')")
    assert colours["light"] != colours["dark"]
    assert page
