"""What was exchanged: segments with their arrival, the request, the response's headers.

Stage: between the bytes and the capture that holds them together. Secrets are masked when the objects are made, so that
nothing above ever holds one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import msgspec

from aisdk_lab.wire.headers import mask_headers, mask_url, media_type
from aisdk_lab.wire.json_text import JsonProblem, read

CaptureProtocol: TypeAlias = Literal["ui-message-stream", "text", "json-lines", "unknown"]


class Segment(msgspec.Struct, frozen=True, gc=False):
    """The bytes that one read returned."""

    t_ns: int | None
    """Monotonic arrival, nanoseconds since the request was sent; `None` where no clock was kept."""
    data: bytes


@dataclass(frozen=True, slots=True)
class Request:
    """What was sent. Secrets in `url` and `headers` are masked when the object is made."""

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "url", mask_url(self.url))
        object.__setattr__(self, "headers", mask_headers(self.headers))

    @property
    def json(self) -> Any:
        """The body as a JSON value; `None` when there is none or it is not JSON."""
        try:
            return read(self.body or b"null")
        except JsonProblem:
            return None


@dataclass(frozen=True, slots=True)
class Response:
    """Status and headers that came back; secrets in `headers` are masked when the object is made."""

    status: int | None
    """`None` where the source does not tell it."""
    headers: Mapping[str, str] = field(default_factory=dict)
    t_ns: int | None = None
    """When the headers were there, nanoseconds since the request was sent."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "headers", mask_headers(self.headers))


def protocol_of(response: Response | None) -> CaptureProtocol:
    """The protocol that status and `content-type` announce.

    The official client looks at neither (spec §1.1), so every event stream is taken for a UI Message Stream here.
    """
    if response is None:
        return "unknown"
    kind = media_type(response.headers)
    if kind == "text/event-stream":
        return "ui-message-stream"
    if kind in ("application/x-ndjson", "application/jsonl", "application/json-lines"):
        return "json-lines"
    if kind == "text/plain" and (response.status or 200) < 400:
        return "text"
    return "unknown"
