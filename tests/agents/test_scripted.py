"""Scripted agents: what a script yields is what comes out, and what came of its calls goes back in."""

from __future__ import annotations

import logging

import pytest

from aisdk_lab.agents import Agent, ClientTool
from aisdk_lab.agents.scripted import CallResult, ScriptError, scripted
from tests.agents.stage import Stage, joined, play

START, STEP, END_STEP, STOP = (
    {"type": "start", "messageId": "msg-1"},
    {"type": "start-step"},
    {"type": "finish-step"},
    {"type": "finish", "finishReason": "stop"},
)
WAITS = {"type": "finish", "finishReason": "tool-calls"}
MASKED = {"type": "error", "errorText": "An error occurred."}


def text(words: str, number: int = 0) -> list[dict]:
    block = f"txt-{number}"
    return [
        {"type": "text-start", "id": block},
        {"type": "text-delta", "id": block, "delta": words},
        {"type": "text-end", "id": block},
    ]


def call(call_id: str, name: str, value: dict, json: str) -> list[dict]:
    return [
        {"type": "tool-input-start", "toolCallId": call_id, "toolName": name},
        {"type": "tool-input-delta", "toolCallId": call_id, "inputTextDelta": json},
        {"type": "tool-input-available", "toolCallId": call_id, "toolName": name, "input": value},
    ]


def once(script, words: str = "你好") -> list[dict]:
    """The chunks of the first response, deltas joined."""
    return joined(play(lambda: Stage(script).send(words)))


def test_text_is_streamed_word_by_word_and_chinese_by_character():
    @scripted
    def hello(turn):
        yield turn.text("你好 world 🌤️!")

    chunks = play(lambda: Stage(hello).send("hi"))
    assert [chunk["delta"] for chunk in chunks if chunk["type"] == "text-delta"] == ["你", "好", " world", " 🌤️!"]
    assert joined(chunks) == [START, STEP, *text("你好 world 🌤️!"), END_STEP, STOP]


def test_between_two_deltas_the_delay_passes_and_the_script_may_change_it():
    @scripted(delay_ms=20)
    def hello(turn):
        yield turn.text("a b")
        turn.delay_ms = 5
        yield turn.reasoning("c")
        yield turn.text("at once", delay_ms=0)
        yield turn.sleep(1.5)

    stage = Stage(hello)
    play(lambda: stage.send("hi"))
    assert stage.slept == [0.02, 0.02, 0.005, 1.5]


def test_reasoning_and_text_are_blocks_of_one_step():
    @scripted
    def thinks(turn):
        yield turn.reasoning("先想")
        yield turn.text("再说")

    assert once(thinks) == [
        START,
        STEP,
        {"type": "reasoning-start", "id": "reasoning-0"},
        {"type": "reasoning-delta", "id": "reasoning-0", "delta": "先想"},
        {"type": "reasoning-end", "id": "reasoning-0"},
        *text("再说"),
        END_STEP,
        STOP,
    ]


def test_a_server_tool_ends_its_step_and_the_result_goes_into_the_script():
    results = []

    @scripted
    def weather(turn):
        result = yield turn.tool("get_weather", {"city": "杭州"}, output={"celsius": 25}, seconds=0.6)
        results.append(result)
        yield turn.text(f"{result.output['celsius']}°C")

    assert once(weather) == [
        START,
        STEP,
        *call("call-0-1", "get_weather", {"city": "杭州"}, '{"city":"杭州"}'),
        {"type": "tool-output-available", "toolCallId": "call-0-1", "output": {"celsius": 25}},
        END_STEP,
        STEP,
        *text("25°C"),
        END_STEP,
        STOP,
    ]
    assert results == [CallResult("call-0-1", {"celsius": 25})]


def test_a_tool_that_fails_shows_its_own_error():
    @scripted
    def fails(turn):
        result = yield turn.tool("a", {}, error="Error: kaput")
        yield turn.text(f"{result.ok} {result.error}")

    assert {"type": "tool-output-error", "toolCallId": "call-0-1", "errorText": "Error: kaput"} in once(fails)
    assert text("False Error: kaput")[1] in once(fails)


def test_an_output_may_be_computed_and_its_exception_is_the_error_of_the_tool():
    async def triple(given):
        return given["n"] * 3

    @scripted
    def computes(turn):
        good = yield turn.tool("triple", {"n": 14}, output=triple)
        bad = yield turn.tool("divide", {"n": 0}, output=lambda given: 1 / given["n"])
        yield turn.text(f"{good.output} {bad.error}")

    assert text("42 ZeroDivisionError: division by zero")[1] in once(computes)


