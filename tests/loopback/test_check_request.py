"""Who may talk to a server of the lab, and where it may listen."""

from __future__ import annotations

import pytest

from aisdk_lab.errors import RefusedError
from aisdk_lab.loopback import bind, check_request, is_loopback, loopback_hosts, new_token, port_of

TOKEN = "right-token"
HOSTS = loopback_hosts(8765)
GOOD = {"Host": "127.0.0.1:8765", "Authorization": f"Bearer {TOKEN}"}


def status(headers: dict[str, str], origins: tuple[str, ...] = ()) -> int | None:
    refusal = check_request(headers, token=TOKEN, hosts=HOSTS, origins=origins)
    return refusal and refusal.status


@pytest.mark.parametrize("host", ["127.0.0.1:8765", "localhost:8765", "[::1]:8765", "LocalHost:8765"])
def test_the_own_loopback_names_are_let_in(host):
    assert status(GOOD | {"Host": host}) is None


@pytest.mark.parametrize(
    "host", ["", "127.0.0.1", "127.0.0.1:8766", "evil.example:8765", "127.0.0.1:8765.evil.example"]
)
def test_a_foreign_host_is_refused_even_with_the_token(host):
    assert status(GOOD | {"Host": host}) == 403


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1:8765", "http://127.0.0.1:8888"])
def test_a_foreign_origin_is_refused_even_with_the_token(origin):
    assert status(GOOD | {"Origin": origin}) == 403


def test_the_own_origin_and_a_listed_one_are_let_in():
    assert status(GOOD | {"Origin": "http://127.0.0.1:8765"}) is None
    assert status(GOOD | {"Origin": "http://localhost:3000"}, ("http://localhost:3000",)) is None


@pytest.mark.parametrize(
    "authorization", ["", "Bearer", "Bearer ", f"Basic {TOKEN}", TOKEN, "Bearer wrong", f"Bearer {TOKEN}x", "Bearer ÿ"]
)
def test_without_the_bearer_token_nobody_gets_in(authorization):
    assert status(GOOD | {"Authorization": authorization}) == 401


def test_header_names_and_the_scheme_mind_no_case():
    assert status({"host": "localhost:8765", "authorization": f"bearer {TOKEN}"}) is None


def test_a_refusal_never_shows_the_right_token():
    refusal = check_request(GOOD | {"Authorization": "Bearer wrong"}, token=TOKEN, hosts=HOSTS)
    assert refusal is not None
    assert TOKEN not in refusal.reason


def test_a_preflight_needs_no_token_but_the_right_host_and_origin():
    preflight = {"Host": "localhost:8765", "Origin": "http://localhost:3000"}
    assert check_request(preflight, token=None, hosts=HOSTS, origins=("http://localhost:3000",)) is None
    assert check_request(preflight, token=None, hosts=HOSTS) is not None


def test_tokens_are_long_and_never_the_same():
    tokens = {new_token() for _ in range(100)}
    assert len(tokens) == 100
    assert min(map(len, tokens)) >= 43


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("127.0.0.1", True),
        ("::1", True),
        ("localhost", True),
        ("127.9.9.9", True),
        ("0.0.0.0", False),
        ("::", False),
        ("", False),
    ],
)
def test_loopback_is_decided_by_the_address(host, loopback):
    assert is_loopback(host) is loopback


@pytest.mark.parametrize("host", ["0.0.0.0", "", "::"])
def test_a_bind_that_others_can_reach_needs_an_explicit_option(host):
    with pytest.raises(RefusedError, match="allow_remote=True"):
        bind(host)
    sockets = bind(host or "0.0.0.0", allow_remote=True)
    for socket in sockets:
        socket.close()


def test_a_taken_port_is_an_error_of_the_caller_that_names_the_port():
    sockets = bind()
    try:
        with pytest.raises(RefusedError, match=f"port {port_of(sockets)}: .*Port 0 takes a free one"):
            bind(port=port_of(sockets))
    finally:
        for socket in sockets:
            socket.close()


def test_all_addresses_of_a_name_share_one_port():
    sockets = bind("", allow_remote=True)
    try:
        assert {socket.getsockname()[1] for socket in sockets} == {port_of(sockets)}
    finally:
        for socket in sockets:
            socket.close()
