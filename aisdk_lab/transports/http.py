"""HTTP: a chat reaches its agent as the SDK's `DefaultChatTransport` does.

Stage: transports. The body's keys stand in the order of the reference, headers are lower-case, failures bear the names
of the reference's errors. Frames that are no chunks become findings of the request's receipt; `strict=True` breaks off at
the first one, as the reference does.
Source: `ai` 7.0.173 `http-chat-transport.ts`, `default-chat-transport.ts` (spec §1.1, §1.2, §1.4); recorded:
tests/golden/requests.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, urlsplit

from aisdk_lab.chat.events import InvalidArgument
from aisdk_lab.chat.transport import TransportRequest
from aisdk_lab.errors import RefusedError, TransportError
from aisdk_lab.loopback import is_loopback
from aisdk_lab.ui_stream.chunks import Chunk
from aisdk_lab.ui_stream.grammar import DATA_PREFIX
from aisdk_lab.ui_stream.validate import read_chunk
from aisdk_lab.wire import Frame, SseDecoder, json_text
from aisdk_lab.wire.client_logs import masked_logs
from aisdk_lab.wire.headers import mask_url

if TYPE_CHECKING:
    import httpx

Prepare = Callable[[dict[str, Any]], "Mapping[str, Any] | Awaitable[Mapping[str, Any] | None] | None"]
"""Gets `{api, id, messages, body, headers, requestMetadata, trigger, messageId}`; what it returns under `body`, `headers`
and `api` replaces the default (the SDK's `prepareSendMessagesRequest`)."""

PrepareReconnect = Callable[[dict[str, Any]], "Mapping[str, Any] | Awaitable[Mapping[str, Any] | None] | None"]
"""Gets `{api, id, body, headers, requestMetadata}`; what it returns under `headers` and `api` replaces the default, the `api`
verbatim (the SDK's `prepareReconnectToStreamRequest`)."""

CONNECT_S: Final = 10.0
_SECRET_CHARS: Final = 4
"""Shorter tokens are not looked for in texts: they stand in any."""
_HEADER_VALUE: Final = re.compile(r"[\t\x20-\x7e]*")
_NO_BODY: Final = frozenset({204, 205})
"""Statuses that have no body at all, which the reference tells from an empty one."""
_DATA_KEYS: Final = ("type", "id", "data", "transient")
"""The order that the reference's chunk schema gives them."""
_NOTHING: Final = 204
_NO_DOOR: Final = frozenset({404, 405, 501})
"""Statuses of a server that was never told to resume."""
_QUOTED_CHARS: Final = 200
_KEPT_BY_COMPONENT: Final = "!~*'()"
"""What JavaScript's `encodeURIComponent` leaves alone beside letters, digits and `-_.`."""


class HttpTransport:
    """A UI Message Stream endpoint at a URL.

    `token` is sent as `Authorization: Bearer …` and shown nowhere: an answer that quotes it is shown with `***`. White space
    around it is taken away; `RefusedError` for one that cannot stand in a header. `stop=True` also posts to `<api>/<chat id>/stop`
    when a chat is stopped: the lab's own `/api/chat` needs it, because a run there outlives its connection.
    `resume_is_replay=False` is for an endpoint that sends a resumed response only from where it is.
    """

    def __init__(
        self,
        api: str,
        *,
        token: str | None = None,
        headers: Mapping[str, str | None] | None = None,
        body: Mapping[str, Any] | None = None,
        title: str | None = None,
        suggestions: Sequence[str] = (),
        client_tools: Mapping[str, Any] | None = None,
        prepare: Prepare | None = None,
        prepare_reconnect: PrepareReconnect | None = None,
        resume_is_replay: bool = True,
        stop: bool = False,
        strict: bool = False,
    ) -> None:
        self.api = api
        self.title = title if title is not None else _host_of(api)
        self.suggestions = tuple(suggestions)
        self.client_tools = client_tools
        self._token = _clean_token(token)
        self._headers = dict(headers or {})
        self._body = dict(body or {})
        self.resume_is_replay = resume_is_replay
        self._prepare = prepare
        self._prepare_reconnect = prepare_reconnect
        self._stops = stop
        self._strict = strict

    def __repr__(self) -> str:
        return f"HttpTransport({mask_url(self.api)!r})"

    async def stream(self, request: TransportRequest) -> AsyncGenerator[Chunk, None]:
        """The chunks of one response; closing the generator closes the connection."""
        api, headers, body = await self._request(request)
        async with self._open("POST", api, headers, json_text.write_bytes(body)) as response:
            await self._refuse(response, api)
            async for chunk in self._chunks(response, request):
                yield chunk

    async def reconnect(self, request: TransportRequest) -> AsyncGenerator[Chunk, None] | None:
        """The response that is under way at `<api>/<chat id>/stream`; `None` when the server says 204: there is none.

        Raises `InvalidArgument` for the chat ids `.` and `..`, `TransportError` for every other answer without a stream.
        """
        stream = self._joined(request)
        if await anext(stream) is None:
            await stream.aclose()
            return None
        return stream

    async def _joined(self, request: TransportRequest) -> AsyncGenerator[Any, None]:
        """What the first item says is whether there is a response; its chunks follow. One generator owns the connection."""
        api, headers = await self._reconnect_request(request)
        async with self._open("GET", api, headers, None) as response:
            if response.status_code == _NOTHING:
                yield None
                return
            await self._refuse(response, api, is_join=True)
            yield response.status_code
            async for chunk in self._chunks(response, request):
                yield chunk

    async def _chunks(self, response: httpx.Response, request: TransportRequest) -> AsyncGenerator[Chunk, None]:
        decoder = SseDecoder()
        async for data in _read(response):
            for frame in decoder.feed(data):
                chunk = self._chunk(frame, request)
                if chunk is not None:
                    yield chunk
        for frame in decoder.close():  # an unfinished block: the reference drops it, a lab says so
            request.receipt.findings.append(self._without_token(f"frame {frame.index}: {frame.problem}"))

    async def stop(self, chat_id: str) -> None:
        """Post to `<api>/<chat id>/stop` if this endpoint has one; a far side that is gone has stopped already."""
        if not self._stops:
            return
        import httpx

        url = self._place("stop", chat_id)
        headers = _sendable(self._base_headers({}))
        async with self._client(url) as client:
            try:
                with masked_logs():
                    await client.post(url, headers=headers)
            except httpx.HTTPError as problem:
                text = self._without_token(f"cannot stop the run at {mask_url(url)}: {problem}")
                raise TransportError(text, name="TypeError") from problem

    async def _request(self, request: TransportRequest) -> tuple[str, dict[str, str], Any]:
        extra = {**self._body, **request.options.body}
        headers = self._base_headers(request.options.headers)
        body: Any = {
            **extra,
            "id": request.chat_id,
            "messages": list(request.messages),
            "trigger": request.trigger,
            **({} if request.message_id is None else {"messageId": request.message_id}),
        }
        api = self.api
        if self._prepare is not None:
            prepared = self._prepare(
                {
                    "api": api,
                    "id": request.chat_id,
                    "messages": list(request.messages),
                    "body": extra,
                    "headers": headers,
                    "requestMetadata": request.options.metadata,
                    "trigger": request.trigger,
                    "messageId": request.message_id,
                }
            )
            found = (await prepared if inspect.isawaitable(prepared) else prepared) or {}
            api, body = found.get("api", api), found.get("body", body)
            headers = _lower(found["headers"]) if found.get("headers") is not None else headers
        return api, _sendable({"content-type": "application/json", **headers}), body

    async def _reconnect_request(self, request: TransportRequest) -> tuple[str, dict[str, str]]:
        headers, api = self._base_headers(request.options.headers), None
        if self._prepare_reconnect is not None:
            prepared = self._prepare_reconnect(
                {
                    "api": self.api,
                    "id": request.chat_id,
                    "body": {**self._body, **request.options.body},
                    "headers": headers,
                    "requestMetadata": request.options.metadata,
                }
            )
            found = (await prepared if inspect.isawaitable(prepared) else prepared) or {}
            api = found.get("api")
            headers = _lower(found["headers"]) if found.get("headers") is not None else headers
        if api is None:
            if request.chat_id in (".", ".."):  # an address with such a segment means another one
                problem = 'Chat IDs must not be "." or ".." when using the default reconnect URL.'
                raise InvalidArgument("chatId", problem)
            api = self._place("stream", request.chat_id)
        return api, _sendable(headers)

    def _place(self, what: str, chat_id: str) -> str:
        """The address of one chat's stream or stop."""
        return _with_path(self.api, f"/{quote(chat_id, safe=_KEPT_BY_COMPONENT)}/{what}")

    def _base_headers(self, more: Mapping[str, str | None]) -> dict[str, str]:
        token = {} if self._token is None else {"authorization": f"Bearer {self._token}"}
        return token | _lower(self._headers) | _lower(more)

    @asynccontextmanager
    async def _open(
        self, method: str, api: str, headers: Mapping[str, str], content: bytes | None
    ) -> AsyncGenerator[httpx.Response, None]:
        import httpx

        async with self._client(api) as client:
            sent = client.build_request(method, _with_dots_ended(api), headers=headers, content=content)
            try:
                with masked_logs():
                    response = await client.send(sent, stream=True)
            except (httpx.HTTPError, httpx.InvalidURL) as problem:
                # Named as Node names it, so that a lost network is taken for one.
                text = f"fetch failed: {type(problem).__name__}: {problem} ({method} {mask_url(api)})"
                raise TransportError(self._without_token(text), name="TypeError") from problem
            try:
                yield response
            finally:
                await response.aclose()

    def _client(self, url: str) -> httpx.AsyncClient:
        import httpx

        # A proxy of the environment has no business between a kernel and itself. Redirects: the token must not wander.
        host = urlsplit(url).hostname or ""
        timeout = httpx.Timeout(None, connect=CONNECT_S)
        return httpx.AsyncClient(timeout=timeout, follow_redirects=False, trust_env=not is_loopback(host))

    def _chunk(self, frame: Frame, request: TransportRequest) -> Chunk | None:
        request.receipt.done = request.receipt.done or frame.is_done
        chunk, problem = read_chunk(frame)
        if problem is not None:
            if self._strict:
                error = _frame_error(frame, problem)
                raise TransportError(self._without_token(str(error)), name=error.name)
            request.receipt.findings.append(self._without_token(f"frame {frame.index}: {problem}"))
        if chunk is None:
            return None
        if chunk["type"] == "error":
            return {**chunk, "errorText": self._without_token(chunk["errorText"])}
        if chunk["type"].startswith(DATA_PREFIX):  # becomes a part as it is, and its keys then stand in the next body
            return {key: chunk[key] for key in _DATA_KEYS if key in chunk} | chunk
        return chunk

    def _without_token(self, text: str) -> str:
        """What the far side says, which may say what it was sent: into a notebook the token must not come."""
        return text.replace(self._token, "***") if self._token and len(self._token) >= _SECRET_CHARS else text

    async def _refuse(self, response: httpx.Response, api: str, *, is_join: bool = False) -> None:
        """Raise what the reference throws for an answer without a stream; content type and headers do not count."""
        import httpx

        if not response.is_success:
            try:
                text = (await response.aread()).decode(errors="replace")
            except httpx.HTTPError as problem:
                text = f"the answer broke off: {problem}"
            status, url, text = response.status_code, mask_url(api), self._without_token(text)
            message = text or "Failed to fetch the chat response."
            if is_join and status in _NO_DOOR and not self._strict:
                said = f", {text[:_QUOTED_CHARS]!r}" if text else ""
                message = (
                    f"nothing can be resumed at GET {url} (HTTP {status}{said}): "
                    "the server has no such door, or does not know this chat; send() works without it"
                )
            raise TransportError(message, name="AI_APICallError", status=status, url=url, body=text)
        if response.status_code in _NO_BODY:
            raise TransportError("The response body is empty.", name="AI_EmptyResponseBodyError", status=None)


def _host_of(api: str) -> str:
    """Host and port of an endpoint, without a user name that may stand before them."""
    try:
        parts = urlsplit(api)
        host, port = parts.hostname, parts.port
    except ValueError as problem:
        raise TransportError(f"{mask_url(api)!r} is not an address: {problem}", name="TypeError") from problem
    if parts.scheme not in ("http", "https") or not host:
        raise TransportError(f"{mask_url(api)!r} is not an address: expected http:// or https:// and a host")
    return host if port is None else f"{host}:{port}"


def _clean_token(token: str | None) -> str | None:
    """The token without white space around it, as a file gives it. Its value is in no message."""
    if token is None:
        return None
    token = token.strip()
    if not token or not _HEADER_VALUE.fullmatch(token):
        raise RefusedError(
            "the token cannot be sent: it is empty, or holds a line break, a control or a non-ASCII character"
        )
    return token


def _sendable(headers: dict[str, str]) -> dict[str, str]:
    """The headers, or an error that names the bad one; the HTTP library would quote its value."""
    for name, value in headers.items():
        if not isinstance(value, str) or not _HEADER_VALUE.fullmatch(value):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TransportError(
                f"the header {name!r} cannot be sent: its value is no text of printable ASCII characters"
            )
    return headers


def _lower(headers: Mapping[str, str | None]) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items() if value is not None}


