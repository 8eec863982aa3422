"""What every handler shares: who is let in, how problems are told, how much body is read.

Stage: server, a shell. Nobody gets past `prepare` without the right Host, Origin and token; browsers of listed origins
get their CORS headers, `*` is never said. Every answer that is not a stream is JSON. Compression is off: it would hold
chunks back.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, cast

from tornado.web import HTTPError, RequestHandler, stream_request_body

from aisdk_lab._version import __version__
from aisdk_lab.loopback import LOG, check_request
from aisdk_lab.runs.application import RunApplication
from aisdk_lab.wire import json_text

MAX_BODY_BYTES = 32 * 1024 * 1024
"""A conversation with a few pictures in data URLs; a bigger body is refused."""
DRAIN_FACTOR = 4
"""Up to so many times the limit a body is read and thrown away, so that its sender can read why it was refused."""
KEEP_ALIVE_S = 15.0
DRAIN_S = 1.0

_CORS_METHODS = "GET, POST, OPTIONS"
_CORS_HEADERS = "authorization, content-type"
_CORS_EXPOSED = "x-vercel-ai-ui-message-stream"
_CORS_AGE_S = "600"


@dataclass(slots=True)
class Doors:
    """What the handlers of one server share."""

    application: RunApplication
    token: str = field(repr=False)
    hosts: frozenset[str] = frozenset()
    origins: frozenset[str] = frozenset()
    keep_alive_s: float = KEEP_ALIVE_S
    max_body_bytes: int = MAX_BODY_BYTES
    open_streams: set[asyncio.Task[Any]] = field(default_factory=set)
    """The responses that are being written; a stop waits for them a moment."""

    async def drain(self) -> None:
        """Give the responses under way a moment to write their last chunks."""
        if self.open_streams:
            await asyncio.wait(set(self.open_streams), timeout=DRAIN_S)


@stream_request_body
class LabHandler(RequestHandler):
    """Base of all handlers."""

    def initialize(self, doors: Doors) -> None:
        """Tornado's hook: what the route gives."""
        self.doors = doors
        self._received: list[bytes] = []
        self._received_bytes = 0
        self._allow_origin()

    def set_default_headers(self) -> None:
        """Tornado's hook: also after an error has cleared the headers."""
        self.clear_header("Server")
        self.set_header("Cache-Control", "no-store")
        if hasattr(self, "doors"):
            self._allow_origin()

    def _allow_origin(self) -> None:
        self.set_header("Vary", "Origin")
        origin = self.request.headers.get("Origin")
        if origin is not None and origin in self.doors.origins:
            self.set_header("Access-Control-Allow-Origin", origin)
            self.set_header("Access-Control-Expose-Headers", _CORS_EXPOSED)

    # ── who, and how much ──────────────────────────────────────────────────────────────────────────────────────────

    def prepare(self) -> None:
        """Let in or refuse, before a byte of the body is read."""
        is_preflight = self.request.method == "OPTIONS"
        refusal = check_request(
            cast("Mapping[str, str]", self.request.headers),
            token=None if is_preflight else self.doors.token,
            hosts=self.doors.hosts,
            origins=self.doors.origins,
        )
        if refusal is None:
            return
        if refusal.status == HTTPStatus.UNAUTHORIZED:
            self.set_header("WWW-Authenticate", "Bearer")
        self.refuse(refusal.status, refusal.reason)

    def data_received(self, chunk: bytes) -> None:
        """Keep the body as long as it is not too large; what is too large is read on and forgotten."""
        self._received_bytes += len(chunk)
        if self.is_too_large:
            self._received.clear()
        else:
            self._received.append(chunk)

    @property
    def is_too_large(self) -> bool:
        """True when more came than the server takes."""
        return self._received_bytes > self.doors.max_body_bytes

    @property
    def body(self) -> bytes:
        """The whole body."""
        return b"".join(self._received)

    @property
    def too_large_text(self) -> str:
        """The problem of a body that is too large."""
        return f"the body has more than {self.doors.max_body_bytes} bytes; send less, or serve(max_body_bytes=…)  @ $"

    # ── answers ────────────────────────────────────────────────────────────────────────────────────────────────────

    def answer(self, value: Any) -> None:
        """End with JSON."""
        self.set_header("Content-Type", "application/json; charset=utf-8")
        self.finish(json_text.write_bytes(value))

    def refuse(self, status: int, reason: str, **more: Any) -> None:
        """End with a status and JSON that says why."""
        self.set_status(status)
        self.answer({"error": reason, **more})

    def options(self, *_path: str) -> None:
        """A browser asks before it sends; only listed origins come this far with an Origin."""
        if "Origin" not in self.request.headers:
            self.refuse(HTTPStatus.FORBIDDEN, "OPTIONS is for browsers: the Origin header is missing")
            return
        self.set_header("Access-Control-Allow-Methods", _CORS_METHODS)
        # Whatever a listed page wants to send: it has to know the token anyway.
        wanted = self.request.headers.get("Access-Control-Request-Headers", _CORS_HEADERS)
        self.set_header("Access-Control-Allow-Headers", wanted)
        self.set_header("Access-Control-Max-Age", _CORS_AGE_S)
        if self.request.headers.get("Access-Control-Request-Private-Network") == "true":
            self.set_header("Access-Control-Allow-Private-Network", "true")
        self.set_status(HTTPStatus.NO_CONTENT)
        self.finish()

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """Tornado's hook for what a handler raised: JSON as well, without details of ours."""
        error = cast("tuple[Any, Any, Any]", kwargs.get("exc_info", (None, None, None)))[1]
        is_ours = not isinstance(error, HTTPError)
        self.answer({"error": "An error occurred." if is_ours else f"{status_code} {HTTPStatus(status_code).phrase}"})

    def log_exception(self, typ: Any, value: Any, tb: Any) -> None:
        """Tornado's hook: into our log and never onto a cell's stderr."""
        log_problem(self, typ, value, tb)


class Nowhere(LabHandler):
    """Every other address."""

    def prepare(self) -> None:
        """Refuse strangers first: they learn nothing about addresses."""
        super().prepare()
        if not self._finished:
            self.refuse(
                HTTPStatus.NOT_FOUND, f"there is nothing at {self.request.path}; try /api/chat or /v1/ai-sdk/chat"
            )


class Health(LabHandler):
    """`GET /health`: who is here."""

    def get(self) -> None:
        """Answer with the version and the names of the agents."""
        self.answer({"ok": True, "version": __version__, "agents": list(self.doors.application.agents)})


def log_problem(handler: RequestHandler, typ: Any, value: Any, tb: Any) -> None:
    """What a handler raised, into our log."""
    request = handler.request
    if isinstance(value, HTTPError):
        LOG.debug("%s %s: %s", request.method, request.path, value)
    else:
        LOG.error("%s %s failed", request.method, request.path, exc_info=(typ, value, tb))


def log_request(handler: RequestHandler) -> None:
    """Tornado's hook: one line a request, without query and headers."""
    request = handler.request
    LOG.debug("%s %s %s %.0f ms", handler.get_status(), request.method, request.path, 1000 * request.request_time())
