"""Chunks over a connection: one write for each, comments in silence, and a client that leaves is noticed once.

Stage: server, a shell. The two profiles differ in their headers and in when a comment is due (README, "Two doors").
Each flush is awaited: a slow reader slows the writing down, not the run.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, cast

from tornado.iostream import StreamClosedError

from aisdk_lab.runs.application import RunStream, ToldAgain
from aisdk_lab.runs.request import Profile
from aisdk_lab.server.app import LabHandler
from aisdk_lab.ui_stream.chunks import Chunk
from aisdk_lab.wire import DONE_FRAME, encode_comment, encode_sse, json_text

HEADERS: Mapping[Profile, Mapping[str, str]] = {
    "ai-sdk": {
        "content-type": "text/event-stream",
        "cache-control": "no-cache",
        "connection": "keep-alive",
        "x-vercel-ai-ui-message-stream": "v1",
        "x-accel-buffering": "no",
    },
    "awaken": {
        "content-type": "text/event-stream",
        "cache-control": "no-cache, no-transform",
        "x-vercel-ai-ui-message-stream": "v1",
        "x-accel-buffering": "no",
    },
}
KEEP_ALIVE = encode_comment("keep-alive")


class StreamHandler(LabHandler):
    """A handler that answers with an event stream."""

    profile: Profile = "ai-sdk"

    async def stream(self, chunks: RunStream | ToldAgain) -> None:
        """Write the response to its end, or until the client is gone; then leave it, once."""
        self._gone: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._open()
        task = asyncio.current_task()
        if task is not None:
            self.doors.open_streams.add(task)
        try:
            await self._pump(chunks)
            if not self._gone.done():
                await self._write(DONE_FRAME)
                await self.finish()
        except StreamClosedError:
            self.on_connection_close()
        finally:
            chunks.leave()
            if task is not None:
                self.doors.open_streams.discard(task)

    async def stream_all(self, chunks: list[Chunk]) -> None:
        """Write a short response that is known as a whole."""
        self._open()
        try:
            for chunk in chunks:
                await self._write(encode_sse(json_text.write(chunk)))
            await self._write(DONE_FRAME)
            await self.finish()
        except StreamClosedError:
            self.on_connection_close()

    def on_connection_close(self) -> None:
        """Tornado's hook; also called when a write finds the connection closed. Ends the pump, which leaves the run."""
        gone: asyncio.Future[None] | None = getattr(self, "_gone", None)
        if gone is not None and not gone.done():
            gone.set_result(None)

    def _open(self) -> None:
        for name, value in HEADERS[self.profile].items():
            self.set_header(name, value)
        # Otherwise the system may hold a small write back until the last one is acknowledged, up to 40 ms.
        connection = cast(Any, self.request.connection)
        if connection.stream is not None:
            connection.stream.set_nodelay(True)

    async def _pump(self, chunks: RunStream | ToldAgain) -> None:
        clock = asyncio.get_running_loop().time
        period = self.doors.keep_alive_s
        is_awaken = self.profile == "awaken"
        # awaken: a fixed period whose first tick is at once. ai-sdk: a comment after so much silence.
        due = clock() + (0.0 if is_awaken else period)
        while not self._gone.done():
            if is_awaken and clock() >= due:
                await self._write(KEEP_ALIVE)
                due = clock() + period  # a late tick is not made up for
            if not await self._wait(chunks, due - clock()):
                if not is_awaken and not self._gone.done():
                    await self._write(KEEP_ALIVE)
                    due = clock() + period
                continue
            chunk = await anext(chunks, None)
            if chunk is None:
                return
            await self._write(encode_sse(json_text.write(chunk)))
            if not is_awaken:
                due = clock() + period

    async def _wait(self, chunks: RunStream | ToldAgain, timeout: float) -> bool:
        """True as soon as the next chunk is there; false after `timeout` seconds, or when the client is gone."""
        if chunks.is_ready:
            return True
        coming = asyncio.ensure_future(chunks.wait())
        try:
            await asyncio.wait({coming, self._gone}, timeout=max(0.0, timeout), return_when=asyncio.FIRST_COMPLETED)
            return coming.done()
        finally:
            coming.cancel()

    async def _write(self, data: bytes) -> None:
        self.write(data)
        await self.flush()
