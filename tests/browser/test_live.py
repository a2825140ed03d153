"""Two people at one plan: each sees what the other does, and no change is lost without a word."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from app.accounts.sessions import start_session
from app.db import models
from app.db.session import transaction
from tests.browser.workspace import address, drag, made_party, middle, seat_at, seat_of
from tests.factories import NAMES, Planned, make_member
from tests.server import ServerProcess

CheckAxe = Callable[[Page], None]
NewContext = Callable[..., BrowserContext]
KAISA, FARAH, MAIJA, INES = (NAMES.index(name) for name in ("Kaisa", "Farah", "Maija", "Ines"))


@pytest.fixture
def made(server: ServerProcess) -> Planned:
    return made_party(server)


@dataclass(frozen=True)
class Guests:
    """Signs members of the event in, each in a browser of their own."""

    server: ServerProcess
    made: Planned
    new_context: NewContext

    def open(self, name: str, role: str) -> Page:
        with transaction(self.server.sessions()) as session:
            user = session.get_one(models.User, make_member(session, self.made.event.id, role).user_id)
            user.name = name
            token = start_session(session, user, days=1)
        context = self.new_context()
        cookie = {"name": self.server.cookie_name, "value": token, "url": self.server.address}
        context.add_cookies([{**cookie, "httpOnly": True, "sameSite": "Lax"}])  # type: ignore[typeddict-item]
        page = context.new_page()
        page.goto(address(self.made))
        return page


@pytest.fixture
def dan(server: ServerProcess, made: Planned, new_context: NewContext) -> Page:
    """The plan as Dan has it open, who may edit it as well."""
    return Guests(server, made, new_context).open("Dan Brown", "editor")


def message(page: Page, words: str) -> None:
    expect(page.locator("[data-message]")).to_contain_text(words)


def move_to(page: Page, made: Planned, guest: int, table: int, seat: int) -> None:
    drag(page, seat_of(page, made, guest), middle(seat_at(page, made, table, seat)))


def hold_back_parts(page: Page) -> list[Route]:
    """Let the page stay as it is, as on a slow line, until the requests are continued."""
    waiting: list[Route] = []

    def hold(route: Route) -> None:
        waiting.append(route)

    page.route("**/parts?*", hold)
    return waiting


def test_move_of_one_is_seen_by_the_other_without_reload(page: Page, dan: Page, made: Planned) -> None:
    page.goto(address(made))
    page.evaluate("window.isSamePage = true")
    page.locator("[data-zoom-by=in]").click()
    page.locator("#find").fill("Fa")
    expect(page.locator("[data-view]")).not_to_contain_class("is-moving")
    zoom = page.locator("[data-sheet]").get_attribute("style")
    drag(dan, seat_of(dan, made, KAISA), middle(seat_of(dan, made, FARAH)))
    message(dan, "Kaisa moved to Table 4 and Farah moved to Table 3.")
    expect(seat_of(page, made, KAISA)).to_have_attribute("data-table", str(made.tables[3].id))
    expect(seat_of(page, made, FARAH)).to_have_attribute("data-table", str(made.tables[2].id))
    message(page, "Dan Brown swapped Kaisa and Farah.")
    assert page.evaluate("window.isSamePage")
    expect(page.locator("#find")).to_be_focused()
    expect(page.locator("#find")).to_have_value("Fa")
    expect(page.locator(".guest-row:visible")).to_have_count(1)
    assert page.locator("[data-sheet]").get_attribute("style") == zoom
    page.keyboard.press("Escape")
    page.locator("#history button[value=undo]").click()
    asked = page.get_by_role("dialog", name="Dan Brown swapped Kaisa and Farah. Undo this change of theirs?")
    asked.get_by_role("button", name="Cancel").click()
    expect(seat_of(dan, made, KAISA)).to_have_attribute("data-table", str(made.tables[3].id))
    page.locator("#history button[value=undo]").click()
    asked.get_by_role("button", name="Undo", exact=True).click()
    expect(seat_of(dan, made, KAISA)).to_have_attribute("data-table", str(made.tables[2].id))


def test_others_and_whom_they_hold_are_shown(page: Page, dan: Page, made: Planned, check_axe: CheckAxe) -> None:
    page.goto(address(made))
    there = page.locator("[data-editors] li")
    expect(there).to_have_text(["DBDan Brown"])
    second = page.context.new_page()
    second.goto(address(made))
    expect(second.locator("[data-editors] li")).to_have_text(["DBDan Brown"])  # one's other tab is not somebody else
    second.close()
    expect(there).to_have_attribute("title", "Dan Brown")
    kaisa = seat_of(page, made, KAISA)
    label = kaisa.get_attribute("aria-label")
    drag(dan, seat_of(dan, made, KAISA), (300, 300), drop=False)
    expect(kaisa.locator(".held-mark text")).to_have_text("DB")
    expect(kaisa).to_have_attribute("aria-label", f"{label}. Picked up by Dan Brown right now.")
    check_axe(page)
    drag(page, kaisa, (400, 400), drop=False)
    message(page, "Picked up by Dan Brown right now. Kaisa picked up.")
    message(dan, "Picked up by someone else right now.")
    page.keyboard.press("Escape")
    page.mouse.up()
    dan.keyboard.press("Escape")
    dan.mouse.up()
    expect(page.locator(".held-mark")).to_have_count(0)
    dan.goto("about:blank")
    expect(there).to_have_count(0)


def test_guest_stays_in_hand_while_another_is_moved(page: Page, dan: Page, made: Planned) -> None:
    page.goto(address(made))
    page.locator("[data-view]").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    message(page, "Maija picked up.")
    drag(dan, seat_of(dan, made, INES), middle(seat_of(dan, made, 1)))  # Olli, beside Maija
    message(dan, "Ines moved to Table 1")
    expect(seat_of(page, made, INES)).to_have_attribute("data-table", str(made.tables[0].id))
    expect(seat_of(page, made, MAIJA)).to_contain_class("is-picked")
    expect(seat_of(page, made, MAIJA)).to_be_focused()
    expect(seat_of(page, made, FARAH).locator(".effect")).to_be_attached()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    message(page, "Maija moved to Table 2")


def test_overtaken_move_says_what_happened_and_is_done_again(
    page: Page, dan: Page, made: Planned, check_axe: CheckAxe
) -> None:
    page.goto(address(made))
    waiting = hold_back_parts(page)
    drag(dan, seat_of(dan, made, KAISA), middle(seat_of(dan, made, FARAH)))
    message(dan, "Kaisa moved to Table 4")
    expect(seat_of(page, made, KAISA)).to_have_attribute("data-table", str(made.tables[2].id))
    drag(page, seat_of(page, made, KAISA), middle(seat_of(page, made, MAIJA)))
    offer = page.get_by_role("alert").filter(has_text="Your change was not made.")
    expect(offer).to_contain_text("Dan Brown swapped Kaisa and Farah a moment ago. Your change was not made.")
    expect(seat_of(page, made, KAISA)).to_have_attribute("data-table", str(made.tables[3].id))
    check_axe(page)
    expect(page.locator("[data-message]")).to_be_empty()
    expect(offer.get_by_role("button", name="Do it again")).to_be_focused()
    page.keyboard.press("Enter")
    message(page, "Kaisa moved to Table 1 and Maija moved to Table 4.")
    expect(offer).to_have_count(0)
    for route in waiting:
        route.continue_()
    expect(seat_of(dan, made, KAISA)).to_have_attribute("data-table", str(made.tables[0].id))
    expect(seat_of(page, made, KAISA)).to_have_attribute("data-table", str(made.tables[0].id))


def test_seat_that_was_taken_meanwhile_becomes_another_at_the_table(page: Page, dan: Page, made: Planned) -> None:
    page.goto(address(made))
    for guest in (INES, MAIJA):  # two free seats at the first two tables
        tray = page.locator("#tray").bounding_box()
        assert tray
        drag(page, seat_of(page, made, guest), (tray["x"] + 20, tray["y"] + 20))
        expect(page.locator(f'#tray [data-seat="{made.guests[guest].id}"]')).to_be_visible()
    expect(page.locator("#notices .banner")).to_have_count(0)  # the tray shows them, and the room stays where it is
    free = page.locator(f'.floor-picture .seat.empty[data-table="{made.tables[0].id}"]')
    number = int(free.get_attribute("data-seat-number") or 0)
    expect(seat_of(dan, made, MAIJA)).to_have_count(0)
    hold_back_parts(page)
    move_to(dan, made, KAISA, 0, number)
    message(dan, "Kaisa moved to Table 1")
    move_to(page, made, FARAH, 0, number)
    page.get_by_role("button", name="Do it again").click()
    dialog = page.locator("dialog#breaks")
    expect(dialog).to_contain_text("Table 1")  # it is full now, so an extra chair is asked about
    dialog.get_by_role("button", name="Cancel").click()
    message(page, "Nothing was changed.")
    expect(seat_of(page, made, KAISA)).to_have_attribute("data-table", str(made.tables[0].id))


def test_renamed_table_is_seen_and_what_is_typed_stays(page: Page, dan: Page, made: Planned) -> None:
    page.goto(f"{address(made)}?tab=table&table={made.tables[0].id}")
    page.locator(".table-menu > summary").click()
    page.locator("#panel input[name=name]").fill("Half a na")
    page.locator(".ws-versions > summary").click()
    page.locator(".ws-versions input[name=name]").press_sequentially("Plan B")
    dan.goto(f"{address(made)}?tab=table&table={made.tables[4].id}")
    dan.locator(".table-menu > summary").click()
    dan.locator("#panel input[name=name]").fill("Oak")
    dan.locator("#panel input[name=name]").press("Enter")
    message(dan, "Oak was saved.")
    expect(page.locator(f"#t-{made.tables[4].id} .tname")).to_have_text("Oak")
    expect(page.locator("#panel input[name=name]")).to_have_value("Half a na")
    expect(page.locator(".ws-versions input[name=name]")).to_have_value("Plan B")
    expect(page.locator(".ws-versions input[name=name]")).to_be_focused()


def test_overtaken_move_can_be_left(page: Page, dan: Page, made: Planned) -> None:
    page.goto(address(made))
    hold_back_parts(page)
    drag(dan, seat_of(dan, made, KAISA), middle(seat_of(dan, made, FARAH)))
    message(dan, "Kaisa moved to Table 4")
    drag(page, seat_of(page, made, KAISA), middle(seat_of(page, made, MAIJA)))
    page.get_by_role("button", name="Leave it").click()
    expect(page.locator(".offer")).to_have_count(0)
    expect(seat_of(page, made, KAISA)).to_have_attribute("data-table", str(made.tables[3].id))


def test_move_without_connection_is_not_shown_until_it_is_saved(
    page: Page, dan: Page, made: Planned, complaints: list[str]
) -> None:
    page.goto(address(made))
    expect(page.locator("[data-editors] li")).to_have_count(1)
    page.context.set_offline(True)
    expect(page.locator("[data-lost]")).to_contain_text("Cannot reach the server.")
    seat_of(page, made, KAISA).hover()  # when the room has its size again
    drag(page, seat_of(page, made, KAISA), middle(seat_of(page, made, FARAH)))
    notice = page.get_by_role("alert").filter(has_text="Your change is not saved yet.")
    expect(notice).to_be_visible()
    expect(seat_of(page, made, KAISA)).to_have_attribute("data-table", str(made.tables[2].id))
    drag(dan, seat_of(dan, made, MAIJA), middle(seat_of(dan, made, INES)))
    message(dan, "Maija moved to Table 2")
    page.get_by_role("button", name="Arrange room").click()
    page.locator(f"#t-{made.tables[4].id}").focus()
    page.keyboard.press("r")
    page.context.set_offline(False)
    message(page, "Saved.")
    expect(dan.locator(f"#t-{made.tables[4].id}")).to_have_attribute("data-rotation", "15.0")
    expect(notice).to_have_count(0)
    expect(page.locator("[data-lost]")).to_be_empty()
    expect(seat_of(page, made, MAIJA)).to_have_attribute("data-table", str(made.tables[1].id))
    expect(seat_of(dan, made, KAISA)).to_have_attribute("data-table", str(made.tables[3].id))
    assert all("ERR_INTERNET_DISCONNECTED" in one for one in complaints)
    complaints.clear()


def test_move_whose_answer_got_lost_is_not_made_twice(page: Page, made: Planned, complaints: list[str]) -> None:
    page.goto(address(made))
    lost: list[str] = []

    def lose_first_answer(route: Route) -> None:
        if lost:
            route.continue_()
        else:
            lost.append(route.fetch().text())
            route.abort()

    page.route("**/moves", lose_first_answer)
    drag(page, seat_of(page, made, KAISA), middle(seat_of(page, made, FARAH)))
    message(page, "Saved.")
    assert "Kaisa moved to Table 4" in lost[0]
    expect(page.locator(".offer")).to_have_count(0)
    expect(seat_of(page, made, KAISA)).to_have_attribute("data-table", str(made.tables[3].id))
    page.locator('#panel [data-tab="changes"]').click()
    expect(page.locator(".change")).to_have_count(1)
    assert [one for one in complaints if "ERR_FAILED" not in one] == []
    complaints.clear()


def test_viewer_follows_without_being_listed(
    page: Page, server: ServerProcess, made: Planned, new_context: NewContext
) -> None:
    page.goto(address(made))
    viewer = Guests(server, made, new_context).open("Vera", "viewer")
    expect(viewer.locator("[data-editors] li")).to_have_count(1)
    drag(page, seat_of(page, made, KAISA), middle(seat_of(page, made, FARAH)))
    expect(seat_of(viewer, made, KAISA)).to_have_attribute("data-table", str(made.tables[3].id))
    expect(page.locator("[data-editors]")).to_be_hidden()
