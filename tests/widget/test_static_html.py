"""The static twin: bounded, escaped, readable without a kernel, in both languages."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from aisdk_lab.importers import load_all
from aisdk_lab.widget.document import Document
from aisdk_lab.widget.static_html import TOTAL_CHARS, static_html
from aisdk_lab.widget.stored import SNAPSHOT_BYTES, bounded_json

CAPTURES = sorted((Path(__file__).parents[1] / "golden" / "captures").glob("*.json"))
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(1)>\x00\x1b[31m\ud800&\"'"
ALLOWED = {"div", "b", "small", "pre", "details", "summary", "ol", "li", "a"}


def document(messages: list[Any], **fields: Any) -> dict[str, Any]:
    return Document(title="Weather", clock=lambda: 0, messages=messages, **fields).value


def user(text: str) -> dict[str, Any]:
    return {"id": f"u{text[:9]}", "role": "user", "parts": [{"type": "text", "text": text}]}


def assistant(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"id": "m1", "role": "assistant", "parts": list(parts)}


class Reader(HTMLParser):
    """Collects what a browser would make of the page, and complains about anything that is not closed."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(page)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += attrs
        self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_a_conversation_reads_as_words():
    messages = [
        user("杭州天气怎么样？"),
        assistant(
            {"type": "step-start"},
            {"type": "reasoning", "text": "look it up", "state": "done"},
            {
                "type": "tool-get_weather",
                "toolCallId": "c",
                "state": "output-available",
                "input": {"city": "杭州"},
                "output": 25,
            },
            {"type": "text", "text": "25 °C 🌤️\nand dry", "state": "done"},
            {"type": "source-url", "sourceId": "s", "url": "https://example.org/w", "title": "Weather"},
            {
                "type": "data-plan",
                "data": {"steps": [{"title": "ask", "status": "done"}, {"content": "tell", "status": "in_progress"}]},
            },
            {"type": "file", "mediaType": "image/png", "url": "data:image/png;base64,AA==", "filename": "a.png"},
        ),
    ]
    read = Reader(static_html(document(messages)))
    for expected in (
        "杭州天气怎么样？",
        "✓ Ran get_weather",
        '{"city":"杭州"}',
        "25 °C 🌤️\nand dry",
        "ask (done)",
        "tell (in progress)",
        "File: a.png",
    ):
        assert expected in read.text
    assert ("href", "https://example.org/w") in read.attributes


@pytest.mark.parametrize(("language", "words"), [("en", "Waiting for you: rm"), ("zh", "等你确认：rm")])
def test_both_languages(language: str, words: str):
    part = {"type": "tool-rm", "toolCallId": "c", "state": "approval-requested", "input": {}, "approval": {"id": "a"}}
    assert words in Reader(static_html(document([assistant(part)], language=language))).text


def hostile_parts() -> list[dict[str, Any]]:
    tool = {"toolCallId": HOSTILE, "input": {HOSTILE: HOSTILE}, "title": HOSTILE}
    return [
        {"type": "text", "text": HOSTILE},
        {"type": "reasoning", "text": HOSTILE},
        {"type": f"tool-{HOSTILE}", "state": "output-error", "errorText": HOSTILE, **tool},
        {
            "type": "dynamic-tool",
            "toolName": HOSTILE,
            "state": "output-denied",
            "approval": {"id": "a", "approved": False, "reason": HOSTILE},
            **tool,
        },
        {"type": "source-url", "sourceId": "s", "url": "javascript:alert(1)", "title": HOSTILE},
        {"type": "source-url", "sourceId": "s", "url": f"https://x/{HOSTILE}", "title": HOSTILE},
        {"type": "source-url", "sourceId": "s", "url": "http://[::1"},
        {"type": "source-document", "sourceId": "s", "mediaType": HOSTILE, "title": HOSTILE},
        {"type": "file", "mediaType": HOSTILE, "url": "javascript:alert(1)", "filename": HOSTILE},
        {"type": "data-plan", "data": {"steps": [{"title": HOSTILE, "status": HOSTILE}, HOSTILE, None, 7]}},
        {"type": "data-plan", "data": HOSTILE},
        {"type": f"data-{HOSTILE}", "data": {HOSTILE: [HOSTILE]}},
        {"type": HOSTILE, "anything": HOSTILE},
    ]