def _with_path(url: str, path: str) -> str:
    """`path` behind the path of `url`, before its query and fragment (spec §1.2)."""
    start = re.search(r"[?#]", url)
    place = len(url) if start is None else start.start()
    return url[:place].removesuffix("/") + path + url[place:]


def _with_dots_ended(url: str) -> str:
    """`/a/.` means `/a/` to a browser, and `/a` to our HTTP client: say it so that both read the same."""
    return re.sub(r"^([^?#]*/\.{1,2})(?=[?#]|$)", r"\1/", url)


async def _read(response: httpx.Response) -> AsyncGenerator[bytes, None]:
    import httpx

    try:
        async for data in response.aiter_bytes():
            yield data
    except httpx.HTTPError as problem:
        raise TransportError("terminated", name="TypeError") from problem


def _frame_error(frame: Frame, problem: str) -> TransportError:
    """The error of the reference's decoder for a frame that is no chunk."""
    text = frame.data or ""
    try:
        value = json_text.write(json_text.read(text))
    except json_text.JsonProblem as cause:
        return TransportError(f"JSON parsing failed: Text: {text}.\nError message: {cause}", name="AI_JSONParseError")
    return TransportError(
        f"Type validation failed: Value: {value}.\nError message: {problem}", name="AI_TypeValidationError"
    )
