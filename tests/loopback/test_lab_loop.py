"""The lab's thread: one for the kernel, gone when stopped."""

from __future__ import annotations

import asyncio
import contextvars
import importlib
import subprocess
import sys
import threading

import pytest

from aisdk_lab import loopback
from aisdk_lab.loopback import THREAD_NAME, LabLoop, lab_loop, stop_lab_loop


def lab_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == THREAD_NAME]


@pytest.fixture(autouse=True)
def no_loop_before_and_after():
    stop_lab_loop()
    yield
    stop_lab_loop()


def test_there_is_one_loop_for_the_whole_kernel():
    assert lab_loop() is lab_loop()
    assert len(lab_threads()) == 1


def test_many_threads_that_ask_at_once_get_the_same_loop():
    barrier = threading.Barrier(8)
    got: list[LabLoop] = []

    def ask() -> None:
        barrier.wait()
        got.append(lab_loop())

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(map(id, got))) == 1
    assert len(lab_threads()) == 1


def test_a_reloaded_module_finds_the_running_loop():
    before = lab_loop()
    reloaded = importlib.reload(loopback)
    assert reloaded.lab_loop() is before
    assert len(lab_threads()) == 1


def test_stopping_leaves_no_thread_and_cancels_what_ran():
    loop = lab_loop()
    cancelled = threading.Event()
    started = threading.Event()

    async def forever() -> None:
        started.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.set()
            raise

    future = loop.submit(forever())
    assert started.wait(5)
    stop_lab_loop()
    assert cancelled.is_set()
    assert future.cancelled()
    assert lab_threads() == []
    assert not loop.is_running


def test_stopping_twice_is_stopping_once():
    lab_loop()
    stop_lab_loop()
    stop_lab_loop()
    assert lab_threads() == []


def test_a_stopped_loop_is_followed_by_a_new_one():
    first = lab_loop()
    stop_lab_loop()
    second = lab_loop()
    assert second is not first
    assert second.run(asyncio.sleep(0, "alive")) == "alive"


def test_a_stopped_loop_refuses_work_with_what_to_do():
    loop = lab_loop()
    stop_lab_loop()
    with pytest.raises(RuntimeError, match=r"lab_loop\(\) starts a new one"):
        loop.submit(asyncio.sleep(0))


def test_closers_run_on_the_loop_last_in_first_out_and_a_failing_one_stops_nobody(caplog):
    loop = lab_loop()
    order: list[str] = []

    async def first() -> None:
        order.append(threading.current_thread().name)

    async def failing() -> None:
        order.append("failing")
        raise ValueError("port 0")

    async def forgotten() -> None:
        order.append("forgotten")

    for closer in (first, failing, forgotten):
        loop.at_stop(closer)
    loop.forget(forgotten)
    stop_lab_loop()
    assert order == ["failing", THREAD_NAME]
    assert "ValueError: port 0" in caplog.text


def test_run_gives_the_result_and_raises_the_error():
    async def divide(a: int, b: int) -> float:
        return a / b

    assert lab_loop().run(divide(6, 3)) == 2.0
    with pytest.raises(ZeroDivisionError):
        lab_loop().run(divide(1, 0))


def test_run_on_the_loop_itself_is_refused_instead_of_waiting_for_ever():
    loop = lab_loop()

    async def wait_for_itself() -> None:
        loop.run(asyncio.sleep(0))

    with pytest.raises(RuntimeError, match="would wait for itself"):
        loop.run(wait_for_itself(), timeout=5)


def test_run_out_of_time_cancels_the_work():
    cancelled = threading.Event()

    async def forever() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    with pytest.raises(TimeoutError):
        lab_loop().run(forever(), timeout=0.01)
    assert cancelled.wait(5)


def test_work_does_not_inherit_the_context_of_the_cell_that_started_it():
    variable = contextvars.ContextVar("variable", default="nobody's")
    variable.set("the cell's")

    async def read() -> str:
        return variable.get()

    assert lab_loop().run(read()) == "nobody's"


def test_an_interpreter_leaves_cleanly_with_work_on_the_loop():
    program = (
        "import asyncio\n"
        "from aisdk_lab.loopback import lab_loop\n"
        "async def work():\n"
        "    try:\n"
        "        await asyncio.Event().wait()\n"
        "    finally:\n"
        "        open(1, 'w', closefd=False).write('cleaned')\n"
        "lab_loop().submit(work())\n"
        "lab_loop().run(asyncio.sleep(0))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=30, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "cleaned", "")


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt()], ids=repr)
def test_a_task_that_wants_to_leave_the_program_does_not_end_the_loop(error, caplog):
    loop = lab_loop()

    async def leave() -> None:
        raise error

    with pytest.raises(type(error)):
        loop.submit(leave()).result(5)
    assert loop.run(asyncio.sleep(0, "alive"), timeout=5) == "alive"
    assert "the loop goes on" in caplog.text


def test_a_loop_that_falls_still_runs_its_closers():
    loop = lab_loop()
    closed = threading.Event()

    async def closer() -> None:
        closed.set()

    def fall() -> None:
        raise SystemExit

    loop.at_stop(closer)
    loop.call(setattr, loop, "_is_stopping", True)
    loop.call(fall)
    for thread in lab_threads():
        thread.join(5)
    assert closed.is_set()
    assert not loop.is_running
