"""Chunks to a message: the one reducer of the lab.

Stage: reducer. `feed` says what a chunk changed; `message` is the message so far, `snapshot()` keeps it for later.
Strict behaves as `ai` 7.0.173 does, its errors included; lenient (the default) is strict, but recovers where strict
would raise, and keeps a finding. Values of chunks are copied: message and chunks share nothing that can change.
Cost: what a delta costs does not grow with what came before, and neither does a snapshot.
Source: `processUIMessageStream` of `ai` 7.0.173 (spec §4); recorded: tests/golden/reduce.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, cast

from aisdk_lab.reducer.changes import MESSAGE, Change, UIMessageStreamError
from aisdk_lab.reducer.growing_message import GrowingMessage
from aisdk_lab.reducer.snapshot import Snapshot
from aisdk_lab.reducer.text_blocks import TextBlocks
from aisdk_lab.reducer.tool_calls import ToolCalls
from aisdk_lab.ui_stream.chunks import UNSET, Chunk
from aisdk_lab.ui_stream.grammar import CHUNKS, DATA_PREFIX
from aisdk_lab.ui_stream.javascript import copied, identity, is_truthy, js_text
from aisdk_lab.ui_stream.messages import STEP_START, Message, Part, is_tool_part
from aisdk_lab.ui_stream.parts import PART_KEYS, given, is_nullish, merge_metadata, plain_part
from aisdk_lab.ui_stream.validate import chunk_problems

Reset = Literal["on_id_change", "on_first_start", "never"]

_STRINGS = {
    kind: tuple(name for name, field in rule.fields.items() if field.required and field.kind == "string")
    for kind, rule in CHUNKS.items()
}
"""The fields of each chunk that make JavaScript's texts of whatever they hold: `undefined`, `[object Object]`."""


