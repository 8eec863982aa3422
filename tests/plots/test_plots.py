"""The timing picture: what is drawn, in which colours, and what drawing must never do to the notebook."""

from __future__ import annotations

import subprocess
import sys

import matplotlib as mpl
import pytest
from matplotlib.colors import to_hex

from aisdk_lab.capture import Capture, Segment
from aisdk_lab.importers import load
from aisdk_lab.metrics import tiny
from aisdk_lab.plots import COLOURS, INK, MAX_LANES, timing
from aisdk_lab.samples import samples
from tests.conftest import GOLDEN


def words(figure) -> list[str]:
    """Every word in the picture, the numbers of the axes aside."""
    figure.draw_without_rendering()
    return [text.get_text().strip() for place in (figure, *figure.axes) for text in place.texts]


def bars(figure, number: int = 0) -> list[tuple[str, bool, float, float]]:
    """`(colour, hatched, start, end)` of each bar, in drawing order."""
    found = []
    for collection in figure.axes[number].collections:
        if type(collection).__name__ != "PolyCollection":
            continue
        for path in collection.get_paths():
            hatched = bool(collection.get_hatch())
            colour = collection.get_edgecolor() if hatched else collection.get_facecolor()
            xs = path.vertices[:, 0]
            found.append((to_hex(colour[0]).upper(), hatched, round(xs.min(), 6), round(xs.max(), 6)))
    return found


def test_the_articles_loop_is_a_tool_then_a_text_in_two_steps():
    figure = timing(samples["seed-agent-loop"])
    assert bars(figure) == [
        (COLOURS["tool-run"], False, 0.014, 0.029),
        (COLOURS["text"], False, 0.038, 0.058),
    ]
    assert {"get_weather", "text", "step 1", "step 2", "ran 15 ms", "segments", "seconds since the request"} <= set(
        words(figure)
    )


def test_a_wait_for_the_person_is_hatched_and_goes_past_the_end():
    (_text, tool_input, wait) = bars(timing(samples["approval"]))
    assert tool_input[:2] == (COLOURS["tool-input"], False)
    assert wait[:3] == (COLOURS["human-wait"], True, 0.022)
    assert wait[3] > 0.022
    assert "input 18 ms · waiting for you" in words(timing(samples["approval"]))


def test_two_exchanges_stand_side_by_side_with_the_wait_between_them():
    figure = timing([samples["approval"], samples["approval-answered"]])
    assert [bar[:2] for bar in bars(figure, 1)] == [(COLOURS["human-wait"], True)]
    assert {"waited for you", "length not known"} <= set(words(figure))
    asked = tiny(
        (1, {"type": "tool-input-available", "toolCallId": "c", "toolName": "x", "input": {}}),
        (9, {"type": "finish", "finishReason": "tool-calls"}),
        started_at="2026-11-30T09:00:00.000Z",
    )
    answered = tiny((5, {"type": "finish"}), started_at="2026-11-30T09:00:04.009Z")
    assert "4.0 s" in words(timing([asked, answered]))


def test_an_error_is_marked_with_its_text():
    figure = timing(samples["error"])
    assert COLOURS["error"] in [line.get_color() for line in figure.axes[0].lines]
    assert "An error occurred." in words(figure)


def test_what_never_ended_is_drawn_to_the_end_and_said():
    assert "did not end" in words(timing(samples["seed-text-and-tool"]))


def test_many_calls_of_one_tool_share_a_lane():
    reads = []
    for number in range(MAX_LANES + 1):
        reads.append(
            (number, {"type": "tool-input-available", "toolCallId": f"c{number}", "toolName": "x", "input": {}})
        )
        reads.append((number + 0.5, {"type": "tool-output-available", "toolCallId": f"c{number}", "output": 1}))
    found = words(timing(tiny(*reads)))
    assert found.count("x") == 1
    assert f"{MAX_LANES + 1} times" in found


def test_words_come_in_chinese_too():
    assert {"文字", "第 1 步", "运行 15 毫秒", "段", "自请求起的秒数"} <= set(
        words(timing(samples["seed-agent-loop"], language="zh"))
    )


@pytest.mark.parametrize(
    "capture",
    [
        Capture(name="empty"),
        Capture(name="no clock", segments=(Segment(None, b'data: {"type":"start"}\n\n'),)),
    ],
)
def test_without_a_clock_the_picture_says_so(capture):
    assert words(timing(capture)) == ["No clock was kept: there are no times to draw."]


def test_nothing_to_draw_is_an_error():
    with pytest.raises(ValueError, match="no capture was given"):
        timing([])


@pytest.mark.parametrize("path", sorted((GOLDEN / "captures").glob("*.json"))[::6], ids=lambda path: path.stem)
def test_every_kind_of_recording_can_be_drawn(path):
    figure = timing(load(path))
    figure.draw_without_rendering()
    assert figure.axes


# --- manners ---