def test_preliminary_outputs_are_spread_over_the_time_that_the_tool_takes():
    @scripted(delay_ms=0)
    def builds(turn):
        yield turn.tool("build", {}, output="done", preliminary=["10%", "50%"], seconds=3)

    stage = Stage(builds)
    chunks = play(lambda: stage.send("go"))
    outputs = [chunk for chunk in chunks if chunk["type"] == "tool-output-available"]
    assert outputs == [
        {"type": "tool-output-available", "toolCallId": "call-0-1", "output": "10%", "preliminary": True},
        {"type": "tool-output-available", "toolCallId": "call-0-1", "output": "50%", "preliminary": True},
        {"type": "tool-output-available", "toolCallId": "call-0-1", "output": "done"},
    ]
    assert stage.slept == [1.0, 1.0, 1.0]


def test_a_script_that_ends_with_tools_gets_an_empty_step_so_that_no_client_answers_it():
    @scripted
    def silent(turn):
        yield turn.tool("a", {}, output=1)

    assert once(silent)[-4:] == [END_STEP, STEP, END_STEP, STOP]


def test_a_client_tool_pauses_the_run_and_its_output_goes_on_with_it():
    @scripted
    def asks(turn):
        yield turn.text("先问")
        picked = yield turn.client_tool("readSelection", {})
        yield turn.text(f"选了 {picked.output}")

    async def scene():
        stage = Stage(asks)
        first = joined(await stage.send("go"))
        second = joined(await stage.answer("call-0-1", "三行"))
        return first, second

    first, second = play(scene)
    assert first == [START, STEP, *text("先问"), *call("call-0-1", "readSelection", {}, "{}"), END_STEP, WAITS]
    assert second == [START, STEP, *text("选了 三行"), END_STEP, STOP], "the client has the output: it is not sent back"


def test_the_error_of_a_client_tool_is_a_result_like_any_other():
    @scripted
    def asks(turn):
        picked = yield turn.client_tool("pick", {})
        yield turn.text(f"{picked.ok} {picked.error}")

    async def scene():
        stage = Stage(asks)
        await stage.send("go")
        return joined(await stage.report("call-0-1", "no selection"))

    assert text("False no selection")[1] in play(scene)


@pytest.mark.parametrize(
    ("approved", "result", "words"),
    [
        (True, {"type": "tool-output-available", "toolCallId": "call-0-1", "output": {"url": "u"}}, "True None 好"),
        (False, {"type": "tool-output-denied", "toolCallId": "call-0-1"}, "False None 好"),
    ],
)
def test_an_approval_gives_its_result_before_the_next_step(approved, result, words):
    @scripted
    def sends(turn):
        sent = yield turn.tool("publish", {"to": "all"}, approval=True, reason="所有人可见", output={"url": "u"})
        yield turn.text(f"{sent.approved} {sent.error} {sent.reason}")

    async def scene():
        stage = Stage(sends)
        first = joined(await stage.send("go"))
        second = joined(await stage.decide("call-0-1", approved, "好"))
        return first, second

    first, second = play(scene)
    request = {"approvalId": "approval-0-1", "toolCallId": "call-0-1", "reason": "所有人可见"}
    assert first[-3:] == [{"type": "tool-approval-request", **request}, END_STEP, WAITS]
    assert second == [START, result, STEP, *text(words), END_STEP, STOP]


def test_a_tool_that_was_approved_can_still_fail():
    @scripted
    def sends(turn):
        sent = yield turn.tool("publish", {}, approval=True, error="Error: no network")
        yield turn.text(f"{sent.approved} {sent.ok}")

    async def scene():
        stage = Stage(sends)
        await stage.send("go")
        return joined(await stage.decide("call-0-1", True))

    assert play(scene)[1] == {"type": "tool-output-error", "toolCallId": "call-0-1", "errorText": "Error: no network"}


def test_a_script_may_wait_again_and_again():
    heard = []

    @scripted
    def waits(turn):
        one = yield turn.client_tool("one", {})
        two = yield turn.tool("two", {"after": one.output}, approval=True, output="2")
        three = yield turn.client_tool("three", {})
        heard.append((one.output, two.output, three.output))
        yield turn.text("done")

    async def scene():
        stage = Stage(waits)
        await stage.send("go")
        await stage.answer("call-0-1", 1)
        await stage.decide("call-0-2", True)
        chunks = joined(await stage.answer("call-0-3", 3))
        return stage, chunks

    stage, chunks = play(scene)
    assert chunks == [START, STEP, *text("done"), END_STEP, STOP]
    assert heard == [(1, "2", 3)]
    assert len(stage.messages) == 2, "one message of the assistant carries it all"


