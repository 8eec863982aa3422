"""Header names without case, the headers that streams are sent with, and secrets masked before anything is kept.

Stage: wire. Masking replaces values only: names, their case and their order stay, so that a capture still shows what
was sent. It is meant to err on the safe side: a harmless `x-session-count` is masked too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
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

_SECRET_HEADER = re.compile(r"token|secret|key|password|auth|session|cookie|credential|signature", re.IGNORECASE)
_NOT_SECRET_HEADERS = frozenset({":authority", "www-authenticate", "proxy-authenticate", "sec-websocket-key"})
_URL_HEADERS = frozenset({"location", "content-location", "referer", "origin"})

# Compared with the name in lower case and without `-`, `_` and `.`: `X-Amz-Signature` and `api_key` are both found.
_SECRET_PARAMETER = re.compile(
    r"token|secret|passw|passphrase|signature|credential|session|apikey|accesskey|privatekey|oauth|jwt|assertion"
    r"|^(?:key|code|sig|auth|authorization|pwd|pass|sid|bearer|subscriptionkey|googleaccessid|otp|pin)$"
)
_SEPARATORS = str.maketrans("", "", "-_.[]")
_USERINFO = re.compile(r"^([A-Za-z][A-Za-z0-9+.\-]*:)?//[^/?#]*@")
_PARAMETER = re.compile(r"([&;])")


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
    """Put `***` for the user information of a URL and for the values of secret-looking query and fragment parameters.

    Nothing else is touched, not even percent signs, so that the URL stays the one that was called.

    >>> mask_url("https://me:pw@host/v1?model=x&api_key=abc")
    'https://***@host/v1?model=x&api_key=***'
    """
    url = _USERINFO.sub(lambda match: f"{match.group(1) or ''}//{MASK}@", url)
    rest, hash_sign, fragment = url.partition("#")
    path, question_mark, query = rest.partition("?")
    return f"{path}{question_mark}{_masked_parameters(query)}{hash_sign}{_masked_parameters(fragment)}"


def _masked_parameters(text: str) -> str:
    return "".join(_masked_parameter(piece) for piece in _PARAMETER.split(text))


def _masked_parameter(piece: str) -> str:
    name, equals, value = piece.partition("=")
    word = unquote_plus(name).rpartition("?")[2].lower().translate(_SEPARATORS)
    return f"{name}={MASK}" if equals and value and _SECRET_PARAMETER.search(word) else piece
