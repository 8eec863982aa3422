"""The harness: a notebook opens, runs, and a click reaches the kernel and comes back. No widget of ours is in it."""

from __future__ import annotations

import pytest

WIDGET = '''
import anywidget, traitlets

class Counter(anywidget.AnyWidget):
    _esm = """export default { render({ model, el }) {
      const button = document.createElement("button");
      button.dataset.testid = "counter";
      const show = () => { button.textContent = `第 ${model.get("value")} 次`; };
      button.onclick = () => model.send({ kind: "press" });
      model.on("change:value", show);
      el.append(button);
      show();
    } };"""
    value = traitlets.Int(0).tag(sync=True)

counter = Counter()
def press(_, content, __):
    counter.value += 1
counter.on_msg(press)
counter
'''


@pytest.mark.parametrize("front_end", ["lab", "notebook"])
def test_a_click_reaches_the_kernel_and_its_answer_the_page(servers, open_notebook, front_end):
    page = open_notebook(servers(front_end), ["print('你好')", WIDGET])
    page.run_all()
    button = page.wait("[data-testid=counter]")
    for n in range(3):
        assert button.inner_text() == f"第 {n} 次"
        button.click()
        page.page.get_by_text(f"第 {n + 1} 次").wait_for()
    assert page.kernel_eval("print(counter.value)") == "3"
    assert page.outputs(0) == [{"output_type": "stream", "name": "stdout", "text": "你好\n"}]


THROWS = '''
import anywidget
class Broken(anywidget.AnyWidget):
    _esm = """export default { render({ el }) {
      setTimeout(() => { el.textContent = "thrown"; throw new Error("mine"); });
    } };"""
Broken()
'''


def test_what_a_widget_throws_is_noted(lab_page):
    page = lab_page(THROWS)
    page.run_all()
    page.page.get_by_text("thrown", exact=True).wait_for()
    page.kernel_eval("")
    [error] = page.errors
    assert "mine" in error


def test_the_theme_changes(lab_page):
    page = lab_page("print(1)")
    background = "() => getComputedStyle(document.querySelector('.jp-Notebook')).backgroundColor"
    seen = {}
    for theme in ("light", "dark"):
        page.set_theme(theme)
        seen[theme] = page.page.evaluate(background)
    assert seen["light"] != seen["dark"]


def test_an_exception_in_the_kernel_is_raised_here(lab_page):
    with pytest.raises(AssertionError, match="ZeroDivisionError"):
        lab_page("1").kernel_eval("1 / 0")


def test_the_page_comes_back_after_a_reload_with_the_same_kernel(lab_page):
    page = lab_page("x = 41")
    page.run_all()
    page.reload()
    assert page.kernel_eval("print(x + 1)") == "42"
