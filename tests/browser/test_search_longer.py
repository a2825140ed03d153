"""A run says how good its best plan is; where its time limit ended it, the search goes on from its plan."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.run_helpers import LARGE, rate_at_random, stored_event
from tests.server import PATIENCE, ServerProcess

SOON = PATIENCE * 1000


def test_search_goes_on_from_the_plan_that_its_time_limit_left(
    page: Page, server: ServerProcess, check_axe: Callable[[Page], None]
) -> None:
    event_id = stored_event(server.sessions(), server.owner(), **LARGE)
    rate_at_random(server.sessions(), server.owner(), event_id)
    page.goto(f"/events/{event_id}/plan")
    page.get_by_text("Options", exact=True).click()
    page.get_by_label("Time limit in seconds").fill("3")
    page.get_by_label("At the time limit").check()
    page.get_by_text("How the plan is found", exact=True).click()
    page.get_by_label("Attempts").fill("1000000")
    page.get_by_role("button", name="Find the best plan").click()
    expect(page.locator("[data-progress-text]")).to_have_text(
        re.compile(r"\d+ of 60 sits? with someone they like so far"), timeout=SOON
    )
    expect(page.locator("[data-note]")).to_have_text(re.compile("A better plan can have a lower number"))
    expect(page).to_have_url(re.compile(r"/plans/[0-9a-f-]{36}$"), timeout=SOON)
    page.get_by_role("link", name="search longer").click()
    expect(
        page.get_by_text("The time limit of 3 s ended the search. A longer one may find a better plan.")
    ).to_be_visible()
    check_axe(page)
    page.get_by_text("Details", exact=True).click()
    expect(page.get_by_text("mean squared distance (MSE)", exact=True)).to_be_visible()
    check_axe(page)
    page.get_by_role("button", name="Search longer (1 minute)").click()
    expect(page.get_by_role("heading", name="Best plan so far")).to_be_visible(timeout=SOON)
    page.get_by_role("button", name="Use the best plan so far").click()
    expect(page).to_have_url(re.compile(r"/plans/[0-9a-f-]{36}$"), timeout=SOON)


def test_cancelled_run_of_several_rounds_is_started_again_as_it_was_typed(page: Page, server: ServerProcess) -> None:
    event_id = stored_event(server.sessions(), server.owner(), **LARGE)
    page.goto(f"/events/{event_id}/plan")
    page.get_by_text("Several rounds", exact=True).click()
    page.get_by_label("How many rounds?").fill("6")
    page.get_by_label("Hosts who keep their table").fill("Guest 1\nGuest 2")
    page.get_by_label("Who else sat together before?").fill("Guest 3, Guest 4")
    page.get_by_text("Options", exact=True).click()
    page.get_by_label("Time limit in seconds").fill("600")
    page.get_by_label("At the time limit").check()
    page.get_by_role("button", name="Find the best plan").click()
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Cancelled", timeout=SOON)
    page.get_by_role("link", name="Start again").click()
    expect(page.get_by_label("How many rounds?")).to_have_value("6")
    expect(page.get_by_label("Hosts who keep their table")).to_have_value("Guest 1\nGuest 2")
    expect(page.get_by_label("Who else sat together before?")).to_have_value(re.compile("Guest 3, Guest 4"))
    expect(page.get_by_label("Time limit in seconds")).to_have_value("600")
