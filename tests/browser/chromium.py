"""Where Chromium is, and how it gets there: Debian's package, or the path in `CHROMIUM`.

`python -m tests.browser.chromium` installs it with apt-get where that is possible (root, Debian), with fonts for
Chinese and emoji, because screenshots are looked at. Playwright's own browser download is not used.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# Without the networking flags, Chromium tries to reach its maker's hosts at every start.
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def find() -> str | None:
    """The path of the browser: `CHROMIUM` if set (then nothing else counts), else the first name on PATH."""
    chosen = os.environ.get("CHROMIUM")
    if chosen:
        return shutil.which(chosen)
    return next(filter(None, map(shutil.which, NAMES)), None)


def missing() -> str | None:
    """Why there is no browser and what to do, or `None` when there is one."""
    if find():
        return None
    if os.environ.get("CHROMIUM"):
        return f"CHROMIUM={os.environ['CHROMIUM']!r} is not a program that can be started"
    return "no Chromium found; install it (Debian: apt-get install chromium) or set CHROMIUM=/path/to/chromium"


def is_required() -> bool:
    """In CI a missing browser is a failure, elsewhere it skips the browser tests."""
    return os.environ.get("CI", "").lower() not in ("", "0", "false")


def _has_font(pattern: str) -> bool:
    if not shutil.which("fc-list"):
        return False
    return bool(subprocess.run(["fc-list", pattern], capture_output=True, text=True, check=True).stdout.strip())


def _packages() -> list[str]:
    """What Debian should add; empty when browser and fonts are there."""
    wanted = [] if find() else ["chromium"]
    if not _has_font(":lang=zh"):
        wanted.append("fonts-noto-cjk")
    if not _has_font(":charset=1f324"):  # 🌤
        wanted.append("fonts-noto-color-emoji")
    return wanted


def install() -> int:
    """Installs what is missing; gives 0, or 1 when the browser is required and still not there."""
    packages = _packages()
    if packages and shutil.which("apt-get") and os.geteuid() == 0 and not os.environ.get("CHROMIUM"):
        print("installing", *packages, flush=True)
        environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
        apt = ["apt-get", "-q", "-o", "Acquire::Retries=3"]
        quiet = subprocess.DEVNULL
        subprocess.run([*apt, "update"], env=environment, check=True, stdin=quiet, stdout=quiet)
        subprocess.run(
            [*apt, "install", "-y", "--no-install-recommends", *packages],
            env=environment,
            check=True,
            stdin=quiet,
            stdout=quiet,
        )
    reason = missing()
    print(f"browser: {find()}" if reason is None else f"browser: {reason}", flush=True)
    if reason and not is_required():
        print("browser: the browser tests will be skipped", flush=True)
    return int(bool(reason) and is_required())


if __name__ == "__main__":
    sys.exit(install())
