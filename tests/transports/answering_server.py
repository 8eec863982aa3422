"""A loopback server that gives prepared answers and keeps what it was asked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aisdk_lab.wire import json_text


@dataclass
class Asked:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class AnsweringServer:
    """Request number n gets answer n; the last one repeats. Answers as in tests/golden/requests."""

    answers: Sequence[Mapping[str, Any]]
    asked: list[Asked] = field(default_factory=list)
    port: int = 0
    closed_by_client: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            first, *lines = head.strip().split("\r\n")
            headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
            body = await reader.readexactly(int(headers.get("content-length", 0)))
            method, path, _ = first.split(" ")
            self.asked.append(Asked(method, path, headers, body))
            await self.write(writer, self.answers[min(len(self.asked), len(self.answers)) - 1])
            if self.answers[-1].get("hold"):
                await reader.read()  # until the client closes
                self.closed_by_client.set()
        finally:
            writer.close()

    async def write(self, writer: asyncio.StreamWriter, answer: Mapping[str, Any]) -> None:
        status = answer.get("status", 200)
        chunks = answer.get("chunks")
        text = answer.get("body", "")
        if chunks is not None:
            text = "".join(f"data: {json_text.write(chunk)}\n\n" for chunk in chunks)
            text += "" if answer.get("close") == "broken" or answer.get("hold") else "data: [DONE]\n\n"
        headers = {"content-type": "text/event-stream", **answer.get("headers", {}), "connection": "close"}
        pieces = [text.encode()] if text else []
        writer.write(f"HTTP/1.1 {status} Status\r\n".encode())
        if status != 204:
            headers["transfer-encoding"] = "chunked"
        writer.write("".join(f"{name}: {value}\r\n" for name, value in headers.items()).encode() + b"\r\n")
        for piece in pieces:
            writer.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
        if status != 204 and answer.get("close") != "broken" and not answer.get("hold"):
            writer.write(b"0\r\n\r\n")
        await writer.drain()


@asynccontextmanager
async def answering(*answers: Mapping[str, Any]) -> AsyncIterator[AnsweringServer]:
    """The server, listening on a free port of this machine."""
    server = AnsweringServer(answers)
    listening = await asyncio.start_server(server.answer, "127.0.0.1", 0)
    server.port = listening.sockets[0].getsockname()[1]
    try:
        yield server
    finally:
        listening.close()
        await listening.wait_closed()
