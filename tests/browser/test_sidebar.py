"""The sidebar in a real JupyterLab: the person allows, denies and answers, and the kernel's run goes on."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest
from nbconvert import HTMLExporter
from playwright.sync_api import expect

from tests.browser.jupyter import WAIT_MS
from tests.browser.sidebar import SidebarView

SETUP = """
import threading
import aisdk_lab as lab

done = threading.Event()
published = []

def publish(arguments):
    published.append(arguments["title"])
    return {"url": "https://example.org/1"}

@lab.scripted(title="Editor", delay_ms=1)
def editor(turn):
    if "publish" in turn.words:
        result = yield turn.tool("publish", {"title": "周报 🌤️"}, approval=True, reason="Everybody can read it", output=publish)
        yield turn.text("It is out." if result.approved else f"Not published: {result.reason}")
    elif "select" in turn.words:
        result = yield turn.client_tool("readSelection", {"scope": "document"})
        yield turn.text(f"You chose {result.output}.")
    elif "fail" in turn.words:
        yield turn.text("Half a ")
        yield turn.error("the model broke off")
    elif "hostile" in turn.words:
        yield turn.text('<img src=x onerror="document.title=1"><button data-commandlinker-command="notebook:insert-cell-below">x</button> **safe**')
    else:
        yield turn.text(f"You said: {turn.words}")
    yield turn.sleep(0)
    done.set()
"""
SHOW = "sidebar = lab.Sidebar(lab.serve(editor), {options}); sidebar"


@pytest.fixture(params=["relay", "comm"])
def carrier(request) -> str:
    return request.param


@pytest.fixture
def opened(lab_page):
    """`opened(cell, …, later=…)`: the agent, a cell that shows its sidebar, further cells; all run but the one for later."""

    def run(*more: str, later: str = "", carrier: str = "auto") -> SidebarView:
        show = SHOW.format(options=f"carrier={carrier!r}, language='en'")
        page = lab_page(SETUP, show, *more, later)
        for index in range(2 + len(more)):
            page.run_cell(index)
        return SidebarView(page)

    return run


def test_allow_lets_the_waiting_call_run_in_the_kernel(opened, carrier):
    view = opened(carrier=carrier)
    view.send("publish it")
    view.says("Waiting for you")
    assert view.carrier == carrier
    assert view.page.kernel_eval("print(published)") == "[]"
    view.press("Allow")
    view.shows("It is out.")
    view.says("Ready")
    assert view.page.kernel_eval("print(published)") == "['周报 🌤️']"
    assert view.row("call-0-1").get_attribute("data-status") == "done"
    assert view.page.errors == []


def test_deny_carries_its_reason_to_the_agent(opened, carrier):
    view = opened(carrier=carrier)
    view.send("publish it")
    view.press("Deny…")
    view.root.get_by_role("textbox", name="Reason (optional)").fill("not proofread")
    view.press("Deny")
    view.shows("Not published: not proofread")
    assert view.page.kernel_eval("print(published)") == "[]"
    assert view.row("call-0-1").get_attribute("data-status") == "denied"


def test_the_answer_of_a_client_tool_resumes_the_call(opened):
    view = opened()
    view.send("select something")
    view.root.get_by_role("textbox", name="Answer, as text or JSON").fill("the second paragraph")
    view.press("Answer")
    view.shows("You chose the second paragraph.")


def test_an_error_is_shown_and_retry_asks_again(opened):
    view = opened()
    view.send("fail now")
    view.says("Stopped by an error")
    assert view.root.get_by_role("alert").is_visible()
    view.press("Retry")
    view.says("Stopped by an error")
    assert view.log().count("fail now") == 1


def test_what_the_model_writes_neither_runs_nor_reaches_jupyter_commands(opened):
    view = opened()
    cells = "jupyterapp.shell.currentWidget.content.widgets.length"
    view.send("something hostile")
    view.shows("safe")
    assert view.root.locator("[data-commandlinker-command], [onerror], img").count() == 0
    assert view.page.page.evaluate(cells) == 3
    assert view.page.page.title() != "1"


BUSY = """
assert done.wait(60), "nothing reached the run while this cell was running"
print("the cell saw it")
"""


def test_a_decision_gets_through_while_a_cell_is_running(opened, carrier):
    """The cell ends only after the run did, and the run waits for the click: so the click did not wait for the cell."""
    view = opened(later=BUSY, carrier=carrier)
    view.send("publish it")
    view.says("Waiting for you")
    view.page.run_cell(2)
    view.press("Allow")
    view.shows("It is out.")
    view.page.wait_idle()
    assert view.page.outputs(2) == [{"output_type": "stream", "name": "stdout", "text": "the cell saw it\n"}]


def test_two_views_of_one_sidebar_stay_equal(opened, carrier):
    first = opened("sidebar", carrier=carrier)
    second = SidebarView(first.page, nth=1)
    first.send("good morning 🌤️")
    for view in (first, second):
        view.shows("You said: good morning 🌤️")
    second.send("publish it")
    first.press("Allow")
    for view in (first, second):
        view.shows("It is out.")
        view.says("Ready")
    assert first.log() == second.log()


def test_a_reloaded_page_shows_the_same_conversation_and_goes_on(opened):
    view = opened()
    view.send("publish it")
    view.says("Waiting for you")
    view.page.reload()
    again = SidebarView(view.page)
    again.says("Waiting for you")
    again.press("Allow")
    again.shows("It is out.")
    assert again.page.kernel_eval("print(published)") == "['周报 🌤️']"


COMMANDS = (*"abddxymz00iij", "Shift+Enter", "Control+Shift+-", "Escape", "ArrowUp")
"""In a notebook these insert, delete, cut, change, split and run cells, and restart the kernel."""


def test_typing_in_the_sidebar_never_reaches_the_notebook(opened):
    view = opened()
    cells = (
        "() => jupyterapp.shell.currentWidget.content.widgets.map(({ model }) => [model.type, model.executionCount])"
    )
    view.page.wait_idle()  # the sidebar is there before its cell has its number
    before = view.page.page.evaluate(cells)
    view.prompt.click()
    for key in COMMANDS:
        view.prompt.press(key)
    assert view.prompt.input_value() == "abddxymz00iij\n"
    view.prompt.press("Control+Enter")
    view.shows("You said: abddxymz00iij")
    assert view.page.page.evaluate(cells) == before
    assert view.prompt.evaluate("(field) => field.getRootNode().activeElement === field")


def test_the_keyboard_alone_sends_and_allows(opened):
    view = opened()
    view.prompt.focus()
    view.page.page.keyboard.type("publish it")
    view.page.page.keyboard.press("Enter")
    view.says("Waiting for you")
    allow = view.root.get_by_role("button", name="Allow", exact=True)
    for _ in range(12):
        if allow.evaluate("(button) => button.getRootNode().activeElement === button"):
            break
        view.page.page.keyboard.press("Shift+Tab")
    view.page.page.keyboard.press("Enter")
    view.shows("It is out.")


def talked_and_saved(view: SidebarView) -> None:
    """A conversation with mark-up in the person's words, saved with the notebook."""
    view.send("publish <b>it</b>")
    view.press("Allow")
    view.says("Ready")
    # The hidden twin is rewritten when the exchange ends, a moment after the view says so.
    expect(view.page.page.locator(".aisdk-static")).to_contain_text("It is out.", timeout=WAIT_MS)
    view.page.command("docmanager:save")


