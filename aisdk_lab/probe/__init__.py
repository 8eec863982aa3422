"""probe: what of the environment works, and what to do about the rest. `lab.check()` runs it."""

from __future__ import annotations

from aisdk_lab.probe.checks import check
from aisdk_lab.probe.report import Check, Row

__all__ = ["Check", "Row", "check"]
