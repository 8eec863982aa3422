"""A clock that a test moves: whoever sleeps wakes in order, at exactly the moment that was asked for."""

from __future__ import annotations

import asyncio

from tests.chat.scripted_transport import let_it_work


class FakeClock:
    def __init__(self) -> None:
        self._now_s = 100.0  # not zero: nothing may take the start for the origin
        self._sleepers: list[tuple[float, asyncio.Future[None]]] = []

    def now_s(self) -> float:
        return self._now_s

    async def sleep(self, seconds: float) -> None:
        sleeper: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._sleepers.append((self._now_s + seconds, sleeper))
        await sleeper

    async def advance_ms(self, milliseconds: float) -> None:
        await let_it_work()
        end_s = self._now_s + milliseconds / 1000
        while due := [sleeper for sleeper in self._sleepers if sleeper[0] <= end_s + 1e-9 and not sleeper[1].done()]:
            first = min(due, key=lambda sleeper: sleeper[0])
            self._sleepers.remove(first)
            self._now_s = max(self._now_s, first[0])
            first[1].set_result(None)
            await let_it_work()
        self._now_s = end_s
        await let_it_work()