def test_without_a_kernel_the_last_state_can_still_be_read(opened):
    view = opened()
    talked_and_saved(view)
    view.page.server.shut_down_kernels()
    view.page.reload(save=False)
    shown = view.page.page.locator(".jp-OutputArea-output", has_text="It is out.").first
    shown.wait_for()
    assert "publish <b>it</b>" in shown.inner_text()


def test_a_page_made_by_nbconvert_shows_the_last_state_escaped(opened, context):
    view = opened()
    talked_and_saved(view)
    body, _ = HTMLExporter().from_filename(str(view.page.server.root / view.page.name))
    page = context.new_page()
    page.set_content(body, wait_until="domcontentloaded")
    twin = page.locator(".aisdk-static")
    assert twin.count() == 1
    assert "publish <b>it</b>" in twin.inner_text()
    assert "It is out." in twin.inner_text()
    assert twin.locator("script").count() == 0


def test_a_kernel_restart_leaves_no_port_and_no_file_behind(opened):
    view = opened()
    note = "import glob, json; from jupyter_core.paths import jupyter_runtime_dir as d; print(glob.glob(d() + '/aisdk-lab-*')[0])"
    path = Path(view.page.kernel_eval(note))
    port = json.loads(path.read_text("utf-8"))["port"]
    assert path.stat().st_mode & 0o777 == 0o600
    socket.create_connection(("127.0.0.1", port)).close()
    view.page.page.evaluate("() => jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()")
    view.page.wait_ready()
    assert not path.exists()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port))


def test_a_recording_plays_in_the_sidebar_to_its_end(lab_page):
    page = lab_page(
        "import aisdk_lab as lab; capture = lab.samples['weather']",
        "lab.Sidebar(capture, speed='max', language='en')",
    )
    page.run_all()
    view = SidebarView(page)
    view.press("Play")
    last = "print([part['text'] for part in capture.message()['parts'] if part['type'] == 'text'][-1][-12:])"
    view.shows(page.kernel_eval(last))
    view.says("Recording")


def test_notebook_7_shows_the_demo(notebook_page):
    page = notebook_page("import aisdk_lab as lab", "lab.demo()")
    page.run_all()
    view = SidebarView(page)
    assert view.prompt.is_visible()
