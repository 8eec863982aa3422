"""SSE bytes to frames: any cut, every line end, no byte lost."""

from __future__ import annotations

import base64
import json
import math
import re
import time
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from aisdk_lab.ui_stream.validate import read_chunk
from aisdk_lab.wire import DONE_FRAME, Frame, SseDecoder, encode_comment, encode_sse, json_text
from aisdk_lab.wire.frame import UNFINISHED_CR, FrameBatch
from aisdk_lab.wire.sse import UNFINISHED

GOLDEN = Path(__file__).parents[1] / "golden" / "sse" / "sse.jsonl"
CASES = [json.loads(line) for line in GOLDEN.read_bytes().splitlines()]


def decode(segments: list[bytes], limit_bytes: int | None = None) -> list[Frame]:
    """All frames of a body; without a limit the decoder's own counts."""
    decoder = SseDecoder() if limit_bytes is None else SseDecoder(limit_bytes)
    frames = [frame for segment in segments for frame in decoder.feed(segment)]
    return frames + decoder.close()


def as_doubles(value: Any) -> Any:
    """Numbers as the golden files write them: doubles, infinity as null."""
    if isinstance(value, dict):
        return {key: as_doubles(member) for key, member in value.items()}
    if isinstance(value, list):
        return [as_doubles(member) for member in value]
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value) if math.isfinite(value) else None
    return value


def event_of(frame: Frame, schema: str) -> dict[str, Any] | None:
    """What the reference's pipeline makes of a frame: a value, a failure by name, or nothing."""
    if frame.problem is not None or frame.data is None or frame.is_done:
        return None
    try:
        value = json_text.read(frame.data)
    except json_text.JsonProblem:
        return {"success": False, "name": "AI_JSONParseError"}
    if schema == "ui" and read_chunk(frame)[1] is not None:
        return {"success": False, "name": "AI_TypeValidationError"}
    return {"success": True, "value": as_doubles(value)}


def expected_event(event: dict[str, Any]) -> dict[str, Any]:
    if event["success"]:
        return {"success": True, "value": as_doubles(event["value"])}
    return {"success": False, "name": event["error"]["name"]}


def test_no_golden_case_is_left_out() -> None:
    """Cases tagged js-quirk need not be matched; there are none."""
    assert [case["name"] for case in CASES if "js-quirk" in case.get("tags", ())] == []
    assert [case["name"] for case in CASES if case["expect"]["streamError"]] == []


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_the_events_are_those_of_the_reference(case: dict[str, Any]) -> None:
    segments = [base64.b64decode(segment) for segment in case["input"]["chunks"]]
    frames = decode(segments)
    events = [event_of(frame, case["input"].get("schema", "any")) for frame in frames]
    assert [event for event in events if event] == [expected_event(event) for event in case["expect"]["events"]]
    assert b"".join(frame.raw for frame in frames) == b"".join(segments)


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_one_byte_reads_and_one_read_give_the_same_frames(case: dict[str, Any]) -> None:
    body = b"".join(base64.b64decode(segment) for segment in case["input"]["chunks"])
    assert decode([body[place : place + 1] for place in range(len(body))]) == decode([body])


def test_every_field_of_a_block_is_reported() -> None:
    body = b": hi\n:there\nevent: e\nid: 7\nretry: 1500\ndata: a\ndata:  b\ndata\nunknown: x\n\n"
    assert decode([body]) == [
        Frame(0, 0, body, None, "e", "a\n b\n", "7", 1500, "hi\nthere"),
    ]


def test_what_browsers_ignore_is_ignored() -> None:
    body = b"retry: 1.5\nretry: \xd9\xa1\nid: a\0b\nevent:\nData: x\n data: y\ndata : z\n\n"
    assert decode([body]) == [Frame(0, 0, body)]


def test_a_retry_of_any_length_does_not_raise() -> None:
    (frame,) = decode([b"retry: " + b"9" * 6000 + b"\n\n"])
    assert (frame.retry_ms, frame.problem) == (None, None)


def test_comments_and_done_are_frames_with_offsets() -> None:
    body = b": keep-alive\n\ndata: {}\n\ndata: [DONE]\n\n"
    assert decode([body]) == [
        Frame(0, 0, b": keep-alive\n\n", comment="keep-alive"),
        Frame(1, 14, b"data: {}\n\n", data="{}"),
        Frame(2, 24, DONE_FRAME, data="[DONE]"),
    ]


def test_blank_lines_and_a_bom_belong_to_the_frame_after_them() -> None:
    body = b"\xef\xbb\xbf\n\r\ndata: 1\n\n\n\n\rdata: 2\n\n\n"
    assert decode([body]) == [
        Frame(0, 0, b"\xef\xbb\xbf\n\r\ndata: 1\n\n", data="1"),
        Frame(1, 15, b"\n\n\rdata: 2\n\n", data="2"),
        Frame(2, 27, b"\n"),
    ]


