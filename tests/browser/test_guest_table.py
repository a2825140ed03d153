"""The guest table in the browser: typed in by keyboard, changed for several guests, and as a list on a phone."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, Route, expect

from tests.server import ServerProcess

NewContext = Callable[..., BrowserContext]
SignIn = Callable[[BrowserContext], BrowserContext]
CheckAxe = Callable[[Page], None]
MANY = 118
PASTE = """text => {
    const data = new DataTransfer();
    data.setData("text/plain", text);
    const options = {clipboardData: data, bubbles: true, cancelable: true};
    document.activeElement.dispatchEvent(new ClipboardEvent("paste", options));
}"""


class Event:
    """An event with many guests, made over the API."""

    def __init__(self, server: ServerProcess) -> None:
        self.api = server.api()
        self.id = self.api.post("events", json={"name": "Party"}).json()["id"]
        people = [
            {"name": f"Guest {n:03}", "party": f"P {n // 2:02}", "reply": "yes" if n % 3 else "invited"}
            for n in range(MANY)
        ]
        made = self.api.put(f"events/{self.id}/guests", json={"guests": people})
        self.guests = [guest["id"] for guest in made.json()["guests"]]

    def field(self, number: int, field: str) -> object:
        """Return what the server has of a guest."""
        return self.api.get(f"events/{self.id}/guests/{self.guests[number]}").json()[field]


@pytest.fixture
def event(server: ServerProcess) -> Event:
    return Event(server)


def open_table(page: Page, event: Event, query: str = "") -> None:
    page.goto(f"/events/{event.id}/guests{query}")
    page.locator("table[data-ready]").wait_for()


def cell(page: Page, number: int, key: str) -> Locator:
    return page.locator(f'tr[data-guest] [data-key="{key}"]').nth(number)


def test_cells_are_typed_by_keyboard_and_nothing_typed_is_lost(
    context: BrowserContext, event: Event, complaints: list[str]
) -> None:
    page = context.new_page()
    open_table(page, event)
    cell(page, 0, "diet").click()
    page.keyboard.type("vegan")
    page.keyboard.press("Enter")
    expect(cell(page, 1, "diet")).to_be_focused()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    page.keyboard.type("not")
    page.keyboard.press("Tab")
    expect(cell(page, 1, "reply")).to_have_text("Not attending")
    expect(cell(page, 1, "age_group")).to_be_focused()
    page.keyboard.press("F2")
    page.keyboard.press("Escape")
    expect(cell(page, 1, "age_group")).to_have_text("Adult")
    expect(page.locator(".is-saving")).to_have_count(0)
    assert (event.field(0, "diet"), event.field(1, "reply")) == ("vegan", "no")
    cell(page, 2, "diet").click()
    page.evaluate(PASTE, "fish\nmeat\n")
    expect(cell(page, 3, "diet")).to_have_text("meat")
    page.keyboard.press("Control+z")
    expect(cell(page, 2, "diet")).to_have_text("")
    expect(page.locator(".is-saving")).to_have_count(0)
    assert (event.field(2, "diet"), event.field(3, "diet")) == ("", "")
    event.api.patch(f"events/{event.id}/guests/{event.guests[2]}", json={"diet": "theirs"}, headers={"If-Match": "*"})
    page.keyboard.type("mine")
    page.keyboard.press("Enter")
    expect(cell(page, 2, "diet")).to_have_attribute("aria-invalid", "true")
    page.keyboard.press("ArrowUp")
    expect(page.get_by_text("Someone else changed this to “theirs”. You entered “mine”.")).to_be_visible()
    page.get_by_role("button", name="Use mine").click()
    expect(page.locator(".is-wrong, .is-saving")).to_have_count(0)
    assert event.field(2, "diet") == "mine"
    complaints.clear()  # the conflict, which chromium reports like a missing file


def test_typed_words_mean_what_planners_mean_by_them(context: BrowserContext, event: Event) -> None:
    page = context.new_page()
    open_table(page, event)
    typed = {"n": "Not attending", "y": "Attending", "no": "Not attending", "perhaps": "Maybe", "no r": "No reply yet"}
    for number, (word, shown) in enumerate(typed.items()):
        cell(page, number, "reply").click()
        page.keyboard.type(word)
        page.keyboard.press("Enter")
        expect(cell(page, number, "reply")).to_have_text(shown)
    cell(page, 0, "age_group").click()
    page.keyboard.type("5")  # no option has it: the server reads it
    page.keyboard.press("Enter")
    expect(cell(page, 0, "age_group")).to_have_text("Child")
    expect(page.locator(".is-saving")).to_have_count(0)
    assert [event.field(number, "reply") for number in range(5)] == ["no", "yes", "no", "maybe", "invited"]
    page.get_by_role("navigation", name="Guest pages").get_by_role("link", name="Groups").click()
    page.go_back()
    expect(cell(page, 0, "age_group")).to_have_text("Child")  # not as it was before
    page.locator("table[data-ready]").wait_for()
    cell(page, 1, "diet").click()
    page.keyboard.type("vegan")
    page.goto("/")  # without Enter
    for _ in range(50):
        if event.field(1, "diet") == "vegan":
            break
        page.wait_for_timeout(100)
    assert event.field(1, "diet") == "vegan"


def test_guest_who_is_ticked_before_the_script_is_there_is_selected(context: BrowserContext, event: Event) -> None:
    held: list[Route] = []
    page = context.new_page()
    page.route("**/guests/rows*", lambda route, _: held.append(route))
    page.goto(f"/events/{event.id}/guests", wait_until="commit")
    page.get_by_role("checkbox", name="Select Guest 001").check()
    page.wait_for_timeout(50)
    for route in held:
        route.continue_()
    page.unroute("**/guests/rows*")
    expect(page.get_by_text("1 selected", exact=True).first).to_be_visible()


def test_selected_guests_and_filters(context: BrowserContext, event: Event, check_axe: CheckAxe) -> None:
    page = context.new_page()
    open_table(page, event)
    grid = page.get_by_role("grid")
    assert page.locator("tr[data-guest]").count() < MANY
    page.get_by_role("link", name="40 no reply yet").click()
    expect(grid).to_have_attribute("aria-rowcount", "41")
    cell(page, 0, "party").click()
    page.keyboard.press("Control+a")
    expect(page.get_by_text("40 selected", exact=True).first).to_be_visible()
    check_axe(page)
    page.get_by_role("button", name="Reply", exact=True).click()
    page.get_by_role("button", name="Maybe", exact=True).click()
    expect(page.get_by_text("Reply changed to “Maybe” for 40 guests.")).to_be_visible()
    expect(page.get_by_text("No guest matches.")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(grid).to_have_attribute("aria-rowcount", "41")
    page.go_back()
    expect(grid).to_have_attribute("aria-rowcount", str(MANY + 1))
    page.get_by_label("Find a guest").fill("guest 11")
    expect(page).to_have_url(f"/events/{event.id}/guests?q=guest+11")
    expect(grid).to_have_attribute("aria-rowcount", "9")


def test_menu_of_the_selected_guests_is_in_view_wherever_its_button_is(context: BrowserContext, event: Event) -> None:
    page = context.new_page()
    page.set_viewport_size({"width": 1280, "height": 420})
    open_table(page, event, "?q=guest+001")
    page.get_by_role("checkbox", name="Select Guest 001").check()
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    page.get_by_role("button", name="Reply", exact=True).click()
    menu = page.get_by_role("group", name="Reply", exact=True)
    expect(menu).to_be_in_viewport(ratio=1)
    page.set_viewport_size({"width": 1280, "height": 240})
    expect(menu).to_be_in_viewport(ratio=1)
    page.get_by_role("button", name="Not attending").click()
    expect(page.get_by_text("Reply changed to “Not attending” for 1 guest.")).to_be_visible()


def test_phone_shows_a_compact_list(
    new_context: NewContext, sign_in: SignIn, event: Event, check_axe: CheckAxe
) -> None:
    size = {"width": 390, "height": 844}
    page = sign_in(new_context(viewport=size, color_scheme="dark", has_touch=True)).new_page()
    open_table(page, event)
    assert page.evaluate("document.documentElement.scrollHeight") <= 6 * 844
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.get_by_role("button", name="Actions for Guest 001").click()
    page.get_by_role("menuitemradio", name="Not attending").click()
    expect(cell(page, 1, "reply")).to_have_text("Not attending")
    page.get_by_role("button", name="Select", exact=True).click()
    page.get_by_role("checkbox", name="Select Guest 002").check()
    expect(page.get_by_text("1 selected", exact=True)).to_be_visible()
    check_axe(page)
