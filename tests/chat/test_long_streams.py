"""What a chunk costs does not grow with what came before: counted, not timed."""

from __future__ import annotations

from typing import Any

import pytest

from aisdk_lab.chat import Chat, ChatEvent
from aisdk_lab.loopback import lab_loop
from aisdk_lab.reducer.growing_message import GrowingMessage
from tests.chat.canned import Canned

DELTAS = 20_000


def stream(deltas: int, parts: int = 1) -> list[dict[str, Any]]:
    delta = {"type": "text-delta", "id": "t", "delta": "x"}
    block = [{"type": "text-start", "id": "t"}, *[delta] * (deltas // parts), {"type": "text-end", "id": "t"}]
    return [{"type": "start", "messageId": "m"}, *block * parts, {"type": "finish", "finishReason": "stop"}]


@pytest.mark.parametrize("parts", [1, 1_000])
def test_no_chunk_puts_the_whole_message_together(monkeypatch: pytest.MonkeyPatch, parts: int):
    built: list[int] = []
    put_together = GrowingMessage.message
    monkeypatch.setattr(GrowingMessage, "message", lambda self: built.append(len(self)) or put_together(self))
    chat, events = Chat(Canned(stream(DELTAS, parts))), list[ChatEvent]()
    chat.subscribe(events.append)
    outcome = chat.send("hi")
    assert (len(outcome.text), len(outcome.message["parts"])) == (DELTAS, parts)
    assert sum(event.kind == "changes" for event in events) == DELTAS + 2 * parts
    assert sum(built) < 10 * parts + 10  # at the push and at the end
    told = sum(len(str(change.value)) for event in events for change in event.changes)
    assert told < 2 * DELTAS + 200 * parts  # each character once, and each part once


def test_each_event_can_still_be_looked_at(monkeypatch: pytest.MonkeyPatch):
    chat, seen = Chat(Canned(stream(5))), list[str]()
    chat.subscribe(lambda event: seen.append(chat.messages[event.index]["parts"][0]["text"]) if event.changes else None)
    chat.send("hi")
    assert seen == ["", "x", "xx", "xxx", "xxxx", "xxxxx", "xxxxx"]


def test_the_work_of_a_stream_grows_with_its_length_only():
    """Calls into the interpreter's own profiler hook: the same for every delta."""
    import sys

    def calls(deltas: int) -> int:
        async def run() -> int:
            count = 0

            def hook(frame: Any, event: str, arg: Any) -> None:
                nonlocal count
                count += event == "call"

            chat = Chat(Canned(stream(deltas)))
            sys.setprofile(hook)
            try:
                await chat.asend("hi")
            finally:
                sys.setprofile(None)
            return count

        return lab_loop().run(run(), timeout=60)

    small, large = calls(1_000), calls(4_000)
    assert large < 4.2 * small
