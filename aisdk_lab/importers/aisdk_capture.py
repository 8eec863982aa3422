"""Our own append-only capture file; `aisdk_lab/capture.py` documents the format and writes it.

A file that was cut anywhere is read up to the cut, and the capture says so; so is one that somebody damaged in the
middle, because the bytes after a lost segment would have wrong places.
"""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any, cast, get_args

import msgspec

from aisdk_lab.capture import (
    FORMAT_VERSION,
    HEADER_START,
    Capture,
    CaptureProtocol,
    Ended,
    Request,
    Response,
    Segment,
)
from aisdk_lab.errors import CaptureError

LOOKS_FOR = 'a first line {"aisdk_lab_capture": 1, …}'
SAMPLE = (
    b'{"aisdk_lab_capture":1,"name":"tiny","protocol":"ui-message-stream","clock":"monotonic"}\n'
    b'{"t_ns":4000000,"text":"data: {\\"type\\":\\"start\\"}\\n\\n"}\n'
    b'{"t_ns":5000000,"b64":"ZGF0YTogW0RPTkVdCgo="}\n'
    b'{"end":"complete","t_ns":6000000}\n'
)


def sniff(head: bytes, path: Path) -> float:
    """Sure of our first key, also when the file was cut inside it."""
    start = head.lstrip()[: len(HEADER_START)].replace(b" ", b"")
    return 1.0 if start and (HEADER_START.startswith(start)) and (len(start) > 1 or _is_ours(path)) else 0.0


def _is_ours(path: Path) -> bool:
    return path.name.endswith(".capture.jsonl")


def read(data: bytes, path: Path) -> tuple[Capture, ...]:
    """The one exchange of a capture file, up to where it was cut."""
    first, newline, rest = data.partition(b"\n")
    header = _header(first, bool(newline))
    segments: list[Segment] = []
    ended: dict[str, Any] = {}
    problem: str | None = None
    for number, line, is_last in _lines(rest):
        record = _record(line)
        if record is None and is_last:
            problem = f"cut in line {number}, after {len(line)} bytes of it; {len(segments)} segments are whole"
        elif record is None:
            problem = f"line {number} is neither a segment nor an end: {line[:60]!r}; what follows it was left out"
        if record is None:
            break
        if isinstance(record, Segment):
            segments.append(record)
        else:
            ended = record
            break
    if not ended and problem is None:
        problem = f"no end line: cut, or still being recorded; {len(segments)} segments are whole"
    return (_capture(header, tuple(segments), ended, problem, path),)


def _header(line: bytes, whole: bool) -> dict[str, Any]:
    try:
        header = msgspec.json.decode(line)
    except RecursionError as error:
        raise CaptureError("line 1, the header, is nested too deeply to be one: is it a capture file?") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        found = (
            f"the header line is cut after {len(line)} bytes" if not whole else f"the header line is not JSON ({error})"
        )
        raise CaptureError(f"{found}: {line[:80]!r}. Nothing after it can be placed.") from error
    version = header.get("aisdk_lab_capture") if isinstance(header, dict) else None
    if isinstance(version, bool) or not isinstance(version, int):
        raise CaptureError(f"the first line is no header: {line[:80]!r}")
    if version > FORMAT_VERSION:
        raise CaptureError(
            f"the file has format {version}, this version of aisdk_lab reads up to {FORMAT_VERSION}: upgrade aisdk_lab"
        )
    return header


def _lines(rest: bytes) -> list[tuple[int, bytes, bool]]:
    """Line number in the file, line, whether the file ends in it. Split at LF alone: texts may hold U+2028."""
    lines = rest.split(b"\n")
    last = len(lines) - 1
    return [(index + 2, line, index == last) for index, line in enumerate(lines) if line or index != last]


def _record(line: bytes) -> Segment | dict[str, Any] | None:
    """A segment, an end, or `None` for anything else (also for half a line)."""
    try:
        record = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    if not isinstance(record, dict):
        return None
    if record.get("end") in get_args(Ended):
        return record
    data = _bytes(record, "text", "b64")
    return None if data is None else Segment(t_ns=_whole(record.get("t_ns")), data=data)


def _bytes(record: dict[str, Any], text_key: str, b64_key: str) -> bytes | None:
    if isinstance(record.get(text_key), str):
        return record[text_key].encode()
    if isinstance(record.get(b64_key), str):
        try:
            return base64.b64decode(record[b64_key], validate=True)
        except ValueError:  # binascii.Error, or a character that is not ASCII
            return None
    return None


def _whole(value: object) -> int | None:
    """A whole number that a clock or a status may have; a larger one would break what is computed from it."""
    return value if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63 else None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _headers(value: object) -> dict[str, str]:
    return {str(name): str(text) for name, text in value.items()} if isinstance(value, dict) else {}


def _capture(
    header: dict[str, Any], segments: tuple[Segment, ...], ended: dict[str, Any], problem: str | None, path: Path
) -> Capture:
    request, response = header.get("request"), header.get("response")
    protocol = header.get("protocol")
    problems = [text for text in (_text(header.get("problem")), problem) if text]
    return Capture(
        name=_text(header.get("name")) or path.name.removesuffix(".capture.jsonl"),
        about=_text(header.get("about")),
        segments=segments,
        request=Request(
            method=str(request.get("method", "")),
            url=str(request.get("url", "")),
            headers=_headers(request.get("headers")),
            body=_bytes(request, "body", "body_b64"),
        )
        if isinstance(request, dict)
        else None,
        response=Response(
            _whole(response.get("status")), _headers(response.get("headers")), _whole(response.get("t_ns"))
        )
        if isinstance(response, dict)
        else None,
        started_at=_text(header.get("started_at")),
        protocol=cast(CaptureProtocol, protocol) if protocol in get_args(CaptureProtocol) else "unknown",
        ended=cast(Ended, ended.get("end", "cut")),
        ended_t_ns=_whole(ended.get("t_ns")),
        ended_text=_text(ended.get("text")),
        problem="; ".join(problems) or None,
        source=str(path),
    )
