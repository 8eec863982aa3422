"""A recording is played as it was: at its own pace, at another, at once, from anywhere."""

from __future__ import annotations

import copy
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from aisdk_lab.capture import Capture, Request, Response, Segment
from aisdk_lab.importers import load_all
from aisdk_lab.loopback import lab_loop
from aisdk_lab.transports._recording import recording_of
from aisdk_lab.transports.replay import ReplayPlayer
from aisdk_lab.wire import DONE_FRAME, encode_sse, json_text
from tests.chat.scripted_transport import let_it_work
from tests.transports.fake_clock import FakeClock

CAPTURES = Path(__file__).parents[1] / "golden" / "captures"
MS = 1_000_000


def on_loop(test: Callable[[], Coroutine[Any, Any, None]]) -> Callable[[], None]:
    """Run an async test on the lab's loop itself."""

    def run() -> None:
        lab_loop().run(test(), timeout=10)

    run.__name__, run.__doc__ = test.__name__, test.__doc__
    return run


def capture(*timed: tuple[float, dict[str, Any]], messages: Any = (), **fields: Any) -> Capture:
    """A capture with each chunk at its milliseconds, closed 10 ms after the last one."""
    segments = [Segment(round(ms * MS), encode_sse(json_text.write(chunk))) for ms, chunk in timed]
    last_ms = timed[-1][0] if timed else 0.0
    body = json_text.write({"id": "c", "messages": list(messages), "trigger": "submit-message"}).encode()
    return Capture(
        name="made",
        segments=(*segments, Segment(round(last_ms * MS), DONE_FRAME)),
        request=Request("POST", "http://127.0.0.1/api/chat", {}, body),
        response=Response(200, {"content-type": "text/event-stream"}),
        ended_t_ns=round((last_ms + 10) * MS),
        **fields,
    )


HELLO = {"id": "u1", "role": "user", "parts": [{"type": "text", "text": "hello"}]}
WORDS = capture(
    (10, {"type": "start"}),
    (100, {"type": "text-start", "id": "t"}),
    (200, {"type": "text-delta", "id": "t", "delta": "one "}),
    (400, {"type": "text-delta", "id": "t", "delta": "two"}),
    (490, {"type": "text-end", "id": "t"}),
    messages=[HELLO],
)


def text(player: ReplayPlayer) -> str:
    last = player.chat.messages[-1]
    return "".join(part.get("text", "") for part in last["parts"]) if last["role"] == "assistant" else ""


@on_loop
async def test_chunks_come_at_their_recorded_times():
    clock = FakeClock()
    player = ReplayPlayer(WORDS, clock=clock)
    await player.play()
    await let_it_work()
    assert (player.chat.messages, player.chat.status) == ([HELLO], "submitted")
    seen: list[tuple[int, str]] = []
    for _ in range(5):
        await clock.advance_ms(100)
        seen.append((player.state["position_ms"], text(player)))
    assert seen == [(100, ""), (200, "one "), (300, "one "), (400, "one two"), (500, "one two")]
    assert player.chat.outcome is not None
    assert (player.chat.outcome.state, player.state["playing"]) == ("complete", False)


@pytest.mark.parametrize("ended", ["complete", "cut", "interrupted", "error"])
@pytest.mark.parametrize("tail", [b"", b"data: [DONE]", b"data: [DONE]\n\n"], ids=["nothing", "half a DONE", "DONE"])
def test_a_replay_ends_as_its_capture_did(ended: Any, tail: bytes):
    chunks = [{"type": "start"}, {"type": "text-start", "id": "t"}, {"type": "text-delta", "id": "t", "delta": "one"}]
    data = b"".join(encode_sse(json_text.write(chunk)) for chunk in chunks)
    made = Capture(name="made", segments=(Segment(0, data), Segment(1, tail)), ended=ended)

    async def run() -> list[str]:
        player = ReplayPlayer(made, speed="max")
        states: list[str] = []
        for _ in range(2):  # the second time from the start again: the end is not of the first time
            await player.restart()
            await player.wait()
            assert player.chat.outcome is not None
            states += [player.chat.outcome.state, player.chat.status]
        return states

    status = "error" if ended == "error" else "ready"
    assert lab_loop().run(run(), timeout=10) == [made.end_state, status] * 2


@on_loop
async def test_twice_the_speed_is_half_the_time():
    clock = FakeClock()
    player = ReplayPlayer(WORDS, clock=clock, speed=2)
    await player.play()
    await clock.advance_ms(100)
    assert (player.state["position_ms"], text(player)) == (200, "one ")
    player.set_speed(0.5)
    await clock.advance_ms(399)
    assert text(player) == "one "
    await clock.advance_ms(1)
    assert text(player) == "one two"


