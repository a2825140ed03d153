"""The page of a run: cancelled, failed, sent twice."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from app.accounts.sessions import end_session
from app.db.session import transaction
from app.events.context import open_event
from app.runs.leases import end_run, take_lease
from app.runs.queue import NullQueue
from app.runs.start import start_run
from tests.run_helpers import ENDLESS, LARGE, stored_event
from tests.server import PATIENCE, ServerProcess

CheckAxe = Callable[[Page], None]
MILLISECONDS = PATIENCE * 1000


def set_endless(page: Page, method: str = "Paper") -> None:
    """Ask for more than can be done in the time of a test; the options are open then."""
    page.get_by_text("Options", exact=True).click()
    page.get_by_text("How the plan is found", exact=True).click()
    page.get_by_label(method).check()
    page.get_by_label("Attempts").fill("1000000")
    page.get_by_label("Time limit in seconds").fill("600")


def test_run_is_cancelled_while_it_is_watched(page: Page, server: ServerProcess, check_axe: CheckAxe) -> None:
    event_id = stored_event(server.sessions(), server.owner(), **LARGE)
    page.goto(f"/events/{event_id}/plan")
    set_endless(page)
    page.get_by_role("button", name="Find the best plan").click()
    message = page.locator("[data-progress-text]")
    expect(message).to_have_text(re.compile("attempts · about"), timeout=MILLISECONDS)
    check_axe(page)
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Cancelled", timeout=MILLISECONDS)
    check_axe(page)
    page.get_by_role("link", name="Start again").click()
    expect(page.get_by_role("button", name="Find the best plan")).to_be_visible()
    expect(page.get_by_text("cancelled", exact=True)).to_be_visible()
    check_axe(page)


@pytest.mark.parametrize(("rounds", "lists"), [("1", 6), ("10", 8 * 6)], ids=["one plan", "several rounds"])
def test_first_plan_is_seen_while_the_run_goes_on(page: Page, server: ServerProcess, rounds: str, lists: int) -> None:
    event_id = stored_event(server.sessions(), server.owner(), **LARGE)
    page.goto(f"/events/{event_id}/plan")
    page.get_by_text("Several rounds", exact=True).click()
    page.get_by_label("How many rounds?").fill(rounds)
    set_endless(page, method="Full")
    page.get_by_label("At the time limit").check()
    page.get_by_role("button", name="Find the best plan").click()
    expect(page.get_by_role("heading", name="Best plan so far")).to_be_visible(timeout=MILLISECONDS)
    tables = page.locator("[data-live-table] ul")
    expect(tables).to_have_count(lists)
    for number in range(lists):
        expect(tables.nth(number).get_by_role("listitem")).to_have_count(10)
    page.get_by_role("button", name="Cancel").click()  # it has not ended by itself
    expect(page.get_by_role("heading", level=1)).to_have_text("Cancelled", timeout=MILLISECONDS)


def test_double_click_starts_one_run_and_going_back_leads_to_it(page: Page, server: ServerProcess) -> None:
    event_id = stored_event(server.sessions(), server.owner(), **LARGE)
    page.goto(f"/events/{event_id}/plan?new=1")
    set_endless(page)
    page.get_by_role("button", name="Find the best plan").dblclick()
    expect(page.get_by_role("button", name="Cancel")).to_be_visible()
    run = page.url
    page.go_back()
    expect(page).to_have_url(run)
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Cancelled", timeout=MILLISECONDS)
    assert len(server.api().get(f"events/{event_id}/runs").json()["runs"]) == 1


def test_whoever_is_signed_out_while_a_run_is_watched_is_led_to_sign_in(
    page: Page, server: ServerProcess, complaints: list[str]
) -> None:
    api, event_id = server.api(), stored_event(server.sessions(), server.owner(), **LARGE)
    run = f"events/{event_id}/runs/{api.post(f'events/{event_id}/runs', json=ENDLESS).json()['id']}"
    page.goto(f"/{run}")
    expect(page.get_by_role("button", name="Cancel")).to_be_visible()
    (cookie,) = page.context.cookies()
    with transaction(server.sessions()) as session:
        end_session(session, cookie["value"])
    expect(page).to_have_url(re.compile("/sign-in"))
    api.delete(run)
    complaints.clear()  # chromium tells that the stream it asked for again was refused


def test_failed_run_says_why_and_what_to_do(page: Page, server: ServerProcess, check_axe: CheckAxe) -> None:
    sessions, owner = server.sessions(), server.owner()
    event_id = stored_event(sessions, owner)
    with transaction(sessions) as session:  # one transaction: the server's own worker never sees it waiting
        run_id = start_run(open_event(session, owner, event_id), NullQueue()).id
        lease = take_lease(session, run_id)
        assert lease is not None
        end_run(session, lease, "failed", error="The moon was in the way. Start again.")
    page.goto(f"/events/{event_id}/runs/{run_id}")
    expect(page.get_by_role("alert")).to_have_text("The moon was in the way. Start again.")
    check_axe(page)


def test_what_stands_in_the_way_is_on_the_page(page: Page, server: ServerProcess, check_axe: CheckAxe) -> None:
    event_id = stored_event(server.sessions(), server.owner(), guests=22, sizes=(4, 4, 5, 5))
    page.goto(f"/events/{event_id}/plan")
    expect(page.get_by_text("18 seats for 22 guests: 4 more seats needed. Add tables or seats.")).to_be_visible()
    check_axe(page)
    page.get_by_role("link", name="Go to tables").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Tables")
