"""Sidebar: a living conversation in a cell.

Stage: widget, the shell around session.py: an anywidget whose traits hold only small last values, while everything that
streams travels in numbered batches, by comm and (where the Jupyter server relays) by an event stream. Beside the widget
stands a static twin, a second output that is rewritten when an exchange ends: a front end without this kernel shows
"model not found" for a widget, whatever else its output holds, so the twin must be an output of its own.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Mapping
from importlib import resources
from typing import Any, cast

import anywidget
import traitlets

from aisdk_lab.agents import ClientTool
from aisdk_lab.chat import Chat, EndState
from aisdk_lab.chat.core import new_id
from aisdk_lab.loopback import LOG, LabLoop
from aisdk_lab.server.hub import Hub, hub
from aisdk_lab.strings import languages, word
from aisdk_lab.transports._recording import readable_messages
from aisdk_lab.transports.replay import ReplayPlayer, Speed
from aisdk_lab.widget.document import Document
from aisdk_lab.widget.kernel_tools import Function, KernelTools
from aisdk_lab.widget.room import sessions_of
from aisdk_lab.widget.session import ActionProblem, Session
from aisdk_lab.widget.source import Source, conversation_of
from aisdk_lab.widget.static_html import static_html
from aisdk_lab.widget.stored import bounded_json

_TWINS = 8
"""Displays of one sidebar whose static twin is kept up to date; re-running a cell makes a new one each time."""


class Sidebar(anywidget.AnyWidget):
    """Shows a conversation, and lets a person take part in it.

    `source`: an adapter (`lab.serve(…)`), an agent or its name, the URL of a chat endpoint, a capture (a replay), several
    captures of one conversation, or a `Chat`. Put it last in a cell.
    `client_tools`: what the client runs, by tool name: a function is called in this kernel (see `client_tool`); `True`
    asks the person, as `ClientTool` with a schema does. `token` is that of a URL. `speed` ("max" shows all at once) and
    `play` are for captures. `language`: "en", "zh" or "auto" (that of the page). `carrier` forces "comm" or "relay".
    """

    session = traitlets.Unicode().tag(sync=True)
    kernel_id = traitlets.Unicode().tag(sync=True)
    carrier = traitlets.Enum(("auto", "comm", "relay"), "auto").tag(sync=True)
    language = traitlets.Enum(("auto", *languages), "auto").tag(sync=True)
    theme = traitlets.Enum(("auto", "light", "dark"), "auto").tag(sync=True)
    height_px = traitlets.Int(520).tag(sync=True)
    snapshot = traitlets.Unicode().tag(sync=True)
    """The bounded document as JSON, written when an exchange ends: for a page whose kernel is gone."""
    runs = traitlets.Int(0).tag(sync=True)
    """Counts ended exchanges, so that cells of a reactive notebook (marimo) that read it run again."""

    def __init__(
        self,
        source: Source,
        *,
        language: str = "auto",
        height_px: int = 520,
        title: str | None = None,
        client_tools: Mapping[str, Function | ClientTool | bool] | None = None,
        token: str | None = None,
        speed: Speed = 1.0,
        play: bool = False,
        carrier: str = "auto",
        theme: str = "auto",
    ) -> None:
        declared = _declared(client_tools or {})
        conversation = conversation_of(source, token=token, client_tools=declared or None, speed=speed)
        self._conversation = conversation
        self._is_closed = False
        self._twins: list[Any] = []
        self._hub: Hub | None = None
        self._unsubscribe_tools: Callable[[], None] = lambda: None
        self._words_language = language if language in languages else _language_here()
        self._title = title if title is not None else (conversation.chat.transport.title or "")
        self._session = Session(new_id(), conversation.chat, self._document(), player=conversation.player)
        self._session.client_tools = self._known_client_tools
        self._session.on_run_end = self._on_run_end
        self._tools = KernelTools(self._session, _main_loop())
        self._tools.functions.update(_functions(client_tools or {}))
        self._declared = declared
        self._hub = hub()
        self._esm = _bundle()
        super().__init__(
            session=self._session.name,
            kernel_id=self._hub.kernel_id if self._hub is not None else "",
            language=language,
            height_px=height_px,
            carrier=carrier,
            theme=theme,
            snapshot=bounded_json(self._last_document()),
        )
        _trust_the_browsers_subshell(self.comm)
        self.on_msg(self._on_comm)
        self._lab.run(self._start(play))

    async def _start(self, play: bool) -> None:
        self._session.document.know_client_tools(self._known_client_tools())
        self._session.document.drain()  # nobody has seen the document before
        self._session.start(self._send_by_comm)
        self._unsubscribe_tools = self.chat.subscribe(self._tools.on_event)
        if self._hub is not None:
            sessions_of(self._hub)[self._session.name] = self._session
        if play and self._player is not None:
            await self._player.play()

    def _document(self) -> Document:
        chat, player = self._conversation.chat, self._conversation.player
        return Document(
            title=self._title,
            clock=_clock(player),
            language=self._words_language,
            client_tools=chat.transport.client_tools,
            suggestions=chat.transport.suggestions,
            messages=chat.messages,
            status=chat.status,
            error=chat.error,
            ended=_ended(chat),
            replay=None if player is None else player.state,
        )

    # ── what one may do with it ────────────────────────────────────────────────────────────────────────────────────

    @property
    def chat(self) -> Chat:
        """The conversation: `sidebar.chat.send(…)` says something from a cell, and the view shows it."""
        return self._conversation.chat

    @property
    def title(self) -> str:
        """What stands in the header."""
        return self._title

    @property
    def is_closed(self) -> bool:
        """True after `close`."""
        return self._is_closed

    def client_tool(self, function: Function | None = None, /, *, name: str | None = None) -> Any:
        """Answer a client tool with a function of this kernel; a decorator, with or without `name=`.

        The call's input comes as keyword arguments; what is returned (a JSON value) is the output, an exception its
        error. Runs on the kernel's main thread after the current cell: variables are safe, and the row says that it waits.
        """

        def register(function: Function) -> Function:
            self._tools.functions[name or function.__name__] = function
            self._lab.call(self._tell_client_tools)
            return function

        return register if function is None else register(function)

    def close(self) -> None:
        """End the conversation of this sidebar and free everything: streams, tasks, the comm. Idempotent.

        A `Chat` that was given, and adapters, go on. Of one whose making failed it frees what there is.
        """
        if getattr(self, "_is_closed", True):  # not even made
            return
        self._is_closed = True
        if self._lab.is_running and not self._lab.is_here:
            self._lab.run(self._end())
        super().close()

    async def _end(self) -> None:
        self._unsubscribe_tools()
        session: Session | None = getattr(self, "_session", None)  # the making may have failed at any point
        if session is not None:
            if self._hub is not None:
                sessions_of(self._hub).pop(session.name, None)
            await session.close()
        if self._conversation.is_own:
            await self.chat.astop()

    @property
    def _lab(self) -> LabLoop:
        return self._conversation.chat.lab

    @property
    def _player(self) -> ReplayPlayer | None:
        return self._conversation.player

    def _known_client_tools(self) -> Mapping[str, Any] | None:
        """Those that the agent names, those that were declared here, and those that a function answers."""
        known = self.chat.transport.client_tools
        if known is None and not self._declared and not self._tools.functions:
            return None
        return {**(known or {}), **self._declared, **self._tools.declared}

    def _tell_client_tools(self) -> None:
        self._session.document.know_client_tools(self._known_client_tools())
        self._session.push()

    # ── comm ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def _on_comm(self, _widget: object, content: Any, _buffers: object) -> None:
        """On whatever thread the kernel chose, early or late: only hand over."""
        if self._lab.is_running:
            self._lab.call(self._receive, content)

    def _receive(self, content: Any) -> None:
        try:
            self._session.receive(content)
        except ActionProblem as problem:
            LOG.warning("sidebar %r: %s", self._session.name, problem)

    def _send_by_comm(self, text: str) -> None:
        self.send(json.loads(text))  # parsed again: only what passed `json_text` may leave (Jupyter refuses the rest)

    # ── without a kernel ───────────────────────────────────────────────────────────────────────────────────────────

    def _last_document(self) -> dict[str, Any]:
        """What a page without a kernel shows: of a recording its end, else the conversation as it is."""
        player = self._player
        if player is None:
            return self._session.document.value
        capture = player.last
        ended = [chunk.get("finishReason") for _, chunk in capture.chunks() if chunk["type"] == "finish"]
        messages = readable_messages(capture.messages)  # of a request that somebody recorded: anything may be in it
        reasons = {messages[-1]["id"]: ended[-1]} if messages and ended else {}
        document = Document(
            title=self._title,
            clock=lambda: 0,
            language=self._words_language,
            messages=messages,
            ended=(capture.end_state, messages[-1]["id"]) if messages else None,
            replay=player.state,
            finish_reasons=reasons,
        )
        return document.value

    def _on_run_end(self) -> None:
        """On the lab's loop, which alone writes traits and twins."""
        self.runs += 1
        if self._player is not None:
            return  # the twin of a recording shows its end from the start
        document = self._last_document()
        self.snapshot = bounded_json(document)
        page = static_html(document)
        for twin in self._twins:
            _update_display(twin, page)

    def static_html(self) -> str:
        """The conversation as bounded, escaped HTML that needs no kernel, no script and no network."""
        return static_html(self._last_document())

    def __repr__(self) -> str:
        key = "sidebar.closed" if self._is_closed else f"view.status.{self.chat.status}"
        status = word(key, self._words_language)
        title = self._title or word("view.untitled", self._words_language)
        return word("sidebar.repr", self._words_language, title=title, n=len(self.chat.messages), status=status)

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """For front ends that ask for a bundle (marimo, a list of widgets): the widget, and HTML and text beside it."""
        data, metadata = self._widget_bundle()
        return {**data, "text/html": self.static_html()}, metadata

    def _widget_bundle(self) -> tuple[dict[str, Any], dict[str, Any]]:
        if self._is_closed:  # without a comm there is no widget to show: its last state is
            return {"text/plain": repr(self), "text/html": self.static_html()}, {}
        bundle = cast("Any", super()._repr_mimebundle_())
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle or {}, {})
        return {**data, "text/plain": repr(self)}, metadata

    def _ipython_display_(self, **_kwargs: Any) -> None:
        """Two outputs: the static twin, which the saved notebook keeps, and the widget, which hides it while it lives."""
        from IPython.display import HTML, display

        if not self._is_closed:
            twin = display(HTML(self.static_html()), display_id=True)
            self._twins = [*self._twins, twin][-_TWINS:]
        data, metadata = self._widget_bundle()
        display(data, metadata=metadata, raw=True)


