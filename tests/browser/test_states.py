"""Every state of the sidebar, photographed from fixtures in six hosts; axe finds nothing in any picture.

Contrast, names and roles in light, dark, at 320 px and with forced colours. The pictures are in tests/_screenshots/sidebar.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.browser import chromium
from tests.node import ROOT, environment


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.node
@pytest.mark.timeout(400)
def test_axe_finds_nothing_in_any_state_of_the_sidebar() -> None:
    reason = chromium.missing()
    if reason is not None:
        (pytest.fail if chromium.is_required() else pytest.skip)(reason)
    script = ROOT / "widget_js" / "dev" / "photograph.py"
    ran = subprocess.run([sys.executable, script], env=environment(), capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
