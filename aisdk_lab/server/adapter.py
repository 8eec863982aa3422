"""serve(): an agent behind two HTTP doors, on the lab's own thread.

Stage: server, a shell. One adapter a name: serving again under the same name stops the old one, so that running a cell
twice leaves no second port behind. Adapters live in the runtime that survives `%autoreload` and are stopped when the
kernel leaves. In a Jupyter kernel the hub is started as well, so that the Jupyter server can relay (hub.py).
"""

from __future__ import annotations

import socket
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any, cast

from tornado.httpserver import HTTPServer
from tornado.web import Application

from aisdk_lab.agents import Agent, agents
from aisdk_lab.errors import RefusedError
from aisdk_lab.ledger import Ledger
from aisdk_lab.loopback import LabLoop, bind, is_loopback, lab_loop, loopback_hosts, new_token, port_of, runtime
from aisdk_lab.runs.application import OnDisconnect, RunApplication
from aisdk_lab.runs.run import OnError
from aisdk_lab.server import notice
from aisdk_lab.server.app import DRAIN_FACTOR, KEEP_ALIVE_S, MAX_BODY_BYTES, Doors, Health, Nowhere, log_request
from aisdk_lab.server.chat import AwakenChatHandler, ChatHandler, StopHandler
from aisdk_lab.server.history import HistoryHandler
from aisdk_lab.server.hub import hub
from aisdk_lab.server.options import check_address, check_behaviour, check_token, read_origins

STOP_S = 10.0
BODY_S = 120.0
"""How long a sender may take for one body."""
IDLE_S = 300.0
"""How long a connection may wait for its next request."""

Served = Agent | str | RunApplication | Sequence[Agent | str]
"""What can be served: an agent, the name of a shipped one, several of them, or an application."""


class Adapter:
    """A served agent. Made by `serve`; `stop()` ends it."""

    def __init__(self, name: str, host: str, sockets: list[socket.socket], doors: Doors, lab: LabLoop) -> None:
        self.name = name
        self.host = host
        self.port = port_of(sockets)
        self._doors = doors
        self._lab = lab
        self._web = _web_application(doors)
        self._server: HTTPServer | None = None
        lab.run(self._open(sockets))
        lab.at_stop(self.astop)

    def __repr__(self) -> str:
        return notice.text(self)

    def _repr_html_(self) -> str:
        return notice.html(self)

    # ── where, and how to call ─────────────────────────────────────────────────────────────────────────────────────

    @property
    def is_running(self) -> bool:
        """True until `stop`."""
        return self._server is not None and self._lab.is_running

    @property
    def application(self) -> RunApplication:
        """The runs behind the doors; a sidebar in this kernel uses them without HTTP."""
        return self._doors.application

    @property
    def agent(self) -> Agent:
        """The agent of requests that name none."""
        return self.application.default

    @property
    def url(self) -> str:
        """The address of the server, without a path."""
        host = self.host if is_loopback(self.host) else socket.gethostname()
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}"

    @property
    def chat_url(self) -> str:
        """The door for `useChat`: `DefaultChatTransport({api: …, headers: {Authorization: …}})`."""
        return f"{self.url}/api/chat"

    @property
    def awaken_url(self) -> str:
        """The door of the awaken profile."""
        return f"{self.url}/v1/ai-sdk/chat"

    @property
    def token(self) -> str:
        """The bearer token that every request must carry. Shown only when you ask for it here or in `curl()`."""
        return self._doors.token

    @property
    def outside_url(self) -> str | None:
        """The address that works from another machine, as far as one is known (through the Jupyter server)."""
        return notice.outside_url(self)

    @property
    def web_application(self) -> tuple[Application, int, str]:
        """For a relay in this process: the Tornado application, and the port and token that its guard expects."""
        return self._web, self.port, self.token

    def curl(self, text: str = "hello", *, door: str = "api") -> notice.Command:
        """A ready command for a terminal on this machine, token included; `door` is `api` or `awaken`.

        Raises `RefusedError` when the adapter is stopped: nothing listens at the port that it had.
        """
        if not self.is_running:
            raise RefusedError(f"{self!r} is stopped; serve its agent again: lab.serve(adapter.agent)")
        return notice.curl(self, text, door)

    # ── the end ────────────────────────────────────────────────────────────────────────────────────────────────────

    def stop(self) -> None:
        """Stop every run, tell their readers, free the port. Idempotent, from any thread."""
        if not self._lab.is_running:
            return
        if self._lab.is_here:  # an agent stops its own server: nobody can wait for that
            self._lab.submit(self.astop())
        else:
            self._lab.run(self.astop(), timeout=STOP_S)

    async def astop(self) -> None:
        """`stop`, for the lab's own loop."""
        server, self._server = self._server, None
        if server is None:
            return
        self._lab.forget(self.astop)
        servers = runtime().servers
        if servers.get(self.name) is self:
            del servers[self.name]
        server.stop()
        await self.application.close()
        await self._doors.drain()
        await server.close_all_connections()

    async def _open(self, sockets: list[socket.socket]) -> None:
        server = HTTPServer(
            self._web,
            max_body_size=DRAIN_FACTOR * self._doors.max_body_bytes,
            body_timeout=BODY_S,
            idle_connection_timeout=IDLE_S,
        )
        server.add_sockets(sockets)
        self._server = server


