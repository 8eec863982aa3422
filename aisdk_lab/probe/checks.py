"""The checks: each looks at one thing and says in words what it found and what to do.

Stage: probe. A check never raises and changes nothing; what it needs of the environment is in `Here`, so that a test can be
any environment. The port check opens a real port on loopback and asks it, because that is what may fail.
"""

from __future__ import annotations

import asyncio
import importlib.metadata
import os
import platform
import socket
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path

from aisdk_lab._version import __version__
from aisdk_lab.loopback import lab_loop
from aisdk_lab.probe.report import Check, Row
from aisdk_lab.server.here import JupyterServer, jupyter_server_here, relaying_page_address
from aisdk_lab.server.notice import is_remote_likely
from aisdk_lab.strings import languages, word

NEEDED = ("anywidget", "ipywidgets", "tornado", "pandas", "msgspec", "httpx", "jupyter_server")
SHOWN = ("ipykernel", "ipywidgets", "anywidget", "jupyterlab", "notebook")
OLDEST_KERNEL = (7, 3)
"""Before it, clicks on a widget wait for the running cell (ipykernel 7.3 and 7.4 are the tested ones)."""
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
_EXTENSIONS = {"anywidget": "anywidget", "@jupyter-widgets/jupyterlab-manager": "jupyterlab_widgets"}


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _kernel() -> str | None:
    """What runs this Python: `ipykernel`, `marimo`, `colab`, `pyodide`, or `None` for a plain interpreter."""
    if "google.colab" in sys.modules:
        return "colab"
    if sys.platform == "emscripten":
        return "pyodide"
    kernelapp = sys.modules.get("ipykernel.kernelapp")
    if kernelapp is not None and kernelapp.IPKernelApp.initialized():
        return "ipykernel"
    return "marimo" if "marimo._runtime.runtime" in sys.modules else None


def _labextensions() -> list[str]:
    from jupyter_core.paths import jupyter_path

    return [
        name for name in _EXTENSIONS if any(Path(folder, name).is_dir() for folder in jupyter_path("labextensions"))
    ]


@dataclass(frozen=True, slots=True)
class Here:
    """The environment as the checks see it."""

    language: str = "en"
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)
    version: Callable[[str], str | None] = _version
    kernel: Callable[[], str | None] = _kernel
    labextensions: Callable[[], list[str]] = _labextensions
    server: Callable[[Mapping[str, str]], JupyterServer | None] = jupyter_server_here
    is_remote: Callable[[], bool] = is_remote_likely
    has_view: Callable[[], bool] = lambda: resources.files("aisdk_lab.widget").joinpath("static/sidebar.js").is_file()

    def say(self, key: str, **values: object) -> str:
        """A word of the group `check`."""
        return word(f"check.{key}", self.language, **values)


def check(language: str | None = None) -> Check:
    """Look at everything that a sidebar and an adapter need, and say what works and what to do about the rest.

    `language`: "en" or "zh"; by default that of the environment. Takes some milliseconds; asks only this machine.
    """
    chosen = language if language is not None else _language_of(os.environ)
    if chosen not in languages:
        word("check.works", chosen)  # raises UnknownName with the known languages
    return run_checks(Here(language=chosen))


def run_checks(here: Here) -> Check:
    """All checks, in the order in which one would look."""
    checks = (python, packages, kernel, widget, thread, port, proxy, relay, browser, extras)
    return Check(tuple(look(here) for look in checks), here.language)


def _language_of(environ: Mapping[str, str]) -> str:
    locale = next((environ[key] for key in ("LC_ALL", "LC_MESSAGES", "LANG") if environ.get(key)), "")
    return "zh" if locale.lower().startswith("zh") else "en"


# ── one check each ──────────────────────────────────────────────────────────────────────────────────────────────────


def python(here: Here) -> Row:
    """The interpreter and ourselves."""
    found = f"{platform.python_version()} · {platform.system()} · aisdk_lab {__version__}"
    return Row("python", "ok", found)


def packages(here: Here) -> Row:
    """Versions of what the view depends on; what is missing is a problem."""
    missing = [name for name in NEEDED if here.version(name) is None]
    found = ", ".join(f"{name} {version}" for name in SHOWN if (version := here.version(name)))
    if missing:
        return Row(
            "packages", "problem", here.say("packages.missing", names=", ".join(missing)), here.say("packages.do")
        )
    return Row("packages", "ok", found)


def kernel(here: Here) -> Row:
    """What runs this code, and whether clicks get through while a cell runs."""
    kind, version = here.kernel(), here.version("ipykernel")
    if kind is None:
        return Row("kernel", "warning", here.say("kernel.none"), here.say("kernel.none.do"))
    if kind != "ipykernel":
        return Row("kernel", "ok", here.say("kernel.other", kind=kind))
    if _numbers(version) < OLDEST_KERNEL:
        return Row("kernel", "warning", here.say("kernel.old", version=version), here.say("kernel.old.do"))
    return Row("kernel", "ok", f"ipykernel {version}")