def _bundle() -> str:
    """The built view; read for each sidebar, so that a rebuilt one is seen without a restart."""
    return resources.files("aisdk_lab.widget").joinpath("static/sidebar.js").read_text(encoding="utf-8")


def _declared(client_tools: Mapping[str, Function | ClientTool | bool]) -> dict[str, ClientTool]:
    declared: dict[str, ClientTool] = {}
    for name, tool in client_tools.items():
        if isinstance(tool, ClientTool):
            declared[name] = tool
        elif isinstance(tool, bool):
            declared[name] = ClientTool(interactive=tool)
        else:
            declared[name] = ClientTool(interactive=False)
    return declared


def _functions(client_tools: Mapping[str, Function | ClientTool | bool]) -> dict[str, Function]:
    return {name: tool for name, tool in client_tools.items() if not isinstance(tool, bool | ClientTool)}


def _clock(player: ReplayPlayer | None) -> Callable[[], int]:
    """Durations: of a recording by its own times, else by the monotonic clock."""
    if player is None:
        from time import monotonic_ns

        return monotonic_ns
    return lambda: player.shown_ns


def _ended(chat: Chat) -> tuple[EndState, str] | None:
    """How the last exchange of a chat ended, and its message; nothing when the history has another end by now."""
    outcome, messages = chat.outcome, chat.messages
    if outcome is None or chat.is_busy:
        return None
    message_id = outcome.message["id"]
    is_other = bool(messages) and messages[-1]["role"] == "assistant" and messages[-1]["id"] != message_id
    return None if is_other else (outcome.state, message_id)


def _language_here() -> str:
    """The language of the static twin where the page cannot be asked: that of the environment."""
    locale = next((os.environ[key] for key in ("LC_ALL", "LC_MESSAGES", "LANG") if os.environ.get(key)), "")
    return "zh" if locale.lower().startswith("zh") else "en"


def _main_loop() -> asyncio.AbstractEventLoop | None:
    """The loop of this thread, on which cells run; `None` in a plain script."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def _trust_the_browsers_subshell(comm: Any) -> None:
    """Let a click be handled while a cell runs.

    ipykernel 7.4 sends what comes over a comm to the shell that last sent on it, so the click on a fresh widget waits for
    the end of the cell (measured: 2.3 s of a 3 s cell, 3 ms with this). A private name: older and newer ones go without.
    """
    if hasattr(comm, "_reply_subshell_for"):
        comm._reply_subshell_for = lambda data, default: default


def _update_display(twin: Any, page: str) -> None:
    from IPython.display import HTML

    try:
        twin.update(HTML(page))
    except Exception:  # noqa: BLE001  # whatever a front end raises: a display that is gone must not end the run
        LOG.warning("the static twin could not be updated", exc_info=True)
