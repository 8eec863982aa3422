"""A conversation with agents, without network and without waiting: what a chat client does, in a few lines.

`Stage` sends, answers and keeps the messages as the reference client would: one strict reducer for each response, a
continued message for each answer. Sleeping takes no time and is noted.
"""

from __future__ import annotations

import asyncio
import copy
import itertools
from collections.abc import Awaitable, Callable
from typing import Any

from aisdk_lab.reducer import MessageReducer
from aisdk_lab.runs.application import RunApplication
from aisdk_lab.runs.request import ChatRequest

Chunk = dict[str, Any]


def user(text: str, message_id: str = "u1") -> dict[str, Any]:
    return {"id": message_id, "role": "user", "parts": [{"type": "text", "text": text}]}


def play(scene: Callable[[], Awaitable[Any]]) -> Any:
    """Run an async test; warnings about forgotten tasks are errors."""
    return asyncio.run(scene(), debug=False)


class Stage:
    """One chat with one application."""

    def __init__(self, *agents: Any, profile: str = "ai-sdk", thread: str = "t1", **options: Any) -> None:
        self.slept: list[float] = []
        numbers = itertools.count(1)
        options = {"sleep": self._sleep, "new_id": lambda: str(next(numbers)), **options}
        self.application = options.pop("application", None) or RunApplication(agents, **options)
        self.profile = profile
        self.thread = thread
        self.messages: list[dict[str, Any]] = []
        self.ids = itertools.count(1)

    async def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        await asyncio.sleep(0)

    async def send(self, text: str | None = None, **request: Any) -> list[Chunk]:
        """Send the person's words (or the messages as they are) and give the chunks of the response."""
        if text is not None:
            self.messages.append(user(text, f"u{next(self.ids)}"))
        asked = ChatRequest(self.thread, tuple(copy.deepcopy(self.messages)), **request)
        last = self.messages[-1]
        reducer = MessageReducer(last if last["role"] == "assistant" else None, strict=True, reset="never")
        chunks: list[Chunk] = []
        async for chunk in self.application.stream(asked, self.profile):
            chunks.append(chunk)
            reducer.feed(chunk)
        message = reducer.message
        if not message["id"]:
            message = {**message, "id": f"client-{len(self.messages)}"}
        if last["role"] == "assistant":
            self.messages.pop()
        self.messages.append(message)
        return chunks

    def part(self, call_id: str) -> dict[str, Any]:
        """The tool part of a call, the client's own: tests change it as a client does."""
        return next(part for part in self.messages[-1]["parts"] if part.get("toolCallId") == call_id)

    async def decide(self, call_id: str, approved: Any, reason: str | None = None) -> list[Chunk]:
        """Answer an approval and send."""
        self.note(call_id, approved, reason)
        return await self.send()

    def note(self, call_id: str, approved: Any, reason: str | None = None) -> None:
        """Answer an approval without sending."""
        part = self.part(call_id)
        part["state"] = "approval-responded"
        part["approval"] = {**part["approval"], "approved": approved, **({"reason": reason} if reason else {})}

    async def answer(self, call_id: str, output: Any) -> list[Chunk]:
        """Give a client tool's output and send."""
        self.part(call_id).update(state="output-available", output=output)
        return await self.send()

    async def report(self, call_id: str, error: str) -> list[Chunk]:
        """Give a client tool's error and send."""
        self.part(call_id).update(state="output-error", errorText=error)
        return await self.send()


def joined(chunks: list[Chunk]) -> list[Chunk]:
    """The chunks with neighbouring deltas of one block or call joined: how a text is cut is nobody's contract."""
    whole: list[Chunk] = []
    for chunk in chunks:
        key = {"text-delta": "delta", "reasoning-delta": "delta", "tool-input-delta": "inputTextDelta"}.get(
            chunk["type"]
        )
        last = whole[-1] if whole else {}
        if (
            key
            and last.get("type") == chunk["type"]
            and [last.get("id"), last.get("toolCallId")]
            == [
                chunk.get("id"),
                chunk.get("toolCallId"),
            ]
        ):
            whole[-1] = {**last, key: last[key] + chunk[key]}
        else:
            whole.append(chunk)
    return whole
