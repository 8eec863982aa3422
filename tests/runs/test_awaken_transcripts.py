"""The awaken profile, transcript by transcript.

W1 to W18 are the canonical transcripts of docs/awaken §6 (facts about the reference; the agents here are ours). W17 and
W18 are about bytes and sockets and stand with the server's tests; here W18's part is that the run is interrupted. W15
(a step limit is no error) waits for an agent that has one.
"""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from aisdk_lab.agents.scripted import scripted
from aisdk_lab.errors import DecisionError, RequestError
from aisdk_lab.runs.application import RunApplication
from aisdk_lab.runs.request import ChatRequest
from tests.agents.stage import Stage, joined, play, user
from tests.runs.test_application import Written

OPEN = [{"type": "start"}, {"type": "start-step"}]
END_STEP = {"type": "finish-step"}


def finish(reason: str, given: int = 0, taken: int = 0) -> dict:
    total = {"inputTokens": given, "outputTokens": taken, "totalTokens": given + taken}
    return {"type": "finish", "finishReason": reason, "messageMetadata": {"totalUsage": total}}


def text(block: str, words: str) -> list[dict]:
    return [
        {"type": "text-start", "id": block},
        {"type": "text-delta", "id": block, "delta": words},
        {"type": "text-end", "id": block},
    ]


def live_call(call_id: str, name: str, json: str) -> list[dict]:
    return [
        {"type": "tool-input-start", "toolCallId": call_id, "toolName": name},
        {"type": "tool-input-delta", "toolCallId": call_id, "inputTextDelta": json},
    ]


def told(call_id: str, name: str, value: Any, executed: bool) -> dict:
    return {
        "type": "tool-input-available",
        "toolCallId": call_id,
        "toolName": name,
        "input": value,
        "providerExecuted": executed,
    }


def stage_of(*agents: Any, **options: Any) -> Stage:
    return Stage(*agents, profile="awaken", **options)


def once(agent: Any, words: str = "hi") -> list[dict]:
    return joined(play(lambda: stage_of(agent).send(words)))


STEP, STOP = {"type": "start-step"}, {"type": "finish", "finishReason": "stop"}
WAIT = {"type": "finish", "finishReason": "tool-calls"}


def test_w1_a_text_turn_is_streamed():
    @scripted
    def says(turn):
        yield turn.text("你好 there")

    chunks = play(lambda: stage_of(says).send("hi"))
    assert len([chunk for chunk in chunks if chunk["type"] == "text-delta"]) == 3
    assert joined(chunks) == [*OPEN, *text("txt-0", "你好 there"), END_STEP, finish("stop")]


def test_w2_an_operation_that_is_sent_again_is_told_from_the_ledger_and_runs_once():
    """The runtime streams nothing: the committed text comes whole, under the id of its message."""
    agent = Written(
        STEP,
        {"type": "text-start", "id": "t"},
        {"type": "text-delta", "id": "t", "delta": "你好"},
        {"type": "text-end", "id": "t"},
        END_STEP,
        STOP,
    )

    async def scene():
        stage = stage_of(agent)
        await stage.send("hi")
        del stage.messages[1:]
        return await stage.send()

    assert play(scene) == [*OPEN, *text("msg-1", "你好"), END_STEP, finish("stop")]
    assert len(agent.turns) == 1


def test_w3_reasoning_has_boundaries_and_no_bytes():
    @scripted
    def thinks(turn):
        yield turn.reasoning("secret plan")
        yield turn.text("hello")

    assert once(thinks) == [
        *OPEN,
        {"type": "reasoning-start", "id": "reasoning-0"},
        {"type": "reasoning-end", "id": "reasoning-0"},
        *text("txt-0", "hello"),
        END_STEP,
        finish("stop"),
    ]


def test_w4_reasoning_that_was_left_open_is_closed_by_the_end():
    agent = Written(
        STEP, {"type": "reasoning-start", "id": "r"}, {"type": "reasoning-delta", "id": "r", "delta": "…"}, STOP
    )
    assert once(agent) == [
        *OPEN,
        {"type": "reasoning-start", "id": "reasoning-0"},
        {"type": "reasoning-end", "id": "reasoning-0"},
        END_STEP,
        finish("stop"),
    ]


