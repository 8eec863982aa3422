"""Header names without case, the headers that streams are sent with, and secrets masked before anything is kept.

Stage: wire. Masking replaces values only: names, their case and their order stay, so that a capture still shows what
was sent. It is meant to err on the safe side: a harmless `x-session-count` is masked too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any
from urllib.parse import unquote_plus

MASK = "***"

UI_MESSAGE_STREAM_HEADERS: Mapping[str, str] = MappingProxyType(
    {
        "content-type": "text/event-stream",
        "cache-control": "no-cache",
        "connection": "keep-alive",
        "x-vercel-ai-ui-message-stream": "v1",
        "x-accel-buffering": "no",
    }
)
"""What the SDK's own server sends with a UI message stream. Source: observed, `ai` 7.0.173 (the same since version 5)."""

AWAKEN_STREAM_HEADERS: Mapping[str, str] = MappingProxyType(
    {
        "content-type": "text/event-stream",
        "cache-control": "no-cache, no-transform",
        "x-vercel-ai-ui-message-stream": "v1",
        "x-accel-buffering": "no",
    }
)
"""What the awaken profile sends; the last one is ours, for proxies that would hold the stream back."""

TEXT_STREAM_HEADERS: Mapping[str, str] = MappingProxyType({"content-type": "text/plain; charset=utf-8"})
"""What the SDK's own server sends with a text stream."""

_SECRET_HEADER = re.compile(
    r"token|secret|key|passw|passphrase|passcode|bypass|auth|session|cookie|credential|signature|jwt|bearer|dpop"
    r"|assertion|hmac|ticket|(?:^|[-_])(?:pass|pw|pwd|pin|otp|sig|nonce)(?:$|[-_])",
    re.IGNORECASE,
)
_NOT_SECRET_HEADERS = frozenset({":authority", "www-authenticate", "proxy-authenticate", "sec-websocket-key"})
_URL_HEADERS = frozenset({"location", "content-location", "referer", "origin"})

# Compared with the name in lower case and without `-`, `_` and `.`: `X-Amz-Signature` and `api_key` are both found.
_SECRET_PARAMETER = re.compile(
    r"token|secret|passw|passphrase|passcode|bypass|signature|credential|session|apikey|accesskey|privatekey|oauth|jwt"
    r"|assertion|bearer|hmac|ticket|nonce|codeverifier"
    r"|(?:app|auth|license|subscription|account|shared|master|client|service|signing|function)key$"
    r"|^(?:key|code|sig|sas|auth|authorization|pw|pwd|pass|userpass|sid|googleaccessid|otp|pin)$"
)
_SEPARATORS = str.maketrans("", "", "-_.[]")
# A browser takes blanks before the scheme and backslashes for slashes, so both may stand before a password.
_BEFORE_AUTHORITY = re.compile(r"[\x00-\x20]*(?:[A-Za-z][A-Za-z0-9+.\-]*:)?[/\\]{2,}")
_AUTHORITY = re.compile(r"[^/?#\\]*")
_USERINFO_ALONE = re.compile(r"^[^/?#:@]*:[^/?#]*@")
_PATH_PARAMETER = re.compile(r"(?<=;)[^;/]*")
_PARAMETER = re.compile(r"([&;])")
_HEADER_NAME = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_HEADER_VALUE = re.compile(r"(?:[!-~](?:[ \t!-~]*[!-~])?)?")


def find_header(headers: Mapping[str, str], name: str) -> str | None:
    """Return the value of a header, whatever the case of its name; `None` when it is not there."""
    wanted = name.lower()
    for key, value in headers.items():
        if key.lower() == wanted:
            return value
    return None


def media_type(headers: Mapping[str, str]) -> str:
    """Return the media type of `content-type` in lower case, without parameters; empty when there is none.

    >>> media_type({"Content-Type": "Text/Event-Stream; charset=utf-8"})
    'text/event-stream'
    """
    return (find_header(headers, "content-type") or "").partition(";")[0].strip().lower()


