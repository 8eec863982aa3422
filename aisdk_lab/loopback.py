"""The lab's own thread and loop, and who may talk to a server on it.

Stage: below everything that serves or runs. The kernel's loop stands still while a cell computes (measured: a stream on
it waited 2.0 s for a 2 s cell), so servers, agents and chats live on one asyncio loop in one daemon thread
(README, "Limits": a C call that keeps the GIL still stalls it).

`%autoreload` runs this module's body again and would make a second thread; the loop and the register of servers
therefore live in `sys.modules["_aisdk_lab_runtime"]`, which nobody reloads. Nothing here prints: output of a thread
lands in whichever cell happens to run. Messages go to `logging.getLogger("aisdk_lab")`.
"""

from __future__ import annotations

import asyncio
import atexit
import concurrent.futures
import contextvars
import hmac
import ipaddress
import logging
import os
import secrets
import socket
import sys
import threading
from collections.abc import Awaitable, Callable, Collection, Coroutine, Iterable, Mapping
from types import ModuleType
from typing import Any, NamedTuple, TypeVar, cast

from aisdk_lab.errors import RefusedError

Result = TypeVar("Result")

LOG = logging.getLogger("aisdk_lab")
# Without a handler Python's last resort would write warnings of this thread into a cell.
LOG.addHandler(logging.NullHandler())

THREAD_NAME = "aisdk-lab"
_RUNTIME = "_aisdk_lab_runtime"
_STOP_S = 5.0
"""How long a stop waits for tasks to end and for the thread to leave."""


class Runtime(ModuleType):
    """The module without a file that survives `%autoreload`."""

    def __init__(self) -> None:
        super().__init__(_RUNTIME, "What aisdk_lab keeps while its modules are reloaded.")
        self.lock = threading.RLock()
        """For short looks only. Never held while something waits for the loop: the loop takes it too."""
        self.serving = threading.Lock()
        """Held while a server starts: by `serve` from the old adapter's end to the new one's beginning, and by `hub`."""
        self.loop: LabLoop | None = None
        self.has_exit_hook = False
        self.servers: dict[str, Any] = {}
        """Running adapters by name; `Any` because the server layer lies above this one."""
        self.hub: Any = None
        """The kernel's hub (server/hub.py), which the Jupyter server relays to."""


def runtime() -> Runtime:
    """The kernel's one runtime; made on first use."""
    # setdefault is atomic: two threads get one runtime. After a reload it is an instance of the old class: no isinstance.
    return cast(Runtime, sys.modules.setdefault(_RUNTIME, Runtime()))


