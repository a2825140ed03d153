"""Check-in on two phones, one of them without a connection for a while, and the big screen."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from app.db import models
from app.db.session import transaction
from app.events.context import open_event
from app.sharing.door.links import create_helper_link
from app.sharing.links import create_link
from tests.factories import Planned, add_rounds, make_plan
from tests.server import ServerProcess

CheckAxe = Callable[[Page], None]
NewContext = Callable[..., BrowserContext]
PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
LONG = "Maximiliane Alexandrine von Hohenberg-Schwarzenfels und Berg"
NAMES = ["Aino Virtanen", "Søren O’Connor", LONG, "Cleo Smith", "Dan Smith", "Eve Smith"]


@dataclass(frozen=True)
class Evening:
    """A plan with the links of helpers and guests."""

    made: Planned
    door: str
    guests: str


@pytest.fixture
def evening(server: ServerProcess) -> Evening:
    owner = server.owner()
    with transaction(server.sessions()) as session:
        made = make_plan(session, owner, sizes=(3, 3), names=NAMES)
        ctx = open_event(session, owner, made.event.id)
        door, guests = create_helper_link(ctx, days=9).token, create_link(ctx, made.plan.id).token
        return Evening(made, f"/d/{door}", f"/s/{guests}")


@pytest.fixture
def phones(new_context: NewContext, evening: Evening, complaints: list[str]) -> Iterator[tuple[Page, Page]]:
    """Two phones with the same link."""
    pages = [new_context(**PHONE).new_page() for _ in range(2)]
    for page in pages:
        page.goto(evening.door)
    yield pages[0], pages[1]
    complaints[:] = [text for text in complaints if "ERR_INTERNET_DISCONNECTED" not in text]  # a test cut them off


def check_in(page: Page, name: str) -> None:
    page.get_by_role("button", name=f"Check in: {name}").first.tap()


def stored(page: Page) -> int:
    return int(page.evaluate("Object.keys(localStorage).length"))


def test_two_phones_see_each_other_and_a_lost_connection_loses_nothing(
    phones: tuple[Page, Page], check_axe: CheckAxe
) -> None:
    one, other = phones
    one.get_by_label("Find a guest").fill("oconn soren")
    check_in(one, "Søren O’Connor")
    expect(one.locator("[data-done-table]")).to_have_text("Table 1")
    expect(other.locator("[data-arrived]")).to_have_text("1")
    check_axe(one)

    other.context.set_offline(True)
    check_in(other, "Aino Virtanen")
    check_in(other, LONG)
    expect(other.get_by_text("No connection. 2 changes are waiting to be sent.")).to_be_visible()
    expect(other.locator("[data-arrived]")).to_have_text("3")
    assert stored(other) == 1
    check_axe(other)
    one.get_by_label("Find a guest").fill("")
    check_in(one, "Aino Virtanen")  # the same guest, by the other helper
    expect(one.locator("[data-arrived]")).to_have_text("2")

    other.context.set_offline(False)
    expect(other.locator("[data-line]")).to_be_empty()
    expect(one.locator("[data-arrived]")).to_have_text("3")
    expect(other.locator("[data-arrived]")).to_have_text("3")
    assert stored(other) == 0
    one.get_by_role("link", name="Arrived").click()
    one.get_by_role("button", name="Undo: Søren O’Connor").first.tap()
    expect(other.locator("[data-number=missing]")).to_have_text("4")


def test_reload_keeps_what_waits_and_a_closed_link_stops(
    phones: tuple[Page, Page], server: ServerProcess, evening: Evening, complaints: list[str]
) -> None:
    page, _ = phones
    expect(page.locator("[data-line]")).to_be_empty()
    page.route("**/arrivals", lambda route: route.abort() if route.request.method == "POST" else route.continue_())
    check_in(page, "Cleo Smith")
    expect(page.get_by_text("1 change is waiting to be sent")).to_be_visible()
    page.unroute("**/arrivals")
    page.reload()
    expect(page.locator("[data-arrived]")).to_have_text("1")
    expect(page.locator("[data-line]")).to_be_empty()
    with transaction(server.sessions()) as session:
        assert session.get_one(models.Arrival, evening.made.guests[3].id).arrived_at is not None
        for link in session.query(models.Link).filter_by(event_id=evening.made.event.id, audience="door"):
            link.revoked_at = link.created_at
    expect(page.get_by_text("This link no longer works.")).to_be_visible()
    complaints[:] = [text for text in complaints if "ERR_FAILED" not in text and "404" not in text]


def test_tables_keep_the_focus_while_the_list_is_read_again(phones: tuple[Page, Page]) -> None:
    page, other = phones
    page.get_by_role("link", name="Tables").tap()
    row = page.get_by_role("link", name="Table 2")
    row.focus()
    for _ in range(2):
        with page.expect_response("**/arrivals"):
            pass
    expect(row).to_be_focused()
    check_in(other, "Eve Smith")
    expect(row).to_contain_text("1 of 3")
    expect(row).to_be_focused()


def test_full_storage_loses_no_change(phones: tuple[Page, Page]) -> None:
    page, other = phones
    expect(page.locator("[data-number=missing]")).to_have_text("6")
    page.evaluate("""() => {
        Storage.prototype.setItem = () => { throw new DOMException("full", "QuotaExceededError"); };
    }""")
    page.context.set_offline(True)
    check_in(page, "Cleo Smith")
    check_in(page, "Dan Smith")
    expect(page.get_by_text("No connection. 2 changes are waiting to be sent.")).to_be_visible()
    assert stored(page) == 0
    page.context.set_offline(False)
    expect(page.locator("[data-line]")).to_be_empty()
    expect(other.locator("[data-arrived]")).to_have_text("2")


@pytest.mark.parametrize("has_script", [True, False], ids=["script", "form"])
def test_lines_end_between_rounds(new_context: NewContext, server: ServerProcess, has_script: bool) -> None:
    owner = server.owner()
    with transaction(server.sessions()) as session:
        made = make_plan(session, owner, sizes=(2, 2, 2, 2), names=["Ann", "Bo", "Cy", "Di"], assignment=(0, 1, 2, 3))
        add_rounds(session, made, [(1, 0, 3, 2), (0, 1, 2, 3), (1, 0, 3, 2)])
        for table, name in zip(
            made.tables, ("Cedar", "Oak and Elm", "W" * 60, "By the old walnut tree " * 2), strict=True
        ):
            table.name = name.strip()
        door = f"/d/{create_helper_link(open_event(session, owner, made.event.id), days=9).token}"
    page = new_context(
        **PHONE | {"viewport": {"width": 390, "height": 844}, "java_script_enabled": has_script}
    ).new_page()
    page.goto(f"{door}?show=all")
    expect(page.locator(".door-row").first.locator(".door-round")).to_have_text(
        ["Round 1: Cedar", "Round 2: Oak and Elm", "Round 3: Cedar", "Round 4: Oak and Elm"]
    )
    check_in(page, "Cy")
    expect(page.locator("[data-done-table]")).to_contain_text("Round 2: By the old walnut tree")
    for place in (".door-table", "[data-done-table]"):
        for rounds in page.locator(place).filter(has=page.locator(".door-round")).all():
            whole = rounds.bounding_box()
            boxes = [one.bounding_box() for one in rounds.locator(".door-round").all()]
            assert whole
            assert whole["x"] + whole["width"] <= 390
            for box, text in zip(boxes, rounds.locator(".door-round").all_text_contents(), strict=True):
                assert box
                assert box["x"] >= whole["x"]
                assert box["x"] + box["width"] <= whole["x"] + whole["width"] + 0.5
                assert len(text) > 25 or box["height"] < 40, f"{text} is on one line"
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_member_checks_in_as_well(page: Page, evening: Evening, check_axe: CheckAxe) -> None:
    page.goto(f"/events/{evening.made.event.id}/share")
    page.get_by_role("link", name="At the door", exact=True).click()
    check_axe(page)
    page.get_by_role("link", name="Check guests in").click()
    page.get_by_role("button", name="Check in: Eve Smith").click()
    expect(page.locator("[data-arrived]")).to_have_text("1")
    page.get_by_role("link", name="Tables").click()
    expect(page.get_by_role("link", name="Table 2")).to_contain_text("1 of 3")
    page.get_by_role("link", name="Table 2").click()
    expect(page.get_by_role("heading", name="Table 2, 1 of 3 arrived")).to_be_visible()


def test_screen_fits_follows_and_survives_without_a_connection(
    new_context: NewContext, evening: Evening, server: ServerProcess, complaints: list[str], check_axe: CheckAxe
) -> None:
    context = new_context(viewport={"width": 1280, "height": 720}, reduced_motion="reduce")
    page = context.new_page()
    page.clock.install()
    page.goto(f"{evening.guests}/screen")
    expect(page.locator(".screen-sheet li")).to_have_count(6)
    size, has_room = page.evaluate("""() => {
        const tables = document.querySelector("[data-tables]");
        const size = parseFloat(getComputedStyle(tables.querySelector("li")).fontSize) / innerHeight;
        return [size, tables.scrollHeight <= tables.clientHeight && tables.scrollWidth <= tables.clientWidth];
    }""")
    assert size >= 0.025
    assert has_room
    check_axe(page)
    context.set_offline(True)
    page.clock.run_for(15_000)
    expect(page.get_by_text("Aino Virtanen")).to_be_visible()
    with transaction(server.sessions()) as session:
        session.get_one(models.Guest, evening.made.guests[0].id).name = "Aino Korhonen"
        session.get_one(models.Event, evening.made.event.id).revision += 1
    context.set_offline(False)
    page.clock.run_for(15_000)
    expect(page.get_by_text("Aino Korhonen")).to_be_visible()
    complaints[:] = [text for text in complaints if "ERR_INTERNET_DISCONNECTED" not in text]