def test_calls_made_together_run_at_the_same_time_and_the_last_one_waits():
    @scripted(delay_ms=0)
    def together(turn):
        slow, quick, picked = yield turn.together(
            turn.tool("slow", {}, output="s", seconds=2),
            turn.tool("quick", {}, output="q", seconds=0.5),
            turn.client_tool("pick", {}),
        )
        yield turn.text(f"{slow.output}{quick.output}{picked.output}", delay_ms=0)

    async def scene():
        stage = Stage(together)
        first = await stage.send("go")
        slept = list(stage.slept)
        second = joined(await stage.answer("call-0-3", "p"))
        return first, slept, second

    first, slept, second = play(scene)
    assert [chunk["toolCallId"] for chunk in first if chunk["type"] == "tool-output-available"] == [
        "call-0-2",
        "call-0-1",
    ]
    assert slept == [0.5, 1.5]
    assert first[-2:] == [END_STEP, WAITS]
    assert text("sqp")[1] in second


def test_of_two_waiting_calls_one_may_be_answered_first():
    @scripted
    def two(turn):
        one, other = yield turn.together(
            turn.tool("a", {"n": 1}, approval=True, output="A"), turn.tool("b", {"n": 2}, approval=True, output="B")
        )
        yield turn.text(f"{one.output}{other.approved}")

    async def scene():
        stage = Stage(two)
        await stage.send("go")
        first = joined(await stage.decide("call-0-1", True))
        second = joined(await stage.decide("call-0-2", False))
        return first, second

    first, second = play(scene)
    assert first == [START, {"type": "tool-output-available", "toolCallId": "call-0-1", "output": "A"}, WAITS]
    assert second == [
        START,
        {"type": "tool-output-denied", "toolCallId": "call-0-2"},
        STEP,
        *text("AFalse"),
        END_STEP,
        STOP,
    ]


def test_a_plan_is_replaced_in_place_and_a_plan_tool_is_a_call():
    @scripted
    def plans(turn):
        yield turn.plan([{"title": "读", "status": "running"}])
        yield turn.plan([{"title": "读", "status": "done"}])
        yield turn.plan_tool([{"title": "写", "status": "pending"}])
        yield turn.text("ok")

    stage = Stage(plans)
    chunks = joined(play(lambda: stage.send("go")))
    assert chunks[1:3] == [
        {"type": "data-plan", "id": "plan", "data": {"steps": [{"title": "读", "status": "running"}]}},
        {"type": "data-plan", "id": "plan", "data": {"steps": [{"title": "读", "status": "done"}]}},
    ]
    kinds = [part["type"] for part in stage.messages[-1]["parts"]]
    assert kinds == ["data-plan", "step-start", "tool-updatePlan", "step-start", "text"]


def test_sources_files_data_and_metadata_come_out_as_they_are():
    @scripted
    def shows(turn):
        yield turn.source("https://a.example", "A")
        yield turn.document("合同", "application/pdf", filename="a.pdf")
        yield turn.file("data:text/plain;base64,aGk=", "text/plain")
        yield turn.data("progress", {"percent": 50}, id="p")
        yield turn.data("tick", 1, transient=True)
        yield turn.metadata({"model": "none"})

    assert once(shows)[2:-2] == [
        {"type": "source-url", "sourceId": "https://a.example", "url": "https://a.example", "title": "A"},
        {
            "type": "source-document",
            "sourceId": "合同",
            "mediaType": "application/pdf",
            "title": "合同",
            "filename": "a.pdf",
        },
        {"type": "file", "mediaType": "text/plain", "url": "data:text/plain;base64,aGk="},
        {"type": "data-progress", "id": "p", "data": {"percent": 50}},
        {"type": "data-tick", "data": 1, "transient": True},
        {"type": "message-metadata", "messageMetadata": {"model": "none"}},
    ]


def test_an_error_ends_the_stream_without_a_finish():
    @scripted
    def breaks(turn):
        yield turn.text("half")
        yield turn.error("model overloaded")
        yield turn.text("never said")

    assert once(breaks) == [START, STEP, *text("half"), {"type": "error", "errorText": "model overloaded"}]


def test_the_turns_of_a_person_are_counted_and_ids_follow():
    @scripted
    def counts(turn):
        yield turn.tool("a", {}, output=turn.number)
        yield turn.text(f"{turn.number}:{turn.words}")

    async def scene():
        stage = Stage(counts)
        await stage.send("first")
        return joined(await stage.send("second"))

    chunks = play(scene)
    assert {"type": "tool-output-available", "toolCallId": "call-1-1", "output": 1} in chunks
    assert any(chunk.get("delta") == "1:second" for chunk in chunks)


