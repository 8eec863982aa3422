"""Captures as something that can be played: what was asked, and each chunk with its time on one axis.

Stage: transports, pure. Several captures are the exchanges of one conversation, laid end to end: the time between them was
a person's, and is not played.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from aisdk_lab.capture import Capture
from aisdk_lab.errors import TransportError
from aisdk_lab.ui_stream.chunks import Chunk
from aisdk_lab.ui_stream.messages import Message, is_tool_part
from aisdk_lab.ui_stream.validate import read_chunk

_ROLES = ("system", "user", "assistant")


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and its answer on the recording's time axis (milliseconds from the first request)."""

    messages: tuple[Message, ...]
    """The history that the request carried."""
    timeline: tuple[tuple[float, Chunk], ...]
    """Each chunk with its time; never decreasing."""
    begins_ms: float
    ends_ms: float
    findings: tuple[str, ...]
    done: bool
    """`[DONE]` came."""
    interrupted: bool
    """The recorder or its client broke the response off."""
    failure: TransportError | None
    """How the exchange broke, if it did."""
    is_resumed: bool = False
    """It joined a response that an earlier request had begun (a GET): it brings no history of its own."""
    is_nothing: bool = False
    """There was nothing to join (204)."""


@dataclass(frozen=True, slots=True)
class Recording:
    """The exchanges of one conversation."""

    title: str
    exchanges: tuple[Exchange, ...]

    @property
    def duration_ms(self) -> float:
        """From the first request to the last byte, without the time between the exchanges."""
        return self.exchanges[-1].ends_ms if self.exchanges else 0.0

    def history_of(self, index: int) -> tuple[Message, ...]:
        """The history that an exchange began with: its own, or that of the request whose response it joined."""
        while index and self.exchanges[index].is_resumed:
            index -= 1
        return self.exchanges[index].messages

    def index_at(self, position_ms: float) -> int:
        """The exchange that is under way at a position; the later one where two meet."""
        begun = [index for index, exchange in enumerate(self.exchanges) if exchange.begins_ms <= position_ms]
        return begun[-1] if begun else 0


def recording_of(captures: Iterable[Capture]) -> Recording:
    """The recording that the captures make, in their order. Raises `ValueError` when there are none."""
    exchanges: list[Exchange] = []
    names: list[str] = []
    for capture in captures:
        exchanges.append(_exchange(capture, exchanges[-1].ends_ms if exchanges else 0.0))
        names.append(capture.name)
    if not exchanges:
        raise ValueError("no capture to play: give one, or several of one conversation in their order")
    return Recording(names[0], tuple(exchanges))


def _exchange(capture: Capture, begins_ms: float) -> Exchange:
    timeline: list[tuple[float, Chunk]] = []
    now_ms = begins_ms
    for frame, chunk in capture.chunks():
        # Without a clock everything comes at once; a clock that runs backwards is not followed.
        now_ms = max(now_ms, begins_ms + (frame.t_ns or 0) / 1e6)
        timeline.append((now_ms, chunk))
    findings, done = _other_frames(capture)
    return Exchange(
        messages=tuple(_history(capture)),
        timeline=tuple(timeline),
        begins_ms=begins_ms,
        ends_ms=max(now_ms, begins_ms + (capture.duration_ms or 0.0)),
        findings=findings,
        done=done,
        interrupted=capture.ended == "interrupted",
        failure=_failure(capture),
        is_resumed=capture.request is not None and capture.request.method.upper() == "GET",
        is_nothing=capture.response is not None and capture.response.status == 204,
    )


def _other_frames(capture: Capture) -> tuple[tuple[str, ...], bool]:
    if capture.protocol == "text":
        return (), capture.ended == "complete"
    findings: list[str] = []
    done = False
    for frame in capture.frames():
        done = done or frame.is_done
        problem = read_chunk(frame)[1]
        if problem is not None:
            findings.append(f"frame {frame.index}: {problem}")
    return tuple(findings), done


def _failure(capture: Capture) -> TransportError | None:
    status = capture.response.status if capture.response else None
    if status is not None and status >= 400:
        text = b"".join(segment.data for segment in capture.segments).decode(errors="replace")
        return TransportError(text or "Failed to fetch the chat response.", name="AI_APICallError", status=status)
    if capture.ended == "error":
        return TransportError(capture.ended_text or "terminated", name="TypeError")
    return None


def _history(capture: Capture) -> list[Message]:
    """The request's messages as far as they are messages: a recording may hold anything."""
    body: Any = capture.request.json if capture.request else None
    if not isinstance(body, dict):
        return []
    return readable_messages(body.get("messages") or [body.get("message")])


def readable_messages(found: Any) -> list[Message]:
    """What can be shown of a list that should be one of messages: those that are none are skipped, and so are bad parts."""
    if not isinstance(found, list):
        return []
    messages: list[Message] = []
    for number, message in enumerate(found):
        if isinstance(message, dict) and message.get("role") in _ROLES and isinstance(message.get("parts"), list):
            message_id = message.get("id")
            parts = [part for part in message["parts"] if _is_part(part)]
            messages.append(
                {**message, "id": message_id if isinstance(message_id, str) else f"sent-{number}", "parts": parts}
            )
    return messages


def _is_part(part: Any) -> bool:
    if not isinstance(part, dict) or not isinstance(part.get("type"), str):
        return False
    if part["type"] in ("text", "reasoning"):
        return isinstance(part.get("text"), str)
    if not is_tool_part(part):
        return True
    texts = ("toolCallId", "state", *(("toolName",) if part["type"] == "dynamic-tool" else ()))
    return all(isinstance(part.get(key), str) for key in texts) and isinstance(part.get("approval") or {}, dict)


def as_captures(source: Capture | Sequence[Capture]) -> Sequence[Capture]:
    """One capture or several, as several."""
    return (source,) if isinstance(source, Capture) else source