def test_nothing_that_a_model_says_becomes_markup():
    page = static_html(
        {**document([assistant(*hostile_parts())], language="zh"), "error": {"text": HOSTILE}, "title": HOSTILE}
    )
    read = Reader(page)
    assert read.tags <= ALLOWED
    assert {name for name, _ in read.attributes} <= {"class", "lang", "style", "href", "target", "rel"}
    links = [value or "" for name, value in read.attributes if name == "href"]
    assert [link[:10] for link in links] == ["https://x/"]
    assert "\x00" not in page
    assert "\x1b" not in page
    page.encode()


@pytest.mark.parametrize("path", CAPTURES, ids=lambda path: path.stem)
def test_every_recorded_conversation_can_be_shown(path: Path):
    for capture in load_all(path):
        value = document(capture.messages)
        read = Reader(static_html(value))
        assert read.tags <= ALLOWED
        assert json.loads(bounded_json(value))["messages"] is not None


def test_a_long_conversation_keeps_its_end_and_says_what_is_left_out():
    messages = [user(f"{number:05d} " + "x" * 3000) for number in range(200)]
    page = static_html(document(messages))
    assert len(page) < TOTAL_CHARS + 10_000
    assert "00199" in page
    assert "00000" not in page
    shown = page.count("white-space")
    assert f"{200 - shown} earlier messages left out" in page


def test_one_enormous_message_is_cut_and_still_shown():
    page = static_html(document([user("y" * 1_000_000)]))
    assert "y" * 6000 + "…" in page
    assert len(page) < 7000


def test_an_empty_conversation_and_a_failed_one():
    assert "Ask Weather something." in static_html(document([]))
    assert "press play" in static_html(document([], replay={"speed": 1})).lower()
    failed = static_html({**document([user("hi")], status="error"), "error": {"text": "no route"}})
    assert "✕ Failed: no route" in failed


@pytest.mark.parametrize(
    ("state", "language", "words"),
    [
        ("truncated", "en", "⚡ Cut off: the stream stopped without a finish"),
        ("truncated", "zh", "⚡ 中断"),
        ("aborted", "en", "■ Stopped"),
    ],
)
def test_an_answer_without_its_end_does_not_look_finished(state: Any, language: str, words: str):
    half = [user("hi"), assistant({"type": "text", "text": "It will directly", "state": "streaming"})]
    assert words in Reader(static_html(document(half, language=language, ended=(state, "m1")))).text
    assert json.loads(bounded_json(document(half, ended=(state, "m1"))))["ended"]["state"] == state
    plain = static_html(document(half))
    for other in ("complete", "waiting", "error"):
        assert static_html(document(half, ended=(other, "m1"))) == plain


def test_the_stored_document_is_bounded_and_keeps_the_newest():
    messages = [user(f"{number:05d} " + "z" * 20_000) for number in range(100)]
    text = bounded_json(document(messages))
    stored = json.loads(text)
    assert len(text.encode()) <= SNAPSHOT_BYTES
    assert stored["messages"][-1]["parts"][0]["text"].startswith("00099 ")
    assert len(stored["messages"][-1]["parts"][0]["text"]) == 8001
    assert 10 < len(stored["messages"]) < 30


def test_the_stored_document_keeps_the_entries_of_its_messages_only():
    old = {
        "id": "old",
        "role": "assistant",
        "parts": [{"type": "tool-a", "toolCallId": "a", "state": "output-available", "output": "x" * 9000}],
    }
    new = {
        "id": "new",
        "role": "assistant",
        "parts": [{"type": "tool-b", "toolCallId": "b", "state": "output-available", "output": 1, "rawInput": "gone"}],
    }
    value = {**document([old, new]), "timings": {"old/0": {"durationMs": 1}, "new/0": {"durationMs": 2}}}
    stored = json.loads(bounded_json(value, limit_bytes=2000))
    assert ([m["id"] for m in stored["messages"]], list(stored["tools"]), stored["timings"]) == (
        ["new"],
        ["b"],
        {"new/0": {"durationMs": 2}},
    )
    assert "rawInput" not in stored["messages"][0]["parts"][0]


