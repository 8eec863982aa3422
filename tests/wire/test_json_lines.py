"""JSON Lines to frames: any cut, no byte lost."""

from __future__ import annotations

from hypothesis import given, strategies as st

from aisdk_lab.wire import Frame, JsonLinesDecoder


def decode(segments: list[bytes], limit_bytes: int | None = None) -> list[Frame]:
    decoder = JsonLinesDecoder() if limit_bytes is None else JsonLinesDecoder(limit_bytes)
    frames = [frame for segment in segments for frame in decoder.feed(segment)]
    return frames + decoder.close()


def test_each_line_is_a_frame_with_its_bytes() -> None:
    body = '\ufeff{"a":1}\r\n\n  \n{"城":"杭州"}\n'.encode()
    assert decode([body]) == [
        Frame(0, 0, b'\xef\xbb\xbf{"a":1}\r\n', data='{"a":1}'),
        Frame(1, 12, '\n  \n{"城":"杭州"}\n'.encode(), data='{"城":"杭州"}'),
    ]


def test_a_last_line_without_an_end_is_a_frame_without_a_problem() -> None:
    assert decode([b"1\n2"]) == [Frame(0, 0, b"1\n", data="1"), Frame(1, 2, b"2", data="2")]


def test_blank_lines_at_the_end_are_a_frame_without_data() -> None:
    assert decode([b"1\n\n \n"]) == [Frame(0, 0, b"1\n", data="1"), Frame(1, 2, b"\n \n")]


def test_only_lf_ends_a_line() -> None:
    body = '"a\u2028b\x0bc\x85"\r"d"\n'.encode()
    assert [frame.data for frame in decode([body])] == ['"a\u2028b\x0bc\x85"\r"d"']


def test_a_line_above_the_limit_comes_in_pieces_and_the_next_one_is_whole() -> None:
    problem = "longer than 4 bytes and not decoded; this is a piece of it"
    assert decode([b"0123456789\n12\n"], 4) == [
        Frame(0, 0, b"0123", problem=problem),
        Frame(1, 4, b"4567", problem=problem),
        Frame(2, 8, b"89\n", problem=problem),
        Frame(3, 11, b"12\n", data="12"),
    ]


def test_a_frame_has_the_time_of_its_own_last_byte() -> None:
    decoder = JsonLinesDecoder()
    assert decoder.feed(b"1\n2", 10) == [Frame(0, 0, b"1\n", 10, data="1")]
    assert decoder.feed(b"", 20) == []
    assert decoder.close(30) == [Frame(1, 2, b"2", 10, data="2")]


@given(
    st.lists(
        st.sampled_from([b"1", b"\n", b"\r\n", b"\r", b" ", b"\xef\xbb\xbf", b'"\xe6\x9d\xad"', b"\xff"]), max_size=12
    ),
    st.lists(st.integers(0, 40), max_size=6),
    st.sampled_from([None, 1, 3, 8]),
)
def test_the_cuts_change_nothing(pieces: list[bytes], places: list[int], limit_bytes: int | None) -> None:
    body = b"".join(pieces)
    cuts = sorted(min(place, len(body)) for place in places)
    segments = [body[start:end] for start, end in zip([0, *cuts], [*cuts, len(body)], strict=True)]
    frames = decode(segments, limit_bytes)
    assert frames == decode([body], limit_bytes)
    assert b"".join(frame.raw for frame in frames) == body
    if limit_bytes is None:
        lines = body.decode("utf-8", "replace").removeprefix("\ufeff").split("\n")
        data = [frame.data for frame in frames if frame.data is not None]
        assert data == [line.removesuffix("\r") for line in lines if line.strip(" \t\r")]
