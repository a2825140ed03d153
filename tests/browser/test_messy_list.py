"""As a new user would: a couple's own spreadsheet of 118 guests, from the file to the first plan in few steps."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.test_few_steps import Hand, go_to
from tests.browser.test_whole_path import A_PLAN, MILLISECONDS

LIST = Path(__file__).parents[1] / "files" / "samples" / "wedding_of_118.xlsx"
MOST = 45
COMING = 105  # of 118, with those who have not replied
WIDTHS = (360, 768, 1024, 1440)


def check_width(page: Page) -> None:
    """Nothing sticks out at any width, with everything that can be opened open."""
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.reload()


def test_messy_list_gets_its_plan_in_few_steps(context: BrowserContext, check_axe: Callable[[Page], None]) -> None:
    hand, page = Hand(), context.new_page()
    page.goto("/")
    hand.fill(page.get_by_label("Name"), "Emma and Jack")
    hand.click(page.get_by_role("button", name="Create event"))
    hand.click(page.get_by_role("link", name="Import a file").first)
    hand.steps += 1
    page.get_by_label("File", exact=True).set_input_files(LIST)
    hand.click(page.get_by_role("button", name="Preview import"))
    expect(page.get_by_role("heading", name="118 guests found")).to_be_visible()
    check_width(page)
    check_axe(page)

    # One couple is a company after all, and one guest was on the list by mistake: both are noticed at once.
    kind = page.locator("li").filter(has_text="rows with several people")
    hand.click(kind.locator("summary"))
    hand.click(kind.get_by_label("Bob & Carol Jones"))
    expect(page.get_by_role("heading", name="117 guests found")).to_be_visible()
    hand.click(page.get_by_label("Import Row 13 of “Guest list”"))
    expect(page.get_by_role("button", name="Add 116 guests").first).to_be_visible()
    page.reload()
    expect(page.get_by_label("Import Row 13 of “Guest list”")).not_to_be_checked()
    hand.click(page.get_by_label("Import Row 13 of “Guest list”"))
    hand.click(kind.locator("summary"))
    hand.click(kind.get_by_label("Bob & Carol Jones"))
    hand.click(page.get_by_role("button", name="Add 118 guests").first)
    expect(page.get_by_text("118 guests added")).to_be_visible()
    expect(page.get_by_text("James Smith (Lopez)").first).to_be_visible()

    go_to(hand, page, "Tables")
    hand.fill(page.get_by_label("Table sizes"), "7x15")
    hand.click(page.get_by_role("button", name="Update tables"))
    go_to(hand, page, "Plan")
    hand.click(page.get_by_role("button", name="Find the best plan"))
    expect(page).to_have_url(A_PLAN, timeout=MILLISECONDS)
    expect(page.locator(".guest-row")).to_have_count(COMING)
    assert hand.steps <= MOST
