"""What a capture says of its bytes: frames, chunks, the message, the conversation, the end state."""

from __future__ import annotations

import json

import pytest

from aisdk_lab.capture import Capture, Request, Response, Segment, protocol_of
from aisdk_lab.metrics import measure, tiny
from aisdk_lab.samples import samples

ASK = {"id": "u1", "role": "user", "parts": [{"type": "text", "text": "hi"}]}
STREAM = {"content-type": "text/event-stream"}


def asked(*messages, **body):
    return Request("POST", "/api/chat", {}, json.dumps({"messages": messages, **body}).encode())


def body(*segments: bytes, **more) -> Capture:
    return Capture(name="body", segments=tuple(Segment(i, data) for i, data in enumerate(segments)), **more)


# --- frames and chunks ---


def test_frames_are_the_same_wherever_the_reads_were_cut():
    raw = 'data: {"type":"text-delta","id":"t","delta":"你好 👋"}\n\n: keep-alive\n\ndata: [DONE]\n\n'.encode()
    whole = [(f.offset, f.raw, f.data, f.comment) for f in body(raw).frames()]
    for cut in range(len(raw)):
        assert [(f.offset, f.raw, f.data, f.comment) for f in body(raw[:cut], raw[cut:]).frames()] == whole


def test_a_frame_has_the_time_of_the_read_that_completed_it():
    assert [f.t_ns for f in body(b"data: 1\n\ndata: ", b"2\n\n").frames()] == [0, 1]


def test_an_unterminated_tail_is_a_frame_with_a_problem_and_no_chunk_is_lost_before_it():
    capture = body(b'data: {"type":"start"}\n\n', b'data: {"type":"finish"}\n')
    assert [frame.problem is None for frame in capture.frames()] == [True, False]
    assert [chunk for _frame, chunk in capture.chunks()] == [{"type": "start"}]


def test_comments_done_and_what_is_no_chunk_give_no_chunk():
    capture = tiny((1, {"type": "start"}), (2, "[DONE]"), (3, {"type": "nonsense"}), (4, "{"))
    assert [chunk["type"] for _frame, chunk in capture.chunks()] == ["start"]


def test_json_lines_are_read_line_by_line():
    capture = body(b'{"type":"start"}\n{"type":', b'"finish"}\n', protocol="json-lines")
    assert [(frame.offset, chunk["type"]) for frame, chunk in capture.chunks()] == [(0, "start"), (17, "finish")]


def test_a_text_body_gives_the_chunks_of_the_official_client_without_an_invented_finish():
    emoji = "👋".encode()
    capture = body(b"hi " + emoji[:2], emoji[2:], protocol="text")
    assert [chunk for _frame, chunk in capture.chunks()] == [
        {"type": "start"},
        {"type": "start-step"},
        {"type": "text-start", "id": "text-1"},
        {"type": "text-delta", "id": "text-1", "delta": "hi "},
        {"type": "text-delta", "id": "text-1", "delta": "👋"},
        {"type": "text-end", "id": "text-1"},
        {"type": "finish-step"},
    ]


def test_a_text_body_that_broke_leaves_its_text_open():
    capture = body(b"half", protocol="text", ended="error")
    assert capture.message()["parts"] == [
        {"type": "step-start"},
        {"type": "text", "text": "half", "state": "streaming"},
    ]


@pytest.mark.parametrize(
    "response, protocol",
    [
        (Response(200, {"Content-Type": "text/event-stream; charset=utf-8"}), "ui-message-stream"),
        (Response(None, STREAM), "ui-message-stream"),
        (Response(200, {"content-type": "text/plain; charset=utf-8"}), "text"),
        (Response(500, {"content-type": "text/plain"}), "unknown"),
        (Response(200, {"content-type": "application/x-ndjson"}), "json-lines"),
        (Response(200, {"content-type": "text/html"}), "unknown"),
        (Response(200, {}), "unknown"),
        (None, "unknown"),
    ],
)
def test_the_protocol_is_what_status_and_content_type_announce(response, protocol):
    assert protocol_of(response) == protocol


