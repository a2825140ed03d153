"""Moving members of a household in the workspace: all go along where there is room, one alone only on purpose."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, Route, expect

from app.db import models
from app.db.session import transaction
from tests.browser.workspace import address, drag, middle, seat_at, seat_of
from tests.factories import Planned, make_plan
from tests.server import ServerProcess

AINO, BO, CLEO, DAN, EVA = range(5)


@pytest.fixture
def made(server: ServerProcess) -> Planned:
    """Aino and Bo are a household at the first table with Cleo; Dan and Eva sit at the second, of six."""
    with transaction(server.sessions()) as session:
        made = make_plan(session, server.owner(), sizes=(4, 6), names=["Aino", "Bo", "Cleo", "Dan", "Eva"],
                         assignment=[0, 0, 0, 1, 1])  # fmt: skip
        party = models.Party(event_id=made.event.id, name="Virtanen", name_key="virtanen")
        session.add(party)
        session.flush()
        for guest in made.guests[:2]:
            session.get_one(models.Guest, guest.id).party_id = party.id
    return made


def message(page: Page, words: str) -> None:
    expect(page.locator("[data-message]")).to_contain_text(words)


def cloth_of(page: Page, made: Planned, table: int) -> tuple[float, float]:
    box = page.locator(f"#t-{made.tables[table].id} .cloth").bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_household_goes_along_to_a_free_seat(page: Page, made: Planned) -> None:
    page.goto(address(made))
    drag(page, seat_of(page, made, AINO), middle(seat_at(page, made, 1, 4)), drop=False)
    expect(page.locator(".ghost-effect")).to_contain_text("Both of the household: seat 4 at Table 2")
    page.mouse.up()
    message(page, "Aino moved to Table 2 and Bo moved to Table 2.")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_swap_that_separates_shows_its_effect_with_a_mark_and_asks(page: Page, made: Planned) -> None:
    page.goto(address(made))
    target = seat_of(page, made, DAN)
    drag(page, seat_of(page, made, AINO), middle(target), drop=False)
    expect(target).to_have_class(re.compile("separates"))
    expect(target.locator(".effect")).not_to_have_text("!")
    page.mouse.up()
    expect(page.locator("dialog#breaks")).to_be_visible()
    page.keyboard.press("Escape")
    message(page, "Nothing was changed")
    expect(page.locator(".separates")).to_have_count(0)


def test_households_of_the_same_size_swap(page: Page, server: ServerProcess, made: Planned) -> None:
    with transaction(server.sessions()) as session:
        party = models.Party(event_id=made.event.id, name="Brown", name_key="brown")
        session.add(party)
        session.flush()
        for guest in made.guests[DAN:]:
            session.get_one(models.Guest, guest.id).party_id = party.id
        session.get_one(models.Table, made.tables[1].id).seats = 3
    page.goto(address(made))
    drag(page, seat_of(page, made, AINO), middle(seat_of(page, made, DAN)), drop=False)
    expect(page.locator(".ghost-effect")).to_contain_text("Both of the household: swap with Dan and Eva at Table 2")
    page.mouse.up()
    message(page, "moved to Table 2")
    for number, table in ((AINO, 1), (BO, 1), (DAN, 0), (EVA, 0)):
        expect(seat_of(page, made, number)).to_have_attribute("data-table", str(made.tables[table].id))
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_one_guest_moves_alone_on_purpose(page: Page, made: Planned) -> None:
    page.goto(f"{address(made)}?tab=guest&guest={made.guests[AINO].id}")
    page.get_by_role("button", name="Move only this guest…").click()
    message(page, "Aino picked up.")
    with page.expect_response("**/effects?*"):  # as after a change of somebody else
        page.evaluate("document.dispatchEvent(new CustomEvent('parts'))")
    page.mouse.click(*middle(seat_at(page, made, 1, 4)))
    page.get_by_role("button", name="Move anyway").click()
    message(page, "Aino moved to Table 2.")
    expect(seat_of(page, made, BO)).to_have_attribute("data-table", str(made.tables[0].id))


def test_drop_that_waits_is_not_sent_after_escape_and_only_once(page: Page, made: Planned) -> None:
    page.goto(address(made))
    waiting: list[Route] = []
    sent: list[str] = []

    def hold(route: Route) -> None:
        waiting.append(route)

    page.route("**/effects?*", hold)
    page.on("request", lambda request: sent.append(request.url) if request.url.endswith("/moves") else None)
    seat_of(page, made, CLEO).focus()
    for keys in (("Enter", "Escape"), ("Enter", "Enter")):
        with page.expect_request("**/effects?*"):
            page.keyboard.press("Enter")
        page.keyboard.press("ArrowDown")
        for key in keys:
            page.keyboard.press(key)
    message(page, "Put back. Nothing was changed.")
    for route in waiting:
        route.continue_()
    message(page, "Cleo moved to Table 2")
    expect(seat_of(page, made, CLEO)).to_have_attribute("data-table", str(made.tables[1].id))
    assert len(sent) == 1


def test_guest_changes_seats_at_their_table_without_the_household(page: Page, made: Planned) -> None:
    page.goto(address(made))
    drag(page, seat_of(page, made, AINO), middle(seat_at(page, made, 0, 4)))
    message(page, "Aino moved to Table 1.")


def test_guest_on_the_cloth_takes_the_best_free_seat(page: Page, made: Planned) -> None:
    page.goto(address(made))
    drag(page, seat_of(page, made, CLEO), cloth_of(page, made, 1), drop=False)
    expect(page.locator(".ghost-effect")).to_contain_text("at Table 2")
    page.mouse.up()
    message(page, "Cleo moved to Table 2.")
    drag(page, seat_of(page, made, CLEO), cloth_of(page, made, 1))
    message(page, "Put back. Nothing was changed.")


def test_last_move_is_marked_in_the_room_and_only_it(page: Page, made: Planned) -> None:
    page.goto(address(made))
    expect(page.locator(".legend-moved")).to_be_hidden()
    drag(page, seat_of(page, made, CLEO), cloth_of(page, made, 1))
    expect(page.locator(".seat.moved")).to_have_count(1)
    expect(page.locator(".legend-moved:visible")).to_have_count(1)
    drag(page, seat_of(page, made, DAN), middle(seat_at(page, made, 1, 6)))
    message(page, "Dan moved to Table 2.")
    expect(page.locator(".seat.moved")).to_have_attribute("data-seat", str(made.guests[DAN].id))
