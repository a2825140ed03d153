"""The workspace of a plan in a browser: the panel beside the room, small screens, paper, and what guests see."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from app.db.session import transaction
from app.events.context import open_event
from app.sharing.links import create_link
from tests.browser.workspace import address, made_party, seat_of
from tests.factories import NAMES, Planned, make_plan
from tests.server import ServerProcess

CheckAxe = Callable[[Page], None]
NewContext = Callable[..., BrowserContext]
SignIn = Callable[[BrowserContext], BrowserContext]
KAISA, NOOR = NAMES.index("Kaisa"), NAMES.index("Noor")


@pytest.fixture
def made(server: ServerProcess) -> Planned:
    return made_party(server)


def choose_place(page: Page, words: str) -> None:
    menu = page.get_by_label("Other seats")
    menu.select_option(menu.locator("option", has_text=words).get_attribute("value"))


def table_of(page: Page, made: Planned, guest: int) -> str:
    """Return the table at which the guest is drawn."""
    expect(seat_of(page, made, guest)).to_have_count(1)
    return seat_of(page, made, guest).locator("xpath=..").locator("> title").text_content() or ""


def test_guest_who_needs_a_look_is_swapped_and_the_swap_undone(page: Page, made: Planned, check_axe: CheckAxe) -> None:
    page.goto(address(made))
    expect(page.locator("[data-sentence]")).to_contain_text("21 of 22 sit with someone they like; 1 needs attention.")
    check_axe(page)
    page.get_by_role("link", name="1 needs attention").click()
    check_axe(page)
    page.locator("#panel").get_by_role("link", name="Kaisa", exact=True).click()
    expect(page.locator(".guest-card h2")).to_have_text("Kaisa")
    check_axe(page)
    choose_place(page, "swap with Noor")
    page.get_by_role("button", name="Move", exact=True).press("Enter")
    expect(page.get_by_role("status").filter(has_text="Kaisa moved to Table 4")).to_be_in_viewport()
    assert (table_of(page, made, KAISA), table_of(page, made, NOOR)) == ("Table 4", "Table 3")
    check_axe(page)
    page.get_by_role("button", name="Undo").press("Enter")
    expect(page.get_by_role("status").filter(has_text="Undone: Kaisa is back at Table 3")).to_be_in_viewport()
    expect(page.get_by_role("button", name="Redo")).to_be_enabled()
    assert table_of(page, made, KAISA) == "Table 3"
    assert "done=" not in page.url
    page.goto(page.url)  # the tab has an address
    expect(page.locator("#panel [aria-current]")).to_contain_text("Guest")


def test_locked_seat_is_marked_and_a_seat_in_the_room_selects_its_guest(page: Page, made: Planned) -> None:
    page.goto(address(made))
    seat_of(page, made, 0).locator(".initial").click()
    page.get_by_role("button", name="Lock at this table").click()
    expect(seat_of(page, made, 0).locator(".seat-lock")).to_be_attached()
    page.get_by_role("button", name="Unlock").click()
    expect(page.locator(".seat-lock")).to_have_count(0)


def test_refused_change_is_told_where_it_was_asked_for(page: Page, made: Planned) -> None:
    page.goto(f"{address(made)}?guest={made.guests[0].id}")
    page.get_by_role("button", name="Move", exact=True).click()
    expect(page.get_by_role("status").filter(has_text="Choose a seat.")).to_be_visible()


def test_pointing_at_a_guest_lights_the_seat(page: Page, made: Planned) -> None:
    page.goto(f"{address(made)}?table={made.tables[1].id}")
    page.get_by_role("link", name=f"{NAMES[5]} (move or lock)").hover()
    expect(seat_of(page, made, 5)).to_have_class(re.compile("lit"))
    page.get_by_role("heading", level=1).hover()
    expect(seat_of(page, made, 5)).not_to_have_class(re.compile("lit"))


def test_plan_is_changed_without_javascript(made: Planned, new_context: NewContext, sign_in: SignIn) -> None:
    page = sign_in(new_context(java_script_enabled=False)).new_page()
    page.goto(f"{address(made)}?table={made.tables[0].id}")
    page.get_by_role("link", name="Maija (move or lock)").click()
    choose_place(page, "swap with Ines")
    page.get_by_role("button", name="Move", exact=True).click()
    assert table_of(page, made, 0) == "Table 2"
    expect(page.locator("details[open] h2")).to_have_text("Table 2")
    page.get_by_role("link", name="Changes").click()
    expect(page.locator(".change")).to_have_count(1)
    page.get_by_role("button", name="Undo", exact=True).click()
    assert table_of(page, made, 0) == "Table 1"
    page.goto(f"{address(made)}?tab=guest&guest={made.guests[0].id}")
    page.get_by_role("button", name="Unseat").click()
    expect(page.locator("#tray")).to_contain_text("Maija")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_small_screen_shows_the_list_first_and_the_room_one_tap_away(
    made: Planned, new_context: NewContext, sign_in: SignIn, check_axe: CheckAxe, scheme: str
) -> None:
    page = sign_in(new_context(viewport={"width": 390, "height": 844}, color_scheme=scheme, has_touch=True)).new_page()
    page.goto(address(made))
    expect(page.locator("#floor")).to_be_hidden()
    expect(page.locator(".table-card")).to_have_count(5)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    check_axe(page)
    page.get_by_role("link", name="Show the room").tap()
    expect(page.locator("#floor")).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    check_axe(page)
    page.get_by_role("link", name="Back to the list").tap()
    expect(page.locator("#floor")).to_be_hidden()


def test_names_on_the_floor_never_overlap(page: Page, server: ServerProcess) -> None:
    with transaction(server.sessions()) as session:
        guests = [f"Wilhelmina Montgomery {number}" for number in range(40)]
        made = make_plan(session, server.owner(), sizes=(10, 10, 12, 8), names=guests)
    page.set_viewport_size({"width": 1920, "height": 1080})
    page.goto(address(made))
    unit = page.evaluate("document.querySelector('.floor-picture').getScreenCTM().a")
    seats = page.locator(".seat[data-seat]").all()
    lines = [
        (number, name.bounding_box()) for number, seat in enumerate(seats) for name in seat.locator(".gname").all()
    ]
    assert len({number for number, _ in lines}) == 40
    for place, (number, one) in enumerate(lines):
        for other_number, other in lines[:place]:
            assert one
            assert other
            across = min(one["x"] + one["width"], other["x"] + other["width"]) - max(one["x"], other["x"])
            along = min(one["y"] + one["height"], other["y"] + other["height"]) - max(one["y"], other["y"])
            # The box of a line is taller than its letters, and has a halo around it.
            assert across <= 4 * unit or along <= 6 * unit or number == other_number


def test_guest_finds_their_table_by_a_few_letters(
    server: ServerProcess, made: Planned, new_context: NewContext, check_axe: CheckAxe
) -> None:
    with transaction(server.sessions()) as session:
        token = create_link(open_event(session, server.owner(), made.event.id), made.plan.id).token
    page = new_context(viewport={"width": 390, "height": 844}).new_page()
    page.goto(f"/s/{token}")
    check_axe(page)
    page.get_by_label("Find your seat").fill("chlo")
    expect(page.locator(".seat-table")).to_have_text("Table 2")
    expect(page.locator(".names li:visible")).to_have_count(0)
    check_axe(page)
    page.get_by_label("Find your seat").fill("nobody")
    expect(page.get_by_role("status")).to_have_text("No match. Try just the first letters of your name.")
    page.get_by_label("Find your seat").fill("")
    expect(page.locator(".names li:visible")).to_have_count(22)
    with transaction(server.sessions()) as session:
        open_event(session, server.owner(), made.event.id).edit().name = "Golden wedding"
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")  # as when the phone is picked up again
    expect(page.get_by_role("heading", name="Golden wedding")).to_be_visible()
    check_axe(page)


def test_paper_shows_no_judgement(page: Page, made: Planned) -> None:
    page.goto(address(made))
    page.emulate_media(media="print")
    for part in (".why", ".guest-row .seat-key", ".ws-sentence", ".effect", ".tag-warn", ".ws-legend", ".count-mark"):
        expect(page.locator(f"{part}:visible")).to_have_count(0)
    expect(page.locator(".guest-row:visible")).to_have_count(22)
    page.goto(f"{address(made)}?guest={made.guests[0].id}")
    for part in (".guest-card", ".effect", ".ws-sentence"):
        expect(page.locator(f"{part}:visible")).to_have_count(0)


@pytest.mark.parametrize("width", [390, 700, 1280])
def test_plan_to_share_is_not_cut_off(new_context: NewContext, sign_in: SignIn, made: Planned, width: int) -> None:
    page = sign_in(new_context(viewport={"width": width, "height": 844})).new_page()
    page.goto(f"/events/{made.event.id}/share")
    menu = page.get_by_label("Shows", exact=True)
    needed = menu.evaluate("""menu => {
        const pen = document.createElement("canvas").getContext("2d");
        pen.font = getComputedStyle(menu).font;
        return pen.measureText(menu.selectedOptions[0].textContent.trim()).width;
    }""")
    # The arrow of the menu takes 16 pixels of the room inside.
    room = menu.evaluate("""menu => {
        const style = getComputedStyle(menu);
        return menu.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - 16;
    }""")
    assert needed <= room
