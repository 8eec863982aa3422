"""What a bug report expects, key by key: one check for each key of `expected`, none for one case alone."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable
from typing import Any

import pytest

from aisdk_lab.chat import ToolCall
from aisdk_lab.reducer import UIMessageStreamError
from aisdk_lab.ui_stream.messages import text_of
from aisdk_lab.ui_stream.model_messages import convert_to_model_messages
from aisdk_lab.ui_stream.old_data_stream import OldDataStream, detect
from aisdk_lab.ui_stream.partial_json import PartialJsonParser, parse_partial_json
from aisdk_lab.ui_stream.predicates import complete_with_approval_responses, complete_with_tool_calls
from aisdk_lab.ui_stream.validate import read_chunk
from aisdk_lab.ui_stream.validate_messages import validate_messages
from aisdk_lab.ui_stream.versions import find_hazards, validate_chunk
from aisdk_lab.wire import json_text
from aisdk_lab.wire.json_values import read_values
from tests.real_world.invariants import INVARIANTS
from tests.real_world.play import Answers, Case, capture_of, chat_over, chunks_in_words, reads_of, reduced

Check = Callable[[Case, Any], None]


def matches(seen: Any, wanted: Any, path: str = "$") -> None:
    """Every given key must match, others are free; lists have the given length."""
    if isinstance(wanted, dict):
        assert isinstance(seen, dict), path
        for key, value in wanted.items():
            assert key in seen, f"{path}.{key} is missing"
            matches(seen[key], value, f"{path}.{key}")
    elif isinstance(wanted, list):
        assert isinstance(seen, list), path
        assert len(seen) == len(wanted), f"{path}: {seen}"
        for index, (each, value) in enumerate(zip(seen, wanted, strict=True)):
            matches(each, value, f"{path}[{index}]")
    else:
        assert (seen, type(seen)) == (wanted, type(wanted)), path


# ── bytes and frames ─────────────────────────────────────────────────────────────────────────────────────────────────


def chunks(case: Case, wanted: Any) -> None:
    assert [chunk for _frame, chunk in capture_of(case).chunks()] == wanted


def chunks_after_bad_frame(case: Case, wanted: Any) -> None:
    capture = capture_of(case)
    bad = next(frame.index for frame in capture.frames() if read_chunk(frame)[1] is not None)
    assert [chunk for frame, chunk in capture.chunks() if frame.index > bad] == wanted


def done(case: Case, wanted: Any) -> None:
    assert any(frame.is_done for frame in capture_of(case).frames()) is wanted


def comments(case: Case, wanted: Any) -> None:
    assert sum(frame.comment is not None for frame in capture_of(case).frames()) == wanted


def bad_frames(case: Case, wanted: Any) -> None:
    assert sum(read_chunk(frame)[1] is not None for frame in capture_of(case).frames()) == wanted


def _events(case: Case) -> list[Any]:
    return [value for frame in capture_of(case).frames() for value in read_values(frame.data or "")[0]]


def events(case: Case, wanted: Any) -> None:
    assert len(_events(case)) == wanted


def text_length(case: Case, wanted: Any) -> None:
    (event,) = _events(case)
    assert len(event["message"]["content"][0]["text"]) == wanted


def state(case: Case, wanted: Any) -> None:
    assert capture_of(case).end_state == wanted


def _old_stream(case: Case) -> OldDataStream:
    found = detect(b"".join(reads_of(case)), case["input"]["headers"])
    assert found is not None
    return found


def protocol(case: Case, wanted: Any) -> None:
    assert wanted == "ai-sdk-v4-data-stream"
    assert _old_stream(case).by_header
    assert _old_stream(case).by_lines


def text(case: Case, wanted: Any) -> None:
    assert _old_stream(case).text == wanted


def encoder(_case: Case, wanted: Any) -> None:
    # `wanted` says in words what is asserted here: null, or an exception before the first byte.
    assert wanted["input"] == {"score": "float nan"}
    for number in (float("nan"), float("inf"), float("-inf")):
        assert json_text.write({"score": number}) == '{"score":null}'


def targets(case: Case, wanted: Any) -> None:
    (chunk,) = case["expected"]["chunks"]
    verdicts = {name: validate_chunk(chunk, version=VERSIONS[name]) for name in wanted}
    assert {name: bool(problems) for name, problems in verdicts.items()} == {
        name: verdict == "reject" for name, verdict in wanted.items()
    }


def compat(case: Case, wanted: Any) -> None:
    """Where a client of an older version dies: "error <chunk type> <id>"."""
    sent = case["input"]["chunks"]
    for client, verdict in wanted.items():
        deaths = [sent[one.place] for one in find_hazards(sent, VERSIONS[client]) if one.effect == "dies"]
        assert f"error {deaths[0]['type']} {deaths[0]['id']}" == verdict


VERSIONS = {"ai@5": "5.0.110", "ai@6.0.120": "6.0.120", "ai@7.0.173": "7.0.173"}
"""The oracles of the reports; the newest 5 that was run is 5.0.110."""


# ── the message ──────────────────────────────────────────────────────────────────────────────────────────────────────


def message(case: Case, wanted: Any) -> None:
    matches(reduced(case).message, wanted)


def mode(case: Case, wanted: Any) -> None:
    assert wanted == "resume"  # `reduced` reads it, and `message` checks what becomes of it
    assert "message" in case["expected"]


def parts_with_call_id(case: Case, wanted: Any) -> None:
    ids = [part.get("toolCallId") for part in reduced(case).message["parts"]]
    assert {call_id: ids.count(call_id) for call_id in wanted} == wanted


def strict(case: Case, wanted: Any) -> None:
    error(case, wanted["error"])
    assert wanted["message_unchanged"] is True


def error(case: Case, wanted: Any) -> None:
    with pytest.raises(UIMessageStreamError) as raised:
        reduced(case, strict=True)
    assert not [word for word in wanted if word not in str(raised.value).lower()]


def repair(case: Case, wanted: Any) -> None:
    """A report asks that text is not lost silently; lenient gives it a block of its own and says so."""
    if case["input"]["form"] == "ui-messages":
        assert "c1" not in repr(_converted(case, ignore_incomplete_tool_calls=True))
        return
    reducer = reduced(case)
    assert text_of(reducer.message) == text_of(wanted)
    assert reducer.findings


def values(case: Case, wanted: Any) -> None:
    prefixes = case["input"]["prefixes"]
    assert [parse_partial_json(text).value for text in prefixes] == wanted
    for text, value in zip(prefixes, wanted, strict=True):
        parser = PartialJsonParser()
        for character in text:
            parser.feed(character)
        assert parser.value == value


def on_data(case: Case, wanted: Any) -> None:
    seen: list[Any] = []
    chat = chat_over(
        Answers(case["input"]["chunks"]), lambda event: seen.append(event) if event.kind == "data" else None
    )
    outcome = chat.send("go")
    assert len(seen) == wanted
    assert not [part for part in outcome.message["parts"] if part["type"] == seen[0].chunk["type"]]


def invariants(case: Case, wanted: str) -> None:
    INVARIANTS[wanted](case)


def lint(case: Case, wanted: Any) -> None:
    """Some text of ours mentions all that the finding must; its level is the linter's business."""
    said = _findings(case)
    assert [text for text in said if all(word in text for word in wanted["mentions"])], said


