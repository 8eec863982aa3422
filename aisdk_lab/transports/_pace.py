"""When the next chunk of a recording is due: a position that moves with a clock, at a speed, and can stand still.

Stage: transports. The clock is passed in, so that a test moves it; nothing here knows chunks.
"""

from __future__ import annotations

import asyncio
import math
import time
from typing import Protocol

_NEAR_MS = 0.001
"""Nearer than this is there: a rest of 1e-13 ms would be slept for ever, because it adds nothing to the clock."""


class Clock(Protocol):
    """Seconds that pass."""

    def now_s(self) -> float:
        """Monotonic seconds."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Come back after so many seconds."""
        ...


class RealClock:
    """The interpreter's monotonic clock and the running loop's sleep."""

    def now_s(self) -> float:
        """Monotonic seconds."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Come back after so many seconds."""
        await asyncio.sleep(seconds)


class Pace:
    """A position in milliseconds; `math.inf` as the speed reaches every place at once. Lives on one loop."""

    def __init__(self, clock: Clock, speed: float) -> None:
        self._clock = clock
        self._speed = speed
        self._position_ms = 0.0
        self._since_s: float | None = None  # when the position was last taken; None while it stands still
        self._changed = asyncio.Event()
        self.reached_ms = 0.0
        """The place that was reached last: the time of the chunk that is being shown, also while skipping."""

    @property
    def is_playing(self) -> bool:
        """True while the position moves."""
        return self._since_s is not None

    @property
    def speed(self) -> float:
        """Milliseconds of the recording in one of the clock's; `math.inf` for all at once."""
        return self._speed

    @property
    def position_ms(self) -> float:
        """Where we are. At infinite speed: the place that was reached last."""
        if self._since_s is None or math.isinf(self._speed):
            return self._position_ms
        return self._position_ms + (self._clock.now_s() - self._since_s) * 1000 * self._speed

    def play(self) -> None:
        """Move on from where we are."""
        self._take_position()
        self._since_s = self._clock.now_s()
        self._tell()

    def pause(self) -> None:
        """Stand still."""
        self._take_position()
        self._since_s = None
        self._tell()

    def go(self, position_ms: float) -> None:
        """Be somewhere else, in the same state."""
        self._position_ms = self.reached_ms = position_ms
        if self._since_s is not None:
            self._since_s = self._clock.now_s()
        self._tell()

    def set_speed(self, speed: float) -> None:
        """Move faster or slower from here on. Raises `ValueError` unless it is positive."""
        if not speed > 0:
            raise ValueError(f"the speed must be positive, got {speed!r}; 'max' shows all at once")
        self._take_position()
        self._speed = speed
        self._tell()

    async def reach(self, place_ms: float) -> None:
        """Come back when the position is at `place_ms`; at once when it is behind us."""
        while (missing_ms := place_ms - self.position_ms) > _NEAR_MS:
            self._changed.clear()
            if self._since_s is None:
                await self._changed.wait()
            elif math.isinf(self._speed):
                self._position_ms = place_ms
            else:
                await self._sleep(missing_ms / self._speed / 1000)
        self.reached_ms = max(self.reached_ms, place_ms)

    async def _sleep(self, seconds: float) -> None:
        """Sleep, or until somebody changed something."""
        waits = [asyncio.ensure_future(self._clock.sleep(seconds)), asyncio.ensure_future(self._changed.wait())]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()

    def _take_position(self) -> None:
        self._position_ms = self.position_ms
        if self._since_s is not None:
            self._since_s = self._clock.now_s()

    def _tell(self) -> None:
        self._changed.set()
