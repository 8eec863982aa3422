"""Capture: the segments of one exchange with request, response headers and clock; saved, loaded, read as chunks.

Stage: between the bytes and everything that looks at them. A capture keeps what arrived and when; frames, chunks and the
message are made anew whenever they are asked for, so that nothing here can disagree with the bytes.

**The capture file** (`*.capture.jsonl`) is JSON Lines, UTF-8, LF, and only ever appended to:

    {"aisdk_lab_capture": 1, "name": "weather", "about": "…", "problem": "…",
     "protocol": "ui-message-stream", "started_at": "2026-11-30T09:00:00.123456Z",
     "clock": "monotonic",
     "request": {"method": "POST", "url": "…", "headers": {…}, "body": "…" | "body_b64": "…"},
     "response": {"status": 200, "headers": {…}, "t_ns": 3100000}}       the header: one line in the file
    {"t_ns": 4000000, "text": "data: {\\"type\\":\\"start\\"}\\n\\n"}    a segment whose bytes are valid UTF-8
    {"t_ns": 4100000, "b64": "5L0="}                                     any other segment
    {"end": "complete", "t_ns": 161000000}                               how it ended; "text" says more

`t_ns` counts monotonic nanoseconds since the request was sent. What is not known is absent; readers ignore keys that
they do not know. `end` is `complete` (closed cleanly), `interrupted` (by us), `error` (the connection broke) or `cut`
(saved from a recording that was cut). A file that was cut anywhere loads up to the cut and says so in
`Capture.problem`; only without a whole header line is it no capture. Secrets in headers and in the URL never get into
a `Request` or a `Response`; bodies are kept as they were sent.
"""

from __future__ import annotations

import base64
import codecs
import copy
import os
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Final, Literal, TypeAlias, cast

import msgspec

from aisdk_lab.card import html_card
from aisdk_lab.exchange import CaptureProtocol, Request, Response, Segment, protocol_of
from aisdk_lab.reducer import MessageReducer
from aisdk_lab.strings import word
from aisdk_lab.ui_stream.chunks import Chunk
from aisdk_lab.ui_stream.messages import Message, Part, is_tool_part, text_of
from aisdk_lab.ui_stream.old_data_stream import detect
from aisdk_lab.ui_stream.tool_status import tool_status
from aisdk_lab.ui_stream.validate import read_chunks
from aisdk_lab.wire.frame import Frame, Frames
from aisdk_lab.wire.headers import media_type
from aisdk_lab.wire.json_lines import JsonLinesDecoder
from aisdk_lab.wire.json_text import write_bytes
from aisdk_lab.wire.sse import SseDecoder
from aisdk_lab.wire.visible import visible

Ended: TypeAlias = Literal["complete", "cut", "interrupted", "error"]
EndState: TypeAlias = Literal["complete", "waiting", "error", "aborted", "truncated"]
StrPath: TypeAlias = str | bytes | os.PathLike[str] | os.PathLike[bytes]

__all__ = [
    "Capture",
    "CaptureProtocol",
    "CaptureWriter",
    "EndState",
    "Ended",
    "Request",
    "Response",
    "Segment",
    "captures_of",
    "protocol_of",
]

