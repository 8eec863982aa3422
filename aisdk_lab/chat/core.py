"""What a person does in a chat, on the lab's loop only: send, ask anew, resume, stop, answer.

Stage: chat. `Chat` (client.py) is the door for other threads; here every method runs on the loop, so there is no lock.
What is under way lives in requests.py.
Source: `ai` 7.0.173 `chat.ts` (spec §6); recorded: tests/golden/chat.
"""

from __future__ import annotations

import asyncio
import copy
import secrets
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from aisdk_lab.chat.answers import Approval, Output, open_approvals, waiting_calls, waits_for_user
from aisdk_lab.chat.automatic import MAX_ROUNDS, Automatic, Predicate, either_complete
from aisdk_lab.chat.events import InvalidArgument, Outcome, ToolCall
from aisdk_lab.chat.exchange import Exchange
from aisdk_lab.chat.handlers import HANDLER_OF, Handler, Scope, run_handler
from aisdk_lab.chat.queue import MessageQueue
from aisdk_lab.chat.requests import Requests
from aisdk_lab.chat.state import LOG, ChatState, Subscriber
from aisdk_lab.chat.tool_values import ToolFailed, check_json
from aisdk_lab.chat.transport import RequestOptions, Transport
from aisdk_lab.errors import DecisionError, LabError
from aisdk_lab.ui_stream.chunks import Chunk
from aisdk_lab.ui_stream.messages import Message

__all__ = ["MAX_ROUNDS", "ChatCore", "Predicate", "Subscriber", "either_complete", "new_id"]


def new_id() -> str:
    """A random id of 16 characters, as the SDK's `generateId` makes them."""
    alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    return "".join(secrets.choice(alphabet) for _ in range(16))


