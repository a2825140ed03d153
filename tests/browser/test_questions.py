"""Quick questions and names to tap, by keyboard and by touch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.server import ServerProcess, wait_for

NAMES = ("Aino", "Maija", "Olli", "Sari", "Tapio", "Ines")


class Party:
    """An event with six guests at two tables, and what the API tells of its ratings."""

    def __init__(self, server: ServerProcess) -> None:
        self.api = server.api()
        self.id = self.api.post("events", json={"name": "Party"}).json()["id"]
        guests = {"guests": [{"name": name, "groups": ["Choir"] if name in "Aino Sari" else []} for name in NAMES]}
        listed = self.api.put(f"events/{self.id}/guests", json=guests).json()["guests"]
        self.guests = {guest["name"]: guest["id"] for guest in listed}
        tables = {"tables": [{"name": name, "seats": 3, "min_seats": 3} for name in ("Birch", "Oak")]}
        self.api.put(f"events/{self.id}/tables", json=tables)

    def ratings(self) -> dict[frozenset[str], float]:
        """Return the rated pairs by their names."""
        names = {guest_id: name for name, guest_id in self.guests.items()}
        rows: list[dict[str, Any]] = self.api.get(f"events/{self.id}/ratings").json()["ratings"]
        return {frozenset((names[row["a"]], names[row["b"]])): row["score"] for row in rows}


@pytest.fixture
def party(server: ServerProcess) -> Party:
    """A party without ratings."""
    return Party(server)


def pair_of(page: Page) -> frozenset[str]:
    """Return whom the card asks about."""
    return frozenset(page.locator("[data-name]").all_inner_texts())


def test_cards_are_answered_by_keyboard(page: Page, party: Party, check_axe: Callable[[Page], None]) -> None:
    page.goto(f"/events/{party.id}/ratings/questions")
    asked = []
    for key in ("5", "1", "d", "s"):
        asked.append(pair_of(page))
        page.keyboard.press(key)
    assert len(set(asked)) == 4
    expect(page.get_by_text("2 of 15 pairs rated")).to_be_visible()
    assert party.ratings() == {asked[0]: 2, asked[1]: -2}
    expect(page.locator("[data-percent]")).to_contain_text("%", timeout=120_000)  # a worker has looked at it
    check_axe(page)
    for pair in reversed(asked[1:]):
        page.keyboard.press("u")
        assert pair_of(page) == pair
    expect(page.get_by_text("1 of 15 pairs rated")).to_be_visible()
    assert party.ratings() == {asked[0]: 2}
    for count in range(2, 16):
        page.keyboard.press("4")
        expect(page.get_by_text(f"{count} of 15 pairs rated")).to_be_visible()
    expect(page.get_by_role("heading", name="No questions left")).to_be_visible()
    check_axe(page)


def test_names_are_tapped(
    party: Party,
    new_context: Callable[..., BrowserContext],
    sign_in: Callable[[BrowserContext], BrowserContext],
    check_axe: Callable[[Page], None],
    complaints: list[str],
) -> None:
    page = sign_in(new_context(has_touch=True, viewport={"width": 390, "height": 844})).new_page()
    page.goto(f"/events/{party.id}/guests/{party.guests['Aino']}/likes")
    assert page.locator("[data-other] bdi.row-name").first.inner_text() == "Sari"
    page.get_by_role("button", name="Sari").tap()
    page.get_by_role("button", name="Sari").tap()
    page.get_by_role("button", name="Olli").tap()
    page.get_by_role("radio", name="Keep away").tap()
    page.get_by_role("button", name="Tapio").tap()
    expect(page.get_by_role("button", name="Tapio")).to_contain_text("rather not")
    page.get_by_role("button", name="Maija").focus()
    for key in ("+", "ArrowRight", "+"):
        page.keyboard.press(key)
    check_axe(page)
    wait_for(lambda: party.ratings().get(frozenset(("Aino", "Maija"))) == 1, "the keys to be saved")
    page.get_by_role("link", name="Next: Maija").click()
    expect(page.get_by_role("button", name="Aino")).to_contain_text("+")
    found = party.ratings()
    assert found[frozenset(("Aino", "Sari"))] == 2
    assert found[frozenset(("Aino", "Olli"))] == 2
    assert found[frozenset(("Aino", "Tapio"))] == -1
    assert found[frozenset(("Aino", "Maija"))] == 1
    pair = {"a": party.guests["Maija"], "b": party.guests["Ines"], "score": -2.0}
    party.api.patch(f"events/{party.id}/ratings", json={"ratings": [pair]})
    page.get_by_role("button", name="Ines").tap()
    expect(page.get_by_text("Ines: someone else just set “keep away”.")).to_be_visible()
    assert party.ratings()[frozenset(("Maija", "Ines"))] == -2
    page.get_by_role("button", name="Ines").tap()
    page.get_by_role("button", name="Ines").tap()
    expect(page.get_by_role("button", name="Ines")).to_contain_text("close")
    wait_for(lambda: party.ratings()[frozenset(("Maija", "Ines"))] == 2, "both taps to be saved")
    assert all("409" in complaint for complaint in complaints)
    complaints.clear()
