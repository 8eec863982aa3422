"""Waiting, running or broken: the table of docs/patterns §4 and §8 as cases."""

from __future__ import annotations

import copy
import itertools
from typing import Any

import pytest

from aisdk_lab.ui_stream.chunks import UNSET
from aisdk_lab.ui_stream.grammar import TOOL_STATES
from aisdk_lab.ui_stream.tool_status import TOOL_STATUSES, holds_up, tool_status


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
    (
        part("approval-requested", input={}, approval={**APPROVAL, "isAutomatic": True}),
        False,
        SERVER,
        None,
        "interrupted",
    ),
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


def test_a_call_that_the_server_left_for_later_is_queued_beside_a_client_call_that_nobody_named() -> None:
    """Awaken announces both: `providerExecuted` false waits, true was not run yet."""
    asked = part("input-available", input={}, providerExecuted=False)
    later = {**part("input-available", input={}, providerExecuted=True), "toolCallId": "d"}
    for finish in ("tool-calls", None, UNSET):
        assert [tool_status(one, [asked, later], False, None, finish) for one in (asked, later)] == [
            "waiting",
            "queued",
        ]


def test_two_calls_that_nobody_can_tell_apart_do_not_hold_each_other_up() -> None:
    one, two = part("input-available", input={}), {**part("input-available", input={}), "toolCallId": "d"}
    assert [tool_status(each, [one, two], False, None, UNSET) for each in (one, two)] == ["unknown", "unknown"]
    assert [tool_status(each, [one, two], False, None, "stop") for each in (one, two)] == ["interrupted", "interrupted"]
    assert not holds_up(one)
    assert holds_up(one, finish_reason="tool-calls")


def test_the_same_question_has_the_same_answer_and_changes_nothing() -> None:
    """Every state in every surrounding, remote values of any kind included, has a status."""
    approvals: list[Any] = [None, 5, "yes", [], {}, {"id": "a", "approved": "true"}, {"id": "a", "approved": True}]
    surroundings = itertools.product(
        [*TOOL_STATES, "future-state", None], approvals, [None, True, False, 1], [True, False], [None, CLIENT, SERVER]
    )
    for state, approval, executed, busy, client_tools in surroundings:
        tool = {"type": "tool-w", "toolCallId": "c", "state": state, "approval": approval, "providerExecuted": executed}
        before = copy.deepcopy(tool)
        for finish in ("tool-calls", "stop", None, UNSET):
            status = tool_status(tool, [tool, WAITING_SIBLING], busy, client_tools, finish)
            assert status in TOOL_STATUSES
            assert status == tool_status(tool, [tool, WAITING_SIBLING], busy, client_tools, finish)
        assert tool == before


def test_only_true_is_an_approval() -> None:
    for approved in ("true", 1, None, False):
        answered = part("approval-responded", input={}, approval={"id": "a", "approved": approved})
        assert tool_status(answered, [answered], False, None, "tool-calls") == "denied"


def test_every_status_but_queued_stands_in_the_table() -> None:
    assert {case[-1] for case in CASES} | {"queued"} == set(TOOL_STATUSES)