def test_an_unfinished_tail_is_a_frame_with_a_problem() -> None:
    assert decode([b"data: 1\n\ndata: 2\nda"]) == [
        Frame(0, 0, b"data: 1\n\n", data="1"),
        Frame(1, 9, b"data: 2\nda", data="2", problem=UNFINISHED),
    ]


def test_a_last_cr_stays_undecided_and_its_event_is_not_one() -> None:
    """A browser would send it; eventsource-parser, and so the reference, loses it."""
    assert decode([b"data: 1\r\rdata: 2\r\r"]) == [
        Frame(0, 0, b"data: 1\r\r", data="1"),
        Frame(1, 9, b"data: 2\r\r", data="2", problem=UNFINISHED_CR),
    ]


def test_a_cr_at_the_end_of_a_segment_does_not_make_a_blank_line() -> None:
    decoder = SseDecoder()
    assert decoder.feed(b"data: 1\r") == []
    assert decoder.feed(b"\ndata: 2\r\n\r") == []
    assert decoder.feed(b"\n") == [Frame(0, 0, b"data: 1\r\ndata: 2\r\n\r\n", data="1\n2")]


def test_a_frame_has_the_time_of_its_own_last_byte() -> None:
    decoder = SseDecoder()
    assert decoder.feed(b"data: 1\n\nda", 10) == [Frame(0, 0, b"data: 1\n\n", 10, data="1")]
    assert decoder.feed(b"ta: 2\n", 20) == []
    assert decoder.feed(b"\ndata: 3\r\r", 30) == [Frame(1, 9, b"data: 2\n\n", 30, data="2")]
    # Only now is it known that the CR ended the block; the block itself ended at 30.
    assert decoder.feed(b"data: 4", 40) == [Frame(2, 18, b"data: 3\r\r", 30, data="3")]
    assert decoder.feed(b"", 50) == []
    assert decoder.close(60) == [Frame(3, 27, b"data: 4", 40, data="4", problem=UNFINISHED)]


def test_invalid_utf8_becomes_replacement_characters_without_a_problem() -> None:
    body = b'data: "\xff\xfe"\n\ndata: "\xe6\x9d"\n\ndata: ok\n\n'
    assert [(frame.data, frame.problem) for frame in decode([body])] == [
        ('"\ufffd\ufffd"', None),
        ('"\ufffd"', None),
        ("ok", None),
    ]


def test_a_block_above_the_limit_comes_in_pieces_and_the_next_one_is_whole() -> None:
    body = b"\ndata: " + b"x" * 30 + b"\n\ndata: 1\n\n"
    problem = "longer than 16 bytes and not decoded; this is a piece of it"
    assert decode([body], 16) == [
        Frame(0, 0, b"\ndata: " + b"x" * 10, problem=problem),
        Frame(1, 17, b"x" * 16, problem=problem),
        Frame(2, 33, b"xxxx\n\n", problem=problem),
        Frame(3, 39, b"data: 1\n\n", data="1"),
    ]


def test_a_body_that_never_ends_a_block_keeps_no_more_than_the_limit() -> None:
    decoder = SseDecoder(100)
    frames = [frame for _ in range(1000) for frame in decoder.feed(b"0123456789")]
    assert len(frames) == 99
    assert {len(frame.raw) for frame in frames} == {100}


PIECES = [b"data: 1", b"data:", b"data", b": c", b":", b"id: 2", b"x", b"", b"\xe6\x9d\xad", b"\xff", b"\xef\xbb\xbf"]
LINE_ENDS = [b"\n", b"\r\n", b"\r", b"\n\n", b"\r\n\r\n", b"\r\r", b""]


@st.composite
def bodies_and_cuts(draw: st.DrawFn) -> tuple[bytes, list[int]]:
    """A body of likely and unlikely lines, and where to cut it."""
    lines = draw(st.lists(st.tuples(st.sampled_from(PIECES), st.sampled_from(LINE_ENDS)), max_size=12))
    body = b"".join(piece + end for piece, end in lines)
    return body, sorted(draw(st.lists(st.integers(0, len(body)), max_size=6)))


def plain_data(body: bytes) -> list[str]:
    """The data of all finished events, by a plain reading of the whole text: what the decoder must agree with."""
    text = body.decode("utf-8", "replace").removeprefix("\ufeff")
    if text.endswith("\r"):
        text = text[:-1]  # may be half of a CRLF: the line is not known to have ended
    found: list[str] = []
    data: list[str] = []
    for line in re.split("\r\n|\n|\r", text)[:-1]:
        name, _, value = line.partition(":")
        if not line:
            found += ["\n".join(data)] if data else []
            data = []
        elif name == "data":
            data.append(value.removeprefix(" "))
    return found


