"""Chunks to a message: the one reducer of the lab.

Stage: between the stream and everything that shows it. `MessageReducer.feed(chunk)` says what the chunk changed;
`message` is the message so far. Strict behaves as `ai` 7.0.173 does, its errors included; lenient (the default)
recovers only at the point where strict would raise, and keeps a finding.
Cost: what a delta costs does not grow with what came before (text as pieces, unfinished tool input by the incremental
parser); reading `message` copies only the parts that changed since the last reading.
Source: `processUIMessageStream` and `readUIMessageStream` of `ai` 7.0.173 (spec §4); recorded: tests/golden/reduce.
"""

from __future__ import annotations

import copy
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Literal, cast

import msgspec

from aisdk_lab.errors import LabError
from aisdk_lab.ui_stream.chunks import UNSET, Chunk, Unset
from aisdk_lab.ui_stream.grammar import DATA_PREFIX
from aisdk_lab.ui_stream.growing import GrowingInput, GrowingText
from aisdk_lab.ui_stream.messages import DYNAMIC_TOOL, STEP_START, TOOL_PREFIX, Message, Part, is_tool_part, tool_name
from aisdk_lab.ui_stream.parts import (
    PART_KEYS,
    RESET_KEYS,
    approval_of,
    merge_metadata,
    metadata_key,
    new_tool_part,
    plain_part,
)
from aisdk_lab.ui_stream.validate import chunk_problems

Reset = Literal["on_id_change", "on_first_start", "never"]
Path = tuple[str | int, ...]
ChangeOp = Literal["add", "append", "set", "remove"]
MESSAGE = -1
"""`Change.part` of a change to the message itself."""


class Change(msgspec.Struct, frozen=True, gc=False):
    """One thing that a chunk did to a message.

    `part` is the index in `parts`, or `MESSAGE`. `add` with an empty path pushes the part `value`; `append` lengthens
    the string at `path`; `set` assigns and `remove` deletes what is at `path`. A `set` of the message with an empty
    path replaces it whole (after a reset).
    """

    part: int
    path: Path
    op: ChangeOp
    value: Any = None  # any JSON value


class UIMessageStreamError(LabError):
    """What strict raises where `ai` 7.0.173 throws its error of this name: a chunk out of order."""

    def __init__(self, chunk_type: str, chunk_id: str, message: str) -> None:
        super().__init__(message)
        self.name = "AI_UIMessageStreamError"
        self.chunk_type = chunk_type
        self.chunk_id = chunk_id


