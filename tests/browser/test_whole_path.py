"""The whole path, as a person walks it: from an empty list of events to cards, a link for guests, and a late change."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable

from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.log_canaries import leaks_in_log
from tests.files.pdf.reading import read_text
from tests.server import PATIENCE, ServerProcess

NAMES = (
    "Maija",
    "Olli",
    "Pekka",
    "Anneli",
    "Kaisa",
    "Juhani",
    "Leena",
    "Tapio",
    "Sari",
    "Wei",
    "Mei",
    "Lin",
    "Ines",
    "Mateo",
    "Chloé",
    "Hugo",
    "Noor",
    "Samir",
    "Yasmin",
    "ליאור",
    "فرح",
    "Zoë 👩🏽‍🍳",
)
CheckAxe = Callable[[Page], None]
NewContext = Callable[..., BrowserContext]
A_PLAN = re.compile(r"/events/[^/]+/plans/[^/]+$")
MILLISECONDS = PATIENCE * 1000


def new_sign_in_address(server: ServerProcess) -> str:
    """Ask the command line for a way in."""
    printed = server.run("sign-in", stdout=subprocess.PIPE).communicate()[0].strip()
    return str(printed[printed.index("/sign-in") :])


def go_to(page: Page, section: str) -> None:
    """Go to a section of the event by its navigation."""
    page.get_by_role("navigation", name="Event").get_by_role("link", name=section, exact=True).click()


def make_event(page: Page, name: str) -> None:
    page.get_by_label("Name").fill(name)
    page.get_by_role("button", name="Create event").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Guests")


def paste_guests(page: Page) -> None:
    page.get_by_label("Names", exact=True).fill("\n".join(NAMES))
    page.get_by_role("button", name="Add all").click()
    expect(page.get_by_text("22 guests added.")).to_be_visible()


def rate_five_pairs(page: Page, check_axe: CheckAxe) -> None:
    """Rate four pairs in the grid and one in the list of a guest, by keys."""
    go_to(page, "How they get along")
    check_axe(page)
    page.get_by_role("link", name="All pairs").click()
    check_axe(page)
    page.locator("[data-grid] tbody tr").nth(0).locator("td").nth(1).focus()
    for key in ("5", "ArrowRight", "1", "ArrowRight", "4", "ArrowDown", "2"):
        page.keyboard.press(key)
    expect(page.get_by_text("4 of 231 pairs rated")).to_be_visible()
    page.get_by_role("link", name="Wei").click()
    check_axe(page)
    page.get_by_role("radiogroup", name="Mei").get_by_label("close").focus()
    page.keyboard.press("5")
    expect(page.get_by_text("Mei: saved.")).to_be_attached()


def set_tables(page: Page) -> None:
    go_to(page, "Tables")
    page.get_by_label("Table sizes").fill("4 4 5 6 3")
    page.get_by_role("button", name="Update tables").click()
    expect(page.get_by_text("Tables updated: 2 tables of 4, 1 of 5, 1 of 6 and 1 of 3.")).to_be_visible()


def share(page: Page) -> str:
    """Share the plan on the page and return the address for guests."""
    page.get_by_role("main").get_by_role("link", name="Share").click()
    page.get_by_role("button", name="Create link").click()
    return page.get_by_label("Link", exact=True).input_value()


def find_plan_and_watch(page: Page, check_axe: CheckAxe) -> None:
    """Find a plan by the paper's method for four seconds, and see how far it is."""
    page.get_by_text("Options", exact=True).click()
    page.get_by_text("How the plan is found", exact=True).click()
    page.get_by_label("Paper").check()
    page.get_by_label("Attempts").fill("1000000")
    page.get_by_label("Time limit in seconds").fill("4")
    check_axe(page)
    page.get_by_role("button", name="Find the best plan").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Finding the best plan", timeout=MILLISECONDS)
    expect(page.locator("[data-progress-text]")).to_have_text(re.compile(r"\d attempts · about \d s left"))
    expect(page.locator("[data-chart-line]")).to_have_attribute("points", re.compile(r"\d+,\d+ .*100,\d+"))
    expect(page).to_have_url(A_PLAN, timeout=MILLISECONDS)


def see_everybody(page: Page) -> None:
    """All guests are on the page, at tables of the right sizes."""
    expect(page.locator(".names li")).to_have_count(22)
    page.get_by_role("link", name="See all tables").click()
    tables = page.get_by_role("main").locator(".table")
    expect(tables).to_have_count(5)
    assert sorted(tables.nth(i).locator("li").count() for i in range(5)) == [3, 4, 4, 5, 6]
    for name in NAMES:
        expect(page.locator(".table li bdi").get_by_text(name, exact=True)).to_be_visible()


