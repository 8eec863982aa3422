"""Where facts are kept: append-only, numbered for each session, committed whole or not at all.

Stage: ledger. One commit is one step's worth of facts. `expect` makes two writers of one session notice each other.
`MemoryLedger` lives as long as the kernel; a store on disk has the same methods.
"""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Protocol

from aisdk_lab.errors import LedgerError
from aisdk_lab.ledger.facts import Fact, FactKind, Pending, Projection, Usage
from aisdk_lab.ui_stream.messages import Message

Entry = tuple[FactKind, Mapping[str, Any]]
"""A fact before it has a number: its kind and its body."""


class Ledger(Protocol):
    """What a run needs of a store. Every method may be called from any thread; unknown sessions are empty."""

    def commit(
        self, session: str, run: str, entries: Sequence[Entry], *, step: int = 0, expect: int | None = None
    ) -> tuple[Fact, ...]:
        """Append the entries, all or none, and give them as numbered facts.

        Raises:
            LedgerError: an entry does not hold, or the last number of the session is not `expect`.
        """
        ...

    def facts(self, session: str, after: int = 0) -> tuple[Fact, ...]:
        """The facts of a session with a number above `after`, in order. Read-only."""
        ...

    def history(self, session: str) -> list[Message]:
        """The messages of a session, oldest first; copies, the caller's to keep."""
        ...

    def pending(self, session: str) -> tuple[Pending, ...]:
        """The calls that wait, in the order in which they were made."""
        ...

    def usage(self, session: str) -> Usage:
        """The session's tokens so far, over all its runs."""
        ...

    def sessions(self) -> tuple[str, ...]:
        """The sessions that have facts, the oldest first."""
        ...


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class MemoryLedger:
    """A ledger in memory.

    Bodies are copied when they come in, so that nobody changes history by keeping a reference. `now` gives the time of
    a commit as text (UTC, ISO 8601).
    """

    def __init__(self, now: Callable[[], str] = _now) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._facts: dict[str, list[Fact]] = {}
        self._projections: dict[str, Projection] = {}

    def __repr__(self) -> str:
        with self._lock:
            return f"<MemoryLedger: {len(self._facts)} sessions, {sum(map(len, self._facts.values()))} facts>"

    def commit(
        self, session: str, run: str, entries: Sequence[Entry], *, step: int = 0, expect: int | None = None
    ) -> tuple[Fact, ...]:
        """Append the entries, all or none (see `Ledger.commit`)."""
        bodies: list[tuple[FactKind, dict[str, Any]]] = [(kind, copy.deepcopy(dict(body))) for kind, body in entries]
        with self._lock:
            known = self._facts.get(session, [])
            if expect is not None and expect != len(known):
                raise LedgerError(
                    f"session {session!r} is at fact {len(known)}, not {expect}: somebody else committed. "
                    "Read the history again."
                )
            at = self._now()
            fresh = [
                Fact(session, number, run, step, kind, body, at)
                for number, (kind, body) in enumerate(bodies, start=len(known) + 1)
            ]
            projection = self._projections.get(session, Projection()).copy()
            for fact in fresh:
                projection.apply(fact)
            if fresh:
                self._facts.setdefault(session, known).extend(fresh)
                self._projections[session] = projection
        return tuple(fresh)

    def facts(self, session: str, after: int = 0) -> tuple[Fact, ...]:
        """The facts of a session with a number above `after` (see `Ledger.facts`)."""
        with self._lock:
            return tuple(self._facts.get(session, ())[after:])

    def history(self, session: str) -> list[Message]:
        """The messages of a session (see `Ledger.history`)."""
        return copy.deepcopy(list(self._projection(session).messages.values()))

    def pending(self, session: str) -> tuple[Pending, ...]:
        """The calls of a session that wait (see `Ledger.pending`)."""
        return tuple(self._projection(session).waiting.values())

    def usage(self, session: str) -> Usage:
        """The tokens of a session (see `Ledger.usage`)."""
        return self._projection(session).usage

    def sessions(self) -> tuple[str, ...]:
        """The sessions that have facts, the oldest first."""
        with self._lock:
            return tuple(self._facts)

    def _projection(self, session: str) -> Projection:
        with self._lock:  # a projection is replaced by the next commit and never changed: no copy is needed
            return self._projections.get(session) or Projection()
