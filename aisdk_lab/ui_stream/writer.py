"""Say what happened, get legal chunks.

Stage: ui_stream. One `ChunkWriter` serves scripted agents, translators and the awaken projection: it opens and closes
blocks and steps, so that its caller cannot emit an illegal stream. Every method returns the chunks to send, in order;
saying something illegal is a bug of ours and raises `ChunkError`.
Source: order rules of `ai` 7.0.173 (spec §4.5, §7.1); key order of the reference server (spec §2.4).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from aisdk_lab.errors import ChunkError
from aisdk_lab.ui_stream import grammar
from aisdk_lab.ui_stream.chunks import UNSET, Chunk, Unset
from aisdk_lab.ui_stream.validate import chunk_problems

BlockKind = Literal["text", "reasoning"]


class ChunkWriter:
    """Keeps what is open, and refuses what cannot follow.

    `block_id(kind, n)` names the n-th text or reasoning block of the stream; the default gives `txt-0`, `reasoning-0`.
    A run that continues an assistant message passes `known_calls`: the states of the calls which the message has.
    """

    def __init__(
        self,
        *,
        block_id: Callable[[BlockKind, int], str] | None = None,
        known_calls: dict[str, str] | None = None,
    ) -> None:
        self._block_id = block_id or (lambda kind, n: f"{'txt' if kind == 'text' else 'reasoning'}-{n}")
        self._counts: dict[str, int] = {"text": 0, "reasoning": 0}
        self._open: tuple[BlockKind, str] | None = None
        self._calls: dict[str, str] = dict(known_calls or {})
        self._preliminary: set[str] = set()
        self._index = 0
        self._started = False
        self._in_step = False
        self._ended = False

    @property
    def in_step(self) -> bool:
        """True between `start-step` and `finish-step`."""
        return self._in_step

    @property
    def ended(self) -> bool:
        """True after `finish`, `abort` or `close`; nothing may follow."""
        return self._ended

    # ── the message ────────────────────────────────────────────────────────────────────────────────────────────────

    def start(self, message_id: str | None = None, metadata: Any = UNSET) -> list[Chunk]:
        """The message begins; once, and first."""
        if self._started:
            raise self._illegal("start", "the message has already started")
        self._started = True
        return [self._chunk("start", messageMetadata=metadata, messageId=UNSET if message_id is None else message_id)]

    def metadata(self, metadata: Any) -> list[Chunk]:
        """Metadata that is merged into the message."""
        return [self._chunk("message-metadata", messageMetadata=metadata)]

    def error(self, text: str) -> list[Chunk]:
        """Something failed; a chat client stops reading here."""
        return [*self.end_block(), self._chunk("error", errorText=text)]

    def abort(self, reason: str | None = None) -> list[Chunk]:
        """The run was stopped; blocks and the step stay open, as the reference leaves them (spec §7.9)."""
        chunk = self._chunk("abort", reason=UNSET if reason is None else reason)
        self._ended = True
        return [chunk]

    def finish(self, reason: str | None = None, metadata: Any = UNSET) -> list[Chunk]:
        """The message ends; an open block and step are closed first."""
        chunks = self.finish_step() if self._in_step else self.end_block()
        finish = self._chunk("finish", finishReason=UNSET if reason is None else reason, messageMetadata=metadata)
        self._ended = True
        return [*chunks, finish]

    # ── steps and blocks ───────────────────────────────────────────────────────────────────────────────────────────

    def start_step(self) -> list[Chunk]:
        """A model call begins; a step that is still open is finished first."""
        chunks = self.finish_step() if self._in_step else []
        chunks.append(self._chunk("start-step"))
        self._in_step = True
        return chunks

    def finish_step(self) -> list[Chunk]:
        """The model call ends; an open block is closed first."""
        if not self._in_step:
            raise self._illegal("finish-step", "no step is open")
        chunks = [*self.end_block(), self._chunk("finish-step")]
        self._in_step = False
        return chunks

    def text(self, delta: str) -> list[Chunk]:
        """More text; opens a text block when none is open. An empty delta gives nothing."""
        return self._block("text", delta)

    def reasoning(self, delta: str) -> list[Chunk]:
        """More reasoning; opens a reasoning block when none is open. An empty delta gives nothing."""
        return self._block("reasoning", delta)

    def open_reasoning(self) -> list[Chunk]:
        """A reasoning block without bytes, for agents that show only that they think."""
        return [] if self._open and self._open[0] == "reasoning" else self._open_block("reasoning")

    def end_block(self) -> list[Chunk]:
        """Close the open text or reasoning block, if there is one."""
        if self._open is None:
            return []
        kind, block = self._open
        self._open = None
        return [self._chunk(f"{kind}-end", id=block)]

    def _block(self, kind: BlockKind, delta: str) -> list[Chunk]:
        if not delta:
            return []
        chunks = [] if self._open and self._open[0] == kind else self._open_block(kind)
        assert self._open is not None
        return [*chunks, self._chunk(f"{kind}-delta", id=self._open[1], delta=delta)]

    def _open_block(self, kind: BlockKind) -> list[Chunk]:
        self._need_step(f"{kind}-start")
        chunks = self.end_block()
        block = self._block_id(kind, self._counts[kind])
        self._counts[kind] += 1
        self._open = (kind, block)
        return [*chunks, self._chunk(f"{kind}-start", id=block)]

    # ── tools ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def tool_input_start(self, call_id: str, name: str, **fields: Any) -> list[Chunk]:
        """The model begins to write the input of a call; `fields` are further fields of the chunk."""
        self._need_step("tool-input-start")
        return [
            *self.end_block(),
            self._tool("tool-input-start", call_id, toolName=name, **fields),
        ]

    def tool_input_delta(self, call_id: str, delta: str) -> list[Chunk]:
        """More of the input's JSON text."""
        return [self._tool("tool-input-delta", call_id, inputTextDelta=delta)] if delta else []

    def tool_input(self, call_id: str, name: str, value: Any, **fields: Any) -> list[Chunk]:
        """The input is complete."""
        self._need_step("tool-input-available")
        return [*self.end_block(), self._tool("tool-input-available", call_id, toolName=name, input=value, **fields)]

    def tool_input_error(self, call_id: str, name: str, value: Any, text: str, **fields: Any) -> list[Chunk]:
        """The input is not valid; the call is over."""
        self._need_step("tool-input-error")
        fields = {"toolName": name, "input": value, **fields, "errorText": text}
        return [*self.end_block(), self._tool("tool-input-error", call_id, **fields)]

    def approval_request(self, call_id: str, approval_id: str, **fields: Any) -> list[Chunk]:
        """The call waits for a decision (with `isAutomatic=True`: the decision follows by itself)."""
        chunk = self._chunk("tool-approval-request", approvalId=approval_id, toolCallId=call_id, **fields)
        self._move("tool-approval-request", call_id)
        return [chunk]

    def approval_response(self, call_id: str, approval_id: str, approved: bool, **fields: Any) -> list[Chunk]:
        """The decision of a call, when the server made or relays it."""
        chunk = self._chunk("tool-approval-response", approvalId=approval_id, approved=approved, **fields)
        self._move("tool-approval-response", call_id)
        return [chunk]

    def tool_output(self, call_id: str, output: Any, *, preliminary: bool = False, **fields: Any) -> list[Chunk]:
        """The result of a call; a preliminary one is replaced by the next."""
        flag = True if preliminary else UNSET
        chunk = self._tool("tool-output-available", call_id, output=output, preliminary=flag, **fields)
        (self._preliminary.add if preliminary else self._preliminary.discard)(call_id)
        return [*self.end_block(), chunk]

    def tool_error(self, call_id: str, text: str, **fields: Any) -> list[Chunk]:
        """The call failed."""
        return [*self.end_block(), self._tool("tool-output-error", call_id, errorText=text, **fields)]

    def tool_denied(self, call_id: str) -> list[Chunk]:
        """The call was denied and will not run."""
        return [*self.end_block(), self._tool("tool-output-denied", call_id)]

    # ── parts without a life of their own ──────────────────────────────────────────────────────────────────────────

    def data(self, name: str, data: Any, *, id: str | None = None, transient: bool = False) -> list[Chunk]:
        """A `data-<name>` chunk; the same `id` replaces in place, a transient one is not stored."""
        return [
            self._chunk(
                grammar.DATA_PREFIX + name,
                id=UNSET if id is None else id,
                data=data,
                transient=True if transient else UNSET,
            )
        ]

    def source_url(self, source_id: str, url: str, title: str | None = None) -> list[Chunk]:
        """A link that the answer rests on."""
        title_or_unset = UNSET if title is None else title
        return [*self.end_block(), self._chunk("source-url", sourceId=source_id, url=url, title=title_or_unset)]

    def source_document(self, source_id: str, media_type: str, title: str, filename: str | None = None) -> list[Chunk]:
        """A document that the answer rests on."""
        name = UNSET if filename is None else filename
        return [
            *self.end_block(),
            self._chunk("source-document", sourceId=source_id, mediaType=media_type, title=title, filename=name),
        ]

    def file(self, url: str, media_type: str) -> list[Chunk]:
        """A file; `url` is usually a data URL."""
        return [*self.end_block(), self._chunk("file", mediaType=media_type, url=url)]

    # ── rules ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def _chunk(self, chunk_type: str, **fields: Any) -> Chunk:
        if self._ended:
            raise self._illegal(chunk_type, "the stream has ended")
        chunk = {"type": chunk_type, **{key: value for key, value in fields.items() if not isinstance(value, Unset)}}
        problems = chunk_problems(chunk)
        if problems:
            raise self._illegal(chunk_type, "; ".join(problems))
        self._index += 1
        return chunk

    def _tool(self, chunk_type: str, call_id: str, **fields: Any) -> Chunk:
        chunk = self._chunk(chunk_type, toolCallId=call_id, **fields)
        self._move(chunk_type, call_id)
        return chunk

    def _move(self, chunk_type: str, call_id: str) -> None:
        """Move a call along the tool-state machine of the grammar."""
        state = self._calls.get(call_id)
        legal = grammar.LEGAL_TOOL_CHUNKS[state]
        if state == "output-available" and call_id not in self._preliminary:
            legal = ()
        if chunk_type not in legal:
            raise self._illegal(
                chunk_type,
                f"call {call_id!r} is {state or 'not known'}; what may follow: {', '.join(legal) or 'nothing'}",
            )
        self._calls[call_id] = grammar.TOOL_TRANSITIONS[chunk_type]

    def _need_step(self, chunk_type: str) -> None:
        if not self._in_step:
            raise self._illegal(chunk_type, "no step is open; call start_step() first")

    def _illegal(self, chunk_type: str, why: str) -> ChunkError:
        return ChunkError(
            f"cannot say {chunk_type!r} as chunk {self._index}: {why}", index=self._index, chunk_type=chunk_type
        )
