"""demo: a living sidebar in one cell, without a key and without a network.

Stage: widget.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from aisdk_lab.agents import agents
from aisdk_lab.loopback import runtime

if TYPE_CHECKING:
    from aisdk_lab.widget.sidebar import Sidebar

_RUNTIME_KEY = "demos"


def demo(name: str = "publish", *, language: str = "auto") -> Sidebar:
    """A sidebar with a shipped agent: "publish" (a plan, an edit to adopt, a publication to allow) or "weather".

    Running the cell again shows the same conversation; `demo(…).close()` ends it, and the next call begins anew.
    Raises `UnknownName` for an agent that does not exist; the message lists those that do.
    """
    from aisdk_lab.widget.sidebar import Sidebar

    agent = agents[name]
    home = runtime()
    with home.lock:
        # In the runtime, not in this module: %autoreload makes the module anew, and a second demo with it.
        demos = cast("dict[str, Sidebar]", vars(home).setdefault(_RUNTIME_KEY, {}))
        if name not in demos or demos[name].is_closed:
            demos[name] = Sidebar(agent, language=language)
        return demos[name]
