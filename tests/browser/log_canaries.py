"""What a server must never log: what people enter, and secrets that their browsers hold."""

from __future__ import annotations

import re

from playwright.sync_api import BrowserContext

from tests.server import ServerProcess

FIELDS = re.compile(r'"(?:name|names|note|diet|email|score|rating|token|key|password|code|path|query|referer)":')
"""Fields that a log line would have if somebody logged such a thing."""


def leaks_in_log(server: ServerProcess, *entered: str, contexts: tuple[BrowserContext, ...]) -> list[str]:
    """Return what the log has of what was entered, and of the cookies of these browsers."""
    log = server.log.read_text()
    assert '"event": "request"' in log
    secrets = {cookie.get("value", "") for context in contexts for cookie in context.cookies()}
    assert secrets
    found = [text for text in (*entered, *sorted(secrets)) if re.search(rf"(?<!\w){re.escape(text)}(?!\w)", log)]
    return found + FIELDS.findall(log)
