"""The two questions after which a chat client sends again by itself.

Stage: ui_stream. Source: `ai` 7.0.173, `lastAssistantMessageIsCompleteWithToolCalls` and `…WithApprovalResponses`
(recorded: tests/golden/predicates).
"""

from __future__ import annotations

from collections.abc import Sequence

from aisdk_lab.ui_stream.messages import Message, Part, is_tool_part, last_step


def _has_final_output(part: Part) -> bool:
    return part.get("state") == "output-error" or (
        part.get("state") == "output-available" and part.get("preliminary") is not True
    )


def complete_with_tool_calls(messages: Sequence[Message]) -> bool:
    """True when every client-side tool call of the last step has its output and no text after it is unfinished.

    Who executed a call is not asked except for `providerExecuted`, so a server that stops after its own tools makes
    this true as well: the loop trap (spec §6.9), which `Chat` ends with a ceiling on rounds.
    """
    if not messages or messages[-1].get("role") != "assistant":
        return False
    step = last_step(messages[-1]["parts"])
    places = [place for place, part in enumerate(step) if is_tool_part(part) and not part.get("providerExecuted")]
    if not places or not all(_has_final_output(step[place]) for place in places):
        return False
    return all(part.get("state") == "done" for part in step[places[-1] + 1 :] if part.get("type") == "text")


def complete_with_approval_responses(messages: Sequence[Message]) -> bool:
    """True when the last step has an answered approval and no tool call that is still open."""
    if not messages or messages[-1].get("role") != "assistant":
        return False
    tools = [part for part in last_step(messages[-1]["parts"]) if is_tool_part(part)]
    if not any(part.get("state") == "approval-responded" for part in tools):
        return False
    return all(
        part.get("state") in ("approval-responded", "output-denied") or _has_final_output(part) for part in tools
    )
