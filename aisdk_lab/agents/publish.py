"""The seed's task: "make this shorter and publish it". A plan in place, an edit to adopt, a publication to allow.

Stage: agents. One run stops twice: the client tool `proposeEdit` waits until a person adopts or rejects the edit, and
`publishToFeishu` waits for permission. The document is the one in this file; nothing is published anywhere.
`proposeEdit` takes `{title, before, after}` and is answered by `{status: "applied" | "rejected", text?, reason?}`; an edited
`text` is what goes on. Answers in the language of the request.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any

from aisdk_lab.agents._actions import CallResult, ScriptTurn
from aisdk_lab.agents._base import ClientTool
from aisdk_lab.agents.scripted import scripted

_EDIT_SCHEMA = {
    "type": "object",
    "properties": {"title": {"type": "string"}, "before": {"type": "string"}, "after": {"type": "string"}},
    "required": ["title", "before", "after"],
}
_DOCUMENT = {
    "en": {
        "title": "Release notes",
        "before": (
            "In this release we have made a very large number of improvements to the sidebar 🎉.\n"
            "It is now the case that the sidebar is able to show a plan, and the plan is updated in place.\n"
            "In addition to that, it should be mentioned that tools are able to ask for your permission."
        ),
        "after": (
            "This release improves the sidebar 🎉.\n"
            "It shows a plan and updates it in place.\n"
            "Tools ask for your permission."
        ),
        "url": "https://feishu.example/docs/release-notes",
    },
    "zh": {
        "title": "发布说明",
        "before": (
            "在这一次的版本当中，我们对侧边栏进行了非常多的改进 🎉。\n"
            "现在侧边栏已经能够把计划展示出来，并且计划会在原来的位置上进行更新。\n"
            "除此之外还需要说明的是，工具在执行之前是可以先征求你的同意的。"
        ),
        "after": "这个版本改进了侧边栏 🎉。\n它会显示计划，并原地更新。\n工具执行前会先征求你的同意。",
        "url": "https://feishu.example/docs/fabu-shuoming",
    },
}
_TEXTS = {
    "think": (
        "Shorten first, publish after. Publishing is visible to all, so I ask before.",
        "先改短，再发布。发布后大家都看得到，所以要先问一声。",
    ),
    "start": ("I read the text first, then propose a shorter one ✍️.", "我先读正文，再给出更简洁的版本 ✍️。"),
    "proposed": (
        "From {before} to {after} characters. Adopt it, or tell me what to change.",
        "从 {before} 字改到 {after} 字。你看看要不要采纳。",
    ),
    "rejected": (
        "Then the text stays as it is, and I do not publish it.{reason}",
        "好的，保留原文，也不发布。{reason}",
    ),
    "failed": ("The edit could not be shown: {error}. Nothing was changed.", "没能展示修改：{error}。正文没有改动。"),
    "asking": ("The edit is in. Now to Feishu.", "改好了，接下来存到飞书。"),
    "reason": ("Everybody in the team will see it", "发布后团队所有人可见"),
    "denied": ("Not published; the shorter text is kept.{reason}", "没有发布，改短的正文已经保留。{reason}"),
    "done": ("Published 🎉: [{title}]({url})", "已发布 🎉：[{title}]({url})"),
    "help": (
        "I shorten the draft and publish it when you agree. Say for example “{example}”.",
        "我可以把草稿改短，并在你同意后发布。比如说：“{example}”",
    ),
    "heard": (" I noted: “{reason}”", "已记下：“{reason}”"),
}
_STEPS = {"en": ("Read the text", "Make it shorter", "Publish to Feishu"), "zh": ("读正文", "改得更简洁", "发布到飞书")}
_TASK_WORDS = ("简洁", "精简", "改短", "短一", "发布", "飞书", "short", "concise", "publish", "feishu", "trim")
_SUGGESTIONS = ("把这段改得更简洁，然后存到飞书", "Make this shorter and publish it")


def _say(turn: ScriptTurn, key: str, **values: object) -> str:
    return _TEXTS[key][turn.language == "zh"].format(**values)


def _plan(turn: ScriptTurn, *statuses: str) -> Any:
    steps = zip(("read", "shorten", "publish"), _STEPS[turn.language], statuses, strict=True)
    return turn.plan([{"id": key, "title": title, "status": status} for key, title, status in steps])


def _heard(turn: ScriptTurn, reason: object) -> str:
    return _say(turn, "heard", reason=reason) if reason else ""


@scripted(
    name="publish",
    title="Publish · 发布",
    suggestions=_SUGGESTIONS,
    client_tools={"proposeEdit": ClientTool(interactive=True, input_schema=_EDIT_SCHEMA)},
)
def _publish(turn: ScriptTurn) -> Generator[Any, Any, None]:
    """Makes a text shorter, and publishes it once the person agreed to both."""
    if not any(word in turn.words.lower() for word in _TASK_WORDS):
        yield turn.text(_say(turn, "help", example=_SUGGESTIONS[turn.language == "en"]))
        return
    document = _DOCUMENT[turn.language]
    yield turn.reasoning(_say(turn, "think"))
    yield turn.text(_say(turn, "start"))
    yield _plan(turn, "running", "pending", "pending")
    read = {"title": document["title"], "text": document["before"]}
    yield turn.tool("readDocument", {"documentId": "draft-42"}, output=read, seconds=0.5)
    yield _plan(turn, "done", "running", "pending")
    yield turn.text(_say(turn, "proposed", before=len(document["before"]), after=len(document["after"])))
    edit = {key: document[key] for key in ("title", "before", "after")}
    proposed: CallResult = yield turn.client_tool("proposeEdit", edit)
    answer: Mapping[str, Any] = proposed.output if isinstance(proposed.output, dict) else {"status": proposed.output}
    if not proposed.ok or answer.get("status") != "applied":
        yield _plan(turn, "done", "pending", "pending")  # not wanted is not failed
        key = "rejected" if proposed.ok else "failed"
        yield turn.text(_say(turn, key, error=proposed.error, reason=_heard(turn, answer.get("reason"))))
        return
    yield _plan(turn, "done", "done", "running")
    yield turn.text(_say(turn, "asking"))
    sent: CallResult = yield turn.tool(
        "publishToFeishu",
        {"title": document["title"], "text": answer.get("text", document["after"])},
        approval=True,
        reason=_say(turn, "reason"),
        output={"url": document["url"]},
        seconds=0.8,
    )
    yield _plan(turn, "done", "done", "done" if sent.ok else "pending")
    if not sent.ok:
        yield turn.text(_say(turn, "denied", reason=_heard(turn, sent.reason)))
        return
    yield turn.text(_say(turn, "done", title=document["title"], url=sent.output["url"]))
    yield turn.source(document["url"], document["title"])


AGENT = _publish
