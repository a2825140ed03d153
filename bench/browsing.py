"""A new server and a real browser, for measurements of pages."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from tests.browser.conftest import BROWSERS, FLAGS
from tests.server import ServerProcess


@contextmanager
def server_and_browser() -> Iterator[tuple[ServerProcess, Browser]]:
    """Start both, and end both in the end."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = ServerProcess(Path(folder)).start()
        program = next(filter(None, map(shutil.which, BROWSERS)), None)
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        try:
            yield server, browser
        finally:
            browser.close()
            server.stop()
