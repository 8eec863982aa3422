"""What a script can do: the actions that it yields, and the turn that makes them.

Stage: agents. An action is a plain description; `_player` turns it into chunks. Call ids are counted
(`call-<turn>-<n>`), so that a script which is played again from the start makes the same ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from aisdk_lab.agents._base import Turn
from aisdk_lab.errors import LabError
from aisdk_lab.ui_stream.chunks import Chunk
from aisdk_lab.ui_stream.messages import Message
from aisdk_lab.ui_stream.writer import ChunkWriter

PLAN_ID = "plan"
"""The id of the plan of a script: the same each time, so that it is replaced in place."""
PlanStatus = Literal["pending", "running", "done", "failed"]


class ScriptError(LabError):
    """A script was written wrongly, or raised; names the script and the yield, counted from 1."""


@dataclass(frozen=True, slots=True)
class CallResult:
    """What came of a tool call; sent back into the script by `yield`."""

    tool_call_id: str
    output: Any = None
    """What the tool returned; `None` when it failed or was denied."""
    error: str | None = None
    """Why it failed; `None` when it did not."""
    approved: bool | None = None
    """The person's decision; `None` when nobody was asked."""
    reason: str | None = None
    """What the person wrote beside the decision."""

    @property
    def ok(self) -> bool:
        """True when the tool ran and did not fail."""
        return self.error is None and self.approved is not False


