"""Scripted agents: a conversation in a few lines, without a model and without a key.

Stage: agents. A script is a generator function. It yields what happens and is sent what came of its tool calls:

    @lab.scripted(title="Weather", suggestions=["杭州天气怎么样？"])
    def weather(turn):
        yield turn.reasoning("先查天气")
        weather = yield turn.tool("get_weather", {"city": "杭州"}, output={"celsius": 25}, seconds=0.6)
        sent = yield turn.tool("publish", {"text": "…"}, approval=True, output={"url": "…"})
        yield turn.text(f"{weather.output['celsius']}°C" if sent.ok else "好的，不发布。")

When it waits for a person the run ends; the next request plays it again from the start, silently up to that point. So a
script must do the same each time: no clock, no random numbers, no counter outside. It runs on the lab's loop: a slow
computation belongs into `turn.tool(output=function)` made `async`.
Modelled on the scripted conversations of `@shadcn/helpers/ai-sdk` (deterministic ids, a pure function, one pause a run).
"""

from __future__ import annotations

import inspect
from collections.abc import AsyncGenerator, Callable, Generator, Iterable, Mapping, Sequence
from typing import Any, overload

from aisdk_lab.agents._actions import CallResult, ScriptError, ScriptTurn
from aisdk_lab.agents._base import ClientTool, Turn
from aisdk_lab.agents._player import Player, Script
from aisdk_lab.card import html_card
from aisdk_lab.strings import word
from aisdk_lab.ui_stream.chunks import Chunk

__all__ = ["AGENT", "CallResult", "ScriptError", "ScriptTurn", "ScriptedAgent", "scripted"]

DELAY_MS = 20.0
"""Between two deltas: quick to read, slow enough to see."""


class ScriptedAgent:
    """A script as an agent; `scripted` makes them."""

    def __init__(
        self,
        script: Script,
        *,
        name: str,
        title: str,
        suggestions: Sequence[str],
        client_tools: Mapping[str, ClientTool],
        delay_ms: float,
    ) -> None:
        self._script = script
        self.name = name
        self.title = title
        self.suggestions = tuple(suggestions)
        self.delay_ms = delay_ms
        self._client_tools = dict(client_tools)
        self.__doc__ = script.__doc__
        self.__wrapped__ = script

    def __repr__(self) -> str:
        return f"<scripted agent {self.name!r}: {self.title}>"

    def _repr_html_(self) -> str:
        rows = {
            word("agent.suggestions"): " · ".join(self.suggestions),
            word("agent.client_tools"): ", ".join(self.client_tools),
            word("agent.about"): (self.__doc__ or "").strip().partition("\n")[0],
        }
        return html_card(self.title, self.name, None, rows)

    @property
    def client_tools(self) -> Mapping[str, ClientTool]:
        """The declared client tools, and those that the script called so far."""
        return dict(self._client_tools)

    async def run(self, turn: Turn) -> AsyncGenerator[Chunk, None]:
        """The chunks of one run (see `Agent.run`)."""
        player = Player(self.name, self._script, turn, self.delay_ms, self._hear)
        async for chunk in player.play():
            yield chunk

    def _hear(self, client_tool: str) -> None:
        self._client_tools.setdefault(client_tool, ClientTool())


@overload
def scripted(script: Script, /) -> ScriptedAgent: ...
@overload
def scripted(
    *,
    title: str | None = None,
    name: str | None = None,
    suggestions: Sequence[str] = (),
    client_tools: Mapping[str, ClientTool | bool] | Iterable[str] = (),
    delay_ms: float = DELAY_MS,
) -> Callable[[Script], ScriptedAgent]: ...
def scripted(
    script: Script | None = None,
    /,
    *,
    title: str | None = None,
    name: str | None = None,
    suggestions: Sequence[str] = (),
    client_tools: Mapping[str, ClientTool | bool] | Iterable[str] = (),
    delay_ms: float = DELAY_MS,
) -> ScriptedAgent | Callable[[Script], ScriptedAgent]:
    """Make an agent out of a generator function; with or without arguments.

    `client_tools` names the tools that the client runs: names, or a mapping to `ClientTool` or to whether a person has
    to act. Tools that are not named become known when the script first calls them.

    Raises:
        ScriptError: the function is not a plain generator function.
    """

    def decorate(script: Script) -> ScriptedAgent:
        if not inspect.isgeneratorfunction(script):
            kind = "an async one" if inspect.isasyncgenfunction(script) else "without a yield"
            raise ScriptError(
                f"{getattr(script, '__name__', script)!r} is {kind}: a script is a plain function "
                "(def, not async def) that yields actions, for example: yield turn.text('hello')"
            )
        called = name or script.__name__
        return ScriptedAgent(
            script,
            name=called,
            title=title or called.replace("_", " ").capitalize(),
            suggestions=suggestions,
            client_tools=_client_tools(client_tools),
            delay_ms=delay_ms,
        )

    return decorate if script is None else decorate(script)


def _client_tools(given: Mapping[str, ClientTool | bool] | Iterable[str]) -> dict[str, ClientTool]:
    if not isinstance(given, Mapping):
        return {name: ClientTool() for name in given}
    return {
        name: tool if isinstance(tool, ClientTool) else ClientTool(interactive=tool) for name, tool in given.items()
    }


@scripted(name="scripted", title="Echo", suggestions=("Say this again.", "把这句话再说一遍。"))
def _echo(turn: ScriptTurn) -> Generator[Any, Any, None]:
    """The smallest script: says what it was told."""
    yield turn.text(turn.words or ("你还没有说话。" if turn.language == "zh" else "You have not said anything yet."))


AGENT = _echo
