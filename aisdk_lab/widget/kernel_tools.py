"""Client tools that this kernel answers itself, on its main thread, when the running cell lets it.

Stage: widget. A tool that reads or writes the notebook's variables must not run beside a cell that does the same. So a call is
handed to the main thread's loop, which comes to it when the current cell has ended (or awaits something); until then its
row says that it waits for the cell. Outside of a kernel there is no such loop, and a tool runs in a thread of its own.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import threading
from collections.abc import Callable, Mapping
from typing import Any

from aisdk_lab.agents import ClientTool
from aisdk_lab.chat import ChatEvent
from aisdk_lab.chat.tool_values import check_json, problem_text
from aisdk_lab.errors import LabError
from aisdk_lab.ui_stream.chunks import Chunk
from aisdk_lab.widget.session import Session

LOG = logging.getLogger("aisdk_lab.widget")

Function = Callable[..., Any]
"""Gets the fields of the call's input as keyword arguments; returns a JSON value, or is async and does."""


class KernelTools:
    """The functions of one sidebar, by tool name."""

    def __init__(self, session: Session, main_loop: asyncio.AbstractEventLoop | None) -> None:
        self.functions: dict[str, Function] = {}
        self._session = session
        self._main_loop = main_loop

    @property
    def declared(self) -> Mapping[str, ClientTool]:
        """What the view is told of them: they need nobody to act."""
        return dict.fromkeys(self.functions, ClientTool(interactive=False))

    def on_event(self, event: ChatEvent) -> None:
        """Take the calls of our functions; on the lab's loop."""
        chunk = event.chunk
        if event.kind != "tool_call" or chunk is None or chunk["toolName"] not in self.functions:
            return
        self._session.set(["queuedDecisions", chunk["toolCallId"]], "cell")
        function = self.functions[chunk["toolName"]]
        if self._main_loop is not None and not self._main_loop.is_closed():
            self._main_loop.call_soon_threadsafe(self._start, function, chunk)
        else:
            work = threading.Thread(target=asyncio.run, args=(self._run(function, chunk),), name="aisdk-lab-tool")
            work.daemon = True
            work.start()

    def _start(self, function: Function, chunk: Chunk) -> None:
        """On the main thread: begin, and keep the task until it is done."""
        task = asyncio.ensure_future(self._run(function, chunk))
        _RUNNING.add(task)
        task.add_done_callback(_RUNNING.discard)

    async def _run(self, function: Function, chunk: Chunk) -> None:
        call_id = chunk["toolCallId"]
        lab = self._session.chat.lab
        lab.call(self._told, call_id, True)
        output, error_text = None, None
        try:
            result = _call(function, chunk.get("input"))
            output = await result if inspect.isawaitable(result) else result
            check_json(output)  # what JSON cannot say is an error of the tool, not of the request
        except GeneratorExit:
            raise
        except BaseException as problem:  # `sys.exit()` in a tool must not end the kernel, nor leave the call open
            LOG.info("client tool %r failed", chunk["toolName"], exc_info=True)
            output, error_text = None, problem_text(problem)
        lab.call(self._told, call_id, False)
        try:
            lab.submit(self._answer(call_id, output, error_text))
        except RuntimeError:  # the lab was stopped meanwhile: nobody waits for the answer
            LOG.info("the answer of client tool %r came after the end", chunk["toolName"])

    def _told(self, call_id: str, is_running: bool) -> None:
        self._session.document.set_running_here(call_id, is_running)
        self._session.remove(["queuedDecisions", call_id])

    async def _answer(self, call_id: str, output: Any, error_text: str | None) -> None:
        try:
            await self._session.chat.aadd_tool_output(call_id, output, error_text=error_text)
        except LabError as problem:  # the chat went on without it: another history, another answer
            LOG.info("client tool call %r: %s", call_id, problem)


_RUNNING: set[asyncio.Future[None]] = set()
"""Tasks on the main thread's loop, which itself keeps only weak references."""


def _call(function: Function, given: Any) -> Any:
    """Call with the input's fields as arguments; an input that is no object is the one argument."""
    if not isinstance(given, dict):
        return function() if given is None else function(given)
    inspect.signature(function).bind(**given)  # a TypeError that names the argument, before anything has run
    return function(**given)
