"""Tool calls: from the first delta of an input to the output, through approvals.

Stage: reducer, the half of it that a stream without tools never meets. Which part belongs to a call, and what each chunk
makes of it, is as the reference has it, its duplicate-part trap included (spec §4.3, §4.5).
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Hashable, Mapping
from typing import Any

from aisdk_lab.reducer.changes import UIMessageStreamError
from aisdk_lab.reducer.growing_message import GrowingMessage
from aisdk_lab.reducer.partial_call import NOWHERE, PartialCall
from aisdk_lab.ui_stream.chunks import UNSET, Chunk
from aisdk_lab.ui_stream.javascript import identity, is_truthy, js_text
from aisdk_lab.ui_stream.messages import DYNAMIC_TOOL, Part, is_tool_part
from aisdk_lab.ui_stream.parts import (
    answered_approval,
    approval_of,
    given,
    is_nullish,
    new_tool_part,
    update_tool_part,
)

Places = dict[Hashable, list[int]]
"""Indices of parts, ascending, by an id."""


class ToolCalls:
    """The tool parts of one message, and the inputs that are being written."""

    def __init__(self, message: GrowingMessage) -> None:
        self._message = message
        self.partial: dict[str, PartialCall] = {}
        self.step = 0
        """Index of the first part of the current step."""
        self._calls: Places = {}
        self._approvals: Places = {}
        self.handlers: Mapping[str, Callable[[Chunk], None]] = {
            "tool-input-start": self._on_input_start,
            "tool-input-delta": self._on_input_delta,
            "tool-input-available": self._on_input_available,
            "tool-input-error": self._on_input_error,
            "tool-approval-request": self._on_approval_request,
            "tool-approval-response": self._on_approval_response,
            "tool-output-available": self._on_output,
            "tool-output-error": self._on_output,
            "tool-output-denied": self._on_denied,
        }

    # ── which part ─────────────────────────────────────────────────────────────────────────────────────────────────

    def add(self, index: int, part: Part) -> None:
        """Note a part that was pushed or restored, when it is a tool part."""
        if not is_tool_part(part):
            return
        call_id = identity(part.get("toolCallId", UNSET))
        if call_id is not None:
            self._calls.setdefault(call_id, []).append(index)
        approval_id = _approval_id(part)
        if approval_id is not None:
            insort(self._approvals.setdefault(approval_id, []), index)

    def drop(self, index: int, part: Part) -> None:
        """Forget the last part, which is taken away."""
        if not is_tool_part(part):
            return
        for places, key in (
            (self._calls, identity(part.get("toolCallId", UNSET))),
            (self._approvals, _approval_id(part)),
        ):
            if key is not None and places[key][-1] == index:
                places[key].pop()

    def replace(self, index: int, old: Part, new: Part) -> None:
        """Note that a part of a call was put in the place of another one of it."""
        self._move(index, _approval_id(old), _approval_id(new))

    def restore(self, index: int, part: Part, version: int) -> None:
        """Take up an input that was being written when the message was stored, from its `rawInput`."""
        name = part.get("toolName", UNSET) if part["type"] == DYNAMIC_TOOL else part["type"].partition("-")[2]
        labels = {key: part[key] for key in ("title", "toolMetadata") if part.get(key, UNSET) is not UNSET}
        call = PartialCall(name, part["type"] == DYNAMIC_TOOL, part.get("inputEncoding", UNSET), labels)
        raw = part.get("rawInput", UNSET)
        if not is_nullish(raw) and (text := js_text(raw)):
            call.take(text, version)
        self.partial[js_text(part.get("toolCallId", UNSET))] = call

    def _find(self, call_id: Any) -> int:
        """First tool part of the current step with this id, else the last one of the whole message."""
        key = identity(call_id)
        places = self._calls.get(key) if key is not None else None
        if not places:
            text = f'No tool invocation found for tool call ID "{js_text(call_id)}".'
            raise UIMessageStreamError("tool-invocation", call_id, text)
        first_in_step = bisect_left(places, self.step)
        return places[first_in_step] if first_in_step < len(places) else places[-1]

    def _find_in_step(self, call_id: Any, dynamic: bool | None) -> int | None:
        """First tool part of the current step with this id and kind (`None`: either kind)."""
        key = identity(call_id)
        places = self._calls.get(key, []) if key is not None else []
        for index in places[bisect_left(places, self.step) :]:
            if dynamic is None or (self._message.part(index)["type"] == DYNAMIC_TOOL) == dynamic:
                return index
        return None

    # ── input ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def _upsert(
        self,
        chunk: Chunk,
        name: Any,
        dynamic: bool,
        state: str,
        values: Mapping[str, Any],
        call: PartialCall | None = None,
    ) -> None:
        """Update the call's part in the current step, or push a new one; `call` goes on writing into it."""
        call_id = chunk.get("toolCallId", UNSET)
        index = self._find_in_step(call_id, dynamic)
        if index is None:
            part = new_tool_part(given(chunk, "toolCallId"), name, dynamic, state, values)
            if dynamic:
                call = None  # the reference gives a new dynamic part no `rawInput`: the next delta does
            index = self._message.push(part, call)
            self.add(index, part)
        else:
            part = self._message.edit(index)
            update_tool_part(part, name, state, values)
            self._message.put(index, part, call)
        if call is not None:
            # An id that only reads like the call's (`[]` like `""`) has a part of its own: the next delta must look.
            call.index, call.step = index, self.step if isinstance(call_id, str) else NOWHERE

    def _on_input_start(self, chunk: Chunk) -> None:
        dynamic = is_truthy(chunk.get("dynamic", UNSET))
        name, encoding = given(chunk, "toolName"), given(chunk, "inputEncoding")
        values = _given(chunk, "title", "toolMetadata", "providerExecuted", "providerMetadata")
        labels = {key: values[key] for key in ("title", "toolMetadata") if key in values}
        self.partial[js_text(chunk.get("toolCallId", UNSET))] = PartialCall(name, dynamic, encoding, labels)
        self._upsert(chunk, name, dynamic, "input-streaming", {**values, "inputEncoding": encoding})

    def _on_input_delta(self, chunk: Chunk) -> None:
        """The deltas that `MessageReducer.feed` has no short way for: the first, and the strange ones."""
        call_id = chunk.get("toolCallId", UNSET)
        call = self.partial.get(js_text(call_id))
        if call is None:
            raise UIMessageStreamError(
                "tool-input-delta",
                call_id,
                f'Received tool-input-delta for missing tool call with ID "{js_text(call_id)}". '
                'Ensure a "tool-input-start" chunk is sent before any "tool-input-delta" chunks.',
            )
        delta = js_text(chunk.get("inputTextDelta", UNSET))
        if call.index >= 0:  # the delta may belong into another part; what the call wrote into this one stays there
            self._message.edit(call.index)
        call.take(delta, self._message.version)
        self._upsert(
            chunk,
            call.name,
            call.dynamic,
            "input-streaming",
            {**call.values_at(call.count_at(None)), **call.labels, "inputEncoding": call.encoding},
            call,
        )

    def _on_input_available(self, chunk: Chunk) -> None:
        values = _given(chunk, "input", "title", "toolMetadata", "providerExecuted", "providerMetadata")
        dynamic = is_truthy(chunk.get("dynamic", UNSET))
        self._upsert(chunk, given(chunk, "toolName"), dynamic, "input-available", values)

    def _on_input_error(self, chunk: Chunk) -> None:
        known = self._find_in_step(chunk.get("toolCallId", UNSET), None)
        dynamic = is_truthy(chunk.get("dynamic", UNSET))
        if known is not None:
            dynamic = self._message.part(known)["type"] == DYNAMIC_TOOL
        values = _given(chunk, "input", "errorText", "toolMetadata", "providerExecuted", "providerMetadata")
        self._upsert(chunk, given(chunk, "toolName"), dynamic, "output-error", values)

    # ── approval and output ────────────────────────────────────────────────────────────────────────────────────────

    def _on_approval_request(self, chunk: Chunk) -> None:
        index = self._find(chunk.get("toolCallId", UNSET))
        part = self._message.edit(index)
        part["state"] = "approval-requested"
        self._approve(index, part, approval_of(chunk))
        self._message.put(index, part)

    def _on_approval_response(self, chunk: Chunk) -> None:
        approval_id = chunk.get("approvalId", UNSET)
        key = identity(approval_id)
        places = self._approvals.get(key) if key is not None else None
        if not places:
            text = f'No tool invocation found for approval ID "{js_text(approval_id)}".'
            raise UIMessageStreamError("tool-approval-response", approval_id, text)
        part = self._message.edit(places[0])
        part["state"] = "approval-responded"
        self._approve(places[0], part, answered_approval(part.get("approval", UNSET), chunk))
        for source, key in (("providerExecuted", "providerExecuted"), ("providerMetadata", "callProviderMetadata")):
            if not is_nullish(chunk.get(source)):
                part[key] = given(chunk, source)
        self._message.put(places[0], part)

    def _approve(self, index: int, part: Part, approval: dict[str, Any]) -> None:
        """Give a part its approval; it is found by the new id from now on."""
        old = _approval_id(part)
        part["approval"] = approval
        self._move(index, old, _approval_id(part))

    def _move(self, index: int, old: Hashable | None, new: Hashable | None) -> None:
        """Find a part by another approval id."""
        if old == new:
            return
        if old is not None:
            self._approvals[old].remove(index)
        if new is not None:
            insort(self._approvals.setdefault(new, []), index)

    def _on_denied(self, chunk: Chunk) -> None:
        index = self._find(chunk.get("toolCallId", UNSET))
        part = self._message.edit(index)
        part["state"] = "output-denied"
        self._message.put(index, part)

    def _on_output(self, chunk: Chunk) -> None:
        """`tool-output-available` and `tool-output-error`: the input stays, what the other one left is reset."""
        index = self._find(chunk.get("toolCallId", UNSET))
        part = self._message.edit(index)
        dynamic = part["type"] == DYNAMIC_TOOL
        values = _given(chunk, "toolMetadata", "providerExecuted", "providerMetadata")
        values["input"] = part.get("input", UNSET)
        if is_nullish(values.get("toolMetadata")):
            values["toolMetadata"] = part.get("toolMetadata", UNSET)
        if chunk["type"] == "tool-output-available":
            state = "output-available"
            values |= _given(chunk, "output", "preliminary")
        else:
            state = "output-error"
            values["errorText"] = given(chunk, "errorText")
            if not dynamic:
                values["rawInput"] = part.get("rawInput", UNSET)
        name = part.get("toolName", UNSET) if dynamic else part["type"].partition("-")[2]
        update_tool_part(part, name, state, values)
        self._message.put(index, part)


def _given(chunk: Chunk, *keys: str) -> dict[str, Any]:
    """Copies of what a chunk gives for these keys."""
    return {key: given(chunk, key) for key in keys if key in chunk}


def _approval_id(part: Part) -> Hashable | None:
    """The identity of `part.approval?.id`."""
    approval = part.get("approval")
    return identity(approval.get("id", UNSET) if isinstance(approval, dict) else UNSET)
