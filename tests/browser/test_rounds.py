"""Several rounds in the browser: from the form to each round and to where one guest sits."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import BrowserContext, Page, expect

from app.db.session import transaction
from app.events.context import open_event
from app.sharing.links import create_link
from tests.factories import add_rounds, make_plan
from tests.run_helpers import stored_event
from tests.server import PATIENCE, ServerProcess

CheckAxe = Callable[[Page], None]


def test_rounds_are_chosen_planned_and_seen_one_by_one(page: Page, server: ServerProcess, check_axe: CheckAxe) -> None:
    event_id = stored_event(server.sessions(), server.owner(), guests=12, sizes=(3, 3, 3, 3, 6, 6))
    page.goto(f"/events/{event_id}/plan")
    start = page.get_by_role("button", name="Find the best plan")
    expect(start).to_be_in_viewport(ratio=1)
    page.get_by_text("Several rounds", exact=True).click()
    page.get_by_label("How many rounds?").fill("3")
    page.get_by_text("Other tables in each round", exact=True).click()
    for number in range(1, 5):
        page.get_by_label(f"Table {number} (3 seats)").fill("1, 3")
    for number in (5, 6):
        page.get_by_label(f"Table {number} (6 seats)").fill("2")
    check_axe(page)
    expect(start).to_be_in_viewport(ratio=1)
    start.click()
    expect(page).to_have_url(re.compile("/plans/"), timeout=PATIENCE * 1000)
    rounds = page.get_by_role("navigation", name="Rounds")
    expect(rounds.get_by_role("link", name="Round 1")).to_have_attribute("aria-current", "page")
    expect(page.get_by_text(re.compile("different people in 3 rounds"))).to_be_visible()
    expect(page.locator("[data-table-card]").nth(5)).to_contain_text("not used")
    rounds.get_by_role("link", name="Round 2").click()
    expect(page.locator("[data-table-card]").first).to_contain_text("not used")
    expect(page.get_by_text("exception")).to_have_count(0)
    check_axe(page)
    page.locator(".floor-picture [data-seat] circle").first.click()
    expect(page.get_by_text(re.compile(r"Round 1: Table [1-4] · Round 2: Table [56] · Round 3: Table"))).to_be_visible()
    page.goto("/s/" + server.api().post(f"events/{event_id}/links", json={"audience": "guests"}).json()["token"])
    page.get_by_label("Find your seat").fill("Guest 11")
    lines = page.locator("[data-answer] .seat-route")
    expect(lines).to_have_text([re.compile(f"^Round {number}: Table") for number in (1, 2, 3)])
    check_axe(page)
    page.get_by_label("Find your seat").fill("")
    for width in (390, 1440):
        page.set_viewport_size({"width": width, "height": 844})
        rows = [page.locator(".names li").first.locator("b bdi").nth(place).bounding_box() for place in range(3)]
        places = [(row["x"], row["height"]) for row in rows if row]
        assert len(set(places)) == 1, "one line for each round, all beginning at the same place"
        assert len({row["y"] for row in rows if row}) == 3
        assert places[0][1] < 40


def test_guests_open_the_tables_of_each_round_without_javascript(
    new_context: Callable[..., BrowserContext], server: ServerProcess, check_axe: CheckAxe
) -> None:
    owner = server.owner()
    with transaction(server.sessions()) as session:
        made = make_plan(session, owner, sizes=(2, 2), names=["Ann", "Bo", "Cy", "Di"])
        add_rounds(session, made, [(0, 1, 0, 1)])
        link = create_link(open_event(session, owner, made.event.id)).token
    page = new_context(viewport={"width": 390, "height": 844}, java_script_enabled=False).new_page()
    page.goto(f"/s/{link}")
    page.get_by_role("link", name="See all tables").click()
    rounds, first = page.get_by_role("navigation", name="Rounds"), page.locator(".table").first
    expect(rounds.get_by_role("link", name="Round 1")).to_have_attribute("aria-current", "page")
    expect(first.locator("li")).to_have_text(["Ann", "Bo"])
    rounds.get_by_role("link", name="Round 2").click()
    expect(rounds.get_by_role("link", name="Round 2")).to_have_attribute("aria-current", "page")
    expect(page.get_by_text("Round 2 of 2")).to_be_visible()
    expect(first.locator("li")).to_have_text(["Ann", "Cy"])
    with_script = new_context(viewport={"width": 390, "height": 844}).new_page()
    with_script.goto(page.url)
    check_axe(with_script)


def test_many_rounds_are_one_row_with_the_shown_one_in_view(
    new_context: Callable[..., BrowserContext], page: Page, server: ServerProcess
) -> None:
    owner = server.owner()
    with transaction(server.sessions()) as session:
        made = make_plan(session, owner, sizes=(2, 2), names=["Ann", "Bo", "Cy", "Di"])
        rounds = [plan.id for plan in add_rounds(session, made, [(0, 1, 0, 1), (0, 1, 1, 0)] * 20)]
        link = create_link(open_event(session, owner, made.event.id)).token
    guest = new_context(viewport={"width": 390, "height": 844}).new_page()
    for width in (390, 1440):
        page.set_viewport_size({"width": width, "height": 844})
        guest.set_viewport_size({"width": width, "height": 844})
        page.goto(f"/events/{made.event.id}/plans/{rounds[39]}")
        guest.goto(f"/s/{link}/tables?round=40")
        for shown in (page, guest):
            row = shown.get_by_role("navigation", name="Rounds")
            box = row.bounding_box()
            assert box
            assert box["height"] < 64
            expect(row.get_by_role("link", name="Round 40", exact=True)).to_be_in_viewport(ratio=1)
            row.get_by_role("link", name="Round 1", exact=True).focus()
            expect(row.get_by_role("link", name="Round 1", exact=True)).to_be_in_viewport(ratio=1)
    guest.goto(f"/s/{link}")
    ann = guest.locator(".names li", has_text="Ann")
    expect(ann.locator("b")).to_have_text("Table 1 in all rounds")
