"""The sidebar's last state for pages without a kernel: bounded, escaped HTML.

Stage: widget, pure. The HTML is the twin of the widget in the saved notebook (`.aisdk-static`, hidden while the widget
lives); it is read in JupyterLab without a kernel, on code hosts and after nbconvert, trusted or not. So it has no script,
no style sheet, no image and no colour (a few inline measures and one hairline only, which sanitizers keep or drop), and
everything that came from a model is text. Markdown stays as it was written.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

from aisdk_lab.strings import word
from aisdk_lab.ui_stream.messages import STEP_START, Message, Part, is_tool_part, tool_name
from aisdk_lab.wire import json_text

TOTAL_CHARS = 60_000
"""Length of the HTML, about: older messages, and older parts of the newest one, are left out and counted."""
TEXT_CHARS = 6_000
VALUE_CHARS = 800

# One grey that reads as a hairline on white and on black.
_CARD = "border: 1px solid #8886; border-radius: 6px; padding: 8px 12px; max-width: 640px"
_MESSAGE = "margin: 8px 0"

_CONTROL = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    r"\ud800-\udfff\U000e0000-\U000e007f]"
)
"""What cannot be seen but changes what is: controls, and what turns text around or hides it. Joiners stay (emoji)."""
_GLYPHS = {
    "preparing": "◷",
    "running": "◷",
    "waiting": "?",
    "queued": "◷",
    "approved-not-sent": "◷",
    "denied": "⊘",
    "done": "✓",
    "failed": "✕",
    "interrupted": "⚡",
    "unknown": "?",
}
_ENDED = {"truncated": ("⚡", "view.ended.truncated"), "aborted": ("■", "view.ended.aborted")}
"""Ends that a finished answer does not show by itself; an error has its own line."""


def static_html(document: Mapping[str, Any]) -> str:
    """The document as HTML of about `TOTAL_CHARS` at most, the newest messages first to be kept."""
    say = _sayer(document)
    title = document["title"] or say("view.untitled")
    head = (
        f"<div><b>{_text(title, 200)}</b> · {say(_status_key(document))} · <small>{say('static.saved')}</small></div>"
    )
    kept: list[str] = []
    left = TOTAL_CHARS
    for message in reversed(document["messages"]):
        shown, is_whole = _message(message, document, say, left)
        if kept and (not is_whole or len(shown) > left):
            break
        left -= len(shown)
        kept.insert(0, shown)
    omitted = len(document["messages"]) - len(kept)
    if omitted:
        kept.insert(0, f"<div><small>{say('static.omitted', n=omitted)}</small></div>")
    if document["error"]:
        kept.append(f"<div>✕ {say('view.error.title')}: {_text(document['error']['text'], VALUE_CHARS)}</div>")
    ended = _ENDED.get((document["ended"] or {}).get("state", "")) if not document["error"] else None
    if ended is not None:
        kept.append(f"<div>{ended[0]} {say(ended[1])}</div>")
    if not kept:
        key = "view.empty.replay" if document["source"] == "replay" else "view.empty"
        kept.append(f"<div>{_text(word(key, document['language'], title=title), 400)}</div>")
    language = "zh-CN" if document["language"] == "zh" else "en"
    return f'<div class="aisdk-static" lang="{language}" style="{_CARD}">{head}{"".join(kept)}</div>'


def _sayer(document: Mapping[str, Any]) -> Callable[..., str]:
    language = document["language"]

    def say(key: str, **values: object) -> str:
        return _text(word(key, language, **values), 2 * VALUE_CHARS)

    return say


def _status_key(document: Mapping[str, Any]) -> str:
    if any(entry["status"] == "waiting" for entry in document["tools"].values()):
        return "view.status.waiting"
    return "view.status.replay" if document["source"] == "replay" else f"view.status.{document['status']}"


def _text(value: object, limit: int) -> str:
    """Text that cannot be anything else: cut, without control characters, escaped."""
    text = str(value)
    cut = f"{text[:limit]}…" if len(text) > limit else text
    return html.escape(_CONTROL.sub("\ufffd", cut.replace("\r\n", "\n").replace("\r", "\n")))


def _block(value: object, limit: int = TEXT_CHARS) -> str:
    return f'<div style="white-space: pre-wrap">{_text(value, limit)}</div>'


def _detail(summary: str, body: str) -> str:
    return f"<details><summary>{summary}</summary>{body}</details>"


def _value(value: Any) -> str:
    return f"<pre>{_text(value if isinstance(value, str) else json_text.write(value), VALUE_CHARS)}</pre>"


# ── messages and parts ──────────────────────────────────────────────────────────────────────────────────────────────


def _message(message: Message, document: Mapping[str, Any], say: Callable[..., str], limit: int) -> tuple[str, bool]:
    """The message, its newest parts first to be kept within `limit` characters, and whether all of them are there."""
    who = {"user": say("view.you"), "system": say("view.system")}.get(
        message["role"], _text(document["title"] or say("view.untitled"), 200)
    )
    shown: list[str] = []
    parts = [part for part in message["parts"] if part["type"] != STEP_START]
    for number, part in enumerate(reversed(parts)):
        text = _part(part, document, say)
        limit -= len(text)
        if limit < 0 and shown:
            shown.append(f"<div><small>{say('static.omitted_parts', n=len(parts) - number)}</small></div>")
            break
        shown.append(text)
    body = "".join(reversed(shown))
    return (f'<div style="{_MESSAGE}"><b>{who}</b>{body}</div>' if body else ""), limit >= 0


def _part(part: Part, document: Mapping[str, Any], say: Callable[..., str]) -> str:
    kind = part["type"]
    if is_tool_part(part):
        return _tool(part, document["tools"].get(part.get("toolCallId"), {}), say)
    if kind == "text":
        return _block(part.get("text", ""))
    if kind == "reasoning":
        text = part.get("text", "")
        return _detail(say("view.reasoning.running"), _block(text, VALUE_CHARS)) if text else ""
    if kind == "source-url":
        return f"<div>{_link(part.get('url', ''), part.get('title') or part.get('url', ''))}</div>"
    if kind == "source-document":
        return f"<div>{_text(part.get('title', ''), 200)}</div>"
    if kind in ("file", "reasoning-file"):
        name = part.get("filename") or part.get("mediaType", "")
        return f"<div>{say('view.file')}: {_text(name, 200)}</div>"
    if kind == "data-plan":
        return _plan(part.get("data"), say)
    if kind.startswith("data-"):
        return _detail(say("view.data", name=kind.removeprefix("data-")), _value(part.get("data")))
    return _detail(say("view.unknown_part", type=kind), _value(part))


def _tool(part: Part, entry: Mapping[str, Any], say: Callable[..., str]) -> str:
    status = entry.get("status", "unknown")
    approval = part.get("approval") or {}
    key = status.replace("-", "_")
    if status == "waiting" and approval:
        key = "approval"
    elif status == "denied" and approval.get("isAutomatic"):
        key = "denied_by_rule"
    line = f"{_GLYPHS.get(status, '?')} {say(f'view.tool.{key}', name=part.get('title') or tool_name(part))}"
    duration_ms = entry.get("durationMs")
    if isinstance(duration_ms, int | float):
        line += f" · {say('view.seconds', n=f'{duration_ms / 1000:.1f}')}"
    if approval.get("reason"):
        line += f" · “{_text(approval['reason'], 200)}”"
    rows = ""
    for name, label in (("input", "view.tool.input"), ("output", "view.tool.output"), ("errorText", "view.tool.error")):
        if name in part:
            rows += f"<div>{say(label)}</div>{_value(part[name])}"
    return _detail(line, rows) if rows else f"<div>{line}</div>"


def _plan(data: Any, say: Callable[..., str]) -> str:
    steps: Any = data.get("steps") or data.get("entries") if isinstance(data, dict) else None
    if not isinstance(steps, list):
        return _detail(say("view.plan"), _value(data))
    lines: list[str] = []
    for step in steps[:50]:
        known = step if isinstance(step, dict) else {"title": step}
        status = {"in_progress": "running", "completed": "done"}.get(str(known.get("status")), known.get("status"))
        word_of = say(f"view.plan.{status}") if status in ("pending", "running", "done", "failed") else ""
        lines.append(f"<li>{_text(known.get('title') or known.get('content') or '', 200)} ({word_of})</li>")
    return f"<div>{say('view.plan')}<ol>{''.join(lines)}</ol></div>"


def _link(url: object, title: object) -> str:
    """A link only to what a person can safely open; anything else is shown as the text that it is."""
    try:
        scheme = urlsplit(str(url)).scheme.lower()
    except ValueError:
        scheme = ""
    if scheme not in ("http", "https", "mailto"):
        return _text(f"{title} ({url})" if title != url else title, 400)
    return f'<a href="{_text(url, 2000)}" target="_blank" rel="noopener noreferrer">{_text(title, 200)}</a>'