def test_w5_a_server_tool_is_shown_live_and_told_after_the_commit():
    @scripted
    def looks(turn):
        yield turn.text("look:")
        yield turn.tool("weather", {"city": "P"}, output={"t": 25})
        yield turn.text("25°C")

    assert once(looks) == [
        *OPEN,
        *text("txt-0", "look:"),
        *live_call("call-0-1", "weather", '{"city":"P"}'),
        *text("txt-1", "25°C"),
        told("call-0-1", "weather", {"city": "P"}, True),
        {"type": "tool-output-available", "toolCallId": "call-0-1", "output": {"t": 25}},
        END_STEP,
        finish("stop"),
    ]


@scripted
def publisher(turn):
    """Asks once, then tells what came of it."""
    sent = yield turn.tool("publish", {"to": "all"}, approval=True, reason="Visible", output={"url": "u"})
    yield turn.text("sent" if sent.ok else f"kept ({sent.reason})")


W6 = [
    *OPEN,
    *live_call("call-0-1", "publish", '{"to":"all"}'),
    told("call-0-1", "publish", {"to": "all"}, True),
    {"type": "tool-approval-request", "approvalId": "call-0-1", "toolCallId": "call-0-1", "reason": "Visible"},
    END_STEP,
    finish("tool-calls"),
]


def test_w6_a_built_in_tool_waits_and_its_approval_has_the_id_of_the_call():
    assert once(publisher) == W6


@pytest.mark.parametrize(
    ("approved", "result", "words"),
    [
        (True, {"type": "tool-output-available", "toolCallId": "call-0-1", "output": {"url": "u"}}, "sent"),
        (False, {"type": "tool-output-error", "toolCallId": "call-0-1", "errorText": "not yet"}, "kept (not yet)"),
    ],
)
def test_w7_the_answer_to_an_approval_is_told_whole(approved, result, words):
    async def scene():
        stage = stage_of(publisher)
        await stage.send("hi")
        return await stage.decide("call-0-1", approved, "not yet")

    assert play(scene) == [*OPEN, result, *text("msg-1", words), END_STEP, finish("stop")]


def test_w7_a_denial_without_a_reason_says_what_the_model_reads():
    async def scene():
        stage = stage_of(publisher)
        await stage.send("hi")
        return await stage.decide("call-0-1", False)

    assert play(scene)[2]["errorText"] == "Tool call execution denied."


@scripted
def picker(turn):
    """Asks the client."""
    yield turn.text("pick")
    picked = yield turn.client_tool("pick", {"of": 2})
    yield turn.text(f"{picked.output} {picked.error}")


def test_w8_a_client_tool_is_told_as_not_executed_by_us():
    assert once(picker) == [
        *OPEN,
        *text("txt-0", "pick"),
        *live_call("call-0-1", "pick", '{"of":2}'),
        told("call-0-1", "pick", {"of": 2}, False),
        END_STEP,
        finish("tool-calls"),
    ]


@pytest.mark.parametrize(
    ("output", "seen"),
    [({"a": 1}, {"a": 1}), ("three", "three"), ("3", 3), ('{"a":1}', {"a": 1}), (None, ""), (True, True)],
)
def test_w9_the_result_of_a_client_tool_comes_back_as_the_ledger_reads_it(output, seen):
    async def scene():
        stage = stage_of(picker)
        await stage.send("hi")
        return await stage.answer("call-0-1", output)

    chunks = play(scene)
    assert chunks[:3] == [*OPEN, {"type": "tool-output-available", "toolCallId": "call-0-1", "output": seen}]
    assert chunks[3:] == [*text("msg-1", f"{output} None"), END_STEP, finish("stop")]


def test_w9_an_error_of_a_client_tool_is_an_error_of_the_call():
    async def scene():
        stage = stage_of(picker)
        await stage.send("hi")
        return await stage.report("call-0-1", "closed")

    assert play(scene)[2] == {"type": "tool-output-error", "toolCallId": "call-0-1", "errorText": "closed"}


