"""A Jupyter front end of our own: its server in empty folders, and one open notebook in it.

`expose_app_in_browser` puts the application at `window.jupyterapp`; everything goes through its commands and models,
because menus and toolbars move with every release. The ready-check is what keeps this from being flaky: a cell that
is run before the kernel's socket is up is dropped without a word (seen with JupyterLab 4.6.6).
"""

from __future__ import annotations

import json
import os
import queue
import re
import secrets
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import httpx
import nbformat
from playwright.sync_api import BrowserContext, Locator

SCREENSHOTS = Path(__file__).parents[1] / "_screenshots"
START_S = 60
WAIT_MS = 20_000
FrontEnd = Literal["lab", "notebook"]
Theme = Literal["light", "dark"]
THEMES = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}

# As JupyterHub serves it: a base that is not `/` finds every address that forgot it.
BASE_URL = "/user/lab/"

READY = """() => {
  const panel = window.jupyterapp?.shell?.currentWidget;
  if (!panel?.sessionContext || !(panel.content?.widgets?.length > 0)) return false;
  const kernel = panel.sessionContext.session?.kernel;
  return panel.sessionContext.isReady && kernel?.connectionStatus === 'connected' && kernel.status === 'idle';
}"""

IDLE = """() => {
  const panel = window.jupyterapp.shell.currentWidget;
  const ran = panel.content.widgets.filter((cell) => cell.model.type === 'code' && cell.model.sharedModel.source.trim());
  return panel.sessionContext.session.kernel.status === 'idle' && ran.every((cell) => cell.model.executionCount !== null);
}"""

EVALUATE = """async (code) => {
  const { kernel } = window.jupyterapp.shell.currentWidget.sessionContext.session;
  const future = kernel.requestExecute({ code, store_history: false });
  const seen = { text: '', error: null };
  future.onIOPub = ({ header, content }) => {
    if (header.msg_type === 'stream') seen.text += content.text;
    if (header.msg_type === 'error') seen.error = content.traceback.join('\\n');
  };
  await future.done;
  return seen;
}"""


