"""Secrets are masked, everything else stays as it was."""

from __future__ import annotations

import pytest

from aisdk_lab.wire.headers import (
    UI_MESSAGE_STREAM_HEADERS,
    find_header,
    header_problem,
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


def test_headers_that_can_be_sent_have_no_problem() -> None:
    assert header_problem({"Accept": "text/event-stream, */*", "x-empty": "", "x-tab": "a\tb"}) is None


@pytest.mark.parametrize(
    "name",
    ["x-vercel-protection-bypass", "Cf-Access-Jwt-Assertion", "X-Passwd", "X-Bearer", "DPoP", "X-Pass", "X-Hub-Sig"],
)
def test_headers_that_carry_a_proof_are_masked(name: str) -> None:
    assert mask_headers({name: "S3CR3T"}) == {name: "***"}


SECRET_PARAMETERS = [
    "x-vercel-protection-bypass",
    "app_key",
    "auth_key",
    "authkey",
    "license_key",
    "Ocp-Apim-Subscription-Key",
    "pw",
    "user_pass",
    "passcode",
    "hmac",
    "sas",
    "ticket",
    "nonce",
    "code_verifier",
    "bearer_tok",
]


@pytest.mark.parametrize("name", SECRET_PARAMETERS)
def test_parameters_that_carry_a_proof_are_masked_in_the_query_and_in_the_path(name: str) -> None:
    assert mask_url(f"http://h/a?{name}=S3CR3T&n=1") == f"http://h/a?{name}=***&n=1"
    assert mask_url(f"http://h/a;{name}=S3CR3T/b?n=1") == f"http://h/a;{name}=***/b?n=1"


@pytest.mark.parametrize(
    ("url", "masked"),
    [
        ("http://me:a/S3CR3T@h/x", "http://***@h/x"),
        ("http://me:#S3CR3T@h/x", "http://***@h/x"),
        ("http://me:?S3CR3T@h", "http://***@h"),
        (" http://me:S3CR3T@h/x", " http://***@h/x"),
        ("http:\\\\me:S3CR3T@h/x", "http:\\\\***@h/x"),
        ("me:S3CR3T@h/x", "***@h/x"),
        ("http://h:8000/@scope/x?a=b@c", "http://h:8000/@scope/x?a=b@c"),
        ("http://[::1]:8000/@scope", "http://[::1]:8000/@scope"),
        ("http://[::1]/@scope", "http://[::1]/@scope"),
    ],
)
def test_a_password_that_breaks_the_address_is_masked_and_a_good_address_stays(url: str, masked: str) -> None:
    assert mask_url(url) == masked
