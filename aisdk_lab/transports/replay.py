"""Replay: a chat whose agent is a recording, played at the recorded speed, at another, or at once.

Stage: transports. `ReplayTransport` gives the chunks when they are due; `ReplayPlayer` is the person and the agent: it sets
the history of each exchange and asks. Nothing is sent anywhere, and an answer to a call in a recording changes nothing.
"""

from __future__ import annotations

import asyncio
import copy
import math
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Any, Literal

from aisdk_lab.capture import Capture
from aisdk_lab.chat import Chat, TransportRequest
from aisdk_lab.errors import TransportError
from aisdk_lab.loopback import LabLoop, lab_loop
from aisdk_lab.transports._pace import Clock, Pace, RealClock
from aisdk_lab.transports._recording import Exchange, Recording, as_captures, recording_of
from aisdk_lab.ui_stream.chunks import Chunk

Speed = float | Literal["max"]
"""1 is as recorded, 2 twice as fast, `"max"` at once."""

_BREATH = 200
"""Chunks after which a replay that does not wait lets others work."""


class ReplayTransport:
    """The exchanges of a recording as responses; `exchange` says which one the next request gets."""

    suggestions: Sequence[str] = ()
    client_tools = None
    resume_is_replay = True
    """As the official transport takes it: what it joins begins with a `start`, or goes on without one."""

    def __init__(self, recording: Recording, pace: Pace) -> None:
        self.recording = recording
        self.pace = pace
        self.exchange: Exchange | None = None

    @property
    def title(self) -> str:
        """The name of the first capture."""
        return self.recording.title

    async def stream(self, request: TransportRequest) -> AsyncGenerator[Chunk, None]:
        """The chunks of `exchange`, each when it is due."""
        if self.exchange is not None:
            async for chunk in self._played(self.exchange, request):
                yield chunk

    async def reconnect(self, request: TransportRequest) -> AsyncGenerator[Chunk, None] | None:
        """The chunks of `exchange` when it is one that joined a response; `None` when nothing was there to join.

        Raises `TransportError` otherwise: a recording holds the requests that were made, and no others.
        """
        exchange = self.exchange
        if exchange is None or not exchange.is_resumed:
            raise TransportError("this is a recording, and nobody resumed a response there: play it instead")
        if exchange.is_nothing:
            return None
        if exchange.failure is not None and not exchange.timeline:
            raise exchange.failure
        return self._played(exchange, request)

    async def _played(self, exchange: Exchange, request: TransportRequest) -> AsyncGenerator[Chunk, None]:
        request.receipt.findings.extend(exchange.findings)
        for number, (place_ms, chunk) in enumerate(exchange.timeline):
            await self.pace.reach(place_ms)
            yield copy.deepcopy(chunk)
            if number % _BREATH == _BREATH - 1:
                await asyncio.sleep(0)
        await self.pace.reach(exchange.ends_ms)
        request.receipt.done, request.receipt.interrupted = exchange.done, exchange.interrupted
        if exchange.failure is not None:
            raise exchange.failure

    async def stop(self, chat_id: str) -> None:
        """Nothing runs anywhere."""


class ReplayPlayer:
    """Plays captures through a chat. Its methods are called on the lab's loop.

    `on_change` is called whenever something that `state` tells has changed, except for the position, which moves.
    """

    def __init__(
        self,
        source: Capture | Sequence[Capture],
        *,
        speed: Speed = 1.0,
        clock: Clock | None = None,
        lab: LabLoop | None = None,
    ) -> None:
        captures = as_captures(source)
        self.recording = recording_of(captures)
        self.last: Capture = captures[-1]
        """The last exchange: its messages are how the conversation ends."""
        self._pace = Pace(clock or RealClock(), 1.0)
        self.set_speed(speed)
        self._transport = ReplayTransport(self.recording, self._pace)
        self._index = 0
        self._run: asyncio.Task[None] | None = None
        self._control = asyncio.Lock()
        self.on_change: Callable[[], None] = lambda: None
        self.chat = Chat(
            self._transport,
            send_automatically=False,
            generate_id=lambda: f"replay-{self._index}",  # the same after each seek, so that a view keeps its rows
            lab=lab or lab_loop(),
        )

    @property
    def state(self) -> dict[str, Any]:
        """`{speed, playing, position_ms, duration_ms}` as the document has it; the speed 0 stands for "at once"."""
        pace = self._pace
        return {
            "speed": 0 if math.isinf(pace.speed) else pace.speed,
            "playing": pace.is_playing,
            "position_ms": round(min(pace.position_ms, self.recording.duration_ms)),
            "duration_ms": round(self.recording.duration_ms),
        }

    @property
    def shown_ns(self) -> int:
        """The recorded time of the chunk that is being shown: the clock of durations in a replay."""
        return round(self._pace.reached_ms * 1e6)

    def set_speed(self, speed: Speed) -> None:
        """Go on at another speed. Raises `ValueError` unless it is positive or "max"."""
        self._pace.set_speed(math.inf if speed == "max" else float(speed))

    async def play(self) -> None:
        """Go on from where we are; from the start when we are at the end."""
        if self._run is None or (self._run.done() and self._pace.position_ms >= self.recording.duration_ms):
            await self.restart()
            return
        self._pace.play()
        self.on_change()

    def pause(self) -> None:
        """Stand still."""
        self._pace.pause()
        self.on_change()

    async def restart(self) -> None:
        """Play from the start."""
        await self._go(0.0, is_restart=True)
        self._pace.play()
        self.on_change()

    async def seek(self, position_ms: float) -> None:
        """Show the conversation as it was at a position, and go on from there if we were playing."""
        await self._go(min(max(0.0, position_ms), self.recording.duration_ms), is_restart=False)
        self.on_change()

    async def close(self) -> None:
        """End the playing; the chat stays as it is."""
        self._pace.pause()
        async with self._control:
            await self._halt()

    async def wait(self) -> None:
        """Come back when what is being played has come to its end."""
        while (run := self._run) is not None and not run.done():
            await asyncio.wait([run])

    async def _go(self, position_ms: float, *, is_restart: bool) -> None:
        async with self._control:  # two seeks in a row: one after the other
            await self._halt()
            if is_restart:
                self.chat.set_messages(())
            self._pace.go(position_ms)
            # Durations are taken from the chunks' own times, also of those that are skipped.
            self._pace.reached_ms = self.recording.exchanges[self.recording.index_at(position_ms)].begins_ms
            self._run = asyncio.get_running_loop().create_task(self._play_from(self.recording.index_at(position_ms)))

    async def _halt(self) -> None:
        run, self._run = self._run, None
        if run is not None and not run.done():
            run.cancel()
            await asyncio.wait([run])
        await self.chat.astop()

    async def _play_from(self, index: int) -> None:
        for number, exchange in enumerate(self.recording.exchanges[index:], start=index):
            self._index = number
            await self._pace.reach(exchange.begins_ms)
            if number == index or not exchange.is_resumed:  # a resumption goes on with what is shown
                self.chat.set_messages(self.recording.history_of(number))
            self._transport.exchange = exchange
            await (self.chat.aresume() if exchange.is_resumed else self.chat.asend())
        self._pace.pause()
        self.on_change()
