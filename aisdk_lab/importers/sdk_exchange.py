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
import binascii
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
        raise CaptureError(f"not JSON: {problem}") from problem
    exchanges = recording.get("exchanges") if isinstance(recording, dict) else None
    if not isinstance(exchanges, list):
        keys = ", ".join(map(repr, list(recording)[:8])) if isinstance(recording, dict) else type(recording).__name__
        raise CaptureError(f'JSON without a list "exchanges"; found {keys}')
    name = str(recording.get("name") or path.stem)
    oracle = recording.get("oracle") or {}
    about = " ".join(
        mend_surrogates(part)
        for part in (recording.get("description"), f"(ai {oracle['ai']})" if "ai" in oracle else None)
        if isinstance(part, str)
    )
    captures: list[Capture] = []
    for number, exchange in enumerate(exchanges, start=1):
        try:
            request, response = _request(exchange["request"]), _response(exchange["response"])
            segments = tuple(_segment(chunk) for chunk in exchange["response"].get("chunks") or ())
            ended, ended_text = _end(exchange["response"], len(segments))
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise CaptureError(f"exchange {number} is not one: {type(error).__name__}: {error}") from error
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


def _request(request: dict[str, Any]) -> Request:
    body = request.get("bodyText")
    return Request(
        method=str(request["method"]),
        url=str(request.get("url") or request["path"]),
        headers={str(name): str(value) for name, value in (request.get("headers") or {}).items()},
        body=mend_surrogates(body).encode() if isinstance(body, str) else None,
    )


def _response(response: dict[str, Any]) -> Response:
    headers = {str(name): str(value) for name, value in (response.get("headers") or {}).items()}
    return Response(int(response["status"]), headers)


def _segment(chunk: dict[str, Any]) -> Segment:
    t_ms = chunk.get("t_ms")
    try:
        data = (
            mend_surrogates(chunk["text"]).encode()
            if "text" in chunk
            else base64.b64decode(chunk["b64"], validate=True)
        )
    except binascii.Error as error:
        raise CaptureError(f"a chunk is not Base64: {chunk['b64'][:40]!r}") from error
    return Segment(t_ns=None if t_ms is None else round(t_ms * 1e6), data=data)


def _end(response: dict[str, Any], reads: int) -> tuple[Ended, str | None]:
    end, gave_up = str(response.get("end", "complete")), response.get("clientCancelledAfter")
    remark = f"the client gave up after {gave_up} of {reads} reads; the recorder went on" if gave_up else None
    if end == "complete":
        return "complete", remark
    text = end.removeprefix("broken: ")
    return ("interrupted" if text.startswith("AbortError") else "error"), text