def _findings(case: Case) -> list[str]:
    if "protocol" in case["input"]:
        return [problem for frame in capture_of(case).frames() if (problem := read_values(frame.data or "")[1])]
    if case["input"]["form"] == "network":
        return [*capture_of(case).problems(), *_older_clients(case)]
    return reduced(case).findings


def _older_clients(case: Case) -> list[str]:
    if "targets" not in case["expected"]:
        return []
    return [
        text for chunk in case["expected"]["chunks"] for text in validate_chunk(chunk, version=VERSIONS["ai@6.0.120"])
    ]


# ── histories ────────────────────────────────────────────────────────────────────────────────────────────────────────


def should_resend_after_tools(case: Case, wanted: Any) -> None:
    assert complete_with_tool_calls(case["input"]["messages"]) is wanted


def should_resend_after_approvals(case: Case, wanted: Any) -> None:
    assert complete_with_approval_responses(case["input"]["messages"]) is wanted


def _converted(case: Case, **options: Any) -> list[dict[str, Any]]:
    return convert_to_model_messages(case["input"]["messages"], **options)


def _content(case: Case, kind: str) -> list[dict[str, Any]]:
    contents = [each["content"] for each in _converted(case) if isinstance(each["content"], list)]
    return [part for content in contents for part in content if part["type"] == kind]


