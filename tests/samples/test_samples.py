"""The packaged captures: each loads, says what it is, and ends as its name promises."""

from __future__ import annotations

from importlib.resources import files

import pytest

from aisdk_lab.errors import UnknownName
from aisdk_lab.importers import load_all
from aisdk_lab.samples import samples
from tests.conftest import GOLDEN

ENDS = {
    "approval": "waiting",
    "approval-answered": "complete",
    "error": "error",
    "seed-agent-loop": "complete",
    "seed-text-and-tool": "complete",
    "truncated": "truncated",
    "weather": "complete",
}


def test_the_samples_end_as_their_names_promise():
    assert {name: capture.end_state for name, capture in samples.items()} == ENDS


@pytest.mark.parametrize("name", ENDS)
def test_a_sample_is_whole_names_itself_and_its_provenance(name):
    capture = samples[name]
    assert (capture.name, capture.problem, bool(capture.about)) == (name, None, True)
    assert [frame.problem for frame in capture.frames() if frame.problem] == []
    assert f"`{name}`" in (files("aisdk_lab.samples") / "PROVENANCE.md").read_text("utf-8")


@pytest.mark.parametrize(
    "name, recording, number",
    [
        ("approval", "approval-approved", 0),
        ("approval-answered", "approval-approved", 1),
        ("error", "error-in-second-step", 0),
        ("truncated", "error-midstream-onError", 0),
    ],
)
def test_a_sample_taken_from_a_recording_has_its_bytes(name, recording, number):
    recorded = load_all(GOLDEN / "captures" / f"{recording}.json")[number]
    assert samples[name].segments == recorded.segments
    assert samples[name].request == recorded.request


def test_the_article_has_thirteen_and_twelve_frames():
    assert [len(list(samples[name].frames())) for name in ("seed-text-and-tool", "seed-agent-loop")] == [13, 12]


def test_the_weather_was_asked_in_chinese_and_answered_with_a_tool():
    (question, reply) = samples["weather"].messages
    assert question["parts"] == [{"type": "text", "text": "杭州天气怎么样？"}]
    assert [part["type"] for part in reply["parts"]] == [
        "step-start",
        "reasoning",
        "text",
        "tool-get_weather",
        "step-start",
        "text",
    ]
    assert "杭州现在 25°C，晴 ☀️" in reply["parts"][-1]["text"]


def test_an_unknown_sample_names_the_known_ones():
    with pytest.raises(UnknownName, match="no sample is called 'nowhere'. Known: approval, .*weather"):
        samples["nowhere"]


def test_the_repr_is_one_line_a_sample():
    lines = repr(samples).split("\n")
    assert [line.split()[0] for line in lines] == sorted(ENDS)
    assert len(samples) == len(lines)
    assert all(name in samples._repr_html_() for name in ENDS)
