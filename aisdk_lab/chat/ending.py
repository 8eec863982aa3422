"""How an exchange ended: one word for it, and the calls that wait.

Stage: chat, pure. Source: README, "End state": error before aborted before the end that came, and truncated when none did.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from aisdk_lab.chat.events import ChatError, EndState, Outcome
from aisdk_lab.chat.exchange import Exchange
from aisdk_lab.ui_stream.messages import STEP_START, Message, Part, is_tool_part
from aisdk_lab.ui_stream.tool_status import tool_status


def steps_of(parts: Sequence[Part]) -> list[list[Part]]:
    """The parts of a message by step, without the `step-start` parts themselves."""
    steps: list[list[Part]] = [[]]
    for part in parts:
        if part["type"] == STEP_START:
            steps.append([])
        else:
            steps[-1].append(part)
    return steps


def outcome_of(
    exchange: Exchange, message: Message, error: ChatError | None, client_tools: Mapping[str, Any] | None
) -> Outcome:
    """The outcome of an exchange that has just been closed, with the message of its response."""
    reducer, receipt = exchange.opened.reducer, exchange.request.receipt
    names = None if client_tools is None else tuple(client_tools)
    waiting = tuple(
        call_id
        for part in message["parts"]
        # Without the neighbours, which decide only about calls that do not wait: asking them is quadratic.
        if is_tool_part(part)
        and isinstance(call_id := part.get("toolCallId"), str)
        and tool_status(part, (), False, names, reducer.finish_reason) == "waiting"
    )
    state = _end_state(exchange, error, waiting)
    return Outcome(
        state,
        message,
        reducer.finish_reason,
        is_abort=exchange.is_stopped,
        is_disconnect=error is not None and error.is_disconnect,
        error=error,
        waiting=waiting if state == "waiting" else (),
        findings=(*receipt.findings, *reducer.findings),
    )


def _end_state(exchange: Exchange, error: ChatError | None, waiting: Sequence[str]) -> EndState:
    """Decisions §5, in its order."""
    if error is not None:
        return "error"
    if exchange.is_stopped or exchange.request.receipt.interrupted or "abort" in exchange.last_words:
        return "aborted"
    if not exchange.request.receipt.done and "finish" not in exchange.last_words:
        return "truncated"
    return "waiting" if waiting else "complete"
