"""The stream of `ai` 4 is named instead of shown as a blank answer."""

from __future__ import annotations

import json

import pytest

from aisdk_lab.ui_stream.old_data_stream import HEADER, PARTS, detect, iter_parts, read_line
from aisdk_lab.ui_stream.validate import read_chunk
from aisdk_lab.ui_stream.versions import validate_chunk
from aisdk_lab.wire.sse import SseDecoder

FINISH = '{"finishReason":"stop","usage":{"promptTokens":1,"completionTokens":2}}'
REPORTED = f'0:"Hel"\n0:"lo"\nd:{FINISH}\n'.encode()
"""A real report (Vinitj088/Aylechat#3): the page stayed blank and nothing was logged."""
GOOD = {
    "0": '"x"',
    "2": "[1]",
    "3": '"no"',
    "8": "[]",
    "9": '{"toolCallId":"c","toolName":"f","args":{}}',
    "a": '{"toolCallId":"c","result":1}',
    "b": '{"toolCallId":"c","toolName":"f"}',
    "c": '{"toolCallId":"c","argsTextDelta":"{"}',
    "d": FINISH,
    "e": '{"finishReason":"stop","isContinued":false}',
    "f": '{"messageId":"m"}',
    "g": '"hm"',
    "h": '{"sourceType":"url"}',
    "i": '{"data":"x"}',
    "j": '{"signature":"s"}',
    "k": '{"data":"QUJD","mimeType":"image/png"}',
}


def test_the_reported_stream_gives_no_chunk_and_is_named() -> None:
    decoder = SseDecoder()
    frames = [*decoder.feed(REPORTED), *decoder.close()]
    assert [read_chunk(frame)[0] for frame in frames if read_chunk(frame)[0] is not None] == []
    found = detect(REPORTED, {"X-Vercel-AI-Data-Stream": "v1"})
    assert found is not None
    assert (found.by_header, found.by_lines, found.text, found.finish_reason) == (True, True, "Hello", "stop")
    assert found.finding == (
        'this is the old data stream of ai 4 (v4, lines such as 0:"Hel"), not a UI message stream: a client of ai 5, 6 '
        "or 7 gets zero chunks and no error from it, and shows a blank answer. Answer with `toUIMessageStreamResponse()` "
        "of ai 5 or newer, or read it with a client of ai 4."
    )


def test_the_header_alone_names_an_empty_body() -> None:
    found = detect(b"", {HEADER: "v1"})
    assert found is not None
    assert f"the header {HEADER}" in found.finding
    assert detect(b"") is None
    assert detect(b"\n\n", {"content-type": "text/plain"}) is None


@pytest.mark.parametrize("code", PARTS)
def test_each_code_is_read_alone(code: str) -> None:
    line = f"{code}:{GOOD[code]}"
    assert read_line(line) == (code, PARTS[code].name, json.loads(GOOD[code]))
    assert detect(line) is not None
    assert list(iter_parts(f"{line}\n{line}\n")) == [read_line(line)] * 2


@pytest.mark.parametrize(
    "line",
    ["", ":", "0", "0:", "0:x", "0:1", "1:1", "4:{}", "z:1", "00:1", "9:{}", '9:{"toolCallId":1}', "d:[]", "e:null"],
)
def test_other_lines_are_no_parts(line: str) -> None:
    assert read_line(line) is None


@pytest.mark.parametrize(
    "body",
    [
        b'data: {"type":"start"}\n\n',
        b": hello\n\n",
        b'{"type":"start"}\n',
        b"plain words\nmore\n",
        b'0:"one"\nplain words\n0:"two"\n',
        b"\xff\xfe0\x00:\x00",
    ],
)
def test_other_bodies_are_not_taken_for_it_whatever_the_header_says(body: bytes) -> None:
    assert detect(body, {HEADER: "v1"}) is None


def test_a_stream_cut_inside_a_line_or_a_character_is_still_named() -> None:
    whole = f'f:{{"messageId":"m"}}\n0:"你好"\ne:{FINISH}\nd:{FINISH}\n'.encode()
    named = [detect(whole[:size]) is not None for size in range(len(whole) + 1)]
    first = len(b'f:{"messageId":"m"}')
    assert named == [False] * first + [True] * (len(whole) + 1 - first)


def test_deep_and_huge_values_are_no_parts() -> None:
    assert read_line("2:" + "[" * 100_000 + "]" * 100_000) is None
    assert read_line("2:[" + "9" * 5000 + "]") == ("2", "data", [float("inf")])


def test_a_client_of_4_accepts_no_chunk_of_today() -> None:
    assert validate_chunk({"type": "start"}, "4") == [
        (
            'a client of ai 4 reads the old data stream (`0:"text"` lines) and stops at the first `data:` line: '
            "Failed to parse stream string. Invalid code data.  @ $"
        )
    ]
