"""Everything that says whether the lab is in order, in one command: `python -m tests [step …]`.

`make test` and CI call this; it is also the way without make. A failed check does not hide the next ones: all run,
and the command ends with 1 if any failed. The Python tests come last, so that their summary closes the output.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.node import NODE, NPM, PACKAGES, ROOT, environment, is_installed

BIN = Path(sys.executable).parent
WIDGET, INTEROP = PACKAGES
WORKERS = "2"
PROSE = ("aisdk_lab", "notebooks", "widget_js/src", "README.md", "Makefile", "pyproject.toml")
"""What codespell reads."""


def run(*command: str | Path, cwd: Path = ROOT) -> bool:
    """Runs one command with our node on PATH and shows it; True when it ended with 0."""
    words = [str(word) for word in command]
    shown = " ".join(words).replace(" ".join(NPM), "npm").replace(str(NODE), "node").replace(f"{ROOT}/", "")
    print("$", shown.replace(f"{BIN}/", ""), flush=True)
    return subprocess.run(words, cwd=cwd, env=environment(), stdin=subprocess.DEVNULL, check=False).returncode == 0


def every(*commands: Sequence[str | Path], cwd: Path = ROOT) -> bool:
    """Runs all commands, also after one failed."""
    return all([run(*command, cwd=cwd) for command in commands])  # noqa: C419 — a generator would stop at the first


def install() -> bool:
    """Node packages, Chromium, fonts; what is there stays."""
    npm_ci = (*NPM, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
    for folder in PACKAGES:
        if not is_installed(folder):
            if not run(*npm_ci, cwd=folder):
                return False
            (folder / "node_modules" / ".package-lock.json").touch()
    return run(sys.executable, "-m", "tests.browser.chromium")


def style() -> bool:
    """ruff (lint and format) and spelling."""
    return every((BIN / "ruff", "check"), (BIN / "ruff", "format", "--check"), (BIN / "codespell", *PROSE))


def types() -> bool:
    """pyright, and the import contract."""
    pyright = INTEROP / "node_modules" / "pyright" / "index.js"
    return every((NODE, pyright, "--pythonpath", sys.executable), (BIN / "lint-imports", "--no-logo"))


def widget() -> bool:
    """tsc and vitest."""
    return every((*NPM, "run", "--silent", "check"), (*NPM, "run", "--silent", "test"), cwd=WIDGET)


def notebooks() -> bool:
    """Runs every notebook; the cells of one stay on one worker, in order."""
    lax = ("--nbval-lax", "--nbval-current-env", "-n", WORKERS, "--dist", "loadfile")
    return run(sys.executable, "-m", "pytest", "-q", *lax, "notebooks")


def python() -> bool:
    """pytest, with the interop, house and browser tests."""
    return run(sys.executable, "-m", "pytest", "-q", "-n", WORKERS, "--dist", "loadgroup")


def bundle() -> bool:
    """Writes the widget's bundle into the package (after `install`)."""
    return install() and run(*NPM, "run", "--silent", "build", cwd=WIDGET)


def bench() -> bool:
    """Prints the figures of the README, measured on this machine (QUICK=1: fewer)."""
    quick = ("--quick",) if os.environ.get("QUICK") else ()
    return every(
        (sys.executable, "-m", "pytest", "-q", "-s", "-m", "bench"), (sys.executable, "-m", "tests.bench", *quick)
    )


STEPS: dict[str, Callable[[], bool]] = {
    step.__name__: step for step in (install, style, types, widget, notebooks, python, bundle, bench)
}
DEFAULT = ("install", "style", "types", "widget", "notebooks", "python")


def main() -> int:
    """Runs the steps in the given order; 0 when all went well."""
    described = "\n".join(f"  {name:<10} {step.__doc__}" for name, step in STEPS.items())
    parser = argparse.ArgumentParser(
        prog="python -m tests",
        description=f"Checks the lab. Without a step: {', '.join(DEFAULT)}.\n\n{described}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("steps", nargs="*", metavar="step", help="one of the above")
    steps = list(parser.parse_args().steps or DEFAULT)
    if "install" not in steps and not all(is_installed(folder) for folder in PACKAGES):
        steps.insert(0, "install")  # else what needs a Node package fails with Node's own words
    unknown = [name for name in steps if name not in STEPS]
    if unknown:
        parser.error(f"no step is called {unknown[0]!r}; known: {', '.join(STEPS)}")

    failed: list[str] = []
    for name in steps:
        print(f"\n=== {name}", flush=True)
        started = time.monotonic()
        if not STEPS[name]():
            failed.append(name)
        print(f"=== {name}: {'FAILED' if name in failed else 'ok'}, {time.monotonic() - started:.1f} s", flush=True)
        if failed == ["install"]:
            break  # nothing after it can say anything true
    if failed:
        print(f"\nFAILED: {', '.join(failed)}", flush=True)
    return int(bool(failed))


if __name__ == "__main__":
    os.chdir(ROOT)
    sys.exit(main())
