"""One server for all browser tests, one browser for each module, one browser context and one kernel for each test."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import count

import pytest
from playwright.sync_api import Browser, BrowserContext, sync_playwright

from tests.browser import chromium
from tests.browser.jupyter import FrontEnd, JupyterServer, NotebookPage


# Not for the session: while Playwright is open, no other test of the worker could run an asyncio loop of its own.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's Chromium. Where there is none: a failure in CI, a skip with the reason elsewhere."""
    reason = chromium.missing()
    if reason is not None:
        (pytest.fail if chromium.is_required() else pytest.skip)(reason)
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=chromium.find(), args=list(chromium.ARGUMENTS))
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def servers(tmp_path_factory, outlives_tests) -> Iterator[Callable[[FrontEnd], JupyterServer]]:
    """`servers("lab")` or `servers("notebook")`: started when first asked for."""
    started: dict[FrontEnd, JupyterServer] = {}

    def get(front_end: FrontEnd) -> JupyterServer:
        if front_end not in started:
            started[front_end] = JupyterServer(tmp_path_factory.mktemp(front_end), front_end)
            outlives_tests.add(started[front_end].pid)
        return started[front_end]

    yield get
    for server in started.values():
        server.stop()


@pytest.fixture(scope="session")
def lab_server(servers) -> JupyterServer:
    """JupyterLab, running."""
    return servers("lab")


@pytest.fixture(scope="session")
def notebook_server(servers) -> JupyterServer:
    """Notebook 7, running."""
    return servers("notebook")


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A browser profile of this test's own."""
    with browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce") as opened:
        yield opened


_numbers = count(1)


@pytest.fixture
def open_notebook(context: BrowserContext) -> Iterator[Callable[[JupyterServer, Sequence[str]], NotebookPage]]:
    """`open_notebook(server, cells)`: a new notebook, open and connected; its kernel ends with the test."""
    used: set[JupyterServer] = set()

    def open_(server: JupyterServer, cells: Sequence[str]) -> NotebookPage:
        name = f"test-{next(_numbers)}.ipynb"
        server.write(name, cells)
        used.add(server)
        return NotebookPage(server, context, name)

    yield open_
    for server in used:
        server.shut_down_kernels()


@pytest.fixture
def lab_page(open_notebook, lab_server) -> Callable[..., NotebookPage]:
    """`lab_page(cell, cell, …)`: the cells as a notebook in JupyterLab."""
    return lambda *cells: open_notebook(lab_server, cells)


@pytest.fixture
def notebook_page(open_notebook, notebook_server) -> Callable[..., NotebookPage]:
    """`notebook_page(cell, cell, …)`: the cells as a notebook in Notebook 7."""
    return lambda *cells: open_notebook(notebook_server, cells)
