"""Answers that many tests give, transports that give them, and tests that run on the lab's own loop."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from aisdk_lab.chat import TransportRequest
from aisdk_lab.loopback import lab_loop
from tests.chat.scripted_transport import ScriptedTransport, let_it_work

ASK = [
    {"type": "start", "messageId": "m1"},
    {"type": "start-step"},
    {"type": "tool-input-available", "toolCallId": "c1", "toolName": "ask", "input": {"q": 1}},
    {"type": "finish-step"},
    {"type": "finish", "finishReason": "tool-calls"},
]
ASK_APPROVAL = [
    *ASK[:3],
    {"type": "tool-approval-request", "approvalId": "ap", "toolCallId": "c1"},
    *ASK[3:],
]
THANKS = [
    {"type": "start", "messageId": "m1"},
    {"type": "start-step"},
    {"type": "text-start", "id": "t"},
    {"type": "text-delta", "id": "t", "delta": "thanks"},
    {"type": "text-end", "id": "t"},
    {"type": "finish-step"},
    {"type": "finish", "finishReason": "stop"},
]


class Canned:
    """A transport that answers request number n with list n, at once."""

    title = "canned"
    suggestions: tuple[str, ...] = ()
    client_tools = None

    def __init__(self, *answers: list[dict[str, Any]], done: bool = False) -> None:
        self.answers = list(answers)
        self.requests: list[TransportRequest] = []
        self.done = done

    async def stream(self, request: TransportRequest) -> Any:
        answer = self.answers[min(len(self.requests), len(self.answers) - 1)]
        self.requests.append(request)
        for chunk in answer:
            yield dict(chunk)
        request.receipt.done = self.done

    async def stop(self, chat_id: str) -> None:
        raise AssertionError("nothing is under way when these tests stop")


def on_loop(test: Callable[[], Coroutine[Any, Any, None]]) -> Callable[[], None]:
    """Run an async test on the lab's loop itself."""

    def run() -> None:
        lab_loop().run(test(), timeout=10)

    run.__name__, run.__doc__ = test.__name__, test.__doc__
    return run


async def feed(transport: ScriptedTransport, chunks: list[dict[str, Any]]) -> None:
    await let_it_work()
    for chunk in chunks:
        assert transport.put(chunk)
        await let_it_work()
