"""Recording a live endpoint: every read with its time, and what came is kept whatever happens."""

from __future__ import annotations

import asyncio
import gzip
import json
import logging
import signal
import socket
import sys
import threading
import traceback
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from aisdk_lab.capture import Capture, CaptureWriter, Segment
from aisdk_lab.errors import TransportError
from aisdk_lab.importers import load
from aisdk_lab.record import arecord, record
from tests.record.far_side import END, HEAD, FarSide, chunk

MODULE = sys.modules[record.__module__]  # the package has the function under the module's name
STOP = b'data: {"type":"finish"}\n\n'
DONE = b"data: [DONE]\n\n"


@pytest.fixture
def kept(monkeypatch) -> Callable[[int], Callable[[], object]]:
    """`kept(n)` waits, on the far side, until the recorder has written n segments and listens for the next."""
    written, told = [], threading.Condition()

    class Told(CaptureWriter):
        def append(self, segment: Segment) -> None:
            super().append(segment)
            with told:
                written.append(segment)
                told.notify_all()

    monkeypatch.setattr(MODULE, "CaptureWriter", Told)

    def until(number: int) -> Callable[[], object]:
        def wait() -> None:
            with told:
                assert told.wait_for(lambda: len(written) >= number, timeout=10)

        return wait

    return until


def data_of(capture: Capture) -> list[bytes]:
    return [segment.data for segment in capture.segments]


@pytest.fixture(params=["record", "arecord"])
def recorder(request) -> Callable[..., Capture]:
    """Both recorders; the asynchronous one is run to its end."""
    if request.param == "record":
        return record
    return lambda *args, **options: asyncio.run(arecord(*args, **options))


# --- what is kept ---


def test_a_segment_is_what_one_read_returned_whatever_the_http_chunks_were(tmp_path, kept, recorder):
    acts = [
        HEAD + chunk(b"data: "),
        kept(1),
        chunk(b'{"type":') + chunk(b'"start"}\n') + chunk(b"\n"),
        kept(2),
        chunk(DONE) + END,
    ]
    with FarSide(acts) as far:
        capture = recorder(far.url, {"messages": []}, save=tmp_path / "x.capture.jsonl", progress=False)
    assert data_of(capture) == [b"data: ", b'{"type":"start"}\n\n', DONE]
    times = [segment.t_ns for segment in capture.segments]
    assert times == sorted(times)
    assert capture.response.t_ns == times[0] > 0, "head and first bytes came in one read"
    assert capture.ended_t_ns == times[-1], "the last read brought the end too"
    assert (capture.ended, capture.end_state, capture.protocol) == ("complete", "complete", "ui-message-stream")


def test_the_end_of_a_body_has_the_stamp_of_the_read_that_brought_it(tmp_path, kept, recorder):
    with FarSide([HEAD + chunk(DONE), kept(1), END]) as far:
        capture = recorder(far.url, {}, save=tmp_path / "x.capture.jsonl", progress=False)
    assert data_of(capture) == [DONE]
    assert capture.ended_t_ns > capture.segments[0].t_ns


def test_the_file_is_the_capture_and_is_whole_while_it_grows(tmp_path, kept, recorder):
    path, seen = tmp_path / "weather.capture.jsonl", []
    with FarSide([HEAD + chunk(STOP), kept(1), lambda: seen.append(load(path)), chunk(DONE), kept(2), END]) as far:
        capture = recorder(far.url, {"messages": []}, save=path, about="a test", progress=False)
    assert load(path) == capture
    assert (capture.name, capture.about, capture.source) == ("weather", "a test", str(path))
    (growing,) = seen
    assert data_of(growing) == [STOP]
    assert (growing.ended, growing.request) == ("cut", capture.request)
    assert "still being recorded" in growing.problem