def test_w10_a_run_that_fails_after_text_closes_everything():
    @scripted
    def breaks(turn):
        yield turn.text("half")
        yield turn.error("overloaded: try again")

    assert once(breaks) == [
        *OPEN,
        *text("txt-0", "half"),
        {"type": "error", "errorText": "overloaded: try again"},
        END_STEP,
        finish("error"),
    ]


def test_w11_an_agent_that_raises_fails_the_stream():
    agent = Written(
        STEP, {"type": "text-start", "id": "t"}, {"type": "text-delta", "id": "t", "delta": "ha"}, ValueError("no")
    )
    assert once(agent) == [
        *OPEN,
        *text("txt-0", "ha"),
        {"type": "error", "errorText": "stream_failed: no"},
        END_STEP,
        finish("error"),
    ]


def test_on_error_words_an_exception_at_this_door_too():
    stage = Stage(Written(STEP, ValueError("password=hunter2")), profile="awaken", on_error=lambda _error: "mapped")
    assert {"type": "error", "errorText": "stream_failed: mapped"} in play(lambda: stage.send("hi"))


def test_w12_a_stopped_run_ends_like_a_finished_one():
    """The reference has no stop here; ours comes from the other door or from the kernel."""

    async def scene():
        agent = Written(
            STEP, {"type": "text-start", "id": "t"}, {"type": "text-delta", "id": "t", "delta": "ha"}, asyncio.Event()
        )
        application = RunApplication(agent)
        stream = await application.open(ChatRequest("t1", (user("hi"),)), "awaken")
        chunks = [await anext(stream) for _ in range(4)]
        await application.stop("t1")
        return [*chunks, *[chunk async for chunk in stream]]

    assert play(scene) == [*OPEN, *text("txt-0", "ha"), END_STEP, finish("stop")]


def test_w13_a_tool_that_was_shown_and_never_committed_is_an_error():
    agent = Written(
        STEP,
        {"type": "tool-input-start", "toolCallId": "c9", "toolName": "lost"},
        {"type": "tool-input-delta", "toolCallId": "c9", "inputTextDelta": "{}"},
        END_STEP,
        STOP,
    )
    assert once(agent) == [
        *OPEN,
        *live_call("c9", "lost", "{}"),
        {
            "type": "error",
            "errorText": "stream_reconciliation_failed: live tool inputs missing from committed outcome: c9",
        },
        END_STEP,
        finish("error"),
    ]


def test_w16_sources_follow_the_text():
    @scripted
    def cites(turn):
        yield turn.source("https://a.example", "A")
        yield turn.text("as A says")

    assert once(cites) == [
        *OPEN,
        *text("txt-0", "as A says"),
        {"type": "source-url", "sourceId": "https://a.example", "url": "https://a.example", "title": "A"},
        END_STEP,
        finish("stop"),
    ]


def test_several_model_steps_are_one_step_here():
    @scripted
    def walks(turn):
        yield turn.tool("a", {}, output=1)
        yield turn.tool("b", {}, error="Error: no")
        yield turn.text("done")

    chunks = once(walks)
    assert [chunk["type"] for chunk in chunks].count("start-step") == 1
    assert chunks[-6:-2] == [
        told("call-0-1", "a", {}, True),
        {"type": "tool-output-available", "toolCallId": "call-0-1", "output": 1},
        told("call-0-2", "b", {}, True),
        {"type": "tool-output-error", "toolCallId": "call-0-2", "errorText": "Error: no"},
    ]