HEADER_START: Final = b'{"aisdk_lab_capture":'
"""How every capture file begins."""
FORMAT_VERSION: Final = 1
SHOWN_CHARS: Final = 240
"""How much of the reply the notebook's card shows."""
SHOWN_NAME: Final = 40
"""How much of an event's name a problem quotes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Capture:
    """One exchange: request, response headers, and every segment of the body with its arrival time."""

    name: str
    segments: tuple[Segment, ...] = ()
    request: Request | None = None
    response: Response | None = None
    started_at: str | None = None
    """Wall clock at the request, ISO 8601 in UTC; only to lay several exchanges beside each other."""
    protocol: CaptureProtocol = "ui-message-stream"
    ended: Ended = "complete"
    """How the bytes ended, which is not how the exchange ended: see `end_state`."""
    ended_t_ns: int | None = None
    ended_text: str | None = None
    """The error in words, or a remark of the recorder."""
    problem: str | None = None
    """What is wrong with the recording itself, in words."""
    about: str | None = None
    """What this is a recording of, in one line."""
    source: str | None = None
    """Where it was read from."""
    exchange: int = 1
    exchanges: int = 1
    """This is exchange number `exchange` of the `exchanges` in its source."""

    # --- what the bytes say ---

    def frames(self) -> Iterator[Frame]:
        """The frames in arrival order, decoded while they are asked for; never raises on remote bytes.

        In the text protocol every segment is one frame whose `data` is the text that became readable with it.
        """
        for batch in self._batches():
            yield from batch

    def _batches(self) -> Iterator[Frames]:
        """The frames that each segment completed."""
        if self.protocol == "text":
            yield from ([frame] for frame in self._text_frames())
            return
        decoder = JsonLinesDecoder() if self.protocol == "json-lines" else SseDecoder()
        for segment in self.segments:
            yield decoder.feed(segment.data, segment.t_ns)
        yield decoder.close(self.segments[-1].t_ns if self.segments else None)

    def _text_frames(self) -> Iterator[Frame]:
        decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        offset = 0
        for index, segment in enumerate(self.segments):
            text = decoder.decode(segment.data, final=index + 1 == len(self.segments))
            yield Frame(index=index, offset=offset, raw=segment.data, t_ns=segment.t_ns, data=text)
            offset += len(segment.data)

    def chunks(self) -> Iterator[tuple[Frame, Chunk]]:
        """Each chunk with the frame that brought it; frames without a chunk are left out (`table(…, "frames")`).

        In the text protocol: the chunks that the official client makes of the text (spec §1.5), less the `finish`,
        which nobody sent.
        """
        if self.protocol == "text":
            yield from self._text_chunks()
            return
        for frame, chunk, _problem in self.walk():
            if chunk is not None:
                yield frame, chunk

    def walk(self) -> Iterator[tuple[Frame, Chunk | None, str | None]]:
        """Every frame with the chunk that it brought, or with what is wrong with it (as `read_chunk` says it).

        Means nothing for the text protocol, whose frames are no chunks.
        """
        for batch in self._batches():
            yield from zip(batch, *read_chunks(batch), strict=True)

    def _text_chunks(self) -> Iterator[tuple[Frame, Chunk]]:
        frame = Frame(index=0, offset=0, raw=b"", t_ns=self.response.t_ns if self.response else None)
        block = "text-1"
        for chunk in ({"type": "start"}, {"type": "start-step"}, {"type": "text-start", "id": block}):
            yield frame, chunk
        for frame in self._text_frames():
            if frame.data:
                yield frame, {"type": "text-delta", "id": block, "delta": frame.data}
        if self.ended == "complete":
            yield frame, {"type": "text-end", "id": block}
            yield frame, {"type": "finish-step"}

    # --- what it comes to ---

    def problems(self) -> tuple[str, ...]:
        """What the official client would have refused, in order: `frame 3: …`; frames that are no chunks, chunks out of order.

        A frame with an event name is named with it. The old data stream of `ai` 4 is named as a whole, whatever its
        headers say. Empty for the text protocol, which has neither.
        """
        body = b"".join(segment.data for segment in self.segments)
        old = detect(body, self.response.headers if self.response else None)
        if old is not None:
            return (old.finding,)
        if self.protocol == "text":
            return ()
        reducer, found = MessageReducer(self._continued(), reset="never"), list[str]()
        for frame, chunk, problem in self.walk():
            if problem is not None:
                # An event name often says what the frame is: "ping".
                named = f" (event {frame.event[:SHOWN_NAME]!r})" if frame.event else ""
                found.append(f"frame {frame.index}{named}: {problem}")
            elif chunk is not None:
                reducer.feed(chunk)
                found.extend(f"frame {frame.index}: {finding.partition(': ')[2]}" for finding in reducer.findings)
                reducer.findings.clear()
        return tuple(found)

    def _body(self) -> dict[str, Any]:
        """The request's body when it is a JSON object, else an empty one."""
        body = self.request.json if self.request else None
        return body if isinstance(body, dict) else {}

    def _sent_messages(self) -> list[Message]:
        """The request's messages that are ones; a body is remote, and anything may be in it."""
        body = self._body()
        sent = body.get("messages") or ([body["message"]] if body.get("message") else None)
        if not isinstance(sent, list):
            return []
        return [message for message in sent if _is_message(message)]

    def _continued(self) -> Message | None:
        """The assistant message that the reply goes on with, as the official client chooses it (spec §6.4)."""
        sent, body = self._sent_messages(), self._body()
        if not sent or body.get("trigger") == "regenerate-message":
            return None
        named = [m for m in sent if m.get("id") == body.get("messageId")] if body.get("messageId") else []
        target = (named or sent)[-1]
        return copy.deepcopy(target) if target.get("role") == "assistant" else None

    def _reduced(self) -> tuple[MessageReducer, bool]:
        """The reducer after the last chunk, and whether there ever was something to show."""
        reducer, shown = MessageReducer(self._continued(), reset="never"), False
        for _frame, chunk in self.chunks():
            reducer.feed(chunk)
            shown = shown or reducer.visible
        return reducer, shown

    def message(self) -> Message:
        """The reply as the lenient reducer has it, begun from the message that the request continues."""
        return self._reduced()[0].message

    @property
    def messages(self) -> list[Message]:
        """The request's messages with the reply: put in place of the message that it continues, else at the end."""
        messages, (reducer, shown) = self._sent_messages(), self._reduced()
        if not shown:
            return messages  # the official client lists no reply that it never showed
        reply, continued = reducer.message, self._continued()
        same = [place for place, message in enumerate(messages) if message.get("id") == reply["id"]]
        if not same and continued is not None:  # the server gave the continued message another id
            same = [place for place, message in enumerate(messages[:-1]) if message.get("id") == continued.get("id")]
        return [*messages[: same[-1]], reply, *messages[same[-1] + 1 :]] if same else [*messages, reply]

    @property
    def end_state(self) -> EndState:
        """How the exchange ended: `complete`, `waiting`, `error`, `aborted`, or `truncated` (no end came).

        Order of judgement: an `error` chunk, a status from 400 on or a broken connection; an `abort` chunk or our own
        stop; a `finish` or `[DONE]`, which waits when an approval is open or a client tool is not answered; else
        truncated. A text body that was closed cleanly is complete.
        """
        return self._judged()[0]

    @property
    def waiting(self) -> tuple[str, ...]:
        """The `toolCallId`s that wait for a person or a client tool; empty unless the end state is `waiting`."""
        return self._judged()[1]

    def _judged(self) -> tuple[EndState, tuple[str, ...]]:
        reducer, types, done = MessageReducer(self._continued(), reset="never"), set[str](), False
        for frame, chunk, _problem in self.walk() if self.protocol != "text" else ():
            done = done or frame.is_done
            if chunk is not None:
                types.add(chunk["type"])
                reducer.feed(chunk)
        if "error" in types or self.ended == "error" or (self.response and (self.response.status or 0) >= 400):
            return "error", ()
        if "abort" in types or self.ended == "interrupted":
            return "aborted", ()
        if "finish" in types or done:
            waiting = _waiting(reducer.message["parts"], reducer.finish_reason)
            return ("waiting", waiting) if waiting else ("complete", ())
        return ("complete" if self.protocol == "text" and self.ended == "complete" else "truncated"), ()

    # --- sizes ---

    @property
    def size_bytes(self) -> int:
        """Bytes of the body."""
        return sum(len(segment.data) for segment in self.segments)

    @property
    def duration_ms(self) -> float | None:
        """Milliseconds from the request to the end of the body (to its last byte where the end was not stamped)."""
        last = self.ended_t_ns if self.ended_t_ns is not None else (self.segments[-1].t_ns if self.segments else None)
        return None if last is None else last / 1e6

    # --- on disk ---

    def save(self, path: StrPath) -> Path:
        """Writes the capture file and returns its path; an existing file is replaced once all is written.

        Half a surrogate pair, which UTF-8 cannot hold, is written as U+FFFD.
        """
        place = Path(os.fsdecode(path))
        if place.exists() and not place.is_file():  # a device or a pipe is written to, not replaced
            return self._write(place)
        place = place.resolve()  # the file that a link names is replaced, not the link
        new = place.with_name(f".{place.name}.{secrets.token_hex(4)}.new")
        try:
            self._write(new)
            new.replace(place)
        finally:
            new.unlink(missing_ok=True)
        return Path(os.fsdecode(path))

    def _write(self, place: Path) -> Path:
        with CaptureWriter(place, self) as writer:
            for segment in self.segments:
                writer.append(segment)
            writer.end(self.ended, self.ended_t_ns, self.ended_text)
        return place

    # --- in a notebook ---

    def __repr__(self) -> str:
        problem = [word("capture.has_problem", problem=visible(self.problem))] if self.problem else []
        return f"<Capture {self.name!r}: {'; '.join([*_facts(self), *problem])}>"

    def _repr_html_(self) -> str:
        rows = {}
        if self.request:
            rows[word("capture.request")] = f"{self.request.method} {self.request.url}"
        if self.response:
            rows[word("capture.response")] = f"{self.response.status or ''} {media_type(self.response.headers)}".strip()
        rows[word("capture.body")] = "; ".join(_facts(self)[1:])
        reply = text_of(self.message())
        rows[word("capture.reply")] = reply if len(reply) <= SHOWN_CHARS else reply[: SHOWN_CHARS - 1] + "…"
        problems = self.problems()
        if problems:
            rows[word("capture.unreadable")] = _first(problems)
        rows[word("capture.ended")] = self.ended_text
        rows[word("capture.problem")] = self.problem
        return html_card(self.name, word(f"capture.end_state.{self.end_state}"), self.about, rows)


