"""Committed history over HTTP: `GET /v1/ai-sdk/threads/<id>/messages?size=&cursor=`.

Stage: server, a shell. An unknown thread is an empty page, an unknown cursor is refused.
"""

from __future__ import annotations

from http import HTTPStatus

from aisdk_lab.errors import RequestError
from aisdk_lab.runs.awaken_history import DEFAULT_SIZE, history_page
from aisdk_lab.server.app import LabHandler


class HistoryHandler(LabHandler):
    """One page of a thread's messages."""

    def get(self, thread_id: str) -> None:
        """Answer with `{items, cursor}`."""
        application = self.doors.application
        size = self.get_query_argument("size", str(DEFAULT_SIZE))
        try:
            number = int(size)
        except ValueError:
            self.refuse(HTTPStatus.BAD_REQUEST, f"expected a whole number, got {size!r}  @ query size")
            return
        try:
            page = history_page(
                application.history(thread_id),
                application.pending(thread_id),
                size=number,
                cursor=self.get_query_argument("cursor", None),
            )
        except RequestError:
            # The profile answers this one in plain text.
            self.set_status(HTTPStatus.BAD_REQUEST)
            self.set_header("Content-Type", "text/plain; charset=utf-8")
            self.finish("unknown pagination cursor")
            return
        self.answer(page)
