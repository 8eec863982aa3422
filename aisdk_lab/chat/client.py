"""Chat: the Python twin of the SDK's chat client (`AbstractChat`).

Stage: chat, where bytes turn round: a transport brings chunks up, the reducer makes messages of them, answers go down
with the next request. The sidebar only projects the events of a `Chat`.

All state lives on the lab's loop (core.py). Methods without a leading `a` hand over and wait, from any thread (a notebook
cell too); their twins with `a` are awaited, on whichever loop. Nothing ever waits for a person: `send` returns when the
exchange has ended, or when a call waits for an answer.
Source: `ai` 7.0.173 `chat.ts` (spec §6); recorded: tests/golden/chat. Different on purpose, `strict` or not: handlers of tool
calls are tasks, so that one may await its own answer; automatic sending has a ceiling.
"""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable, Coroutine, Iterable, Mapping
from typing import Any, TypeVar

from aisdk_lab.card import html_card
from aisdk_lab.chat.core import MAX_ROUNDS, ChatCore, Predicate, Subscriber, new_id
from aisdk_lab.chat.events import ChatError, ChatStatus, Outcome
from aisdk_lab.chat.handlers import HANDLER_OF, Handler
from aisdk_lab.chat.transport import RequestOptions, Transport
from aisdk_lab.loopback import LabLoop, lab_loop
from aisdk_lab.strings import word
from aisdk_lab.ui_stream.messages import Message, text_of

Result = TypeVar("Result")
_TWINS = {"wait": "await_idle"}
"""Awaited twins that are not called `a` and the name."""