class ChatCore:
    """One chat: its state, what is under way, and everything that a person changes."""

    def __init__(
        self,
        chat_id: str,
        transport: Transport,
        *,
        messages: Iterable[Message],
        on_tool_call: Handler | None,
        send_automatically: bool | Predicate,
        max_rounds: int,
        queue: bool,
        strict: bool,
        generate_id: Callable[[], str],
    ) -> None:
        self.transport = transport
        self.state = ChatState(chat_id, messages)
        self.queue = MessageQueue(queue)
        self.automatic = Automatic(self.state, send_automatically, max_rounds, strict=strict)
        self.requests = Requests(
            self.state,
            transport,
            self.automatic,
            self.queue,
            strict=strict,
            generate_id=generate_id,
            on_call=self._start_handler,
        )
        self.on_tool_call = on_tool_call
        self._strict = strict
        self._generate_id = generate_id
        self._handlers: set[asyncio.Task[None]] = set()

    # ── requests ───────────────────────────────────────────────────────────────────────────────────────────────────

    async def send(
        self,
        message: str | Mapping[str, Any] | None,
        message_id: str | None,
        options: RequestOptions,
        scope: Scope | None,
    ) -> Outcome:
        """See `Chat.send`. `scope` is that of the tool-call handler that calls, if one does."""
        if message is None:
            self._refuse_while_busy("send")
            return await self._begin_turn(self.requests.begin_without_message(options), scope)
        fields: Mapping[str, Any] = {"text": message} if isinstance(message, str) else message
        message_id = message_id if message_id is not None else fields.get("messageId")
        if not self.queue.is_on:
            self._refuse_while_busy("send")
        elif message_id is not None:
            await self._drop_queue()
        elif self.requests.is_in_progress or len(self.queue) or waits_for_user(self.state.conversation.last):
            self.queue.add(self._user_message(fields), options)
            exchange = self.requests.resume_queue(options, skip_waiting=self.queue.is_paused)
            return await self._begin_turn(exchange, scope)
        self._place_user_message(fields, message_id)
        self.queue.is_paused = False
        return await self._begin_turn(self.requests.begin("submit-message", message_id, options), scope)

    def _user_message(self, fields: Mapping[str, Any]) -> Message:
        own = _own_fields(fields)
        return copy.deepcopy({**own, "id": own.get("id") or self._generate_id(), **_role_and_metadata(fields)})

    def _place_user_message(self, fields: Mapping[str, Any], message_id: str | None) -> None:
        conversation = self.state.conversation
        if message_id is None:
            conversation.push(self._user_message(fields))
            return
        index = conversation.index_of(message_id)
        if index is None:
            raise InvalidArgument("message.messageId", f"message with id {message_id} not found")
        if conversation[index]["role"] != "user":
            raise InvalidArgument("message.messageId", f"message with id {message_id} is not a user message")
        conversation.truncate(index + 1)
        edited = {"id": message_id, **_own_fields(fields), **_role_and_metadata(fields)}
        conversation.replace(index, copy.deepcopy(edited))

    async def regenerate(self, message_id: str | None, options: RequestOptions, scope: Scope | None) -> Outcome:
        """See `Chat.regenerate`."""
        if self.queue.is_on:
            await self._drop_queue()
        else:
            self._refuse_while_busy("regenerate")
        conversation = self.state.conversation
        index = len(conversation) - 1 if message_id is None else conversation.index_of(message_id)
        if index is None or index < 0:
            shown = "undefined" if message_id is None else message_id
            raise InvalidArgument("messageId", f"message {shown} not found")
        conversation.truncate(index if conversation[index]["role"] == "assistant" else index + 1)
        return await self._begin_turn(self.requests.begin("regenerate-message", message_id, options), scope)

    async def _drop_queue(self) -> None:
        """The history is being changed: what was written after it is dropped, with the response under way."""
        self.queue.clear()
        if self.requests.is_in_progress:
            await self.stop()

    async def resume(self, options: RequestOptions, scope: Scope | None) -> Outcome | None:
        """See `Chat.resume`."""
        self._refuse_while_busy("resume")
        exchange = self.requests.begin_resumed(options)
        await self._begin_turn(exchange, scope)
        if exchange.outcome is None or exchange.outcome.error is not None:
            return exchange.outcome
        return self.state.outcome

    def set_messages(self, messages: Iterable[Message]) -> None:
        """See `Chat.set_messages`."""
        self._refuse_while_busy("set_messages")
        self.state.conversation.become(copy.deepcopy(list(messages)))

    def clear_error(self) -> None:
        """See `Chat.clear_error`."""
        if self.state.status == "error":
            self.state.set_status("ready")

    async def send_queued_now(self, message_id: str, scope: Scope | None) -> Outcome | None:
        """See `Chat.send_queued_message_now`."""
        options = self.queue.options_of(message_id)
        if options is None:
            return self.state.outcome
        self.queue.move_first(message_id)
        stops = self.automatic.stops + 1
        await self.stop()
        if stops != self.automatic.stops:
            return self.state.outcome
        return await self._begin_turn(self.requests.resume_queue(options, skip_waiting=True), scope)

    # ── waiting and stopping ───────────────────────────────────────────────────────────────────────────────────────

    async def stop(self) -> None:
        """See `Chat.stop`."""
        self.automatic.stops += 1
        for task in self._handlers:
            if task is not asyncio.current_task():
                task.cancel()
        await self.requests.stop()

    async def settle(self, scope: Scope | None) -> Outcome | None:
        """Wait for the turn and for the handlers; a handler waits for the turn only."""
        handlers = () if self._is_inside(scope) else self._handlers
        while tasks := [t for t in (self.requests.turn, *handlers) if t is not None and not t.done()]:
            await asyncio.wait(tasks)
        return self.state.outcome

    async def _begin_turn(self, exchange: Exchange | None, scope: Scope | None) -> Outcome:
        """What a person began: the ceiling of automatic requests begins anew. `None`: it waits in the queue."""
        self.automatic.person_acted()
        turn = None if exchange is None else self.requests.start(exchange)
        try:
            outcome = await self.settle(scope)
        except asyncio.CancelledError:
            # The cell was interrupted: the exchange must not go on behind the user's back.
            await self.stop()
            raise
        if turn is not None and turn.done() and not turn.cancelled():
            turn.result()  # raises what a predicate raised
        if outcome is not None:
            return outcome
        last = self.state.conversation.last or {"id": "", "role": "assistant", "parts": []}
        return Outcome("waiting", last, waiting=tuple(waiting_calls([last])))

    def _is_inside(self, scope: Scope | None) -> bool:
        return scope is not None and scope.chat is self

    def _refuse_while_busy(self, what: str) -> None:
        if self.requests.is_busy and not self._strict:
            status = self.state.status
            raise LabError(f"Chat.{what}(): an answer is under way ({status}). wait() for it, or stop() it first.")

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
        output = copy.deepcopy(output)  # the caller's may change
        message_id = self.state.conversation.answer(Output(call_id, output, error_text), self._active)
        if message_id is None and not self._strict:
            waiting = waiting_calls(self.state.conversation.messages)
            raise DecisionError(f"no tool call {call_id!r} in this chat; waiting: {waiting!r}.", waiting=waiting)
        return await self._answered(message_id, False, scope, options)

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
        message_id = self.state.conversation.answer(Approval(approval_id, approved, reason), self._active)
        if message_id is not None:
            self.requests.unsent_approval = message_id
        elif not self._strict:
            waiting = open_approvals(self.state.conversation.messages)
            raise DecisionError(
                f"no approval {approval_id!r} is open in this chat; open: {waiting!r}. Each request is answered once.",
                waiting=waiting,
            )
        return await self._answered(message_id, True, scope, options)

    @property
    def _active(self) -> Any:
        active = self.requests.active
        return None if active is None else active.response

    async def _answered(
        self, message_id: str | None, is_approval: bool, scope: Scope | None, options: RequestOptions | None
    ) -> Outcome | None:
        """Send on when this answer was the last one missing; while a response streams, its end decides that."""
        inside = self._is_inside(scope)
        stops = scope.stops if scope is not None and inside else self.automatic.stops
        self.automatic.answered()
        if not inside:
            self.automatic.person_acted()
        elif scope is not None and options is None:
            options = scope.options
        is_idle = self.state.status not in ("submitted", "streaming")
        if message_id is not None and is_idle and await self.automatic.decide(message_id):
            if not self.requests.is_busy and stops == self.automatic.stops and self.automatic.take_round():
                begin = self.requests.begin_continuing if is_approval else self._begin_again
                self.requests.start(begin(message_id, options or RequestOptions()))
        elif (exchange := self.requests.begin_from_queue(stops)) is not None:
            self.requests.start(exchange)
        return self.state.outcome if inside else await self.settle(scope)

    def _begin_again(self, message_id: str, options: RequestOptions) -> Exchange:
        return self.requests.begin("submit-message", message_id, options)

    # ── handlers ───────────────────────────────────────────────────────────────────────────────────────────────────

    def _start_handler(self, chunk: Chunk, options: RequestOptions) -> bool:
        call_id, name = chunk.get("toolCallId"), chunk.get("toolName")
        if self.on_tool_call is None or not isinstance(call_id, str) or not isinstance(name, str):
            return False
        call = ToolCall(call_id, name, chunk.get("input"), chunk)
        task = asyncio.get_running_loop().create_task(self._run_handler(self.on_tool_call, call, options))
        self._handlers.add(task)
        task.add_done_callback(self._handlers.discard)
        return True

    async def _run_handler(self, handler: Handler, call: ToolCall, options: RequestOptions) -> None:
        scope = Scope(self, self.automatic.stops, options)
        HANDLER_OF.set(scope)
        output, failure = None, None
        try:
            output = await run_handler(handler, call)
        except ToolFailed as problem:
            LOG.warning("the handler of tool call %r failed", call.tool_call_id, exc_info=True)
            failure = str(problem)
        if output is None and failure is None:
            return
        try:
            await self.add_output(call.tool_call_id, output, failure, scope)
        except DecisionError:
            # The history was changed meanwhile, or the server took the step back: nobody asks any more.
            LOG.warning("the answer of the handler of %r came too late", call.tool_call_id)


def _own_fields(fields: Mapping[str, Any]) -> Message:
    """What a person gave of a message: its parts, else files and a text as parts."""
    if "text" not in fields and "files" not in fields:
        return {key: value for key, value in fields.items() if key != "messageId"}
    texts = [] if fields.get("text") is None else [{"type": "text", "text": fields["text"]}]
    return {"parts": [*(fields.get("files") or ()), *texts]}


def _role_and_metadata(fields: Mapping[str, Any]) -> Message:
    is_made = "text" in fields or "files" in fields  # then the role is the user's: only a whole message brings its own
    role = "user" if is_made else fields.get("role") or "user"
    return {"role": role} | ({"metadata": fields["metadata"]} if "metadata" in fields else {})