def test_the_request_is_kept_as_it_was_sent_without_its_secrets(recorder):
    body = {"messages": [{"id": "u", "role": "user", "parts": [{"type": "text", "text": "杭州 🌤️"}]}], "n": 1.0}
    with FarSide([HEAD + END]) as far:
        capture = recorder(
            far.url + "?token=abc", body, headers={"Authorization": "Bearer abc", "X-Lab": "1"}, progress=False
        )
    sent = far.request.partition(b"\r\n\r\n")[2]
    assert sent.decode() == '{"messages":[{"id":"u","role":"user","parts":[{"type":"text","text":"杭州 🌤️"}]}],"n":1}'
    assert capture.request.body == sent
    assert capture.request.json == json.loads(sent)
    assert capture.request.method == "POST"
    assert capture.request.url.endswith("/api/chat?token=***")
    assert capture.request.headers["authorization"] == "***"
    assert capture.request.headers["x-lab"] == "1"
    assert b"Bearer abc" in far.request
    assert b"accept-encoding: identity" in far.request.lower()
    assert b"content-type: application/json" in far.request.lower()
    assert "abc" not in repr(capture)


def test_content_and_method_are_sent_as_given(recorder):
    with FarSide([HEAD + END]) as far:
        recorder(far.url, content=b"\xffraw", method="PUT", headers={"Accept": "x/y"}, progress=False)
    assert far.request.startswith(b"PUT /api/chat HTTP/1.1\r\n")
    assert far.request.endswith(b"\r\n\r\n\xffraw")
    assert b"accept: x/y" in far.request.lower()
    assert b"content-type" not in far.request.lower()


def test_a_get_has_no_body(recorder):
    with FarSide([HEAD + END]) as far:
        capture = recorder(far.url, method="GET", progress=False)
    assert capture.request.body is None


