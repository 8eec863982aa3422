"""The sidebars' room in the kernel's hub: what streams out of them and what persons do, over HTTP.

Stage: widget, a shell between the hub (server/hub.py) and the sessions. `/widget/<session>/events` gives a sidebar's batches as
an event stream, `/widget/<session>/actions` takes what a person did. The room is made with the first sidebar of a hub.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final, cast

from tornado.iostream import StreamClosedError
from tornado.web import Application

from aisdk_lab.server.app import log_request
from aisdk_lab.server.hub import Hub, HubHandler, Nowhere
from aisdk_lab.widget.session import ActionProblem, Session
from aisdk_lab.wire import encode_comment, encode_sse, json_text

KEEP_ALIVE_S: Final = 15.0
"""How often a comment is sent: the view gives a stream up after 45 s of silence."""
_ACTION_BYTES: Final = 16 * 1024 * 1024
"""Largest action: a client tool may return a document."""
_NAME: Final = "widget"


class SidebarRoom(Application):
    """The web application; its sessions come and go with the sidebars."""

    def __init__(self, owner: Hub) -> None:
        self.sessions: dict[str, Session] = {}
        settings: dict[str, Any] = {"owner": owner}
        super().__init__(
            [
                (rf"/{_NAME}/([A-Za-z0-9_-]{{1,64}})/events", _Events, settings),
                (rf"/{_NAME}/([A-Za-z0-9_-]{{1,64}})/actions", _Actions, settings),
            ],
            log_function=log_request,
            default_handler_class=Nowhere,
            default_handler_args=settings,
        )


def sessions_of(hub: Hub) -> dict[str, Session]:
    """The sidebars that the hub serves, by the names of their sessions; who is in here can be reached."""
    room = hub.rooms.get(_NAME) or hub.rooms.setdefault(_NAME, SidebarRoom(hub))
    return cast("SidebarRoom", room).sessions


class _SidebarHandler(HubHandler):
    """Finds the sidebar."""

    def session(self, name: str) -> Session | None:
        found = cast("SidebarRoom", self.application).sessions.get(name)
        if found is None:
            self.refuse(404, f"no sidebar {name!r} in this kernel: run its cell again")
        return found


class _Events(_SidebarHandler):
    """The messages of one sidebar after number `from`, as an event stream that ends with the sidebar."""

    _pump: asyncio.Task[None] | None = None

    async def get(self, name: str) -> None:
        session = self.session(name)
        if session is None:
            return
        seq = self.get_query_argument("from", "0")
        self.set_header("Content-Type", "text/event-stream")
        self.set_header("Cache-Control", "no-cache, no-transform")
        self.set_header("X-Accel-Buffering", "no")
        self.write(encode_comment("stream-open"))  # the answer begins before there is anything to say
        await self.flush()
        self._pump = asyncio.create_task(self._send(session, int(seq) if seq.isdecimal() else 0))
        while not self._pump.done():
            done, _ = await asyncio.wait([self._pump], timeout=KEEP_ALIVE_S)
            if not done:
                await self._write(encode_comment("keep-alive"))

    async def _send(self, session: Session, seq: int) -> None:
        async for text in session.events(seq):
            await self._write(encode_sse(text))

    async def _write(self, data: bytes) -> None:
        try:
            self.write(data)
            await self.flush()
        except StreamClosedError:
            self.on_connection_close()

    def on_connection_close(self) -> None:
        if self._pump is not None:
            self._pump.cancel()


class _Actions(_SidebarHandler):
    """Takes one action, or a `sync`, as JSON."""

    def post(self, name: str) -> None:
        session = self.session(name)
        if session is None:
            return
        kind = self.request.headers.get("Content-Type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            self.refuse(415, f"expected Content-Type application/json, got {kind!r}")
            return
        if len(self.request.body) > _ACTION_BYTES:
            self.refuse(413, f"an action has at most {_ACTION_BYTES} bytes")
            return
        try:
            session.receive(json_text.read(self.request.body))
        except json_text.JsonProblem as problem:
            self.refuse(400, f"not JSON: {problem}")
        except ActionProblem as problem:
            self.refuse(400, str(problem))
        else:
            self.finish({"ok": True})