def _is_message(value: object) -> bool:
    """Whether everybody who reads messages can read this one: what they rely on is there, and is of its type."""
    if not isinstance(value, dict) or not isinstance(value.get("parts"), list):
        return False
    return (
        isinstance(value.get("id", ""), str)
        and isinstance(value.get("role"), str)
        and all(map(_is_part, value["parts"]))
    )


def _is_part(value: object) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        return False
    if not is_tool_part(value):
        return isinstance(value.get("id", ""), str)
    approval = value.get("approval", {"id": ""})
    return (
        all(isinstance(value.get(key), str) for key in ("toolCallId", "state"))
        and isinstance(approval, dict)
        and isinstance(approval.get("id"), str)
        and (value["state"] != "input-streaming" or isinstance(value.get("rawInput", ""), str))
    )


def captures_of(given: object) -> tuple[Capture, ...]:
    """The captures that a caller gave: one, or several in their order.

    Raises:
        TypeError: something else; says what came and how to get a capture.
    """
    several = (given,) if isinstance(given, Capture) or not isinstance(given, Iterable) else tuple(given)
    if isinstance(given, str) or not all(isinstance(each, Capture) for each in several):
        raise TypeError(
            f"expected a capture or several, got {given!r:.80}. lab.samples[name], lab.load(path) and lab.record(url) give one."
        )
    return cast("tuple[Capture, ...]", several)