def many_tools(count: int, size: int) -> dict[str, Any]:
    parts = [
        {
            "type": "tool-fetch",
            "toolCallId": f"c{number}",
            "state": "output-available",
            "input": {"n": number},
            "output": {"rows": ["x" * 50] * (size // 50)},
        }
        for number in range(count)
    ]
    return assistant({"type": "reasoning", "text": "first", "state": "done"}, *parts, {"type": "text", "text": "last"})


@pytest.mark.parametrize(("language", "words"), [("en", "Parts left out: "), ("zh", "省略了 ")])
def test_one_message_of_many_parts_is_bounded_keeps_the_newest_and_counts_the_rest(language: str, words: str):
    page = static_html(document([user("hi"), many_tools(2000, 1000)], language=language))
    read = Reader(page)
    assert len(page) < TOTAL_CHARS + 3000
    shown = page.count("<summary>")
    assert 10 < shown < 2000
    assert words + str(2002 - shown - 1) in read.text
    assert "last" in read.text
    assert read.text.index(words) < read.text.index("last")


@pytest.mark.parametrize(
    "message",
    [
        many_tools(2000, 1000),
        many_tools(60, 100_000),
        user("杭" * 400_000),
        assistant(*({"type": "text", "text": "杭\x01" * 9000} for _ in range(40))),
        {**many_tools(1, 10), "metadata": {"all": "m" * 300_000}},
    ],
    ids=["tools", "outputs", "text", "texts", "metadata"],
)
def test_a_newest_message_that_is_too_long_is_shortened_and_still_there(message: dict[str, Any]):
    value = {**document([user("before"), message]), "timings": {"m1/0": {"durationMs": 7}}}
    text = bounded_json(value)
    stored = json.loads(text)
    assert len(text.encode()) <= SNAPSHOT_BYTES
    assert stored["messages"][-1]["id"] == message["id"]
    first, last = stored["messages"][-1]["parts"][0], stored["messages"][-1]["parts"][-1]
    assert (first["type"], last["type"]) == (message["parts"][0]["type"], message["parts"][-1]["type"])
    assert {part["toolCallId"] for part in stored["messages"][-1]["parts"] if "toolCallId" in part} == set(
        stored["tools"]
    )


def test_the_middle_that_is_not_stored_is_counted_and_durations_stay_with_their_parts():
    message = many_tools(2000, 1000)
    value = {**document([message]), "timings": {"m1/0": {"durationMs": 1}, "m1/2001": {"durationMs": 2}}}
    stored = json.loads(bounded_json(value))
    parts = stored["messages"][0]["parts"]
    assert {"type": "text", "text": f"Parts left out: {2002 - len(parts) + 1}", "state": "done"} in parts
    assert stored["timings"] == {"m1/0": {"durationMs": 1}, f"m1/{len(parts) - 1}": {"durationMs": 2}}


def test_what_stands_around_the_messages_is_bounded_too():
    long = "é" * 500_000
    value = {
        **document([user("hi")], suggestions=[long] * 50),
        "title": long,
        "error": {"text": long, "name": long},
        "notice": long,
        "clientTools": {"t": {"interactive": True, "inputSchema": {"description": long}}},
    }
    text = bounded_json(value)
    assert len(text.encode()) <= SNAPSHOT_BYTES
    stored = json.loads(text)
    assert (len(stored["title"]), len(stored["error"]["text"]), len(stored["notice"])) == (201, 2001, 2001)
    assert [message["parts"][0]["text"] for message in stored["messages"]] == ["hi"]


def test_text_cannot_turn_around_or_hide_what_stands_beside_it():
    hidden = "".join(map(chr, (*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x9B, 0x200B)))
    part = {
        "type": "dynamic-tool",
        "toolName": f"rm{hidden}",
        "toolCallId": "c",
        "state": "approval-requested",
        "input": {f"pa{hidden}th": f"/a{hidden}"},
        "approval": {"id": "a"},
    }
    page = static_html(document([user(f"hi{hidden} 👩\u200d👧 שלום"), assistant(part)]))
    assert not set(hidden) & set(page)
    assert "/a" + "\ufffd" * len(hidden) in page
    assert "👩\u200d👧 שלום" in page
