"""A run is ended with the best plan so far, as soon as one is on the screen."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.run_helpers import LARGE, rate_at_random, stored_event
from tests.server import PATIENCE, ServerProcess

SOON = PATIENCE * 1000


def test_run_is_ended_with_the_plan_on_the_screen(
    page: Page, server: ServerProcess, check_axe: Callable[[Page], None]
) -> None:
    event_id = stored_event(server.sessions(), server.owner(), **LARGE)
    rate_at_random(server.sessions(), server.owner(), event_id)
    page.goto(f"/events/{event_id}/plan")
    page.get_by_text("Options", exact=True).click()
    page.get_by_text("How the plan is found", exact=True).click()
    page.get_by_label("Time limit in seconds").fill("600")
    page.get_by_label("At the time limit").check()
    page.get_by_role("button", name="Find the best plan").click()
    button = page.get_by_role("button", name="Use the best plan so far")
    expect(page.get_by_role("heading", name="Best plan so far")).to_be_visible(timeout=SOON)
    expect(button).to_be_visible(timeout=SOON)
    check_axe(page)
    button.click()
    expect(page).to_have_url(re.compile(r"/plans/[0-9a-f-]{36}$"), timeout=SOON)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
