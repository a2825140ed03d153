"""A real server and Debian's chromium, without its windows where that is installed. Its complaints fail the test."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.base import AXE_SCRIPT, AxeResults
from playwright.sync_api import BrowserContext, ConsoleMessage, Page, expect

from tests.browser.fonts import only_fonts
from tests.conftest import missing
from tests.server import PATIENCE, ServerProcess

HERE = Path(__file__).parent
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
# The first is the same engine without windows and takes a third of the time.
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # A page lives for seconds here: spare processes and optimised code would cost more than they save.
    "--renderer-process-limit=1",
    "--js-flags=--no-turbofan --no-maglev --single-threaded",
]
# A form that is shown again with its faults has this status, and chromium reports it like a missing file.
EXPECTED = "Failed to load resource: the server responded with a status of 422"
RUN_AXE = "(options) => axe.run(options).then(({ violations }) => ({ violations }))"
NewContext = Callable[..., BrowserContext]

MILLISECONDS = PATIENCE * 1000
expect.set_options(timeout=MILLISECONDS)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what needs a browser."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def browser_type_launch_args(
    browser_type_launch_args: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    """Use the chromium of this machine, with the fonts of a bare one."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        missing("there is no chromium on the PATH, so nothing was tested in a browser")
    env = {**os.environ, **only_fonts(tmp_path_factory.mktemp("fonts"))}
    return {**browser_type_launch_args, "executable_path": found, "args": FLAGS, "env": env}


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server for all browser tests of this process; every test makes its own event."""
    server = ServerProcess(tmp_path_factory.mktemp("server")).start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args: dict[str, Any], server: ServerProcess) -> dict[str, Any]:
    """Let addresses be written without the host, and the machine's language and time zone change nothing."""
    return {**browser_context_args, "base_url": server.address, "locale": "en-GB", "timezone_id": "UTC"}


@pytest.fixture
def complaints() -> Iterator[list[str]]:
    """What pages said in the console; a test that expects a complaint removes it from here."""
    heard: list[str] = []
    yield heard
    assert heard == []


@pytest.fixture
def new_context(new_context: NewContext, complaints: list[str]) -> NewContext:
    """Make a browser context, signed out, whose complaints are heard."""

    def hear(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not message.text.startswith(EXPECTED):
            complaints.append(f"{message.text} ({message.location.get('url', '')})")

    def make(**options: Any) -> BrowserContext:
        context = new_context(**options)
        context.set_default_timeout(MILLISECONDS)
        context.on("console", hear)
        context.on("weberror", lambda error: complaints.append(str(error.error)))
        return context

    return make


@pytest.fixture
def sign_in(server: ServerProcess) -> Callable[[BrowserContext], BrowserContext]:
    """Sign the person at this machine in."""

    def sign_in(context: BrowserContext) -> BrowserContext:
        context.add_cookies([{**server.session_cookie(), "httpOnly": True, "sameSite": "Lax"}])
        return context

    return sign_in


@pytest.fixture
def context(new_context: NewContext, sign_in: Callable[[BrowserContext], BrowserContext]) -> BrowserContext:
    """A browser where the person at this machine is signed in."""
    return sign_in(new_context())


@pytest.fixture
def check_axe() -> Callable[..., None]:
    """Let axe look at a page, by all its rules or all but some: it must find nothing."""

    def check(page: Page, *, without: Iterable[str] = ()) -> None:
        page.wait_for_load_state()  # a page that is just being left has no document for axe
        if not page.evaluate("'axe' in window"):
            page.evaluate(AXE_SCRIPT)
        rules = {rule: {"enabled": False} for rule in without}
        results = AxeResults(page.evaluate(RUN_AXE, {"resultTypes": ["violations"], "rules": rules}))
        assert results.violations_count == 0, results.generate_report()

    return check
