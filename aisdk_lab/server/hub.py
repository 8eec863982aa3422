"""The hub: one loopback server of a kernel, which the Jupyter server relays to.

Stage: server, a shell. Started with the first adapter or sidebar in a Jupyter kernel, on the lab's loop, on a port that the
system chooses. It passes `/adapter/<name>/…` on to the adapters of `lab.serve`; the layers above open rooms of their own in it
(`/widget/…` is the sidebars' one, widget/room.py). Only who has the token gets in; the port and the token are in the kernel's
note in Jupyter's runtime folder (port_file.py), and nowhere else.
"""

from __future__ import annotations

import atexit
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, cast

from tornado import httputil
from tornado.httpserver import HTTPServer
from tornado.routing import Router
from tornado.web import Application, RequestHandler

from aisdk_lab._version import __version__
from aisdk_lab.loopback import (
    LOG,
    LabLoop,
    Refusal,
    bind,
    check_request,
    lab_loop,
    loopback_hosts,
    new_token,
    port_of,
    runtime,
)
from aisdk_lab.server.app import DRAIN_FACTOR, MAX_BODY_BYTES, log_problem, log_request
from aisdk_lab.server.here import kernel_id_here, relaying_page_address
from aisdk_lab.server.port_file import PortNote, remove_note, write_note

if TYPE_CHECKING:
    from aisdk_lab.server.adapter import Adapter

_BODY_BYTES: Final = DRAIN_FACTOR * MAX_BODY_BYTES
"""Largest body that is read at all, as at an adapter's own port; adapters and rooms have smaller limits of their own."""


class Hub:
    """The server. `hub()` gives the kernel's only one."""

    def __init__(self, kernel_id: str, lab: LabLoop) -> None:
        self.kernel_id = kernel_id
        self.token = new_token()
        self.rooms: dict[str, Application] = {}
        """Applications of the layers above, by the first step of the path; they are given admitted requests only."""
        self._lab = lab
        self._page: str | None = None
        sockets = bind()
        self.port = port_of(sockets)
        self.hosts = loopback_hosts(self.port)
        self._server: HTTPServer | None = None
        lab.run(self._open(sockets))
        self._is_noted = self._leave_note()
        lab.at_stop(self.close)
        # Runs before the lab loop is stopped, which may take longer than Jupyter waits before it kills the kernel.
        atexit.register(self._take_note_back)

    def __repr__(self) -> str:
        rooms = ", ".join(("adapter", *self.rooms))
        return f"<Hub of kernel {self.kernel_id!r} on port {self.port}: {rooms}>"

    def _leave_note(self) -> bool:
        try:
            write_note(PortNote(kernel=self.kernel_id, port=self.port, pid=os.getpid(), token=self.token))
        except OSError as problem:
            # Without a note there is no relay; the comm carries a sidebar then, as in a front end without one.
            LOG.warning("the kernel's port cannot be noted in Jupyter's runtime folder: %s", problem)
            return False
        return True

    def _take_note_back(self) -> None:
        remove_note(self.kernel_id, os.getpid())

    def outside_url(self, adapter: str) -> str | None:
        """The address of an adapter's chat for whoever has a login to the Jupyter server.

        `None` where no Jupyter server is known, or where it is known that it does not relay. The server is asked until it
        has said yes.
        """
        if self._page is None and self._is_noted:
            self._page = relaying_page_address()
        return None if self._page is None else f"{self._page}aisdk-lab/k/{self.kernel_id}/adapter/{adapter}/api/chat"

    @property
    def is_open(self) -> bool:
        """True until `close`, as long as its loop runs."""
        return self._server is not None and self._lab.is_running

    def refusal(self, request: httputil.HTTPServerRequest) -> Refusal | None:
        """Why a request is not let in."""
        return check_request(cast("Mapping[str, str]", request.headers), token=self.token, hosts=self.hosts)

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
        atexit.unregister(self._take_note_back)
        self._take_note_back()
        server.stop()
        await server.close_all_connections()


