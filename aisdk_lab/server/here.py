"""What is known from inside of a kernel about itself and the Jupyter server around it.

Stage: server. A Jupyter server leaves `jpserver-<pid>.json` in the runtime folder (address, base, token) and gives its pid to
its kernels. That is enough to find the way by which a page can reach this kernel; on a gateway nothing is found, and nothing
is wrong. `lab.check()` and an adapter's notice both ask here, so that they say the same.
"""

from __future__ import annotations

import http.client
import json
import os
import ssl
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple
from urllib.parse import urlsplit

import msgspec

TIMEOUT_S = 3.0
_LOOPBACK_NAMES = (None, "localhost", "127.0.0.1", "::1")


class Relay(NamedTuple):
    """Whether our extension of a Jupyter server relays to kernels, as far as the server tells it."""

    state: Literal["on", "locked", "off", "silent"]
    """`locked`: the server is there, but not for us to ask (it wants another login, or its certificate is its own)."""
    status: int = 0
    """The HTTP status of the answer; 0 when none came."""
    version: object = None
    """The extension's version, when it is on."""
    problem: str = ""
    """Why no answer came."""

    @property
    def may_work(self) -> bool:
        """False when it is known that nothing is relayed."""
        return self.state in ("on", "locked")


class JupyterServer(msgspec.Struct, frozen=True):
    """A running Jupyter server of this user, from the note that it leaves."""

    url: str
    base_url: str
    pid: int
    token: str = ""

    def __repr__(self) -> str:  # the token is shown nowhere
        return f"JupyterServer({self.url!r}, pid={self.pid})"

    def get(self, path: str) -> tuple[int, Any]:
        """Status and JSON of `<base><path>`, asked with the server's own token, past any proxy.

        Raises `OSError` when it does not answer. The JSON is `None` when it is none.
        """
        parts = urlsplit(self.url)
        host = "127.0.0.1" if parts.hostname in (None, "", "localhost", "0.0.0.0", "::") else parts.hostname
        secure = parts.scheme == "https"
        make = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        connection = make(host, parts.port or (443 if secure else 80), timeout=TIMEOUT_S)
        try:
            headers = {"Authorization": f"token {self.token}"} if self.token else {}
            connection.request("GET", f"{self.base_url}{path}", headers=headers)
            response = connection.getresponse()
            return response.status, _json(response.read())
        except http.client.HTTPException as problem:
            raise OSError(f"no HTTP answer: {problem}") from problem
        finally:
            connection.close()

    def relay(self) -> Relay:
        """Ask for our extension. Takes a millisecond, at most `TIMEOUT_S`; never raises."""
        try:
            status, answer = self.get("aisdk-lab/health")
        except ssl.SSLCertVerificationError as problem:
            return Relay("locked", problem=str(problem))
        except OSError as problem:
            return Relay("silent", problem=str(problem))
        if status == http.client.OK and isinstance(answer, dict):
            return Relay("on", status, answer.get("version"))
        # To strangers Jupyter says 404 for what it has not, and only otherwise shows the way to its login.
        is_locked = status in (http.client.FOUND, http.client.UNAUTHORIZED, http.client.FORBIDDEN)
        return Relay("locked" if is_locked else "off", status)


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


def jupyter_server_here(environ: Mapping[str, str] | None = None) -> JupyterServer | None:
    """The server that started this kernel; `None` when it is not on this machine, or this is no kernel of a server."""
    known = (os.environ if environ is None else environ).get("JPY_PARENT_PID", "")
    if not known.isdecimal():
        return None
    from jupyter_core.paths import jupyter_runtime_dir

    path = Path(jupyter_runtime_dir()) / f"jpserver-{known}.json"
    try:
        return msgspec.json.decode(path.read_bytes(), type=JupyterServer)
    except (OSError, msgspec.DecodeError):
        return None


FindServer = Callable[[Mapping[str, str]], JupyterServer | None]


def page_address(environ: Mapping[str, str] | None = None, find_server: FindServer = jupyter_server_here) -> str | None:
    """The address of the Jupyter server as a browser knows it, with a slash at its end; `None` when none is around us.

    On a hub the public address if the hub tells it, else the path alone, which is right on the page's own host.
    """
    known = os.environ if environ is None else environ
    prefix = known.get("JUPYTERHUB_SERVICE_PREFIX")
    if prefix:
        address = known.get("JUPYTERHUB_PUBLIC_URL") or prefix
        return address if address.endswith("/") else f"{address}/"
    server = find_server(known)
    return None if server is None else server.url


def relaying_page_address(
    environ: Mapping[str, str] | None = None, find_server: FindServer = jupyter_server_here
) -> str | None:
    """`page_address`, but `None` too when it is known that nothing is relayed there. Asks the server: see `relay`."""
    known = os.environ if environ is None else environ
    page = page_address(known, find_server)
    server = None if page is None else find_server(known)
    return None if server is not None and not server.relay().may_work else page


def is_page_elsewhere(environ: Mapping[str, str] | None = None) -> bool:
    """True when the Jupyter server around us listens for other machines, so that its pages are likely shown there."""
    server = jupyter_server_here(environ)
    return server is not None and urlsplit(server.url).hostname not in _LOOPBACK_NAMES


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return None
