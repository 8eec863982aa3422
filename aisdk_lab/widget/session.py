"""A sidebar's session: the chat's events go out as batches, what a person does comes in as actions.

Stage: widget, on the lab's loop only. Two carriers bring the same content: comm messages through the widget, and an event
stream with posted actions through the Jupyter server's relay. Handlers of either only hand over to this loop, so it does
not matter on which thread they were called, nor how late; an action counts once, by its `actionId`.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from typing import Any

from aisdk_lab.chat import Chat, ChatEvent
from aisdk_lab.chat.core import either_complete
from aisdk_lab.chat.tool_values import check_json
from aisdk_lab.errors import LabError
from aisdk_lab.transports.replay import ReplayPlayer
from aisdk_lab.ui_stream.messages import Part
from aisdk_lab.widget.batcher import Batch, Batcher
from aisdk_lab.widget.document import Document
from aisdk_lab.wire import json_text

LOG = logging.getLogger("aisdk_lab.widget")

Send = Callable[[str], None]
"""Takes one message to the views as JSON text."""

_REMEMBERED = 512
"""Actions whose ids are remembered: a page sends one again within seconds, if at all."""
_QUEUE = 1024
"""Batches that a stream may fall behind; then it is closed and the page asks from where it is."""
_POSITION_S = 0.2
"""How often the position of a replay is told while it plays."""


class ActionProblem(LabError):
    """A message from a view that is no action."""


class Session:
    """One sidebar between its chat and its views."""

    def __init__(self, name: str, chat: Chat, document: Document, *, player: ReplayPlayer | None = None) -> None:
        self.name = name
        self.chat = chat
        self.document = document
        self.client_tools: Callable[[], Mapping[str, Any] | None] = lambda: chat.transport.client_tools
        self.on_run_end: Callable[[], None] = lambda: None
        """Called when an exchange has ended, after its last batch went out."""
        self._player = player
        self._loop = chat.lab.loop
        self._batcher = Batcher(self._send, now_s=self._loop.time, call_later=self._loop.call_later)
        self._comm: Send | None = None
        self._streams: set[asyncio.Queue[str | None]] = set()
        self._seen: OrderedDict[str, None] = OrderedDict()
        self._tasks: set[asyncio.Task[None]] = set()
        self._position_timer: asyncio.TimerHandle | None = None
        self._unsubscribe: Callable[[], None] | None = None
        self.is_closed = False

    def start(self, comm: Send | None) -> None:
        """Begin to listen to the chat; `comm` takes what goes to the views by comm."""
        self._comm = comm
        self._unsubscribe = self.chat.subscribe(self._on_event)
        if self._player is not None:
            self._player.on_change = self._on_replay_change

    async def close(self) -> None:
        """Stop what runs, end the streams, forget everything. Idempotent."""
        if self.is_closed:
            return
        self.is_closed = True
        if self._unsubscribe is not None:
            self._unsubscribe()
        if self._player is not None:
            await self._player.close()
        if self._position_timer is not None:
            self._position_timer.cancel()
        for task in tuple(self._tasks):
            task.cancel()
        self._batcher.close()
        self._comm = None
        for stream in tuple(self._streams):
            stream.put_nowait(None)

    # ── kernel → views ─────────────────────────────────────────────────────────────────────────────────────────────

    def _on_event(self, event: ChatEvent) -> None:
        self.document.on_event(event)
        if event.kind in ("tool_call", "finish"):
            self.document.know_client_tools(self.client_tools())
        self.push()
        if event.kind == "finish":
            self._batcher.flush()
            self.on_run_end()

    def push(self) -> None:
        """Give what changed in the document to the views."""
        self._batcher.push(self.document.drain())

    def set(self, path: list[str | int], value: Any) -> None:
        """Change a value of the document outside the messages, and tell it."""
        self.document.set(path, value)
        self.push()

    def remove(self, path: list[str | int]) -> None:
        """Remove a value of the document outside the messages, and tell it."""
        self.document.remove(path)
        self.push()

    def _send(self, batch: Batch) -> None:
        if self._comm is not None:
            self._comm(batch.text)
        for stream in tuple(self._streams):
            if stream.full():
                self._end_stream(stream)
            else:
                stream.put_nowait(batch.text)

    def _end_stream(self, stream: asyncio.Queue[str | None]) -> None:
        self._streams.discard(stream)
        while not stream.empty():
            stream.get_nowait()
        stream.put_nowait(None)

    def _snapshot(self) -> str:
        self._batcher.flush()  # what waits is in the document already, so it must not come after the snapshot
        body = json_text.write(self.document.value)
        return f'{{"type":"snapshot","seq":{self._batcher.seq},"document":{body}}}'

    def _missing(self, seq: int) -> list[str]:
        batches = self._batcher.since(seq)
        return [self._snapshot()] if batches is None else [batch.text for batch in batches]

    def sync(self, seq: int) -> None:
        """Answer a view by comm that has everything up to `seq`: with the batches it misses, or a snapshot."""
        texts = self._missing(seq)
        if self._comm is None:
            return
        for text in texts:
            self._comm(text)
        if not texts:
            self._batcher.speak()

    async def events(self, seq: int) -> AsyncGenerator[str, None]:
        """Everything after `seq`, then what happens: the messages of one event stream."""
        stream: asyncio.Queue[str | None] = asyncio.Queue(_QUEUE)
        texts = self._missing(seq)
        self._streams.add(stream)  # in one step with the list, so that nothing falls between the two
        try:
            for text in texts:
                yield text
            while (text := await stream.get()) is not None:
                yield text
        finally:
            self._streams.discard(stream)

    # ── views → kernel ─────────────────────────────────────────────────────────────────────────────────────────────

    def receive(self, message: Any) -> None:
        """Take one message of a view. Raises `ActionProblem` for what is none; a known `actionId` does nothing."""
        if not isinstance(message, dict):
            raise ActionProblem(f"expected an object, got a {type(message).__name__}")
        try:
            check_json(
                message
            )  # by comm anything may come: what is too deep for us would fail on the way, again and again
        except (TypeError, ValueError) as problem:
            self.set(["notice"], str(problem))
            raise ActionProblem(f"not an action: {problem}") from problem
        if message.get("type") == "sync":
            seq = message.get("from")
            self.sync(seq if isinstance(seq, int) else 0)
            return
        action = _ACTIONS.get(str(message.get("action"))) if message.get("type") == "action" else None
        action_id = message.get("actionId")
        if action is None or not isinstance(action_id, str) or not action_id:
            known = ", ".join(_ACTIONS)
            raise ActionProblem(f"expected an action ({known}) with its actionId, got {message!r:.200}")
        if self.is_closed or action_id in self._seen:
            return
        work = action(self, message)  # raises before the id is remembered: what was malformed may come again, mended
        self._seen[action_id] = None
        while len(self._seen) > _REMEMBERED:
            self._seen.popitem(last=False)
        self.set(["notice"], None)
        self._begin(work)
        self._loop.call_soon(self._speak)

    def _speak(self) -> None:
        """The view hears that its action has arrived, also when nothing changed by it."""
        if not self.is_closed:
            self._batcher.speak()

    def _begin(self, work: Awaitable[object]) -> None:
        task = self._loop.create_task(self._guarded(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _guarded(self, work: Awaitable[object]) -> None:
        try:
            await work
        except (LabError, ValueError) as problem:
            self.set(["notice"], str(problem))
        except Exception:
            LOG.exception("an action in sidebar %r failed", self.name)

    def _live(self, work: Callable[[], Awaitable[object]]) -> Awaitable[object]:
        """In a recording there is nobody to answer: such an action does nothing."""
        return _nothing() if self._player is not None else work()

    def _do_send(self, message: Mapping[str, Any]) -> Awaitable[object]:
        text = _string(message, "text")
        return self._live(lambda: self.chat.asend(text))

    def _do_stop(self, _message: Mapping[str, Any]) -> Awaitable[object]:
        return self._live(self.chat.astop)

    def _do_retry(self, _message: Mapping[str, Any]) -> Awaitable[object]:
        # Answers that never arrived are sent again; anything else is asked anew.
        if either_complete(self.chat.messages):
            return self._live(self.chat.asend)
        return self._live(self.chat.aregenerate)

    def _do_clear_error(self, _message: Mapping[str, Any]) -> Awaitable[object]:
        self.chat.clear_error()
        return _nothing()

    def _do_approve(self, message: Mapping[str, Any]) -> Awaitable[object]:
        approval_id, approved, reason = _string(message, "approvalId"), message.get("approved"), message.get("reason")
        if not isinstance(approved, bool):
            raise ActionProblem(f"expected approved to be true or false, got {approved!r:.80}")
        words = reason if isinstance(reason, str) and reason else None

        def asks(part: Part) -> bool:
            return (part.get("approval") or {}).get("id") == approval_id

        answer = self.chat.aadd_tool_approval_response
        return self._live(
            lambda: self._unless_settled(asks, "approval-requested", lambda: answer(approval_id, approved, words))
        )

    def _do_tool_output(self, message: Mapping[str, Any]) -> Awaitable[object]:
        return self._answer(_string(message, "toolCallId"), message.get("output"), None)

    def _do_tool_error(self, message: Mapping[str, Any]) -> Awaitable[object]:
        return self._answer(_string(message, "toolCallId"), None, _string(message, "errorText"))

    def _answer(self, call_id: str, output: Any, error_text: str | None) -> Awaitable[object]:

        def is_it(part: Part) -> bool:
            return part.get("toolCallId") == call_id

        answer = self.chat.aadd_tool_output
        return self._live(
            lambda: self._unless_settled(
                is_it, "input-available", lambda: answer(call_id, output, error_text=error_text)
            )
        )

    async def _unless_settled(
        self, matches: Callable[[Part], bool], open_state: str, answer: Callable[[], Awaitable[object]]
    ) -> None:
        """Answer a call unless it was answered already: of two views, or two clicks, the first one counts.

        An answer to a call that nobody knows goes on to the chat, which says what waits instead.
        """
        states = [part["state"] for message in self.chat.messages for part in message["parts"] if matches(part)]
        if not states or open_state in states:
            await answer()

    # ── a recording ────────────────────────────────────────────────────────────────────────────────────────────────

    def _do_replay(self, message: Mapping[str, Any]) -> Awaitable[object]:
        player, command, speed = self._player, message.get("command"), message.get("speed")
        if player is None:
            return _nothing()
        if speed is not None:
            if not isinstance(speed, int | float) or isinstance(speed, bool):
                raise ActionProblem(f"expected a speed, got {speed!r:.80}")
            try:
                player.set_speed(speed or "max")
            except ValueError as problem:
                raise ActionProblem(str(problem)) from problem
        if command == "seek":
            place = message.get("positionMs")
            if not isinstance(place, int | float) or isinstance(place, bool):
                raise ActionProblem(f"expected positionMs, got {place!r:.80}")
            return player.seek(float(place))
        if command == "pause":
            player.pause()
            return _nothing()
        if command == "play":
            return player.play()
        if command == "restart":
            return player.restart()
        raise ActionProblem(f"expected the command play, pause, restart or seek, got {command!r:.80}")

    def _on_replay_change(self) -> None:
        if self._player is None or self.is_closed:
            return
        self.set(["replay"], self._player.state)
        if self._player.state["playing"] and self._position_timer is None:
            self._position_timer = self._loop.call_later(_POSITION_S, self._tell_position)

    def _tell_position(self) -> None:
        self._position_timer = None
        self._on_replay_change()


async def _nothing() -> None:
    """What an action comes to that has nothing to do."""


def _string(message: Mapping[str, Any], key: str) -> str:
    value = message.get(key)
    if not isinstance(value, str):
        raise ActionProblem(f"expected {key} to be a string, got {value!r:.80}")
    return value


_ACTIONS: Mapping[str, Callable[[Session, Mapping[str, Any]], Awaitable[object]]] = {
    "send": Session._do_send,
    "stop": Session._do_stop,
    "retry": Session._do_retry,
    "clearError": Session._do_clear_error,
    "approve": Session._do_approve,
    "toolOutput": Session._do_tool_output,
    "toolError": Session._do_tool_error,
    "replay": Session._do_replay,
}