def model_messages(case: Case, wanted: Any) -> None:
    # An empty assistant message is left out; one with empty content would be refused by providers.
    converted = _converted(case)
    assert len(converted) == wanted
    assert all(each["content"] for each in converted)


def model_messages_pairing(case: Case, _wanted: Any) -> None:
    calls, results = _content(case, "tool-call"), _content(case, "tool-result")
    assert [call["toolCallId"] for call in calls] == [result["toolCallId"] for result in results] == ["c1"]
    assert results[0]["output"] == {"type": "execution-denied", "reason": "no"}


def crash(case: Case, wanted: Any) -> None:
    assert wanted is False
    assert _converted(case)


def model_result(case: Case, _wanted: Any) -> None:
    (result,) = _content(case, "tool-result")
    assert "denied" in repr(result["output"])


def loads(case: Case, wanted: Any) -> None:
    assert validate_messages(case["input"]["messages"]).success is wanted


# ── a whole chat ─────────────────────────────────────────────────────────────────────────────────────────────────────


def guard(case: Case, wanted: Any) -> None:
    (rule,) = wanted
    {"max_auto_rounds": _ceiling, "same_history_twice": _same_history}[rule](case)


def _ceiling(_case: Case) -> None:
    """A server that always ends on its own finished tool, asked by the SDK's predicate, which is then always true."""
    call = {"toolCallId": "c1", "toolName": "draw", "input": {}}
    draws = [
        {"type": "start", "messageId": "a1"},
        {"type": "start-step"},
        {"type": "tool-input-available", **call},
        {"type": "tool-output-available", "toolCallId": "c1", "output": {"ok": True}},
        {"type": "finish-step"},
        {"type": "finish"},
    ]
    transport = Answers(draws)
    chat = chat_over(transport, send_automatically=complete_with_tool_calls, max_rounds=4)
    chat.send("go")
    assert len(transport.requests) <= 1 + 4
    assert chat.error is not None


def _same_history(case: Case) -> None:
    """A server that adds nothing: the second automatic request would be the first one again."""
    messages = copy.deepcopy(case["input"]["messages"])
    messages[-1]["parts"].pop()  # the empty last step, with which the predicate is false
    transport = Answers([{"type": "start"}, {"type": "finish"}])
    chat = chat_over(transport, messages=messages, send_automatically=complete_with_tool_calls)
    chat.send()
    assert len(transport.requests) <= 2
    assert chat.error is not None


def _conversation(case: Case) -> tuple[Answers, Any, float]:
    given = case["input"]
    assert given["on_tool_call"] == "handler awaits its own add_tool_output(c1)"
    transport = Answers(*(list(chunks_in_words(words)) for words in given["responses"]))

    async def handler(call: ToolCall) -> None:
        await chat.aadd_tool_output(call.tool_call_id, "the selected text")

    chat = chat_over(transport, on_tool_call=handler)
    began = time.monotonic()
    chat.send("go")
    return transport, chat, 1000 * (time.monotonic() - began)


def requests(case: Case, wanted: Any) -> None:
    assert len(_conversation(case)[0].requests) == wanted


def status(case: Case, wanted: Any) -> None:
    assert _conversation(case)[1].status == wanted


def finished_within_ms(case: Case, wanted: Any) -> None:
    assert _conversation(case)[2] < wanted


CHECKS: dict[str, Check] = {
    check.__name__: check
    for check in (
        *(
            chunks,
            chunks_after_bad_frame,
            done,
            comments,
            bad_frames,
            events,
            text_length,
            state,
            encoder,
            targets,
            compat,
            protocol,
            text,
        ),
        *(message, mode, parts_with_call_id, strict, error, repair, values, on_data, invariants, lint),
        *(should_resend_after_tools, should_resend_after_approvals, model_messages, model_messages_pairing),
        *(crash, model_result, loads, guard, requests, status, finished_within_ms),
    )
}