@on_loop
async def test_at_once_nothing_waits_for_the_clock():
    player = ReplayPlayer(WORDS, clock=FakeClock(), speed="max")
    await player.play()
    await player.wait()
    assert (text(player), player.state) == (
        "one two",
        {"speed": 0, "playing": False, "position_ms": 500, "duration_ms": 500},
    )


@on_loop
async def test_a_pause_stands_still_and_play_goes_on_from_there():
    clock = FakeClock()
    player = ReplayPlayer(WORDS, clock=clock)
    await player.play()
    await clock.advance_ms(250)
    player.pause()
    await clock.advance_ms(5000)
    assert (player.state["position_ms"], player.state["playing"], text(player)) == (250, False, "one ")
    await player.play()
    await clock.advance_ms(149)
    assert text(player) == "one "
    await clock.advance_ms(1)
    assert text(player) == "one two"


@on_loop
async def test_seeking_shows_the_conversation_as_it_was_there():
    clock = FakeClock()
    player = ReplayPlayer(WORDS, clock=clock)
    await player.play()
    await clock.advance_ms(450)
    player.pause()
    await player.seek(210)
    await let_it_work()
    assert (text(player), player.state["position_ms"], player.chat.status) == ("one ", 210, "streaming")
    await player.seek(50)
    await let_it_work()
    assert (player.chat.messages, player.chat.status) == ([HELLO], "submitted")
    await player.seek(10_000)
    await player.wait()
    assert (text(player), player.state["position_ms"]) == ("one two", 500)


@on_loop
async def test_restart_and_play_at_the_end_begin_again():
    clock = FakeClock()
    player = ReplayPlayer(WORDS, clock=clock)
    await player.play()
    await clock.advance_ms(500)
    await player.play()
    await clock.advance_ms(200)
    assert (text(player), player.state["playing"]) == ("one ", True)
    await player.restart()
    await let_it_work()
    assert (player.state["position_ms"], player.chat.messages) == (0, [HELLO])
    await player.close()
    await clock.advance_ms(1000)
    assert player.chat.messages == [HELLO]


@on_loop
async def test_several_captures_are_one_conversation_without_the_time_between():
    approved = load_all(CAPTURES / "approval-approved.json")
    player = ReplayPlayer(approved, clock=FakeClock(), speed="max")
    waiting: list[Any] = []
    player.chat.subscribe(lambda event: waiting.append(event.outcome.state) if event.outcome else None)
    await player.play()
    await player.wait()
    assert waiting == ["waiting", "complete"]
    assert player.chat.messages == approved[-1].messages
    assert player.recording.duration_ms == sum(c.duration_ms or 0 for c in approved)
    first_ms = player.recording.exchanges[0].ends_ms
    await player.seek(first_ms)
    await let_it_work()
    states = [part["state"] for part in player.chat.messages[-1]["parts"] if part["type"].startswith("tool-")]
    assert (states, player.chat.status) == (["approval-responded"], "submitted")
    await player.close()


@pytest.mark.parametrize("path", sorted(CAPTURES.glob("*.json")), ids=lambda path: path.stem)
def test_a_replay_ends_in_the_messages_of_the_capture(path: Path):
    captures = load_all(path)

    async def run() -> tuple[list[Any], list[Any]]:
        player = ReplayPlayer(captures[-1], clock=FakeClock(), speed="max")
        await player.play()
        await player.wait()
        return player.chat.messages, captures[-1].messages

    played, expected = lab_loop().run(run(), timeout=20)
    for message in (*played, *expected):  # a reply without an id of its own gets one from whoever reduces it
        message["id"] = "" if message["id"].startswith("replay-") else message["id"]
    if any(chunk["type"] == "error" for _, chunk in captures[-1].chunks()):
        # The official client stops reading at an error chunk, a capture does not.
        expected[-1]["parts"][len(played[-1]["parts"]) :] = []
    assert played == expected


def test_how_it_broke_is_played_too():
    broken = capture((10, {"type": "start"}), ended="error", ended_text="connection reset")
    refused = Capture(
        name="refused",
        segments=(Segment(MS, b"no such model"),),
        response=Response(500, {"content-type": "text/plain"}),
        protocol="unknown",
    )

    async def run(source: Capture) -> Any:
        player = ReplayPlayer(source, clock=FakeClock(), speed="max")
        await player.play()
        await player.wait()
        return player.chat.error

    error = lab_loop().run(run(broken), timeout=10)
    assert (error.name, error.message) == ("TypeError", "connection reset")
    error = lab_loop().run(run(refused), timeout=10)
    assert (error.name, error.message, error.details) == ("AI_APICallError", "no such model", {"statusCode": 500})