class MessageReducer:
    """Feeds on chunks, answers with changes, holds the message.

    `message` is continued when it is an assistant message (a copy: the caller's stays as it is). `reset` says when a
    `start` chunk begins anew: a stream reader on a changed id, a resuming chat on the first start, a chat never
    (spec §4.11). After `feed`, `visible` tells whether the reference would have published a snapshot, and
    `updates_status` whether that snapshot makes the chat's status `streaming`.
    """

    def __init__(
        self,
        message: Message | None = None,
        strict: bool = False,
        reset: Reset = "on_id_change",
        *,
        message_id: str = "",
    ) -> None:
        self._strict = strict
        self._handlers = self._table()
        self._reset_rule: Reset = reset
        self._saw_start = False
        self.finish_reason: str | None = None
        self.findings: list[str] = []
        self.visible = False
        self.updates_status = False
        self._index = -1
        if message is not None and message.get("role") == "assistant":
            self._begin({**message, "parts": [copy.deepcopy(part) for part in message["parts"]]})
        else:
            self._begin({"id": message["id"] if message else message_id, "role": "assistant", "parts": []})

    # ── state ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def _begin(self, message: Message) -> None:
        self._head: Message = {key: value for key, value in message.items() if key != "parts"}
        self._parts: list[Part] = message["parts"]
        self._shown: list[Part] = list(self._parts)  # what `message` gave out; replaced, never changed
        self._dirty = set(range(len(self._parts)))
        self._live: dict[int, GrowingText | GrowingInput] = {}  # parts whose text or input is still being written
        self._texts: dict[tuple[str, str], GrowingText] = {}
        self._partial: dict[str, GrowingInput] = {}
        self._index_parts()
        for index in range(self._step, len(self._parts)):
            if is_tool_part(self._parts[index]) and self._parts[index].get("state") == "input-streaming":
                self._restore_partial_call(index)

    def _index_parts(self) -> None:
        """Where the current step begins, and which parts belong to which call, approval and data id."""
        self._step = 0
        self._calls: dict[str, list[int]] = {}
        self._approvals: dict[str, int] = {}
        self._data: dict[tuple[str, Any], int] = {}
        for index, part in enumerate(self._parts):
            self._index_part(index, part)

    def _index_part(self, index: int, part: Part) -> None:
        kind = part["type"]
        if kind == STEP_START:
            self._step = index + 1
        elif is_tool_part(part):
            self._calls.setdefault(part["toolCallId"], []).append(index)
            if part.get("approval"):
                self._approvals.setdefault(part["approval"]["id"], index)
        elif kind.startswith(DATA_PREFIX) and part.get("id") is not None:
            self._data.setdefault((kind, part["id"]), index)

    def _restore_partial_call(self, index: int) -> None:
        """The reference restores the unfinished calls of the last step from their `rawInput`, and no other block."""
        part = self._parts[index]
        call = GrowingInput(part, tool_name(part), part["type"] == DYNAMIC_TOOL)
        self._partial[part["toolCallId"]] = self._live[index] = call
        raw = part.get("rawInput") or ""
        call.raw.feed(raw)
        if not call.is_text:
            call.parser.feed(raw)

    @property
    def message(self) -> Message:
        """The message so far. Parts that did not change are shared between readings: treat it as read-only."""
        for index in self._dirty:
            live = self._live.get(index)
            if isinstance(live, GrowingText):
                self._parts[index]["text"] = live.join()
            elif live is not None:
                self._materialise_input(index, live)
            self._shown[index] = dict(self._parts[index])
        self._dirty.clear()
        return {**self._head, "parts": list(self._shown)}

    def _materialise_input(self, index: int, call: GrowingInput) -> None:
        """Write the value of an unfinished input into its part."""
        part = self._parts[index]
        if "rawInput" not in part:  # before the first delta a part has no input at all
            return
        part["rawInput"] = call.raw.join()
        value = call.value()
        if isinstance(value, Unset):
            part.pop("input", None)
        else:
            part["input"] = value

    def _table(self) -> dict[str, Callable[[Chunk], Iterable[Change]]]:
        """Which method handles which chunk."""
        return {
            "start": self._on_start,
            "finish": self._on_finish,
            "message-metadata": self._on_metadata,
            "start-step": self._on_start_step,
            "reset-step": self._on_reset_step,
            "text-start": self._on_block_start,
            "reasoning-start": self._on_block_start,
            "text-delta": self._on_block_delta,
            "reasoning-delta": self._on_block_delta,
            "text-end": self._on_block_end,
            "reasoning-end": self._on_block_end,
            **dict.fromkeys(PART_KEYS, self._on_part),
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

    # ── feeding ────────────────────────────────────────────────────────────────────────────────────────────────────

    def feed(self, chunk: Chunk) -> tuple[Change, ...]:
        """What the chunk changed, in order; unknown types change nothing.

        Raises `UIMessageStreamError` in strict mode for a chunk out of order. In lenient mode a finding is kept.
        """
        self._index += 1
        self.visible = self.updates_status = False
        kind = chunk.get("type") if isinstance(cast("object", chunk), dict) else None
        if not isinstance(kind, str):
            self._find("; ".join(chunk_problems(chunk)))
            return ()
        handle = self._handlers.get(kind)
        if handle is None and kind.startswith(DATA_PREFIX):
            handle = self._on_data
        if handle is None:
            return ()
        try:
            return tuple(handle(chunk))
        except UIMessageStreamError as error:
            if self._strict:
                raise
            self._find(str(error))
            # A delta may also be malformed, which strict would never have come to see.
            return () if chunk_problems(chunk) else tuple(self._recover(chunk))
        except (KeyError, TypeError, AttributeError, RecursionError) as error:
            # A chunk that the schema would have refused; asked only now, because checking each chunk costs more than
            # reducing it and everything that came through `read_chunk` is checked already.
            # The fault may also lie in an earlier one that was let through.
            if self._strict:
                raise
            is_deep = isinstance(error, RecursionError)
            problems = ["nested too deep"] if is_deep else chunk_problems(chunk) or [f"cannot be applied: {error}"]
            self._find("; ".join(problems))
            return ()

    def _find(self, text: str) -> None:
        self.findings.append(f"chunk {self._index}: {text}")

    def _recover(self, chunk: Chunk) -> Iterable[Change]:
        """Lenient only: a delta without its start opens the block; anything else is left out, with its finding."""
        family, _, what = chunk["type"].partition("-")
        if what == "delta" and family in ("text", "reasoning"):
            yield from self._open_block(family, {"type": f"{family}-start", "id": chunk["id"]})
            yield from self._on_block_delta(chunk)

    def _published(self, status: bool = True) -> None:
        self.visible = True
        self.updates_status = status

    def _push(self, part: Part) -> Change:
        index = len(self._parts)
        self._parts.append(part)
        self._shown.append(part)
        self._dirty.add(index)
        self._index_part(index, part)
        return Change(index, (), "add", dict(part))

    def _set(self, index: int, key: str, value: Any) -> Iterator[Change]:
        """Assign or (with `UNSET`) remove one key of a part; gives a change only when something changed."""
        part = self._parts[index]
        self._dirty.add(index)
        if isinstance(value, Unset):
            if key in part:
                del part[key]
                yield Change(index, (key,), "remove")
        elif key not in part or part[key] is not value:
            part[key] = value
            yield Change(index, (key,), "set", value)

    # ── the message ────────────────────────────────────────────────────────────────────────────────────────────────

    def _on_start(self, chunk: Chunk) -> Iterator[Change]:
        message_id = chunk.get("messageId")
        first, self._saw_start = not self._saw_start, True
        changed_id = message_id is not None and message_id != self._head["id"]
        if (self._reset_rule == "on_first_start" and (first or changed_id)) or (
            self._reset_rule == "on_id_change" and changed_id
        ):
            self.finish_reason = None
            self._begin(
                {"id": self._head["id"] if message_id is None else message_id, "role": "assistant", "parts": []}
            )
            self._published(status=False)
            yield Change(MESSAGE, (), "set", {**self._head, "parts": []})
        if message_id is not None:
            self._published(status=False)
            if changed_id and self._head["id"] != message_id:
                self._head["id"] = message_id
                yield Change(MESSAGE, ("id",), "set", message_id)
        yield from self._merge_metadata(chunk, status=False)

    def _on_finish(self, chunk: Chunk) -> Iterator[Change]:
        if chunk.get("finishReason") is not None:
            self.finish_reason = chunk["finishReason"]
        return self._merge_metadata(chunk)

    def _on_metadata(self, chunk: Chunk) -> Iterator[Change]:
        return self._merge_metadata(chunk)

    def _merge_metadata(self, chunk: Chunk, status: bool = True) -> Iterator[Change]:
        metadata = chunk.get("messageMetadata")
        if metadata is None:
            return
        self._published(status)
        old = self._head.get("metadata")
        merged = metadata if old is None else merge_metadata(old, metadata)
        self._head = {"id": self._head["id"], "metadata": merged, "role": self._head["role"]}
        yield Change(MESSAGE, ("metadata",), "set", merged)

    def _on_start_step(self, _chunk: Chunk) -> Iterator[Change]:
        yield self._push({"type": STEP_START})

    def _on_reset_step(self, _chunk: Chunk) -> Iterator[Change]:
        for text in self._texts.values():
            self._parts[text.index]["text"] = text.join()
        self._texts.clear()
        self._partial.clear()
        self._live.clear()
        removed = range(len(self._parts) - 1, self._step - 1, -1)
        for index in removed:
            yield Change(index, (), "remove")
        if removed:
            self._published()
            del self._parts[self._step :]
            del self._shown[self._step :]
            self._dirty = {index for index in self._dirty if index < self._step}
            self._index_parts()

    # ── text and reasoning ─────────────────────────────────────────────────────────────────────────────────────────

    def _open_block(self, family: str, chunk: Chunk) -> Iterator[Change]:
        part: Part = (
            {"type": family, "text": ""} if family == "text" else {"type": family, "id": chunk["id"], "text": ""}
        )
        if "providerMetadata" in chunk:
            part["providerMetadata"] = chunk["providerMetadata"]
        part["state"] = "streaming"
        if (family, chunk["id"]) in self._texts:
            yield from self._close_text(family, chunk["id"])
        change = self._push(part)
        self._texts[family, chunk["id"]] = self._live[change.part] = GrowingText(change.part)
        self._published()
        yield change

    def _on_block_start(self, chunk: Chunk) -> Iterator[Change]:
        return self._open_block(chunk["type"].partition("-")[0], chunk)

    def _block_of(self, chunk: Chunk) -> tuple[str, GrowingText]:
        kind, family = chunk["type"], chunk["type"].partition("-")[0]
        text = self._texts.get((family, chunk["id"]))
        if text is None:
            raise UIMessageStreamError(
                kind,
                chunk["id"],
                f'Received {kind} for missing {family} part with ID "{chunk["id"]}". '
                f'Ensure a "{family}-start" chunk is sent before any "{kind}" chunks.',
            )
        return family, text

    def _on_block_delta(self, chunk: Chunk) -> Iterator[Change]:
        _, text = self._block_of(chunk)
        self._dirty.add(text.index)
        self._published()
        shown = text.feed(chunk["delta"])
        if shown:
            yield Change(text.index, ("text",), "append", shown)
        if chunk.get("providerMetadata") is not None:
            yield from self._set(text.index, "providerMetadata", chunk["providerMetadata"])

    def _on_block_end(self, chunk: Chunk) -> Iterator[Change]:
        family, text = self._block_of(chunk)
        yield from self._close_text(family, chunk["id"])
        yield from self._set(text.index, "state", "done")
        self._published()
        for key in ("citations", "providerMetadata"):
            if chunk.get(key) is not None:
                yield from self._set(text.index, key, chunk[key])

    def _close_text(self, family: str, block: str) -> list[Change]:
        """Take a block out of the active ones; its text is joined for good."""
        text = self._texts.pop((family, block), None)
        if text is None:
            return []
        del self._live[text.index]
        self._dirty.add(text.index)
        self._parts[text.index]["text"] = text.join()
        return [Change(text.index, ("text",), "append", text.half)] if text.half else []

    # ── files, sources, data ───────────────────────────────────────────────────────────────────────────────────────

    def _on_part(self, chunk: Chunk) -> Iterator[Change]:
        self._published()
        yield self._push(plain_part(chunk))

    def _on_data(self, chunk: Chunk) -> Iterator[Change]:
        if chunk.get("transient"):
            return
        self._published()
        known = self._data.get((chunk["type"], chunk["id"])) if chunk.get("id") is not None else None
        if known is None:
            yield self._push(dict(chunk))
        else:
            self._dirty.add(known)
            self._parts[known]["data"] = chunk["data"]
            yield Change(known, ("data",), "set", chunk["data"])

    # ── tools ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def _find_call(self, call_id: str) -> int:
        """First tool part of the current step with this id, else the last one of the whole message."""
        places = self._calls.get(call_id)
        if not places:
            text = f'No tool invocation found for tool call ID "{call_id}".'
            raise UIMessageStreamError("tool-invocation", call_id, text)
        first_in_step = bisect_left(places, self._step)
        return places[first_in_step] if first_in_step < len(places) else places[-1]

    def _find_in_step(self, call_id: str, dynamic: bool | None) -> int | None:
        """First tool part of the current step with this id and kind (`None`: either kind)."""
        places = self._calls.get(call_id, [])
        for index in places[bisect_left(places, self._step) :]:
            if dynamic is None or (self._parts[index]["type"] == DYNAMIC_TOOL) == dynamic:
                return index
        return None

    def _upsert(
        self, call_id: str, name: str, dynamic: bool, state: str, chunk: Mapping[str, Any], **values: Any
    ) -> Iterator[Change]:
        """Update the call's part in the current step or push a new one (spec §4.3)."""
        self._published()
        index = self._find_in_step(call_id, dynamic)
        if index is None:
            yield self._push(new_tool_part(call_id, name, dynamic, state, chunk, values))
            return
        if dynamic:
            yield from self._set(index, "toolName", name)
        else:
            yield from self._set(index, "type", TOOL_PREFIX + name)
        for key in ("title", "toolMetadata"):
            if chunk.get(key) is not None:
                yield from self._set(index, key, chunk[key])
        yield from self._update(index, state, chunk, values)

    def _update(self, index: int, state: str, chunk: Mapping[str, Any], values: Mapping[str, Any]) -> Iterator[Change]:
        """Set what is given, reset what is not, keep what a call carries through its life."""
        self._live.pop(index, None)
        yield from self._set(index, "state", state)
        yield from self._set(index, "inputEncoding", values.get("inputEncoding", UNSET))
        for key in RESET_KEYS:
            yield from self._set(index, key, values.get(key, UNSET))
        if chunk.get("providerExecuted") is not None:
            yield from self._set(index, "providerExecuted", chunk["providerExecuted"])
        if chunk.get("providerMetadata") is not None:
            yield from self._set(index, metadata_key(state), chunk["providerMetadata"])

    def _on_input_start(self, chunk: Chunk) -> Iterator[Change]:
        call_id, dynamic = chunk["toolCallId"], chunk.get("dynamic") is True
        call = self._partial[call_id] = GrowingInput(chunk, chunk["toolName"], dynamic)
        yield from self._upsert(call_id, call.name, dynamic, "input-streaming", chunk, inputEncoding=call.encoding)

    def _on_input_delta(self, chunk: Chunk) -> Iterator[Change]:
        call_id = chunk["toolCallId"]
        call = self._partial.get(call_id)
        if call is None:
            raise UIMessageStreamError(
                "tool-input-delta",
                call_id,
                f'Received tool-input-delta for missing tool call with ID "{call_id}". '
                'Ensure a "tool-input-start" chunk is sent before any "tool-input-delta" chunks.',
            )
        delta = chunk["inputTextDelta"]
        index = self._find_in_step(call_id, call.dynamic)
        if (
            index is None
            or self._parts[index].get("state") != "input-streaming"
            or "rawInput" not in self._parts[index]
        ):
            yield from self._first_delta(call_id, call, delta)
        else:
            self._published()
            self._dirty.add(index)
            shown = call.raw.feed(delta)
            if shown:
                yield Change(index, ("rawInput",), "append", shown)
            yield from self._input_changes(index, call, delta, shown)

    def _first_delta(self, call_id: str, call: GrowingInput, delta: str) -> Iterator[Change]:
        """The first delta of a part, and the strange one after the input was complete: the whole input is set."""
        call.raw.feed(delta)
        if not call.is_text:
            call.parser.feed(delta)
        yield from self._upsert(
            call_id,
            call.name,
            call.dynamic,
            "input-streaming",
            call.labels,
            input=call.value(),
            rawInput=call.raw.join(),
            inputEncoding=call.encoding,
        )
        index = self._find_in_step(call_id, call.dynamic)
        assert index is not None  # the upsert made or found it
        self._live[index] = call

    def _input_changes(self, index: int, call: GrowingInput, delta: str, shown: str) -> Iterator[Change]:
        """The unfinished input as path operations, never as text to be parsed again (decisions §7)."""
        if not call.is_text:
            for path, op, value in call.parser.feed(delta):
                yield Change(index, ("input", *path), op, value)
        elif shown:
            yield Change(index, ("input",), "append", shown)

    def _on_input_available(self, chunk: Chunk) -> Iterator[Change]:
        return self._upsert(
            chunk["toolCallId"],
            chunk["toolName"],
            chunk.get("dynamic") is True,
            "input-available",
            chunk,
            input=chunk.get("input", UNSET),
        )

    def _on_input_error(self, chunk: Chunk) -> Iterator[Change]:
        known = self._find_in_step(chunk["toolCallId"], None)
        dynamic = chunk.get("dynamic") is True
        if known is not None:
            dynamic = self._parts[known]["type"] == DYNAMIC_TOOL
        without_title = {key: value for key, value in chunk.items() if key != "title"}
        return self._upsert(
            chunk["toolCallId"],
            chunk["toolName"],
            dynamic,
            "output-error",
            without_title,
            input=chunk.get("input", UNSET),
            errorText=chunk["errorText"],
        )

    def _on_approval_request(self, chunk: Chunk) -> Iterator[Change]:
        index = self._find_call(chunk["toolCallId"])
        approval = approval_of(chunk)
        old = self._parts[index].get("approval")
        if old and self._approvals.get(old["id"]) == index:
            del self._approvals[old["id"]]
        self._approvals[approval["id"]] = min(index, self._approvals.get(approval["id"], index))
        self._published()
        yield from self._set(index, "state", "approval-requested")
        yield from self._set(index, "approval", approval)

    def _on_approval_response(self, chunk: Chunk) -> Iterator[Change]:
        approval_id = chunk["approvalId"]
        index = self._approvals.get(approval_id)
        if index is None:
            text = f'No tool invocation found for approval ID "{approval_id}".'
            raise UIMessageStreamError("tool-approval-response", approval_id, text)
        approval = {**self._parts[index]["approval"], "id": approval_id, "approved": chunk["approved"]}
        if chunk.get("reason") is not None:
            approval["reason"] = chunk["reason"]
        self._published()
        yield from self._set(index, "state", "approval-responded")
        yield from self._set(index, "approval", approval)
        if chunk.get("providerExecuted") is not None:
            yield from self._set(index, "providerExecuted", chunk["providerExecuted"])
        if chunk.get("providerMetadata") is not None:
            yield from self._set(index, "callProviderMetadata", chunk["providerMetadata"])

    def _on_denied(self, chunk: Chunk) -> Iterator[Change]:
        index = self._find_call(chunk["toolCallId"])
        self._published()
        yield from self._set(index, "state", "output-denied")

    def _on_output(self, chunk: Chunk) -> Iterator[Change]:
        """`tool-output-available` and `tool-output-error`: the input stays, what the other one left is reset."""
        index = self._find_call(chunk["toolCallId"])
        part = self._parts[index]
        live = self._live.get(index)
        if isinstance(live, GrowingInput):
            self._materialise_input(index, live)
        values: dict[str, Any] = {"input": part.get("input", UNSET)}
        if "inputEncoding" in part:
            values["inputEncoding"] = part["inputEncoding"]
        if chunk["type"] == "tool-output-available":
            values |= {"output": chunk.get("output", UNSET), "preliminary": chunk.get("preliminary", UNSET)}
            state = "output-available"
        else:
            values |= {"errorText": chunk["errorText"]}
            if part["type"] != DYNAMIC_TOOL:
                values["rawInput"] = part.get("rawInput", UNSET)
            state = "output-error"
        self._published()
        if chunk.get("toolMetadata") is not None:
            yield from self._set(index, "toolMetadata", chunk["toolMetadata"])
        yield from self._update(index, state, chunk, values)


def read_ui_message_stream(
    chunks: Iterable[Chunk], *, message: Message | None = None, strict: bool = False
) -> Iterator[Message]:
    """The message after each chunk that shows something, as `readUIMessageStream` of `ai` 7.0.173 yields it.

    In strict mode iteration raises `UIMessageStreamError` at a chunk out of order.
    """
    reducer = MessageReducer(message, strict=strict, reset="on_id_change")
    for chunk in chunks:
        reducer.feed(chunk)
        if reducer.visible:
            yield reducer.message
