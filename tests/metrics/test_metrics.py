"""Numbers of a capture: each metric on its own example, whole measurements on the article's traces and on recordings."""

from __future__ import annotations

import math

import pytest

from aisdk_lab.capture import Capture, Segment
from aisdk_lab.errors import UnknownName
from aisdk_lab.importers import load_all
from aisdk_lab.metrics import Measurement, Span, Timeline, measure, metrics, tiny
from aisdk_lab.samples import samples
from tests.conftest import GOLDEN

START, STOP = {"type": "start"}, {"type": "finish", "finishReason": "stop"}
CALLS = {"type": "finish", "finishReason": "tool-calls"}


def call(key: str, name: str = "x") -> dict:
    return {"type": "tool-input-available", "toolCallId": key, "toolName": name, "input": {}}


def output(key: str, **more) -> dict:
    return {"type": "tool-output-available", "toolCallId": key, "output": 1, **more}


def request_approval(key: str, **more) -> dict:
    return {"type": "tool-approval-request", "toolCallId": key, "approvalId": f"a-{key}", **more}


def spans(*reads, kind: str | None = None) -> list[tuple]:
    found = Timeline.of(tiny(*reads)).spans
    return [(s.kind, s.label, s.start_ms, s.end_ms) for s in found if kind in (None, s.kind)]


# --- every member of the folder ---


@pytest.mark.parametrize("name", metrics)
def test_a_metric_gives_its_value_on_its_own_example(name):
    metric = metrics[name]
    assert metric([Timeline.of(capture) for capture in metric.example.captures]) == metric.example.value
    assert metric.about


@pytest.mark.parametrize("name", metrics)
def test_a_metric_of_an_empty_capture_is_unknown(name):
    assert measure(Capture(name="empty"))[name] in (None, ())


@pytest.mark.parametrize("name", metrics)
def test_a_metric_without_a_clock_is_unknown(name):
    example = metrics[name].example.captures[0]
    timeless = Capture(name="timeless", segments=tuple(Segment(None, s.data) for s in example.segments))
    assert measure(timeless)[name] in (None, ())


# --- the article's two traces ---


def test_the_first_trace_of_the_article_has_the_articles_numbers():
    measured = measure(samples["seed-text-and-tool"])
    assert measured.end_state == "complete"
    assert dict(measured) == {
        "first_byte_ms": 4.0,
        "first_frame_ms": 4.0,
        "first_text_ms": 27.0,
        "done_ms": 161.0,
        "finish_ms": 159.0,
        "longest_gap_ms": 36.0,
        "step_times": (Span("step", "1", 12.0, 158.0),),
        "tool_times": (),
        "tool_wait_ms": None,
        "human_wait_ms": None,
    }


def test_the_second_trace_has_two_steps_and_a_tool_that_ran_from_14_to_29_ms():
    measured = measure(samples["seed-agent-loop"])
    assert measured.end_state == "complete"
    assert dict(measured) == {
        "first_byte_ms": 3.0,
        "first_frame_ms": 3.0,
        "first_text_ms": 48.0,
        "done_ms": 72.0,
        "finish_ms": 69.0,
        "longest_gap_ms": 15.0,
        "step_times": (Span("step", "1", 14.0, 29.0), Span("step", "2", 38.0, 69.0)),
        "tool_times": (Span("tool-run", "get_weather", 14.0, 29.0, "c1"),),
        "tool_wait_ms": 15.0,
        "human_wait_ms": None,
    }


# --- what counts ---


def test_bytes_before_the_first_whole_frame_are_the_first_byte_only():
    capture = Capture(name="x", segments=(Segment(2_000_000, b": wa"), Segment(9_000_000, b"it\n\n")))
    assert (measure(capture).first_byte_ms, measure(capture).first_frame_ms) == (2.0, 9.0)


def test_a_tail_is_no_first_frame():
    assert measure(Capture(name="x", segments=(Segment(2_000_000, b"data: 1\n"),))).first_frame_ms is None


def test_a_text_body_has_a_first_text():
    capture = Capture(
        name="x", protocol="text", segments=(Segment(1_000_000, b"\xe4"), Segment(5_000_000, b"\xbd\xa0"))
    )
    assert measure(capture).first_text_ms == 5.0


