"""The capture file: what is written comes back, what is cut is read up to the cut, and what is no capture is said."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from aisdk_lab.capture import Capture, CaptureWriter, Request, Response, Segment
from aisdk_lab.errors import CaptureError
from aisdk_lab.importers import load
from aisdk_lab.importers.aisdk_capture import read

FULL = Capture(
    name="杭州",
    about="a capture with everything in it",
    segments=(
        Segment(4_000_000, 'data: "你'.encode()),
        Segment(5_000_000, "好 👋".encode()[:6]),
        Segment(6_000_000, "好 👋".encode()[6:] + b'"\r\n\n\x00\xff'),
        Segment(None, "U+2028 \u2028 is text".encode()),
        Segment(7_000_000, b""),
    ),
    request=Request("POST", "http://127.0.0.1:1/api/chat", {"accept": "*/*"}, '{"text":"你好"}'.encode()),
    response=Response(200, {"content-type": "text/event-stream"}, 3_100_000),
    started_at="2026-11-30T09:00:00.123456Z",
    protocol="ui-message-stream",
    ended="error",
    ended_t_ns=8_000_000,
    ended_text="ReadError: reset",
    problem="the body came encoded (gzip)",
)


def test_what_is_saved_comes_back(tmp_path):
    path = FULL.save(tmp_path / "full.capture.jsonl")
    assert load(path) == dataclasses.replace(FULL, source=str(path))


@pytest.mark.parametrize("kind", [str, Path, lambda path: str(path).encode()])
def test_a_path_may_be_text_a_path_or_bytes(tmp_path, kind):
    path = kind(tmp_path / "x.capture.jsonl")
    assert FULL.save(path) == tmp_path / "x.capture.jsonl"
    assert load(path).name == "杭州"


def test_a_capture_of_nothing_but_a_name_comes_back(tmp_path):
    path = Capture(name="bare").save(tmp_path / "bare.capture.jsonl")
    assert load(path) == Capture(name="bare", source=str(path))


def test_the_file_is_what_the_docstring_says(tmp_path):
    header, *lines = FULL.save(tmp_path / "x.capture.jsonl").read_bytes().decode().removesuffix("\n").split("\n")
    assert json.loads(header) == {
        "aisdk_lab_capture": 1,
        "name": "杭州",
        "about": "a capture with everything in it",
        "problem": "the body came encoded (gzip)",
        "protocol": "ui-message-stream",
        "started_at": "2026-11-30T09:00:00.123456Z",
        "clock": "monotonic",
        "request": {
            "method": "POST",
            "url": "http://127.0.0.1:1/api/chat",
            "headers": {"accept": "*/*"},
            "body": '{"text":"你好"}',
        },
        "response": {"status": 200, "headers": {"content-type": "text/event-stream"}, "t_ns": 3_100_000},
    }
    assert lines == [
        '{"t_ns":4000000,"text":"data: \\"你"}',
        '{"t_ns":5000000,"b64":"5aW9IPCf"}',
        '{"t_ns":6000000,"b64":"kYsiDQoKAP8="}',
        '{"text":"U+2028 \u2028 is text"}',
        '{"t_ns":7000000,"text":""}',
        '{"end":"error","t_ns":8000000,"text":"ReadError: reset"}',
    ]


def test_a_file_that_was_cut_anywhere_loads_up_to_the_cut_and_says_so(tmp_path):
    path = FULL.save(tmp_path / "full.capture.jsonl")
    whole = path.read_bytes()
    lines = whole.split(b"\n")
    header_end, last_line = len(lines[0]), len(whole) - len(lines[-2]) - 1
    for cut in range(len(whole) + 1):
        if cut < header_end:
            with pytest.raises(CaptureError, match=r"the header line is cut after|an empty file|is not a capture"):
                read(whole[:cut], path)
            continue
        (capture,) = read(whole[:cut], path)
        # A line counts as soon as its closing brace is there; without the end line the file is cut.
        told = whole[:cut].count(b"}\n") + whole[:cut].endswith(b"}") - 1
        assert capture.segments == FULL.segments[: min(told, len(FULL.segments))], cut
        if cut >= len(whole) - 1:
            assert (capture.ended, capture.problem) == ("error", FULL.problem), cut
        else:
            assert capture.ended == "cut", cut
            assert f"{len(capture.segments)} segments are whole" in str(capture.problem), cut
            assert cut <= last_line or "cut in line 7" in str(capture.problem), cut


def test_a_cut_capture_saved_again_keeps_its_problem(tmp_path):
    path = FULL.save(tmp_path / "x.capture.jsonl")
    path.write_bytes(path.read_bytes()[:-30])
    cut = load(path)
    assert load(cut.save(tmp_path / "again.capture.jsonl")) == dataclasses.replace(
        cut, source=str(tmp_path / "again.capture.jsonl")
    )


@pytest.mark.parametrize("line", [b"garbage", b"[]", b'{"t_ns": 4}', b'{"b64": "!"}', b"", b'{"end": "who knows"}'])
def test_a_damaged_line_ends_the_reading_and_is_shown(tmp_path, line):
    path = FULL.save(tmp_path / "x.capture.jsonl")
    lines = path.read_bytes().split(b"\n")
    lines[3] = line
    path.write_bytes(b"\n".join(lines))
    capture = load(path)
    assert capture.segments == FULL.segments[:2]
    assert f"line 4 is neither a segment nor an end: {line!r}" in str(capture.problem)
    assert capture.ended == "cut"


def test_a_file_of_a_later_format_is_refused_with_what_to_do(tmp_path):
    path = tmp_path / "later.capture.jsonl"
    path.write_bytes(b'{"aisdk_lab_capture":2,"name":"x"}\n')
    with pytest.raises(CaptureError, match="format 2, this version of aisdk_lab reads up to 1: upgrade"):
        load(path)


@pytest.mark.parametrize(
    "header", [b"", b"{", b"[1]", b'{"name":"x"}', b'{"aisdk_lab_capture":true}', b'{"aisdk_lab_capture":"1"}']
)
def test_without_a_header_it_is_no_capture(header):
    with pytest.raises(CaptureError):
        read(header + b"\n", Path("x.capture.jsonl"))


def test_unknown_keys_and_wrong_types_in_a_header_are_passed_over():
    header = b'{"aisdk_lab_capture":1,"name":3,"protocol":"new","request":4,"response":{"status":"200","headers":[1]},"more":1}\n'
    (capture,) = read(header + b'{"t_ns":"4","text":"x","more":1}\n{"end":"complete"}', Path("odd.capture.jsonl"))
    assert capture == Capture(
        name="odd",
        segments=(Segment(None, b"x"),),
        response=Response(None, {}),
        protocol="unknown",
        source="odd.capture.jsonl",
    )


def test_secrets_never_reach_the_file(tmp_path):
    request = Request("POST", "http://u:pw1@h/?token=pw2", {"Authorization": "Bearer pw3", "Cookie": "pw4"}, b"{}")
    capture = Capture(name="x", request=request, response=Response(200, {"Set-Cookie": "pw5"}))
    assert b"pw" not in capture.save(tmp_path / "x.capture.jsonl").read_bytes()


def test_what_was_appended_is_in_the_file_before_the_writer_is_closed(tmp_path):
    path = tmp_path / "x.capture.jsonl"
    with CaptureWriter(path, Capture(name="live")) as writer:
        for number in range(3):
            writer.append(Segment(number, b"data: 1\n\n"))
            capture = load(path)
            assert len(capture.segments) == number + 1
            assert "still being recorded" in str(capture.problem)


HALF = "\ud800"


def test_half_a_surrogate_pair_is_saved_as_the_replacement_character(tmp_path):
    capture = dataclasses.replace(
        FULL,
        name=HALF,
        about=HALF,
        request=Request("POST", f"/{HALF}", {f"x{HALF}": HALF}, b"{}"),
        response=Response(200, {"x-odd": HALF}),
        ended_text=HALF,
    )
    loaded = load(capture.save(tmp_path / "half.capture.jsonl"))
    assert (loaded.name, loaded.about, loaded.ended_text) == ("\ufffd", "\ufffd", "\ufffd")
    assert loaded.request == Request("POST", "/\ufffd", {"x\ufffd": "\ufffd"}, b"{}")
    assert loaded.segments == FULL.segments


def test_a_save_that_fails_leaves_the_old_file_and_nothing_else(tmp_path):
    path = FULL.save(tmp_path / "kept.capture.jsonl")
    before = path.read_bytes()
    with pytest.raises(TypeError):
        dataclasses.replace(FULL, ended_text=object()).save(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_saving_through_a_link_replaces_the_file_that_it_names(tmp_path):
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "real.capture.jsonl")
    assert FULL.save(tmp_path / "link.jsonl") == tmp_path / "link.jsonl"
    assert (tmp_path / "link.jsonl").is_symlink()
    assert load(tmp_path / "real.capture.jsonl").segments == FULL.segments
