"""What is known from inside of a kernel about the Jupyter server around it.

Stage: probe. A server leaves `jpserver-<pid>.json` in the runtime folder (address, base, token) and gives its pid to its
kernels. That is enough to find the way by which a page can reach this kernel; on a gateway nothing is found, and nothing is
wrong.
"""

from __future__ import annotations

import http.client
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

TIMEOUT_S = 3.0


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


def page_address(environ: Mapping[str, str] | None = None) -> str | None:
    """The address of the Jupyter server as a browser knows it, with a slash at its end; `None` when none is around us.

    On a hub the public address if the hub tells it, else the path alone, which is right on the page's own host.
    """
    known = os.environ if environ is None else environ
    prefix = known.get("JUPYTERHUB_SERVICE_PREFIX")
    if prefix:
        address = known.get("JUPYTERHUB_PUBLIC_URL") or prefix
        return address if address.endswith("/") else f"{address}/"
    server = jupyter_server_here(known)
    return None if server is None else server.url


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return None