class MessageReducer:
    """Feeds on chunks, answers with changes, holds the message.

    `message` is continued when it is an assistant message (a copy: the caller's stays as it is). `reset` says when a
    `start` chunk begins anew: a stream reader on a changed id, a resuming chat on the first start, a chat never
    (spec §4.11). After `feed`, `visible` tells whether the reference would have published a snapshot, and
    `updates_status` whether that snapshot makes the chat's status `streaming`. Raises `TypeError` when `message` is no
    mapping, or holds what JSON cannot.
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
        self._reset_rule: Reset = reset
        self._saw_start = False
        self.finish_reason: str | None = None
        self.findings: list[str] = []
        self.visible = False
        self.updates_status = False
        self._version = 0  # how many chunks were fed
        if message is not None and not isinstance(cast("object", message), Mapping):
            raise TypeError(
                f"the message to go on with is a {type(message).__name__}. "
                "Give a dict with id, role and parts, a Snapshot, or None for a new message"
            )
        if message is not None and message.get("role") == "assistant":
            self._begin({**copied({**message, "parts": None}), "parts": None}, _restored(message, strict))
        else:
            old_id = None if message is None else message.get("id")
            self._begin(_head(message_id if old_id is None else copied(old_id)), [])

    def _begin(self, head: Message, parts: list[Part]) -> None:
        self._message = message = GrowingMessage(head, parts, self._version)
        self._texts = TextBlocks(message, "text")
        self._reasonings = TextBlocks(message, "reasoning")
        self._tools = tools = ToolCalls(message)
        self._data: dict[tuple[str, Any], int] = {}
        self._open_texts, self._open_reasonings, self._partial_calls = (
            self._texts.open,
            self._reasonings.open,
            tools.partial,
        )
        self._handlers = self._table()
        for index, part in enumerate(parts):
            self._note(index, part)
        for index in range(tools.step, len(parts)):
            if is_tool_part(parts[index]) and parts[index].get("state") == "input-streaming":
                self._restore(index, parts[index])

    def _restore(self, index: int, part: Part) -> None:
        try:
            self._tools.restore(index, part, self._version)
        except (
            TypeError,
            ValueError,
            RecursionError,
        ) as error:  # an id or a raw input that is no text and cannot become one
            if self._strict:
                raise
            self.findings.append(f"part {index} of the message that goes on: {error}")

    def _table(self) -> Mapping[str, Callable[[Chunk], None]]:
        """Which method handles which chunk."""
        return {
            "start": self._on_start,
            "finish": self._on_finish,
            "message-metadata": self._on_metadata,
            "start-step": self._on_start_step,
            "reset-step": self._on_reset_step,
            **self._shown({**self._texts.handlers, **self._reasonings.handlers, **self._tools.handlers}),
            **self._shown(dict.fromkeys(PART_KEYS, self._on_part)),
        }

    def _shown(self, handlers: Mapping[str, Callable[[Chunk], None]]) -> Mapping[str, Callable[[Chunk], None]]:
        """Handlers of chunks that always publish a snapshot."""

        def shown(handle: Callable[[Chunk], None]) -> Callable[[Chunk], None]:
            def handle_and_publish(chunk: Chunk) -> None:
                handle(chunk)
                self._published()

            return handle_and_publish

        return {kind: shown(handle) for kind, handle in handlers.items()}

    # ── reading ────────────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def message(self) -> Message:
        """The message so far. Parts that did not change are shared between readings: treat it as read-only."""
        return self._message.message()

    def snapshot(self) -> Snapshot:
        """The message so far, to be kept: it costs the same for every length, and is put together when it is read."""
        self._message.seen = self._version
        return Snapshot(self._message, self._version)

    def live_input(self, tool_call_id: str) -> Any:  # any JSON value, or UNSET
        """The input of a call that is being written, as it shows now, without a copy.

        It is the parser's own value: the next `feed` changes it, so look and let go (`snapshot` is for keeping), and
        never change it. `UNSET` when no such call is being written or nothing of it can be shown.
        """
        call = self._partial_calls.get(tool_call_id)
        return UNSET if call is None else call.live_value()

    # ── feeding ────────────────────────────────────────────────────────────────────────────────────────────────────

    def feed(self, chunk: Chunk) -> tuple[Change, ...]:
        """What the chunk changed, in order; unknown types change nothing.

        Raises in strict mode `UIMessageStreamError` for a chunk out of order, and `TypeError` with the text of
        JavaScript's where a malformed chunk makes the reference stumble. In lenient mode a finding is kept.
        """
        self._version = version = self._version + 1
        # Nearly all chunks of a long stream are plain deltas of something open: these few lines are for them, and
        # decide nothing that `_feed_any` would decide otherwise.
        growth, delta, is_plain = None, None, False
        try:
            kind = chunk["type"]
            if kind == "text-delta":
                growth, delta = self._open_texts[chunk["id"]], chunk["delta"]
                is_plain = len(chunk) == 3
            elif kind == "tool-input-delta":
                growth, delta = self._partial_calls[chunk["toolCallId"]], chunk["inputTextDelta"]
                is_plain = growth.step == self._tools.step
            elif kind == "reasoning-delta":
                growth, delta = self._open_reasonings[chunk["id"]], chunk["delta"]
                is_plain = len(chunk) == 3
        except (LookupError, TypeError, ValueError):  # out of order or malformed
            is_plain = False
        if growth is None or not is_plain or type(delta) is not str or not delta:
            return self._feed_any(chunk)
        if self._message.hot is not growth:
            self._message.heat(growth.index, growth, version)
        self.visible = self.updates_status = True
        return growth.grow(delta, version)

    def _feed_any(self, chunk: Chunk) -> tuple[Change, ...]:
        self._message.version = self._version
        self.visible = self.updates_status = False
        try:
            handle = self._handler_of(chunk)
            if handle is not None:
                handle(chunk)
                self._check(chunk)
        except (UIMessageStreamError, TypeError, ValueError, RecursionError) as error:
            if self._strict:
                raise
            self._recover(chunk, error)
        changes, self._message.changes = tuple(self._message.changes), []
        return changes

    def _handler_of(self, chunk: Chunk) -> Callable[[Chunk], None] | None:
        value = cast("object", chunk)  # a caller may be wrong about it
        if not isinstance(value, dict):
            what = "null (reading 'type')" if value is None else "undefined (reading 'startsWith')"
            raise TypeError(f"Cannot read properties of {what}")
        kind = chunk.get("type", UNSET)
        if not isinstance(kind, str):
            if is_nullish(kind):
                raise TypeError(
                    f"Cannot read properties of {'undefined' if kind is UNSET else 'null'} (reading 'startsWith')"
                )
            raise TypeError("chunk.type.startsWith is not a function")
        handle = self._handlers.get(kind)
        return self._on_data if handle is None and kind.startswith(DATA_PREFIX) else handle

    def _recover(self, chunk: Chunk, error: Exception) -> None:
        """Lenient only: a delta without its start opens the block; anything else is left out, with its finding."""
        is_order = isinstance(error, UIMessageStreamError)
        # Asked only now, because checking each chunk costs more than reducing it, and everything that came through
        # `read_chunk` is checked already.
        problems = _problems(chunk)
        self._find(str(error) if is_order or not problems else "; ".join(problems))
        if is_order and not problems and chunk["type"] in ("text-delta", "reasoning-delta"):
            blocks = self._texts if chunk["type"] == "text-delta" else self._reasonings
            blocks.start({"id": js_text(chunk["id"])})
            self._handlers[chunk["type"]](chunk)

    def _check(self, chunk: Chunk) -> None:
        """Keep a finding where JavaScript made a text of something else."""
        for name in _STRINGS.get(chunk["type"], ()):
            if type(chunk.get(name)) is not str:
                self._find("; ".join(_problems(chunk)))
                break

    def _find(self, text: str) -> None:
        self.findings.append(f"chunk {self._version - 1}: {text}")

    def _published(self, status: bool = True) -> None:
        self.visible = True
        self.updates_status = status

    # ── a chat's own acts ──────────────────────────────────────────────────────────────────────────────────────────

    def put_part(self, index: int, part: Part) -> tuple[Change, ...]:
        """Put another version of a part in its place: an answer that the client gives itself. The type stays.

        The message and the snapshots taken from now on have it; the part is copied.
        """
        self._version += 1
        self._message.version = self._version
        old = self._message.edit(index)
        # A key that goes away keeps its place, as everywhere here.
        new = {**dict.fromkeys(old, UNSET), **copied(part)}
        self._tools.replace(index, old, new)
        self._message.put(index, new)
        changes, self._message.changes = tuple(self._message.changes), []
        return changes

    def rejoin(self, reset: Reset) -> None:
        """Go on with the chunks of another stream, whose `start` may begin anew: a response that is resumed."""
        self._reset_rule = reset
        self._saw_start = False

    # ── the message ────────────────────────────────────────────────────────────────────────────────────────────────

    def _on_start(self, chunk: Chunk) -> None:
        message_id = given(chunk, "messageId")
        has_id = not is_nullish(message_id)
        first, self._saw_start = not self._saw_start, True
        key = identity(message_id)
        changed_id = has_id and (key is None or key != identity(self._message.head.get("id", UNSET)))
        reset = self._reset_rule != "never" and (changed_id or (first and self._reset_rule == "on_first_start"))
        if reset:
            self.finish_reason = None
            self._begin(_head(message_id if has_id else self._message.head.get("id", UNSET)), [])
            self._message.version = self._version
            whole = {key: value for key, value in self._message.head.items() if value is not UNSET}
            self._message.changes.append(Change(MESSAGE, (), "set", {**whole, "parts": []}))
        if has_id:
            self._message.set_head({"id": message_id})
        self._merge_metadata(chunk)
        if reset or has_id or not is_nullish(chunk.get("messageMetadata")):
            self._published(status=False)

    def _on_finish(self, chunk: Chunk) -> None:
        if not is_nullish(chunk.get("finishReason")):
            self.finish_reason = given(chunk, "finishReason")
        self._on_metadata(chunk)

    def _on_metadata(self, chunk: Chunk) -> None:
        self._merge_metadata(chunk)
        if not is_nullish(chunk.get("messageMetadata")):
            self._published()

    def _merge_metadata(self, chunk: Chunk) -> None:
        metadata = given(chunk, "messageMetadata")
        if is_nullish(metadata):
            return
        old = self._message.head.get("metadata")
        self._message.set_head({"metadata": metadata if is_nullish(old) else merge_metadata(old, metadata)})

    # ── steps and plain parts ──────────────────────────────────────────────────────────────────────────────────────

    def _note(self, index: int, part: Part) -> None:
        """Remember what later chunks look a part up by."""
        kind = part["type"]
        if kind == STEP_START:
            self._tools.step = index + 1
        elif kind.startswith(DATA_PREFIX):
            key = identity(part.get("id", UNSET))
            if key is not None and not is_nullish(part.get("id")):
                self._data.setdefault((kind, key), index)
        else:
            self._tools.add(index, part)

    def _push(self, part: Part) -> None:
        self._note(self._message.push(part), part)

    def _on_start_step(self, _chunk: Chunk) -> None:
        self._push({"type": STEP_START})

    def _on_reset_step(self, _chunk: Chunk) -> None:
        self._texts.clear()
        self._reasonings.clear()
        self._partial_calls.clear()
        step, length = self._tools.step, len(self._message)
        for index in range(length - 1, step - 1, -1):
            part = self._message.part(index)
            self._tools.drop(index, part)
            if part["type"].startswith(DATA_PREFIX):
                key = part["type"], identity(part.get("id", UNSET))
                if self._data.get(key) == index:
                    del self._data[key]
        if step < length:
            self._message.truncate(step)
            self._published()

    def _on_part(self, chunk: Chunk) -> None:
        self._push(plain_part(chunk))

    def _on_data(self, chunk: Chunk) -> None:
        if is_truthy(chunk.get("transient", UNSET)):
            return
        key = identity(chunk.get("id", UNSET))
        known = None if key is None or is_nullish(chunk.get("id")) else self._data.get((chunk["type"], key))
        if known is None:
            self._push(copied(chunk))
        else:
            part = self._message.edit(known)
            part["data"] = given(chunk, "data")
            self._message.put(known, part)
        self._published()


def _problems(chunk: Chunk) -> list[str]:
    """What the schema has against a chunk."""
    try:
        return chunk_problems(chunk)
    except (RecursionError, ValueError, OverflowError):  # or an integer of more digits than Python prints
        return ["a value is too deep or too long to be looked at"]


def _head(message_id: Any) -> Message:
    """The keys of a new message in the order of the reference."""
    return {"id": message_id, "metadata": UNSET, "role": "assistant", "parts": None}


def _restored(message: Message, strict: bool) -> list[Part]:
    """Copies of the parts of a message that goes on; lenient leaves out what is no part at all."""
    parts: Any = message.get("parts")
    good = (
        [part for part in parts if isinstance(part, dict) and isinstance(part.get("type"), str)]
        if isinstance(parts, list)
        else []
    )
    if strict and (not isinstance(parts, list) or len(good) < len(parts)):
        raise TypeError("the message that goes on holds a part that is no object with a type")
    return copied(good)
