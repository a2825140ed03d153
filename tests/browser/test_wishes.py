"""Wishes from the file of links to the planner's yes, on a phone and by keyboard."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import BrowserContext, Page, expect

from tests.server import ServerProcess
from tests.wish_helpers import rows_of

CheckAxe = Callable[[Page], None]
NewContext = Callable[..., BrowserContext]


def make_event(server: ServerProcess) -> str:
    """Make an event over the API and return the path of its wishes."""
    api = server.api()
    event = api.post("events", json={"name": "Midsummer dinner"}).json()["id"]
    names = ["Aino Virtanen", "Bo Lindqvist", "Chloé Dubois"]
    api.put(f"events/{event}/guests", json={"guests": [{"name": name} for name in names]})
    return f"/events/{event}/wishes"


def lose_the_file(page: Page, complaints: list[str]) -> None:
    """Press the button while the server cannot be reached."""
    page.route("**/wishes/links", lambda route: route.abort())
    page.get_by_role("button", name="Create links for everyone").press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("The connection was lost")
    page.unroute("**/wishes/links")
    page.get_by_role("link", name="Check links").click()
    page.wait_for_url("**/wishes?notice=lost")
    assert all("ERR_FAILED" in complaint for complaint in complaints)
    complaints.clear()


def make_links(page: Page) -> dict[str, str]:
    """Press the button and read the file."""
    with page.expect_download() as download:
        page.get_by_role("button", name="Create links for everyone").press("Enter")
    expect(page.get_by_text("Links created.")).to_be_visible()
    assert download.value.suggested_filename == "wishes.csv"
    return {row[0]: row[2] for row in rows_of(Path(download.value.path()).read_bytes())[1:]}


def test_guest_wishes_on_a_phone_and_the_planner_accepts(
    server: ServerProcess,
    context: BrowserContext,
    new_context: NewContext,
    check_axe: CheckAxe,
    complaints: list[str],
) -> None:
    page, wishes = context.new_page(), make_event(server)
    page.goto(wishes)
    check_axe(page)
    lose_the_file(page, complaints)
    links = make_links(page)
    check_axe(page)

    phone = new_context(viewport={"width": 390, "height": 844}, has_touch=True).new_page()
    phone.goto(links["Aino Virtanen"])
    check_axe(phone)
    phone.get_by_label("Find a name").press_sequentially("chlo")
    check_axe(phone)
    phone.get_by_role("button", name="Chloé Dubois").tap()
    expect(phone.get_by_text("Chloé Dubois added.")).to_be_visible()
    expect(phone.get_by_label("Find a name")).to_be_focused()
    check_axe(phone)
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390

    page.goto(wishes)
    expect(page.get_by_text("Aino Virtanen wishes to sit with Chloé Dubois")).to_be_visible()
    page.get_by_role("checkbox").press("Space")
    check_axe(page)
    page.get_by_role("button", name="Accept selected").press("Enter")
    expect(page.get_by_text("1 wish was accepted.")).to_be_visible()