def widget(here: Here) -> Row:
    """The built view, and the front end's part of the widget machinery as far as this environment shows it."""
    if not here.has_view():
        return Row("widget", "problem", here.say("widget.bundle"), here.say("widget.bundle.do"))
    if here.kernel() in ("marimo", "colab", "pyodide") or any(key.startswith("VSCODE_") for key in here.environ):
        return Row("widget", "ok", here.say("widget.own"))
    missing = [name for name in _EXTENSIONS if name not in here.labextensions()]
    if missing:
        names = ", ".join(_EXTENSIONS[name] for name in missing)
        return Row(
            "widget", "warning", here.say("widget.missing", names=names), here.say("widget.missing.do", names=names)
        )
    return Row("widget", "ok", here.say("widget.ok"))


def thread(here: Here) -> Row:
    """The lab's own thread: does it answer?"""
    began = time.perf_counter()
    try:
        lab_loop().run(asyncio.sleep(0), timeout=5)
    except (RuntimeError, TimeoutError) as problem:
        return Row("thread", "problem", here.say("thread.broken", problem=problem), here.say("restart.do"))
    return Row("thread", "ok", here.say("thread.ok", n=_ms(began)))


def port(here: Here) -> Row:
    """A port of this machine: can it be opened, and asked?"""
    began = time.perf_counter()
    try:
        answer = lab_loop().run(_ask_a_port(), timeout=5)
    except (OSError, RuntimeError, TimeoutError) as problem:
        return Row("port", "problem", here.say("port.broken", problem=problem), here.say("port.do"))
    if answer != b"ok":
        return Row("port", "problem", here.say("port.broken", problem=repr(answer)), here.say("port.do"))
    return Row("port", "ok", here.say("port.ok", n=_ms(began)))


async def _ask_a_port() -> bytes:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"ok")
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0, family=socket.AF_INET)
    try:
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        try:
            return await reader.read()
        finally:
            writer.close()
    finally:
        server.close()


def proxy(here: Here) -> Row:
    """Proxy variables: other programs send even loopback requests to a proxy unless told not to."""
    environ = {key.upper(): value for key, value in here.environ.items() if value}
    set_ones = [name for name in _PROXIES if name in environ]
    if not set_ones:
        return Row("proxy", "ok", here.say("proxy.none"))
    spared = {place.strip().lower() for place in environ.get("NO_PROXY", "").split(",")}
    names = ", ".join(set_ones)
    if "*" in spared or {"127.0.0.1", "localhost"} <= spared:
        return Row("proxy", "ok", here.say("proxy.spared", names=names))
    return Row("proxy", "warning", here.say("proxy.trap", names=names), here.say("proxy.do"))


def relay(here: Here) -> Row:
    """The Jupyter Server extension: is there a way from the page to this kernel beside the comm?"""
    server = here.server(here.environ)
    if server is None:
        if here.kernel() != "ipykernel":
            return Row("relay", "ok", here.say("relay.none"))
        return Row("relay", "warning", here.say("relay.unknown"), here.say("relay.unknown.do"))
    found = server.relay()
    if found.state == "silent":
        return Row("relay", "warning", here.say("relay.silent", problem=found.problem), here.say("relay.unknown.do"))
    if found.state == "off":
        return Row("relay", "warning", here.say("relay.off", status=found.status), here.say("relay.off.do"))
    if found.state == "locked":
        return Row("relay", "ok", here.say("relay.locked"))
    if found.version != __version__:
        other = here.say("relay.other", theirs=found.version, ours=__version__)
        return Row("relay", "warning", other, here.say("relay.other.do"))
    return Row("relay", "ok", here.say("relay.ok"))


def browser(here: Here) -> Row:
    """Whether the browser is likely on another machine, where 127.0.0.1 means that one; an adapter's notice says the same."""
    if not here.is_remote():
        return Row("browser", "ok", here.say("browser.same"))
    hub = here.environ.get("JUPYTERHUB_SERVICE_PREFIX")
    found = here.say("browser.hub", prefix=hub) if hub else here.say("browser.remote")
    is_relayed = here.kernel() == "ipykernel" and relaying_page_address(here.environ, here.server) is not None
    return Row("browser", "warning", found, here.say("browser.do" if is_relayed else "browser.tunnel.do"))


def extras(here: Here) -> Row:
    """What is optional."""
    version = here.version("matplotlib")
    if version is None:
        return Row("extras", "warning", here.say("extras.missing"), here.say("extras.do"))
    return Row("extras", "ok", f"matplotlib {version}")


def _numbers(version: str | None) -> tuple[int, ...]:
    found: list[int] = []
    for piece in (version or "0").split(".")[:2]:
        digits = "".join(character for character in piece if character.isdecimal())
        found.append(int(digits or 0))
    return tuple(found)


def _ms(began: float) -> str:
    return f"{(time.perf_counter() - began) * 1000:.1f}"
