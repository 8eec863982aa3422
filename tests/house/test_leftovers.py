"""The guard in tests/conftest.py sees what a test leaves behind."""

from __future__ import annotations

from pathlib import Path

CONFTEST = Path(__file__).parents[1] / "conftest.py"

LEAVES = """
import subprocess, sys, threading

def test_process():
    subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)

def test_thread():
    global gate
    gate = threading.Event()
    threading.Thread(target=gate.wait, name="forgotten").start()

def test_daemon_and_ended_ones():
    gate.set()
    threading.Thread(target=threading.Event().wait, daemon=True).start()
    subprocess.run([sys.executable, "-c", ""], check=True)
"""


def test_a_thread_or_a_process_that_stays_is_an_error(pytester, monkeypatch):
    monkeypatch.syspath_prepend(CONFTEST.parents[1])
    pytester.makeconftest(CONFTEST.read_text("utf-8").replace("GRACE_S = 5.0", "GRACE_S = 0.1"))
    pytester.makepyfile(LEAVES)
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    result.assert_outcomes(passed=3, errors=2)
    result.stdout.fnmatch_lines(["*the test left behind: *input()*", "*the test left behind: *forgotten*"])
