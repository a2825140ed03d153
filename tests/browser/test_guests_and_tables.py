"""Guests, tables, groups and rules in the browser, with and without JavaScript."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.server import ServerProcess

NewContext = Callable[..., BrowserContext]
SignIn = Callable[[BrowserContext], BrowserContext]
CheckAxe = Callable[[Page], None]
PAGES = ("guests", "groups", "rules", "tables", "room", "settings")


class Event:
    """An event made over the API."""

    def __init__(self, server: ServerProcess, guests: int) -> None:
        self.api = server.api()
        self.id = self.api.post("events", json={"name": "Party"}).json()["id"]
        names = ["ליאור", "👩‍👩‍👧 Ines", *(f"Guest {number}" for number in range(guests))]
        people = [{"name": name, "party": "Mäkelä", "groups": ["Choir"], "note": "sings"} for name in names]
        made = self.api.put(f"events/{self.id}/guests", json={"guests": people}).json()["guests"]
        self.api.put(f"events/{self.id}/tables", json={"tables": [{"seats": 8}, {"seats": 4, "shape": "long"}]})
        rule = {"kind": "apart", "guests": [made[0]["id"], made[1]["id"]]}
        self.api.post(f"events/{self.id}/rules", json=rule)

    def at(self, page: str) -> str:
        """Return the address of one of its pages."""
        return f"/events/{self.id}/{page}"


@pytest.fixture
def event(server: ServerProcess) -> Event:
    """An event with two dozen guests."""
    return Event(server, 22)


@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1280, "light")])
def test_pages_have_no_fault_that_axe_finds_and_fit_the_screen(
    new_context: NewContext, sign_in: SignIn, check_axe: CheckAxe, event: Event, width: int, scheme: str
) -> None:
    page = sign_in(new_context(color_scheme=scheme, viewport={"width": width, "height": 800})).new_page()
    guest = event.api.get(f"events/{event.id}/guests").json()["guests"][0]["id"]
    group = event.api.get(f"events/{event.id}/groups").json()["groups"][0]["id"]
    table = event.api.get(f"events/{event.id}/tables").json()["tables"][0]["id"]
    paths = [event.at(name) for name in (*PAGES, f"guests/{guest}", f"groups/{group}", f"tables/{table}")]
    for path in ["/", *paths]:
        page.goto(path)
        check_axe(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path


def test_guest_is_removed_and_brought_back_by_keyboard(context: BrowserContext, event: Event) -> None:
    page = context.new_page()
    page.goto(event.at("guests"))
    page.get_by_role("checkbox", name="Select Guest 3", exact=True).press("Space")
    page.get_by_role("button", name="Remove", exact=True).press("Enter")
    expect(page.get_by_text("1 guest removed.")).to_be_visible()
    expect(page.get_by_role("grid")).to_have_attribute("aria-rowcount", "24")
    page.get_by_role("button", name="Undo").press("Enter")
    expect(page.get_by_role("grid")).to_have_attribute("aria-rowcount", "25")


def test_adding_goes_on_at_the_name(context: BrowserContext, event: Event) -> None:
    page = context.new_page()
    page.goto(event.at("guests"))
    page.get_by_text("Add guests", exact=True).click()
    page.get_by_label("Guest name").fill("Aino")
    page.keyboard.press("Enter")
    expect(page.get_by_role("grid")).to_have_attribute("aria-rowcount", "26")  # the last rows may be out of view
    expect(page.get_by_label("Guest name")).to_be_focused()
    page.keyboard.type("Eero")
    page.keyboard.press("Enter")
    expect(page.get_by_role("grid")).to_have_attribute("aria-rowcount", "27")
    names = [guest["name"] for guest in event.api.get(f"events/{event.id}/guests").json()["guests"]]
    assert names[-2:] == ["Aino", "Eero"]


def test_faults_are_announced_and_lead_to_the_field(context: BrowserContext, event: Event) -> None:
    page = context.new_page()
    page.goto(event.at("tables"))
    page.get_by_label("Table sizes").fill("8 0 4")
    page.keyboard.press("Enter")
    summary = page.get_by_role("alert").first
    expect(summary).to_be_focused()
    summary.get_by_role("link").click()
    expect(page.get_by_label("Table sizes")).to_be_focused()
    expect(page.get_by_label("Table sizes")).to_have_value("8 0 4")


def test_everything_is_entered_without_javascript(new_context: NewContext, sign_in: SignIn, event: Event) -> None:
    page = sign_in(new_context(java_script_enabled=False)).new_page()
    page.goto(event.at("guests"))
    page.get_by_text("Add guests", exact=True).click()
    page.get_by_label("Names").fill("1. Aino\n2. Eero")
    page.get_by_role("button", name="Add all").click()
    expect(page.get_by_text("2 guests added.")).to_be_visible()
    page.get_by_label("Find a guest").fill("aino")
    page.get_by_role("button", name="Find").click()
    expect(page.locator(".guest-name")).to_have_text(["Aino"])
    page.goto(event.at("tables"))
    page.get_by_label("Table sizes").fill("10 8-8 6")
    page.get_by_role("button", name="Update tables").click()
    expect(page.get_by_text("24 seats for 26 guests: 2 more seats needed.")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_label("Table sizes")).to_have_value("8 4")
    page.goto(event.at("rules"))
    page.get_by_label("Guest", exact=True).first.fill("Aino")
    page.get_by_label("And", exact=True).fill("Eero")
    page.get_by_label("side by side").check()
    page.get_by_role("button", name="Add rule").first.click()
    expect(page.get_by_text("Aino and Eero sit side by side", exact=True)).to_be_visible()


def test_what_is_typed_in_one_form_outlives_the_other(page: Page, event: Event) -> None:
    page.goto(event.at("tables"))
    page.get_by_label("Table sizes").fill("10x7")
    page.get_by_label("Name").fill("Birch")
    page.get_by_label("Seats", exact=True).fill("6")
    page.get_by_role("button", name="Add table").click()
    expect(page.get_by_role("heading", name="Birch")).to_be_visible()
    expect(page.get_by_label("Table sizes")).to_have_value("10x7")
    page.goto(event.at("guests"))
    page.get_by_text("Add guests", exact=True).click()
    page.get_by_label("Names", exact=True).fill("Pasted Paula")
    page.get_by_label("Select Guest 0").check()
    page.get_by_role("button", name="Remove", exact=True).click()
    expect(page.get_by_text("1 guest removed.")).to_be_visible()
    expect(page.get_by_label("Names", exact=True)).to_have_value("Pasted Paula")
