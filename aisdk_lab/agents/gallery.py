"""The gallery agent: every kind of part and every state of a tool, in one answer without a person.

Stage: agents. For looking at renderers and for trying tools that read streams. Say "wait" (或“等待”) and it stops for an
approval and a client tool at once; say "break" (或“出错”) and the stream ends with an error.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from aisdk_lab.agents._actions import CallResult, ScriptTurn
from aisdk_lab.agents.scripted import scripted

_PIXEL = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
_WAIT_WORDS = ("wait", "等待", "等一")
_BREAK_WORDS = ("break", "出错", "坏")


@scripted(
    name="gallery",
    title="Gallery · 展台",
    suggestions=("Show everything", "等待我的决定", "Break in the middle"),
    client_tools={"pickOne": True},
)
def _gallery(turn: ScriptTurn) -> Generator[Any, Any, None]:
    """Shows what a stream can hold."""
    words = turn.words.lower()
    yield turn.reasoning("推理逐字到来，之后收起。Reasoning comes word by word and folds away.")
    yield turn.text("**文字** with `code`, a [link](https://example.com) and an emoji 👩‍💻.")
    if any(word in words for word in _BREAK_WORDS):
        yield turn.tool("prepare", {"step": 1}, output="ready", seconds=0.2)
        yield turn.text("这句话说到一")
        yield turn.error("The model went away in the middle of a sentence.")
    if any(word in words for word in _WAIT_WORDS):
        yield from _waiting(turn)
        return
    yield from _parts(turn)


def _waiting(turn: ScriptTurn) -> Generator[Any, Any, None]:
    results: tuple[CallResult, CallResult] = yield turn.together(
        turn.tool(
            "deleteDraft",
            {"path": "草稿/旧.md"},
            approval=True,
            reason="删除后不能恢复 · cannot be undone",
            output={"ok": True},
        ),
        turn.client_tool("pickOne", {"question": "Which one? 选哪个？", "options": ["A", "B"]}),
    )
    deleted, picked = results
    yield turn.text(f"deleteDraft: {'done' if deleted.ok else 'denied'} · pickOne: {picked.output or picked.error}")


def _parts(turn: ScriptTurn) -> Generator[Any, Any, None]:
    steps = ("Look 看", "Build 建", "Tell 说")
    for done in range(len(steps) + 1):
        yield turn.plan(
            [
                {"id": title, "title": title, "status": "done" if at < done else "running" if at == done else "pending"}
                for at, title in enumerate(steps)
            ]
        )
        if done == 0:
            yield turn.tool("look", {"where": "这里"}, output={"found": ["a", "b"], "count": 2}, seconds=0.3)
        elif done == 1:
            log = [{"percent": 30}, {"percent": 70}]
            yield turn.tool("build", {"target": "app"}, preliminary=log, output={"percent": 100}, seconds=0.6)
            yield turn.tool("upload", {"to": "nowhere"}, error="Error: no route to host", seconds=0.2)
            yield turn.tool("searchDocs", {"q": "sse"}, output={"hits": 3}, title="Search the docs", dynamic=True)
    yield turn.plan_tool([{"title": "By a tool 用工具写的计划", "status": "done"}])
    yield turn.data("progress", {"label": "Upload 上传", "percent": 40}, id="upload")
    yield turn.data("progress", {"label": "Upload 上传", "percent": 100}, id="upload")
    yield turn.data("heartbeat", {"beat": 1}, transient=True)
    yield turn.text("Sources, a document and a picture 来源、文档和图片：")
    yield turn.source("https://example.com/stream", "On streams 流")
    yield turn.document("报告.pdf", "application/pdf", filename="报告.pdf")
    yield turn.file(_PIXEL, "image/png")
    yield turn.metadata({"shown": "everything"})


AGENT = _gallery
