"""The ledger: what was committed is the whole truth, and nothing else is."""

from __future__ import annotations

import threading

import pytest

from aisdk_lab.errors import LedgerError
from aisdk_lab.ledger import Fact, MemoryLedger, Pending, Usage, project

USER = {"id": "u1", "role": "user", "parts": [{"type": "text", "text": "杭州天气？"}]}
CALL = {"type": "tool-publish", "toolCallId": "c1", "state": "approval-requested", "input": {"to": "feishu"}}
WAITING = {"tool_call_id": "c1", "name": "publish", "input": {"to": "feishu"}, "message_id": "a1", "approval_id": "p1"}
NO_USAGE = {"input_tokens": 0, "output_tokens": 0}


def run(continues: bool = False) -> tuple[str, dict]:
    return ("run", {"agent": "weather", "trigger": "submit-message", "message_id": "a1", "continues": continues})


def step(*parts: dict, at: int = 0, message: str = "a1") -> tuple[str, dict]:
    numbered = {str(at + place): part for place, part in enumerate(parts)}
    return ("step", {"message_id": message, "parts": numbered, "length": at + len(parts)})


def ended(*waiting: dict, state: str = "waiting", usage: dict = NO_USAGE) -> tuple[str, dict]:
    return ("ended", {"state": state, "finish_reason": "tool-calls", "waiting": list(waiting), "usage": usage})


def decided(state: str = "approval-responded") -> tuple[str, dict]:
    part = {**CALL, "state": state}
    return ("decision", {"tool_call_id": "c1", "kind": "approved", "message_id": "a1", "index": 1, "part": part})


@pytest.fixture
def ledger() -> MemoryLedger:
    return MemoryLedger(now=lambda: "2026-12-01T00:00:00.000+00:00")


def waiting(ledger: MemoryLedger) -> MemoryLedger:
    """A session `s` whose first run waits for the approval of call c1."""
    ledger.commit("s", "r1", [("message", {"message": USER, "source": "client"}), run()])
    ledger.commit("s", "r1", [step({"type": "step-start"}, CALL), ended(WAITING)], step=1)
    return ledger


def test_facts_are_numbered_for_each_session_without_gaps(ledger):
    ledger.commit("s", "r1", [("message", {"message": USER}), run()])
    ledger.commit("t", "r2", [("message", {"message": USER})])
    (fact,) = ledger.commit("s", "r1", [step({"type": "step-start"})], step=1)
    assert fact == Fact(
        "s",
        3,
        "r1",
        1,
        "step",
        {"message_id": "a1", "parts": {"0": {"type": "step-start"}}, "length": 1},
        "2026-12-01T00:00:00.000+00:00",
    )
    assert [fact.seq for fact in ledger.facts("s")] == [1, 2, 3]
    assert [fact.seq for fact in ledger.facts("s", after=2)] == [3]
    assert [fact.seq for fact in ledger.facts("t")] == [1]
    assert ledger.sessions() == ("s", "t")


def test_history_is_the_sum_of_the_facts(ledger):
    waiting(ledger)
    assert ledger.history("s") == [
        USER,
        {"id": "a1", "role": "assistant", "parts": [{"type": "step-start"}, CALL]},
    ]


def test_a_step_changes_the_parts_that_it_names_and_leaves_the_others(ledger):
    waiting(ledger)
    done = {**CALL, "state": "output-available", "output": True}
    ledger.commit("s", "r2", [decided(), run(continues=True)])
    numbered = {"1": done, "2": {"type": "step-start"}}
    body = {"message_id": "a1", "parts": numbered, "length": 3, "metadata": {"tokens": 3}}
    ledger.commit("s", "r2", [("step", body)], step=1)
    assert ledger.history("s")[1] == {
        "id": "a1",
        "role": "assistant",
        "metadata": {"tokens": 3},
        "parts": [{"type": "step-start"}, done, {"type": "step-start"}],
    }


def test_a_step_that_was_reset_shortens_the_message(ledger):
    ledger.commit("s", "r1", [step({"type": "step-start"}, {"type": "text", "text": "x"})], step=1)
    ledger.commit("s", "r1", [("step", {"message_id": "a1", "parts": {}, "length": 1})], step=2)
    assert ledger.history("s") == [{"id": "a1", "role": "assistant", "parts": [{"type": "step-start"}]}]


def test_what_waits_is_what_the_last_run_left_open(ledger):
    assert waiting(ledger).pending("s") == (
        Pending("c1", "publish", {"to": "feishu"}, message_id="a1", approval_id="p1"),
    )


