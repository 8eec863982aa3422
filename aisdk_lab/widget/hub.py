"""The hub: one loopback server for all sidebars of a kernel, which the Jupyter server relays to.

Stage: widget, a shell. Started with the first sidebar in a Jupyter kernel, on the lab's loop, on a port that the system
chooses. It serves `/widget/<session>/events` (batches as an event stream) and `/widget/<session>/actions` (what a person did,
posted), and passes `/adapter/<name>/…` on to the adapters of `lab.serve`. Only who has the token gets in; the port and the
token are in the kernel's note in Jupyter's runtime folder (port_file.py), and nowhere else.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Mapping
from typing import Any, Final, cast

from tornado import httputil
from tornado.httpserver import HTTPServer
from tornado.iostream import StreamClosedError
from tornado.routing import Router
from tornado.web import Application, RequestHandler

from aisdk_lab._version import __version__
from aisdk_lab.loopback import LOG, LabLoop, bind, check_request, lab_loop, loopback_hosts, new_token, port_of, runtime
from aisdk_lab.probe.here import page_address
from aisdk_lab.widget.port_file import PortNote, remove_note, write_note
from aisdk_lab.widget.session import ActionProblem, Session
from aisdk_lab.wire import encode_comment, encode_sse, json_text

KEEP_ALIVE_S: Final = 15.0
"""How often a comment is sent: the view gives a stream up after 45 s of silence."""
_BODY_BYTES: Final = 16 * 1024 * 1024
"""Largest action: a client tool may return a document."""
_RUNTIME_KEY: Final = "hub"

AdapterApplication = Callable[[str], "tuple[Application, int, str] | None"]
"""The web application, port and token of the adapter with this name."""


class Hub:
    """The server. `hub()` gives the kernel's only one."""

    def __init__(self, kernel_id: str, lab: LabLoop, adapter_application: AdapterApplication) -> None:
        self.kernel_id = kernel_id
        self.sessions: dict[str, Session] = {}
        self.token = new_token()
        self.adapter_application = adapter_application
        self._lab = lab
        sockets = bind()
        self.port = port_of(sockets)
        self.hosts = loopback_hosts(self.port)
        self._server: HTTPServer | None = None
        lab.run(self._open(sockets))
        try:
            write_note(PortNote(kernel=kernel_id, port=self.port, pid=os.getpid(), token=self.token))
        except OSError as problem:
            # Without a note there is no relay; the comm carries everything then, as in a front end without one.
            LOG.warning("the port of the sidebars cannot be noted in Jupyter's runtime folder: %s", problem)
        self._page = page_address()
        lab.at_stop(self.close)

    def __repr__(self) -> str:
        return f"<Hub of kernel {self.kernel_id!r} on port {self.port}, {len(self.sessions)} sidebars>"

    def outside_url(self, adapter: str) -> str | None:
        """The address of an adapter's chat for whoever has a login to the Jupyter server; `None` without such a server."""
        if self._page is None:
            return None
        return f"{self._page}aisdk-lab/k/{self.kernel_id}/adapter/{adapter}/api/chat"

    @property
    def is_open(self) -> bool:
        """True until `close`, as long as its loop runs."""
        return self._server is not None and self._lab.is_running

    async def _open(self, sockets: list[Any]) -> None:
        server = HTTPServer(_HubRouter(self), max_body_size=_BODY_BYTES)
        server.add_sockets(sockets)
        self._server = server

    async def close(self) -> None:
        """Stop listening, end the streams, take the note back. Idempotent, on the loop."""
        server, self._server = self._server, None
        if server is None:
            return
        self._lab.forget(self.close)
        remove_note(self.kernel_id, os.getpid())
        server.stop()
        await server.close_all_connections()


def kernel_id_here() -> str:
    """The id of the Jupyter kernel that this is, as its server knows it; empty outside of one."""
    if "ipykernel.kernelapp" not in sys.modules:
        return ""
    from ipykernel.connect import get_connection_file
    from ipykernel.kernelapp import IPKernelApp

    if not IPKernelApp.initialized():
        return ""
    try:
        name = os.path.basename(get_connection_file())
    except RuntimeError:
        return ""
    return name.removeprefix("kernel-").removesuffix(".json")


