"""The page of a plan in a browser: changes by hand, the floor beside the list, small screens, and what guests see."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from app.db.session import transaction
from app.events.context import open_event
from app.sharing.links import create_link
from tests.factories import NAMES, Planned, make_plan
from tests.server import ServerProcess

CheckAxe = Callable[[Page], None]
NewContext = Callable[..., BrowserContext]
SignIn = Callable[[BrowserContext], BrowserContext]


@pytest.fixture
def made(server: ServerProcess) -> Planned:
    """The party of 22: Kaisa at Table 3 likes only Farah at Table 4, and everybody at a table gets along."""
    table_of = [table for table, size in enumerate((4, 4, 5, 6, 3)) for _ in range(size)]
    matrix = [[float(one == other) for other in table_of] for one in table_of]
    kaisa, farah = NAMES.index("Kaisa"), NAMES.index("Farah")
    for guest in range(22):
        matrix[kaisa][guest] = matrix[guest][kaisa] = 2.0 * (guest == farah)
    with transaction(server.sessions()) as session:
        return make_plan(session, server.owner(), matrix=matrix)


def address(made: Planned) -> str:
    return f"/events/{made.event.id}/plans/{made.plan.id}"


def row(page: Page, name: str) -> str:
    """Return the card in which the guest stands."""
    card = page.locator("section.card", has=page.locator(".guest-row", has_text=name))
    return card.locator("h2").inner_text()


def choose_place(page: Page, words: str) -> None:
    menu = page.get_by_label("Other seats")
    menu.select_option(menu.locator("option", has_text=words).get_attribute("value"))


def test_guest_who_needs_a_look_is_swapped_and_the_swap_undone(page: Page, made: Planned, check_axe: CheckAxe) -> None:
    page.goto(address(made))
    expect(page.get_by_text("21 of 22 sit with someone they like; 1 needs attention.")).to_be_visible()
    check_axe(page)
    page.get_by_role("main").get_by_role("link", name="Kaisa", exact=True).click()
    seat = page.locator(f'[data-seat="{made.guests[NAMES.index("Kaisa")].id}"]')
    expect(seat).to_have_class(re.compile("lit"))
    page.get_by_role("link", name="Kaisa (move or lock)").click()
    expect(seat).to_have_class(re.compile("held"))
    check_axe(page)
    choose_place(page, "swap with Noor")
    before = page.evaluate("scrollY")
    page.get_by_role("button", name="Move", exact=True).press("Enter")
    expect(page.get_by_role("button", name="Undo")).to_be_enabled()
    assert row(page, "Kaisa") == "Table 4"
    assert row(page, "Noor") == "Table 3"
    assert before > 0
    assert page.evaluate("scrollY") > 0
    message = page.get_by_role("status").filter(has_text="Kaisa moved to Table 4")
    expect(message).to_be_in_viewport()
    check_axe(page)
    page.get_by_role("button", name="Undo").press("Enter")
    expect(page.get_by_role("button", name="Redo")).to_be_enabled()
    expect(page.get_by_role("status").filter(has_text="Undone: Kaisa is back at Table 3")).to_be_in_viewport()
    assert "done=" not in page.url
    assert row(page, "Kaisa") == "Table 3"


def test_locked_seat_is_marked_and_a_seat_on_the_floor_picks_its_guest_up(page: Page, made: Planned) -> None:
    page.goto(address(made))
    page.locator(f'[data-seat="{made.guests[0].id}"] .gname').click()
    page.get_by_role("button", name="Lock at this table").click()
    expect(page.locator(f'[data-seat="{made.guests[0].id}"] .seat-lock')).to_be_attached()
    page.get_by_role("link", name=f"{NAMES[0]} (move or lock)").click()
    page.get_by_role("button", name="Unlock").click()
    expect(page.locator(".seat-lock")).to_have_count(0)


def test_refused_change_is_told_where_it_was_asked_for(page: Page, made: Planned) -> None:
    page.goto(f"{address(made)}?guest={made.guests[0].id}")
    page.get_by_role("button", name="Move", exact=True).click()
    expect(page.get_by_role("alert")).to_have_text("Choose a seat.")


def test_pointing_at_a_guest_lights_the_seat(page: Page, made: Planned) -> None:
    page.goto(address(made))
    seat = page.locator(f'[data-seat="{made.guests[5].id}"]')
    page.get_by_role("link", name=f"{NAMES[5]} (move or lock)").hover()
    expect(seat).to_have_class(re.compile("lit"))
    page.get_by_role("heading", level=1).hover()
    expect(seat).not_to_have_class(re.compile("lit"))


def test_plan_is_changed_without_javascript(made: Planned, new_context: NewContext, sign_in: SignIn) -> None:
    page = sign_in(new_context(java_script_enabled=False)).new_page()
    page.goto(address(made))
    page.get_by_role("link", name="Maija (move or lock)").click()
    choose_place(page, "swap with Ines")
    page.get_by_role("button", name="Move", exact=True).click()
    assert row(page, "Maija") == "Table 2"
    page.get_by_role("button", name="Undo").click()
    assert row(page, "Maija") == "Table 1"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_small_screen_shows_the_list_first_and_scrolls_only_the_drawings(
    made: Planned, new_context: NewContext, sign_in: SignIn, check_axe: CheckAxe, scheme: str
) -> None:
    page = sign_in(new_context(viewport={"width": 390, "height": 844}, color_scheme=scheme)).new_page()
    page.goto(address(made))
    tops = [page.locator(part).bounding_box() for part in (".split-list", "#floor", "#map")]
    assert all(tops)
    assert [box["y"] for box in tops if box] == sorted(box["y"] for box in tops if box)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    check_axe(page)


def test_names_on_the_floor_never_overlap(page: Page, server: ServerProcess) -> None:
    with transaction(server.sessions()) as session:
        names = [f"Wilhelmina Montgomery {number}" for number in range(40)]
        made = make_plan(session, server.owner(), sizes=(10, 10, 12, 8), names=names)
    page.goto(address(made))
    boxes = page.locator(".floor-picture .seat[data-seat]").evaluate_all(
        """seats => seats.map(seat => {
          const lines = [...seat.querySelectorAll(".gname")].map(line => line.getBoundingClientRect());
          return [Math.min(...lines.map(b => b.left)), Math.min(...lines.map(b => b.top)),
                  Math.max(...lines.map(b => b.right)), Math.max(...lines.map(b => b.bottom)), lines.length];
        })"""
    )
    assert [box[4] for box in boxes] == [2] * 40
    for one, other in itertools.combinations(boxes, 2):
        across = min(one[2], other[2]) - max(one[0], other[0])
        along = min(one[3], other[3]) - max(one[1], other[1])
        assert across <= 4 or along <= 6  # the box of a line is taller than its letters, and has a halo around it


def test_guest_finds_their_table_by_a_few_letters(
    server: ServerProcess, made: Planned, new_context: NewContext, check_axe: CheckAxe
) -> None:
    with transaction(server.sessions()) as session:
        token = create_link(open_event(session, server.owner(), made.event.id), made.plan.id).token
    page = new_context(viewport={"width": 390, "height": 844}).new_page()
    page.goto(f"/s/{token}")
    check_axe(page)
    page.get_by_label("Find your seat").fill("chlo")
    expect(page.get_by_role("status")).to_have_text("Chloé sits at Table 2.")
    expect(page.locator("section.card:visible")).to_have_count(1)
    check_axe(page)
    page.get_by_label("Find your seat").fill("nobody")
    expect(page.get_by_role("status")).to_have_text("No match. Try just the first letters.")


def test_paper_shows_no_judgement(page: Page, made: Planned) -> None:
    page.goto(f"{address(made)}?guest={made.guests[0].id}")
    page.emulate_media(media="print")
    for part in (".why", ".seat-key", ".verdict", ".effect", ".held-panel", "#map"):
        expect(page.locator(f"{part}:visible")).to_have_count(0)
    expect(page.locator(".guest-row:visible")).to_have_count(22)


@pytest.mark.parametrize("width", [390, 700, 1280])
def test_plan_to_share_is_not_cut_off(new_context: NewContext, sign_in: SignIn, made: Planned, width: int) -> None:
    page = sign_in(new_context(viewport={"width": width, "height": 844})).new_page()
    page.goto(f"/events/{made.event.id}/share")
    menu = page.get_by_label("Plan", exact=True)
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
