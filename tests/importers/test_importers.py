"""Files to captures: every member reads its sample, the 85 recorded exchanges load, and what is no capture is described."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from aisdk_lab.capture import Request, Response, Segment
from aisdk_lab.errors import CaptureError, UnknownName
from aisdk_lab.importers import MAX_FILE_BYTES, importers, load, load_all, read_bytes
from tests.conftest import GOLDEN

RECORDED = sorted((GOLDEN / "captures").glob("*.json"))
NAMES = {"aisdk_capture": "tiny.capture.jsonl", "sdk_exchange": "tiny.json", "sse_text": "tiny.sse"}

WAITING = {
    "approval-approved",
    "approval-approved-with-reason",
    "approval-denied",
    "approval-denied-then-next-turn",
    "approval-mixed",
    "approval-signed",
    "approval-superseded-by-user",
    "client-tool-error-added",
    "client-tool-onToolCall",
    "client-tool-output-added",
    "done-without-execute",
    "mixed-server-and-client-tool",
    "refined-input-approval",
}
ERROR = {
    "empty-model-stream",
    "error-before-first-chunk",
    "error-in-second-step",
    "error-midstream-masked",
    "error-midstream-response-object",  # the connection broke
    "orphan-model-parts-no-callback",
    "refined-input-approval-2",  # HTTP 500
    "writer-throws",
    "writer-throws-onError",
}
ABORTED = {"abort-by-client", "abort-by-server", "abort-by-server-no-reason"}
TRUNCATED = {"error-midstream-onError", "orphan-model-parts"}
TEXT = {"create-text-stream-response", "text-stream-response"}


# --- every member of the folder ---


@pytest.mark.parametrize("name", importers)
def test_an_importer_reads_its_own_sample_and_is_the_surest_of_it(name):
    sample, path = importers[name].SAMPLE, Path(NAMES.get(name, "sample"))
    (capture,) = importers[name].read(sample, path)
    assert read_bytes(sample, path) == (capture,)
    assert [frame.is_done for frame in capture.frames()][-1]
    sure = {other: importers[other].sniff(sample, path) for other in importers}
    assert max(sure, key=lambda other: sure[other]) == name
    assert 0 < sure[name] <= 1


@pytest.mark.parametrize("name", importers)
def test_an_importer_says_what_it_looks_for(name):
    assert importers[name].LOOKS_FOR


def test_an_unknown_importer_names_the_known_ones():
    with pytest.raises(UnknownName, match="no importer is called 'har'. Known: aisdk_capture, sdk_exchange, sse_text"):
        importers["har"]


# --- the recorded exchanges ---


def test_all_85_recordings_are_there():
    assert len(RECORDED) == 85


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_a_recording_loads_with_its_bytes_and_ends_as_it_ended(path):
    recorded = json.loads(path.read_bytes())["exchanges"]
    captures = load_all(path)
    assert [(c.exchange, c.exchanges) for c in captures] == [(n + 1, len(recorded)) for n in range(len(recorded))]
    for capture, exchange in zip(captures, recorded, strict=True):
        response = exchange["response"]
        assert b"".join(s.data for s in capture.segments).decode() == "".join(c["text"] for c in response["chunks"])
        assert [(s.t_ns or 0) / 1e6 for s in capture.segments] == [c["t_ms"] for c in response["chunks"]]
        assert capture.response == Response(response["status"], response["headers"])
        assert capture.request is not None
        assert capture.request.json == exchange["request"]["body"]
        assert capture.protocol == (
            "text" if capture.name in TEXT else "unknown" if response["status"] >= 400 else "ui-message-stream"
        )
        assert capture.end_state == (
            "waiting"
            if capture.name in WAITING
            else "error"
            if capture.name in ERROR
            else "aborted"
            if capture.name in ABORTED
            else "truncated"
            if capture.name in TRUNCATED
            else "complete"
        )
        if capture.protocol == "ui-message-stream":
            assert [frame.problem for frame in capture.frames() if frame.problem] == []
            assert len(list(capture.chunks())) == sum(
                line.startswith("data: {") for c in response["chunks"] for line in c["text"].split("\n")
            )


def without_ids(messages):
    return [{key: value for key, value in message.items() if key != "id"} for message in messages]


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_the_conversation_is_the_one_that_the_official_client_had(path):
    (*_earlier, last) = load_all(path)
    official = json.loads(path.read_bytes())["clientResult"]["messages"]
    messages = json.loads(json.dumps(last.messages))
    if path.stem == "orphan-model-parts-no-callback":
        # The official client stops at a delta without a start; the lenient reading goes on.
        assert without_ids(messages[:-1]) == without_ids(official)
    else:
        assert without_ids(messages) == without_ids(official)


def test_the_first_of_several_exchanges_says_that_there_are_more():
    capture = load(GOLDEN / "captures" / "approval-denied-then-next-turn.json")
    assert repr(capture).endswith("exchange 1 of 3; lab.load_all(path) gives all>")
    assert [c.name for c in load_all(GOLDEN / "captures" / "approval-denied-then-next-turn.json")] == [
        "approval-denied-then-next-turn",
        "approval-denied-then-next-turn-2",
        "approval-denied-then-next-turn-3",
    ]


def test_how_a_recording_broke_is_kept():
    ends = {
        name: (load(GOLDEN / "captures" / f"{name}.json").ended, load(GOLDEN / "captures" / f"{name}.json").ended_text)
        for name in ("abort-by-client", "error-midstream-response-object", "writer-throws-onError", "text-plain")
    }
    assert ends == {
        "abort-by-client": ("interrupted", "AbortError: This operation was aborted"),
        "error-midstream-response-object": ("error", "TypeError: terminated"),
        "writer-throws-onError": ("complete", "the client gave up after 2 of 3 reads; the recorder went on"),
        "text-plain": ("complete", None),
    }


def exchange(**response):
    response = {"status": 200, "headers": {}, "chunks": [], "end": "complete"} | response
    return {"exchanges": [{"request": {"method": "POST", "path": "/x"}, "response": response}]}


def test_reads_that_ended_inside_a_character_come_as_base64():
    data = json.dumps(
        exchange(chunks=[{"t_ms": 1.5, "b64": "5L0="}, {"t_ms": 2, "b64": "oA=="}, {"text": "x"}])
    ).encode()
    (capture,) = read_bytes(data, Path("x.json"))
    assert capture.segments == (Segment(1_500_000, b"\xe4\xbd"), Segment(2_000_000, b"\xa0"), Segment(None, b"x"))
    assert capture.request == Request("POST", "/x")


# --- plain SSE text ---


@pytest.mark.parametrize(
    "data",
    [
        b"data: 1\n\n",
        b"\xef\xbb\xbfdata: 1\r\n\r\n",
        b"\n\n: comment\n\n",
        b"event: x\ndata: 1\n\n",
        b"id: 1\nretry: 5\ndata:\n\n",
    ],
)
def test_text_that_begins_with_a_field_is_sse_whatever_its_name(data):
    (capture,) = read_bytes(data, Path("copied.txt"))
    assert (capture.name, capture.segments, capture.duration_ms) == ("copied", (Segment(None, data),), None)


def test_an_sse_file_may_begin_with_something_else():
    (capture,) = read_bytes(b"# a note\n\ndata: [DONE]\n\n", Path("noted.sse"))
    assert [frame.data for frame in capture.frames()] == [None, "[DONE]"]


# --- what is no capture ---


@pytest.mark.parametrize(
    "name, data, said",
    [
        ("photo.png", b"\x89PNG\r\n\x1a\n" + bytes(200), r"found 208 bytes that begin with b'\x89PNG"),
        ("empty.sse", b"", "found an empty file"),
        ("notes.json", b'{"a": 1, "b": 2}', "JSON without a list \"exchanges\"; found 'a', 'b'"),
        ("list.json", b"[1, 2]", 'sdk_exchange: looks for a JSON object with a list "exchanges"'),
        ("broken.json", b'{"exchanges": [', "sdk_exchange: not JSON"),
        ("none.json", b'{"exchanges": []}', "sdk_exchange: found no exchange in it"),
        ("odd.json", b'{"exchanges": [{"request": {}}]}', "exchange 1: its response must be an object, found nothing"),
        ("b64.json", json.dumps(exchange(chunks=[{"b64": "!"}])).encode(), "exchange 1: chunk 1 is not Base64: '!'"),
        ("b64u.json", json.dumps(exchange(chunks=[{"b64": "é"}])).encode(), "chunk 1 is not Base64: 'é'"),
        ("inf.json", json.dumps(exchange(chunks=[{"t_ms": float("inf"), "text": ""}])).encode(), "t_ms of chunk 1"),
        ("nan.json", json.dumps(exchange(chunks=[{"t_ms": float("nan"), "text": ""}])).encode(), "found nan"),
        ("status.json", json.dumps(exchange(status=float("inf"))).encode(), "its status must be a number"),
        ("chunks.json", json.dumps(exchange(chunks=5)).encode(), "expected a list of chunks, found 5"),
        ("gzip.json", b"\x1f\x8b" + bytes(20), "which is gzip: decompress it first"),
        (
            "deep.capture.jsonl",
            b'{"aisdk_lab_capture":1,"x":' + b"[" * 100_000 + b"\n",
            "line 1, the header, is nested",
        ),
        ("data.yaml", b"data:\n  a: 1\n  b: 2\n", "only 1 of 3 lines are fields of SSE"),
        ("one.yaml", b"data: {a: 1}\n", "the file is called .yaml"),
        ("page.sse", b"<html>\n<p>\ndata: x\n</p>\n", "only 1 of 4 lines are fields of SSE"),
        ("page.html", b"<!doctype html>\n<p>data: x</p>", "sse_text: looks for a line that begins with `data:`"),
        ("settings.yaml", b"id: 3\nname: x\n", "sse_text: no SSE frame in it"),
        ("cut.capture.jsonl", b'{"aisdk_lab_capture":1,"na', "the header line is cut after 26 bytes"),
        ("cut.capture.jsonl", b"{", "the header line is cut after 1 bytes"),
        ("data.csv", b"a,b\n1,2\n", "aisdk_capture: looks for a first line"),
    ],
)
def test_a_file_that_is_no_capture_is_described(tmp_path, name, data, said):
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(CaptureError) as refused:
        load(path)
    assert said in str(refused.value)
    assert str(path) in str(refused.value)
    assert all(f"\n  {importer}: " in str(refused.value) for importer in importers)


def test_a_file_that_is_not_there_is_the_systems_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "nothing.sse")


@pytest.mark.parametrize("oracle", ["ai", 7, ["ai"], None])
def test_an_oracle_that_is_no_object_is_passed_over(oracle):
    data = json.dumps({**exchange(), "oracle": oracle}).encode()
    assert read_bytes(data, Path("odd.json"))[0].about is None


def test_a_segment_line_that_is_nested_too_deeply_ends_the_capture_there():
    header = b'{"aisdk_lab_capture":1,"name":"x"}\n'
    capture = read_bytes(header + b"[" * 100_000 + b"\n{}\n", Path("x.capture.jsonl"))[0]
    assert "line 2 is neither a segment nor an end" in (capture.problem or "")


def test_base64_that_is_no_base64_is_no_body():
    header = b'{"aisdk_lab_capture":1,"request":{"method":"POST","url":"/","body_b64":"\xc3\xa9"}}\n'
    request = read_bytes(header, Path("x.capture.jsonl"))[0].request
    assert request is not None
    assert request.body is None


@pytest.mark.parametrize("path", ["a\0b", "a\ud800b"])
def test_a_path_that_no_file_can_have_is_a_capture_error(path):
    with pytest.raises(CaptureError, match="no file can be called"):
        load(path)


def test_a_pipe_is_refused_without_waiting_for_a_writer(tmp_path):
    os.mkfifo(tmp_path / "pipe.sse")
    with pytest.raises(CaptureError, match="a device or a pipe"):
        load(tmp_path / "pipe.sse")


def test_a_file_that_is_too_large_is_refused_before_it_is_read(tmp_path):
    path = tmp_path / "large.sse"
    with path.open("wb") as file:
        file.write(b"data: [DONE]\n\n")
        file.truncate(MAX_FILE_BYTES + 1)  # a hole: nothing is on the disk
    with pytest.raises(CaptureError, match="1,073,741,825 bytes"):
        load(path)
    path.write_bytes(b"\0")
    os.truncate(path, 50 * MAX_FILE_BYTES)
    with pytest.raises(CaptureError, match="The importers said"):
        load(path)
