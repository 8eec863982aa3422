"""Tool-call handlers: what answers a client tool without a person.

Stage: chat. The reference awaits its `onToolCall` inside the job that reads the stream, so a handler that awaits its own
answer there waits for ever. Here each call gets a task: async handlers on the lab's loop, plain functions in a thread of
their own, so that a slow one holds no stream back.
"""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from aisdk_lab.chat.events import ToolCall
from aisdk_lab.chat.tool_values import ToolFailed, check_json, problem_text
from aisdk_lab.chat.transport import RequestOptions

Handler = Callable[[ToolCall], Any]
"""Gets every call whose input is complete. A value that is not `None` answers it; `None` leaves it to somebody else."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Where a handler runs: its chat, how often that had been stopped when it began, and the options of the request."""

    chat: object
    stops: int
    options: RequestOptions


HANDLER_OF: contextvars.ContextVar[Scope | None] = contextvars.ContextVar("aisdk_lab_handler", default=None)
"""Set inside a handler: there nothing may wait for the exchange to end, because the exchange waits for the handler."""


async def run_handler(handler: Handler, call: ToolCall) -> Any:
    """What the handler returned; a plain function runs in a daemon thread, with this task's context.

    Raises `ToolFailed` for all that it raised, `SystemExit` too: asyncio would end the lab's loop with that one.
    """
    try:
        result = handler(call) if inspect.iscoroutinefunction(handler) else await _in_thread(lambda: handler(call))
        result = await result if inspect.isawaitable(result) else result
        check_json(result)
    except ToolFailed:
        raise
    except (asyncio.CancelledError, GeneratorExit) as problem:
        task = asyncio.current_task()
        if isinstance(problem, GeneratorExit) or task is None or task.cancelling():
            raise
        raise ToolFailed(problem_text(problem)) from problem  # the handler's own: nobody cancelled us
    except BaseException as problem:
        raise ToolFailed(problem_text(problem)) from problem
    return result


async def _in_thread(function: Callable[[], Any]) -> Any:
    # Not the loop's executor: the interpreter waits for its threads at exit, and a stuck handler would hang a restart.
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Any] = loop.create_future()
    context = contextvars.copy_context()

    def work() -> None:
        try:
            result = context.run(function)
        except BaseException as problem:  # noqa: BLE001  # handed to whoever awaits, in words: a future takes not all
            failure = ToolFailed(problem_text(problem))
            failure.__cause__ = problem
            settle(future.set_exception, failure)
        else:
            settle(future.set_result, result)

    def settle(how: Callable[[Any], None], value: Any) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(lambda: None if future.done() else how(value))

    threading.Thread(target=work, name="aisdk-lab-tool", daemon=True).start()
    return await future
