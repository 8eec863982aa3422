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
    """The newest response is fed with `put` and ended with `end`; requests are kept in `requests`."""

    title = "scripted"
    suggestions: tuple[str, ...] = ()

    def __init__(self, client_tools: dict[str, Any] | None = None, *, resume_is_replay: bool = True) -> None:
        self.client_tools = client_tools
        self.resume_is_replay = resume_is_replay
        self.requests: list[TransportRequest] = []
        self.stopped: list[str] = []
        self.fail_next: list[Exception] = []
        """What the next requests fail with, one each."""
        self.nothing_to_join = 0
        """How many of the next resumptions find nothing."""
        self.on_request: Callable[[TransportRequest], None] = lambda request: None
        self._current: asyncio.Queue[Any] | None = None
        self._open: list[asyncio.Queue[Any]] = []

    async def stream(self, request: TransportRequest) -> AsyncGenerator[dict[str, Any], None]:
        self._ask(request)
        async for chunk in self._response():
            yield chunk

    async def reconnect(self, request: TransportRequest) -> AsyncGenerator[dict[str, Any], None] | None:
        self._ask(request)
        if self.nothing_to_join:
            self.nothing_to_join -= 1
            return None
        return self._response()

    def _ask(self, request: TransportRequest) -> None:
        self.requests.append(request)
        self.on_request(request)
        if self.fail_next:
            raise self.fail_next.pop(0)

    async def _response(self) -> AsyncGenerator[dict[str, Any], None]:
        queue = self._current = asyncio.Queue[Any]()
        self._open.append(queue)
        try:
            while (thing := await queue.get()) is not None:
                if isinstance(thing, Exception):
                    raise thing
                yield thing
        finally:
            self._open.remove(queue)
            if self._current is queue:
                self._current = None

    async def stop(self, chat_id: str) -> None:
        self.stopped.append(chat_id)

    def put(self, chunk: dict[str, Any]) -> bool:
        """Give the newest response a chunk; False when it is over."""
        if self._current is None:
            return False
        self._current.put_nowait(copy.deepcopy(chunk))
        return True

    def end(self, problem: Exception | None = None) -> bool:
        """Close the newest response, or break it; False when it is over."""
        if self._current is None:
            return False
        self._current.put_nowait(problem)
        return True

    def end_all(self) -> bool:
        """Close every response, those too that a newer one has taken the place of; False when all were closed."""
        for queue in self._open:
            queue.put_nowait(None)
        return bool(self._open)