@dataclass(frozen=True, slots=True)
class Say:
    """Text or reasoning, streamed piece by piece."""

    kind: Literal["text", "reasoning"]
    text: str
    delay_ms: float


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call. `output` may be a function of the input, which runs when the tool does."""

    tool_call_id: str
    name: str
    input: Any
    is_client: bool = False
    output: Any = None
    error: str | None = None
    seconds: float = 0.0
    preliminary: Sequence[Any] = ()
    approval_id: str | None = None
    reason: str | None = None
    fields: Mapping[str, Any] | None = None
    delay_ms: float = 0.0

    @property
    def waits(self) -> bool:
        """True when the run stops for this call until somebody answers it."""
        return self.is_client or self.approval_id is not None


@dataclass(frozen=True, slots=True)
class Together:
    """Calls that one model step makes at once."""

    calls: tuple[Call, ...]


@dataclass(frozen=True, slots=True)
class Tell:
    """Chunks without a life of their own: data, sources, files, metadata."""

    write: Callable[[ChunkWriter], list[Chunk]]
    needs_step: bool


@dataclass(frozen=True, slots=True)
class Rest:
    """Wait."""

    seconds: float


@dataclass(frozen=True, slots=True)
class NextStep:
    """A new model call begins."""


@dataclass(frozen=True, slots=True)
class Fail:
    """The stream ends with an error and without a finish."""

    text: str


Action = Say | Call | Together | Tell | Rest | NextStep | Fail


class ScriptTurn:
    """What a script gets: the person's words, and a method for everything that it can do.

    Methods return actions and do nothing by themselves: `yield` them. `words` is what the person wrote, `number` counts
    the person's turns from 0.
    """

    def __init__(self, turn: Turn, delay_ms: float) -> None:
        self.words = turn.words
        self.number = turn.number
        self.messages: Sequence[Message] = turn.messages
        self.body = turn.body
        self.delay_ms = delay_ms
        """Milliseconds between two deltas; a script may change it on the way."""
        self._calls = 0

    @property
    def language(self) -> Literal["en", "zh"]:
        """`zh` when the person's words hold a Chinese character, else `en`."""
        return "zh" if any("\u4e00" <= char <= "\u9fff" for char in self.words) else "en"

    # ── words ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def text(self, text: str, *, delay_ms: float | None = None) -> Say:
        """Say something, word by word (Chinese: character by character)."""
        return Say("text", text, self.delay_ms if delay_ms is None else delay_ms)

    def reasoning(self, text: str, *, delay_ms: float | None = None) -> Say:
        """Think aloud."""
        return Say("reasoning", text, self.delay_ms if delay_ms is None else delay_ms)

    # ── tools ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def tool(
        self,
        name: str,
        input: Any,
        *,
        output: Any = None,
        error: str | None = None,
        seconds: float = 0.0,
        preliminary: Sequence[Any] = (),
        approval: bool = False,
        reason: str | None = None,
        title: str | None = None,
        dynamic: bool = False,
    ) -> Call:
        """A tool that the server runs; `yield` gives its `CallResult`.

        `output` is what it returns, or a function of the input (its exception becomes the tool's error). It takes
        `seconds`, over which the `preliminary` outputs are spread. With `approval` the run stops until a person
        decides; `reason` says on the card why that is asked.
        """
        number = self._next_call()
        return Call(
            f"call-{number}",
            name,
            input,
            output=output,
            error=error,
            seconds=seconds,
            preliminary=tuple(preliminary),
            approval_id=f"approval-{number}" if approval else None,
            reason=reason,
            fields=_fields(title, dynamic),
            delay_ms=self.delay_ms,
        )

    def client_tool(self, name: str, input: Any, *, title: str | None = None, dynamic: bool = False) -> Call:
        """A tool that the client runs: the run stops until its output or error comes back."""
        number = self._next_call()
        return Call(
            f"call-{number}", name, input, is_client=True, fields=_fields(title, dynamic), delay_ms=self.delay_ms
        )

    def together(self, *calls: Call) -> Together:
        """Several calls in one step; `yield` gives their results in the same order.

        Raises:
            ScriptError: something other than `turn.tool(…)` or `turn.client_tool(…)` was given.
        """
        for call in calls:
            if not isinstance(call, Call):  # pyright: ignore[reportUnnecessaryIsInstance]  # a script is not type-checked
                raise ScriptError(f"together() takes calls (turn.tool, turn.client_tool), got {call!r}")
        return Together(calls)

    def plan_tool(self, steps: Sequence[Mapping[str, Any]]) -> Call:
        """The plan as the model keeps it: a call of the tool `updatePlan`."""
        return self.tool("updatePlan", {"steps": [dict(step) for step in steps]}, output={"ok": True})

    def _next_call(self) -> str:
        self._calls += 1
        return f"{self.number}-{self._calls}"

    # ── parts ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def plan(self, steps: Sequence[Mapping[str, Any]]) -> Tell:
        """The plan as data, replaced in place: steps `{id?, title, status: pending | running | done | failed}`."""
        return self.data("plan", {"steps": [dict(step) for step in steps]}, id=PLAN_ID)

    def data(self, name: str, data: Any, *, id: str | None = None, transient: bool = False) -> Tell:
        """A `data-<name>` part; the same `id` replaces in place, a transient one is not stored."""
        return Tell(lambda writer: writer.data(name, data, id=id, transient=transient), needs_step=False)

    def source(self, url: str, title: str | None = None) -> Tell:
        """A link that the answer rests on."""
        return Tell(lambda writer: writer.source_url(url, url, title), needs_step=True)

    def document(self, title: str, media_type: str = "text/plain", *, filename: str | None = None) -> Tell:
        """A document that the answer rests on."""
        return Tell(lambda writer: writer.source_document(title, media_type, title, filename), needs_step=True)

    def file(self, url: str, media_type: str) -> Tell:
        """A file, usually as a data URL."""
        return Tell(lambda writer: writer.file(url, media_type), needs_step=True)

    def metadata(self, metadata: Any) -> Tell:
        """Metadata that is merged into the message."""
        return Tell(lambda writer: writer.metadata(metadata), needs_step=False)

    # ── the flow ───────────────────────────────────────────────────────────────────────────────────────────────────

    def sleep(self, seconds: float) -> Rest:
        """Wait."""
        return Rest(seconds)

    def step(self) -> NextStep:
        """Begin a new model step; after a tool call this happens by itself."""
        return NextStep()

    def error(self, text: str) -> Fail:
        """End the stream with this error and without a `finish`; nothing after it is played. A chat client stops here."""
        return Fail(text)


def _fields(title: str | None, dynamic: bool) -> dict[str, Any]:
    """Further fields of the chunks of a call, in the order of the reference server."""
    return {**({"dynamic": True} if dynamic else {}), **({"title": title} if title else {})}