@pytest.mark.parametrize(
    "head, ended",
    [
        (b"content-length: 14\r\n\r\n", "complete"),
        (b"connection: close\r\n\r\n", "complete"),
        (b"content-length: 99\r\n\r\n", "error"),
    ],
)
def test_bodies_of_every_framing_are_kept(head, ended, recorder):
    with FarSide([b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n" + head + DONE]) as far:
        capture = recorder(far.url, {}, progress=False)
    assert (b"".join(data_of(capture)), capture.ended) == (DONE, ended)


def test_an_error_status_is_a_capture(recorder):
    with FarSide([b"HTTP/1.1 500 No\r\ncontent-type: text/plain\r\ncontent-length: 4\r\n\r\noops"]) as far:
        capture = recorder(far.url, {}, progress=False)
    assert (capture.response.status, data_of(capture)) == (500, [b"oops"])
    assert (capture.ended, capture.end_state, capture.protocol) == ("complete", "error", "unknown")


def test_a_redirect_is_recorded_and_not_followed(recorder):
    with FarSide([b"HTTP/1.1 307 Go\r\nlocation: /elsewhere\r\ncontent-length: 0\r\n\r\n"]) as far:
        capture = recorder(far.url, {}, progress=False)
    assert (capture.response.status, capture.response.headers["location"]) == (307, "/elsewhere")


def test_an_encoded_body_is_kept_as_it_came_and_noted(recorder):
    packed = gzip.compress(DONE)
    head = b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: %d\r\n\r\n" % len(packed)
    with FarSide([head + packed]) as far:
        capture = recorder(far.url, {}, progress=False)
    assert b"".join(data_of(capture)) == packed
    assert "encoded (gzip)" in capture.problem


# --- when it goes wrong ---


@pytest.mark.parametrize("resets", [False, True])
def test_a_lost_connection_keeps_what_came(tmp_path, kept, recorder, resets):
    path = tmp_path / "lost.capture.jsonl"
    with FarSide([HEAD + chunk(STOP), kept(1)], resets=resets) as far:
        capture = recorder(far.url, {}, save=path, progress=False)
    assert data_of(capture) == [STOP]
    assert (capture.ended, capture.end_state) == ("error", "error")
    assert capture.ended_text.startswith("ReadError" if resets else "RemoteProtocolError: peer closed connection")
    assert load(path) == capture


def test_a_silence_that_is_too_long_keeps_what_came(tmp_path, kept, recorder):
    silence = threading.Event()
    with FarSide([HEAD + chunk(STOP), lambda: silence.wait(10)]) as far:
        capture = recorder(far.url, {}, timeout_s=0.05, progress=True)
        silence.set()
    assert (data_of(capture), capture.ended) == ([STOP], "error")
    assert capture.ended_text == "ReadTimeout: nothing came for 0.05 s"


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def test_nobody_there_is_an_error_that_names_the_address_without_its_secrets(recorder):
    url = f"http://me:pw@127.0.0.1:{free_port()}/x?api_key=pw"
    with pytest.raises(
        TransportError, match=r"no response from 'http://\*\*\*@127.*api_key=\*\*\*': ConnectError"
    ) as raised:
        recorder(url, {}, progress=False)
    assert "pw" not in str(raised.value)


@pytest.mark.parametrize("url", ["ftp://127.0.0.1/x", "nonsense", "http://[::1", ""])
def test_what_is_no_http_address_is_an_error_that_names_it(url, recorder):
    with pytest.raises(TransportError, match="no response from"):
        recorder(url, {}, progress=False)


def test_a_far_side_that_hangs_up_before_it_answers_is_an_error(recorder):
    with FarSide([]) as far, pytest.raises(TransportError, match="Server disconnected"):
        recorder(far.url, {}, progress=False)


def test_a_folder_that_is_not_there_is_told_before_anything_is_sent(tmp_path, recorder):
    with FarSide([]) as far, pytest.raises(FileNotFoundError, match="no folder .* to save 'x.capture.jsonl' in"):
        recorder(far.url, {}, save=tmp_path / "no" / "x.capture.jsonl", progress=False)
    assert far.request == b""


def test_a_recording_never_replaces_another(tmp_path):
    path = tmp_path / "x.capture.jsonl"
    path.write_text("kept")
    with FarSide([]) as far, pytest.raises(FileExistsError, match="is there already; save under another name"):
        record(far.url, {}, save=path, progress=False)
    assert path.read_text() == "kept"


def interrupt() -> None:
    """Ctrl-C, as the kernel gets it."""
    signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)


def test_ctrl_c_keeps_what_came(tmp_path, kept):
    path, over = tmp_path / "stopped.capture.jsonl", threading.Event()
    with FarSide([HEAD + chunk(STOP), kept(1), interrupt, lambda: over.wait(10)]) as far:
        capture = record(far.url, {}, save=path, progress=False)
        over.set()
    assert data_of(capture) == [STOP]
    assert (capture.ended, capture.end_state) == ("interrupted", "aborted")
    assert load(path) == capture


def test_ctrl_c_before_any_answer_keeps_the_request(tmp_path):
    path, over = tmp_path / "stopped.capture.jsonl", threading.Event()
    with FarSide([interrupt, lambda: over.wait(10)]) as far:
        capture = record(far.url, {"messages": []}, save=path, progress=False)
        over.set()
    assert (capture.ended, capture.response, capture.segments) == ("interrupted", None, ())
    assert capture.request.json == {"messages": []}
    assert load(path) == capture


def test_a_cancelled_recording_leaves_what_came_in_its_file(tmp_path, kept):
    path, over = tmp_path / "cancelled.capture.jsonl", threading.Event()

    async def cancelled() -> None:
        task = asyncio.ensure_future(arecord(far.url, {}, save=path))
        await asyncio.to_thread(kept(1))
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with FarSide([HEAD + chunk(STOP), lambda: over.wait(10)]) as far:
        asyncio.run(cancelled())
        over.set()
    capture = load(path)
    assert (data_of(capture), capture.ended, capture.problem) == ([STOP], "interrupted", None)


# --- where it runs ---


def test_it_works_inside_a_running_event_loop_without_another_thread():
    threads = []

    async def cell() -> Capture:
        return record(far.url, {}, progress=False)

    with FarSide([HEAD + chunk(DONE), lambda: threads.append(threading.active_count()), END]) as far:
        before = threading.active_count()
        capture = asyncio.run(cell())
    assert capture.end_state == "complete"
    assert threads == [before]


def test_a_stream_that_cannot_be_stamped_is_stamped_piece_by_piece(tmp_path, monkeypatch, recorder):
    monkeypatch.setattr(MODULE, "_OPENED", ("no such event",))
    with FarSide([HEAD + chunk(STOP) + chunk(DONE) + END]) as far:
        capture = recorder(far.url, {}, save=tmp_path / "x.capture.jsonl", progress=False)
    assert data_of(capture) == [STOP, DONE]
    assert 0 < capture.segments[0].t_ns <= capture.segments[1].t_ns


def test_the_environments_proxy_has_no_business_on_loopback(monkeypatch, recorder):
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{free_port()}")
    with FarSide([HEAD + chunk(DONE) + END]) as far:
        assert recorder(far.url, {}, progress=False).end_state == "complete"


# --- the progress line ---


def test_the_progress_is_one_line_that_is_written_over(capsys, recorder):
    with FarSide([HEAD + chunk(STOP) + chunk(DONE) + END]) as far:
        recorder(far.url, {}, name="weather", progress=True)
    (line, rest) = capsys.readouterr().out.split("\n")
    assert rest == ""
    first, *_later, last = line.removeprefix("\r").split("\r")
    assert first.startswith("Recording: no answer yet, 0.")
    assert last.startswith("Recorded weather: segments 1, 39 bytes, 0.")


def test_in_a_kernel_the_progress_is_one_output_that_is_updated(monkeypatch, capsys, recorder):
    import IPython
    import IPython.display

    said = []

    class Output:
        def display(self, data, raw):
            said.append(("display", data["text/plain"], raw))

        def update(self, data, raw):
            said.append(("update", data["text/plain"], raw))

    monkeypatch.setattr(IPython, "get_ipython", lambda: SimpleNamespace(kernel="a kernel"))
    monkeypatch.setattr(IPython.display, "DisplayHandle", Output)
    with FarSide([HEAD + chunk(DONE) + END]) as far:
        recorder(far.url, {}, name="weather", progress=True)
    assert [(verb, raw) for verb, _text, raw in said] == [("display", True)] + [("update", True)] * (len(said) - 1)
    assert said[-1][1].startswith("Recorded weather: segments 1, 14 bytes")
    assert capsys.readouterr().out == ""


def test_a_recording_that_fails_leaves_no_half_line(capsys):
    with pytest.raises(TransportError):
        record(f"http://127.0.0.1:{free_port()}/", {}, progress=True)
    said = capsys.readouterr().out
    assert said == "" or said.endswith("\n")


def test_without_progress_nothing_is_written(capsys, recorder):
    with FarSide([HEAD + END]) as far:
        recorder(far.url, {}, progress=False)
    assert capsys.readouterr() == ("", "")


# --- what cannot be sent ---


@pytest.mark.parametrize("value", ["Bearer S3CR3T\n", "Bearer S3CR3T ", "S3CR3T ü", "S3CR3T \ud800", b"S3CR3T", 5])
def test_a_header_that_cannot_be_sent_is_named_and_its_value_never_quoted(recorder, value):
    with pytest.raises(TransportError, match="'authorization'") as refused:
        recorder("http://127.0.0.1:9/x", {}, headers={"authorization": value})
    assert "S3CR3T" not in "".join(traceback.format_exception(refused.value))


def test_a_whole_header_line_as_a_name_is_not_quoted(recorder):
    with pytest.raises(TransportError, match="name of header 1") as refused:
        recorder("http://127.0.0.1:9/x", {}, headers={"authorization: S3CR3T": ""})
    assert "S3CR3T" not in str(refused.value)


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/\ud800", "http://\ud800/", "http://me:S3CR3T/x@h/"])
def test_a_url_that_cannot_be_called_is_a_transport_error_without_its_password(recorder, url):
    with pytest.raises(TransportError) as refused:
        recorder(url, {})
    assert "S3CR3T" not in str(refused.value)


def test_the_http_clients_logs_hold_no_secret_of_a_recording(recorder, caplog):
    caplog.set_level(logging.DEBUG)
    head = HEAD.replace(b"\r\n\r\n", b"\r\nset-cookie: sid=S3CR3T\r\n\r\n")
    with FarSide([head, chunk(DONE), END]) as far_side:
        capture = recorder(f"{far_side.url}?token=S3CR3T", {}, headers={"authorization": "Bearer S3CR3T"})
    assert capture.ended == "complete"
    assert "token=***" in caplog.text
    assert "S3CR3T" not in caplog.text
