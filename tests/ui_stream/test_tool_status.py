"""Waiting, running or broken: the table of docs/patterns §4 and §8 as cases."""

from __future__ import annotations

from typing import Any

import pytest

from aisdk_lab.ui_stream.chunks import UNSET
from aisdk_lab.ui_stream.tool_status import TOOL_STATUSES, tool_status


def part(state: str, **fields: Any) -> dict[str, Any]:
    return {"type": "tool-w", "toolCallId": "c", "state": state, **fields}


APPROVAL = {"id": "a"}
WAITING_SIBLING = {"type": "tool-x", "toolCallId": "d", "state": "approval-requested", "approval": {"id": "b"}}

# (part, busy, client tools, finish reason) -> status
SERVER, CLIENT = frozenset[str](), frozenset({"w"})
CASES = [
    (part("input-streaming"), True, SERVER, None, "preparing"),
    (part("input-streaming"), False, SERVER, None, "interrupted"),
    (part("input-streaming"), False, CLIENT, None, "interrupted"),
    (part("input-available", input={}), True, SERVER, None, "running"),
    (part("input-available", input={}), False, SERVER, "stop", "interrupted"),
    (part("input-available", input={}), False, SERVER, "tool-calls", "interrupted"),
    (part("input-available", input={}), True, CLIENT, None, "waiting"),
    (part("input-available", input={}), False, CLIENT, "tool-calls", "waiting"),
    (part("input-available", input={}, providerExecuted=True), False, CLIENT, "tool-calls", "interrupted"),
    (part("input-available", input={}), False, None, "tool-calls", "waiting"),
    (part("input-available", input={}), False, None, None, "interrupted"),
    (part("input-available", input={}), False, None, UNSET, "unknown"),
    (part("input-available", input={}, providerExecuted=False), False, None, UNSET, "waiting"),
    (part("input-available", input={}, providerExecuted=True), False, None, UNSET, "interrupted"),
    (part("approval-requested", input={}, approval=APPROVAL), False, SERVER, "tool-calls", "waiting"),
    (part("approval-requested", input={}, approval=APPROVAL), True, SERVER, None, "waiting"),
    (part("approval-requested", input={}, approval={**APPROVAL, "isAutomatic": True}), True, SERVER, None, "running"),
    (part("approval-responded", input={}, approval={**APPROVAL, "approved": True}), True, SERVER, None, "running"),
    (
        part("approval-responded", input={}, approval={**APPROVAL, "approved": True}),
        False,
        SERVER,
        "tool-calls",
        "approved-not-sent",
    ),
    (part("approval-responded", input={}, approval={**APPROVAL, "approved": False}), False, SERVER, None, "denied"),
    (part("approval-responded", input={}, approval=APPROVAL), False, SERVER, None, "denied"),
    (part("output-available", input={}, output=0), False, SERVER, "stop", "done"),
    (part("output-available", input={}, output=1, preliminary=True), True, SERVER, None, "running"),
    (part("output-available", input={}, output=1, preliminary=True), False, SERVER, None, "interrupted"),
    (part("output-error", errorText="no"), False, SERVER, "stop", "failed"),
    (part("output-denied", input={}, approval={**APPROVAL, "approved": False}), False, SERVER, "stop", "denied"),
]


@pytest.mark.parametrize(("tool", "busy", "client_tools", "finish", "expected"), CASES)
def test_status_follows_the_procedure(tool: Any, busy: bool, client_tools: Any, finish: Any, expected: str) -> None:
    assert tool_status(tool, [tool], busy, client_tools, finish) == expected


def test_an_unanswered_server_call_beside_a_waiting_one_is_queued_not_interrupted() -> None:
    tool = part("input-available", input={}, providerExecuted=True)
    assert tool_status(tool, [tool, WAITING_SIBLING], False, None, "tool-calls") == "queued"
    assert tool_status(tool, [tool, WAITING_SIBLING], True, None, None) == "running"


def test_every_status_but_queued_stands_in_the_table() -> None:
    assert {case[-1] for case in CASES} | {"queued"} == set(TOOL_STATUSES)
