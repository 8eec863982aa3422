"""The Jupyter Server extension: an authenticated way from the page to the servers inside of kernels.

Stage: jupyter, a shell in the process of the Jupyter server. `<base>aisdk-lab/k/<kernel id>/…` is relayed to the loopback port
that this kernel noted in Jupyter's runtime folder (server/port_file.py), and to nothing else: a name is never an address.
It works where the browser cannot reach the kernel's ports (another host, a hub, HTTPS), streams as it comes, and breaks the
upstream off when the browser leaves (measured: jupyter-server-proxy 4.6 does neither for a POST).

The browser shows its Jupyter login, with XSRF as for every other POST; the kernel's token never leaves this machine.
"""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import quote, urlencode

from jupyter_server.auth.decorator import authorized
from jupyter_server.base.handlers import JupyterHandler
from jupyter_server.utils import url_path_join
from tornado import httputil, web
from tornado.httpclient import HTTPClientError, HTTPRequest
from tornado.iostream import IOStream, StreamClosedError
from tornado.simple_httpclient import SimpleAsyncHTTPClient
from tornado.tcpclient import TCPClient

from aisdk_lab._version import __version__
from aisdk_lab.server.port_file import PortNote, read_note

if TYPE_CHECKING:
    from jupyter_server.serverapp import ServerApp

CONNECT_S: Final = 5.0
_ROOMS: Final = ("health", "widget", "adapter")
"""What a hub serves; nothing else of a kernel can be asked for."""
_DOWN: Final = ("Content-Type", "Accept", "Last-Event-ID")
"""Request headers that are passed on. No cookie, no login, no origin."""
_UP: Final = frozenset({"content-type", "cache-control", "x-accel-buffering", "x-vercel-ai-ui-message-stream"})
"""Response headers that are passed back."""


def _jupyter_server_extension_points() -> list[dict[str, str]]:  # pyright: ignore[reportUnusedFunction]  # Jupyter calls it
    return [{"module": "aisdk_lab.jupyter.extension"}]


def _load_jupyter_server_extension(app: ServerApp) -> None:  # pyright: ignore[reportUnusedFunction]  # Jupyter calls it
    base: str = app.web_app.settings["base_url"]
    handlers: list[tuple[str, type[JupyterHandler]]] = [
        (url_path_join(base, r"aisdk-lab/health"), HealthHandler),
        (url_path_join(base, r"aisdk-lab/k/([^/]+)/(.*)"), RelayHandler),
    ]
    app.web_app.add_handlers(".*$", handlers)


class _KeptConnection(TCPClient):
    """Keeps its stream, so that a request under way can be broken off: closing the HTTP client does not do it."""

    stream: IOStream | None = None

    async def connect(self, *args: Any, **kwargs: Any) -> IOStream:
        self.stream = await super().connect(*args, **kwargs)
        return self.stream


class HealthHandler(JupyterHandler):
    """`GET <base>aisdk-lab/health`: this extension is enabled, and its version. `lab.check()` asks."""

    auth_resource = "kernels"

    @web.authenticated
    @authorized
    def get(self) -> None:
        """Answer with JSON."""
        self.finish({"ok": True, "version": __version__})


class RelayHandler(JupyterHandler):
    """Relays one request to the hub of one kernel."""

    auth_resource = "kernels"
    _connection: _KeptConnection | None = None
    _is_gone = False

    @web.authenticated
    @authorized
    async def get(self, kernel_id: str, path: str) -> None:
        """Relay a GET; an event stream is passed on as it comes."""
        await self._relay(kernel_id, path)

    @web.authenticated
    @authorized
    async def post(self, kernel_id: str, path: str) -> None:
        """Relay a POST, with its body; the answer may be a stream too."""
        await self._relay(kernel_id, path)

    def on_connection_close(self) -> None:
        """The browser left: break the upstream off, also while it is silent."""
        super().on_connection_close()
        self._is_gone = True
        if self._connection is not None and self._connection.stream is not None:
            self._connection.stream.close()

    async def _relay(self, kernel_id: str, path: str) -> None:
        room, *rest = path.split("/")
        note = read_note(kernel_id)
        if note is None or room not in _ROOMS or any(step in ("", ".", "..") for step in rest):
            raise web.HTTPError(404, "no sidebar or adapter of this kernel is known here")
        # Typed as its base class by Tornado. The default size would end a stream at 100 MB.
        client = cast("Any", SimpleAsyncHTTPClient(force_instance=True, max_body_size=1 << 40))
        client.tcp_client = self._connection = _KeptConnection(resolver=client.resolver)
        problem: Exception | None = None
        try:
            await client.fetch(self._request(note, path), raise_error=False)
        except (HTTPClientError, OSError) as error:
            problem = error
        finally:
            client.close()
        if problem is None or self._is_gone:
            return
        self.log.warning("aisdk_lab: the relay to kernel %s lost its upstream: %s", kernel_id, problem)
        if self._headers_written:  # lost half way: an unfinished body tells the browser, a tidy end would not
            self._break_off()
            return
        raise web.HTTPError(502, "the kernel's server does not answer: run the cell again")

    def _break_off(self) -> None:
        connection: Any = self.request.connection
        connection.stream.close()

    def _request(self, note: PortNote, path: str) -> HTTPRequest:
        query = [
            (name, value)
            for name, values in self.request.query_arguments.items()
            for value in values
            if name != "token"  # the login of the Jupyter server is not the kernel's business
        ]
        headers = {name: self.request.headers[name] for name in _DOWN if name in self.request.headers}
        headers["Authorization"] = f"Bearer {note.token}"
        # Tornado's client asks for a close by default, and takes one that comes while the last bytes still go to the
        # browser for a lost connection.
        headers["Connection"] = "keep-alive"
        url = f"http://127.0.0.1:{note.port}/{quote(path, safe='/')}" + (f"?{urlencode(query)}" if query else "")
        return HTTPRequest(
            url,
            method=self.request.method or "GET",
            headers=headers,
            body=self.request.body if self.request.method == "POST" else None,
            header_callback=self._on_header,
            streaming_callback=self._on_data,
            request_timeout=0,  # a stream may last
            connect_timeout=CONNECT_S,
            decompress_response=False,
            follow_redirects=False,
        )

    def _on_header(self, line: str) -> None:
        if line.startswith("HTTP/"):
            start = httputil.parse_response_start_line(line.strip())
            self.set_status(start.code, start.reason)
            return
        name, separator, value = line.partition(":")
        if separator and name.strip().lower() in _UP:
            self.set_header(name.strip(), value.strip())

    def _on_data(self, data: bytes) -> Awaitable[None]:
        # A coroutine here holds the upstream back while the browser is slow (simple_httpclient only).
        return self._pass_on(data)

    async def _pass_on(self, data: bytes) -> None:
        if self._is_gone:
            return
        try:
            self.write(data)
            await self.flush()
        except StreamClosedError:
            self.on_connection_close()
