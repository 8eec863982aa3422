"""Agents: what can be run without a key. An open set, one agent a module, under the name of the module.

A member is a module with an `AGENT` (see `_base.Agent`). Other packages offer theirs as entry points of the group
`aisdk_lab.agent`.
"""

from __future__ import annotations

from types import ModuleType

from aisdk_lab._registry import Registry
from aisdk_lab.agents._base import Agent, ClientTool, Sleep, Turn

__all__ = ["Agent", "ClientTool", "Sleep", "Turn", "agents"]


def _pick(module: ModuleType) -> Agent:
    return module.AGENT


agents: Registry[Agent] = Registry("agent", __name__, _pick)
"""The shipped agents by name."""
