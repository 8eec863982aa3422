"""Captures as tables: columns, dtypes and rows, also of nothing and of broken bytes."""

from __future__ import annotations

import pickle

import pandas as pd
import pytest

from aisdk_lab.capture import Capture, Segment
from aisdk_lab.errors import UnknownName
from aisdk_lab.importers import load
from aisdk_lab.metrics import tiny
from aisdk_lab.samples import samples
from aisdk_lab.tables import CHUNKS, FRAMES, SEGMENTS, table, tables
from tests.conftest import GOLDEN

COLUMNS = {"segments": SEGMENTS, "frames": FRAMES, "chunks": CHUNKS}
CAPTURES = {
    "empty": Capture(name="empty"),
    "weather": samples["weather"],
    "text": load(GOLDEN / "captures" / "text-stream-response.json"),
    "no clock": Capture(name="no clock", segments=(Segment(None, b'data: {"type":"start"}\n\n'),)),
    "json lines": Capture(name="lines", protocol="json-lines", segments=(Segment(1, b'{"type":"start"}\nx\n'),)),
    "noise": Capture(name="noise", segments=(Segment(1, bytes(range(256)) + b'\n\ndata: {"type":3,"delta":[]}\n\n'),)),
}


def rows(frame: pd.DataFrame, *columns: str) -> list[tuple]:
    """The rows as plain values, `None` for what is missing."""
    picked = frame[list(columns)].astype(object)
    return [tuple(None if pd.isna(value) else value for value in row) for row in picked.itertuples(index=False)]


@pytest.mark.parametrize("kind", COLUMNS)
@pytest.mark.parametrize("name", CAPTURES)
def test_every_table_has_exactly_the_documented_columns_and_dtypes(kind, name):
    made = table(CAPTURES[name], kind)
    assert {column: str(dtype) for column, dtype in made.dtypes.items()} == dict(COLUMNS[kind])
    many = tables([CAPTURES[name], CAPTURES["empty"]], kind)
    assert {column: str(dtype) for column, dtype in many.dtypes.items()} == {"capture": "string", **COLUMNS[kind]}
    assert len(many) == len(made)


@pytest.mark.parametrize("kind", COLUMNS)
def test_no_captures_give_an_empty_table_with_all_columns(kind):
    assert list(tables([], kind).columns) == ["capture", *COLUMNS[kind]]


def test_an_unknown_table_names_the_known_ones():
    with pytest.raises(UnknownName, match="no table is called 'chunk'. Known: chunks, frames, segments"):
        table(CAPTURES["weather"], "chunk")
    with pytest.raises(UnknownName):
        tables([], "x")


def test_segments_tell_when_how_much_where_and_which_frames():
    capture = Capture(
        name="cut",
        segments=(
            Segment(4_000_000, 'data: "你'.encode()[:8]),
            Segment(9_500_000, 'data: "你'.encode()[8:] + b'"\n\ndata: 2\n\nda'),
            Segment(10_000_000, b"ta: 3\n\n"),
        ),
    )
    made = table(capture, "segments")
    assert rows(made, "segment", "t_ms", "gap_ms", "size_bytes", "offset_bytes", "frames", "text") == [
        (0, 4.0, None, 8, 0, 0, 'data: "�'),
        (1, 9.5, 5.5, 16, 8, 2, '��"\n\ndata: 2\n\nda'),
        (2, 10.0, 0.5, 7, 24, 1, "ta: 3\n\n"),
    ]


def test_frames_tell_what_each_block_was():
    capture = tiny((1, {"type": "start"}), (3, "[DONE]"), (4, {"type": "nonsense"}), (5, "{"))
    capture = Capture(
        name="x", segments=(*capture.segments, Segment(6_000_000, b": hm\n\nid: 7\nevent: e\n\ndata: tail"))
    )
    made = table(capture, "frames")
    assert rows(made, "frame", "segment", "t_ms", "gap_ms", "kind", "type", "event", "id", "data", "comment") == [
        (0, 0, 1.0, None, "chunk", "start", None, None, '{"type": "start"}', None),
        (1, 1, 3.0, 2.0, "done", None, None, None, "[DONE]", None),
        (2, 2, 4.0, 1.0, "other", "nonsense", None, None, '{"type": "nonsense"}', None),
        (3, 3, 5.0, 1.0, "other", None, None, None, "{", None),
        (4, 4, 6.0, 1.0, "comment", None, None, None, None, "hm"),
        (5, 4, 6.0, 0.0, "other", None, "e", "7", None, None),
        (6, 4, 6.0, 0.0, "other", None, None, None, "tail", None),
    ]
    assert [bool(problem) for (problem,) in rows(made, "problem")] == [False, False, True, True, False, False, True]
    assert made["size_bytes"].sum() == capture.size_bytes


