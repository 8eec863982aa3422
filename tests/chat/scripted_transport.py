"""A transport whose responses a test feeds by hand, and the pause in which the loop gets everything done."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import AsyncGenerator, Callable
from typing import Any

from aisdk_lab.chat import TransportRequest


async def let_it_work() -> None:
    """Let every task that can go on go on; nothing here waits for a clock."""
    for _ in range(30):
        await asyncio.sleep(0)


class ScriptedTransport:
    """Open responses are fed with `put`, ended with `end`; requests are kept in `requests`."""

    title = "scripted"
    suggestions: tuple[str, ...] = ()

    def __init__(self, client_tools: dict[str, Any] | None = None) -> None:
        self.client_tools = client_tools
        self.requests: list[TransportRequest] = []
        self.stopped: list[str] = []
        self.fail_next: Exception | None = None
        self.on_request: Callable[[TransportRequest], None] = lambda request: None
        self._open: list[asyncio.Queue[Any]] = []

    async def stream(self, request: TransportRequest) -> AsyncGenerator[dict[str, Any], None]:
        self.requests.append(request)
        self.on_request(request)
        if self.fail_next is not None:
            problem, self.fail_next = self.fail_next, None
            raise problem
        queue: asyncio.Queue[Any] = asyncio.Queue()
        self._open.append(queue)
        try:
            while (thing := await queue.get()) is not None:
                if isinstance(thing, Exception):
                    raise thing
                yield thing
        finally:
            self._open.remove(queue)

    async def stop(self, chat_id: str) -> None:
        self.stopped.append(chat_id)

    def put(self, chunk: dict[str, Any]) -> bool:
        """Give the oldest open response a chunk; False when none is open."""
        if not self._open:
            return False
        self._open[0].put_nowait(copy.deepcopy(chunk))
        return True

    def end(self, problem: Exception | None = None) -> bool:
        """Close the oldest open response, or break it; False when none is open."""
        if not self._open:
            return False
        self._open[0].put_nowait(problem)
        return True
