"""Secrets are masked, everything else stays as it was."""

from __future__ import annotations

import pytest

from aisdk_lab.wire.headers import (
    UI_MESSAGE_STREAM_HEADERS,
    find_header,
    mask_headers,
    mask_url,
    media_type,
    with_defaults,
)


def test_secret_values_are_masked_and_names_and_order_stay() -> None:
    headers = {
        "Accept": "*/*",
        "AUTHORIZATION": "Bearer abc",
        "cookie": "a=b",
        "Set-Cookie": "a=b",
        "Proxy-Authorization": "Basic x",
        "x-api-key": "k",
        "Api-Key": "k",
        "X-XSRFToken": "t",
        "X-Client-Secret": "s",
        "x-session-id": "1",
        "content-type": "application/json",
        "WWW-Authenticate": "Bearer",
        "location": "https://h/cb?code=abc&state=1",
    }
    masked = mask_headers(headers)
    assert list(masked) == list(headers)
    assert {name: value for name, value in masked.items() if value != "***"} == {
        "Accept": "*/*",
        "content-type": "application/json",
        "WWW-Authenticate": "Bearer",
        "location": "https://h/cb?code=***&state=1",
    }
    assert mask_headers(masked) == masked


@pytest.mark.parametrize(
    ("url", "masked"),
    [
        ("https://me:pw@host:8080/a?b=c", "https://***@host:8080/a?b=c"),
        ("https://token@host", "https://***@host"),
        ("//me:pw@host/x", "//***@host/x"),
        ("http://h/v1?api_key=a%2Bb&model=m%20n&API-Key=c", "http://h/v1?api_key=***&model=m%20n&API-Key=***"),
        ("http://h/?access_token=a;sig=b&X-Amz-Signature=c", "http://h/?access_token=***;sig=***&X-Amz-Signature=***"),
        (
            "http://h/?key=a&code=b&password=c&secret=d&token=e",
            "http://h/?key=***&code=***&password=***&secret=***&token=***",
        ),
        ("http://h/cb#access_token=a&token_type=b&state=c", "http://h/cb#access_token=***&token_type=***&state=c"),
        ("http://h/?a%70i_key=x", "http://h/?a%70i_key=***"),
        ("http://h/?keyword=x&author=y&encode=z&token=&token", "http://h/?keyword=x&author=y&encode=z&token=&token"),
        ("http://h/path@me?x=a@b", "http://h/path@me?x=a@b"),
        ("/api/chat", "/api/chat"),
        ("", ""),
    ],
)
def test_a_url_keeps_everything_but_its_secrets(url: str, masked: str) -> None:
    assert mask_url(url) == masked
    assert mask_url(masked) == masked


def test_names_are_found_in_any_case() -> None:
    headers = {"Content-Type": "Text/Event-Stream; charset=utf-8"}
    assert find_header(headers, "content-type") == "Text/Event-Stream; charset=utf-8"
    assert find_header(headers, "x") is None
    assert media_type(headers) == "text/event-stream"
    assert media_type({}) == ""


def test_the_callers_header_wins_over_the_default() -> None:
    assert with_defaults({"Cache-Control": "no-store"}, UI_MESSAGE_STREAM_HEADERS) == {
        "Cache-Control": "no-store",
        "content-type": "text/event-stream",
        "connection": "keep-alive",
        "x-vercel-ai-ui-message-stream": "v1",
        "x-accel-buffering": "no",
    }
