"""The ledger: append-only facts, the only truth after a disconnect."""

from aisdk_lab.ledger.facts import Fact, FactKind, Pending, Projection, RunState, Usage, project
from aisdk_lab.ledger.store import Entry, Ledger, MemoryLedger

__all__ = [
    "Entry",
    "Fact",
    "FactKind",
    "Ledger",
    "MemoryLedger",
    "Pending",
    "Projection",
    "RunState",
    "Usage",
    "project",
]