def hub(adapter_application: AdapterApplication) -> Hub | None:
    """The kernel's hub, started on first use; `None` outside of a Jupyter kernel (the comm carries everything then)."""
    kernel_id = kernel_id_here()
    if not kernel_id:
        return None
    home = runtime()
    with home.lock:
        found = cast("Hub | None", vars(home).get(_RUNTIME_KEY))
        if found is None or not found.is_open:
            found = Hub(kernel_id, lab_loop(), adapter_application)
            vars(home)[_RUNTIME_KEY] = found
            home.outside_url = found.outside_url
        return found


# ── the web application ─────────────────────────────────────────────────────────────────────────────────────────────


class _HubRouter(Router):
    """Everything to our own handlers, except for what an adapter's application answers itself."""

    def __init__(self, owner: Hub) -> None:
        self._hub = owner
        settings: dict[str, Any] = {"owner": owner}
        self._application = Application(
            [
                (r"/health", _Health, settings),
                (r"/widget/([A-Za-z0-9_-]{1,64})/events", _Events, settings),
                (r"/widget/([A-Za-z0-9_-]{1,64})/actions", _Actions, settings),
            ],
            log_function=_no_log,
            default_handler_class=_Nowhere,
            default_handler_args=settings,
        )

    def find_handler(self, request: httputil.HTTPServerRequest, **kwargs: Any) -> httputil.HTTPMessageDelegate | None:
        target = self._adapter(request)
        return (target or self._application).find_handler(request, **kwargs)

    def _adapter(self, request: httputil.HTTPServerRequest) -> Application | None:
        """The adapter's application, with the request as its own client would have sent it."""
        _, _, rest = request.path.partition("/adapter/")
        name, slash, path = rest.partition("/")
        if not slash or not request.path.startswith("/adapter/") or _refusal(self._hub, request):
            return None
        found = self._hub.adapter_application(name)
        if found is None:
            return None
        application, port, token = found
        request.path = f"/{path}"
        request.uri = request.path + (f"?{request.query}" if request.query else "")
        request.headers["Host"] = request.host = f"127.0.0.1:{port}"
        request.headers["Authorization"] = f"Bearer {token}"
        if "Origin" in request.headers:
            del request.headers["Origin"]
        return application


def _refusal(owner: Hub, request: httputil.HTTPServerRequest) -> tuple[int, str] | None:
    return check_request(cast("Mapping[str, str]", request.headers), token=owner.token, hosts=owner.hosts)


class _Handler(RequestHandler):
    """Lets nobody in without the token, and answers problems with JSON."""

    def initialize(self, owner: Hub) -> None:
        self.owner = owner

    def prepare(self) -> None:
        refusal = _refusal(self.owner, self.request)
        if refusal is not None:
            self.refuse(*refusal)

    def set_default_headers(self) -> None:
        self.clear_header("Server")
        self.set_header("Cache-Control", "no-store")

    def refuse(self, status: int, reason: str) -> None:
        self.set_status(status)
        self.finish({"error": reason})

    def session(self, name: str) -> Session | None:
        found = self.owner.sessions.get(name)
        if found is None:
            self.refuse(404, f"no sidebar {name!r} in this kernel: run its cell again")
        return found


class _Nowhere(_Handler):
    """Every other address."""

    def prepare(self) -> None:
        super().prepare()
        if not self._finished:
            self.refuse(404, "the hub serves /widget/<session>/events and /widget/<session>/actions")


class _Health(_Handler):
    """Says that it is here; the probe and the relay ask."""

    def get(self) -> None:
        self.finish({"ok": True, "version": __version__, "kernel": self.owner.kernel_id})


class _Events(_Handler):
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


class _Actions(_Handler):
    """Takes one action, or a `sync`, as JSON."""

    def post(self, name: str) -> None:
        session = self.session(name)
        if session is None:
            return
        kind = self.request.headers.get("Content-Type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            self.refuse(415, f"expected Content-Type application/json, got {kind!r}")
            return
        try:
            session.receive(json_text.read(self.request.body))
        except json_text.JsonProblem as problem:
            self.refuse(400, f"not JSON: {problem}")
        except ActionProblem as problem:
            self.refuse(400, str(problem))
        else:
            self.finish({"ok": True})


def _no_log(_handler: RequestHandler) -> None:
    """Tornado would log each request; output of this thread lands in whatever cell runs."""