def test_of_several_waiting_calls_one_waits_at_a_time_and_its_siblings_look_executed():
    @scripted
    def two(turn):
        one, other = yield turn.together(turn.client_tool("a", {}), turn.tool("b", {}, approval=True, output="B"))
        yield turn.text(f"{one.output}{other.output}")

    async def scene():
        stage = stage_of(two)
        first = joined(await stage.send("hi"))
        second = await stage.answer("call-0-1", "A")
        third = await stage.decide("call-0-2", True)
        return first, second, third

    first, second, third = play(scene)
    assert first[-4:] == [
        told("call-0-1", "a", {}, False),
        told("call-0-2", "b", {}, True),
        END_STEP,
        finish("tool-calls"),
    ]
    assert second == [
        *OPEN,
        {"type": "tool-output-available", "toolCallId": "call-0-1", "output": "A"},
        {"type": "tool-approval-request", "approvalId": "call-0-2", "toolCallId": "call-0-2"},
        END_STEP,
        finish("tool-calls"),
    ]
    assert third[2] == {"type": "tool-output-available", "toolCallId": "call-0-2", "output": "B"}


def test_data_goes_out_as_it_comes():
    """An extension of ours; agents without data give the transcripts exactly."""

    @scripted
    def plans(turn):
        yield turn.plan([{"title": "a", "status": "running"}])
        yield turn.text("x")

    assert once(plans)[2]["type"] == "data-plan"


def test_usage_is_that_of_the_whole_thread():
    class Counting(Written):
        async def run(self, turn):
            turn.input_tokens, turn.output_tokens = 3, 5
            yield STEP
            yield END_STEP
            yield STOP

    async def scene():
        stage = stage_of(Counting())
        return (await stage.send("one"))[-1], (await stage.send("two"))[-1]

    assert play(scene) == (finish("stop", 3, 5), finish("stop", 6, 10))


# ── requests: exactly one operation (R2) ───────────────────────────────────────────────────────────────────────────


def ask(*messages: dict, agent: Any = picker, before: str | None = "hi") -> Any:
    """The chunks, or the error, for a body after a first turn (`before`)."""

    async def scene():
        stage = stage_of(agent)
        if before is not None:
            await stage.send(before)
        try:
            return [chunk async for chunk in stage.application.stream(ChatRequest("t1", messages), "awaken")]
        except (RequestError, DecisionError) as error:
            return error

    return play(scene)


def decision(call_id: str = "call-0-1", message_id: str | None = "client-1", **part: Any) -> dict:
    whole = {"type": "tool-pick", "toolCallId": call_id, **part}
    return {"role": "assistant", "parts": [whole], **({"id": message_id} if message_id else {})}


def test_only_the_last_message_is_the_input_and_assistant_text_is_history():
    old = {"id": "x", "role": "assistant", "parts": [{"type": "text", "text": "whatever the client says"}]}
    chunks = ask(user("hi", "u1"), old, user("again", "u2"), agent=publisher)
    assert chunks[0] == OPEN[0]


@pytest.mark.parametrize(
    ("messages", "problem"),
    [
        ((), "AI SDK request contains neither a turn nor a tool decision"),
        ((user("", "u2"),), "AI SDK request contains neither a turn nor a tool decision"),
        ((user("a", "u8"), user("b", "u9")), "AI SDK turn requires exactly one current user or system input message"),
        (({**user("a"), "id": None}, user("b", "u9")), "AI SDK turn requires exactly one current user or system input"),
        (({**user("hi", "u1"), "role": "system"},), "AI SDK message id `u1` conflicts with its committed role"),
        ((user("other", "u1"),), "operation `u1` was admitted before with another payload"),
        ((user("hi", "u1"), decision(state="input-available")), "neither a turn nor a tool decision"),
    ],
)
def test_a_body_that_is_not_one_operation_is_refused(messages, problem):
    error = ask(*messages)
    assert isinstance(error, RequestError)
    assert problem in str(error)


@pytest.mark.parametrize(
    ("part", "chunk"),
    [
        ({"state": "output-available", "output": "A"}, {"type": "tool-output-available", "output": "A"}),
        ({"state": "output-available"}, {"type": "tool-output-available", "output": ""}),
        ({"state": "output-error"}, {"type": "tool-output-error", "errorText": "tool execution error"}),
        ({"state": "output-denied"}, {"type": "tool-output-error", "errorText": "client denied the tool"}),
        ({"state": "approval-responded"}, {"type": "tool-output-error", "errorText": "client denied the tool"}),
        (
            {"state": "approval-responded", "approval": {"approved": True}},
            {"type": "tool-output-available", "output": ""},
        ),
    ],
)
def test_the_binding_of_the_waiting_call_decides_what_an_answer_means_client_tool(part, chunk):
    assert ask(decision(**part))[2] == {"toolCallId": "call-0-1", **chunk}