class LabLoop:
    """One asyncio loop in one daemon thread; `lab_loop()` gives the kernel's only one.

    Work that is handed over starts in an empty context, so that what it prints or sends is never taken for output of
    the cell that happened to start it.
    """

    def __init__(self) -> None:
        self.loop: asyncio.AbstractEventLoop = asyncio.new_event_loop()
        """The loop itself. Only `call`, `submit` and `run` may touch it from other threads."""
        self._closers: list[Callable[[], Awaitable[object]]] = []
        self._stop_lock = threading.Lock()
        self._is_stopping = False
        self._thread = threading.Thread(target=self._main, name=THREAD_NAME, daemon=True)
        self._thread.start()

    def __repr__(self) -> str:
        return f"<LabLoop thread {THREAD_NAME!r}, {'running' if self.is_running else 'stopped'}>"

    @property
    def is_running(self) -> bool:
        """True until `stop`; false too in a forked child, where the thread does not exist."""
        return self._thread.is_alive() and not self.loop.is_closed()

    @property
    def is_here(self) -> bool:
        """True when called on the lab's own thread."""
        return threading.current_thread() is self._thread

    def submit(self, coroutine: Coroutine[Any, Any, Result]) -> concurrent.futures.Future[Result]:
        """Start a coroutine on the loop, from any thread; the future may be cancelled.

        Raises:
            RuntimeError: the loop was stopped.
        """
        if not self.is_running:
            coroutine.close()
            raise RuntimeError("the lab loop was stopped; lab_loop() starts a new one")
        return contextvars.Context().run(asyncio.run_coroutine_threadsafe, coroutine, self.loop)

    def call(self, function: Callable[..., object], *args: Any) -> None:
        """Call a function on the loop soon, from any thread, in order with other calls of the same thread."""
        self.loop.call_soon_threadsafe(function, *args, context=contextvars.Context())

    def run(self, coroutine: Coroutine[Any, Any, Result], timeout: float | None = None) -> Result:
        """Run a coroutine on the loop and wait for it; an interrupt or a timeout (seconds) cancels it.

        Raises:
            RuntimeError: called on the loop's own thread, which would wait for itself.
            TimeoutError: not done in time.
        """
        if self.is_here:
            coroutine.close()
            raise RuntimeError("LabLoop.run() was called on the lab's own thread and would wait for itself: await it")
        future = self.submit(coroutine)
        try:
            return future.result(timeout)
        except BaseException:  # KeyboardInterrupt too: the work must not go on behind the user's back
            future.cancel()
            raise

    def at_stop(self, closer: Callable[[], Awaitable[object]]) -> None:
        """Register what is awaited on the loop before it stops, last in first out (servers close their ports here)."""
        self._closers.append(closer)

    def forget(self, closer: Callable[[], Awaitable[object]]) -> None:
        """Take back what `at_stop` registered; unknown closers are ignored."""
        if closer in self._closers:
            self._closers.remove(closer)

    def stop(self) -> None:
        """Run the closers, cancel every task, close the loop, join the thread. Idempotent, from any other thread."""
        if self.is_here:
            raise RuntimeError("LabLoop.stop() was called on the lab's own thread: stop it from another one")
        with self._stop_lock:
            if not self.is_running:
                return
            try:
                self.submit(self._close()).result(_STOP_S)
            except (TimeoutError, concurrent.futures.CancelledError):
                LOG.warning("a closer of the lab loop did not end within %s s", _STOP_S)
            self._is_stopping = True
            self.loop.call_soon_threadsafe(self.loop.stop)
            self._thread.join(_STOP_S)

    async def _close(self) -> None:
        for closer in reversed(self._closers):
            try:
                await closer()
            except (Exception, SystemExit, KeyboardInterrupt):
                LOG.exception("a closer of the lab loop failed: %r", closer)
        self._closers.clear()

    def _main(self) -> None:
        asyncio.set_event_loop(self.loop)
        self.loop.set_exception_handler(_log_loop_problem)
        try:
            self._run_on()
        finally:
            try:
                self.loop.run_until_complete(self._close())  # nothing is left to do after a `stop`
                self.loop.run_until_complete(_cancel_all())
                self.loop.run_until_complete(self.loop.shutdown_asyncgens())
            finally:
                asyncio.set_event_loop(None)
                # Closing lets the default executor's idle workers go; waiting for a stuck one would hang the exit.
                self.loop.close()

    def _run_on(self) -> None:
        """Run until `stop`: asyncio lets a task's `SystemExit` out of the loop, and that ends nobody else's work here."""
        while not self._is_stopping:
            try:
                self.loop.run_forever()
            except (SystemExit, KeyboardInterrupt) as error:
                LOG.error("a task of the lab loop wanted to end it; the loop goes on", exc_info=error)


async def _cancel_all() -> None:
    tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in tasks:
        task.cancel()
    if tasks:
        _, stuck = await asyncio.wait(tasks, timeout=_STOP_S)
        for task in stuck:
            LOG.warning("a task ignored its cancellation: %r", task)