def serve(
    agent: Served,
    *,
    name: str = "default",
    port: int = 0,
    host: str = "127.0.0.1",
    origins: Iterable[str] = (),
    token: str | None = None,
    allow_remote: bool = False,
    on_disconnect: OnDisconnect | None = None,
    ledger: Ledger | None = None,
    on_error: OnError | None = None,
    send_reasoning: bool = True,
    trust_client_history: bool = False,
    keep_alive_s: float = KEEP_ALIVE_S,
    max_body_bytes: int = MAX_BODY_BYTES,
) -> Adapter:
    """Serve an agent over HTTP on this machine, and give the adapter that knows its address.

    `agent` is an agent (`@lab.scripted` makes one), the name of a shipped one, or a list of them, the first of which
    answers requests that name none. Port 0 lets the system choose. `origins` lists the pages that may call from a
    browser (`"http://localhost:3000"`). `on_disconnect` says what becomes of a run whose reader leaves; by default the
    awaken door interrupts it and `/api/chat` lets it go on. `on_error` words what an agent raises, for clients of both
    doors: without it `/api/chat` says `An error occurred.` and the awaken door the exception's own text.

    Raises:
        RefusedError: an address that others can reach without `allow_remote=True`, a taken port, `*` or a malformed
            origin, a short token, a name that is no word, a number out of its range.
        UnknownName: no shipped agent has the name.
    """
    check_address(name, host, port)
    check_token(token)
    check_behaviour(on_disconnect, keep_alive_s, max_body_bytes)
    allowed = read_origins(origins)
    application = agent if isinstance(agent, RunApplication) else None
    application = application or RunApplication(
        _agents(agent),
        ledger=ledger,
        on_disconnect=on_disconnect,
        on_error=on_error,
        send_reasoning=send_reasoning,
        trust_client_history=trust_client_history,
    )
    hub()  # before there is an adapter that an error here would leave behind
    home = runtime()
    with home.serving:
        old = cast("Adapter | None", home.servers.get(name))
        if old is not None and old.port == port:
            old.stop()  # first, because the port is the same
        sockets = bind(host, port, allow_remote=allow_remote)
        doors = Doors(
            application, token or new_token(), _hosts(host, port_of(sockets)), allowed, keep_alive_s, max_body_bytes
        )
        adapter = Adapter(name, host, sockets, doors, lab_loop())
        if old is not None:
            old.stop()
        home.servers[name] = adapter
    return adapter


def _agents(given: object) -> list[Agent]:
    if isinstance(given, str | Agent):
        several: list[object] = [given]
    elif isinstance(given, Sequence):
        several = list(cast("Sequence[object]", given))
    else:
        raise RefusedError(
            f"{given!r} is no agent. Decorate a generator function with @lab.scripted, or name a shipped agent: "
            f"{', '.join(agents)}."
        )
    found = [agents[each] if isinstance(each, str) else each for each in several]
    for each in found:
        if not isinstance(each, Agent):
            raise RefusedError(f"{each!r} is no agent: it needs name, title, suggestions, client_tools and run(turn)")
    return cast("list[Agent]", found)


def _hosts(host: str, port: int) -> frozenset[str]:
    """What a Host header may say: loopback names, and for a remote bind this machine's own names."""
    names = loopback_hosts(port)
    if is_loopback(host):
        return names
    own = {socket.gethostname(), socket.getfqdn(), host}
    with suppress(OSError):
        own |= {str(info[4][0]) for info in socket.getaddrinfo(socket.gethostname(), None)}
    return names | {f"{f'[{each}]' if ':' in each else each}:{port}".lower() for each in own if each}


def _web_application(doors: Doors) -> Application:
    settings: dict[str, Any] = {"doors": doors}
    segment = r"([^/]+)"
    return Application(
        [
            (r"/health", Health, settings),
            (r"/api/chat", ChatHandler, settings),
            (rf"/api/chat/{segment}/stop", StopHandler, settings),
            (r"/v1/ai-sdk/chat", AwakenChatHandler, settings),
            (r"/v1/ai-sdk/threads/(?P<thread_id>[^/]+)/runs", AwakenChatHandler, settings),
            (r"/v1/ai-sdk/agents/(?P<agent_id>[^/]+)/runs", AwakenChatHandler, settings),
            (rf"/v1/ai-sdk/threads/{segment}/messages", HistoryHandler, settings),
        ],
        default_handler_class=Nowhere,
        default_handler_args=settings,
        log_function=log_request,
        compress_response=False,
    )