def hub() -> Hub | None:
    """The kernel's hub, started on first use; `None` outside of a Jupyter kernel, where nobody relays.

    Raises:
        RuntimeError: called on the lab's own thread before the hub was started.
    """
    kernel_id = kernel_id_here()
    if not kernel_id:
        return None
    home = runtime()
    with home.serving:
        found = open_hub()
        if found is None:
            home.hub = found = Hub(kernel_id, lab_loop())
        return found


def open_hub() -> Hub | None:
    """The kernel's hub if it was started and is open."""
    found = cast("Hub | None", runtime().hub)
    return found if found is not None and found.is_open else None


# ── the web application ─────────────────────────────────────────────────────────────────────────────────────────────


class _HubRouter(Router):
    """Lets in or refuses, then gives a request to a room, to an adapter's own application, or to our few handlers."""

    def __init__(self, owner: Hub) -> None:
        self._hub = owner
        settings: dict[str, Any] = {"owner": owner}
        self._application = Application(
            [(r"/health", _Health, settings)],
            log_function=log_request,
            default_handler_class=Nowhere,
            default_handler_args=settings,
        )

    def find_handler(self, request: httputil.HTTPServerRequest, **kwargs: Any) -> httputil.HTTPMessageDelegate | None:
        target = self._application  # says why, when the request is refused
        before, _, path = request.path.partition("/")
        if not before and self._hub.refusal(request) is None:
            room, _, rest = path.partition("/")
            if room == "adapter":
                target = _adapter_application(request, rest) or target
            else:
                target = self._hub.rooms.get(room, target)
        return target.find_handler(request, **kwargs)


def _adapter_application(request: httputil.HTTPServerRequest, rest: str) -> Application | None:
    """The application of the adapter that is named, with the request as the adapter's own client would have sent it."""
    name, _, path = rest.partition("/")
    adapter = cast("Adapter | None", runtime().servers.get(name))
    if adapter is None:
        return None
    application, port, token = adapter.web_application
    request.path = f"/{path}"
    request.uri = request.path + (f"?{request.query}" if request.query else "")
    request.headers["Host"] = request.host = f"127.0.0.1:{port}"
    request.headers["Authorization"] = f"Bearer {token}"
    if "Origin" in request.headers:
        del request.headers["Origin"]
    return application


class HubHandler(RequestHandler):
    """Base of the handlers of the hub and its rooms: lets nobody in without the token, and answers problems with JSON."""

    def initialize(self, owner: Hub) -> None:
        """Tornado's hook: what the route gives."""
        self.owner = owner

    def prepare(self) -> None:
        """Let in or refuse."""
        refusal = self.owner.refusal(self.request)
        if refusal is not None:
            self.refuse(*refusal)

    def set_default_headers(self) -> None:
        """Tornado's hook: also after an error has cleared the headers."""
        self.clear_header("Server")
        self.set_header("Cache-Control", "no-store")

    def refuse(self, status: int, reason: str) -> None:
        """End with a status and JSON that says why."""
        self.set_status(status)
        self.finish({"error": reason})

    def log_exception(self, typ: Any, value: Any, tb: Any) -> None:
        """Tornado's hook: into our log and never onto a cell's stderr."""
        log_problem(self, typ, value, tb)


class Nowhere(HubHandler):
    """Every other address."""

    def prepare(self) -> None:
        """Refuse strangers first: they learn nothing about addresses."""
        super().prepare()
        if not self._finished:
            known = ", ".join(f"/{room}/…" for room in ("health", "adapter/<name>", *self.owner.rooms))
            self.refuse(404, f"there is nothing at {self.request.path}; the hub serves {known}")


class _Health(HubHandler):
    """Says that it is here; the probe and the relay ask."""

    def get(self) -> None:
        self.finish({"ok": True, "version": __version__, "kernel": self.owner.kernel_id})
