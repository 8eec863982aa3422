"""What every test can ask for, and what every test must leave behind: nothing."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from tests.node import NODE, PACKAGES, is_installed, is_required, why_missing

GOLDEN = Path(__file__).parent / "golden"
BROWSER = Path(__file__).parent / "browser"
GRACE_S = 5.0
"""How long a thread or process that was told to end may take; polled, so a clean test waits for nothing."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browser tests share one Jupyter Server and one Chromium, so all of them go to one worker."""
    for item in items:
        if item.path.is_relative_to(BROWSER):
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.xdist_group("browser"))


@pytest.fixture(scope="session")
def golden() -> Callable[[str, str], Path]:
    """`golden(area, name)`: the path of a golden file; an area without a provenance is refused."""

    def find(area: str, name: str) -> Path:
        assert (GOLDEN / area / "PROVENANCE.md").is_file(), f"tests/golden/{area}/PROVENANCE.md says nothing"
        path = GOLDEN / area / name
        assert path.exists(), f"no golden {path.relative_to(GOLDEN)}; there are {sorted(os.listdir(path.parent))}"
        return path

    return find


@pytest.fixture(scope="session")
def node() -> Path:
    """The Node 24 of the wheel; the two npm folders are installed. No Node: a failure in CI, a skip elsewhere."""
    reason = why_missing()
    if reason:
        (pytest.fail if is_required() else pytest.skip)(reason)
    for folder in PACKAGES:
        assert is_installed(folder), f"{folder.name}/node_modules is out of date: run 'python -m tests install'"
    return NODE


def _threads() -> set[threading.Thread]:
    # `asyncio_N` are the pool of an open event loop (Playwright's writes screenshots with it); a loop that a test
    # forgets to close is a ResourceWarning, and so an error.
    return {thread for thread in threading.enumerate() if not (thread.daemon or thread.name.startswith("asyncio_"))}


@pytest.fixture(scope="session")
def outlives_tests() -> set[int]:
    """Process ids that a fixture of a wider scope started while a test ran, and will end itself."""
    return set()


@pytest.fixture(autouse=True)
def nothing_is_left_behind(outlives_tests: set[int]) -> Iterator[None]:
    """Fails a test that leaves a non-daemon thread or a child process.

    Daemon threads may stay: the lab's own loop (`aisdk-lab`) lives as long as the process by design. What fixtures
    of a wider scope started before the test does not count; what they start later is in `outlives_tests`.
    """

    def _processes() -> set[psutil.Process]:
        children = psutil.Process().children()
        return {
            child for child in children if child.pid not in outlives_tests and child.status() != psutil.STATUS_ZOMBIE
        }

    threads, processes = _threads(), _processes()
    yield
    limit = time.monotonic() + GRACE_S
    for thread in _threads() - threads:
        thread.join(max(0.0, limit - time.monotonic()))
    psutil.wait_procs(_processes() - processes, timeout=max(0.0, limit - time.monotonic()))
    left = [thread.name for thread in _threads() - threads]
    left += [" ".join(process.cmdline()) for process in _processes() - processes]
    assert not left, f"the test left behind: {left}"
