"""A mapping of plugins: the modules of one of our folders, then what other packages offer as entry points.

An open set (importers, metrics, rules, translators …) is a folder with one file per member. `Registry` walks the folder
on first use, takes from each module the object that the folder's convention names, and adds entry points of the group
`aisdk_lab.<kind>`, so that a new member is one new file and nothing else.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from types import ModuleType
from typing import Generic, TypeVar

from aisdk_lab.errors import UnknownName

Plugin = TypeVar("Plugin")


class Registry(Mapping[str, Plugin], Generic[Plugin]):
    """Plugins by name, found on first use.

    `pick(module)` takes the plugin out of a module of the folder; modules whose name starts with `_` are not members.
    Raises `UnknownName` with the known names for a name that nobody has.
    """

    def __init__(self, kind: str, package: str, pick: Callable[[ModuleType], Plugin]) -> None:
        self._kind = kind
        self._package = package
        self._pick = pick
        self._found: dict[str, Plugin] | None = None

    def _load(self) -> dict[str, Plugin]:
        if self._found is None:
            folder = importlib.import_module(self._package)
            found = {
                info.name: self._pick(importlib.import_module(f"{self._package}.{info.name}"))
                for info in pkgutil.iter_modules(folder.__path__)
                if not info.name.startswith("_")
            }
            for entry in importlib.metadata.entry_points(group=f"aisdk_lab.{self._kind}"):
                found.setdefault(entry.name, entry.load())
            self._found = found
        return self._found

    def __getitem__(self, name: str) -> Plugin:
        found = self._load()
        if name not in found:
            raise UnknownName(self._kind, name, found)
        return found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._load())

    def __repr__(self) -> str:
        return f"<{self._kind}s: {', '.join(self)}>"

    def __len__(self) -> int:
        return len(self._load())

    def __contains__(self, name: object) -> bool:
        return name in self._load()