def test_an_answered_call_waits_no_more_and_cannot_be_answered_again(ledger):
    waiting(ledger).commit("s", "r2", [decided()])
    assert ledger.pending("s") == ()
    with pytest.raises(LedgerError, match="kind 'decision' does not fit"):
        ledger.commit("s", "r3", [decided()])


def test_a_new_input_gives_up_what_waited(ledger):
    second = {"id": "u2", "role": "user", "parts": [{"type": "text", "text": "算了"}]}
    waiting(ledger).commit("s", "r2", [("message", {"message": second}), run()])
    assert ledger.pending("s") == ()


def test_superseded_messages_leave_history_and_take_their_waits_with_them(ledger):
    waiting(ledger).commit("s", "r2", [("superseded", {"ids": ["a1"]})])
    assert ledger.history("s") == [USER]
    assert ledger.pending("s") == ()
    assert len(ledger.facts("s")) == 5, "the facts themselves stay"


def test_an_edited_message_comes_back_under_its_id_in_one_commit(ledger):
    edited = {**USER, "parts": [{"type": "text", "text": "上海天气？"}]}
    waiting(ledger).commit("s", "r2", [("superseded", {"ids": ["u1", "a1"]}), ("message", {"message": edited}), run()])
    assert ledger.history("s") == [edited]


@pytest.mark.parametrize(
    "bad",
    [
        ("message", {"message": USER}),
        ("decision", {"tool_call_id": "c9", "message_id": "a1", "index": 1, "part": CALL}),
        ("step", {"message_id": "a1", "parts": {"5": CALL}, "length": 6}),
        ("step", {"message_id": "a1", "parts": {}, "length": 9}),
        ("ended", {"state": "waiting"}),
        ("note", {}),
    ],
    ids=lambda bad: bad[0],
)
def test_a_commit_that_does_not_hold_leaves_nothing_behind(ledger, bad):
    before = waiting(ledger).facts("s")
    with pytest.raises(LedgerError):
        ledger.commit("s", "r2", [("superseded", {"ids": []}), bad])
    assert ledger.facts("s") == before
    assert ledger.pending("s") != ()


def test_the_second_of_two_writers_notices_the_first(ledger):
    ledger.commit("s", "r1", [run()], expect=0)
    with pytest.raises(LedgerError, match=r"at fact 1, not 0: somebody else committed"):
        ledger.commit("s", "r2", [run()], expect=0)


def test_nobody_changes_history_by_keeping_a_reference(ledger):
    message = {"id": "u1", "role": "user", "parts": [{"type": "text", "text": "first"}]}
    ledger.commit("s", "r1", [("message", {"message": message})])
    message["parts"][0]["text"] = "changed by the writer"
    ledger.history("s")[0]["parts"][0]["text"] = "changed by a reader"
    assert ledger.history("s")[0]["parts"][0]["text"] == "first"


def test_the_projection_that_is_kept_up_to_date_is_the_one_that_is_made_anew(ledger):
    waiting(ledger).commit("s", "r2", [decided(), run(continues=True)])
    ledger.commit("s", "r2", [step({"type": "step-start"}, at=2), ended(state="complete")], step=1)
    again = project(ledger.facts("s"))
    assert list(again.messages.values()) == ledger.history("s")
    assert tuple(again.waiting.values()) == ledger.pending("s")


def test_usage_adds_up_over_the_runs_of_a_session(ledger):
    spent = {"input_tokens": 3, "output_tokens": 5}
    ledger.commit("s", "r1", [ended(state="complete", usage=spent)])
    ledger.commit("s", "r2", [ended(state="complete", usage=spent)])
    assert ledger.usage("s") == Usage(6, 10)
    assert ledger.usage("nobody") == Usage(0, 0)


def test_threads_that_commit_at_once_lose_nothing(ledger):
    barrier = threading.Barrier(8)

    def write(name: str) -> None:
        barrier.wait()
        for place in range(50):
            ledger.commit("s", name, [("message", {"message": {**USER, "id": f"{name}-{place}"}})])

    threads = [threading.Thread(target=write, args=(f"w{number}",)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [fact.seq for fact in ledger.facts("s")] == list(range(1, 401))
    assert len(ledger.history("s")) == 400


def test_an_unknown_session_is_empty(ledger):
    assert (ledger.facts("x"), ledger.history("x"), ledger.pending("x"), ledger.sessions()) == ((), [], (), ())
