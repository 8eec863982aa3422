"""How a program of the bench measures and answers; the twin of what `peers.mjs` does in Node.

Only the work is timed: starting the interpreter, importing and reading the input are outside, checking the result too.
Decoders hand their chunks on and drop them, as a reader of a stream does; what they read is compared in a second pass.
"""

from __future__ import annotations

import gc
import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

Answer = dict[str, Any]


class Stream:
    """A stream file of `inputs.write_stream`."""

    def __init__(self, path: Path) -> None:
        header, *self.lines = path.read_bytes().split(b"\n")
        self.cuts: list[int] = json.loads(header)["cuts"]
        self.messages: int = json.loads(header)["messages"]

    def chunks(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.lines]

    def slices(self, items: list[Any]) -> list[list[Any]]:
        """Twentieths, in messages; what publishes none at the end is a slice of its own."""
        begins = [0, *self.cuts]
        return [items[begin:end] for begin, end in zip(begins, [*self.cuts, len(items)], strict=True)]


def segments_of(path: Path, size: int) -> list[bytes]:
    """The body in reads of `size` bytes."""
    body = path.with_suffix(".sse").read_bytes()
    return [body[place : place + size] for place in range(0, len(body), size)]


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds that `work` took, and what it gave."""
    settle()
    started = perf_counter()
    result = work()
    return perf_counter() - started, result


def settle() -> None:
    """Ends what was before: the collector no longer walks through the input, whose size would count as ours."""
    gc.collect()
    gc.freeze()


def digest(values: list[Any]) -> str:
    """One short word for JSON values, the same in Python and Node."""
    whole = hashlib.sha256()
    for value in values:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
        whole.update(text.encode() + b"\n")
    return whole.hexdigest()[:16]


def forget_high_water() -> None:
    """Linux sets VmHWM back to what is resident now."""
    settle()
    Path("/proc/self/clear_refs").write_text("5")


def memory_bytes(field: str) -> int:
    """`VmHWM` (high-water mark) or `VmRSS` (resident now) of this process."""
    status = Path("/proc/self/status").read_text()
    return int(re.findall(rf"^{field}:\s+(\d+) kB", status, re.MULTILINE)[0]) * 1024
