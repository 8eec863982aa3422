"""Chunks leave one by one, silence is filled with comments, and a client that leaves is noticed once."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from tornado.iostream import IOStream

from aisdk_lab.loopback import lab_loop
from aisdk_lab.server.adapter import Adapter
from tests.runs.test_application import HELLO, STOP, Written
from tests.server.conftest import chunks, headers, post, user

BODY = {"id": "c1", "threadId": "c1", "messages": [user("hi")]}
LIMIT_S = 20


class Gate:
    """Something that an agent waits for on the lab's loop and that a test opens from outside."""

    def __init__(self) -> None:
        self.event = asyncio.Event()

    def open(self) -> None:
        lab_loop().call(self.event.set)


def reading(adapter: Adapter, path: str) -> Iterator[str]:
    """The blocks of a response as they arrive."""
    timeout = httpx.Timeout(LIMIT_S)
    with httpx.stream(
        "POST", adapter.url + path, headers=headers(adapter), json=BODY, trust_env=False, timeout=timeout
    ) as r:
        text = ""
        for piece in r.iter_text():
            text += piece
            while "\n\n" in text:
                block, _, text = text.partition("\n\n")
                yield block


def kind(block: str) -> str:
    return block if not block.startswith("data: {") else json.loads(block[6:])["type"]


def until_idle(adapter: Adapter) -> None:
    """Wait until no run of the thread is left."""

    async def idle() -> None:
        while adapter.application.running("c1") is not None:
            await asyncio.sleep(0.001)

    lab_loop().run(idle(), timeout=LIMIT_S)


def state(adapter: Adapter) -> str:
    return adapter.application.ledger.facts("c1")[-1].body["state"]


def raw(adapter: Adapter, path: str) -> socket.socket:
    """A request over a bare socket, so that a test can hang up."""
    body = json.dumps(BODY).encode()
    lines = [
        f"POST {path} HTTP/1.1",
        f"Host: 127.0.0.1:{adapter.port}",
        *(f"{name}: {value}" for name, value in headers(adapter).items()),
        f"Content-Length: {len(body)}",
    ]
    client = socket.create_connection(("127.0.0.1", adapter.port), timeout=LIMIT_S)
    client.sendall("\r\n".join([*lines, "", ""]).encode() + body)
    return client


def read_until(client: socket.socket, wanted: bytes) -> bytes:
    data = b""
    while wanted not in data:
        piece = client.recv(65536)
        assert piece, f"the server hung up before {wanted!r}: {data!r}"
        data += piece
    return data


@pytest.mark.parametrize("path", ["/api/chat", "/v1/ai-sdk/chat"])
def test_a_chunk_is_there_before_the_next_one_is_made(served, path):
    gate = Gate()
    adapter = served(Written(*HELLO[:3], gate.event, *HELLO[3:]))
    blocks = reading(adapter, path)
    seen = []
    for block in blocks:
        seen.append(kind(block))
        if seen[-1] == "text-delta":
            gate.open()
    assert seen.index("text-delta") < seen.index("text-end")
    assert seen[-1] == "data: [DONE]"


def test_each_chunk_is_one_write(served):
    client = raw(served(Written(*HELLO)), "/api/chat")
    data = read_until(client, b"0\r\n\r\n")
    client.close()
    body = data.partition(b"\r\n\r\n")[2]
    sizes = []
    while body:
        size, _, rest = body.partition(b"\r\n")
        sizes.append(rest[: int(size, 16)])
        body = rest[int(size, 16) + 2 :]
    assert all(
        piece.startswith(b"data: ") and piece.endswith(b"\n\n") and piece.count(b"\n\n") == 1 for piece in sizes[:-1]
    )
    assert len(sizes) == len(HELLO) + 3, "start, the agent's, [DONE], and HTTP's own end"


@pytest.mark.parametrize("path", ["/api/chat", "/v1/ai-sdk/chat"])
def test_the_system_does_not_hold_small_chunks_back(served, path, monkeypatch):
    """Without it four chunks arrived together each 86 ms, where one each 20 ms was written."""
    seen: list[bool] = []
    set_nodelay = IOStream.set_nodelay

    def noted(stream: IOStream, value: bool) -> None:
        seen.append(value)
        set_nodelay(stream, value)

    monkeypatch.setattr(IOStream, "set_nodelay", noted)
    gate = Gate()
    for block in reading(served(Written(*HELLO[:3], gate.event, *HELLO[3:])), path):
        if kind(block) == "text-delta":
            assert seen == [True], "before the end, where Tornado does it too"
            gate.open()


def test_the_ai_sdk_door_sends_comments_only_after_silence(served):
    gate = Gate()
    adapter = served(Written(*HELLO[:3], gate.event, *HELLO[3:]), keep_alive_s=0.02)
    seen = []
    for block in reading(adapter, "/api/chat"):
        seen.append(kind(block))
        if seen.count(": keep-alive") == 3:
            gate.open()
    first = seen.index(": keep-alive")
    assert seen[first - 1] == "text-delta", "no comment before the silence"
    assert seen[-4:] == ["text-end", "finish-step", "finish", "data: [DONE]"]