@pytest.mark.parametrize(
    ("part", "chunk"),
    [
        ({"state": "output-available", "output": "ignored"}, {"type": "tool-output-available", "output": {"url": "u"}}),
        ({"state": "output-error", "errorText": "no!"}, {"type": "tool-output-error", "errorText": "no!"}),
        ({"state": "output-denied"}, {"type": "tool-output-error", "errorText": "Tool call execution denied."}),
        ({"state": "approval-responded"}, {"type": "tool-output-error", "errorText": "Tool call execution denied."}),
        (
            {"state": "approval-responded", "providerExecuted": True, "approval": {"approved": True}},
            {"type": "tool-output-available", "output": {"url": "u"}},
        ),
    ],
)
def test_the_binding_of_the_waiting_call_decides_what_an_answer_means_built_in(part, chunk):
    assert ask(decision(type="tool-publish", **part), agent=publisher)[2] == {"toolCallId": "call-0-1", **chunk}


def test_an_answer_for_another_call_names_the_one_that_waits_and_changes_nothing():
    error = ask(decision("call-9", state="output-available", output=1))
    assert isinstance(error, DecisionError)
    assert str(error).startswith(
        'tool_use_id "call-9" does not match the pending tool; waiting: call-0-1 (pick). Read the history'
    )


@pytest.mark.parametrize(
    ("part", "problem"),
    [
        ({"input": {"of": 9}}, "the input in the answer to 'call-0-1' is not the one that was shown"),
        ({"type": "tool-other"}, "'other' is not the tool of 'call-0-1'"),
        ({"approval": {"id": "else", "approved": True}}, "'else' is not the approval that 'call-0-1' waits for"),
    ],
)
def test_an_answer_to_something_else_than_was_shown_is_refused(part, problem):
    error = ask(decision(**{"state": "output-available", "output": 1, **part}))
    assert isinstance(error, DecisionError)
    assert str(error).startswith(f"{problem}; waiting: call-0-1 (pick).")


def test_two_answers_to_one_call_that_contradict_each_other_are_refused():
    allowed, denied = decision(state="output-available", output=1), decision(state="output-denied")
    error = ask({**allowed, "parts": [*allowed["parts"], *denied["parts"]]})
    assert isinstance(error, DecisionError)
    assert str(error).startswith("the answers to 'call-0-1' in one body contradict each other")


def test_an_answer_when_nothing_waits_says_so():
    error = ask(decision(state="output-available", output=1), before=None)
    assert isinstance(error, DecisionError)
    assert str(error).startswith("no awaiting run to resume; waiting: none.")


@pytest.mark.parametrize(
    "message",
    [
        decision(state="output-available", output=1, providerExecuted=True),
        {
            "role": "assistant",
            "parts": [
                {"type": "dynamic-tool", "toolName": "pick", "toolCallId": "call-0-1", "state": "output-available"}
            ],
        },
        {"role": "assistant", "parts": [{"type": "tool-pick", "state": "output-available", "output": 1}]},
        {**decision(state="output-available", output=1), "role": "user"},
    ],
    ids=["executed by the provider", "dynamic tool", "no call id", "wrong role"],
)
def test_parts_that_are_no_decision_in_this_profile(message):
    error = ask(message)
    assert isinstance(error, RequestError)
    assert "neither a turn nor a tool decision" in str(error)


def test_an_input_outranks_decisions_that_lie_in_the_history():
    chunks = ask(decision(state="output-available", output=1), user("something else", "u2"))
    assert chunks[-1] == finish("tool-calls")
    assert told("call-1-1", "pick", {"of": 2}, False) in chunks
