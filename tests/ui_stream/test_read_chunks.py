"""Many frames read at once give what each of them gives alone, and what a careful look at its text gives."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, strategies as st

from aisdk_lab.ui_stream import grammar
from aisdk_lab.ui_stream.plain_chunks import PLAIN, are_plain
from aisdk_lab.ui_stream.validate import accepted, chunk_problems, read_chunk, read_chunks
from aisdk_lab.wire import Frame, JsonLinesDecoder, SseDecoder, json_text
from aisdk_lab.wire.frame import DONE, PlainRun

PLAIN_TEXTS = [
    '{"type":"text-delta","id":"t1","delta":"hello"}',
    '{"type":"text-delta","id":"t1","delta":"你好 😀"}',
    '{ "delta": "a}{b", "type": "text-delta", "id": "" }',
    '{"type":"tool-input-delta","toolCallId":"c","inputTextDelta":"{\\"a\\":[\\n"}',
    '{"type":"tool-input-start","toolCallId":"c","toolName":"w","dynamic":true}',
    '{"type":"finish","finishReason":"stop"}',
    '{"type":"start-step"}',
]
ODD_TEXTS = [
    DONE,
    "",
    "{",
    "}",
    "{}",
    '{"type":"text-delta","id":',
    '"t1","delta":"a"}',
    '{"type":"start-step"}{"type":"finish-step"}',
    '1}{"type":"start-step"}',
    '{"a":{}',
    ' {"type":"start-step"}',
    '{"type":"start-step"} ',
    "[]",
    "null",
    "NaN",
    '\ufeff{"type":"start-step"}',
    '{"type":"text-delta","id":"t1"}',
    '{"type":"text-delta","id":5,"delta":"a"}',
    '{"type":"text-delta","id":5,"delta":"a","id":"t1"}',
    '{"type":"text-delta","type":"start-step","id":"t1","delta":"a"}',
    '{"type":"text-delta","id":"t1","delta":"a","unknown":1}',
    '{"type":"text-delta","id":"t1","delta":null}',
    '{"type":"text-delta","id":"t1","delta":"\\ud83d"}',
    '{"type":"text-delta","id":"t1","delta":"a\tb"}',
    '{"type":"text-delta","id":"t1","delta":"a","__proto__":"x"}',
    '{"type":"text-delta","id":"t1","delta":"a","\\u005f_proto__":"x"}',
    '{"type":"text-delta","id":"t1","delta":"a","providerMetadata":{"p":{"k":1}}}',
    '{"type":"text-delta","id":"t1","delta":"a","providerMetadata":{"p":1}}',
    '{"type":"text-end","id":"t1","citations":[{"x":1,"source":{"type":"source","sourceType":"url","id":"1","url":"u"}}]}',
    '{"type":"tool-input-available","toolCallId":"c","toolName":"w","input":{"constructor":{"prototype":1}}}',
    '{"type":"tool-input-available","toolCallId":"c","toolName":"w","input":-0}',
    '{"type":"data-x","data":1e400}',
    '{"type":"data-x","data":123456789012345678901234567890}',
    '{"type":"data-x","data":' + "[" * 300 + "]" * 300 + "}",
    '{"type":"data-x","data":' + "[" * 5000 + "]" * 5000 + "}",
    '{"type":"finish","finishReason":"done"}',
    '{"type":"dance"}',
    '{"type":["text-delta"]}',
    '{"type":"start","messageId":true}',
]


def carefully(frame: Frame) -> tuple[Any, str | None]:
    """The chunk or the problem by the rules alone, without a fast way."""
    if frame.problem is not None or frame.data is None or frame.data == DONE:
        return None, frame.problem
    try:
        value = json_text.read(frame.data)
    except json_text.JsonProblem as problem:
        return None, f"not JSON: {problem}"
    problems = chunk_problems(value)
    return (None, "; ".join(problems)) if problems else (accepted(value), None)


def written(columns: tuple[list[Any], list[str | None]]) -> tuple[str, list[str | None]]:
    """In a form in which -0.0 and 0, 1 and true differ."""
    return repr(columns[0]), columns[1]


def block(text: str) -> bytes:
    return f"data: {text}\n\n".encode()


@pytest.mark.parametrize("text", PLAIN_TEXTS + ODD_TEXTS, ids=lambda text: text[:70])
def test_one_text_is_read_the_same_in_every_company(text: str) -> None:
    frame = Frame(0, 0, b"", data=text)
    expected = carefully(frame)
    assert written(([read_chunk(frame)[0]], [read_chunk(frame)[1]])) == written(([expected[0]], [expected[1]]))
    neighbour = json.loads(PLAIN_TEXTS[0])
    for before in (0, 1, 9):
        for after in (0, 1, 9):
            body = block(PLAIN_TEXTS[0]) * before + block(text) + block(PLAIN_TEXTS[0]) * after
            chunks, problems = read_chunks(SseDecoder().feed(body))
            wanted = [neighbour] * before + [expected[0]] + [neighbour] * after
            assert written((chunks, problems)) == written((wanted, [None] * before + [expected[1]] + [None] * after))


SSE_PIECES = [block(text) for text in PLAIN_TEXTS] * 8 + [
    *(block(text) for text in ODD_TEXTS),
    b": ping\n\n",
    b"event: message\nid: 1\ndata: {}\n\n",
    b'data: {"type":\ndata: "start-step"}\n\n',
    b'data:{"type":"start-step"}\n\n',
    b'data: {"type":"start-step"}\r\n\r\n',
    b'data: {"type":"text-delta","id":"t1","delta":"\xff"}\n\n',
    b"data: {\xff}\n\n",
    b"\n",
    b"retry: 1\n\n",
]


@given(
    st.lists(st.sampled_from(SSE_PIECES), max_size=40),
    st.lists(st.integers(0, 4000), max_size=6),
    st.sampled_from([(16384, 1024), (100, 30), (30, 7)]),
)
def test_a_batch_reads_what_its_frames_read(pieces: list[bytes], places: list[int], slices: tuple[int, int]) -> None:
    body = b"".join(pieces)
    cuts = sorted(min(place, len(body)) for place in places)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("aisdk_lab.wire.sse._SLICE_BYTES", slices[0])
        patch.setattr("aisdk_lab.wire.sse._SMALL_SLICE_BYTES", slices[1])
        decoder = SseDecoder()
        batches = [decoder.feed(body[a:b]) for a, b in zip([0, *cuts], [*cuts, len(body)], strict=True)]
    batches.append(decoder.close())
    for batch in batches:
        fast = read_chunks(batch)
        frames = list(batch)
        assert len(batch) == len(frames)
        pairs = [read_chunk(frame) for frame in frames]
        assert written(fast) == written(([chunk for chunk, _ in pairs], [problem for _, problem in pairs]))
        assert written(read_chunks(frames)) == written(fast)
        pairs = [carefully(frame) for frame in frames]
        assert written(fast) == written(([chunk for chunk, _ in pairs], [problem for _, problem in pairs]))
    assert [frame for batch in batches for frame in batch] == [*SseDecoder().feed(body), *batch_of_close(body)]


def batch_of_close(body: bytes) -> list[Frame]:
    decoder = SseDecoder()
    decoder.feed(body)
    return decoder.close()


@given(
    st.lists(
        st.sampled_from(PLAIN_TEXTS * 4 + ODD_TEXTS + ['{"type":"start-step"}\r{"type":"start-step"}']), max_size=20
    )
)
def test_lines_of_json_are_read_at_once_too(texts: list[str]) -> None:
    frames = JsonLinesDecoder().feed("".join(text + "\n" for text in texts).encode())
    pairs = [carefully(frame) for frame in frames]
    assert written(read_chunks(frames)) == written(([chunk for chunk, _ in pairs], [problem for _, problem in pairs]))


def test_frames_made_by_hand_may_hold_anything() -> None:
    texts = [
        "\ud83d",
        '{"type":"start-step"}\n{"type":"finish-step"}',
        '{"type":"text-delta","id":"\ud83d","delta":"a"}',
    ]
    frames = [Frame(place, 0, b"", data=text) for place, text in enumerate([*texts, None, *PLAIN_TEXTS])]
    frames.append(Frame(9, 0, b"", data=PLAIN_TEXTS[0], problem="cut"))
    for start in range(len(frames)):
        pairs = [carefully(frame) for frame in frames[start:]]
        columns = [chunk for chunk, _ in pairs], [problem for _, problem in pairs]
        assert written(read_chunks(frames[start:])) == written(columns)
    assert read_chunks([]) == ([], [])


SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-1, 1), st.sampled_from(["", "stop", "json", "é"]), st.just([])
)


@given(st.sampled_from([*grammar.CHUNKS, "data-x", "no"]), st.data())
def test_what_passes_for_plain_is_a_chunk(kind: str, data: st.DataObject) -> None:
    rule = grammar.chunk_rule(kind)
    names = [*(rule.fields if rule else ()), "unknown"]
    chunk = {"type": kind, **data.draw(st.dictionaries(st.sampled_from(names), SCALARS))}
    if are_plain([chunk]):
        assert chunk_problems(chunk) == []
        assert accepted(chunk) == chunk


def test_the_frequent_chunks_are_plain() -> None:
    assert {"text-delta", "reasoning-delta", "tool-input-delta", "text-start", "finish", "start-step"} <= PLAIN.keys()
    assert are_plain([json.loads(text) for text in PLAIN_TEXTS])
    batch = SseDecoder().feed(b"".join(map(block, PLAIN_TEXTS)))
    assert isinstance(batch, PlainRun)
    assert batch.has_braces
