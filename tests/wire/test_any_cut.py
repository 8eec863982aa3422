"""Where reads end changes nothing: whole, byte by byte, every split in two, and any cuts at all give the same frames."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given, strategies as st

from aisdk_lab.wire import Frame, JsonLinesDecoder, SseDecoder
from tests.fresh_inputs import any_json, sse

Decoder = Callable[[], Any]
DECODERS: dict[str, Decoder] = {"sse": SseDecoder, "json-lines": JsonLinesDecoder}
GOLDEN = Path(__file__).parents[1] / "golden" / "sse" / "sse.jsonl"
LONGEST = 1500
"""Bytes of a body that is split at every place; the cost of that grows with their square."""


def _recorded_bodies() -> dict[str, bytes]:
    cases = [json.loads(line) for line in GOLDEN.read_bytes().splitlines()]
    return {case["name"]: b"".join(map(base64.b64decode, case["input"]["chunks"])) for case in cases}


RECORDED = _recorded_bodies()
# What a cut can go through: a BOM, a character, CR LF, a field's name, the sentinel, blank lines.
STRANGE = {
    "bom-and-crlf": '\ufeff\r\n\r\ndata: {"a":"杭州😀"}\r\n\r\n: c\r\rid: 1\revent: e\rdata: 1\r\r'.encode(),
    "unfinished": "data: 1\n\ndata: 杭".encode()[:-1],
    "two-boms": b"\xef\xbb\xbf\xef\xbb\xbfdata: 1\n\ndata: 2\n\n",
    "half-a-bom": b"\xef\xbbdata: 1\n\n",
    "nothing-but-ends": b"\r\n\n\r\r\n\r\n\n",
    "done": b"data: [DONE]\r\n\r\ndata: [DONE]\n\n",
    "lines": '\ufeff{"a":1}\r\n\n  \n"a\u2028b\x85"\r"d"\n{"城":"杭州"}'.encode(),
    "nul-and-separators": "id: a\0b\ndata: \0\u2028\u2029\x0b\x0c\x85\n\n".encode(),
}
BODIES = RECORDED | STRANGE


def decode(decoder: Any, reads: list[bytes]) -> list[Frame]:
    """The frames of a body, without their times: each read arrives later than the one before."""
    frames = [frame for number, read in enumerate(reads) for frame in decoder.feed(read, number)]
    return [msgspec.structs.replace(frame, t_ns=None) for frame in [*frames, *decoder.close(len(reads))]]


@pytest.mark.parametrize("decoder", DECODERS)
@pytest.mark.parametrize("name", BODIES)
def test_whole_byte_by_byte_and_every_split_in_two_give_the_same_frames(name: str, decoder: str) -> None:
    body, make = BODIES[name][:LONGEST], DECODERS[decoder]
    whole = decode(make(), [body])
    assert b"".join(frame.raw for frame in whole) == body
    assert decode(make(), [body[place : place + 1] for place in range(len(body))]) == whole
    for place in range(len(body) + 1):
        assert decode(make(), [body[:place], body[place:]]) == whole, place


@st.composite
def bodies(draw: st.DrawFn) -> bytes:
    """A recorded body, a fresh one, or bytes of any kind."""
    rng = draw(st.randoms(use_true_random=False))
    kind = draw(st.integers(0, 3))
    if kind == 0:
        return draw(st.binary(max_size=60))
    if kind == 1:
        return BODIES[draw(st.sampled_from(sorted(BODIES)))]
    if kind == 2:
        return b"".join(map(base64.b64decode, sse(rng)["chunks"]))
    return _lines(rng)


def _lines(rng: Random) -> bytes:
    ends = [b"\n", b"\r\n", b"\n\n", b"\r"]
    return b"".join(json.dumps(any_json(rng), ensure_ascii=False).encode() + rng.choice(ends) for _ in range(4))


@given(body=bodies(), places=st.lists(st.integers(0, 4000), max_size=12), decoder=st.sampled_from(sorted(DECODERS)))
def test_any_cuts_give_the_frames_of_the_whole_body(body: bytes, places: list[int], decoder: str) -> None:
    cuts = sorted(place % (len(body) + 1) for place in places)  # twice the same place: a read of nothing
    reads = [body[start:end] for start, end in zip([0, *cuts], [*cuts, len(body)], strict=True)]
    assert decode(DECODERS[decoder](), reads) == decode(DECODERS[decoder](), [body])
