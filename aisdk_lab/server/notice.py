"""What an adapter says about itself: where it is, how to call it, how to stop it. Never its token.

Stage: server. When the kernel runs on another machine than the browser, 127.0.0.1 is not the address that works. Where the
Jupyter server relays to this kernel (hub.py), the notice gives the address through it; without it the notice says how to make
a way: a sidebar goes through Jupyter by itself, a terminal through `ssh -L`.
"""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aisdk_lab.card import html_card
from aisdk_lab.errors import UnknownName
from aisdk_lab.server.here import is_page_elsewhere
from aisdk_lab.server.hub import open_hub
from aisdk_lab.strings import word
from aisdk_lab.wire import json_text

if TYPE_CHECKING:
    from aisdk_lab.server.adapter import Adapter

_REMOTE_SIGNS = (
    "JUPYTERHUB_SERVICE_PREFIX",
    "SSH_CONNECTION",
    "CODESPACES",
    "KUBERNETES_SERVICE_HOST",
    "COLAB_RELEASE_TAG",
)
DOORS = ("api", "awaken")


class Command(str):
    """A command for a terminal; shown as it is, so that it can be copied."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:  # IPython's hook: str has a printer of its own
        printer.text(str(self))


def curl(adapter: Adapter, text: str, door: str) -> Command:
    """The command that sends `text` to a door and shows the stream as it comes."""
    if door not in DOORS:
        raise UnknownName("door", door, DOORS)
    message = {"id": "u1", "role": "user", "parts": [{"type": "text", "text": text}]}
    body = {"id": "curl-1", "messages": [message]} if door == "api" else {"threadId": "curl-1", "messages": [message]}
    return Command(
        " \\\n  ".join(
            (
                f"curl -N -sS {adapter.chat_url if door == 'api' else adapter.awaken_url}",
                f"-H {shlex.quote(f'Authorization: Bearer {adapter.token}')}",
                "-H 'Content-Type: application/json'",
                f"-d {shlex.quote(json_text.write(body))}",
            )
        )
    )


def is_remote_likely() -> bool:
    """True when signs say that the browser is on another machine than this kernel."""
    signs = any(os.environ.get(sign) for sign in _REMOTE_SIGNS) or Path("/.dockerenv").exists()
    return signs or is_page_elsewhere()


def outside_url(adapter: Adapter) -> str | None:
    """The adapter's address through the Jupyter server, if that relays to this kernel."""
    found = open_hub()
    return found.outside_url(adapter.name) if found is not None and adapter.is_running else None


def text(adapter: Adapter) -> str:
    """The adapter in one line."""
    key = "adapter.repr" if adapter.is_running else "adapter.repr_stopped"
    return word(key, name=adapter.name, agent=adapter.agent.name, url=adapter.url)


def html(adapter: Adapter) -> str:
    """The adapter as a card: address, how to call, how to stop, and the last problems of its agents."""
    if not adapter.is_running:
        return html_card(adapter.agent.title, word("adapter.stopped"), word("adapter.again"), {})
    rows: dict[str, object | None] = {
        word("adapter.address"): adapter.chat_url,
        word("adapter.talk"): "lab.Sidebar(adapter)",
        word("adapter.call"): "adapter.curl()",
        word("adapter.token"): "adapter.token",
        word("adapter.stop"): "adapter.stop()",
        word("adapter.elsewhere"): _elsewhere(adapter),
        word("adapter.problems"): "\n".join(adapter.application.failures[-3:]),
    }
    return html_card(adapter.agent.title, word("adapter.running", name=adapter.name), None, rows)


def _elsewhere(adapter: Adapter) -> str | None:
    if not is_remote_likely():
        return None
    outside = adapter.outside_url
    return word("adapter.tunnel", port=adapter.port) if outside is None else word("adapter.outside", url=outside)