# --- message and messages ---


def test_the_message_is_the_reply_alone():
    capture = tiny((1, {"type": "start", "messageId": "m1"}), (2, {"type": "text-start", "id": "t"}))
    assert capture.message() == {
        "id": "m1",
        "role": "assistant",
        "parts": [{"type": "text", "text": "", "state": "streaming"}],
    }


def test_a_reply_goes_on_with_the_assistant_message_that_the_request_ends_in():
    call = {"type": "tool-x", "toolCallId": "c", "state": "approval-responded", "input": {}}
    call |= {"approval": {"id": "a", "approved": True}}
    waiting = {"id": "m1", "role": "assistant", "parts": [{"type": "step-start"}, call]}
    capture = Capture(
        name="continued",
        request=asked(ASK, waiting, trigger="submit-message", messageId="m1"),
        segments=tiny(
            (1, {"type": "start", "messageId": "m1"}),
            (2, {"type": "tool-output-available", "toolCallId": "c", "output": 1}),
            (3, {"type": "finish"}),
        ).segments,
    )
    (user, reply) = capture.messages
    assert user == ASK
    assert [part.get("state") for part in reply["parts"]] == [None, "output-available"]
    assert waiting["parts"][1]["state"] == "approval-responded", "the request's own message is not touched"


def test_a_regenerated_reply_begins_anew():
    old = {"id": "m0", "role": "assistant", "parts": [{"type": "text", "text": "old"}]}
    capture = Capture(
        name="again",
        request=asked(ASK, old, ASK | {"id": "u2"}, trigger="regenerate-message"),
        segments=tiny((1, {"type": "start", "messageId": "m1"}), (2, {"type": "text-start", "id": "t"})).segments,
    )
    assert [message["id"] for message in capture.messages] == ["u1", "m0", "u2", "m1"]


def test_a_reply_that_never_showed_anything_is_not_listed():
    capture = Capture(name="empty", request=asked(ASK), segments=tiny((1, {"type": "start"})).segments)
    assert capture.messages == [ASK]


@pytest.mark.parametrize(
    "sent", [b"", b"not json", b"[]", b'{"messages": 3}', b'{"messages": [3, {"parts": 1}]}', None]
)
def test_a_request_without_messages_gives_the_reply_alone(sent):
    capture = Capture(
        name="odd",
        request=Request("POST", "/", {}, sent),
        segments=tiny((1, {"type": "start", "messageId": "m"})).segments,
    )
    assert [message["id"] for message in capture.messages] == ["m"]


# --- end state ---

CALL = {"type": "tool-input-available", "toolCallId": "c", "toolName": "x", "input": {}}
APPROVAL = {"type": "tool-approval-request", "toolCallId": "c", "approvalId": "a"}
STOP, CALLS = {"type": "finish", "finishReason": "stop"}, {"type": "finish", "finishReason": "tool-calls"}


@pytest.mark.parametrize(
    "state, data",
    [
        ("complete", [{"type": "start"}, STOP, "[DONE]"]),
        ("complete", [{"type": "start"}, STOP]),
        ("complete", [{"type": "start"}, "[DONE]"]),
        ("complete", [CALL, {"type": "tool-output-available", "toolCallId": "c", "output": 1}, CALLS]),
        ("complete", [CALL, APPROVAL | {"isAutomatic": True}, STOP]),
        ("complete", [CALL, APPROVAL, {"type": "tool-output-denied", "toolCallId": "c"}, STOP]),
        ("complete", [CALL | {"providerExecuted": True}, CALLS]),
        ("waiting", [CALL, CALLS]),
        ("waiting", [CALL, APPROVAL, CALLS]),
        ("waiting", [CALL, APPROVAL, "[DONE]"]),
        ("truncated", [CALL, APPROVAL]),
        ("truncated", [{"type": "start"}]),
        ("truncated", []),
        ("error", [{"type": "error", "errorText": "x"}, STOP, "[DONE]"]),
        ("error", [CALL, APPROVAL, CALLS, {"type": "error", "errorText": "x"}]),
        ("aborted", [{"type": "abort"}, "[DONE]"]),
        ("aborted", [{"type": "abort"}, STOP]),
        ("error", [{"type": "abort"}, {"type": "error", "errorText": "x"}]),
    ],
)
def test_the_end_state_follows_the_rule(state, data):
    assert tiny(*enumerate(data)).end_state == state


