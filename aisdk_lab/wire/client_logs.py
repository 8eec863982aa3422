"""Keeps secrets of our own calls out of the HTTP client's logs.

Stage: wire, though it knows two loggers of the client's by name; it imports nothing of it. httpx logs the whole URL at
INFO and httpcore every response header at DEBUG. A filter on those loggers masks the one and drops the other, during our
calls only: what somebody else's client logs in the same kernel is none of our business and passes untouched.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Final

from aisdk_lab.wire.headers import mask_url

if TYPE_CHECKING:
    import logging

_ours: ContextVar[bool] = ContextVar("aisdk_lab_call", default=False)
_URL_LOGGER: Final = "httpx"
_HEADER_LOGGERS: Final = tuple(f"httpcore.{name}" for name in ("connection", "http11", "http2", "proxy", "socks"))


@contextmanager
def masked_logs() -> Generator[None]:
    """Masks what the client logs in this context until the end of the `with`."""
    import logging

    for name in (_URL_LOGGER, *_HEADER_LOGGERS):
        logging.getLogger(name).addFilter(_mask)  # the same filter twice is one
    before = _ours.set(True)
    try:
        yield
    finally:
        try:
            _ours.reset(before)
        except ValueError:
            # An asynchronous generator that another task closes: that task's context was never marked.
            _ours.set(False)


def _mask(record: logging.LogRecord) -> bool:
    if not _ours.get():
        return True
    if record.name != _URL_LOGGER:
        return False
    if isinstance(record.args, tuple):
        record.args = tuple(
            value if value is None or isinstance(value, int | float) else mask_url(str(value)) for value in record.args
        )
    return True
