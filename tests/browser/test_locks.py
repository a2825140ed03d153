"""Locks in the workspace, by mouse and by keys, and planning the rest around them."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.workspace import address, made_party, seat_at, seat_of
from tests.factories import NAMES, Planned
from tests.server import PATIENCE, ServerProcess

CheckAxe = Callable[[Page], None]
NewContext = Callable[..., BrowserContext]
SignIn = Callable[[BrowserContext], BrowserContext]
KAISA, MAIJA = NAMES.index("Kaisa"), NAMES.index("Maija")


@pytest.fixture
def made(server: ServerProcess) -> Planned:
    return made_party(server)


def message(page: Page, words: str) -> None:
    expect(page.locator("[data-message]")).to_contain_text(words)


def unseat(page: Page, made: Planned, guest: int) -> tuple[int, int]:
    """Take a guest out, and return their table and seat, counted from 0 and from 1."""
    seat = seat_of(page, made, guest)
    number = int(seat.get_attribute("data-seat-number") or 0)
    table = next(n for n, one in enumerate(made.tables) if str(one.id) == seat.get_attribute("data-table"))
    page.goto(f"{address(made)}?tab=guest&guest={made.guests[guest].id}")
    page.get_by_role("button", name="Unseat").click()
    if page.locator("#breaks[open]").count():
        page.get_by_role("button", name="Move anyway").click()
    expect(page.locator("#tray")).to_contain_text(NAMES[guest])
    return table, number


def test_table_and_seat_are_locked_by_mouse(page: Page, made: Planned, check_axe: CheckAxe) -> None:
    page.goto(address(made))
    table, number = unseat(page, made, MAIJA)
    free = seat_at(page, made, table, number)
    free.locator("circle").click()
    page.get_by_role("button", name=f"Keep seat {number} empty").click()
    message(page, f"Seat {number} at Table {table + 1} stays empty.")
    expect(free).to_have_class(re.compile("kept-empty"))
    expect(free.locator(".seat-cross")).to_be_visible()
    page.get_by_role("button", name="Lock this table").click()
    message(page, f"Table {table + 1} is locked.")
    expect(page.get_by_role("button", name="Unlock this table")).to_be_focused()
    expect(page.locator(f"#t-{made.tables[table].id} .table-lock")).to_be_visible()
    check_axe(page)
    page.reload()
    expect(free.locator(".seat-cross")).to_be_visible()
    page.keyboard.press("Control+z")
    message(page, "Undone: ")
    expect(page.locator(".table-lock")).to_have_count(0)


def test_guest_seat_and_table_are_locked_by_keys(page: Page, made: Planned) -> None:
    page.goto(address(made))
    table, number = unseat(page, made, MAIJA)
    free = seat_at(page, made, table, number)
    free.focus()
    page.keyboard.press("l")
    message(page, f"Seat {number} at Table {table + 1} stays empty.")
    expect(free).to_be_focused()
    expect(free).to_have_attribute("aria-label", f"Seat kept empty at Table {table + 1}")
    page.keyboard.press("l")
    message(page, f"Seat {number} at Table {table + 1} is free again.")
    expect(free).to_be_focused()
    page.keyboard.press("Shift+L")
    message(page, f"Table {table + 1} is locked.")
    kaisa = seat_of(page, made, KAISA)
    kaisa.focus()
    page.keyboard.press("l")
    message(page, "Kaisa is locked at Table 3.")
    expect(kaisa.locator(".seat-lock")).to_be_visible()
    cloth = page.locator(f"#t-{made.tables[2].id} .cloth")
    before, start = cloth.bounding_box(), kaisa.locator("circle").bounding_box()
    assert start
    page.mouse.move(start["x"] + 8, start["y"] + 8)
    page.mouse.down()
    page.mouse.move(start["x"] + 120, start["y"] + 140, steps=6)
    page.mouse.up()
    message(page, "Kaisa is locked. Unlock them to move them.")
    assert cloth.bounding_box() == before
    expect(kaisa).to_have_attribute("data-table", str(made.tables[2].id))


def test_rest_is_planned_and_who_moved_is_shown(page: Page, made: Planned, check_axe: CheckAxe) -> None:
    page.goto(address(made))
    seat_of(page, made, KAISA).focus()
    page.keyboard.press("Shift+L")
    message(page, "Table 3 is locked.")
    unseat(page, made, MAIJA)
    page.get_by_text("Plan the rest").click()
    expect(
        page.get_by_text("Looks for a better plan: up to 16 guests may change tables. 5 locked guests stay.")
    ).to_be_visible()
    page.get_by_role("button", name="Improve the plan").click()
    expect(page.get_by_role("heading", name="Since Version 1")).to_be_visible(timeout=PATIENCE * 1000)
    expect(page.locator("#origin")).to_contain_text("Maija")
    expect(page.locator("#origin")).to_contain_text("now at")
    expect(seat_of(page, made, MAIJA).locator(".moved-ring")).to_be_visible()
    expect(page.locator(f"#t-{made.tables[2].id} .table-lock")).to_be_visible()
    expect(seat_of(page, made, KAISA)).to_have_attribute("data-table", str(made.tables[2].id))
    check_axe(page)
    page.get_by_role("link", name="Compare side by side").click()
    expect(page).to_have_url(re.compile(f"{made.plan.id}/compare"))


def test_menu_of_versions_works_without_scripts(new_context: NewContext, sign_in: SignIn, made: Planned) -> None:
    page = sign_in(new_context(java_script_enabled=False)).new_page()
    page.goto(address(made))
    page.locator(".ws-versions > summary").click()
    expect(page.locator(".ws-versions > summary")).to_contain_text("in use")
    page.get_by_role("button", name="Duplicate").first.click()
    expect(page.get_by_text("Copy of Version 1").first).to_be_visible()


def test_menu_of_versions_closes_at_escape(page: Page, made: Planned, check_axe: CheckAxe) -> None:
    page.goto(address(made))
    menu = page.locator(".ws-versions")
    menu.locator("summary").first.click()
    expect(menu.get_by_role("link", name="All versions")).to_be_visible()
    check_axe(page)
    page.keyboard.press("Escape")
    expect(menu.get_by_role("link", name="All versions")).to_be_hidden()
    expect(menu.locator("summary").first).to_be_focused()