@pytest.mark.parametrize(
    "ended, state",
    [("complete", "truncated"), ("cut", "truncated"), ("interrupted", "aborted"), ("error", "error")],
)
def test_how_the_bytes_ended_counts_where_no_finish_came(ended, state):
    assert body(b'data: {"type":"start"}\n\n', ended=ended).end_state == state


@pytest.mark.parametrize(
    "ended, state", [("complete", "complete"), ("cut", "truncated"), ("interrupted", "aborted"), ("error", "error")]
)
def test_a_text_body_is_complete_only_when_it_was_closed_cleanly(ended, state):
    assert body(b"hello", protocol="text", ended=ended).end_state == state


@pytest.mark.parametrize("end, state", [(b"\n\n", "complete"), (b"\n", "truncated"), (b"", "truncated")])
def test_a_done_without_its_blank_line_ends_nothing(end, state):
    """The reference client drops a block without its end; a chat over HTTP says the same of the same bytes."""
    capture = body(b'data: {"type":"start"}\n\ndata: [DONE]' + end)
    assert (capture.end_state, measure(capture).done_ms is None) == (state, state == "truncated")


def test_an_error_status_is_an_error_whatever_the_body_says():
    assert (
        body(b"nope", protocol="unknown", response=Response(500, {"content-type": "text/plain"})).end_state == "error"
    )


def test_the_calls_that_wait_are_named():
    server = {"type": "tool-input-available", "toolCallId": "s", "toolName": "y", "input": {}, "providerExecuted": True}
    capture = tiny(*enumerate([CALL, APPROVAL, server, CALLS]))
    assert (capture.end_state, capture.waiting) == ("waiting", ("c",))
    assert tiny((1, STOP)).waiting == ()


# --- sizes, secrets, repr ---


def test_size_and_duration_are_those_of_the_body():
    capture = tiny((4, "[DONE]"), (161, "[DONE]"))
    assert (capture.size_bytes, capture.duration_ms) == (2 * len("data: [DONE]\n\n"), 161.0)
    assert (body().size_bytes, body().duration_ms) == (0, None)


def test_a_capture_cannot_hold_a_secret_of_the_headers_or_the_url():
    request = Request("POST", "http://me:pw@host/x?api_key=abc", {"Authorization": "Bearer abc"})
    response = Response(200, {"set-cookie": "id=abc"})
    assert request.url == "http://***@host/x?api_key=***"
    assert (request.headers, response.headers) == ({"Authorization": "***"}, {"set-cookie": "***"})


def test_the_repr_says_how_it_ended_and_where_it_belongs():
    capture = Capture(name="x", segments=tiny((161, "[DONE]")).segments, exchange=1, exchanges=2)
    assert repr(capture) == (
        "<Capture 'x': complete; frames 1, segments 1, 14 bytes; 0.161 s; exchange 1 of 2; lab.load_all(path) gives all>"
    )


def test_the_card_escapes_what_the_model_and_the_server_say():
    evil = "<img src=x onerror=alert(1)>"
    capture = Capture(
        name=evil,
        about=evil,
        request=Request("GET", evil),
        response=Response(200, {"content-type": evil}),
        segments=tiny(
            (1, {"type": "text-start", "id": "t"}), (2, {"type": "text-delta", "id": "t", "delta": evil})
        ).segments,
        ended_text=evil,
        problem=evil,
    )
    card = capture._repr_html_()
    assert "<img" not in card
    assert card.count("&lt;img src=x onerror=alert(1)&gt;") == 7