def _waiting(parts: Sequence[Part], finish_reason: str | None) -> tuple[str, ...]:
    return tuple(
        part["toolCallId"]
        for part in parts
        # Without the neighbours, which decide only about calls that do not wait: asking them is quadratic.
        if is_tool_part(part) and tool_status(part, finish_reason=finish_reason) == "waiting"
    )


def _facts(capture: Capture) -> list[str]:
    """End state, sizes and place, in words; the repr and the card say the same."""
    frames = sum(1 for _frame in capture.frames())
    facts = [
        word(f"capture.end_state.{capture.end_state}"),
        word("capture.sizes", frames=frames, segments=len(capture.segments), size=f"{capture.size_bytes:,}"),
    ]
    if capture.duration_ms is not None:
        facts.append(word("capture.seconds", seconds=f"{capture.duration_ms / 1000:.3f}"))
    problems = capture.problems()
    if problems:
        nothing_read = next(capture.chunks(), None) is None
        facts.append(word("capture.no_chunks" if nothing_read else "capture.problems", n=len(problems)))
    if capture.exchanges > 1:
        facts.append(word("capture.exchange", number=capture.exchange, total=capture.exchanges))
    return facts


def _first(problems: Sequence[str]) -> str:
    """The first problem, cut; the number of all is among the facts."""
    first = problems[0]
    return first if len(first) <= SHOWN_CHARS else first[: SHOWN_CHARS - 1] + "…"


