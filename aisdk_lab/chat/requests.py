"""The requests of a chat: how one begins, reads its response, ends, and what follows from it by itself.

Stage: chat, on the lab's loop. A turn is a task: one request and those that follow. At most one is under way unless the
chat is strict, where a person may send while a response comes, as with the official client.
Source: `makeRequest` of `ai` 7.0.173 `chat.ts` (spec §6.4, §6.6); recorded: tests/golden/chat.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from typing import Any

from aisdk_lab.chat.answers import has_call_under_way, has_unsent_approval, message_to_continue, waits_for_user
from aisdk_lab.chat.automatic import Automatic
from aisdk_lab.chat.conversation import Response
from aisdk_lab.chat.ending import outcome_of
from aisdk_lab.chat.events import ChatError, ChatEvent, ErrorChunk, Outcome, chat_error
from aisdk_lab.chat.exchange import Exchange
from aisdk_lab.chat.queue import MessageQueue
from aisdk_lab.chat.state import LOG, ChatState
from aisdk_lab.chat.transport import RequestOptions, Resumable, Transport, TransportRequest, Trigger
from aisdk_lab.errors import LabError, TransportError
from aisdk_lab.ui_stream.chunks import UNSET, Chunk
from aisdk_lab.ui_stream.javascript import is_truthy, js_text

OnCall = Callable[[Chunk, RequestOptions], bool]
"""Gets a call whose input is complete; true when a handler was started for it."""


class Requests:
    """Everything of one chat that is under way."""

    def __init__(
        self,
        state: ChatState,
        transport: Transport,
        automatic: Automatic,
        queue: MessageQueue,
        *,
        strict: bool,
        generate_id: Callable[[], str],
        on_call: OnCall,
    ) -> None:
        self._state = state
        self._transport = transport
        self._automatic = automatic
        self._queue = queue
        self._strict = strict
        self._generate_id = generate_id
        self._on_call = on_call
        self.active: Exchange | None = None
        self.turn: asyncio.Task[None] | None = None
        self.unsent_approval: str | None = None
        """Id of the message whose decision was not sent yet."""
        self._turns: set[asyncio.Task[None]] = set()
        self._resuming: Exchange | None = None
        self._cut_off: Response | None = None  # its network went away: a resume can go on with what is open in it
        self._stopping = 0

    @property
    def is_busy(self) -> bool:
        """True while a request, or one that follows from it by itself, is under way."""
        return self.turn is not None and not self.turn.done()

    @property
    def is_in_progress(self) -> bool:
        """True while a response comes, or may be asked for without a person: then messages wait in the queue."""
        is_open = self._state.status in ("submitted", "streaming") or self.active is not None
        return is_open or self._automatic.is_deciding

    # ── how a request begins ───────────────────────────────────────────────────────────────────────────────────────

    def begin(self, trigger: Trigger, message_id: str | None, options: RequestOptions) -> Exchange:
        """Open a request; `run` does the rest."""
        self._cut_off = None
        self._automatic.requested()
        self._state.set_status("submitted")
        conversation, new_id = self._state.conversation, self._generate_id()
        if trigger == "regenerate-message":
            response = conversation.begin_fresh(new_id, strict=self._strict)
        else:
            response = conversation.begin(message_id, new_id, strict=self._strict)
        messages = tuple(conversation.messages)
        self.active = Exchange(TransportRequest(self._state.id, trigger, messages, message_id, options), response)
        return self.active

    def begin_continuing(self, message_id: str | None, options: RequestOptions) -> Exchange:
        """Open a request that carries on with a message, and sends the decision that waits in it, if one does."""
        self._queue.deferred_approval = None
        sends_approval = message_id is not None and message_id == self.unsent_approval
        if sends_approval:
            self.unsent_approval = None
        exchange = self.begin("submit-message", message_id, options)
        exchange.sends_approval = sends_approval
        return exchange

    def begin_without_message(self, options: RequestOptions) -> Exchange:
        """Open the request of a `send` without a message."""
        message_id = self.unsent_approval
        if message_id is None:
            message_id = message_to_continue(self._state.conversation.messages)
        return self.begin_continuing(message_id, options)

    def begin_resumed(self, options: RequestOptions) -> Exchange:
        """Ask for the response that is under way; an earlier such request gives way."""
        messages = tuple(self._state.conversation.messages)
        exchange = Exchange(TransportRequest(self._state.id, "resume-stream", messages, None, options))
        if self._resuming is not None:
            self._resuming.abort()
        self._resuming = exchange
        return exchange

    def begin_from_queue(self, stops: int | None = None, *, skip_waiting: bool = False) -> Exchange | None:
        """Open the request of the next message of the queue, if it may go: every way to idleness ends here.

        `stops` is how often the chat had been stopped when the caller began: a stop since then sends nothing.
        """
        queue, stopped = self._queue, stops is not None and stops != self._automatic.stops
        if queue.is_paused or self.is_in_progress or self._stopping or stopped:
            return None
        last = self._state.conversation.last
        deferred, queue.deferred_approval = queue.deferred_approval, None
        if deferred is not None and has_unsent_approval(last):
            return self.begin_without_message(deferred)
        if not queue or (not skip_waiting and waits_for_user(last)):
            return None
        message, options = queue.take()
        self._state.conversation.push(message)
        return self.begin("submit-message", None, options)

    def resume_queue(self, options: RequestOptions, *, skip_waiting: bool) -> Exchange | None:
        """Open what a person's sending sets going: a decision that was not sent goes before the queue."""
        self._queue.is_paused = False
        if has_unsent_approval(self._state.conversation.last):
            if not self.is_in_progress:
                return self.begin_without_message(options)
            self._queue.deferred_approval = options
        return self.begin_from_queue(skip_waiting=skip_waiting)

    # ── a turn ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def start(self, exchange: Exchange) -> asyncio.Task[None]:
        """Run a request, and those that follow from it by themselves, as a task; it raises what a predicate raises."""
        self.turn = exchange.turn = asyncio.get_running_loop().create_task(self._run(exchange))
        self._turns.add(self.turn)
        self.turn.add_done_callback(self._turns.discard)
        return self.turn

    async def _run(self, exchange: Exchange | None) -> None:
        sent: list[str] = []
        try:
            while exchange is not None:
                if exchange.sends_approval and exchange.request.message_id is not None:
                    sent.append(exchange.request.message_id)
                turn = exchange.turn
                exchange = await self._next(exchange) if await self._exchange(exchange) else None
                if exchange is not None:
                    exchange.turn = turn
        finally:
            if sent and self._state.status == "error" and self.unsent_approval is None:
                self.unsent_approval = sent[-1]  # the request failed: the decision is still unsent

    async def _next(self, done: Exchange) -> Exchange | None:
        """What follows from a response that ended well."""
        stops, is_stopping = self._automatic.stops, self._stopping
        last = self._state.conversation.last
        message_id = None if last is None else last["id"]
        if (
            await self._automatic.decide(message_id)
            and not (is_stopping or self._stopping)
            and self._automatic.take_round()
        ):
            last = self._state.conversation.last
            return self.begin("submit-message", None if last is None else last["id"], done.request.options)
        return self.begin_from_queue(stops)

    async def stop(self) -> None:
        """End what is under way; what came stays, and the queue waits for a person."""
        self._stopping += 1
        self._queue.deferred_approval = None
        active = self.active
        under_way = [exchange for exchange in (self._resuming, active) if exchange is not None]
        try:
            for exchange in under_way:
                exchange.abort()
            if not under_way and self.turn is not None and self.turn is not asyncio.current_task():
                self.turn.cancel()  # it is deciding whether to send
            turns = {self.turn, *(exchange.turn for exchange in under_way)} - {None, asyncio.current_task()}
            if turns:
                await asyncio.wait(turns)  # pyright: ignore[reportArgumentType]
            self._queue.is_paused = True
            if active is not None:
                await self._transport.stop(self._state.id)
        finally:
            self._stopping -= 1

    # ── one exchange ───────────────────────────────────────────────────────────────────────────────────────────────

    async def _exchange(self, exchange: Exchange) -> bool:
        """Connect, read and close; true when something may follow from it by itself."""
        source = None
        try:
            if exchange.is_resumed:
                source = await self._reconnect(exchange)
                if source is None:
                    return False
                self._join(exchange)
            error = await self._failure(exchange, self._pump(exchange, source))
            if exchange.is_resumed and self._resuming is not exchange:
                await _breath()
        except asyncio.CancelledError:
            if exchange.response is not None:
                self._close(exchange, None)
            raise
        return self._close(exchange, error)

    async def _failure(self, exchange: Exchange, work: Any) -> ChatError | None:
        """Do the work of an exchange; what went wrong, in the reference's words."""
        try:
            await exchange.do(work)
        except LabError as problem:
            error = chat_error(problem)
        except Exception as problem:  # noqa: BLE001  # a transport is other people's code; logged, and told
            LOG.exception("the exchange of chat %r failed", self._state.id)
            error = chat_error(problem)
        else:
            return None
        if error.name != "AbortError":
            return error
        exchange.is_stopped = True
        return None

    async def _pump(self, exchange: Exchange, joined: AsyncGenerator[Chunk, None] | None) -> None:
        source, is_dropped = joined or self._transport.stream(exchange.request), False
        try:
            async for chunk in source:
                if exchange.is_stopped:
                    return
                if self._receive(exchange, chunk):
                    await asyncio.sleep(0)  # a handler that answers at once does so before the next chunk
        except GeneratorExit:
            is_dropped = True  # the whole chat was, while it waited: nobody can close anything any more
            raise
        finally:
            if not is_dropped:
                await source.aclose()

    def _receive(self, exchange: Exchange, chunk: Chunk) -> bool:
        """Take in one chunk; true when a handler was started."""
        response, kind = exchange.opened, _kind(chunk)
        if kind == "error":
            raise ErrorChunk(js_text(chunk["errorText"]) if "errorText" in chunk else "")
        conversation = self._state.conversation
        shows, starts = conversation.feed(response, chunk)
        if kind.startswith("data-"):
            self._state.emit(ChatEvent(kind="data", chunk=chunk))
        elif kind in ("finish", "abort"):
            exchange.last_words.add(kind)
        if starts:
            self._state.set_status("streaming")
        if shows:
            conversation.publish(response)
        if kind == "tool-input-available" and not is_truthy(chunk.get("providerExecuted", UNSET)):
            self._state.emit(ChatEvent(kind="tool_call", chunk=chunk))
            return self._on_call(chunk, exchange.request.options)
        return False

    def _close(self, exchange: Exchange, error: ChatError | None) -> bool:
        """End the response: status, then the outcome (spec §6.4, steps 6 and 7)."""
        response, state = exchange.opened, self._state
        is_current = not exchange.is_resumed or self._resuming is exchange
        error = error if is_current else None
        if is_current:
            self._keep(response, error)
            if error is None:
                state.set_status("ready")
            else:
                state.fail(error)
        message = response.reducer.message
        is_interrupted = response.reducer.finish_reason == "interrupted"
        is_well = error is None and not exchange.is_stopped
        self._automatic.ended(message["id"], interrupted=is_interrupted, well=is_well)
        exchange.outcome = state.outcome = outcome_of(exchange, message, error, self._transport.client_tools)
        state.emit(ChatEvent(kind="finish", outcome=state.outcome))
        if is_interrupted or not is_well:
            self._queue.is_paused = True
        if self.active is exchange:
            self.active = None
        self._end_resume(exchange)
        return is_well and is_current and not is_interrupted

    def _keep(self, response: Response, error: ChatError | None) -> None:
        """Keep a response whose network went away for a resume."""
        if error is not None and error.is_disconnect:
            self._cut_off = response
        elif self._cut_off is response:
            self._cut_off = None

    # ── joining a response that is under way ───────────────────────────────────────────────────────────────────────

    async def _reconnect(self, exchange: Exchange) -> AsyncGenerator[Chunk, None] | None:
        """The stream to join; `None`, and nothing under way, when there is none, a stop came first, or it failed."""
        found: list[AsyncGenerator[Chunk, None] | None] = []

        async def connect() -> None:
            found.append(await _resumable(self._transport).reconnect(exchange.request))

        error = await self._failure(exchange, connect())
        source = found[0] if found else None
        is_current = self._resuming is exchange
        if source is not None and not exchange.is_stopped and is_current:
            return source
        if source is not None:
            await source.aclose()
        if is_current and error is not None and not exchange.is_stopped:
            self._state.fail(error)
            message = self._state.conversation.last or {"id": "", "role": "assistant", "parts": []}
            exchange.outcome = Outcome("error", message, is_disconnect=error.is_disconnect, error=error)
        elif is_current:
            self._cut_off = None
            self._state.set_status("ready")
        self._end_resume(exchange)
        return None

    def _join(self, exchange: Exchange) -> None:
        """Begin the response of a resumed stream: what was cut off, the last message, or a new one (spec §6.4, step 3)."""
        conversation, is_replay = self._state.conversation, _resumable(self._transport).resume_is_replay
        self._state.set_status("submitted")
        if self._cut_off is not None:
            exchange.response = self._cut_off
            exchange.response.rejoin("on_first_start" if is_replay else "on_id_change")
        else:
            seed = len(conversation) - 1 if has_call_under_way(conversation.last) else None
            reset = "on_first_start" if is_replay else "on_id_change"
            exchange.response = conversation.begin_resumed(seed, self._generate_id(), reset, strict=self._strict)
        self.active = exchange

    def _end_resume(self, exchange: Exchange) -> None:
        if self._resuming is exchange:
            self._resuming = None


def _kind(chunk: Any) -> str:
    """The chunk's type; empty for what is no chunk at all, which only the reducer can say."""
    kind = chunk.get("type") if isinstance(chunk, dict) else None
    return kind if isinstance(kind, str) else ""


async def _breath() -> None:
    """Let the newer resumption, if it need not wait for a network, tell that it begins before this one tells its end."""
    for _ in range(6):
        await asyncio.sleep(0)


def _resumable(transport: Transport) -> Resumable:
    if isinstance(transport, Resumable):
        return transport
    raise TransportError(f"{transport!r} cannot join a response that is under way: it has no reconnect(); use send()")