def test_reasoning_is_no_text():
    delta = {"type": "reasoning-delta", "id": "r", "delta": "hm"}
    assert measure(tiny((1, {"type": "reasoning-start", "id": "r"}), (2, delta))).first_text_ms is None


def test_tools_side_by_side_count_once_and_tools_one_after_the_other_add_up():
    measured = measure(
        tiny((0, call("a")), (5, call("b")), (10, output("a")), (20, output("b")), (30, call("c")), (34, output("c")))
    )
    assert measured.tool_wait_ms == 24.0
    assert [span.duration_ms for span in measured.tool_times] == [10.0, 15.0, 4.0]


def test_preliminary_output_does_not_end_a_tool():
    assert spans((1, call("a")), (2, output("a", preliminary=True)), (9, output("a"))) == [("tool-run", "x", 1.0, 9.0)]


def test_a_failing_tool_ends_with_its_error():
    error = {"type": "tool-output-error", "toolCallId": "a", "errorText": "no"}
    timeline = Timeline.of(tiny((1, call("a")), (4, error)))
    assert [(s.kind, s.end_ms) for s in timeline.spans] == [("tool-run", 4.0)]
    assert [(m.kind, m.label, m.t_ms) for m in timeline.marks] == [("error", "x: no", 4.0)]


def test_the_input_of_a_tool_is_not_its_run():
    start = {"type": "tool-input-start", "toolCallId": "a", "toolName": "x"}
    delta = {"type": "tool-input-delta", "toolCallId": "a", "inputTextDelta": "{}"}
    assert spans((1, start), (3, delta), (6, call("a")), (9, output("a"))) == [
        ("tool-input", "x", 1.0, 6.0),
        ("tool-run", "x", 6.0, 9.0),
    ]


def test_a_tool_is_called_by_its_title_where_it_has_one():
    assert spans((1, call("a") | {"title": "查天气"}), (2, output("a"))) == [("tool-run", "查天气", 1.0, 2.0)]


def test_what_had_to_be_allowed_first_did_not_run_before():
    assert spans((1, call("a")), (2, request_approval("a")), (9, CALLS)) == [("human-wait", "x", 2.0, None)]


def test_an_automatic_approval_is_no_wait_for_a_person():
    answer = {"type": "tool-approval-response", "approvalId": "a-a", "approved": True}
    reads = ((1, call("a")), (2, request_approval("a", isAutomatic=True)), (3, answer), (7, output("a")))
    assert {kind for kind, *_rest in spans(*reads)} == {"tool-run"}
    assert measure(tiny(*reads)).tool_wait_ms == 6.0


def test_an_answer_inside_the_stream_is_human_wait_and_what_follows_is_the_run():
    answer = {"type": "tool-approval-response", "approvalId": "a-a", "approved": True}
    measured = measure(tiny((1, call("a")), (2, request_approval("a")), (502, answer), (510, output("a"))))
    assert (measured.human_wait_ms, measured.tool_wait_ms) == (500.0, 8.0)


def test_a_client_tool_waits_from_its_input_on_and_its_server_sibling_runs():
    assert spans((1, call("client")), (2, call("server")), (5, output("server")), (6, CALLS)) == [
        ("human-wait", "x", 1.0, None),
        ("tool-run", "x", 2.0, 5.0),
    ]


def test_a_tool_that_the_request_allowed_runs_from_the_request_on():
    assert measure(samples["approval-answered"]).tool_times == (Span("tool-run", "remove", 0.0, 5.0, "d-1"),)


def test_a_denied_tool_never_ran():
    (_asked, denied) = load_all(GOLDEN / "captures" / "approval-denied.json")
    assert measure(denied).tool_times == ()


def test_a_block_that_never_ended_has_no_duration():
    (span,) = Timeline.of(tiny((1, {"type": "text-start", "id": "t"}))).spans
    assert (span.end_ms, span.duration_ms) == (None, None)


# --- several exchanges of one conversation ---

ASKED = ((1, call("a")), (2, request_approval("a")), (10, CALLS), (11, "[DONE]"))
ANSWERED = ((2, START), (5, output("a")), (9, STOP), (20, "[DONE]"))