@given(bodies_and_cuts(), st.sampled_from([None, 1, 3, 9, 20]))
def test_the_cuts_change_nothing(body_and_cuts: tuple[bytes, list[int]], limit_bytes: int | None) -> None:
    body, cuts = body_and_cuts
    segments = [body[start:end] for start, end in zip([0, *cuts], [*cuts, len(body)], strict=True)]
    frames = decode(segments, limit_bytes)
    assert frames == decode([body], limit_bytes)
    assert b"".join(frame.raw for frame in frames) == body
    offsets = [0]
    for frame in frames:
        offsets.append(offsets[-1] + len(frame.raw))
    assert [(frame.index, frame.offset) for frame in frames] == list(enumerate(offsets[:-1]))
    if limit_bytes is None:
        events = [frame.data for frame in frames if frame.problem is None and frame.data is not None]
        assert events == plain_data(body)


@given(st.lists(st.text(), max_size=5), st.integers(1, 40))
def test_what_is_encoded_is_decoded(texts: list[str], size: int) -> None:
    body = b"".join(encode_sse(text) for text in texts)
    frames = decode([body[place : place + size] for place in range(0, len(body), size)])
    lines_joined = [re.sub("\r\n|\r", "\n", text) for text in texts]
    assert [(frame.data, frame.problem) for frame in frames] == [(text, None) for text in lines_joined]


def test_frames_of_plain_blocks_are_made_when_looked_at_and_act_as_a_list() -> None:
    decoder = SseDecoder()
    batch = decoder.feed(b"data: 1\n\ndata: \xe6\x9d\xad\n\ndata: \xff\n\nda", 7)
    frames = [
        Frame(0, 0, b"data: 1\n\n", 7, data="1"),
        Frame(1, 9, b"data: \xe6\x9d\xad\n\n", 7, data="杭"),
        Frame(2, 20, b"data: \xff\n\n", 7, data="\ufffd"),
    ]
    assert isinstance(batch, FrameBatch)
    assert (len(batch), batch[1], batch[-2:], list(batch)) == (3, frames[1], frames[1:], frames)
    assert batch == frames == batch
    assert batch != frames[:2]
    assert batch[0] is batch[0]
    assert repr(batch) == repr(frames)
    kept: list[Frame] = []
    kept += batch
    kept += decoder.feed(b"ta: 2\n\n", 8)
    assert kept == [*frames, Frame(3, 29, b"data: 2\n\n", 8, data="2")]


def test_a_long_segment_with_something_odd_in_it_is_one_answer() -> None:
    bodies = [b'data: {"a":%d}\n\n' % number for number in range(5000)]
    bodies[2500:2500] = [b": ping\n\n", b"\n\nid: 1\ndata: 2\n\n"]
    body = b"".join(bodies)
    batch = SseDecoder().feed(body, 1)
    assert (len(batch), batch[2500].comment, batch[2501].id) == (5002, "ping", "1")
    assert [frame.raw for frame in batch] == bodies
    assert [frame.offset for frame in batch] == [0, *accumulate(map(len, bodies))][:-1]


@pytest.mark.parametrize("line", [b'data: {"a":1}\n\n', b"data: 1\n", b": x\r\n", b"\n", b"\r\n\r\n", b"data: 1\r\r"])
@pytest.mark.parametrize("size", [1, 100, 10**9])
def test_the_cost_is_linear_in_the_bytes(line: bytes, size: int) -> None:
    """Eight times the bytes take about eight times as long: sixteen times would still pass, a square would not."""
    times: list[float] = []
    for count in (1500, 12000):
        body = line * count
        segments = [body[place : place + size] for place in range(0, len(body), size)]
        best = math.inf
        for _round in range(3):
            started = time.process_time()
            decode(segments)
            best = min(best, time.process_time() - started)
        times.append(best)
    assert times[1] <= 16 * times[0] + 0.02


def test_a_comment_of_two_lines_stays_a_comment() -> None:
    body = encode_comment("keep\nalive")
    assert body == b": keep\n: alive\n\n"
    assert decode([body]) == [Frame(0, 0, body, comment="keep\nalive")]


def test_a_lone_surrogate_is_written_as_a_replacement_character() -> None:
    assert encode_sse("a\ud83d") == "data: a\ufffd\n\n".encode()
    assert encode_sse("\ud83d\ude00") == "data: 😀\n\n".encode()


def test_a_limit_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="limit_bytes must be at least 1, got 0"):
        SseDecoder(0)
