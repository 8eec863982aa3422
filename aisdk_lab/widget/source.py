"""What a sidebar can be given, and the chat that comes of it.

Stage: widget. An adapter, an agent or its name, a URL, one capture or several, or a chat that somebody has already.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, cast, runtime_checkable

from aisdk_lab.agents import Agent, ClientTool, agents
from aisdk_lab.capture import Capture
from aisdk_lab.chat import Chat
from aisdk_lab.errors import RefusedError
from aisdk_lab.runs.application import RunApplication
from aisdk_lab.transports.http import HttpTransport
from aisdk_lab.transports.in_process import InProcessTransport
from aisdk_lab.transports.replay import ReplayPlayer, Speed


@runtime_checkable
class Served(Protocol):
    """An adapter, as far as a sidebar in the same kernel needs it."""

    @property
    def application(self) -> RunApplication:
        """The runs that it serves."""
        ...


Source: TypeAlias = "Served | RunApplication | Agent | str | Capture | Sequence[Capture] | Chat"


@dataclass(frozen=True, slots=True)
class Conversation:
    """A chat to show, whose it is, and the player if it is a recording."""

    chat: Chat
    is_own: bool
    """True when the chat was made here and ends with the sidebar."""
    player: ReplayPlayer | None = None


def conversation_of(
    source: Source,
    *,
    token: str | None = None,
    client_tools: Mapping[str, ClientTool] | None = None,
    speed: Speed = 1.0,
) -> Conversation:
    """The conversation with `source`.

    `token` and `client_tools` are for a URL: its bearer token, and the tools that the client has to run.

    Raises:
        UnknownName: a name that no agent has.
        TransportError: a URL that is none.
        RefusedError: an adapter that was stopped, a token that cannot be sent.
        TypeError: something that cannot be talked to.
    """
    if isinstance(source, Chat):
        return Conversation(source, is_own=False)
    if isinstance(source, str) and "://" in source:
        # With a token it is most likely the lab's own door, where a run outlives its connection.
        transport = HttpTransport(source, token=token, client_tools=client_tools, stop=token is not None)
        return Conversation(Chat(transport), is_own=True)
    if isinstance(source, str):
        return Conversation(Chat(InProcessTransport(agents[source])), is_own=True)
    if isinstance(source, Capture) or _are_captures(source):
        player = ReplayPlayer(cast("Capture | Sequence[Capture]", source), speed=speed)
        return Conversation(player.chat, is_own=True, player=player)
    if isinstance(source, RunApplication):
        return Conversation(Chat(InProcessTransport(source)), is_own=True)
    if isinstance(source, Agent):
        return Conversation(Chat(InProcessTransport(source)), is_own=True)
    if isinstance(source, Served):
        if getattr(source, "is_running", True) is False:
            raise RefusedError(f"{source!r} is stopped; serve its agent again: lab.serve(adapter.agent)")
        return Conversation(Chat(InProcessTransport(source.application)), is_own=True)
    raise TypeError(
        f"a sidebar shows an adapter (lab.serve(…)), an agent or its name, a URL, a capture or a list of captures, "
        f"or a Chat; got {source!r:.80}"
    )


def _are_captures(source: Any) -> bool:
    return isinstance(source, list | tuple) and bool(source) and all(isinstance(one, Capture) for one in source)
