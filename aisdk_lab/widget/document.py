"""The document of a sidebar: chat events in, one JSON document and the operations that change it out.

Stage: widget, the pure half: no clock (the caller passes one), no thread, no comm. A view is a pure function of the
document, and the document of the events, so two views stay equal and a reloaded page shows the same conversation.
Bytes are linear in the stream: what the reducer says changed travels as that change, and a status only when it is another.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from aisdk_lab.chat import ChatError, ChatEvent, ChatStatus, EndState
from aisdk_lab.chat.ending import steps_of
from aisdk_lab.reducer import MESSAGE, Change
from aisdk_lab.ui_stream.chunks import UNSET, Unset
from aisdk_lab.ui_stream.messages import STEP_START, Message, Part, is_tool_part, tool_name
from aisdk_lab.ui_stream.tool_status import ToolStatus, holds_up, tool_status
from aisdk_lab.widget.operations import JsonObject, Operation, apply_operation, plain

Clock = Callable[[], int]
"""Monotonic nanoseconds; of a replay: the place in the recording."""

_STATUS_KEYS = frozenset({"state", "approval", "preliminary", "providerExecuted", "type", "toolName"})
"""Keys of a tool part that its status depends on: a delta of its input touches none of them."""
_FINAL = frozenset({"done", "failed", "denied", "interrupted"})


class Document:
    """One sidebar's document. `drain` gives the operations since the last call."""

    def __init__(
        self,
        *,
        title: str,
        clock: Clock,
        language: str = "en",
        client_tools: Mapping[str, Any] | None = None,
        suggestions: Sequence[str] = (),
        messages: Iterable[Message] = (),
        status: ChatStatus = "ready",
        error: ChatError | None = None,
        ended: tuple[EndState, str] | None = None,
        replay: Mapping[str, Any] | None = None,
        finish_reasons: Mapping[str, str | None] | None = None,
    ) -> None:
        self._clock = clock
        self._names = None if client_tools is None else frozenset(client_tools)
        self._operations: list[Operation] = []
        self._reasons = dict(finish_reasons or {})  # by message id, of responses that somebody watched
        self._running_here: set[str] = set()
        self._waiting: set[str] = set()
        """Calls that hold up others of their step, as last seen."""
        self._since: dict[tuple[str, str], int] = {}  # when a call began to run, a block to think
        self._spent: dict[str, int] = {}  # nanoseconds that a call has run so far; a person's time is not in it
        self._value: JsonObject = {
            "title": title,
            "status": status,
            "error": _error(error),
            "ended": None if ended is None else _ended(*ended),
            "source": "live" if replay is None else "replay",
            "replay": None if replay is None else dict(replay),
            "suggestions": list(suggestions),
            "clientTools": {name: _client_tool(tool) for name, tool in (client_tools or {}).items()},
            "messages": copy.deepcopy(list(messages)),
            "tools": {},
            "timings": {},
            "queuedDecisions": {},
            "notice": None,
            "language": language,
        }
        for index in range(len(self._messages)):
            self._update_tools(index)
        self._operations.clear()

    @property
    def _messages(self) -> list[Message]:
        return self._value["messages"]

    @property
    def value(self) -> JsonObject:
        """The document as plain JSON; a copy."""
        return plain(self._value)

    def drain(self) -> list[Operation]:
        """The operations since the last call, in order."""
        operations, self._operations = self._operations, []
        return operations

    def set(self, path: Sequence[str | int], value: Any) -> None:
        """Assign a value outside the messages (`notice`, `replay`, …); nothing happens when it is the same."""
        parent: Any = self._value
        for step in path[:-1]:
            parent = parent[step]
        if isinstance(parent, dict) and path[-1] in parent and parent[path[-1]] == value:
            return
        self._do("set", list(path), value)

    def remove(self, path: Sequence[str | int]) -> None:
        """Delete a key outside the messages; a missing one is no mistake."""
        parent: Any = self._value
        for step in path[:-1]:
            parent = parent[step]
        if path[-1] in parent:
            self._do("remove", list(path))

    def know_client_tools(self, client_tools: Mapping[str, Any] | None) -> None:
        """Learn which tools the client runs: a script names one when it first calls it."""
        names = None if client_tools is None else frozenset(client_tools)
        if names == self._names:
            return
        self._names = names
        for name, tool in (client_tools or {}).items():
            self.set(["clientTools", name], _client_tool(tool))
        for index in range(len(self._messages)):
            self._update_tools(index)

    def set_running_here(self, call_id: str, is_running: bool) -> None:
        """Say that a client tool is being run by this kernel: then it runs, and waits for nobody."""
        (self._running_here.add if is_running else self._running_here.discard)(call_id)
        for index, message in enumerate(self._messages):
            for number, part in enumerate(message["parts"]):
                if part.get("toolCallId") == call_id and message["role"] == "assistant" and is_tool_part(part):
                    self._update_tool(index, number)

    def _do(self, op: str, path: Sequence[str | int], *value: Any) -> None:
        operation: Operation = [op, list(path), *value]
        self._value = apply_operation(self._value, operation)
        # Copied: a part that was added goes on changing, and the operation must stay what it was.
        self._operations.append([op, list(path), *copy.deepcopy(value)])

    # ── events ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def on_event(self, event: ChatEvent) -> None:
        """Project one event of the chat."""
        handle = _HANDLERS.get(event.kind)
        if handle is not None:
            handle(self, event)

    def _on_status(self, event: ChatEvent) -> None:
        self.set(["status"], event.status)
        self.set(["error"], _error(event.error))
        if event.status == "submitted":
            self.set(["ended"], None)
        # The end of an exchange is told by `finish`, which knows the reason: until then a call would look unknown.
        if self._messages and event.status in ("submitted", "streaming"):
            self._update_tools(len(self._messages) - 1)

    def _on_finish(self, event: ChatEvent) -> None:
        outcome = event.outcome
        if outcome is None:
            return
        self._reasons[outcome.message["id"]] = outcome.finish_reason
        is_seek = self._value["source"] == "replay" and outcome.is_abort
        self.set(["ended"], None if is_seek else _ended(outcome.state, outcome.message["id"]))
        for index, message in enumerate(self._messages):
            if message["id"] == outcome.message["id"]:
                self._end_blocks(index)
                self._update_tools(index)

    def _on_message(self, event: ChatEvent) -> None:
        if event.op != "replace" or event.index == len(self._messages) - 1:
            self.set(["ended"], None)  # how the last exchange ended says nothing of another end of the conversation
        if event.op == "truncate":
            for index in range(len(self._messages) - 1, event.index - 1, -1):
                self._forget(self._messages[index])
                self._do("remove", ["messages", index])
        elif event.op == "push":
            self._do("add", ["messages"], event.message)
            if event.index > 0:
                self._update_tools(event.index - 1)  # it is the last message no longer
        else:
            self._forget(self._messages[event.index])
            self._do("set", ["messages", event.index], event.message)
        if event.op != "truncate":
            self._watch_blocks(event.index)
            self._update_tools(event.index)

    def _on_changes(self, event: ChatEvent) -> None:
        touched: dict[int, None] = {}  # parts, in order
        is_shifted = False
        for change in event.changes:
            path = self._path_of(event.index, change)
            if change.op == "remove" and change.part != MESSAGE and change.path == ():
                self._forget_part(event.index, change.part)
            self._do(change.op, path, *(() if change.op == "remove" else (change.value,)))
            is_shifted = is_shifted or (change.op != "add" and change.path == ())
            if self._touches_tools(event.index, change):
                touched[change.part] = None
            self._time(event.index, change)
        if is_shifted:
            self._update_tools(event.index)
        elif touched and self._messages[event.index]["role"] == "assistant":
            for part in touched:
                self._update_tool(event.index, part)

    @staticmethod
    def _path_of(index: int, change: Change) -> list[str | int]:
        if change.part == MESSAGE:
            return ["messages", index, *change.path]
        if change.op == "add" and change.path == ():
            return ["messages", index, "parts"]
        return ["messages", index, "parts", change.part, *change.path]

    # ── tools ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def _touches_tools(self, index: int, change: Change) -> bool:
        if change.part == MESSAGE or change.op == "append":
            return False
        if change.path == ():
            return change.op == "add" and is_tool_part(change.value)
        return change.path[0] in _STATUS_KEYS and is_tool_part(self._messages[index]["parts"][change.part])

    def _update_tools(self, index: int) -> None:
        """Say each status of a message's calls that is another one now."""
        message = self._messages[index]
        if message["role"] == "assistant":
            for step in steps_of(message["parts"]):
                self._update_step(index, step, self._waiters(index, step))

    def _update_tool(self, index: int, number: int) -> None:
        """The same for one call. Its neighbours are asked only when it has begun or ceased to hold them up.

        An agent may make thousands of calls in one step: asking all of them for each one is quadratic.
        """
        parts = self._messages[index]["parts"]
        part = parts[number]
        did_wait = part["toolCallId"] in self._waiting
        if self._is_busy(index):  # then no status depends on the neighbours
            self._update_step(index, [part], ())
            return
        step = _step_around(parts, number)
        waiters = self._waiters(index, step)
        # Where three wait, each call has somebody else beside it before and after.
        concerns_all = did_wait != self._waits(index, part) and len(waiters) <= 2
        self._update_step(index, step if concerns_all else [part], waiters)

    def _update_step(self, index: int, parts: Iterable[Part], waiters: Sequence[Part]) -> None:
        """Say the statuses of these calls; of the step's other parts only those that wait can matter, two at most."""
        busy = self._is_busy(index)
        reason: str | Unset | None = self._reasons.get(self._messages[index]["id"], UNSET)
        for part in parts:
            if is_tool_part(part):
                (self._waiting.add if self._waits(index, part) else self._waiting.discard)(part["toolCallId"])
                status = tool_status(part, waiters[:2], busy, self._names, reason)
                is_here = part["state"] == "input-available" and part["toolCallId"] in self._running_here
                self._set_tool(part, "running" if is_here else status)

    def _is_busy(self, index: int) -> bool:
        return self._value["status"] in ("submitted", "streaming") and index == len(self._messages) - 1

    def _waiters(self, index: int, step: Sequence[Part]) -> list[Part]:
        return [part for part in step if is_tool_part(part) and self._waits(index, part)]

    def _waits(self, index: int, part: Part) -> bool:
        """Whether the call holds up its neighbours."""
        return holds_up(part, self._names, self._reasons.get(self._messages[index]["id"], UNSET))

    def _set_tool(self, part: Part, status: ToolStatus) -> None:
        call_id = part["toolCallId"]
        known = self._value["tools"].get(call_id)
        if known is not None and known["status"] == status:
            return
        self._spend(call_id, status)
        entry: JsonObject = {"status": status, "kind": self._kind(part, status, known)}
        if status in _FINAL and call_id in self._spent:
            entry["durationMs"] = round(self._spent[call_id] / 1e6)
        self._do("set", ["tools", call_id], entry)

    def _spend(self, call_id: str, status: ToolStatus) -> None:
        now = self._clock()
        began = self._since.pop(("tool", call_id), None)
        if began is not None:
            self._spent[call_id] = self._spent.get(call_id, 0) + now - began
        if status == "running":
            self._since["tool", call_id] = now

    def _kind(self, part: Part, status: ToolStatus, known: Mapping[str, Any] | None) -> str:
        if self._names is not None:
            return "client" if tool_name(part) in self._names and not part.get("providerExecuted") else "server"
        # Nobody says which tools are the client's: one that waits without asking for an approval is.
        is_client = status == "waiting" and part["state"] == "input-available"
        return "client" if is_client or (known or {}).get("kind") == "client" else "server"

    def _forget(self, message: Message) -> None:
        for index in range(len(message["parts"])):
            self._forget_entries(message, index)

    def _forget_part(self, index: int, part: int) -> None:
        self._forget_entries(self._messages[index], part)

    def _forget_entries(self, message: Message, part: int) -> None:
        value = message["parts"][part]
        key = f"{message['id']}/{part}"
        self._since.pop(("block", key), None)
        self.remove(["timings", key])
        if is_tool_part(value):
            self._since.pop(("tool", value["toolCallId"]), None)
            self._spent.pop(value["toolCallId"], None)
            self._waiting.discard(value["toolCallId"])
            self.remove(["tools", value["toolCallId"]])

    # ── how long the model thought ─────────────────────────────────────────────────────────────────────────────────

    def _time(self, index: int, change: Change) -> None:
        if change.part == MESSAGE or change.op == "append":
            return
        if change.path == () and change.op == "add":
            self._watch_block(index, change.part)
        elif change.path == ("state",) and change.value == "done":
            self._end_block(index, change.part)

    def _watch_blocks(self, index: int) -> None:
        for part in range(len(self._messages[index]["parts"])):
            self._watch_block(index, part)

    def _watch_block(self, index: int, part: int) -> None:
        value = self._messages[index]["parts"][part]
        if value["type"] == "reasoning" and value.get("state") == "streaming":
            self._since.setdefault(("block", f"{self._messages[index]['id']}/{part}"), self._clock())

    def _end_blocks(self, index: int) -> None:
        for part in range(len(self._messages[index]["parts"])):
            self._end_block(index, part)

    def _end_block(self, index: int, part: int) -> None:
        key = f"{self._messages[index]['id']}/{part}"
        began = self._since.pop(("block", key), None)
        if began is not None:
            self._do("set", ["timings", key], {"durationMs": round((self._clock() - began) / 1e6)})


_HANDLERS: Mapping[str, Callable[[Document, ChatEvent], None]] = {
    "status": Document._on_status,
    "message": Document._on_message,
    "changes": Document._on_changes,
    "finish": Document._on_finish,
}


def _step_around(parts: Sequence[Part], number: int) -> Sequence[Part]:
    """The parts of the step in which part `number` stands."""
    first = next((place + 1 for place in range(number, -1, -1) if parts[place]["type"] == STEP_START), 0)
    last = next((place for place in range(number, len(parts)) if parts[place]["type"] == STEP_START), len(parts))
    return parts[first:last]


def _error(error: ChatError | None) -> JsonObject | None:
    return None if error is None else {"text": error.message, "name": error.name}


def _ended(state: EndState, message_id: str) -> JsonObject:
    return {"state": state, "messageId": message_id}


def _client_tool(tool: Any) -> JsonObject:
    """What the view needs of an agent's `ClientTool`."""
    return {"interactive": bool(getattr(tool, "interactive", True)), "inputSchema": getattr(tool, "input_schema", None)}
