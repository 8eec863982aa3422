"""The two questions after which a chat client sends again by itself, as each version answers them.

Stage: ui_stream. Source: `ai` 5.0.0 to 7.0.173, `lastAssistantMessageIsCompleteWithToolCalls` and `…WithApprovalResponses`
(recorded: tests/golden/predicates, tests/golden/versions/predicate_verdicts.jsonl); what changed when are the `resend-…`
rows of `versions.BEHAVIOURS`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from aisdk_lab.ui_stream.grammar import APPROVAL_RESPONDED, OUTPUT_AVAILABLE, OUTPUT_DENIED, OUTPUT_ERROR
from aisdk_lab.ui_stream.messages import DYNAMIC_TOOL, Message, Part, is_tool_part, last_step
from aisdk_lab.ui_stream.versions.behaviours import has
from aisdk_lab.ui_stream.versions.release import REFERENCE, Release, read_version


def _step_to_judge(messages: Sequence[Message]) -> Sequence[Part]:
    """The last step of the last message when that is the assistant's, else nothing; what is no part is left out."""
    last = cast("object", messages[-1]) if messages else None
    if not isinstance(last, Mapping):
        return ()
    message = cast("Mapping[str, Any]", last)
    parts = message.get("parts")
    if message.get("role") != "assistant" or not isinstance(parts, list | tuple):
        return ()
    return last_step([cast(Part, part) for part in cast("list[object]", parts) if isinstance(part, Mapping)])


def _has_output(part: Part, release: Release) -> bool:
    is_output = part.get("state") == OUTPUT_AVAILABLE
    return is_output and (part.get("preliminary") is not True or not has("resend-preliminary", release))


def _counts(part: Part, release: Release) -> bool:
    """Whether a part is a call that has to be finished before the chat sends."""
    if not is_tool_part(part) or (part["type"] == DYNAMIC_TOOL and not has("resend-dynamic", release)):
        return False
    return not (part.get("providerExecuted") and has("resend-not-provider-executed", release))


def complete_with_tool_calls(messages: Sequence[Message], version: str = REFERENCE) -> bool:
    """True when every client-side tool call of the last step has its output and no text after it is unfinished.

    Who executed a call is not asked except for `providerExecuted`, so a server that stops after its own tools makes
    this true as well: the loop trap (spec §6.9), which `Chat` ends with a ceiling on rounds.
    `version` is read by `versions.read_version`; `"4"` has no such question and gives False.
    """
    release, step = read_version(version), _step_to_judge(messages)
    places = [place for place, part in enumerate(step) if _counts(part, release)]
    if not places or not has("resend-tool-calls", release):
        return False
    for place in places:
        is_error = step[place].get("state") == OUTPUT_ERROR and has("resend-errors", release)
        if not is_error and not _has_output(step[place], release):
            return False
    after = step[places[-1] + 1 :] if has("resend-unfinished-text", release) else ()
    return all(part.get("state") == "done" for part in after if part.get("type") == "text")


def complete_with_approval_responses(messages: Sequence[Message], version: str = REFERENCE) -> bool:
    """True when the last step has an answered approval and no tool call that is still open.

    `version` is read by `versions.read_version`; `"4"` and `"5"` have no approvals and give False.
    """
    release = read_version(version)
    if not has("approvals", release):
        return False
    tools = [part for part in _step_to_judge(messages) if is_tool_part(part)]
    if not has("resend-provider-approvals", release):
        tools = [part for part in tools if not part.get("providerExecuted")]
    settled = (APPROVAL_RESPONDED, OUTPUT_ERROR, *((OUTPUT_DENIED,) if has("resend-denied", release) else ()))
    if not any(part.get("state") == APPROVAL_RESPONDED for part in tools):
        return False
    return all(part.get("state") in settled or _has_output(part, release) for part in tools)