@pytest.mark.parametrize(("words", "language"), [("天气 weather", "zh"), ("weather", "en"), ("", "en")])
def test_the_language_is_that_of_the_words(words, language):
    @scripted
    def speaks(turn):
        yield turn.data("language", turn.language)

    assert {"type": "data-language", "data": language} in once(speaks, words)


# ── wrong scripts ──────────────────────────────────────────────────────────────────────────────────────────────────


def failing(script, caplog, answer: object = None) -> tuple[list[dict], str]:
    """The joined chunks of a script that fails, and what the log says."""

    async def scene():
        stage = Stage(script)
        chunks = await stage.send("go")
        if answer is not None:
            chunks = await stage.answer("call-0-1", answer)
        return joined(chunks), stage.application.failures

    with caplog.at_level(logging.ERROR, logger="aisdk_lab"):
        chunks, failures = play(scene)
    assert len(failures) == 1
    assert failures[0].partition(": ")[2] in caplog.text
    return chunks, failures[0]


def test_a_script_that_yields_something_else_is_named_with_the_yield(caplog):
    @scripted
    def wrong(turn):
        yield turn.text("ok")
        yield "just a text"

    chunks, failure = failing(wrong, caplog)
    assert chunks == [START, STEP, *text("ok"), MASKED], "the client reads the masked text"
    assert failure.startswith("wrong: script 'wrong' yielded 'just a text' at yield 2; yield what turn.text()")


def test_a_script_that_raises_is_masked_on_the_wire_and_explained_in_the_log(caplog):
    @scripted
    def raises(turn):
        yield turn.text("ok")
        raise KeyError("secret")

    chunks, failure = failing(raises, caplog)
    assert chunks[-1] == MASKED
    assert failure == "raises: script 'raises' raised after yield 1: KeyError: 'secret'"
    assert "Traceback" in caplog.text


def test_a_value_that_cannot_be_sent_is_named_with_the_yield(caplog):
    @scripted
    def odd(turn):
        yield turn.text("ok")
        yield turn.tool("a", {"what": object()})

    chunks, failure = failing(odd, caplog)
    assert chunks[-1] == MASKED
    assert failure.startswith("odd: script 'odd', yield 2: ")


def test_together_takes_calls_only(caplog):
    @scripted
    def odd(turn):
        yield turn.together(turn.text("no call"))

    assert "together() takes calls" in failing(odd, caplog)[1]


def test_a_script_that_changes_between_two_plays_is_told_to_be_pure(caplog):
    plays = []

    @scripted
    def moody(turn):
        plays.append(1)
        yield turn.client_tool("one" if len(plays) == 1 else "other", {})

    failure = failing(moody, caplog, answer=1)[1]
    assert "made call-0-1 a call of 'other', and before it was one of 'one'" in failure


def test_a_script_that_forgets_the_decided_call_is_told_to_be_pure(caplog):
    plays = []

    @scripted
    def forgetful(turn):
        plays.append(1)
        if len(plays) == 1:
            yield turn.client_tool("one", {})
        yield turn.text("other")

    assert "A script must do the same each time it is played" in failing(forgetful, caplog, answer=1)[1]


def test_a_function_without_yield_is_refused_at_once():
    with pytest.raises(ScriptError, match="'says' is without a yield: a script is a plain function"):

        @scripted
        def says(turn):
            return turn.text("x")


def test_an_async_script_is_refused_at_once():
    with pytest.raises(ScriptError, match="'says' is an async one"):

        @scripted
        async def says(turn):
            yield turn.text("x")


# ── the agent ──────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_scripted_agent_is_an_agent_with_a_name_a_title_and_suggestions():
    @scripted(title="天气", suggestions=["杭州？"], client_tools={"pick": False, "ask": ClientTool(interactive=True)})
    def weather(turn):
        """Tells the weather."""
        yield turn.text("x")

    assert isinstance(weather, Agent)
    assert (weather.name, weather.title, weather.suggestions) == ("weather", "天气", ("杭州？",))
    assert weather.client_tools == {"pick": ClientTool(interactive=False), "ask": ClientTool(interactive=True)}
    assert weather.__doc__ == "Tells the weather."
    assert repr(weather) == "<scripted agent 'weather': 天气>"


def test_client_tools_that_were_not_declared_become_known_when_they_are_called():
    @scripted
    def asks(turn):
        yield turn.client_tool("pick", {})

    assert asks.client_tools == {}
    once(asks)
    assert asks.client_tools == {"pick": ClientTool(interactive=True)}