def with_defaults(headers: Mapping[str, str], defaults: Mapping[str, str]) -> dict[str, str]:
    """Add each default whose name is not there yet in any case: the caller's value wins, as in the SDK."""
    present = {name.lower() for name in headers}
    return {**headers, **{name: value for name, value in defaults.items() if name.lower() not in present}}


def header_problem(headers: Mapping[str, Any]) -> str | None:
    """Say why these headers cannot be sent, `None` when they can; values are never quoted, for they may be secrets.

    >>> header_problem({"authorization": "Bearer abc\\n"})
    "the value of header 'authorization' has a control character: strip it (a line break at its end?)"
    """
    for number, (name, value) in enumerate(headers.items(), start=1):
        # A bad name may be a whole `name: secret` line, so it is not quoted either.
        if not _HEADER_NAME.fullmatch(str(name)):
            return f"the name of header {number} has a character that no header name may have"
        if not isinstance(value, str):
            return f"the value of header {name!r} must be a string, not {type(value).__name__}"
        if not _HEADER_VALUE.fullmatch(value):
            if any((character < " " and character != "\t") or character == "\x7f" for character in value):
                return f"the value of header {name!r} has a control character: strip it (a line break at its end?)"
            fault = "blanks around it: strip them" if value.isascii() else "a character that is not ASCII"
            return f"the value of header {name!r} has {fault}"
    return None


def mask_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Copy headers with `***` for every value that may be a secret, and with URLs masked.

    >>> mask_headers({"Authorization": "Bearer abc", "Accept": "*/*"})
    {'Authorization': '***', 'Accept': '*/*'}
    """
    return {name: _masked_header(name, value) for name, value in headers.items()}


def _masked_header(name: str, value: str) -> str:
    lower = name.lower()
    if lower in _URL_HEADERS:
        return mask_url(value)
    if lower not in _NOT_SECRET_HEADERS and _SECRET_HEADER.search(lower):
        return MASK
    return value


def mask_url(url: str) -> str:
    """Put `***` for the user information of a URL and for the values of secret-looking parameters of path, query, fragment.

    Where a password with `/`, `?` or `#` broke the address (its port is no number), all before the last `@` goes. Nothing else is touched, not even percent signs, so that the URL stays the one that was called.

    >>> mask_url("https://me:pw@host/v1?model=x&api_key=abc")
    'https://***@host/v1?model=x&api_key=***'
    """
    url = _without_user(url)
    rest, hash_sign, fragment = url.partition("#")
    path, question_mark, query = rest.partition("?")
    path = _PATH_PARAMETER.sub(lambda match: _masked_parameter(match.group()), path)
    return f"{path}{question_mark}{_masked_parameters(query)}{hash_sign}{_masked_parameters(fragment)}"


def _without_user(url: str) -> str:
    before = _BEFORE_AUTHORITY.match(url)
    if before is None:  # a relative URL, or user and password without a scheme
        return _USERINFO_ALONE.sub(f"{MASK}@", url)
    start, rest = before.group(), url[before.end() :]
    authority = _AUTHORITY.match(rest)
    where = authority.end() if authority else 0
    _host, colon, port = rest[:where].rpartition("]")[2].rpartition(":")
    if "@" not in rest[:where] and colon and not port.isdecimal():
        where = len(rest)
    _user, at, host = rest[:where].rpartition("@")
    return f"{start}{MASK}@{host}{rest[where:]}" if at else url


def _masked_parameters(text: str) -> str:
    return "".join(_masked_parameter(piece) for piece in _PARAMETER.split(text))


def _masked_parameter(piece: str) -> str:
    name, equals, value = piece.partition("=")
    word = unquote_plus(name).rpartition("?")[2].lower().translate(_SEPARATORS)
    return f"{name}={MASK}" if equals and value and _SECRET_PARAMETER.search(word) else piece
