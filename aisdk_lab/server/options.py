"""What `serve` may be given: each option looked at before a port is taken.

Stage: server. A refusal names the option, the value and what is allowed. A token is never shown.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import cast

from aisdk_lab.errors import RefusedError, cut

MIN_TOKEN_CHARS = 16
MAX_PORT = 65_535
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_ORIGIN = re.compile(r"https?://[^/\s*?#]+")
_ON_DISCONNECT = (None, "interrupt", "continue")


def check_address(name: object, host: object, port: object) -> None:
    """Raise `RefusedError` for a name, host or port that is none."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise RefusedError(f"{_shown(name)} cannot name an adapter: use up to 64 letters, digits, - and _")
    if not isinstance(host, str):
        raise RefusedError(f"host={_shown(host)} is no address: write it as text, for example '127.0.0.1'")
    if not isinstance(port, int) or isinstance(port, bool) or not 0 <= port <= MAX_PORT:
        raise RefusedError(f"port={_shown(port)} is no port: give a whole number from 0 (a free one) to {MAX_PORT}")


def check_token(token: object) -> None:
    """Raise `RefusedError` for a token that is too short or cannot stand in a header."""
    is_token = isinstance(token, str) and len(token) >= MIN_TOKEN_CHARS and token.isascii() and token.isprintable()
    if token is not None and not is_token:
        given = "" if isinstance(token, str) else f", not of type {type(token).__name__}"
        raise RefusedError(
            f"a token has at least {MIN_TOKEN_CHARS} printable ASCII characters{given}; leave it out for a fresh one"
        )


def check_behaviour(on_disconnect: object, keep_alive_s: object, max_body_bytes: object) -> None:
    """Raise `RefusedError` for a number out of its range, or an answer to a disconnect that nobody knows."""
    if not any(on_disconnect is known or on_disconnect == known for known in _ON_DISCONNECT):
        raise RefusedError(f"on_disconnect={_shown(on_disconnect)} is unknown: say 'interrupt', 'continue' or None")
    is_number = isinstance(keep_alive_s, int | float) and not isinstance(keep_alive_s, bool)
    if not is_number or not 0 < cast(float, keep_alive_s) < math.inf:
        raise RefusedError(f"keep_alive_s={_shown(keep_alive_s)} is no period: give a number of seconds above 0")
    if not isinstance(max_body_bytes, int) or isinstance(max_body_bytes, bool) or max_body_bytes <= 0:
        raise RefusedError(f"max_body_bytes={_shown(max_body_bytes)} is no limit: give a whole number above 0")


def read_origins(origins: object) -> frozenset[str]:
    """The origins without a slash at the end.

    Raises:
        RefusedError: one is none, or this is no list of them.
    """
    if isinstance(origins, str | bytes) or not isinstance(origins, Iterable):
        raise RefusedError(f"origins={_shown(origins)} is no list: write origins=['http://localhost:3000']")
    return frozenset(_origin(origin) for origin in cast("Iterable[object]", origins))


def _origin(origin: object) -> str:
    if not isinstance(origin, str) or not _ORIGIN.fullmatch(origin.rstrip("/")):
        raise RefusedError(
            f"{_shown(origin)} is no origin: write scheme, host and port, for example 'http://localhost:3000'"
        )
    return origin.rstrip("/")


def _shown(value: object) -> str:
    return cut(repr(value))
