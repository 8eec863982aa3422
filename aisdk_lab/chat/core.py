"""What a chat does, on the lab's loop only: requests, answers, handlers, automatic sending.

Stage: chat. `Chat` (client.py) is the door for other threads; here every method runs on the loop, so there is no lock.
Source: `ai` 7.0.173 `chat.ts` (spec §6); recorded: tests/golden/chat.
"""

from __future__ import annotations

import asyncio
import copy
import inspect
import logging
import secrets
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from typing import Any

from aisdk_lab.chat.conversation import Conversation, Response
from aisdk_lab.chat.ending import outcome_of
from aisdk_lab.chat.events import (
    ChatError,
    ChatEvent,
    ChatStatus,
    ErrorChunk,
    InvalidArgument,
    Outcome,
    ToolCall,
    chat_error,
)
from aisdk_lab.chat.handlers import HANDLER_OF, Handler, Scope, run_handler
from aisdk_lab.chat.tool_values import ToolFailed, check_json
from aisdk_lab.chat.transport import RequestOptions, Transport, TransportRequest, Trigger
from aisdk_lab.errors import LabError
from aisdk_lab.ui_stream.chunks import Chunk
from aisdk_lab.ui_stream.messages import Message, is_tool_part
from aisdk_lab.ui_stream.predicates import complete_with_approval_responses, complete_with_tool_calls

LOG = logging.getLogger("aisdk_lab.chat")

Predicate = Callable[[Sequence[Message]], "bool | Awaitable[bool]"]
Subscriber = Callable[[ChatEvent], None]
MAX_ROUNDS = 20
"""Automatic requests after one act of a person. The reference has no ceiling, and loops (spec §6.9)."""


def new_id() -> str:
    """A random id of 16 characters, as the SDK's `generateId` makes them."""
    alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    return "".join(secrets.choice(alphabet) for _ in range(16))


def either_complete(messages: Sequence[Message]) -> bool:
    """True when all client tools have answered, or all approvals; what `send_automatically=True` asks."""
    return complete_with_tool_calls(messages) or complete_with_approval_responses(messages)


