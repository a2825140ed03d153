"""The room on a phone: one tap away, with a sheet for whoever is chosen there, and a legend."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from app.db import models
from app.db.session import transaction
from tests.browser.workspace import address, made_party, middle, seat_of
from tests.factories import NAMES, Planned
from tests.server import ServerProcess

KAISA, FARAH = NAMES.index("Kaisa"), NAMES.index("Farah")
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


@pytest.fixture
def made(server: ServerProcess) -> Planned:
    return made_party(server)


@pytest.fixture
def phone(new_context: Callable[..., BrowserContext], sign_in: Callable[[BrowserContext], BrowserContext]) -> Page:
    return sign_in(new_context(**PHONE)).new_page()


def tap(page: Page, seat: Locator) -> None:
    page.touchscreen.tap(*middle(seat))


def come_near(page: Page, seat: Locator) -> None:
    """Tap once: the table comes so near that its names can be read."""
    expect(page.locator("[data-view].is-far:not(.is-moving)")).to_have_count(1)
    tap(page, seat)
    expect(page.locator("[data-view]:not(.is-far):not(.is-moving)")).to_have_count(1)


def test_guest_chosen_in_the_room_is_shown_in_a_sheet(
    phone: Page, made: Planned, check_axe: Callable[[Page], None]
) -> None:
    phone.goto(address(made))
    phone.get_by_role("link", name="Show the room").tap()
    seat = seat_of(phone, made, KAISA)
    come_near(phone, seat)
    expect(phone.locator(".guest-card")).to_have_count(0)
    tap(phone, seat)
    expect(phone.locator(".guest-card h2")).to_be_in_viewport()
    check_axe(phone)
    sheet = phone.locator("#panel").bounding_box()
    assert sheet
    assert middle(seat)[1] < sheet["y"], "the sheet must not cover the guest"
    phone.get_by_role("button", name="Close", exact=True).tap()
    assert phone.evaluate("document.elementFromPoint(195, 700).closest('#floor') !== null"), "the room is in view"


def test_guest_picked_up_in_the_list_is_put_down_in_the_room(phone: Page, made: Planned) -> None:
    phone.goto(f"{address(made)}?tab=guest&guest={made.guests[KAISA].id}")
    phone.get_by_role("button", name="Move…").tap()
    expect(phone.locator("[data-message]")).to_contain_text("Kaisa picked up.")
    tap(phone, seat_of(phone, made, FARAH))
    expect(phone.locator("[data-message]")).to_contain_text("Kaisa moved to Table 4 and Farah moved to Table 3.")


def test_legend_and_marks_are_in_reach(phone: Page, server: ServerProcess, made: Planned) -> None:
    with transaction(server.sessions()) as session:
        session.get_one(models.Guest, made.guests[0].id).wheelchair = True
    phone.goto(f"{address(made)}#floor")
    phone.get_by_text("Marks").tap()
    menu = phone.locator(".menu-list:has([data-filter-mark])").bounding_box()
    assert menu
    assert menu["x"] + menu["width"] <= 390
    phone.keyboard.press("Escape")
    entry = phone.get_by_role("button", name="needs attention")
    entry.tap()
    expect(entry).to_have_attribute("aria-pressed", "true")
    expect(phone.locator(".seat.is-dim").first).to_be_attached()
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
