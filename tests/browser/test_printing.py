"""Printing in a browser: the page with its preview, and the print view as Chromium prints it."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from app.db.session import transaction
from app.files.pdf.card_stock import GUEST_CARDS, PAPERS
from tests.factories import add_rounds, make_plan
from tests.files.pdf.reading import read_pages
from tests.files.pdf.test_cards import READABLE, boxes
from tests.server import ServerProcess

CheckAxe = Callable[[Page], None]
TENTS = next(stock for stock in GUEST_CARDS if stock.key == "a4-tent-4")


@pytest.fixture(scope="module")
def address(server: ServerProcess) -> str:
    """The address of a plan."""
    with transaction(server.sessions()) as session:
        made = make_plan(session, server.owner(), sizes=(7, 7), names=READABLE)
        return f"/events/{made.event.id}/plans/{made.plan.id}"


def test_place_cards_are_chosen_previewed_and_downloaded(page: Page, address: str, check_axe: CheckAxe) -> None:
    page.goto(address)
    page.get_by_role("link", name="Print", exact=True).click()
    page.get_by_label("Layout").select_option("a4-tent-4")
    page.get_by_label("Theme").select_option("garden")
    page.get_by_role("button", name="Update preview").click()
    picture = page.get_by_role("img", name="First page, as it will be printed")
    expect(picture).to_be_visible()
    expect(picture).to_have_js_property("naturalWidth", 660)
    check_axe(page)
    with page.expect_download() as download:
        page.get_by_role("button", name="Download PDF").click()
    content = download.value.path().read_bytes()
    assert "ŁukaszŻółć" in "".join(one.text for one in read_pages(content))
    page.reload()
    expect(page.get_by_label("Only what changed since")).to_be_visible()


def test_preview_follows_each_choice_and_keeps_the_focus(page: Page, address: str, check_axe: CheckAxe) -> None:
    page.goto(f"{address}/print")
    page.get_by_label("Document").focus()
    page.get_by_label("Document").select_option("chart-names")
    expect(page.get_by_role("img", name="First page, as it will be printed")).to_have_attribute(
        "src", re.compile("what=chart-names")
    )
    expect(page.get_by_label("Document")).to_be_focused()
    expect(page.get_by_label("Layout")).to_have_count(0)
    page.get_by_label("Paper").select_option("a1")
    expect(page).to_have_url(re.compile("what=chart-names&paper=a1"))
    check_axe(page)


def test_page_prints_without_javascript(
    new_context: Callable[..., BrowserContext], sign_in: Callable[[BrowserContext], BrowserContext], address: str
) -> None:
    page = sign_in(new_context(java_script_enabled=False)).new_page()
    page.goto(f"{address}/print")
    page.get_by_label("Document").select_option("check-in")
    page.get_by_role("button", name="Update preview").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download PDF").click()
    assert "ŁukaszŻółć" in read_pages(download.value.path().read_bytes())[0].text


def test_each_round_is_printed_from_its_tab(page: Page, server: ServerProcess, check_axe: CheckAxe) -> None:
    owner = server.owner()
    with transaction(server.sessions()) as session:
        made = make_plan(session, owner, sizes=(2, 2), names=["Ann", "Bo", "Cy", "Di"])
        rounds = add_rounds(session, made, [(0, 1, 0, 1)] * 7)
        address = f"/events/{made.event.id}/plans/{rounds[1].id}"
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(address)
    page.get_by_role("link", name="Print", exact=True).click()
    expect(page.get_by_role("heading", name="Place cards, all rounds")).to_be_visible()
    expect(page.get_by_role("navigation", name="Rounds")).to_have_count(0)
    page.wait_for_load_state()  # the script listens from then on
    page.get_by_label("Document").select_option("chart-tables")
    tabs = page.get_by_role("navigation", name="Rounds")
    expect(tabs.get_by_role("link", name="Round 2")).to_have_attribute("aria-current", "page")
    page.get_by_label("Theme").select_option("garden")
    expect(page).to_have_url(re.compile("theme=garden"))
    expect(tabs.get_by_role("link", name="Round 7")).to_have_attribute("href", re.compile("theme=garden"))
    tabs.get_by_role("link", name="Round 7").click()
    expect(page.get_by_role("heading", name="Seating chart by table, round 7")).to_be_visible()
    expect(page.get_by_label("Theme")).to_have_value("garden")
    expect(tabs.get_by_role("link", name="Round 7")).to_be_in_viewport(ratio=1)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    check_axe(page)
    with page.expect_download() as download:
        page.get_by_role("button", name="Download PDF").click()
    assert download.value.suggested_filename == "Seating-chart-by-table-round-7-Midsummer-dinner.pdf"
    assert "Round7" in read_pages(download.value.path().read_bytes())[0].text


def test_browser_prints_cards_of_the_same_size(page: Page, address: str) -> None:
    page.goto(f"{address}/print/view?what=place-cards&layout={TENTS.key}")
    printed = read_pages(page.pdf(prefer_css_page_size=True, print_background=True))
    assert len(printed) == -(-len(READABLE) // TENTS.per_sheet)
    sheet = PAPERS[TENTS.paper]
    for one in printed:
        assert (one.width, one.height) == pytest.approx((sheet.width, sheet.height), abs=0.5)
        assert not one.has_ink_outside(boxes(TENTS), margin=0.5)
