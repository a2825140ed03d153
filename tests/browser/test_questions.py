"""Quick questions and names to tap, by keyboard and by touch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Dialog, Locator, Page, Route, expect

from tests.server import PATIENCE, ServerProcess, wait_for

MEASURED = 5 * PATIENCE * 1000  # one worker measures the events of all tests, some of them large, one after the other
NAMES = ("Aino", "Maija", "Olli", "Sari", "Tapio", "Ines")
GROUPS = {"Choir": "Aino Sari", "Family": "Maija Olli Tapio Ines"}


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

    def group_scores(self) -> list[float]:
        """Return what was said about groups."""
        return [row["score"] for row in self.api.get(f"events/{self.id}/groups/ratings").json()["ratings"]]


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
    expect(page.locator("[data-settled-text]")).to_contain_text("% settled", timeout=MEASURED)  # a worker has measured
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


def test_page_asks_again_until_a_worker_has_measured(page: Page, party: Party, complaints: list[str]) -> None:
    lost = 0

    def lose(route: Route) -> None:
        nonlocal lost
        lost += 1
        if lost < 5:
            route.abort()
        else:
            route.continue_()

    page.route("**/questions/progress", lose)
    page.route("**/questions/prepare", lose)
    page.goto(f"/events/{party.id}/ratings/questions")
    expect(page.locator("[data-settled-text]")).to_contain_text("% settled", timeout=MEASURED)
    assert lost >= 5
    complaints[:] = [one for one in complaints if "ERR_FAILED" not in one]


def test_list_is_corrected_by_keyboard_and_by_touch_and_undone(
    page: Page,
    party: Party,
    new_context: Callable[..., BrowserContext],
    sign_in: Callable[[BrowserContext], BrowserContext],
    check_axe: Callable[[Page], None],
) -> None:
    guests = [{"name": f"{name} {family}"} for name in NAMES for family in ("Aalto", "Korhonen")]
    listed = party.api.put(f"events/{party.id}/guests", json={"guests": guests}, headers={"If-Match": "*"}).json()
    party.guests = {guest["name"]: guest["id"] for guest in listed["guests"]}
    tables = {"tables": [{"name": name, "seats": 6, "min_seats": 6} for name in ("Birch", "Oak")]}
    party.api.put(f"events/{party.id}/tables", json=tables, headers={"If-Match": "*"})
    ids = list(party.guests.values())
    pairs = [{"a": ids[number], "b": ids[number + 1], "score": 1.0} for number in range(10)]
    party.api.put(f"events/{party.id}/ratings", json={"ratings": pairs}, headers={"If-Match": "*"})
    before = party.ratings()
    page.goto(f"/events/{party.id}/ratings/questions")
    expect(page.locator("[data-settled-text]")).to_contain_text("% settled", timeout=MEASURED)  # a worker has chosen
    heading = page.get_by_role("heading", name="get along with these guests?")
    for _ in range(20):  # the cards at hand may be from before the worker chose lists
        if not heading.is_visible():
            page.keyboard.press("s")
            page.wait_for_timeout(250)
    expect(heading).to_be_visible()
    check_axe(page)
    guest, others = page.locator("[data-list-name]").inner_text(), page.locator(".list-name").all_inner_texts()
    assert 6 <= len(others) <= 8
    page.get_by_role("radiogroup").nth(0).get_by_role("radio", checked=True).focus()
    for key in ("5", "1", "d"):
        page.keyboard.press(key)
    page.get_by_role("button", name="Save all, next").click()
    said = {frozenset((guest, others[0])): 2, frozenset((guest, others[1])): -2}
    wait_for(lambda: said.items() <= party.ratings().items(), "the list to be saved")
    assert len(party.ratings()) == len(before) + len(others) - 1
    assert (
        page.locator("[data-list-name]").inner_text() != guest or page.locator(".list-name").all_inner_texts() != others
    )
    page.get_by_role("button", name="Undo").locator("visible=true").click()
    assert page.locator(".list-name").all_inner_texts() == others
    expect(page.get_by_role("radiogroup").nth(0).get_by_role("radio", name="close")).to_be_checked()
    wait_for(lambda: party.ratings() == before, "the list to be taken back")
    phone = sign_in(new_context(has_touch=True, is_mobile=True, viewport={"width": 360, "height": 780})).new_page()
    responder = page.locator("[data-responder]").get_attribute("data-responder")  # a second one gets other lists
    phone.goto(f"/events/{party.id}/ratings/questions?responder={responder}")
    expect(phone.get_by_role("heading", name="get along with these guests?")).to_be_visible()
    assert phone.evaluate("document.documentElement.scrollWidth") == 360
    boxes = [box.bounding_box() for box in phone.locator(".list-mark").all()]
    assert all(box["width"] >= 44 and box["height"] >= 44 for box in boxes if box)
    check_axe(phone)
    phone.locator(".list-row").nth(0).locator(".list-level").nth(4).tap()
    phone.get_by_role("button", name="Save all, next").tap()
    wait_for(lambda: 2 in party.ratings().values(), "the taps to be saved")


def test_circle_is_marked_among_many_guests_by_keyboard_and_by_touch(
    page: Page, party: Party, check_axe: Callable[[Page], None], complaints: list[str]
) -> None:
    couples = [{"name": f"{who} {number}", "party": str(number)} for number in range(22) for who in ("Anna", "Bob")]
    guests = {"guests": [{**guest, "groups": ["Choir"]} for guest in couples]}
    party.api.put(f"events/{party.id}/guests", json=guests, headers={"If-Match": "*"})
    page.goto(f"/events/{party.id}/ratings/circles")
    find, status = page.get_by_label("Find a guest"), page.locator("[data-filter-status]")
    couple = page.get_by_label("Anna 3, Bob 3", exact=True)
    couple.check()
    find.fill("bob 1")
    expect(status).to_have_text("22 of 44 found · 2 selected")  # 1 and 10 to 19
    couple.focus()
    page.keyboard.press("Space")
    expect(couple).to_be_focused()  # it would be out of the list, and the focus lost
    expect(status).to_have_text("22 of 44 found")
    find.fill("zoe")
    expect(couple).to_be_hidden()
    expect(status).to_have_text("Nobody found")
    find.fill("")
    couple.check()
    page.get_by_role("button", name="Save circle").click()
    page.get_by_role("link", name="Choose guests of at least two households.").click()
    field = page.get_by_role("group", name="Which guests in Choir are close to each other?")
    expect(field).to_be_focused()
    expect(field).to_have_accessible_description("Choose guests of at least two households.")
    check_axe(page)
    complaints.clear()  # chromium reports the form with its mistake like a missing file
    page.set_viewport_size({"width": 390, "height": 844})
    page.get_by_label("Anna 4, Bob 4", exact=True).check()
    bar = page.locator(".circle-save").bounding_box()
    assert bar
    assert bar["height"] <= 56
    page.get_by_role("button", name="Save circle").click()
    expect(page.get_by_text("“Choir circle 1” saved.")).to_be_visible()
    page.wait_for_load_state()  # a text can be there before the styles that place it
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_groups_are_answered_by_keyboard_and_by_touch(
    page: Page,
    party: Party,
    new_context: Callable[..., BrowserContext],
    sign_in: Callable[[BrowserContext], BrowserContext],
    check_axe: Callable[[Page], None],
) -> None:
    groups = {name: group for group, names in GROUPS.items() for name in names.split()}
    guests = [{"name": name, "groups": [groups[name]]} for name in NAMES]
    party.api.put(f"events/{party.id}/guests", json={"guests": guests}, headers={"If-Match": "*"})
    page.goto(f"/events/{party.id}/ratings")
    expect(page.get_by_role("heading", name="How do Choir and Family get along?")).to_be_visible()
    check_axe(page)
    for key, question in (("5", "Within Family"), ("s", "Within Choir")):
        page.keyboard.press(key)
        expect(page.get_by_role("heading", name=f"{question}: do they know each other?")).to_be_visible()
    check_axe(page)
    page.keyboard.press("u")
    expect(page.get_by_role("heading", name="Within Family: do they know each other?")).to_be_visible()
    page.keyboard.press("d")  # no answer to this question
    expect(page.get_by_role("heading", name="Within Family: do they know each other?")).to_be_visible()
    expect(page.get_by_text("1 of 3 questions about groups answered")).to_be_visible()
    expect(page.locator("[data-settled-text]")).to_contain_text("Your plan is", timeout=MEASURED)
    phone = sign_in(new_context(has_touch=True, is_mobile=True, viewport={"width": 390, "height": 844})).new_page()
    phone.goto(f"/events/{party.id}/ratings")
    assert phone.evaluate("document.documentElement.scrollWidth") == 390
    buttons = phone.get_by_role("group").get_by_role("button")
    assert all(box["height"] >= 44 and box["width"] > 300 for box in map(Locator.bounding_box, buttons.all()) if box)
    phone.get_by_role("button", name="yes, they get along").tap()
    phone.get_by_role("button", name="keep them apart").tap()
    expect(phone.get_by_role("heading", name="No questions about groups left")).to_be_visible()
    check_axe(phone)
    wait_for(lambda: sorted(party.group_scores()) == [-2, 1, 2], "the taps to be saved")
    page.goto(f"/events/{party.id}/ratings/groups")
    page.get_by_label("Choir with Family").focus()
    expect(page.locator("[data-group-hint]")).to_have_text("Choir with Family: applies to 8 pairs.")
    page.get_by_label("Choir among themselves").hover()
    expect(page.locator("[data-group-hint]")).to_have_text("Choir among themselves: applies to 1 pair.")
    phone.get_by_role("link", name="Review your answers").tap()
    expect(phone.get_by_label("Family among themselves")).to_have_value("1")
    check_axe(phone)


def test_table_of_eight_groups_with_long_names_needs_no_sideways_scrolling(page: Page, party: Party) -> None:
    groups = [f"Godparents, neighbours and everybody's colleagues, no. {number}" for number in range(8)]
    guests = [{"name": group, "groups": [group]} for group in groups]
    party.api.put(f"events/{party.id}/guests", json={"guests": guests}, headers={"If-Match": "*"})
    page.set_viewport_size({"width": 1024, "height": 800})
    page.goto(f"/events/{party.id}/ratings/groups")
    assert page.locator(".group-scroll").evaluate("box => box.scrollWidth <= box.clientWidth")


def test_selection_of_a_circle_is_not_lost_on_the_way_to_another_page(page: Page, party: Party) -> None:
    guests = [{"name": name, "groups": ["Choir"]} for name in NAMES]
    guests += [{"name": f"{name} Virtanen", "groups": ["Work"]} for name in NAMES[:4]]
    party.api.put(f"events/{party.id}/guests", json={"guests": guests}, headers={"If-Match": "*"})
    page.goto(f"/events/{party.id}/ratings/circles")
    asked: list[str] = []

    def stay(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.dismiss()

    page.on("dialog", stay)
    for name in ("Aino", "Olli"):
        page.get_by_label(name, exact=True).check()
    page.get_by_role("link", name="Group table").click(no_wait_after=True)
    page.wait_for_timeout(500)
    assert asked == ["beforeunload"]
    page.get_by_role("button", name="Next group").click()
    expect(page.get_by_text("“Choir circle 1” saved.")).to_be_visible()
    expect(page.get_by_role("heading", name="Which guests in Work")).to_be_visible()
    assert asked == ["beforeunload"]


def test_table_of_many_groups_is_a_list_of_questions_on_a_tablet(page: Page, party: Party) -> None:
    groups = [f"Godparents and neighbours circle {number}" for number in range(10)]
    guests = [{"name": group, "groups": [group]} for group in groups]
    party.api.put(f"events/{party.id}/guests", json={"guests": guests}, headers={"If-Match": "*"})
    for width in (390, 820):
        page.set_viewport_size({"width": width, "height": 1180})
        page.goto(f"/events/{party.id}/ratings/groups")
        boxes = [box.bounding_box() for box in page.locator(".group-cell .input").all()]
        assert all(box["width"] > 0.8 * width for box in boxes if box)
    page.set_viewport_size({"width": 1440, "height": 900})
    heads = page.locator(".group-grid thead th bdi")
    assert all(head.evaluate("name => name.scrollHeight <= name.clientHeight") for head in heads.all())


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
