"""The writer says legal streams, and nothing else."""

from __future__ import annotations

import pytest

from aisdk_lab.errors import ChunkError
from aisdk_lab.ui_stream.writer import ChunkWriter


def test_blocks_and_steps_are_closed_by_what_follows_them() -> None:
    say = ChunkWriter()
    chunks = [
        *say.start("m1"),
        *say.start_step(),
        *say.reasoning("想"),
        *say.text("你"),
        *say.text("好"),
        *say.tool_input("c1", "w", {"a": 1}),
        *say.tool_output("c1", 5),
        *say.start_step(),
        *say.text("done"),
        *say.finish("stop"),
    ]
    assert chunks == [
        {"type": "start", "messageId": "m1"},
        {"type": "start-step"},
        {"type": "reasoning-start", "id": "reasoning-0"},
        {"type": "reasoning-delta", "id": "reasoning-0", "delta": "想"},
        {"type": "reasoning-end", "id": "reasoning-0"},
        {"type": "text-start", "id": "txt-0"},
        {"type": "text-delta", "id": "txt-0", "delta": "你"},
        {"type": "text-delta", "id": "txt-0", "delta": "好"},
        {"type": "text-end", "id": "txt-0"},
        {"type": "tool-input-available", "toolCallId": "c1", "toolName": "w", "input": {"a": 1}},
        {"type": "tool-output-available", "toolCallId": "c1", "output": 5},
        {"type": "finish-step"},
        {"type": "start-step"},
        {"type": "text-start", "id": "txt-1"},
        {"type": "text-delta", "id": "txt-1", "delta": "done"},
        {"type": "text-end", "id": "txt-1"},
        {"type": "finish-step"},
        {"type": "finish", "finishReason": "stop"},
    ]


def test_an_output_for_an_unknown_call_is_refused_with_what_may_follow() -> None:
    say = ChunkWriter()
    say.start()
    with pytest.raises(ChunkError, match="call 'c9' is not known; what may follow: tool-input-start"):
        say.tool_output("c9", 1)


def test_a_settled_call_takes_nothing_more_but_a_preliminary_one_does() -> None:
    say = ChunkWriter(known_calls={"c1": "input-available"})
    say.tool_output("c1", 1, preliminary=True)
    say.tool_output("c1", 2)
    with pytest.raises(ChunkError, match="call 'c1' is output-available; what may follow: nothing"):
        say.tool_output("c1", 3)


def test_nothing_follows_the_end() -> None:
    say = ChunkWriter()
    say.start()
    say.finish("stop")
    with pytest.raises(ChunkError, match="the stream has ended"):
        say.data("plan", {})


def test_text_needs_a_step_and_a_value_its_type() -> None:
    say = ChunkWriter()
    with pytest.raises(ChunkError, match="no step is open"):
        say.text("x")
    with pytest.raises(ChunkError, match="expected one of stop, length"):
        say.finish("because")
