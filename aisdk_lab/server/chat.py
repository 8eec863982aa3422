"""The two doors for a chat: `POST /api/chat` and `POST /v1/ai-sdk/…`.

Stage: server, a shell. Same runs, ledger and decisions behind both; the door decides the profile. What is wrong with a
request is told before a run starts: at `/api/chat` as a status with JSON, at `/v1/ai-sdk/*` in the stream, because that
profile answers every body with 200.
"""

from __future__ import annotations

from http import HTTPStatus

from aisdk_lab.errors import DecisionError, LabError, RequestError, UnknownName
from aisdk_lab.runs.application import RunInProgress, ToldAgain
from aisdk_lab.runs.encoder import RunOutcome
from aisdk_lab.runs.request import read_ai_sdk_request, read_awaken_request
from aisdk_lab.server.app import LabHandler
from aisdk_lab.server.stream import StreamHandler


class ChatHandler(StreamHandler):
    """`POST /api/chat`: what `useChat` sends."""

    profile = "ai-sdk"

    async def post(self) -> None:
        """Run, and stream the chunks."""
        if self.is_too_large:
            self.refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, self.too_large_text)
            return
        try:
            request = read_ai_sdk_request(self.body, self.request.headers.get("Content-Type"))
            response = await self.doors.application.open(request, self.profile)
        except RequestError as error:
            self.refuse(HTTPStatus.BAD_REQUEST, str(error), problems=list(error.problems))
        except DecisionError as error:
            self.refuse(HTTPStatus.CONFLICT, str(error), waiting=list(error.waiting))
        except RunInProgress as error:
            self.refuse(HTTPStatus.CONFLICT, str(error))
        except UnknownName as error:
            self.refuse(HTTPStatus.NOT_FOUND, str(error), known=list(error.known))
        else:
            await self.stream(response)


class StopHandler(LabHandler):
    """`POST /api/chat/<id>/stop`: really stop, which closing the connection does not."""

    async def post(self, thread_id: str) -> None:
        """Stop the run of the chat; `stopped` tells whether there was one."""
        self.answer({"stopped": await self.doors.application.stop(thread_id)})


class AwakenChatHandler(StreamHandler):
    """`POST /v1/ai-sdk/chat`, `/threads/<id>/runs` and `/agents/<id>/runs`."""

    profile = "awaken"

    async def post(self, thread_id: str | None = None, agent_id: str | None = None) -> None:
        """Run, and stream the chunks; problems come in the stream too."""
        application = self.doors.application
        try:
            if self.is_too_large:
                raise RequestError([self.too_large_text])
            request = read_awaken_request(
                self.body, self.request.headers.get("Content-Type"), thread_id=thread_id, agent_id=agent_id
            )
            response = await application.open(request, self.profile)
        except UnknownName as error:  # a failure of the run and not of the body
            empty = {"id": "", "role": "assistant", "parts": []}
            await self.stream(ToldAgain(RunOutcome("error", empty, failure=str(error), shown_failure=str(error))))
        except LabError as error:
            error_chunk = {"type": "error", "errorText": str(error)}
            await self.stream_all([error_chunk, {"type": "finish", "finishReason": "error"}])
        else:
            await self.stream(response)
