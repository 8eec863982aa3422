"""One pusher: operations in, numbered batches out, at most one for each interval.

Stage: widget. The Jupyter server drops messages silently above a thousand a second (measured: 3,000 of 10,000 arrived,
and the cell stayed busy), so everything goes out in batches of 33 ms and of at most 256 kB, and each has a number: a view
that misses one asks from there (`since`). No thread and no clock of its own: both are passed in.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from aisdk_lab.widget.operations import Operation
from aisdk_lab.wire import json_text

INTERVAL_S = 0.033
LIMIT_BYTES = 256 * 1024
RING_BYTES = 2 * 1024 * 1024
"""How much of what was sent is kept for views that missed it; beyond that they get a snapshot."""


class Timer(Protocol):
    """What `call_later` returns."""

    def cancel(self) -> None:
        """The call is not wanted any more."""
        ...


@dataclass(frozen=True, slots=True)
class Batch:
    """One message to the views."""

    seq: int
    text: str
    """The JSON as it travels: `{"type": "batch", "seq", "ops"}`; surrogates joined, NaN as null."""


class Batcher:
    """Gathers operations and gives them to `send` in order. Lives on one thread."""

    def __init__(
        self,
        send: Callable[[Batch], None],
        *,
        now_s: Callable[[], float],
        call_later: Callable[[float, Callable[[], None]], Timer],
        interval_s: float = INTERVAL_S,
        limit_bytes: int = LIMIT_BYTES,
        ring_bytes: int = RING_BYTES,
    ) -> None:
        self._send = send
        self._now_s = now_s
        self._call_later = call_later
        self._interval_s = interval_s
        self._limit_bytes = limit_bytes
        self._ring_bytes = ring_bytes
        self._pending: list[Operation] = []
        self._open_appends: dict[tuple[Any, ...], int] = {}
        self._timer: Timer | None = None
        self._last_s = float("-inf")
        self._ring: deque[Batch] = deque()
        self._held_bytes = 0
        self.seq = 0
        """Number of the last batch that was sent."""

    def push(self, operations: Iterable[Operation]) -> None:
        """Take operations; they go out now if the last batch is old enough, else when it is."""
        for operation in operations:
            self._gather(operation)
        if self._pending and self._timer is None:
            wait_s = max(0.0, self._last_s + self._interval_s - self._now_s())
            self._timer = self._call_later(wait_s, self.flush)

    def _gather(self, operation: Operation) -> None:
        """Appends to one text within a batch become one; anything else closes what could still grow."""
        op, path = operation[0], operation[1]
        if op != "append":
            self._open_appends.clear()
            self._pending.append(operation)
            return
        key = tuple(path)
        place = self._open_appends.get(key)
        if place is None:
            self._open_appends[key] = len(self._pending)
            self._pending.append(["append", path, [operation[2]]])  # pieces, joined when the batch is written
        else:
            self._pending[place][2].append(operation[2])

    def flush(self) -> None:
        """Send what is there; nothing when nothing is."""
        if self._pending:
            self._send_pending()

    def speak(self) -> None:
        """Send what is there, or an empty batch: a view that did something hears that the kernel is alive."""
        self._send_pending()

    def _send_pending(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        pending, self._pending = self._pending, []
        self._open_appends.clear()
        self._last_s = self._now_s()
        for texts in self._split(pending):
            self.seq += 1
            batch = Batch(self.seq, f'{{"type":"batch","seq":{self.seq},"ops":[{",".join(texts)}]}}')
            self._remember(batch)
            self._send(batch)

    def _split(self, operations: list[Operation]) -> list[list[str]]:
        """The operations as JSON, in groups below the limit; one that is larger by itself goes alone."""
        groups: list[list[str]] = [[]]
        size = 0
        for operation in operations:
            if operation[0] == "append":
                operation = ["append", operation[1], "".join(operation[2])]
            text = json_text.write(operation)
            length = len(text.encode())
            if groups[-1] and size + length > self._limit_bytes:
                groups.append([])
                size = 0
            groups[-1].append(text)
            size += length + 1
        return groups

    def _remember(self, batch: Batch) -> None:
        self._ring.append(batch)
        self._held_bytes += len(batch.text)
        while self._held_bytes > self._ring_bytes and len(self._ring) > 1:
            self._held_bytes -= len(self._ring.popleft().text)

    def since(self, seq: int) -> list[Batch] | None:
        """The batches after number `seq`, oldest first; `None` when they are not all there (send a snapshot).

        `seq` 0 has nothing to build on and asks for a snapshot, as does a number that was never given out.
        """
        if seq <= 0 or seq > self.seq:
            return None
        if seq < self.seq and (not self._ring or self._ring[0].seq > seq + 1):
            return None
        return [batch for batch in self._ring if batch.seq > seq]

    def close(self) -> None:
        """Forget everything; nothing is sent after this."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._pending.clear()
        self._ring.clear()
        self._held_bytes = 0