def test_the_persons_time_is_what_lies_between_the_end_and_the_next_request():
    asked = tiny(*ASKED, started_at="2026-11-30T09:00:00.000Z")
    answered = tiny(*ANSWERED, started_at="2026-11-30T09:00:07.511Z")
    measured = measure([asked, answered])
    assert measured.human_wait_ms == pytest.approx(7500.0)
    assert measured.tool_wait_ms == 5.0, "the run after the answer, and nothing of the wait"
    assert (measured.first_byte_ms, measured.finish_ms, measured.end_state) == (1.0, 9.0, "complete")
    assert measured.tool_times == (Span("tool-run", "a", 0.0, 5.0, "a", exchange=2),)


@pytest.mark.parametrize(
    "captures",
    [
        [samples["approval"]],
        [samples["approval"], samples["approval-answered"]],  # no wall clock was kept
        [tiny(*ASKED, started_at="2026-11-30T09:00:01Z"), tiny(*ANSWERED, started_at="2026-11-30T09:00:00Z")],
        [tiny(*ASKED, started_at="yesterday"), tiny(*ANSWERED, started_at="2026-11-30T09:00:00Z")],
        [samples["weather"], samples["weather"]],  # nobody was waited for
    ],
)
def test_a_wait_that_cannot_be_known_is_not_guessed(captures):
    assert measure(captures).human_wait_ms is None


def test_nothing_to_measure_is_an_error():
    with pytest.raises(ValueError, match="no capture was given"):
        measure([])


# --- the record ---


def test_a_measurement_names_the_metrics_that_it_knows():
    measured = measure(samples["weather"])
    with pytest.raises(AttributeError, match="no metric is called 'firts_text_ms'. Known: first_byte_ms"):
        _ = measured.firts_text_ms
    with pytest.raises(UnknownName, match="no metric is called 'x'"):
        measured["x"]
    assert "first_text_ms" in dir(measured)


def test_the_series_holds_the_numbers_and_nan_for_what_is_not_known():
    series = measure(samples["seed-text-and-tool"]).to_series()
    assert (series.name, str(series.dtype)) == ("seed-text-and-tool", "float64")
    assert series["done_ms"] == 161.0
    assert math.isnan(series["human_wait_ms"])
    assert "step_times" not in series


def test_the_dict_is_flat_and_has_the_end_state():
    flat = measure(samples["seed-agent-loop"]).to_dict()
    assert (flat["capture"], flat["end_state"]) == ("seed-agent-loop", "complete")
    assert flat["step_times_ms"] == [15.0, 31.0]


def test_the_repr_and_the_card_show_numbers_with_their_unit():
    measured = measure(samples["seed-agent-loop"])
    assert "first_text_ms=48.0 ms" in repr(measured)
    card = measured._repr_html_()
    assert "14.0 → 29.0 ms" in card
    assert "<script" not in Measurement("<script>", "complete", {})._repr_html_()


def test_the_words_of_a_measurement_cut_labels_and_long_lists():
    name = "n" * 1_000_000
    reads = []
    for number in range(100):
        call = {"toolCallId": f"c{number}"}
        reads.append((number, {"type": "tool-input-available", **call, "toolName": name, "input": {}}))
        reads.append((number + 1, {"type": "tool-output-available", **call, "output": 1}))
    measurement = measure(tiny(*reads[:4]))
    assert len(repr(measurement)) < 2000
    assert len(measurement._repr_html_()) < 4000
    reads = [(t_ms, {**chunk, "toolName": "look"} if "toolName" in chunk else chunk) for t_ms, chunk in reads]
    assert "(+80)" in repr(measure(tiny(*reads)))


def test_a_tool_name_with_control_characters_is_shown_as_it_is_spelled():
    call = {"type": "tool-input-available", "toolCallId": "c", "toolName": "a\x1b[2J\u202eb", "input": {}}
    measurement = measure(tiny((1, call), (2, {"type": "tool-output-available", "toolCallId": "c", "output": 1})))
    for shown in (repr(measurement), measurement._repr_html_()):
        assert r"a\x1b[2J\u202eb" in shown
        assert "\x1b" not in shown


def test_a_clock_that_runs_backwards_makes_no_negative_time():
    call = {"toolCallId": "c"}
    measurement = measure(
        tiny(
            (9, {"type": "tool-input-available", **call, "toolName": "t", "input": {}}),
            (4, {"type": "tool-output-available", **call, "output": 1}),
        )
    )
    assert measurement.longest_gap_ms == 0.0
    assert [span.duration_ms for span in measurement.tool_times] == [0.0]