def test_w17_the_awaken_door_sends_a_comment_at_once_and_then_by_the_clock(served):
    gate = Gate()
    adapter = served(Written(gate.event, *HELLO), keep_alive_s=0.02)
    seen = []
    for block in reading(adapter, "/v1/ai-sdk/chat"):
        seen.append(kind(block))
        if seen.count(": keep-alive") == 4:
            gate.open()
    assert seen[0] == ": keep-alive"
    assert seen.count(": keep-alive") >= 4
    assert [each for each in seen if each != ": keep-alive"][:2] == ["start", "start-step"]
    assert seen[-1] == "data: [DONE]"


def test_w18_a_client_that_hangs_up_interrupts_the_awaken_run_once(served):
    agent = Written(*HELLO[:3], asyncio.Event())
    adapter = served(agent)
    calls: list[str] = []
    interrupt = adapter.application.interrupt

    async def counted(thread_id: str) -> None:
        calls.append(thread_id)
        await interrupt(thread_id)

    adapter.application.interrupt = counted
    client = raw(adapter, "/v1/ai-sdk/chat")
    read_until(client, b"text-delta")
    client.close()
    until_idle(adapter)
    assert (calls, agent.closed, state(adapter)) == (["c1"], 1, "aborted")


def test_a_silent_client_that_hangs_up_is_noticed_without_a_write(served):
    adapter = served(Written(asyncio.Event()), keep_alive_s=3600)
    client = raw(adapter, "/v1/ai-sdk/chat")
    read_until(client, b"start-step")
    client.close()
    until_idle(adapter)
    assert state(adapter) == "aborted"


def test_at_api_chat_a_run_goes_on_when_the_page_leaves(served):
    gate = Gate()
    adapter = served(Written(*HELLO[:3], gate.event, *HELLO[3:]))
    client = raw(adapter, "/api/chat")
    read_until(client, b"text-delta")
    client.close()
    gate.open()
    until_idle(adapter)
    assert state(adapter) == "complete"
    assert adapter.application.history("c1")[1]["parts"][1]["text"] == "你好"


def test_on_disconnect_can_be_chosen(served):
    adapter = served(Written(asyncio.Event()), on_disconnect="interrupt")
    client = raw(adapter, "/api/chat")
    read_until(client, b'"start"')
    client.close()
    until_idle(adapter)
    assert state(adapter) == "aborted"


def test_stop_really_stops_and_the_reader_is_told(served):
    agent = Written(*HELLO[:3], asyncio.Event())
    adapter = served(agent)
    seen: list[str] = []
    for block in reading(adapter, "/api/chat"):
        seen.append(kind(block))
        if seen[-1] == "text-delta":
            assert post(adapter, "/api/chat/c1/stop", {}).json() == {"stopped": True}
    assert seen[-2:] == ["abort", "data: [DONE]"]
    assert (agent.closed, state(adapter)) == (1, "aborted")
    assert post(adapter, "/api/chat/c1/stop", {}).json() == {"stopped": False}


@pytest.mark.parametrize(("path", "status"), [("/api/chat", 409), ("/v1/ai-sdk/chat", 200)])
def test_a_second_request_on_a_running_thread_is_refused(served, path, status):
    gate = Gate()
    adapter = served(Written(*HELLO[:3], gate.event, *HELLO[3:]))
    for block in reading(adapter, "/api/chat"):
        if kind(block) == "text-delta":
            second = post(adapter, path, {**BODY, "messages": [user("again", "u2")]})
            text = second.text if status == 409 else chunks(second)[0]["errorText"]
            gate.open()
    assert second.status_code == status
    assert "has a run of 'written' in progress. Wait for its end, or stop it." in text


def test_a_slow_reader_holds_back_the_writing_and_not_the_run(served):
    deltas = [{"type": "text-delta", "id": "t", "delta": "x" * 10_000}] * 2_000
    adapter = served(Written(*HELLO[:2], *deltas, *HELLO[3:]))
    client = raw(adapter, "/api/chat")
    read_until(client, b"text-start")
    until_idle(adapter)
    assert state(adapter) == "complete", "20 MB were made while nobody read them"
    read_until(client, b"[DONE]")
    client.close()


def test_a_cell_that_computes_does_not_stop_the_stream(served):
    """The main thread never gives the lock away by itself here; how much it delays is measured, not tested."""
    adapter = served(Written(*HELLO[:2], *HELLO[2:3] * 50, *HELLO[3:]))
    result: list[Any] = []
    reader = threading.Thread(target=lambda: result.append(post(adapter, "/api/chat", BODY)))
    reader.start()
    while reader.is_alive():
        sum(range(1000))
    assert chunks(result[0])[-1] == STOP
