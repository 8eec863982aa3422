"""A request body, read: what the two doors accept, and every problem of a body that they do not.

Stage: runs, on the way down. `read_ai_sdk_request` takes what `useChat` sends (and its usual variations),
`read_awaken_request` the strict body of the awaken profile. Both list all problems before they refuse.
Source: spec §1.1 (body of the SDK); docs/awaken §3.1 (parts of the awaken profile), both kept in the README.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast
from uuid import uuid4

from aisdk_lab.errors import RequestError
from aisdk_lab.runs.message_problems import expected, is_boolean, is_string, keys, messages_problems, missing
from aisdk_lab.ui_stream.grammar import TOOL_STATES
from aisdk_lab.ui_stream.messages import TOOL_PREFIX, Message
from aisdk_lab.wire import json_text

Profile = Literal["ai-sdk", "awaken"]
"""Which door a request came through, and so how its answer is spelt (README, "Two doors")."""
Trigger = Literal["submit-message", "regenerate-message"]
TRIGGERS = ("submit-message", "regenerate-message")


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One request for a run, whichever door it came through."""

    thread_id: str
    messages: tuple[Message, ...] = ()
    """As sent. With `is_last_only` just the newest one, and the ledger has the rest."""
    agent_id: str | None = None
    trigger: Trigger = "submit-message"
    message_id: str | None = None
    is_last_only: bool = False
    body: Mapping[str, Any] = field(default_factory=dict)
    """The other keys of the body, for the agent."""


def read_ai_sdk_request(body: bytes, content_type: str | None) -> ChatRequest:
    """Read the body of `POST /api/chat`: `{id, messages | message, trigger?, messageId?, agentId?, …}`.

    Raises:
        RequestError: with every problem and its path.
    """
    value = _read_object(body, content_type)
    problems = list(keys(value, "$", {"id": is_string}, {"agentId": is_string}))
    if value.get("id") == "":
        problems.append("expected the id of the chat, got an empty string  @ $.id")
    trigger = value.get("trigger", "submit-message")
    if trigger not in TRIGGERS:
        problems.append(expected(f"one of {', '.join(TRIGGERS)}", trigger, "$.trigger"))
    if value.get("messageId") is not None:
        problems += is_string(value["messageId"], "$.messageId")
    problems += _messages_key_problems(value, trigger)
    if problems:
        raise RequestError(problems)
    messages = value["messages"] if "messages" in value else [value["message"]] if "message" in value else []
    read = ("id", "messages", "message", "trigger", "messageId", "agentId")
    return ChatRequest(
        value["id"],
        tuple(messages),
        agent_id=value.get("agentId"),
        trigger=cast(Trigger, trigger),
        message_id=value.get("messageId"),
        is_last_only="messages" not in value,
        body={key: item for key, item in value.items() if key not in read},
    )


def _messages_key_problems(value: Mapping[str, Any], trigger: object) -> Iterator[str]:
    if "messages" in value and "message" in value:
        yield "expected either messages or message, got both  @ $"
    elif "messages" in value:
        yield from messages_problems(value["messages"])
        yield from _repeated_ids(value["messages"])
    elif "message" in value:
        for problem in messages_problems([value["message"]], "$.message"):
            yield problem.replace("$.message[0]", "$.message")
    elif trigger != "regenerate-message":
        yield missing("the messages of the chat", "$.messages")


def _repeated_ids(messages: Any) -> Iterator[str]:
    seen: dict[str, int] = {}
    for index, message in enumerate(cast("list[Any]", messages if isinstance(messages, list) else [])):
        message_id: Any = message.get("id") if isinstance(message, dict) else None
        if not isinstance(message_id, str):
            continue
        if message_id in seen:
            yield f"message id {message_id!r} is also that of message {seen[message_id]}  @ $.messages[{index}].id"
        seen.setdefault(message_id, index)


def read_awaken_request(
    body: bytes, content_type: str | None, *, thread_id: str | None = None, agent_id: str | None = None
) -> ChatRequest:
    """Read the body of the awaken profile: `{messages, threadId?, agentId?}`; the ids of the path win.

    A blank or absent thread id becomes a fresh one, whose history is empty.

    Raises:
        RequestError: with every problem and its path.
    """
    value = _read_object(body, content_type)
    problems = [*_alias_problems(value, "threadId", "thread_id"), *_alias_problems(value, "agentId", "agent_id")]
    messages = value.get("messages", [])
    if isinstance(messages, list):
        for index, message in enumerate(messages):
            problems += _awaken_message_problems(message, f"$.messages[{index}]")
    else:
        problems.append(expected("an array", messages, "$.messages"))
    if problems:
        raise RequestError(problems)
    thread = thread_id if thread_id is not None else value.get("threadId", value.get("thread_id")) or ""
    read = ("messages", "threadId", "thread_id", "agentId", "agent_id")
    return ChatRequest(
        thread.strip() or f"thread-{uuid4().hex}",
        tuple({**message, "parts": message.get("parts", [])} for message in messages),
        agent_id=agent_id if agent_id is not None else value.get("agentId", value.get("agent_id")),
        body={key: item for key, item in value.items() if key not in read},
    )