def test_the_card_survives_half_a_surrogate_pair_and_shows_a_long_reply_shortened():
    half = '{"type":"text-delta","id":"t","delta":"\\ud83d' + "x" * 500 + '"}'
    card = tiny((1, {"type": "text-start", "id": "t"}), (2, half))._repr_html_()
    assert card.encode()  # Jupyter's packer would refuse a lone half
    assert "x" * 230 in card
    assert "x" * 250 not in card


def test_problems_name_the_frames_that_the_official_client_would_refuse():
    body = (
        b'data: {"type":"start"}\n\n'
        b'data: {"type":"text-delta","id":"t","delta":"late"}\n\n'
        b'data: {"type":"nonsense"}\n\n'
        b"data: [DONE]\n\n"
    )
    made = Capture(name="odd", protocol="ui-message-stream", segments=(Segment(None, body),))
    first, second = made.problems()
    assert first.startswith('frame 1: Received text-delta for missing text part with ID "t".')
    assert second.startswith("frame 2: unknown chunk type 'nonsense'")
    assert "problems 2" in repr(made)
    assert "first problem" in made._repr_html_()


def test_a_body_of_another_protocol_says_that_nothing_of_it_was_read():
    body = b'data: {"choices":[{"delta":{"content":"hi"}}]}\n\ndata: [DONE]\n\n'
    made = Capture(name="foreign", protocol="ui-message-stream", segments=(Segment(None, body),))
    assert "no frame is a chunk of this protocol (problems 1)" in repr(made)
    assert "no frame" not in repr(samples["weather"])


TOOL = {"type": "tool-x", "toolCallId": "c", "state": "input-available", "input": {}}


@pytest.mark.parametrize(
    "message",
    [
        {"id": "a", "role": "assistant", "parts": [{"type": "tool-x"}]},
        {"id": "a", "role": "assistant", "parts": [TOOL | {"toolCallId": []}]},
        {"id": "a", "role": "assistant", "parts": [TOOL | {"state": 5}]},
        {"id": "a", "role": "assistant", "parts": [TOOL | {"approval": {}}]},
        {"id": "a", "role": "assistant", "parts": [TOOL | {"state": "input-streaming", "rawInput": []}]},
        {"id": "a", "role": "assistant", "parts": [{"type": "data-x", "id": []}]},
        {"id": "a", "role": "assistant", "parts": [5]},
        {"id": "a", "role": "assistant", "parts": [{"type": ["text"]}]},
        {"id": "a", "role": "assistant", "parts": [{"type": "text", "text": 5}]},
        {"id": ["a"], "role": "assistant", "parts": []},
        {"role": "assistant", "parts": []},
        {"id": "a", "role": "assistant", "parts": 5},
        {"id": "a", "role": {}, "parts": []},
    ],
)
def test_no_view_breaks_on_a_bad_message_in_the_request(message):
    done = b'data: {"type":"start"}\n\ndata: {"type":"finish"}\n\n'
    for more in ({}, {"messageId": ["a"]}, {"message": message, "messages": None}):
        capture = body(done, request=asked(message, **more), response=Response(200, STREAM))
        assert "<Capture" in repr(capture)
        assert "<table" in capture._repr_html_()
        assert capture.end_state == "complete"
        assert isinstance(capture.messages, list)
        assert measure(capture).end_state == "complete"


def test_a_problem_names_the_event_of_its_frame():
    (problem,) = body(b"event: ping\ndata:\n\n").problems()
    assert problem.startswith("frame 0 (event 'ping'): not JSON: ")
    (long,) = body(b"event: " + b"\x1b" * 900 + b"\ndata: x\n\n").problems()
    assert "\x1b" not in long
    assert len(long) < 300


@pytest.mark.parametrize("protocol", ["ui-message-stream", "text", "unknown"])
def test_the_stream_of_ai_4_is_named_instead_of_a_blank_answer(protocol):
    (problem,) = body(b'0:"Hel"\n', b'0:"lo"\nd:{"finishReason":"stop"}\n', protocol=protocol).problems()
    assert "old data stream of ai 4 (v4" in problem
