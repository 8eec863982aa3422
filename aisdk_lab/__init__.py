"""The laboratory for agent streams, in a notebook.

    import aisdk_lab as lab
    lab.demo()                                  # a living sidebar in one cell
    capture = lab.samples["weather"]            # or lab.load(path), lab.record(url, json=…)
    lab.table(capture, "frames"); lab.measure(capture); lab.timing(capture)
    lab.Sidebar(lab.serve(agent))               # an agent, served and shown

Public names are loaded on first use (PEP 562), so that the import costs a few milliseconds and no heavy package.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from aisdk_lab._version import __version__ as __version__

if TYPE_CHECKING:
    from aisdk_lab.agents import agents as agents
    from aisdk_lab.agents.scripted import ScriptError as ScriptError, scripted as scripted
    from aisdk_lab.capture import Capture as Capture
    from aisdk_lab.chat import Chat as Chat
    from aisdk_lab.decision import Decision as Decision
    from aisdk_lab.errors import (
        CaptureError as CaptureError,
        DecisionError as DecisionError,
        LabError as LabError,
        RefusedError as RefusedError,
        RequestError as RequestError,
        TransportError as TransportError,
        UnknownName as UnknownName,
    )
    from aisdk_lab.importers import load as load, load_all as load_all
    from aisdk_lab.jupyter.extension import _jupyter_server_extension_points as _jupyter_server_extension_points
    from aisdk_lab.metrics import measure as measure
    from aisdk_lab.plots import timing as timing
    from aisdk_lab.probe import check as check
    from aisdk_lab.record import arecord as arecord, record as record
    from aisdk_lab.reducer import (
        Change as Change,
        MessageReducer as MessageReducer,
        Snapshot as Snapshot,
        read_ui_message_stream as read_ui_message_stream,
    )
    from aisdk_lab.samples import samples as samples
    from aisdk_lab.server.adapter import serve as serve
    from aisdk_lab.tables import table as table, tables as tables
    from aisdk_lab.ui_stream.model_messages import convert_to_model_messages as convert_to_model_messages
    from aisdk_lab.ui_stream.tool_status import tool_status as tool_status
    from aisdk_lab.ui_stream.validate_messages import validate_messages as validate_messages
    from aisdk_lab.ui_stream.versions import (
        first_refusal as first_refusal,
        validate_chunk as validate_chunk,
        what_clients_do as what_clients_do,
    )
    from aisdk_lab.ui_stream.writer import ChunkWriter as ChunkWriter
    from aisdk_lab.widget.demo import demo as demo
    from aisdk_lab.widget.sidebar import Sidebar as Sidebar

_HOMES = {
    "Capture": "capture",
    "CaptureError": "errors",
    "Change": "reducer",
    "Chat": "chat",
    "ChunkWriter": "ui_stream.writer",
    "Decision": "decision",
    "DecisionError": "errors",
    "LabError": "errors",
    "MessageReducer": "reducer",
    "RefusedError": "errors",
    "RequestError": "errors",
    "ScriptError": "agents.scripted",
    "Sidebar": "widget.sidebar",
    "Snapshot": "reducer",
    "TransportError": "errors",
    "UnknownName": "errors",
    "agents": "agents",
    "arecord": "record",
    "check": "probe",
    "convert_to_model_messages": "ui_stream.model_messages",
    "demo": "widget.demo",
    "first_refusal": "ui_stream.versions",
    "load": "importers",
    "load_all": "importers",
    "measure": "metrics",
    "read_ui_message_stream": "reducer",
    "record": "record",
    "samples": "samples",
    "scripted": "agents.scripted",
    "serve": "server.adapter",
    "table": "tables",
    "tables": "tables",
    "timing": "plots",
    "tool_status": "ui_stream.tool_status",
    "validate_chunk": "ui_stream.versions",
    "validate_messages": "ui_stream.validate_messages",
    "what_clients_do": "ui_stream.versions",
    "_jupyter_server_extension_points": "jupyter.extension",
}
"""In which module each public name lives."""


def __getattr__(name: str) -> Any:  # whatever the name is: the modules have the types
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'aisdk_lab' has no attribute {name!r}. Public names: {', '.join(_public())}.")
    value = getattr(importlib.import_module(f"aisdk_lab.{home}"), name)
    globals()[name] = value
    return value


def _public() -> list[str]:
    return [name for name in _HOMES if not name.startswith("_")]


def __dir__() -> list[str]:
    return ["__version__", *_public()]


class _Package(ModuleType):
    """Keeps `lab.record` the function when the module `aisdk_lab.record` is imported.

    Importing a submodule assigns it to the package under its own name; `record`, `tables` and `samples` are public
    names as well as modules, and the public name wins. `from aisdk_lab.record import …` is not affected.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if name in _HOMES and isinstance(value, ModuleType):
            return
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
