"""How much a busy cell delays a stream: the gap between chunks, seen by another process.

The server runs on the lab's thread of this process, the "cell" on its main thread. 150 chunks, one each 20 ms; the figure
is how far a gap is from that. Run it with `make bench`, or `python -m pytest -q -s -m bench tests/bench/test_busy_cell.py`.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable

import pytest

from aisdk_lab.agents.scripted import scripted
from aisdk_lab.loopback import stop_lab_loop
from aisdk_lab.server.adapter import serve

GAP_MS, CHUNKS = 20, 150

CLIENT = """
import http.client, json, sys, time
port, token = sys.argv[1:]
connection = http.client.HTTPConnection("127.0.0.1", int(port))
body = json.dumps({"id": "b", "messages": [{"id": "u", "role": "user", "parts": [{"type": "text", "text": "go"}]}]})
start = time.monotonic()
connection.request("POST", "/api/chat", body, {"Authorization": "Bearer " + token, "Content-Type": "application/json"})
response = connection.getresponse()
times = []
first = None
while line := response.readline():
    first = first or time.monotonic()
    if b"text-delta" in line:
        times.append(time.monotonic())
gaps = [1000 * (after - before) for before, after in zip(times, times[1:])]
print(json.dumps({"first_ms": 1000 * (first - start), "gaps": gaps}))
"""


def idle(done: threading.Event) -> None:
    done.wait()


def sleep(done: threading.Event) -> None:
    while not done.is_set():
        time.sleep(1)


def python_loop(done: threading.Event) -> None:
    total = 0
    while not done.is_set():
        for number in range(10_000):
            total += number * number


def pandas_groupby(done: threading.Event) -> None:
    import numpy
    import pandas

    table = pandas.DataFrame(
        {"key": numpy.arange(400_000) % 1000, "value": numpy.random.default_rng(0).random(400_000)}
    )
    while not done.is_set():
        table.sort_values("value").groupby("key").mean()


def long_c_calls(done: threading.Event) -> None:
    """The limit: one C call keeps the interpreter's lock for about 0.2 s."""
    while not done.is_set():
        sum(range(10_000_000))


@scripted(delay_ms=GAP_MS)
def ticking(turn):
    yield turn.text(("tick " * CHUNKS).rstrip())


@pytest.mark.bench
@pytest.mark.parametrize(
    "cell", [idle, sleep, python_loop, pandas_groupby, long_c_calls], ids=lambda cell: cell.__name__
)
def test_how_much_a_busy_cell_delays_a_stream(cell: Callable[[threading.Event], None]):
    adapter = serve(ticking)
    done = threading.Event()
    output: list[str] = []

    def client() -> None:
        command = [sys.executable, "-c", CLIENT, str(adapter.port), adapter.token]
        output.append(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        done.set()

    reader = threading.Thread(target=client)
    reader.start()
    cell(done)
    reader.join()
    adapter.stop()
    stop_lab_loop()
    seen = json.loads(output[0])
    assert len(seen["gaps"]) == CHUNKS - 1
    gaps = sorted(seen["gaps"])
    p50, p99 = statistics.median(gaps), gaps[int(0.99 * len(gaps))]
    print(  # noqa: T201  # the figure is the point
        f"{cell.__name__:<16} first byte {seen['first_ms']:6.1f} ms   gap p50 {p50:5.1f}   p99 {p99:5.1f}   "
        f"longest {gaps[-1]:5.1f} ms"
    )