class Chat:
    """One conversation with an agent, over a transport.

    `send_automatically`: True sends on when every open call is answered and one of them was answered here, False never;
    a function of the messages decides alone, as in the SDK (whose helpers do not ask who executed a tool: spec §6.9); at
    most `max_rounds` times in a row, and not after an answer that changed nothing. `on_tool_call` gets each call whose
    input is complete (a plain function in a thread, an async one on the lab's loop); a value that is not `None`
    answers the call, an exception answers it with an error.
    `queue` is the SDK's `experimental_queue`: messages that are sent while an answer comes, or while a call waits, wait their
    turn (`queued_messages`).

    `strict` behaves as the official client does, where it is silent or wrong too: a chunk out of order ends the answer
    with its error, a second message breaks into the answer under way, an answer to a call that does not wait does
    nothing. Without it the chunk becomes a finding, the message is refused, and the answer raises and names what waits.
    """

    def __init__(
        self,
        transport: Transport,
        *,
        id: str | None = None,  # the name that the SDK gives it
        messages: Iterable[Message] = (),
        on_tool_call: Handler | None = None,
        send_automatically: bool | Predicate = True,
        max_rounds: int = MAX_ROUNDS,
        queue: bool = False,
        strict: bool = False,
        generate_id: Callable[[], str] = new_id,
        lab: LabLoop | None = None,
    ) -> None:
        self._lab = lab or lab_loop()
        self._core = ChatCore(
            id if id is not None else generate_id(),
            transport,
            messages=messages,
            on_tool_call=on_tool_call,
            send_automatically=send_automatically,
            max_rounds=max_rounds,
            queue=queue,
            strict=strict,
            generate_id=generate_id,
        )

    def __repr__(self) -> str:
        state, title = self._core.state, self.transport.title
        return f"Chat({title or state.id!r}, {len(state.conversation)} messages, {state.status!r})"

    def _repr_html_(self) -> str:
        messages = self.messages
        rows = {f"{each['role']} {number}": text_of(each)[:240] for number, each in enumerate(messages[-6:], 1)}
        return html_card(
            self.transport.title or self.id,
            word(f"view.status.{self.status}"),
            word("chat.messages", n=len(messages)),
            rows,
        )

    # ── reading ────────────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def id(self) -> str:
        """The thread's id on the wire."""
        return self._core.state.id

    @property
    def transport(self) -> Transport:
        """How this chat reaches its agent."""
        return self._core.transport

    @property
    def lab(self) -> LabLoop:
        """The loop on which everything happens."""
        return self._lab

    @property
    def status(self) -> ChatStatus:
        """`ready`, `submitted`, `streaming` or `error`."""
        return self._core.state.status

    @property
    def error(self) -> ChatError | None:
        """Why the status is `error`."""
        return self._core.state.error

    @property
    def outcome(self) -> Outcome | None:
        """How the last exchange ended; `None` before the first one has."""
        return self._core.state.outcome

    @property
    def is_busy(self) -> bool:
        """True while a request, or one that follows from it by itself, is under way."""
        return self._core.requests.is_busy

    @property
    def messages(self) -> list[Message]:
        """A copy of the messages so far."""
        if not self._lab.is_running:
            return copy.deepcopy(self._core.state.conversation.messages)
        return self._on_loop(lambda: copy.deepcopy(self._core.state.conversation.messages))

    def subscribe(self, callback: Subscriber) -> Callable[[], None]:
        """Call `callback(event)` for every event, on the lab's loop; returns what ends it. It must not block."""
        state = self._core.state
        state.subscribers = (*state.subscribers, callback)

        def unsubscribe() -> None:
            state.subscribers = tuple(known for known in state.subscribers if known is not callback)

        return unsubscribe

    # ── requests ───────────────────────────────────────────────────────────────────────────────────────────────────

    def send(
        self,
        message: str | Mapping[str, Any] | None = None,
        *,
        message_id: str | None = None,
        body: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        metadata: Any = None,
    ) -> Outcome:
        """Send a message; wait until the exchange ends or waits for an answer. An interrupt stops it, what came stays.

        `message`: a text, `{text?, files?, metadata?}`, or `{parts, id?, role?, metadata?}`; `None` continues without a
        new message (after an approval, say). `message_id` edits that user message: the history behind it is dropped.
        `body`, `headers` and `metadata` are those of the request, and of the automatic ones that follow.

        With `queue=True` it may return while the message still waits behind a call that waits for a person.

        Raises:
            LabError: an answer is under way; `wait()` for it or `stop()` it. Not when `strict`, nor when it can be queued.
            InvalidArgument: `message_id` names no user message.
        """
        options = RequestOptions(body or {}, headers or {}, metadata)
        return self._block("send", self._core.send(message, message_id, options, HANDLER_OF.get()))

    async def asend(
        self,
        message: str | Mapping[str, Any] | None = None,
        *,
        message_id: str | None = None,
        body: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        metadata: Any = None,
    ) -> Outcome:
        """`send`, awaited."""
        options = RequestOptions(body or {}, headers or {}, metadata)
        return await self._await(self._core.send(message, message_id, options, HANDLER_OF.get()))

    def regenerate(
        self,
        message_id: str | None = None,
        *,
        body: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        metadata: Any = None,
    ) -> Outcome:
        """Ask anew: the last (or the named) assistant message and all behind it are dropped first.

        Raises `InvalidArgument` for an unknown id and in an empty chat, `LabError` while an answer is under way.
        """
        options = RequestOptions(body or {}, headers or {}, metadata)
        return self._block("regenerate", self._core.regenerate(message_id, options, HANDLER_OF.get()))

    async def aregenerate(
        self,
        message_id: str | None = None,
        *,
        body: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        metadata: Any = None,
    ) -> Outcome:
        """`regenerate`, awaited."""
        options = RequestOptions(body or {}, headers or {}, metadata)
        return await self._await(self._core.regenerate(message_id, options, HANDLER_OF.get()))

    def resume(
        self, *, body: Mapping[str, Any] | None = None, headers: Mapping[str, str] | None = None, metadata: Any = None
    ) -> Outcome | None:
        """Join the response that is under way on the far side, and wait as `send` does; `None` when there is none.

        For a page that was loaded anew, or a network that went away (`outcome.is_disconnect`). A far side that cannot
        be asked gives an outcome with the state `error`, and so does one without a door to resume at.
        Raises `LabError` while an answer is under way.
        """
        options = RequestOptions(body or {}, headers or {}, metadata)
        return self._block("resume", self._core.resume(options, HANDLER_OF.get()))

    async def aresume(
        self, *, body: Mapping[str, Any] | None = None, headers: Mapping[str, str] | None = None, metadata: Any = None
    ) -> Outcome | None:
        """`resume`, awaited."""
        options = RequestOptions(body or {}, headers or {}, metadata)
        return await self._await(self._core.resume(options, HANDLER_OF.get()))

    def stop(self) -> None:
        """Break off the answer under way, here and on the far side; what came stays. Does nothing when idle."""
        self._block("stop", self._core.stop())

    async def astop(self) -> None:
        """`stop`, awaited."""
        await self._await(self._core.stop())

    def wait(self) -> Outcome | None:
        """Wait until the exchange under way ends or waits for an answer; returns how the last one ended."""
        return self._block("wait", self._core.settle(HANDLER_OF.get()))

    async def await_idle(self) -> Outcome | None:
        """`wait`, awaited."""
        return await self._await(self._core.settle(HANDLER_OF.get()))

    # ── the queue ──────────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def queued_messages(self) -> list[Message]:
        """A copy of the messages that wait to be sent, in their order; empty unless `queue=True`."""
        return self._on_loop(lambda: copy.deepcopy(self._core.queue.messages))

    def remove_queued_message(self, message_id: str) -> None:
        """Forget a message that waits; does nothing when none has this id."""
        self._on_loop(lambda: self._core.queue.remove(message_id))

    def send_queued_message_now(self, message_id: str) -> Outcome | None:
        """Stop the answer under way and send this waiting message next; then wait as `send` does.

        Does nothing, and returns the last outcome, when no message waits under this id.
        """
        coroutine = self._core.send_queued_now(message_id, HANDLER_OF.get())
        return self._block("send_queued_message_now", coroutine)

    async def asend_queued_message_now(self, message_id: str) -> Outcome | None:
        """`send_queued_message_now`, awaited."""
        return await self._await(self._core.send_queued_now(message_id, HANDLER_OF.get()))

    # ── answers ────────────────────────────────────────────────────────────────────────────────────────────────────

    def add_tool_output(
        self,
        tool_call_id: str,
        output: Any = None,
        *,
        error_text: str | None = None,
        options: RequestOptions | None = None,
    ) -> Outcome | None:
        """Answer a call with `output` (any JSON value) or with an error; then wait as `send` does.

        Returns how the exchange that followed ended, or the last one when nothing was sent. Inside a tool-call handler
        it returns at once. `options` are those of the request that follows.
        Raises `DecisionError` when the chat has no such call (a strict chat does nothing then), `TypeError` or
        `ValueError` for an output that JSON cannot say.
        """
        coroutine = self._core.add_output(tool_call_id, output, error_text, HANDLER_OF.get(), options)
        return self._block("add_tool_output", coroutine)

    async def aadd_tool_output(
        self,
        tool_call_id: str,
        output: Any = None,
        *,
        error_text: str | None = None,
        options: RequestOptions | None = None,
    ) -> Outcome | None:
        """`add_tool_output`, awaited."""
        return await self._await(self._core.add_output(tool_call_id, output, error_text, HANDLER_OF.get(), options))

    def add_tool_approval_response(
        self, approval_id: str, approved: bool, reason: str | None = None, *, options: RequestOptions | None = None
    ) -> Outcome | None:
        """Allow or deny a call that asks for it; then wait as `send` does. `approved` must be a real boolean.

        Raises `DecisionError` when no such request is open: each is answered once. A strict chat does nothing then.
        """
        coroutine = self._core.add_approval(approval_id, approved, reason, HANDLER_OF.get(), options)
        return self._block("add_tool_approval_response", coroutine)

    async def aadd_tool_approval_response(
        self, approval_id: str, approved: bool, reason: str | None = None, *, options: RequestOptions | None = None
    ) -> Outcome | None:
        """`add_tool_approval_response`, awaited."""
        return await self._await(self._core.add_approval(approval_id, approved, reason, HANDLER_OF.get(), options))

    def clear_error(self) -> None:
        """Go back from `error` to `ready`; does nothing in another status."""
        self._on_loop(self._core.clear_error)

    def set_messages(self, messages: Iterable[Message]) -> None:
        """Put another history in place of this one. Raises `LabError` while an answer is under way."""
        self._on_loop(lambda: self._core.set_messages(messages))

    # ── threads ────────────────────────────────────────────────────────────────────────────────────────────────────

    def _on_loop(self, function: Callable[[], Result]) -> Result:
        """Call a plain function where the state lives; it waits for nothing."""

        async def call() -> Result:
            return function()

        return function() if self._lab.is_here else self._lab.run(call())

    def _block(self, name: str, coroutine: Coroutine[Any, Any, Result]) -> Result:
        if self._lab.is_here:
            coroutine.close()
            raise RuntimeError(
                f"Chat.{name}() waits, and was called on the lab's own thread, which would wait for itself: "
                f"use its twin, await chat.{_TWINS.get(name, 'a' + name)}(…)"
            )
        return self._lab.run(coroutine)

    async def _await(self, coroutine: Coroutine[Any, Any, Result]) -> Result:
        if self._lab.is_here:
            return await coroutine
        return await asyncio.wrap_future(self._lab.submit(coroutine))
