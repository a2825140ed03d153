"""As a new user would: forty guests with parties and groups, from a pasted list to a finished plan in few steps."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.browser.test_whole_path import A_PLAN, MILLISECONDS

FAMILIES = ("Virtanen", "Dubois", "O’Neil", "Rahman", "Lindqvist")
FIRST_NAMES = ("Aino", "Bo", "Chloé", "Dan", "Eero", "Farah", "Gao", "Hugo")
GROUPS = ("Bride's family", "Groom's family", "Colleagues", "Choir")
MOST = 60
CheckAxe = Callable[[Page], None]


class Hand:
    """Does what a person does, and counts it: a click, a key, a field filled, an option chosen."""

    def __init__(self) -> None:
        self.steps = 0

    def click(self, what: Locator) -> None:
        self.steps += 1
        what.click()

    def fill(self, what: Locator, text: str) -> None:
        self.steps += 1
        what.fill(text)

    def press(self, page: Page, key: str) -> None:
        self.steps += 1
        page.keyboard.press(key)


def a_list() -> str:
    """Return forty guests as somebody would copy them out of a spreadsheet: couples, and groups across families."""
    rows = ["Name\tParty\tGroup"]
    for family in FAMILIES:
        for number, first in enumerate(FIRST_NAMES):
            rows.append(f"{first} {family}\t{family} {number // 2 + 1}\t{GROUPS[number // 2]}")
    return "\n".join(rows)


def go_to(hand: Hand, page: Page, section: str) -> None:
    hand.click(page.get_by_role("navigation", name="Event").get_by_role("link", name=section, exact=True))


def rate_groups(hand: Hand, page: Page) -> None:
    """Say how each two of the four groups get along: ten answers."""
    go_to(hand, page, "How they get along")
    page.wait_for_load_state()  # keys count once the page's script is there
    for number in range(1, 11):
        is_own = page.locator("[data-card]").get_attribute("data-kind") == "within"
        hand.press(page, "5" if is_own else "3")
        expect(page.locator("[data-rated]")).to_contain_text(f"{number} of 10 questions")
    expect(page.get_by_role("heading", name="No questions about groups left")).to_be_visible()


def answer_cards(hand: Hand, page: Page) -> None:
    """Answer some of the quick questions: pairs by their keys, and lists as they are guessed."""
    hand.click(page.get_by_role("link", name="Quick questions").first)
    page.wait_for_load_state()  # keys count once the page's script is there
    rated = page.locator("[data-rated]")
    for key in "45134":
        before = rated.inner_text()
        if page.locator("[data-list]").is_visible():
            hand.click(page.get_by_role("button", name="Save all, next"))
        else:
            hand.press(page, key)
        expect(rated).not_to_have_text(before)
        expect(rated).to_contain_text("of 780 pairs rated")


def test_forty_guests_get_their_plan_in_few_steps(context: BrowserContext, check_axe: CheckAxe) -> None:
    hand, page = Hand(), context.new_page()
    page.goto("/")
    hand.fill(page.get_by_label("Name"), "Summer wedding")
    hand.click(page.get_by_role("button", name="Create event"))
    hand.fill(page.get_by_label("Names", exact=True), a_list())
    hand.click(page.get_by_role("button", name="Add all"))
    hand.click(page.get_by_role("button", name="Add 40 guests").first)
    expect(page.get_by_text("40 guests").first).to_be_visible()

    rate_groups(hand, page)
    check_axe(page)
    answer_cards(hand, page)
    check_axe(page)

    go_to(hand, page, "Tables")
    hand.fill(page.get_by_label("Table sizes"), "5x8")
    hand.click(page.get_by_role("button", name="Update tables"))
    go_to(hand, page, "Plan")
    hand.click(page.get_by_role("button", name="Find the best plan"))
    expect(page).to_have_url(A_PLAN, timeout=MILLISECONDS)
    expect(page.locator(".guest-row")).to_have_count(40)
    assert hand.steps <= MOST
