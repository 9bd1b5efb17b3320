"""A real browser in front of a served memory: chromium, as the machine or playwright has it."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests import parts
from tests.faces.http.conftest import Served

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
DESKTOP = {"width": 1280, "height": 860}
PHONE = {"width": 390, "height": 844}
PATIENCE = 60_000
"""Milliseconds that anything on a page may take on a busy machine."""


@contextmanager
def launched() -> Iterator[Any]:
    """The browser; whoever has none skips what needs one."""
    api = parts.module("playwright.sync_api", "playwright is not installed: no browser to look with")
    with api.sync_playwright() as playwright:
        own = Path(playwright.chromium.executable_path)
        found = own if own.exists() else shutil.which("chromium") or shutil.which("google-chrome")
        if not found:
            parts.missing("there is no chromium on this machine: 'playwright install chromium' brings one")
        browser = playwright.chromium.launch(executable_path=str(found), args=ARGUMENTS)
        yield browser
        browser.close()


@dataclass
class Window:
    """A page of the browser at a served memory, and all that it complained about."""

    page: Any
    served: Served
    complaints: list[str] = field(default_factory=list[str])

    def go(self, path: str) -> Any:
        """Open a page of ours."""
        answer = self.page.goto(self.served.url + path)
        assert answer.ok, (path, answer.status)
        return self.page

    def sign_in(self, token: str | None = None) -> "Window":
        self.go("/login")
        self.page.get_by_label("Token").fill(token or self.served.tokens.operator)
        self.page.keyboard.press("Enter")
        self.page.wait_for_url(lambda url: "/login" not in url)
        return self


@contextmanager
def opened(browser: Any, served: Served, **how: Any) -> Iterator[Window]:
    """A new window, without cookies; a script error, a broken rule of the page or a dialog is a complaint."""
    context = browser.new_context(**{"viewport": DESKTOP, **how})
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    window = Window(page, served)
    page.on("console", lambda said: window.complaints.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: window.complaints.append(str(error)))
    page.on("dialog", lambda dialog: (window.complaints.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    yield window
    context.close()
    assert window.complaints == []
