"""HTTP: a chat reaches its agent as the SDK's `DefaultChatTransport` does.

Stage: transports. The body's keys stand in the order of the reference, headers are lower-case, failures bear the names
of the reference's errors. Frames that are no chunks become findings of the request's receipt; `strict=True` breaks off at
the first one, as the reference does.
Source: `ai` 7.0.173 `http-chat-transport.ts`, `default-chat-transport.ts` (spec §1.1, §1.4); recorded:
tests/golden/requests. Not here yet: joining a response that is under way (`reconnectToStream`).
"""

from __future__ import annotations

import inspect
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, urlsplit

from aisdk_lab.chat.transport import TransportRequest
from aisdk_lab.errors import RefusedError, TransportError
from aisdk_lab.loopback import is_loopback
from aisdk_lab.ui_stream.chunks import Chunk
from aisdk_lab.ui_stream.validate import read_chunk
from aisdk_lab.wire import Frame, SseDecoder, json_text
from aisdk_lab.wire.client_logs import masked_logs
from aisdk_lab.wire.headers import mask_url

if TYPE_CHECKING:
    import httpx

Prepare = Callable[[dict[str, Any]], "Mapping[str, Any] | Awaitable[Mapping[str, Any] | None] | None"]
"""Gets `{api, id, messages, body, headers, requestMetadata, trigger, messageId}`; what it returns under `body`, `headers`
and `api` replaces the default (the SDK's `prepareSendMessagesRequest`)."""

CONNECT_S: Final = 10.0
_SECRET_CHARS: Final = 4
"""Shorter tokens are not looked for in texts: they stand in any."""
_HEADER_VALUE: Final = re.compile(r"[\t\x20-\x7e]*")
_NO_BODY: Final = frozenset({204, 205})
"""Statuses that have no body at all, which the reference tells from an empty one."""
_KEPT_BY_COMPONENT: Final = "!~*'()"
"""What JavaScript's `encodeURIComponent` leaves alone beside letters, digits and `-_.`."""


class HttpTransport:
    """A UI Message Stream endpoint at a URL.

    `token` is sent as `Authorization: Bearer …` and shown nowhere: an answer that quotes it is shown with `***`. White space
    around it is taken away; `RefusedError` for one that cannot stand in a header. `stop=True` also posts to `<api>/<chat id>/stop`
    when a chat is stopped: the lab's own `/api/chat` needs it, because a run there outlives its connection.
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
        self._prepare = prepare
        self._stops = stop
        self._strict = strict

    def __repr__(self) -> str:
        return f"HttpTransport({mask_url(self.api)!r})"

    async def stream(self, request: TransportRequest) -> AsyncGenerator[Chunk, None]:
        """The chunks of one response; closing the generator closes the connection."""
        api, headers, body = await self._request(request)
        decoder = SseDecoder()
        async with self._open(api, headers, json_text.write_bytes(body)) as response:
            await self._refuse(response)
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

        url = _with_path(self.api, f"/{quote(chat_id, safe=_KEPT_BY_COMPONENT)}/stop")
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

    def _base_headers(self, more: Mapping[str, str | None]) -> dict[str, str]:
        token = {} if self._token is None else {"authorization": f"Bearer {self._token}"}
        return token | _lower(self._headers) | _lower(more)

    @asynccontextmanager
    async def _open(self, api: str, headers: Mapping[str, str], content: bytes) -> AsyncGenerator[httpx.Response, None]:
        import httpx

        async with self._client(api) as client:
            sent = client.build_request("POST", api, headers=headers, content=content)
            try:
                with masked_logs():
                    response = await client.send(sent, stream=True)
            except (httpx.HTTPError, httpx.InvalidURL) as problem:
                # Named as Node names it, so that a lost network is taken for one.
                text = f"fetch failed: {type(problem).__name__}: {problem} (POST {mask_url(api)})"
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
        if chunk is not None and chunk["type"] == "error":
            return {**chunk, "errorText": self._without_token(chunk["errorText"])}
        return chunk

    def _without_token(self, text: str) -> str:
        """What the far side says, which may say what it was sent: into a notebook the token must not come."""
        return text.replace(self._token, "***") if self._token and len(self._token) >= _SECRET_CHARS else text

    async def _refuse(self, response: httpx.Response) -> None:
        """Raise what the reference throws for an answer without a stream; content type and headers do not count."""
        import httpx

        if not response.is_success:
            try:
                text = (await response.aread()).decode(errors="replace")
            except httpx.HTTPError as problem:
                text = f"the answer broke off: {problem}"
            message = self._without_token(text) or "Failed to fetch the chat response."
            raise TransportError(message, name="AI_APICallError", status=response.status_code)
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
        json_text.read(text)
    except json_text.JsonProblem as cause:
        return TransportError(f"JSON parsing failed: Text: {text}.\nError message: {cause}", name="AI_JSONParseError")
    return TransportError(
        f"Type validation failed: Value: {text}.\nError message: {problem}", name="AI_TypeValidationError"
    )