def _log_loop_problem(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    error = context.get("exception")
    LOG.error("lab loop: %s", context.get("message"), exc_info=error if isinstance(error, BaseException) else None)


def lab_loop() -> LabLoop:
    """The kernel's one lab loop, started on first use and stopped when the interpreter leaves."""
    home = runtime()
    with home.lock:
        if home.loop is None or not home.loop.is_running:
            home.loop = LabLoop()
            if not home.has_exit_hook:
                atexit.register(stop_lab_loop)
                home.has_exit_hook = True
        return home.loop


def stop_lab_loop() -> None:
    """Stop the kernel's lab loop, if one runs, with everything on it. A later `lab_loop()` starts a new one."""
    home = runtime()
    with home.lock:
        loop, home.loop = home.loop, None
    if loop is not None:
        loop.stop()


class Refusal(NamedTuple):
    """Why a request is not let in; `status` is the HTTP status that says so."""

    status: int
    reason: str


def new_token() -> str:
    """A fresh bearer token: 256 random bits, safe in a header."""
    return secrets.token_urlsafe(32)


def loopback_hosts(port: int) -> frozenset[str]:
    """The values of a `Host` header that name this machine's loopback at `port`."""
    return frozenset(f"{host}:{port}" for host in ("127.0.0.1", "localhost", "[::1]"))


def check_request(
    headers: Mapping[str, str], *, token: str | None, hosts: Collection[str], origins: Collection[str] = ()
) -> Refusal | None:
    """Why a request must be refused, or `None`.

    The `Host` must be one of `hosts` (a page that had its name pointed at 127.0.0.1 shows itself here); an `Origin`,
    when sent, must be one of `origins` or the server's own; the token must be the bearer token, compared in constant
    time. `token=None` leaves the token out: a browser's preflight carries none.
    """
    host = _header(headers, "Host").lower()
    if host not in hosts:
        return Refusal(403, f"the Host header {host!r} is not this server; expected {' or '.join(sorted(hosts))}")
    origin = _header(headers, "Origin")
    if origin and origin not in origins and origin.lower() != f"http://{host}":
        return Refusal(403, f"requests from origin {origin!r} are not allowed; list it in serve(origins=[...])")
    if token is None:
        return None
    scheme, _, given = _header(headers, "Authorization").partition(" ")
    if scheme.lower() != "bearer" or not given.strip():
        return Refusal(401, "the token is missing: send it as 'Authorization: Bearer <token>' (adapter.token)")
    if not hmac.compare_digest(given.strip().encode("utf-8", "replace"), token.encode()):
        return Refusal(401, "the token is not the one of this server: ask for adapter.token again")
    return None


def _header(headers: Mapping[str, str], name: str) -> str:
    value = headers.get(name)
    if value is None:  # a plain dict, which minds upper and lower case
        value = next((text for key, text in headers.items() if key.lower() == name.lower()), "")
    return value.strip()


def is_loopback(host: str) -> bool:
    """True when every address of `host` is a loopback address; an empty host means all interfaces and is not."""
    if not host:
        return False
    try:
        addresses = {info[4][0] for info in socket.getaddrinfo(host, None)}
    except OSError:
        return False
    return bool(addresses) and all(
        ipaddress.ip_address(str(address).split("%")[0]).is_loopback for address in addresses
    )


def bind(host: str = "127.0.0.1", port: int = 0, *, allow_remote: bool = False) -> list[socket.socket]:
    """Listening sockets for `host` and `port`; port 0 lets the system choose.

    Called in the caller's thread, so that a taken port is an error of the cell and not a line in a log.

    Raises:
        RefusedError: `host` is not a loopback address and `allow_remote` was not given, or the port is taken.
    """
    if not allow_remote and not is_loopback(host):
        raise RefusedError(
            f"the host {host!r} can be reached by other machines, and a lab server answers only this one. "
            "Bind '127.0.0.1', or pass allow_remote=True when that is what you want."
        )
    sockets: list[socket.socket] = []
    try:
        for family, *_, address in _addresses(host, port):
            sock = socket.socket(family, socket.SOCK_STREAM)
            sockets.append(sock)  # before bind, so that a failure closes this one too (Tornado's bind_sockets leaks it)
            if os.name == "posix":  # elsewhere it would let two servers share a port
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            # Port 0 was asked for: the other addresses take the port that the first one got.
            sock.bind((address[0], port_of(sockets[:1]) if len(sockets) > 1 else address[1], *address[2:]))
            sock.listen(128)
            sock.setblocking(False)
    except OSError as error:
        for sock in sockets:
            sock.close()
        raise RefusedError(f"cannot listen on {host!r} port {port!r}: {error}. Port 0 takes a free one.") from error
    return sockets


def _addresses(host: str, port: int) -> list[tuple[Any, ...]]:
    """What `host` stands for, each address once; IPv4 first, so that the port of `localhost` is that of 127.0.0.1."""
    found = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    return sorted(dict.fromkeys(found), key=lambda info: info[0] != socket.AF_INET)


def port_of(sockets: Iterable[socket.socket]) -> int:
    """The port that the sockets of one `bind` share."""
    return next(iter(sockets)).getsockname()[1]
