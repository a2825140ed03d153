"""Two people answer the same questions at once: nobody loses an answer, and each hears of the other's."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import APIResponse, Page, Route, expect

from tests.browser.test_questions import MEASURED, NAMES, Party, pair_of
from tests.server import ServerProcess, wait_for


@pytest.fixture
def party(server: ServerProcess) -> Party:
    """A party without ratings."""
    return Party(server)


@pytest.fixture
def listed(party: Party, page: Page) -> Party:
    """A party of twelve for which a worker has chosen lists."""
    guests = [{"name": f"{name} {family}"} for name in NAMES for family in ("Aalto", "Korhonen")]
    stored = party.api.put(f"events/{party.id}/guests", json={"guests": guests}, headers={"If-Match": "*"}).json()
    party.guests = {guest["name"]: guest["id"] for guest in stored["guests"]}
    tables = {"tables": [{"name": name, "seats": 6, "min_seats": 6} for name in ("Birch", "Oak")]}
    party.api.put(f"events/{party.id}/tables", json=tables, headers={"If-Match": "*"})
    ids = list(party.guests.values())
    pairs = [{"a": ids[number], "b": ids[number + 1], "score": 1.0} for number in range(10)]
    party.api.put(f"events/{party.id}/ratings", json={"ratings": pairs}, headers={"If-Match": "*"})
    page.goto(f"/events/{party.id}/ratings/questions?responder=one")
    expect(page.locator("[data-settled-text]")).to_contain_text("% settled", timeout=MEASURED)
    page.reload()
    expect(page.get_by_role("heading", name="get along with these guests?")).to_be_visible()
    return party


def same_page(page: Page) -> Page:
    """Return a second window with what the first one shows."""
    second = page.context.new_page()
    second.goto(
        f"{page.url.partition('?')[0]}?responder={page.locator('[data-responder]').get_attribute('data-responder')}"
    )
    return second


def names(page: Page) -> list[str]:
    return page.locator(".list-name").all_inner_texts()


def test_undo_of_a_stale_list_keeps_the_answers_of_the_other_person(page: Page, listed: Party) -> None:
    second = same_page(page)
    assert names(second) == names(page)
    before = listed.ratings()
    guest, rows = page.locator("[data-list-name]").inner_text(), names(page)
    expect(page.locator(".list-row").first.get_by_role("radio", checked=True)).to_be_focused()
    page.keyboard.press("5")  # the keys work at once
    expect(page.locator(".list-row").nth(1).get_by_role("radio", checked=True)).to_be_focused()
    page.get_by_role("button", name="Save all, next").click()
    wait_for(lambda: len(listed.ratings()) == len(before) + len(rows), "the list to be saved")
    saved = listed.ratings()
    assert saved[frozenset((guest, rows[0]))] == 2
    second.keyboard.press("1")
    second.get_by_role("button", name="Save all, next").click()
    told = f"Someone else just answered for {rows[0]} (close). Their answer was kept."
    expect(second.get_by_text(told)).to_be_visible()
    second.get_by_role("button", name="Undo").locator("visible=true").click()
    expect(second.get_by_text("Nothing to undo: someone else had answered all of this list")).to_be_visible()
    assert listed.ratings() == saved
    page.get_by_role("button", name="Undo").locator("visible=true").click()
    wait_for(lambda: listed.ratings() == before, "the list to be taken back by who saved it")


def test_kept_answer_about_groups_is_named_and_can_be_changed(page: Page, party: Party) -> None:
    second = same_group_page(page, party)
    page.keyboard.press("2")
    wait_for(lambda: party.group_scores() == [-1], "the first answer to be saved")
    question = second.get_by_role("heading", level=2).locator("visible=true").inner_text()
    second.keyboard.press("5")
    expect(second.get_by_text(re.compile("someone else just answered “(rather not|not really).*kept"))).to_be_visible()
    expect(second.locator("[data-live]")).to_have_text("")
    second.keyboard.press("u")
    expect(second.get_by_text(re.compile("Nothing to undo: someone else had answered"))).to_be_visible()
    expect(second.get_by_text("Yours replaces it.")).to_be_visible()
    expect(second.get_by_role("heading", name=question)).to_be_visible()
    second.keyboard.press("5")
    wait_for(lambda: party.group_scores() == [2], "the answer to be replaced")
    second.keyboard.press("u")
    wait_for(lambda: party.group_scores() == [-1], "the answer before to be back")


def test_change_it_shows_the_question_with_the_kept_answer(page: Page, party: Party) -> None:
    second = same_group_page(page, party)
    page.keyboard.press("1")
    wait_for(lambda: party.group_scores() == [-2], "the first answer to be saved")
    second.keyboard.press("4")
    second.get_by_role("button", name="Change it").click()
    expect(second.get_by_text(re.compile("The answer so far is .* Yours replaces it."))).to_be_visible()
    second.keyboard.press("4")
    wait_for(lambda: party.group_scores() == [1], "the answer to be replaced")


def same_group_page(page: Page, party: Party) -> Page:
    guests = [{"name": name, "groups": ["Choir" if name in "Aino Sari" else "Family"]} for name in NAMES]
    party.api.put(f"events/{party.id}/guests", json={"guests": guests}, headers={"If-Match": "*"})
    second = page.context.new_page()
    for one in (page, second):
        one.goto(f"/events/{party.id}/ratings")
        expect(one.get_by_role("button", name="Skip")).to_be_visible()
    return second


def test_pair_that_both_rate_alike_stays_when_one_undoes(page: Page, party: Party) -> None:
    page.goto(f"/events/{party.id}/ratings/questions")
    second = same_page(page)
    pair = pair_of(page)
    assert pair_of(second) == pair
    page.keyboard.press("4")
    wait_for(lambda: party.ratings() == {pair: 1}, "the first answer to be saved")
    second.keyboard.press("4")
    expect(second.get_by_text("1 of 15 pairs rated")).to_be_visible()
    second.keyboard.press("u")
    expect(second.get_by_text("Nothing to undo: someone else had answered “get along”.")).to_be_visible()
    assert party.ratings() == {pair: 1}


def test_undo_while_the_answer_is_on_its_way_and_another_answer_after_it(page: Page, party: Party) -> None:
    held: list[Route] = []
    page.goto(f"/events/{party.id}/ratings/questions")
    page.wait_for_load_state("networkidle")
    page.route("**/ratings/questions", lambda route: route.continue_() if held else held.append(route))
    pair = pair_of(page)
    page.keyboard.press("4")
    wait_for(lambda: len(held) == 1, "the answer to be on its way")
    page.keyboard.press("u")
    page.keyboard.press("1")
    held[0].continue_()
    expect(page.get_by_text("1 of 15 pairs rated")).to_be_visible()
    while party.ratings() != {pair: -2}:
        page.wait_for_timeout(100)
    expect(page.locator("[data-saving-word]")).to_have_text("")


def test_answer_that_got_lost_on_its_way_back_can_be_undone(page: Page, party: Party, complaints: list[str]) -> None:
    page.goto(f"/events/{party.id}/ratings/questions")
    pair = pair_of(page)
    lost: list[APIResponse] = []

    def lose(route: Route) -> None:
        if lost:
            route.continue_()
            return
        lost.append(route.fetch())
        route.abort()

    page.route("**/ratings/questions", lose)
    page.keyboard.press("4")
    wait_for(lambda: party.ratings() == {pair: 1}, "the answer to be saved")
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_text("1 of 15 pairs rated")).to_be_visible()
    page.keyboard.press("u")
    expect(page.get_by_text("0 of 15 pairs rated")).to_be_visible()
    assert party.ratings() == {}
    complaints[:] = [one for one in complaints if "ERR_FAILED" not in one]
