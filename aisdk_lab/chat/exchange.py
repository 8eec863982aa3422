"""One request of a chat and the response to it, while they are under way.

Stage: chat. The work (connecting, reading) is a task of its own, so that a stop ends it without ending what waits for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from aisdk_lab.chat.conversation import Response
from aisdk_lab.chat.events import Outcome
from aisdk_lab.chat.transport import TransportRequest

Result = TypeVar("Result")


class Exchange:
    """A request, the response that it gets, and how far it is."""

    def __init__(self, request: TransportRequest, response: Response | None = None) -> None:
        self.request = request
        self.response = response
        """`None` while a resumed stream is being connected to."""
        self.sends_approval = False
        """It carries the decision that was answered last and not sent yet."""
        self.is_stopped = False
        self.last_words: set[str] = set()
        """`finish` and `abort` as far as they came."""
        self.outcome: Outcome | None = None
        """How it ended; `None` before, and when there was nothing to resume."""
        self.turn: asyncio.Task[None] | None = None
        """The task that runs it, and what follows from it."""
        self._work: asyncio.Task[Any] | None = None

    @property
    def is_resumed(self) -> bool:
        """Whether it joins a response that another request began."""
        return self.request.trigger == "resume-stream"

    @property
    def opened(self) -> Response:
        """The response; an exchange without one is never closed."""
        if self.response is None:
            raise RuntimeError("the response has not begun")
        return self.response

    def abort(self) -> None:
        """End the work; what came stays."""
        self.is_stopped = True
        if self._work is not None:
            self._work.cancel()

    async def do(self, work: Coroutine[Any, Any, Result]) -> Result | None:
        """What the work gives, `None` when it was aborted. Raises what the work raises."""
        if self.is_stopped:
            work.close()
            return None
        self._work = asyncio.get_running_loop().create_task(work)
        try:
            await asyncio.wait([self._work])
        except asyncio.CancelledError:  # not a stop: whoever runs this exchange is ended, and the work with it
            self.abort()
            raise
        if self.is_stopped or self._work.cancelled():
            if not self._work.cancelled():
                self._work.exception()  # looked at: a failure after a stop is nobody's concern
            self.is_stopped = True
            return None
        return self._work.result()
