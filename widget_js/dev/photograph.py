"""Photographs the built sidebar in every state, and lets axe check each picture.

    python widget_js/dev/photograph.py [fixture …]

Needs Playwright, a Chromium (`CHROMIUM=/path`, else the one on PATH) and the npm packages. Pictures go to
`tests/_screenshots/sidebar/`, which git ignores: they are for looking at, beside the description of the look.
Ends with status 1 when axe found anything.
"""

from __future__ import annotations

import functools
import http.server
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Literal, NamedTuple, TextIO

from playwright.sync_api import Browser, Page, sync_playwright

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PICTURES = ROOT / "tests" / "_screenshots" / "sidebar"
BUNDLE = ROOT / "aisdk_lab" / "widget" / "static" / "sidebar.js"
AXE = HERE.parent / "node_modules" / "axe-core" / "axe.min.js"


class Host(NamedTuple):
    """A page that the sidebar lives in."""

    page: str  # which theme variables it has; none for a plain page
    width_px: int
    scheme: Literal["light", "dark"]
    forced: Literal["active", "none"] = "none"  # the system's own few colours


HOSTS = {
    "light": Host("jupyter-light", 480, "light"),
    "dark": Host("jupyter-dark", 480, "dark"),
    "narrow": Host("jupyter-light", 320, "light"),
    "narrow-dark": Host("", 320, "dark"),
    "wide": Host("", 760, "light"),
    "forced": Host("", 480, "dark", forced="active"),
}
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]


def build_page(folder: Path) -> None:
    """Bundles the page and puts it beside the built sidebar, which is photographed as it ships."""
    esbuild = HERE.parent / "node_modules" / ".bin" / "esbuild"
    command = [
        esbuild,
        HERE / "page.ts",
        "--bundle",
        "--format=esm",
        "--target=es2022",
        f"--outfile={folder / 'page.js'}",
    ]
    subprocess.run([*command, "--external:./sidebar.js", "--log-level=warning"], check=True)
    shutil.copy(HERE / "index.html", folder)
    shutil.copy(BUNDLE, folder)


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    """Serves a folder without a line for each request."""

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


def report(stream: TextIO, line: str) -> None:
    """Writes one line."""
    stream.write(f"{line}\n")


def open_fixture(browser: Browser, base: str, fixture: str, host: str) -> Page:
    """One fixture on one host, with its buttons pressed."""
    kind = HOSTS[host]
    context = browser.new_context(
        viewport={"width": kind.width_px, "height": 680},
        color_scheme=kind.scheme,
        forced_colors=kind.forced,
        reduced_motion="reduce",
        device_scale_factor=2,
    )
    page = context.new_page()
    page.on("pageerror", lambda error: report(sys.stderr, f"page error in {fixture}: {error}"))
    page.goto(f"{base}/index.html?fixture={fixture}&host={kind.page}")
    page.get_by_test_id("aisdk-sidebar").wait_for()
    if fixture == "gone":
        page.locator('[data-connection="gone"]').wait_for()
    else:
        page.locator('[data-connection="live"]').wait_for()
    for name in page.evaluate("async f => (await import('./page.js')).press(f)", fixture):
        page.get_by_role("button", name=name).first.click()
    page.evaluate("() => new Promise(requestAnimationFrame)")
    return page


def axe_findings(page: Page) -> list[str]:
    """What axe says about this page, one line a finding; WCAG A and AA with contrast."""
    page.add_script_tag(path=str(AXE))
    options = {
        "runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]},
        # Experimental, and at odds with a title that is cut on purpose: its label says it whole.
        "rules": {"label-content-name-mismatch": {"enabled": False}},
    }
    result = page.evaluate("options => axe.run(document.querySelector('main'), options)", options)
    return [
        f"{violation['id']}: {node['target']} {node['failureSummary'].splitlines()[-1].strip()}"
        for violation in result["violations"]
        for node in violation["nodes"]
    ]


def photograph(names: list[str]) -> int:
    """Takes all pictures; gives the number of findings of axe."""
    findings = 0
    PICTURES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        build_page(Path(folder))
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(QuietHandler, directory=folder))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        base = f"http://127.0.0.1:{server.server_port}"
        chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        fixtures = browser.new_page()
        fixtures.goto(f"{base}/index.html")
        for fixture in names or fixtures.evaluate("async () => (await import('./page.js')).names()"):
            for host in HOSTS:
                page = open_fixture(browser, base, fixture, host)
                page.screenshot(path=PICTURES / f"{fixture}.{host}.png")
                for finding in axe_findings(page):
                    findings += 1
                    report(sys.stdout, f"{fixture}.{host}  {finding}")
                page.context.close()
        browser.close()
        server.shutdown()
    return findings


if __name__ == "__main__":
    sys.exit(1 if photograph(sys.argv[1:]) else 0)
