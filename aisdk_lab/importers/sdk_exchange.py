"""Recorded exchanges between the official client and server: one JSON object with a list `exchanges`.

    {"name": "…", "description": "…", "oracle": {"ai": "7.0.173", …}, "exchanges": [
        {"request": {"method", "path", "headers", "bodyText"},
         "response": {"status", "headers", "chunks": [{"t_ms", "text" | "b64"}], "end": "complete" | "broken: …",
                      "clientCancelledAfter"?}}]}

Other keys (the server's script, what the client did) are not the exchange and are left out. Times are whole milliseconds
since the request. An abort by the client counts as our own stop, any other break as a broken connection; a client that
gave up by itself is a remark, because the recorder went on reading.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

from aisdk_lab.capture import Capture, Ended, Request, Response, Segment, protocol_of
from aisdk_lab.errors import CaptureError
from aisdk_lab.wire.body import BOM
from aisdk_lab.wire.json_text import mend_surrogates

LOOKS_FOR = 'a JSON object with a list "exchanges"'
SAMPLE = (
    b'{"name": "tiny", "exchanges": [{"request": {"method": "POST", "path": "/api/chat", "headers": {}, "bodyText": "{}"},'
    b' "response": {"status": 200, "headers": {"content-type": "text/event-stream"}, "end": "complete",'
    b' "chunks": [{"t_ms": 4, "text": "data: [DONE]\\n"}, {"t_ms": 5, "b64": "Cg=="}]}}]}'
)


def sniff(head: bytes, path: Path) -> float:
    """Sure when the key is near the top, willing to look at any other JSON object in a `.json` file."""
    if not head.removeprefix(BOM).lstrip().startswith(b"{"):
        return 0.0
    if b'"exchanges"' in head:
        return 0.9
    return 0.3 if path.suffix == ".json" else 0.0


def read(data: bytes, path: Path) -> tuple[Capture, ...]:
    """Every exchange of the file; later ones are called `<name>-2`, `<name>-3` …"""
    try:
        # The tolerant reader: a recording may hold half a surrogate pair or a forbidden key on purpose.
        recording = json.loads(data)
    except (ValueError, RecursionError) as problem:
        said = "it is nested too deeply" if isinstance(problem, RecursionError) else str(problem)
        raise CaptureError(f"not JSON: {said}") from problem
    exchanges = recording.get("exchanges") if isinstance(recording, dict) else None
    if not isinstance(exchanges, list):
        keys = ", ".join(map(repr, list(recording)[:8])) if isinstance(recording, dict) else type(recording).__name__
        raise CaptureError(f'JSON without a list "exchanges"; found {keys}')
    name = mend_surrogates(str(recording.get("name") or path.stem))
    oracle = recording.get("oracle")
    version = oracle.get("ai") if isinstance(oracle, dict) else None
    about = " ".join(
        mend_surrogates(part)
        for part in (recording.get("description"), f"(ai {version})" if version is not None else None)
        if isinstance(part, str)
    )
    captures: list[Capture] = []
    for number, exchange in enumerate(exchanges, start=1):
        try:
            request, response, segments, (ended, ended_text) = _parts(exchange)
        except CaptureError as error:
            raise CaptureError(f"exchange {number}: {error}") from error
        captures.append(
            Capture(
                name=name if number == 1 else f"{name}-{number}",
                about=about or None,
                segments=segments,
                request=request,
                response=response,
                protocol=protocol_of(response),
                ended=ended,
                ended_text=ended_text,
                source=str(path),
                exchange=number,
                exchanges=len(exchanges),
            )
        )
    return tuple(captures)


def _parts(exchange: object) -> tuple[Request, Response, tuple[Segment, ...], tuple[Ended, str | None]]:
    exchange = _object("the exchange", exchange)
    response = _object("its response", exchange.get("response"))
    chunks = response.get("chunks") or []
    if not isinstance(chunks, list):
        raise CaptureError(f"expected a list of chunks, found {chunks!r:.40}")
    segments = tuple(_segment(number, chunk) for number, chunk in enumerate(chunks, start=1))
    return (
        _request(_object("its request", exchange.get("request"))),
        Response(_status(response.get("status")), _headers(response)),
        segments,
        _end(response, len(segments)),
    )


def _object(what: str, value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise CaptureError(f"{what} must be an object, found {'nothing' if value is None else f'{value!r:.40}'}")
    return value


def _headers(message: dict[str, Any]) -> dict[str, str]:
    headers = _object("its headers", message.get("headers") or {})
    return {mend_surrogates(name): mend_surrogates(str(value)) for name, value in headers.items()}


def _request(request: dict[str, Any]) -> Request:
    body, url = request.get("bodyText"), request.get("url") or request.get("path")
    if not isinstance(url, str):
        raise CaptureError(f"its request has no path, found {url!r:.40}")
    return Request(
        method=mend_surrogates(str(request.get("method", ""))),
        url=mend_surrogates(url),
        headers=_headers(request),
        body=mend_surrogates(body).encode() if isinstance(body, str) else None,
    )


def _status(value: object) -> int:
    try:
        status = int(value) if isinstance(value, int | float | str) else 0
    except (ValueError, OverflowError):
        status = 0
    if not 100 <= status <= 999:
        raise CaptureError(f"its status must be a number from 100 to 999, found {value!r:.40}")
    return status


def _segment(number: int, chunk: object) -> Segment:
    chunk = _object(f"chunk {number}", chunk)
    text, b64, t_ms = chunk.get("text"), chunk.get("b64"), chunk.get("t_ms")
    # Finite, and small enough for nanoseconds in 64 bits: 292 years.
    if t_ms is not None and not (isinstance(t_ms, int | float) and abs(t_ms) < 2**63 / 1e6):
        raise CaptureError(f"t_ms of chunk {number} must be milliseconds, found {t_ms!r:.40}")
    if isinstance(text, str):
        data = mend_surrogates(text).encode()
    elif isinstance(b64, str):
        try:
            data = base64.b64decode(b64, validate=True)
        except ValueError as error:  # binascii.Error, or a character that is not ASCII
            raise CaptureError(f"chunk {number} is not Base64: {b64[:40]!r}") from error
    else:
        raise CaptureError(f'chunk {number} has neither "text" nor "b64"')
    return Segment(t_ns=None if t_ms is None else round(t_ms * 1e6), data=data)


def _end(response: dict[str, Any], reads: int) -> tuple[Ended, str | None]:
    end, gave_up = str(response.get("end", "complete")), response.get("clientCancelledAfter")
    remark = f"the client gave up after {gave_up} of {reads} reads; the recorder went on" if gave_up else None
    if end == "complete":
        return "complete", remark
    text = end.removeprefix("broken: ")
    return ("interrupted" if text.startswith("AbortError") else "error"), mend_surrogates(text)