class CaptureWriter:
    """Appends to a capture file. What was appended is with the operating system when `append` returns.

    So a killed recorder loses nothing that it was told (a power cut may). Used as a context manager or closed by hand;
    a file without `end` loads as cut.
    """

    def __init__(self, path: StrPath, capture: Capture) -> None:
        self.path = Path(os.fsdecode(path))
        self._file: BinaryIO = self.path.open("wb")
        self._write(_header(capture))

    def _write(self, line: Mapping[str, Any]) -> None:
        self._file.write(_encoded({key: value for key, value in line.items() if value is not None}) + b"\n")
        self._file.flush()

    def append(self, segment: Segment) -> None:
        """Writes one segment."""
        self._write({"t_ns": segment.t_ns, **_text_or_b64("text", "b64", segment.data)})

    def end(self, ended: Ended, t_ns: int | None = None, text: str | None = None) -> None:
        """Writes how it ended; nothing may follow."""
        self._write({"end": ended, "t_ns": t_ns, "text": text})

    def close(self) -> None:
        """Closes the file; may be called again."""
        self._file.close()

    def __enter__(self) -> CaptureWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


def _encoded(line: dict[str, Any]) -> bytes:
    try:
        return msgspec.json.encode(line)  # five times as fast, and keeps the order of headers that look like numbers
    except UnicodeEncodeError:  # half a surrogate pair
        return write_bytes(line)


def _text_or_b64(text_key: str, b64_key: str, data: bytes) -> dict[str, str]:
    """Valid UTF-8 stays readable (strict decoding is one to one); anything else goes as Base64."""
    try:
        return {text_key: data.decode("utf-8")}
    except UnicodeDecodeError:
        return {b64_key: base64.b64encode(data).decode("ascii")}


def _header(capture: Capture) -> dict[str, Any]:
    request, response = capture.request, capture.response
    header: dict[str, Any] = {
        "aisdk_lab_capture": FORMAT_VERSION,
        "name": capture.name,
        "about": capture.about,
        "problem": capture.problem,
        "protocol": capture.protocol,
        "started_at": capture.started_at,
        "clock": "monotonic" if any(s.t_ns is not None for s in capture.segments) or capture.started_at else None,
    }
    if request:
        body = _text_or_b64("body", "body_b64", request.body) if request.body is not None else {}
        header["request"] = {"method": request.method, "url": request.url, "headers": dict(request.headers), **body}
    if response:
        fields = {"status": response.status, "headers": dict(response.headers), "t_ns": response.t_ns}
        header["response"] = {key: value for key, value in fields.items() if value is not None}
    return header
