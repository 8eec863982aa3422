"""A chat with canned answers and the document of its sidebar, mirrored by a view that only sees operations."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from aisdk_lab.chat import Chat, ChatEvent, TransportRequest
from aisdk_lab.errors import LabError
from aisdk_lab.widget.document import Document
from aisdk_lab.widget.operations import apply_operations
from aisdk_lab.wire import json_text

MS = 1_000_000


class Clock:
    """Nanoseconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now_ns = 0

    def __call__(self) -> int:
        return self.now_ns

    def pass_ms(self, milliseconds: float) -> None:
        self.now_ns += round(milliseconds * MS)


class Canned:
    """A transport that answers request number n with list n; a number in a list lets so many milliseconds pass."""

    title = "canned"
    suggestions: Sequence[str] = ()

    def __init__(self, clock: Clock, *answers: Sequence[Any], client_tools: Mapping[str, Any] | None = None) -> None:
        self.clock = clock
        self.answers = list(answers)
        self.client_tools = client_tools
        self.requests: list[TransportRequest] = []

    async def stream(self, request: TransportRequest) -> Any:
        self.requests.append(request)
        for chunk in self.answers[len(self.requests) - 1]:
            if isinstance(chunk, Exception):
                raise chunk
            if isinstance(chunk, int | float):
                self.clock.pass_ms(chunk)
            else:
                yield chunk

    async def stop(self, chat_id: str) -> None:
        raise LabError(f"nobody stops {chat_id!r} here")


class Projection:
    """`document` is the kernel's, `view` what somebody has who applied every operation as it travelled."""

    def __init__(
        self, *answers: Sequence[Any], client_tools: Mapping[str, Any] | None = None, messages: Iterable[Any] = ()
    ) -> None:
        self.clock = Clock()
        self.chat = Chat(Canned(self.clock, *answers, client_tools=client_tools), messages=messages, strict=False)
        self.document = Document(
            title="canned", clock=self.clock, client_tools=client_tools, messages=self.chat.messages
        )
        self.view = self.document.value
        self.operations: list[list[Any]] = []
        self.chat.subscribe(self.on_event)

    def on_event(self, event: ChatEvent) -> None:
        self.document.on_event(event)
        self.flush()

    def flush(self) -> None:
        operations = json.loads(json_text.write(self.document.drain()))
        self.view = apply_operations(self.view, operations)
        self.operations += operations

    def statuses(self, call_id: str) -> list[str]:
        """Every status that the call had, in order."""
        return [value["status"] for op, path, *rest in self.operations for value in rest if path == ["tools", call_id]]
