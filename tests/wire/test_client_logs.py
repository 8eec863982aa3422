"""What the HTTP client logs of our calls holds no secret, and what it logs of others' is theirs."""

from __future__ import annotations

import logging

import pytest

from aisdk_lab.wire.client_logs import masked_logs

URL = "http://me:S3CR3T@h/x?token=S3CR3T"


def log_both() -> None:
    logging.getLogger("httpx").info('HTTP Request: %s %s "%s %d %s"', "POST", URL, "HTTP/1.1", 200, "OK")
    logging.getLogger("httpcore.http11").debug("receive_response_headers.complete set-cookie S3CR3T")


def test_our_calls_are_logged_with_the_url_masked_and_without_headers(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with masked_logs():
        log_both()
    assert caplog.messages == ['HTTP Request: POST http://***@h/x?token=*** "HTTP/1.1 200 OK"']


def test_the_calls_of_others_are_logged_as_ever(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with masked_logs():
        pass
    log_both()
    assert len(caplog.messages) == 2
    assert URL in caplog.messages[0]