HOSTILE = "$\\frac{ \x00\x1b[31m\n天气 🌤️ \U0001f9ff \ud83d _^{"


def test_hostile_and_foreign_words_are_drawn_without_a_warning_or_a_formula():
    call = {"type": "tool-input-available", "toolCallId": "c", "toolName": HOSTILE, "input": {}}
    figure = timing(tiny((1, call), (2, {"type": "tool-output-error", "toolCallId": "c", "errorText": HOSTILE})))
    figure._repr_png_()  # pytest makes an error of every warning
    lane = next(text for text in words(figure) if text.startswith("$"))
    assert "\x1b" not in lane
    assert lane.startswith("$\\frac{ ")


def test_chinese_is_drawn_as_boxes_where_no_font_has_it(monkeypatch, caplog):
    monkeypatch.setattr("aisdk_lab.plots.FONTS", ("DejaVu Sans", "A Font That Nobody Has"))
    for cached in ("_fonts", "_glyphs"):
        monkeypatch.setattr(f"aisdk_lab.plots.{cached}", getattr(sys.modules["aisdk_lab.plots"], cached).__wrapped__)
    figure = timing(samples["weather"])
    figure._repr_png_()
    assert "▯▯▯" in words(figure)
    assert caplog.text == ""


def test_the_settings_of_matplotlib_and_pyplot_are_left_alone():
    before = dict(mpl.rcParams)
    timing(samples["weather"])._repr_png_()
    assert dict(mpl.rcParams) == before
    assert "matplotlib.pyplot" not in sys.modules or not sys.modules["matplotlib.pyplot"].get_fignums()


def test_the_readers_own_settings_do_not_get_into_the_picture():
    with mpl.rc_context(
        {"savefig.facecolor": "red", "axes.facecolor": "red", "text.color": "red", "text.parse_math": True}
    ):
        figure = timing(samples["weather"])
        png, size = figure._repr_png_()
    assert png.startswith(b"\x89PNG")
    assert size["width"] == 900
    assert {text.get_color() for text in figure.axes[0].texts} == {INK}


def test_the_ground_is_transparent():
    import io

    from PIL import Image

    png, _size = timing(samples["weather"])._repr_png_()
    assert Image.open(io.BytesIO(png)).convert("RGBA").getpixel((0, 0))[3] == 0


def luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("ground", ["#ffffff", "#000000"])
def test_the_ink_reads_on_white_and_on_black(ground):
    light, dark = sorted([luminance(INK), luminance(ground)], reverse=True)
    assert (light + 0.05) / (dark + 0.05) >= 4.5


def test_without_matplotlib_the_extra_is_named():
    code = (
        "import sys; sys.modules['matplotlib'] = sys.modules['matplotlib.figure'] = None\n"
        "from aisdk_lab.errors import MissingExtra\n"
        "from aisdk_lab.plots import timing\n"
        "from aisdk_lab.samples import samples\n"
        "try: timing(samples['weather'])\n"
        "except MissingExtra as error: print(error)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said == "matplotlib is not installed. Install it with: pip install 'aisdk-lab[plots]'\n"


def test_importing_the_plots_does_not_import_matplotlib():
    code = "import sys, aisdk_lab.plots; print('matplotlib' in sys.modules or 'pandas' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


# --- sizes that nobody expects ---


def called(number: int, name: str = "look") -> tuple[tuple[float, dict], ...]:
    """A call that took a millisecond, `number` milliseconds after the request."""
    call = {"toolCallId": f"c{number}", "toolName": f"{name}{number}"}
    asked = {"type": "tool-input-available", **call, "input": {}}
    answered = {"type": "tool-output-available", "toolCallId": call["toolCallId"], "output": 1}
    return ((number, asked), (number + 1, answered))


def test_a_long_tool_name_is_cut_before_it_is_drawn():
    figure = timing(tiny((0, {"type": "start"}), *called(1, "n" * 1_000_000)))
    assert max(map(len, words(figure))) <= 60
    assert f"{'n' * 39}…" in words(figure)


def test_more_lanes_than_fit_are_counted_and_not_drawn():
    figure = timing(tiny(*(read for number in range(1, 201) for read in called(number))))
    assert "140 more" in words(figure)
    assert "look60" in words(figure)
    assert "look61" not in words(figure)
    assert figure.get_figheight() < 25


def test_a_thousand_parts_and_steps_are_a_handful_of_artists():
    blocks = [
        (
            {"type": "start-step"},
            {"type": "text-start", "id": f"{i}"},
            {"type": "text-delta", "id": f"{i}", "delta": "x"},
        )
        for i in range(1000)
    ]
    figure = timing(tiny(*((i + 1, chunk) for i, chunks in enumerate(blocks) for chunk in chunks)))
    axes = figure.axes[0]
    assert len(axes.collections) + len(axes.lines) + len(axes.texts) + len(axes.patches) < 20