def download_place_cards(page: Page) -> str:
    """Print place cards from the plan on the page and return what the PDF says."""
    page.get_by_role("link", name="Print", exact=True).click()
    with page.expect_download() as download:  # with boxes where no font has the emoji
        page.get_by_role("button", name=re.compile("Download PDF")).click()
    page.get_by_role("link", name="Back to the plan").click()
    return read_text(download.value.path().read_bytes())


def repair_after_a_guest_declines(page: Page, name: str) -> None:
    """Let a guest of the plan on the page decline, and fix it with the fewest moves."""
    plan = page.url
    go_to(page, "Guests")
    page.get_by_role("checkbox", name=f"Select {name}").check()
    page.get_by_role("button", name="Reply", exact=True).click()
    page.get_by_role("button", name="Not attending").click()
    expect(page.get_by_text("Reply changed to “Not attending” for 1 guest.")).to_be_visible()
    page.goto(plan)
    page.get_by_role("link", name="Fix with the fewest moves").click()
    page.get_by_role("button", name="Find the fewest moves").click()
    expect(page.locator("#moves")).to_be_visible(timeout=MILLISECONDS)
    use = page.get_by_role("button", name=re.compile("^(Use|Accept) this plan$"))
    use.or_(page.get_by_role("link", name="Go to this plan")).click()
    expect(page).to_have_url(A_PLAN)


def write_note(page: Page) -> tuple[str, ...]:
    """Write something about a guest that only editors may see, and return it."""
    entered = "lactose and quinces", "divorced from Tapio, ask anneli@example.org"
    page.get_by_role("button", name="Actions for Anneli").click()
    page.get_by_role("menuitem", name="Edit all fields").click()
    page.get_by_text("Food and access", exact=True).click()
    page.get_by_label("Diet").fill(entered[0])
    page.get_by_label("Note").fill(entered[1])
    page.get_by_role("button", name="Save").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Guests")
    return entered


def test_from_an_empty_list_to_cards_a_link_for_guests_and_a_repair_and_nothing_of_it_is_logged(
    server: ServerProcess, new_context: NewContext, check_axe: CheckAxe
) -> None:
    page = new_context().new_page()
    page.goto("/")
    expect(page).to_have_url(re.compile("/sign-in"))
    check_axe(page)

    sign_in_address = new_sign_in_address(server)
    page.goto(sign_in_address)
    check_axe(page)
    make_event(page, "Midsummer dinner")
    check_axe(page)
    paste_guests(page)
    check_axe(page)
    notes = write_note(page)

    rate_five_pairs(page, check_axe)
    set_tables(page)
    check_axe(page)

    go_to(page, "Plan")
    check_axe(page)
    expect(page.get_by_text("5 of 231")).to_be_visible()
    find_plan_and_watch(page, check_axe)
    check_axe(page)
    plan = page.url
    address = share(page)
    check_axe(page)

    visitor = new_context().new_page()
    visitor.goto(address)
    expect(visitor.get_by_role("heading", level=1)).to_have_text("Midsummer dinner")
    see_everybody(visitor)
    check_axe(visitor)
    visitor.goto(page.url)
    expect(visitor).to_have_url(re.compile("/sign-in"))

    page.goto(plan)
    cards = download_place_cards(page)
    assert {name for name in NAMES[:19] if name not in cards} == set()
    visitor.goto(address)
    expect(visitor.locator(".names li").filter(has_text="Maija")).to_have_count(1)
    repair_after_a_guest_declines(page, "Maija")
    assert page.url != plan
    visitor.reload()
    expect(visitor.locator(".names li")).to_have_count(21)
    expect(visitor.locator(".names li").filter(has_text="Maija")).to_have_count(0)

    secrets = sign_in_address.partition("key=")[2], address.rpartition("/s/")[2]
    entered = (*NAMES, *notes, "Midsummer dinner", *secrets)
    assert leaks_in_log(server, *entered, contexts=(page.context, visitor.context)) == []


def test_the_same_path_without_javascript(server: ServerProcess, new_context: NewContext) -> None:
    page = new_context(java_script_enabled=False).new_page()
    page.goto(new_sign_in_address(server))
    make_event(page, "Quiet dinner")
    paste_guests(page)

    go_to(page, "How they get along")
    page.get_by_role("link", name="All pairs").click()
    page.get_by_role("link", name="Wei").click()
    page.get_by_role("radiogroup", name="Mei").get_by_label("close").check()
    page.get_by_role("radiogroup", name="Lin").get_by_label("keep away").check()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    expect(page.get_by_text("2 of 21 rated.")).to_be_visible()

    set_tables(page)
    go_to(page, "Plan")
    page.get_by_role("button", name="Find the best plan").click()
    expect(page).to_have_url(A_PLAN, timeout=MILLISECONDS)
    address = share(page)

    visitor = new_context(java_script_enabled=False).new_page()
    visitor.goto(address)
    see_everybody(visitor)
