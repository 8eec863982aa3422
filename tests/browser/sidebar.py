"""The sidebar as a person finds it on the page: by role and name, never by class."""

from __future__ import annotations

from playwright.sync_api import Locator, expect

from tests.browser.jupyter import WAIT_MS, NotebookPage


class SidebarView:
    """One view of a sidebar. The kernel's language is English here unless a test says otherwise."""

    def __init__(self, page: NotebookPage, nth: int = 0) -> None:
        self.page = page
        self.root: Locator = page.page.get_by_test_id("aisdk-sidebar").nth(nth)
        self.root.wait_for()

    @property
    def prompt(self) -> Locator:
        """The field that is typed into."""
        return self.root.get_by_role("textbox", name="Message", exact=True)

    @property
    def carrier(self) -> str:
        """What carries the batches: `comm` or `relay`."""
        return self.root.get_attribute("data-carrier") or ""

    def send(self, text: str) -> None:
        """Types and presses Enter."""
        self.prompt.fill(text)
        self.prompt.press("Enter")

    def press(self, name: str) -> None:
        """Presses a button."""
        self.root.get_by_role("button", name=name, exact=True).click()

    def row(self, tool_call_id: str) -> Locator:
        """The row of one call."""
        return self.root.locator(f"[data-testid=aisdk-row][data-tool-call-id='{tool_call_id}']")

    def shows(self, text: str, *, timeout_ms: int = WAIT_MS) -> None:
        """Waits until the messages hold the text."""
        expect(self.root.get_by_role("log")).to_contain_text(text, timeout=timeout_ms)

    def says(self, status: str) -> None:
        """Waits until the header's status is this."""
        expect(self.root.get_by_role("status").first).to_have_text(status, timeout=WAIT_MS)

    def log(self) -> str:
        """The text of all messages, as it is read."""
        return self.root.get_by_role("log").inner_text()
