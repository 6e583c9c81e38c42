"""A real browser, started for these tests and stopped after them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian's chromium."""
    result = shutil.which("chromium")
    assert result is not None, "these tests are marked browser: script/test installs chromium"
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=result, args=["--no-sandbox", "--disable-gpu"])
        yield started
        started.close()


@dataclass
class Visit:
    """A page that was opened, and what happened on the way."""

    page: Page
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def drawn(self) -> list[str | None]:
        """Whether each chart came alive."""
        figures = self.page.locator("figure[data-spec]")
        for position in range(figures.count()):
            figures.nth(position).locator("xpath=self::*[@data-drawn]").wait_for(
                state="attached", timeout=30_000
            )
        return [figures.nth(index).get_attribute("data-drawn") for index in range(figures.count())]


@pytest.fixture
def visit(browser: Browser) -> Iterator[Any]:
    """Open a file, in a window of some width, with or without JavaScript."""
    opened = []

    def open_page(path: Path, *, width: int = 1100, script: bool = True, scheme: Any = "light") -> Visit:
        context = browser.new_context(
            viewport={"width": width, "height": 900}, java_script_enabled=script, color_scheme=scheme
        )
        opened.append(context)
        result = Visit(context.new_page())
        result.page.on("request", lambda request: result.requests.append(request.url))
        result.page.on(
            "console",
            lambda message: (
                result.complaints.append(message.text) if message.type in ("error", "warning") else None
            ),
        )
        result.page.on("pageerror", lambda error: result.complaints.append(str(error)))
        result.page.goto(path.as_uri())
        return result

    yield open_page
    for context in opened:
        context.close()
