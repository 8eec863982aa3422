"""Committed history as the awaken profile shows it."""

from __future__ import annotations

import pytest

from aisdk_lab.errors import RequestError
from aisdk_lab.ledger import Pending
from aisdk_lab.runs.awaken_history import history_page


def assistant(*parts: dict, message_id: str = "a1") -> dict:
    return {"id": message_id, "role": "assistant", "parts": [{"type": "step-start"}, *parts]}


def call(state: str, **more: object) -> dict:
    return {"type": "tool-x", "toolCallId": "c1", "state": state, "input": {"n": 1}, **more}


def shown(part: dict, *waiting: Pending) -> dict:
    (item,) = history_page([assistant(part)], waiting)["items"]
    return {
        key: value for key, value in item["parts"][0].items() if key not in ("type", "toolName", "toolCallId", "input")
    }


CLIENT = Pending("c1", "x", {"n": 1}, "a1")
BUILT_IN = Pending("c1", "x", {"n": 1}, "a1", "approval-1")


@pytest.mark.parametrize(
    ("part", "waiting", "wanted"),
    [
        (
            call("output-available", output="25"),
            (),
            {"state": "output-available", "providerExecuted": True, "output": 25},
        ),
        (
            call("output-error", errorText="no"),
            (),
            {"state": "output-error", "providerExecuted": True, "errorText": "no"},
        ),
        (
            call("output-denied", approval={"id": "p", "approved": False}),
            (),
            {"state": "output-error", "providerExecuted": True, "errorText": "Tool call execution denied."},
        ),
        (call("input-available"), (CLIENT,), {"state": "input-available", "providerExecuted": False}),
        (
            call("approval-requested", approval={"id": "approval-1"}),
            (BUILT_IN,),
            {"state": "approval-requested", "providerExecuted": True, "approval": {"id": "c1"}},
        ),
        (call("input-available"), (), {"state": "input-available", "providerExecuted": True}),
        (call("approval-requested", approval={"id": "p"}), (), {"state": "input-available", "providerExecuted": True}),
    ],
    ids=["result", "error", "denied", "client waits", "approval waits", "interrupted", "given up"],
)
def test_a_call_is_shown_by_what_came_of_it_and_by_whether_it_waits_now(part, waiting, wanted):
    assert shown(part, *waiting) == wanted


def test_reasoning_and_steps_are_left_out_and_calls_come_last():
    message = assistant(
        {"type": "reasoning", "text": "secret"},
        call("output-available", output=1),
        {"type": "text", "text": "hello"},
        {"type": "source-url", "sourceId": "s", "url": "https://a.example"},
        {"type": "data-plan", "id": "plan", "data": {"steps": []}},
        {"type": "text", "text": ""},
    )
    (item,) = history_page([message], ())["items"]
    assert [part["type"] for part in item["parts"]] == ["text", "source-url", "data-plan", "tool-x"]


def test_a_page_counts_raw_messages_so_it_may_be_empty_and_still_go_on():
    empty = {"id": "a0", "role": "assistant", "parts": [{"type": "step-start"}]}
    user = {"id": "u1", "role": "user", "parts": [{"type": "text", "text": "hi"}]}
    assert history_page([empty, user], (), size=1) == {"items": [], "cursor": "a0"}
    assert history_page([empty, user], (), size=1, cursor="a0") == {"items": [user], "cursor": None}
    assert history_page([empty, user], (), size=0)["cursor"] == "a0", "the size is at least 1"
    assert history_page([user] * 3, (), size=10_000, cursor="  ")["cursor"] is None


def test_an_unknown_cursor_is_refused():
    with pytest.raises(RequestError, match="unknown pagination cursor"):
        history_page([], (), cursor="nobody")
