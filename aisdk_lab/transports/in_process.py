"""In process: a chat talks to the agents of this kernel through the same runs and ledger as the HTTP doors.

Stage: transports. No bytes and no socket between: chunks are handed over on the lab's loop. What a request is allowed to do
is decided in `runs`, as for any other door of the profile `ai-sdk`.
"""

from __future__ import annotations

import copy
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import Any

from aisdk_lab.agents import Agent, ClientTool
from aisdk_lab.chat.transport import TransportRequest
from aisdk_lab.errors import UnknownName
from aisdk_lab.runs.application import RunApplication, RunStream
from aisdk_lab.runs.request import ChatRequest
from aisdk_lab.runs.run import Run, words
from aisdk_lab.transports._retold import retold
from aisdk_lab.ui_stream.chunks import Chunk


class InProcessTransport:
    """The agents of a `RunApplication`, or one agent with an application of its own.

    `agent_id` picks the agent (else the application's first); `body` are further keys for it.
    Raises `UnknownName` for an agent that the application does not have.
    """

    def __init__(
        self,
        source: RunApplication | Agent,
        *,
        agent_id: str | None = None,
        body: Mapping[str, Any] | None = None,
    ) -> None:
        self.application = source if isinstance(source, RunApplication) else RunApplication(source)
        self._agent_id = agent_id
        self._body = dict(body or {})
        if agent_id is not None and agent_id not in self.application.agents:
            raise UnknownName("agent", agent_id, self.application.agents)
        self.agent: Agent = self.application.default if agent_id is None else self.application.agents[agent_id]

    def __repr__(self) -> str:
        return f"InProcessTransport({self.agent.name!r})"

    @property
    def title(self) -> str:
        """The agent's title."""
        return self.agent.title

    @property
    def suggestions(self) -> Sequence[str]:
        """The agent's suggestions."""
        return self.agent.suggestions

    @property
    def client_tools(self) -> Mapping[str, ClientTool]:
        """The agent's client tools; a script may name more while it runs."""
        return self.agent.client_tools

    async def stream(self, request: TransportRequest) -> AsyncGenerator[Chunk, None]:
        """The chunks of one run. Closing the generator is leaving: the run goes on until `stop`."""
        asked = ChatRequest(
            request.chat_id,
            request.messages,
            agent_id=self._agent_id,
            trigger="regenerate-message" if request.trigger == "regenerate-message" else "submit-message",
            message_id=request.message_id,
            body={**self._body, **request.options.body},
        )
        # Whoever is in this process is the agent's author: nothing is masked unless the application says so.
        async with aclosing(self.application.stream(asked, on_error=words)) as chunks:
            async for chunk in chunks:
                yield chunk
        request.receipt.done = True

    resume_is_replay = True
    """A run keeps what it said: a chat that joins it is told everything."""

    async def reconnect(self, request: TransportRequest) -> AsyncGenerator[Chunk, None] | None:
        """The run of this chat that is under way, from its beginning; `None` when none is."""
        run = self.application.running(request.chat_id)
        return None if run is None else self._joined(run, request)

    async def _joined(self, run: Run, request: TransportRequest) -> AsyncGenerator[Chunk, None]:
        response = RunStream(run, lambda _run: None)  # a reader that came later leaves without a trace
        before = None if run.continued is None else retold(run.continued)
        try:
            async for chunk in response:
                yield copy.deepcopy(chunk)
                if before is not None:
                    for earlier in before:
                        yield copy.deepcopy(earlier)
                    before = None
        finally:
            response.leave()
        request.receipt.done = True

    async def stop(self, chat_id: str) -> None:
        """Stop the run of this chat for good."""
        await self.application.stop(chat_id)
