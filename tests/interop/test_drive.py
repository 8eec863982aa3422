"""The driver itself, against answers written by hand: it shows what the real client does, and fails when it should."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest


@contextmanager
def answers(*bodies: list[dict] | str) -> Iterator[str]:
    """A server that gives its n-th request the n-th answer: chunks as a stream, or a text with status 418."""
    left = list(bodies)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["content-length"]))
            body = left.pop(0)
            self.send_response(418 if isinstance(body, str) else 200)
            self.end_headers()
            frames = body if isinstance(body, str) else "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in body)
            self.wfile.write(frames.encode())

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/api/chat"
        finally:
            server.shutdown()
            thread.join()
    assert left == []


WAITS = [
    {"type": "start"},
    {"type": "start-step"},
    {"type": "tool-input-available", "toolCallId": "c1", "toolName": "publish", "input": {"to": "所有人"}},
    {"type": "tool-approval-request", "approvalId": "a1", "toolCallId": "c1"},
    {"type": "finish-step"},
    {"type": "finish", "finishReason": "tool-calls"},
]
DENIED = [
    {"type": "start"},
    {"type": "tool-output-denied", "toolCallId": "c1"},
    {"type": "finish", "finishReason": "stop"},
]


def test_a_denial_with_its_reason_goes_out_by_itself_and_ends_the_call(drive):
    with answers(WAITS, DENIED) as api:
        saw = drive(
            api=api, steps=[{"do": "send", "text": "go"}, {"do": "approve", "approved": False, "reason": "不行"}]
        )
    assert saw["statuses"] == ["submitted", "streaming", "ready"] * 2
    assert [finish["finishReason"] for finish in saw["finishes"]] == ["tool-calls", "stop"]
    [question, answer] = saw["messages"]
    assert question["parts"] == [{"type": "text", "text": "go"}]
    assert answer["parts"] == [
        {"type": "step-start"},
        {
            "type": "tool-publish",
            "toolCallId": "c1",
            "state": "output-denied",
            "input": {"to": "所有人"},
            "approval": {"id": "a1", "approved": False, "reason": "不行"},
        },
    ]
    assert saw["requests"][1]["body"]["messages"][1]["parts"][1]["state"] == "approval-responded"


def test_an_answer_that_is_no_stream_is_an_error(drive):
    with answers("a teapot") as api:
        saw = drive(api=api, steps=[{"do": "send", "text": "go"}])
    assert (saw["status"], saw["errors"]) == ("error", [{"name": "AI_APICallError", "message": "a teapot"}])


def test_a_step_that_cannot_be_done_fails_the_driver(drive):
    with (
        answers([{"type": "start"}, {"type": "finish"}]) as api,
        pytest.raises(AssertionError, match="no part waits for approval"),
    ):
        drive(api=api, steps=[{"do": "send", "text": "go"}, {"do": "approve", "approved": True}])