class ChatCore:
    """The state of one chat and everything that changes it."""

    def __init__(
        self,
        chat_id: str,
        transport: Transport,
        *,
        messages: Iterable[Message],
        on_tool_call: Handler | None,
        predicate: Predicate | None,
        only_after_answers: bool,
        max_rounds: int,
        strict: bool,
        generate_id: Callable[[], str],
    ) -> None:
        self.id = chat_id
        self.transport = transport
        self.on_tool_call = on_tool_call
        self._predicate = predicate
        self._only_after_answers = only_after_answers
        self._has_answers = False  # somebody here answered a call since the last request
        self._max_rounds = max_rounds
        self._strict = strict
        self._generate_id = generate_id
        self.subscribers: tuple[Subscriber, ...] = ()
        self.conversation = Conversation(copy.deepcopy(list(messages)), self._emit)
        self.status: ChatStatus = "ready"
        self.error: ChatError | None = None
        self.outcome: Outcome | None = None
        self._turn: asyncio.Task[None] | None = None
        self._handlers: set[asyncio.Task[None]] = set()
        self.stops = 0
        """How often the chat was stopped: what began before a stop sends nothing after it."""
        self._rounds = 0
        self._unsent_approval: str | None = None
        self._interrupted: set[str] = set()

    @property
    def is_busy(self) -> bool:
        """True while a request, or one that follows from it by itself, is under way."""
        return self._turn is not None and not self._turn.done()

    def _emit(self, event: ChatEvent) -> None:
        for subscriber in self.subscribers:
            try:
                subscriber(event)
            except Exception:
                # A view that fails must not end the conversation.
                LOG.exception("a subscriber of chat %r failed at %r", self.id, event.kind)

    # ── what a person does ─────────────────────────────────────────────────────────────────────────────────────────

    async def send(
        self,
        message: str | Mapping[str, Any] | None,
        message_id: str | None,
        options: RequestOptions,
        scope: Scope | None,
    ) -> Outcome:
        """See `Chat.send`. `scope` is that of the tool-call handler that calls, if one does."""
        self._refuse_while_busy("send")
        if message is None:
            message_id = self._message_to_continue()
        else:
            fields: Mapping[str, Any] = {"text": message} if isinstance(message, str) else message
            message_id = message_id if message_id is not None else fields.get("messageId")
            self._place_user_message(fields, message_id)
        return await self._begin_turn("submit-message", message_id, options, scope)

    def _message_to_continue(self) -> str | None:
        """The message of the last unsent approval, else the last with an answered one, else the last (spec §6.2)."""
        messages = self.conversation.messages
        if self._unsent_approval is not None or not messages:
            return self._unsent_approval
        for message in reversed(messages):
            tools = [part for part in message["parts"] if is_tool_part(part)]
            if message["role"] == "assistant" and any(part["state"] == "approval-responded" for part in tools):
                return message["id"]
        return messages[-1]["id"]

    def _place_user_message(self, fields: Mapping[str, Any], message_id: str | None) -> None:
        if "parts" in fields:
            own = {key: value for key, value in fields.items() if key != "messageId"}
        else:
            texts = [] if fields.get("text") is None else [{"type": "text", "text": fields["text"]}]
            own = {"parts": [*fields.get("files", ()), *texts]}
        rest = {"role": fields.get("role", "user")} | ({"metadata": fields["metadata"]} if "metadata" in fields else {})
        if message_id is None:
            new_message_id = own.get("id") or self._generate_id()
            self.conversation.push(copy.deepcopy({**own, "id": new_message_id, **rest}))
            return
        index = self.conversation.index_of(message_id)
        if index is None:
            raise InvalidArgument("message.messageId", f"message with id {message_id} not found")
        if self.conversation.messages[index]["role"] != "user":
            raise InvalidArgument("message.messageId", f"message with id {message_id} is not a user message")
        self.conversation.truncate(index + 1)
        self.conversation.replace(index, copy.deepcopy({"id": message_id, **own, **rest}))

    async def regenerate(self, message_id: str | None, options: RequestOptions, scope: Scope | None) -> Outcome:
        """See `Chat.regenerate`."""
        self._refuse_while_busy("regenerate")
        last = len(self.conversation) - 1
        index = last if message_id is None else self.conversation.index_of(message_id)
        if index is None or index < 0:
            shown = "undefined" if message_id is None else message_id
            raise InvalidArgument("messageId", f"message {shown} not found")
        is_answer = self.conversation.messages[index]["role"] == "assistant"
        self.conversation.truncate(index if is_answer else index + 1)
        return await self._begin_turn("regenerate-message", message_id, options, scope)

    def set_messages(self, messages: Iterable[Message]) -> None:
        """See `Chat.set_messages`."""
        self._refuse_while_busy("set_messages")
        self.conversation.become(copy.deepcopy(list(messages)))

    def clear_error(self) -> None:
        """See `Chat.clear_error`."""
        if self.status == "error":
            self._set_status("ready")

    async def stop(self) -> None:
        """See `Chat.stop`."""
        self.stops += 1
        for task in self._handlers:
            if task is not asyncio.current_task():
                task.cancel()
        turn, response = self._turn, self.conversation.response
        if turn is None or turn.done():
            return
        if response is not None:
            response.is_stopped = True
        turn.cancel()
        await asyncio.wait([turn])
        if response is not None:
            await self.transport.stop(self.id)

    async def settle(self, scope: Scope | None) -> Outcome | None:
        """Wait for the turn and for the handlers; a handler waits for the turn only."""
        inside = self._is_inside(scope)
        while tasks := [t for t in (self._turn, *(() if inside else self._handlers)) if t is not None and not t.done()]:
            await asyncio.wait(tasks)
        return self.outcome

    def _is_inside(self, scope: Scope | None) -> bool:
        return scope is not None and scope.chat is self

    def _refuse_while_busy(self, what: str) -> None:
        if self.is_busy:
            raise LabError(f"Chat.{what}(): an answer is under way ({self.status}). wait() for it, or stop() it first.")

    # ── requests ───────────────────────────────────────────────────────────────────────────────────────────────────

    async def _begin_turn(
        self, trigger: Trigger, message_id: str | None, options: RequestOptions, scope: Scope | None
    ) -> Outcome:
        """A request by a person: the ceiling of automatic ones begins anew."""
        self._rounds = 0
        self._start(trigger, message_id, options)
        try:
            outcome = await self.settle(scope)
        except asyncio.CancelledError:
            # The cell was interrupted: the exchange must not go on behind the user's back.
            await self.stop()
            raise
        assert outcome is not None
        return outcome

    def _start(self, trigger: Trigger, message_id: str | None, options: RequestOptions) -> None:
        response = self._open(trigger, message_id, options)
        self._turn = asyncio.get_running_loop().create_task(self._run_turn(response))
        self._turn.add_done_callback(lambda _turn: self._close_if_cancelled(response))

    def _close_if_cancelled(self, response: Response) -> None:
        """A task that was cancelled never got to close its response. By now the next turn's may be open: not that one."""
        if self.conversation.response is response:
            response.is_stopped = True
            self._close(response, None)

    def _open(self, trigger: Trigger, message_id: str | None, options: RequestOptions) -> Response:
        if self.conversation.response is not None:  # of a task that is done, but whose callback is still to come
            self._close_if_cancelled(self.conversation.response)
        self._has_answers = False
        self._set_status("submitted")
        messages = tuple(self.conversation.messages)
        request = TransportRequest(self.id, trigger, messages, message_id, options)
        fresh = trigger == "regenerate-message"
        return self.conversation.begin(request, self._generate_id(), fresh=fresh, strict=self._strict)

    async def _run_turn(self, response: Response) -> None:
        """One request, and those that follow from it by themselves."""
        while True:
            stops = self.stops
            outcome = await self._exchange(response)
            if outcome.error or outcome.is_abort or outcome.finish_reason == "interrupted":
                return
            if not await self._should_send(self._last_id()) or stops != self.stops or not self._may_go_on():
                return
            response = self._open("submit-message", self._last_id(), response.request.options)

    def _last_id(self) -> str | None:
        messages = self.conversation.messages
        return messages[-1]["id"] if messages else None

    async def _exchange(self, response: Response) -> Outcome:
        error: ChatError | None = None
        unsent = self._unsent_approval if self._unsent_approval == response.request.message_id else None
        if unsent is not None:
            self._unsent_approval = None
        try:
            async with aclosing(self.transport.stream(response.request)) as chunks:
                async for chunk in chunks:
                    self._receive(response, chunk)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if not response.is_stopped or task is None:
                self._close_if_cancelled(response)
                raise
            task.uncancel()
        except LabError as problem:
            error = chat_error(problem)
        except Exception as problem:
            LOG.exception("the exchange of chat %r failed", self.id)
            error = chat_error(problem)
        outcome = self._close(response, error)
        if error is not None and self._unsent_approval is None:
            self._unsent_approval = unsent  # the request failed: the answer is still unsent
        return outcome

    def _receive(self, response: Response, chunk: Chunk) -> None:
        kind = chunk["type"]
        if response.is_stopped:
            return
        if kind == "error":
            raise ErrorChunk(chunk["errorText"])
        shows, starts = self.conversation.feed(chunk)
        if kind.startswith("data-"):
            self._emit(ChatEvent(kind="data", chunk=chunk))
        elif kind in ("finish", "abort"):
            response.last_words.add(kind)
        if starts:
            self._set_status("streaming")
        if shows:
            self.conversation.publish()
        if kind == "tool-input-available" and not chunk.get("providerExecuted"):
            self._emit(ChatEvent(kind="tool_call", chunk=chunk))
            if self.on_tool_call is not None:
                self._start_handler(self.on_tool_call, chunk)

    def _close(self, response: Response, error: ChatError | None) -> Outcome:
        """End the response: status, then the outcome (spec §6.4, steps 6 and 7)."""
        message = self.conversation.end()
        if response.reducer.finish_reason == "interrupted":
            self._interrupted.add(message["id"])
        elif error is None and not response.is_stopped:
            self._interrupted.discard(message["id"])
        if error is not None:
            self._emit(ChatEvent(kind="error", error=error))
        self._set_status("ready" if error is None else "error", error)
        self.outcome = outcome_of(response, message, error, self.transport.client_tools)
        self._emit(ChatEvent(kind="finish", outcome=self.outcome))
        return self.outcome

    def _set_status(self, status: ChatStatus, error: ChatError | None = None) -> None:
        if (status, error) != (self.status, self.error):
            self.status, self.error = status, error
            self._emit(ChatEvent(kind="status", status=status, error=error))

    # ── answers ────────────────────────────────────────────────────────────────────────────────────────────────────

    async def add_output(
        self,
        call_id: str,
        output: Any,
        error_text: str | None,
        scope: Scope | None,
        options: RequestOptions | None = None,
    ) -> Outcome | None:
        """See `Chat.add_tool_output`."""
        check_json(output)  # before it is in the history, which no request could carry any more
        chunk: Chunk = {"type": "tool-output-available", "toolCallId": call_id, "output": output}
        if error_text is not None:
            chunk = {"type": "tool-output-error", "toolCallId": call_id, "errorText": error_text}
        message_id = self.conversation.answer_call(call_id, chunk)
        await self._send_answered(message_id, scope, options)
        return self.outcome if self._is_inside(scope) else await self.settle(scope)

    async def add_approval(
        self,
        approval_id: str,
        approved: bool,
        reason: str | None,
        scope: Scope | None,
        options: RequestOptions | None = None,
    ) -> Outcome | None:
        """See `Chat.add_tool_approval_response`."""
        if not isinstance(approved, bool):  # pyright: ignore[reportUnnecessaryIsInstance]  # may come from a view
            raise TypeError(f"approved must be True or False, got {approved!r}")
        chunk: Chunk = {"type": "tool-approval-response", "approvalId": approval_id, "approved": approved}
        if reason is not None:
            chunk["reason"] = reason
        self._unsent_approval = self.conversation.answer_approval(approval_id, chunk)
        await self._send_answered(self._unsent_approval, scope, options)
        return self.outcome if self._is_inside(scope) else await self.settle(scope)

    async def _send_answered(self, message_id: str, scope: Scope | None, options: RequestOptions | None) -> None:
        """Send on when this answer was the last one missing; while a response streams, its end decides that."""
        self._has_answers = True
        inside = scope is not None and scope.chat is self
        stops = scope.stops if scope is not None and inside else self.stops
        if not inside:
            self._rounds = 0  # a person answered
        if self.is_busy or not await self._should_send(message_id):
            return
        if not self.is_busy and stops == self.stops and self._may_go_on():
            self._start("submit-message", message_id, options or RequestOptions())

    async def _should_send(self, message_id: str | None) -> bool:
        messages = self.conversation.messages
        if self._only_after_answers and not self._has_answers:
            return False
        if self._predicate is None or not self._interrupted.isdisjoint((message_id, self._last_id())):
            return False
        answer = self._predicate(messages)
        return bool(await answer if inspect.isawaitable(answer) else answer)

    def _may_go_on(self) -> bool:
        self._rounds += 1
        if self._rounds <= self._max_rounds:
            return True
        text = f"stopped after {self._max_rounds} automatic requests in a row; send() without a message goes on"
        error = ChatError("TooManyRounds", text)
        self._emit(ChatEvent(kind="error", error=error))
        self._set_status("error", error)
        return False

    def _start_handler(self, handler: Handler, chunk: Chunk) -> None:
        call = ToolCall(chunk["toolCallId"], chunk["toolName"], chunk.get("input"), chunk)
        task = asyncio.get_running_loop().create_task(self._run_handler(handler, call))
        self._handlers.add(task)
        task.add_done_callback(self._handlers.discard)

    async def _run_handler(self, handler: Handler, call: ToolCall) -> None:
        scope = Scope(self, self.stops)
        HANDLER_OF.set(scope)
        try:
            output = await run_handler(handler, call)
        except ToolFailed as problem:
            LOG.warning("the handler of tool call %r failed", call.tool_call_id, exc_info=True)
            await self.add_output(call.tool_call_id, None, str(problem), scope)
        else:
            if output is not None:
                await self.add_output(call.tool_call_id, output, None, scope)
