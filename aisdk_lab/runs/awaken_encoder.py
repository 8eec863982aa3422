"""The awaken profile: live text for quickness, the committed tail for truth.

Stage: runs, on the way up. One response is one framed step. Live go text, the boundaries of reasoning (never its bytes)
and tool inputs as they are written; blocks are closed before tools. Everything that counts (available inputs, waits,
results, sources, usage, the terminal) is told after the commit. A resume is not streamed: it is told whole.
Transcripts W1 to W18 are its tests (tests/runs/test_awaken_transcripts.py). `data-*` chunks and message metadata are an
extension of ours and go out as they come.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from aisdk_lab.ledger import Pending
from aisdk_lab.runs.encoder import RunEncoder, RunOutcome
from aisdk_lab.ui_stream.chunks import Chunk
from aisdk_lab.ui_stream.grammar import DATA_PREFIX
from aisdk_lab.ui_stream.messages import STEP_START, Part, is_tool_part, tool_name
from aisdk_lab.wire import json_text

DENIED_TEXT = "Tool call execution denied."
"""The text of a denial without a reason, as the SDK words it for the model."""
_TOLD_AS_PARTS = ("source-url", "source-document", "file")
_FINISH = {"waiting": "tool-calls", "error": "error"}


class AwakenEncoder(RunEncoder):
    """One response of the awaken profile. `is_live` is false for a resume."""

    def __init__(self, *, is_live: bool = True) -> None:
        self._is_live = is_live
        self._streamed_text = False
        self._open: tuple[str, str] | None = None  # family and id of the open block
        self._counts = {"text": 0, "reasoning": 0}
        self._live_calls: set[str] = set()

    def start(self) -> list[Chunk]:
        """`start`, without a message id, and the one step."""
        return [{"type": "start"}, {"type": "start-step"}]

    # ── live ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def live(self, chunk: Chunk) -> list[Chunk]:
        """What a chunk of the agent comes to at once; most of them wait for the commit."""
        kind: str = chunk["type"]
        if kind.startswith(DATA_PREFIX) or kind == "message-metadata":
            return [chunk]
        if not self._is_live:
            return []
        return list(self._delta(kind, chunk))

    def _delta(self, kind: str, chunk: Chunk) -> Iterator[Chunk]:
        match kind:
            case "text-delta" if chunk["delta"]:
                self._streamed_text = True
                yield from self._block("text")
                yield {"type": "text-delta", "id": self._open_id, "delta": chunk["delta"]}
            case "reasoning-start" | "reasoning-delta":
                yield from self._block("reasoning")
            case "text-end" | "reasoning-end":
                yield from self._close()
            case "tool-input-start":
                yield from self._close()
                self._live_calls.add(chunk["toolCallId"])
                yield {"type": kind, "toolCallId": chunk["toolCallId"], "toolName": chunk["toolName"]}
            case "tool-input-delta" if chunk["inputTextDelta"]:
                yield dict(chunk)
            case _:
                return

    @property
    def _open_id(self) -> str:
        return self._open[1] if self._open else ""

    def _block(self, family: str) -> Iterator[Chunk]:
        """Have a block of this family open."""
        if self._open is not None and self._open[0] == family:
            return
        yield from self._close()
        name = "txt" if family == "text" else family
        self._open = (family, f"{name}-{self._counts[family]}")
        self._counts[family] += 1
        yield {"type": f"{family}-start", "id": self._open_id}

    def _close(self) -> Iterator[Chunk]:
        if self._open is not None:
            family, block = self._open
            self._open = None
            yield {"type": f"{family}-end", "id": block}

    # ── the committed tail ─────────────────────────────────────────────────────────────────────────────────────────

    def end(self, outcome: RunOutcome) -> list[Chunk]:
        """The committed facts of the response, then its terminal."""
        chunks = list(self._close())
        error: str | None = None
        if outcome.failure is not None:
            error = f"stream_failed: {outcome.shown_failure}"
        else:
            chunks += self._tail(outcome)
            error = outcome.error_text if outcome.state == "error" else self._lost_calls(outcome)
        if error is not None:
            chunks.append({"type": "error", "errorText": error})
        reason = "error" if error is not None else _FINISH.get(outcome.state, "stop")
        return [*chunks, {"type": "finish-step"}, self._finish(reason, outcome)]

    def _lost_calls(self, outcome: RunOutcome) -> str | None:
        """The error for tool inputs that were shown live and never committed (W13)."""
        committed = {
            part["toolCallId"]
            for part in outcome.message["parts"]
            if is_tool_part(part) and part["state"] != "input-streaming"
        }
        lost = sorted(self._live_calls - committed)
        if not lost or outcome.state == "aborted":  # a stop may come in the middle of an input
            return None
        return f"stream_reconciliation_failed: live tool inputs missing from committed outcome: {', '.join(lost)}"

    @staticmethod
    def _finish(reason: str, outcome: RunOutcome) -> Chunk:
        tokens = outcome.usage
        total = {
            "inputTokens": tokens.input_tokens,
            "outputTokens": tokens.output_tokens,
            "totalTokens": tokens.input_tokens + tokens.output_tokens,
        }
        return {"type": "finish", "finishReason": reason, "messageMetadata": {"totalUsage": total}}

    def _tail(self, outcome: RunOutcome) -> Iterator[Chunk]:
        parts, pending = outcome.message["parts"], outcome.waiting[0] if outcome.waiting else None
        for part in parts[: outcome.first_new_part]:
            if part.get("toolCallId") in outcome.decided:
                yield from _result(part)
        texts = 0
        for step in _steps(parts[outcome.first_new_part :]):
            text = "".join(part["text"] for part in step if part["type"] == "text")
            if text and not self._streamed_text:
                block = outcome.message["id"] if not texts else f"{outcome.message['id']}-{texts}"
                texts += 1
                yield {"type": "text-start", "id": block}
                yield {"type": "text-delta", "id": block, "delta": text}
                yield {"type": "text-end", "id": block}
            yield from (dict(part) for part in step if part["type"] in _TOLD_AS_PARTS)
            calls = [part for part in step if is_tool_part(part) and part["state"] != "input-streaming"]
            for part in calls:
                yield from _call(part, pending)
            for part in calls:
                yield from _result(part)
        yield from self._late_wait(parts[: outcome.first_new_part], pending)

    @staticmethod
    def _late_wait(parts: Sequence[Part], pending: Pending | None) -> Iterator[Chunk]:
        """The wait for a call that an earlier response announced as a sibling of the one that waited then.

        A request for approval finds the old part; a client tool must be announced again, as not executed by us.
        """
        for part in parts:
            if pending is not None and part.get("toolCallId") == pending.tool_call_id:
                yield from _call(part, pending) if pending.is_client_tool else _approval(part)


def _steps(parts: Sequence[Part]) -> Iterator[list[Part]]:
    """The parts of each model call; what comes before the first step counts as one."""
    step: list[Part] = []
    for part in parts:
        if part["type"] == STEP_START and step:
            yield step
            step = []
        if part["type"] != STEP_START:
            step.append(part)
    if step:
        yield step


def _call(part: Part, pending: Pending | None) -> Iterator[Chunk]:
    """The authoritative input of a call; only one call of a thread waits, its siblings look executed."""
    call_id = part["toolCallId"]
    waits = pending is not None and pending.tool_call_id == call_id
    yield {
        "type": "tool-input-available",
        "toolCallId": call_id,
        "toolName": tool_name(part),
        "input": part.get("input"),
        "providerExecuted": not (waits and pending is not None and pending.is_client_tool),
    }
    if waits and pending is not None and not pending.is_client_tool:
        yield from _approval(part)


def _approval(part: Part) -> Iterator[Chunk]:
    """The request for permission; its id is that of the call, and its reason an extension of ours."""
    reason = part["approval"].get("requestReason")
    ids = {"approvalId": part["toolCallId"], "toolCallId": part["toolCallId"]}
    yield {"type": "tool-approval-request", **ids, **({} if reason is None else {"reason": reason})}


def _result(part: Part) -> Iterator[Chunk]:
    """What came of a call; a denial is an error, because this vocabulary has no other word for it."""
    match part["state"]:
        case "output-available" if part.get("preliminary") is not True:
            yield {
                "type": "tool-output-available",
                "toolCallId": part["toolCallId"],
                "output": committed(part["output"]),
            }
        case "output-error":
            yield {"type": "tool-output-error", "toolCallId": part["toolCallId"], "errorText": part["errorText"]}
        case "output-denied":
            reason = (part.get("approval") or {}).get("reason") or DENIED_TEXT
            yield {"type": "tool-output-error", "toolCallId": part["toolCallId"], "errorText": reason}
        case _:
            return


def committed(output: Any) -> Any:
    """An output as it comes back from a ledger that keeps results as text: JSON where it reads as JSON.

    >>> committed("25"), committed("25°C"), committed(None)
    (25, '25°C', '')
    """
    if output is None:
        return ""
    if not isinstance(output, str):
        return output
    try:
        return json_text.read(output)
    except json_text.JsonProblem:
        return output