class JupyterServer:
    """`jupyter lab` or `jupyter notebook` as a process of ours, with nothing of the user's settings."""

    def __init__(self, folder: Path, front_end: FrontEnd) -> None:
        self.front_end: FrontEnd = front_end
        self.root = folder / "root"
        self.token = secrets.token_hex(16)
        self.log: list[str] = []
        environment = self._environment(folder)
        with socket.create_server(("127.0.0.1", 0)) as probe:
            port = probe.getsockname()[1]  # taken meanwhile? Then Jupyter tries others and its log says which
        module, application = ("jupyterlab", "LabApp") if front_end == "lab" else ("notebook", "JupyterNotebookApp")
        self._process = subprocess.Popen(
            [
                *(sys.executable, "-m", module, "--no-browser", "--allow-root"),
                f"--{application}.expose_app_in_browser=True",
                "--ServerApp.ip=127.0.0.1",
                f"--ServerApp.port={port}",
                f"--ServerApp.base_url={BASE_URL}",
                f"--ServerApp.root_dir={self.root}",
                f"--IdentityProvider.token={self.token}",
            ],
            cwd=self.root,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        started: queue.Queue[str] = queue.Queue()
        self._reader = threading.Thread(target=self._read, args=(started,), daemon=True)
        self._reader.start()
        try:
            self.url = started.get(timeout=START_S)
        except queue.Empty:
            self.stop()
            raise AssertionError(f"Jupyter did not start:\n{''.join(self.log)}") from None

    @property
    def pid(self) -> int:
        """The id of the server's process."""
        return self._process.pid

    def _environment(self, folder: Path) -> dict[str, str]:
        names = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
        names += ("JUPYTERLAB_SETTINGS_DIR", "JUPYTERLAB_WORKSPACES_DIR")
        folders = {name: folder / name.lower() for name in names}
        for path in (self.root, *folders.values()):
            path.mkdir(parents=True)
        # Else a question about news covers the corner of the page.
        settings = folders["JUPYTERLAB_SETTINGS_DIR"] / "@jupyterlab" / "apputils-extension"
        settings.mkdir(parents=True)
        quiet = {"fetchNews": "false", "checkForUpdates": False}
        (settings / "notification.jupyterlab-settings").write_text(json.dumps(quiet), "utf-8")
        # The stock kernel's command is a bare `python`: ours must be the first.
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        return os.environ | {name: str(path) for name, path in folders.items()} | {"PATH": path}

    def _read(self, started: queue.Queue[str]) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            self.log.append(line)
            if (address := re.search(r"(http://127\.0\.0\.1:\d+)/\S*\?token=", line)) and started.empty():
                started.put(address[1] + BASE_URL)

    def request(self, method: str, path: str, **options: Any) -> httpx.Response:
        """One call of Jupyter's REST interface, with the token."""
        headers = {"Authorization": f"token {self.token}"}
        return httpx.request(method, self.url + path, headers=headers, timeout=WAIT_MS / 1000, **options)

    def write(self, name: str, cells: Sequence[str]) -> None:
        """Puts a notebook of code cells into the root folder; its kernel is named, so that no dialog asks."""
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
        nbformat.write(notebook, self.root / name)

    def address(self, name: str) -> str:
        """Where the front end shows the notebook; `reset` empties the workspace of the test before."""
        kind = "lab/tree" if self.front_end == "lab" else "notebooks"
        return f"{self.url}{kind}/{name}?token={self.token}" + ("&reset" if self.front_end == "lab" else "")

    def shut_down_kernels(self) -> None:
        """Ends every session and its kernel."""
        for session in self.request("GET", "api/sessions").json():
            self.request("DELETE", f"api/sessions/{session['id']}")

    def stop(self) -> None:
        """Ends the server with its kernels and waits for both."""
        self._process.terminate()
        try:
            self._process.wait(timeout=15)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join()
        if self._process.stderr is not None:
            self._process.stderr.close()


class NotebookPage:
    """One notebook, open and connected in one browser page."""

    def __init__(self, server: JupyterServer, context: BrowserContext, name: str) -> None:
        self.server = server
        self.name = name
        self.page = context.new_page()
        self.page.set_default_timeout(WAIT_MS)
        self.errors: list[str] = []
        """What a widget threw and nobody caught; anywidget loads its modules from blobs."""
        # Jupyter's own slips do not count: JupyterLab 4.6.6 throws "removeChild" now and then when a page opens.
        self.page.on("pageerror", lambda error: "blob:" in (error.stack or "") and self.errors.append(str(error.stack)))
        self.page.goto(server.address(name), wait_until="domcontentloaded")
        self.wait_ready()

    def wait_ready(self) -> None:
        """Waits until the kernel listens; without this a cell that is run is lost."""
        self.page.wait_for_function(READY, timeout=2 * WAIT_MS)

    def reload(self, *, save: bool = True) -> None:
        """Loads the page again; the kernel lives on, and outputs come from the saved notebook."""
        if save:
            self.command("docmanager:save")
        self.page.reload(wait_until="domcontentloaded")
        self.wait_ready()

    def command(self, name: str, **arguments: Any) -> None:
        """Executes a command of the application and waits for its end."""
        self.page.evaluate("([name, args]) => jupyterapp.commands.execute(name, args)", [name, arguments])

    def run_all(self, *, wait: bool = True) -> None:
        """Runs all cells; `wait=False` returns while they run."""
        # Not returned: evaluate would wait for the promise, which a waiting cell never settles.
        self.page.evaluate("() => { jupyterapp.commands.execute('notebook:run-all-cells'); }")
        if wait:
            self.wait_idle()

    def wait_idle(self) -> None:
        """Waits until every cell has run and the kernel rests."""
        self.page.wait_for_function(IDLE)

    def run_cell(self, index: int) -> None:
        """Starts one cell."""
        self.page.evaluate(
            "(i) => { jupyterapp.shell.currentWidget.content.activeCellIndex = i;"
            " jupyterapp.commands.execute('notebook:run-cell'); }",
            index,
        )

    def wait(self, selector: str, *, count: int | None = None) -> Locator:
        """Waits until the selector is visible in an output and gives its locator."""
        found = self.page.locator(f".jp-OutputArea-output {selector}")
        found.first.wait_for()
        if count is not None:
            assert found.count() == count
        return found

    def kernel_eval(self, code: str) -> str:
        """What `code` prints in the kernel; its exceptions are raised here."""
        seen = self.page.evaluate(EVALUATE, code)
        assert seen["error"] is None, seen["error"]
        return seen["text"].strip()

    def outputs(self, index: int) -> list[dict[str, Any]]:
        """The outputs of one cell, as the notebook's model holds them."""
        return self.page.evaluate(
            "(i) => jupyterapp.shell.currentWidget.content.widgets[i].model.sharedModel.outputs", index
        )

    def set_theme(self, theme: Theme) -> None:
        """Switches the application's theme."""
        self.command("apputils:change-theme", theme=THEMES[theme])
        self.page.wait_for_function(
            "(light) => document.body.dataset.jpThemeLight === light", arg=str(theme == "light").lower()
        )
        self.page.wait_for_function("() => !document.getElementById('jupyterlab-splash')")  # covers the page meanwhile

    def screenshot(
        self, name: str, of: Locator | None = None, *, theme: Theme | None = None, width: int | None = None
    ) -> Path:
        """Photographs the page or one element to `tests/_screenshots/`; `width` is that of the viewport in pixels."""
        if theme is not None:
            self.set_theme(theme)
        if width is not None and self.page.viewport_size is not None:
            self.page.set_viewport_size({"width": width, "height": self.page.viewport_size["height"]})
        SCREENSHOTS.mkdir(exist_ok=True)
        path = SCREENSHOTS / f"{self.server.front_end}-{name}.png"
        (of or self.page).screenshot(path=path)
        return path