def test_a_recording_may_hold_anything():
    odd = [
        "no message",
        {"role": "user"},
        {"role": "wizard", "parts": []},
        {"role": "assistant", "parts": [{"type": "tool-x"}, {"no": "type"}, 7, {"type": "text", "text": "kept"}]},
    ]
    recording = recording_of([capture((5, {"type": "start"}), messages=odd)])
    kept = {"role": "assistant", "id": "sent-3", "parts": [{"type": "text", "text": "kept"}]}
    assert recording.exchanges[0].messages == (kept,)


def test_a_clock_that_runs_backwards_is_not_followed_and_none_plays_at_once():
    backwards = capture((50, {"type": "start"}), (20, {"type": "text-start", "id": "t"}))
    assert [ms for ms, _ in recording_of([backwards]).exchanges[0].timeline] == [50, 50]
    untimed = Capture(name="untimed", segments=(Segment(None, encode_sse('{"type":"start"}')),))
    assert recording_of([untimed]).duration_ms == 0


def test_frames_that_are_no_chunks_are_findings_of_the_outcome():
    odd = Capture(name="odd", segments=(Segment(MS, b"data: oops\n\ndata: [DONE]\n\n"),))

    async def run() -> Any:
        player = ReplayPlayer(odd, clock=FakeClock(), speed="max")
        await player.play()
        await player.wait()
        return player.chat.outcome

    outcome = lab_loop().run(run(), timeout=10)
    assert (outcome.state, [finding[:8] for finding in outcome.findings]) == ("complete", ["frame 0:"])


def test_nothing_to_play_and_a_speed_that_is_none_are_refused():
    with pytest.raises(ValueError, match="no capture"):
        ReplayPlayer([])
    for speed in (0, -1, float("nan")):
        with pytest.raises(ValueError, match="must be positive"):
            ReplayPlayer(copy.copy(WORDS), speed=speed)


# ── a response that was resumed ─────────────────────────────────────────────────────────────────────────────────────

CUT_OFF = capture(
    (10, {"type": "start", "messageId": "m"}),
    (20, {"type": "text-start", "id": "t"}),
    (30, {"type": "text-delta", "id": "t", "delta": "one "}),
    messages=[HELLO],
    ended="error",
    ended_text="network error",
)


def joined(*timed: tuple[float, dict[str, Any]], status: int = 200) -> Capture:
    """A capture of a GET that joined a response."""
    segments = tuple(Segment(round(ms * MS), encode_sse(json_text.write(chunk))) for ms, chunk in timed)
    asked = Request("GET", "http://127.0.0.1/api/chat/c/stream", {}, None)
    answered = Response(status, {"content-type": "text/event-stream"})
    return Capture(name="joined", segments=segments, request=asked, response=answered, ended_t_ns=100 * MS)


@pytest.mark.parametrize("start_ms", [0, 60])
def test_a_recorded_resumption_goes_on_with_the_message_that_was_cut_off(start_ms: float):
    rest = joined(
        (10, {"type": "start", "messageId": "m"}),
        (10, {"type": "text-start", "id": "t"}),
        (10, {"type": "text-delta", "id": "t", "delta": "one two"}),
        (10, {"type": "text-end", "id": "t"}),
        (10, {"type": "finish"}),
    )

    async def run() -> ReplayPlayer:
        player = ReplayPlayer([CUT_OFF, rest], speed="max")
        await player.seek(start_ms)
        await player.play()
        await player.wait()
        return player

    player = lab_loop().run(run(), timeout=10)
    assert [message["role"] for message in player.chat.messages] == ["user", "assistant"]
    assert (text(player), player.chat.status) == ("one two", "ready")


def test_a_recorded_resumption_may_have_found_nothing():
    async def run() -> ReplayPlayer:
        player = ReplayPlayer([WORDS, joined(status=204)], speed="max")
        await player.play()
        await player.wait()
        return player

    assert text(lab_loop().run(run(), timeout=10)) == "one two"


def test_a_recording_cannot_be_resumed_by_hand():
    player = ReplayPlayer(WORDS, speed="max")
    outcome = player.chat.resume()
    assert outcome is not None
    assert outcome.error is not None
    assert "nobody resumed a response there" in outcome.error.message