def _read_object(body: bytes, content_type: str | None) -> Mapping[str, Any]:
    problems: list[str] = []
    kind = (content_type or "").partition(";")[0].strip().lower()
    if kind != "application/json" and not re.fullmatch(r"application/[\w.-]+\+json", kind):
        # Also a wall: a foreign page can send text/plain without a preflight, and JSON not.
        problems.append(f"expected Content-Type application/json, got {content_type or 'none'}  @ header Content-Type")
    value: Any = None
    try:
        value = json_text.read(body)
    except json_text.JsonProblem as problem:
        problems.append(
            f"broken JSON: {problem}  @ $" if body.strip() else "expected a JSON object, got an empty body  @ $"
        )
    else:
        if not isinstance(value, dict):
            problems.append(expected("an object", value, "$"))
    if problems:
        raise RequestError(problems)
    return cast("dict[str, Any]", value)


def _alias_problems(value: Mapping[str, Any], name: str, alias: str) -> Iterator[str]:
    if name in value and alias in value:
        yield f"expected either {name} or {alias}, got both  @ $"
    for key in (name, alias):
        if value.get(key) is not None:
            yield from is_string(value[key], f"$.{key}")


def _awaken_message_problems(message: Any, path: str) -> Iterator[str]:
    if not isinstance(message, dict):
        yield expected("an object", message, path)
        return
    yield from keys(message, path, {"role": is_string})
    if message.get("id") is not None:
        yield from is_string(message["id"], f"{path}.id")
    parts = message.get("parts", [])
    if not isinstance(parts, list):
        yield expected("an array", parts, f"{path}.parts")
        return
    for index, part in enumerate(parts):
        yield from _awaken_part_problems(part, f"{path}.parts[{index}]")


def _awaken_part_problems(part: Any, path: str) -> Iterator[str]:
    """Every part is judged once; a `null` where a boolean may stand is a problem, as it is in the reference."""
    if not isinstance(part, dict):
        yield expected("an object", part, path)
        return
    kind = part.get("type")
    if not isinstance(kind, str):
        yield missing("a string", f"{path}.type") if "type" not in part else expected("a string", kind, f"{path}.type")
    elif kind == "text":
        yield from keys(part, path, {"text": is_string})
    elif kind == "file":
        yield from keys(part, path, {"mediaType": is_string, "url": is_string})
    elif kind == "data-awaken-file":
        yield from _file_reference_problems(part, path)
    elif kind.startswith(TOOL_PREFIX):
        optional = {"toolCallId": is_string, "state": is_string, "errorText": is_string, "providerExecuted": is_boolean}
        yield from keys(part, path, {}, optional)
        if "approval" in part:
            approval = part["approval"]
            if isinstance(approval, dict):
                yield from keys(approval, f"{path}.approval", {}, {"approved": is_boolean, "reason": is_string})
            else:
                yield expected("an object", approval, f"{path}.approval")


_FILE_REFERENCE = re.compile(r"file_[0-9a-f]{32}")


def _file_reference_problems(part: Mapping[str, Any], path: str) -> Iterator[str]:
    """The closed shape of a logical file: nothing more, nothing less."""
    yield from (f"expected no key {key!r} here  @ {path}.{key}" for key in sorted(set(part) - {"type", "data"}))
    data = part.get("data")
    if not isinstance(data, dict):
        yield expected("an object", data, f"{path}.data")
        return
    known = ("object", "fileRef", "kind")
    yield from (f"expected no key {key!r} here  @ {path}.data.{key}" for key in sorted(set(data) - set(known)))
    yield from keys(data, f"{path}.data", dict.fromkeys(known, is_string))
    if isinstance(data.get("object"), str) and data["object"] != "awaken.file_reference":
        yield expected("'awaken.file_reference'", data["object"], f"{path}.data.object")
    if isinstance(data.get("fileRef"), str) and not _FILE_REFERENCE.fullmatch(data["fileRef"]):
        yield expected("file_ and 32 lower-case hexadecimal digits", data["fileRef"], f"{path}.data.fileRef")
    if isinstance(data.get("kind"), str) and data["kind"] not in ("image", "document"):
        yield expected("one of image, document", data["kind"], f"{path}.data.kind")


ANSWERED_STATES = tuple(state for state in TOOL_STATES if state.startswith(("output-", "approval-responded")))
"""The states of a tool part in a request that can be an answer."""
