"""probe: what of the environment works, and what to do about the rest. `lab.check()` runs it."""

from __future__ import annotations

from aisdk_lab.probe.checks import check
from aisdk_lab.probe.here import JupyterServer, jupyter_server_here, page_address
from aisdk_lab.probe.report import Check, Row

__all__ = ["Check", "JupyterServer", "Row", "check", "jupyter_server_here", "page_address"]