def test_chunks_carry_step_call_tool_and_text():
    capture = tiny(
        (1, {"type": "start", "messageId": "m1"}),
        (2, {"type": "start-step"}),
        (3, {"type": "text-delta", "id": "t", "delta": "你好 👋"}),
        (4, {"type": "tool-input-start", "toolCallId": "c", "toolName": "w"}),
        (5, {"type": "tool-input-delta", "toolCallId": "c", "inputTextDelta": "{}"}),
        (6, {"type": "tool-approval-request", "toolCallId": "c", "approvalId": "a"}),
        (7, {"type": "tool-approval-response", "approvalId": "a", "approved": True}),
        (8, {"type": "start-step"}),
        (9, {"type": "error", "errorText": "no"}),
        (10, {"type": "text-delta", "id": "t", "delta": 3}),
        (11, "{"),
        (12, "[DONE]"),
    )
    made = table(capture, "chunks")
    columns = ("chunk", "frame", "type", "step", "id", "tool_call_id", "tool_name", "approval_id", "text", "text_chars")
    assert rows(made, *columns) == [
        (0, 0, "start", None, "m1", None, None, None, None, None),
        (1, 1, "start-step", 1, None, None, None, None, None, None),
        (2, 2, "text-delta", 1, "t", None, None, None, "你好 👋", 4),
        (3, 3, "tool-input-start", 1, None, "c", "w", None, None, None),
        (4, 4, "tool-input-delta", 1, None, "c", "w", None, "{}", 2),
        (5, 5, "tool-approval-request", 1, None, "c", "w", "a", None, None),
        (6, 6, "tool-approval-response", 1, None, "c", "w", "a", None, None),
        (7, 7, "start-step", 2, None, None, None, None, None, None),
        (8, 8, "error", 2, None, None, None, None, "no", 2),
        (9, 9, "text-delta", 2, "t", None, None, None, None, None),
        (10, 10, None, 2, None, None, None, None, None, None),
    ]
    assert rows(made, "problem")[9] == ("expected a string, got 3  @ $.delta",)
    assert "not JSON" in rows(made, "problem")[10][0]
    assert made["t_ms"].tolist() == [float(t) for t in range(1, 12)]


def test_frame_joins_chunks_to_frames_and_segment_joins_frames_to_segments():
    chunks, frames, segments = (table(samples["weather"], kind) for kind in ("chunks", "frames", "segments"))
    joined = chunks.merge(frames, on="frame", suffixes=("", "_frame")).merge(
        segments, on="segment", suffixes=("", "_segment")
    )
    assert len(joined) == len(chunks) == 31
    assert (joined["type"] == joined["type_frame"]).all()
    assert (joined["t_ms"] == joined["t_ms_segment"]).all()


def test_a_text_body_has_a_frame_a_read_and_the_chunks_of_the_official_client():
    capture = CAPTURES["text"]
    assert rows(table(capture, "frames"), "kind", "data") == [("text", "Plain "), ("text", "téxt "), ("text", "✓")]
    assert rows(table(capture, "chunks"), "type")[:4] == [("start",), ("start-step",), ("text-start",), ("text-delta",)]


def test_without_a_clock_the_times_are_missing():
    made = table(CAPTURES["no clock"], "chunks")
    assert rows(made, "type", "t_ms", "gap_ms") == [("start", None, None)]


def test_many_captures_are_told_apart_by_name():
    made = tables(samples.values(), "chunks")
    assert list(dict.fromkeys(made["capture"])) == list(samples)
    assert made.groupby("capture")["chunk"].max().to_dict() == {
        name: len(table(capture, "chunks")) - 1 for name, capture in samples.items()
    }


# --- the look ---


def test_the_caption_says_what_one_row_is():
    made = table(samples["weather"], "frames")
    assert made.attrs["caption"].startswith("One row a frame")
    assert made.attrs["caption"] in made._repr_html_()


def test_what_the_model_says_is_escaped_and_cut_in_the_view():
    evil = "<img src=x onerror=alert(1)>" + "y" * 500
    view = table(tiny((1, {"type": "text-delta", "id": "t", "delta": evil})), "chunks")._repr_html_()
    assert "<img" not in view
    assert "&lt;img src=x" in view
    assert "y" * 100 not in view


def test_half_a_surrogate_pair_is_shown_as_a_box():
    half = '{"type":"text-delta","id":"t","delta":"\\ud83d"}'
    assert rows(table(tiny((1, half)), "chunks"), "text") == [("\ufffd",)]


def test_a_long_table_is_shown_in_part():
    view = table(tiny(*((t, {"type": "start"}) for t in range(500))), "chunks")._repr_html_()
    assert view.count("<tr") < 60


def test_a_table_is_a_data_frame_that_survives_pickling():
    made = table(samples["weather"], "chunks")
    again = pickle.loads(pickle.dumps(made))
    assert isinstance(made, pd.DataFrame)
    assert again.equals(made)


def test_a_selection_keeps_the_look_and_a_grouping_is_shown_by_pandas():
    made = table(samples["weather"], "chunks")
    shown = made[made["type"] == "text-delta"][["t_ms", "text"]].tail(2)._repr_html_()
    assert made.attrs["caption"] in shown
    grouped = made.groupby("type").size().to_frame("n")
    assert "text-delta" in grouped._repr_html_(), "the index says something here"
