"""Moving guests in the workspace by mouse, by touch and by keys alone, with every promise kept or asked about."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from app.db import models
from app.db.session import transaction
from tests.browser.workspace import Finger, address, drag, made_party, middle, seat_at, seat_of
from tests.factories import NAMES, Planned, make_plan
from tests.server import ServerProcess, wait_for

CheckAxe = Callable[[Page], None]
NewContext = Callable[..., BrowserContext]
SignIn = Callable[[BrowserContext], BrowserContext]
KAISA, FARAH, MAIJA, INES = (NAMES.index(name) for name in ("Kaisa", "Farah", "Maija", "Ines"))


@pytest.fixture
def made(server: ServerProcess) -> Planned:
    return made_party(server)


def message(page: Page, words: str) -> None:
    expect(page.locator("[data-message]")).to_contain_text(words)


def transform(page: Page) -> str:
    found: str = page.evaluate("document.querySelector('[data-sheet]').style.transform")
    return found


def scale(page: Page) -> float:
    found = re.search(r"scale\(([\d.]+)\)", transform(page))
    return float(found[1]) if found else 1.0


def add_rule(server: ServerProcess, made: Planned, kind: str, *guests: int) -> None:
    with transaction(server.sessions()) as session:
        rule = models.Rule(event_id=made.event.id, kind=kind)
        session.add(rule)
        session.flush()
        session.add_all(models.RuleGuest(rule_id=rule.id, guest_id=made.guests[n].id) for n in guests)


def test_guest_is_dragged_onto_another_and_swapped(page: Page, made: Planned) -> None:
    page.goto(address(made))
    drag(page, seat_of(page, made, KAISA), (300, 300), drop=False)
    expect(page.locator(".ghost")).to_contain_text("Kaisa")
    target = seat_of(page, made, FARAH)
    expect(target.locator(".effect")).to_be_attached()
    page.mouse.move(*middle(target), steps=6)
    expect(page.locator(".ghost-effect")).to_contain_text("Swap with Farah at Table 4")
    page.mouse.up()
    message(page, "Kaisa moved to Table 4 and Farah moved to Table 3.")
    expect(page.locator(".ghost")).to_have_count(0)
    expect(page.locator(".effect")).to_have_count(0)
    page.keyboard.press("Control+z")
    message(page, "Undone: Kaisa is back at Table 3")
    page.keyboard.press("Control+Shift+Z")
    message(page, "Redone: Kaisa moved to Table 4")


def test_guest_changes_seats_within_their_own_table(page: Page, made: Planned) -> None:
    page.goto(address(made))
    drag(page, seat_of(page, made, 0), middle(seat_of(page, made, 2)))
    message(page, "moved to Table 1")
    expect(seat_of(page, made, 0)).to_have_attribute("data-seat-number", "3")


def test_guest_goes_into_the_tray_and_back_onto_a_free_seat(page: Page, made: Planned) -> None:
    page.goto(address(made))
    tray = page.locator("#tray").bounding_box()
    assert tray
    drag(page, seat_of(page, made, MAIJA), (tray["x"] + 20, tray["y"] + 20))
    expect(page.locator("#tray")).to_contain_text("Maija")
    chip = page.locator("#tray [data-seat]").bounding_box()
    assert chip
    page.mouse.move(chip["x"] + 10, chip["y"] + 10)
    page.mouse.down()
    page.mouse.move(*middle(seat_at(page, made, 0, 1)), steps=8)
    page.mouse.up()
    expect(page.locator("#tray")).to_contain_text("Everyone has a seat.")
    expect(seat_of(page, made, MAIJA)).to_have_attribute("data-seat-number", "1")


def test_dragging_a_seat_selects_no_text_and_escape_puts_back(page: Page, made: Planned) -> None:
    page.goto(address(made))
    drag(page, seat_of(page, made, KAISA), (300, 300), (500, 400), drop=False)
    page.keyboard.press("Escape")
    page.mouse.up()
    message(page, "Put back. Nothing was changed.")
    assert page.evaluate("getSelection().toString()") == ""
    expect(page.locator(".is-picked")).to_have_count(0)


def test_move_that_breaks_a_rule_asks_before_and_is_listed(
    page: Page, server: ServerProcess, made: Planned, check_axe: CheckAxe
) -> None:
    add_rule(server, made, "together", MAIJA, 1)
    page.goto(address(made))
    start, target = seat_of(page, made, MAIJA), middle(seat_of(page, made, INES))
    drag(page, start, target)
    dialog = page.locator("dialog#breaks")
    expect(dialog).to_contain_text("That would break the rule “Maija and Olli sit together”.")
    check_axe(page)
    page.keyboard.press("Enter")  # the safe answer has the focus
    message(page, "Nothing was changed")
    drag(page, start, target)
    dialog.get_by_role("button", name="Move anyway").click()
    message(page, "Maija moved to Table 2")
    expect(page.locator("[data-sentence]")).to_contain_text("1 rule broken by hand")
    page.locator("[data-sentence]").get_by_role("link").click()
    expect(page.locator(".exceptions")).to_contain_text("The rule “Maija and Olli sit together” is broken.")
    check_axe(page)
    page.get_by_role("button", name="Undo this").click()
    expect(page.locator(".exceptions")).to_have_count(0)


def test_guest_is_moved_by_keys_alone(page: Page, made: Planned, check_axe: CheckAxe) -> None:
    page.goto(address(made))
    page.locator("[data-view]").focus()
    page.keyboard.press("Enter")
    expect(seat_of(page, made, MAIJA)).to_be_focused()
    page.keyboard.press("Enter")
    message(page, "Maija picked up.")
    page.keyboard.press("ArrowDown")
    expect(seat_of(page, made, INES)).to_be_focused()
    message(page, "Swap with Ines at Table 2")
    check_axe(page)
    page.keyboard.press("Enter")
    message(page, "Maija moved to Table 2 and Ines moved to Table 1.")
    expect(seat_of(page, made, MAIJA)).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Escape")
    message(page, "Put back. Nothing was changed.")
    expect(seat_of(page, made, MAIJA)).to_be_focused()
    page.keyboard.press("Enter")
    best = page.locator("[data-best]").get_by_role("button")
    expect(best.first).to_contain_text("better")
    check_axe(page)
    best.first.click()
    message(page, "Maija moved to")
    expect(page.locator("[data-best]")).to_be_hidden()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    check_axe(page)


def test_search_finds_a_guest_in_the_room(page: Page, made: Planned) -> None:
    page.goto(f"{address(made)}?tab=changes")
    page.keyboard.press("/")
    expect(page.get_by_label("Find a guest or table")).to_be_focused()
    page.keyboard.type("ma")
    found = ("Maija", "Mateo")
    expect(page.locator(".floor-picture .is-found")).to_have_count(len(found))
    for name in found:
        expect(seat_of(page, made, NAMES.index(name))).to_have_class(re.compile("is-found"))
    page.keyboard.press("Control+a")
    page.keyboard.type("chlo")
    expect(page.locator(".guest-row:visible")).to_have_count(1)
    expect(seat_of(page, made, NAMES.index("Chloé"))).to_have_class(re.compile("is-found"))
    page.keyboard.press("Enter")
    expect(page.locator(".guest-card h2")).to_have_text("Chloé")


def test_household_and_selected_guests_move_together(page: Page, server: ServerProcess) -> None:
    with transaction(server.sessions()) as session:
        made = make_plan(session, server.owner(), sizes=(4, 6), names=["Aino", "Bo", "Cleo", "Dan"],
                         assignment=[0, 0, 0, 0])  # fmt: skip
        party = models.Party(event_id=made.event.id, name="Virtanen", name_key="virtanen")
        session.add(party)
        session.flush()
        for guest in made.guests[:2]:
            session.get_one(models.Guest, guest.id).party_id = party.id
    page.goto(address(made))
    page.keyboard.down("Alt")
    drag(page, seat_of(page, made, 0), middle(seat_at(page, made, 1, 2)))
    page.keyboard.up("Alt")
    message(page, "Aino moved to Table 2 and Bo moved to Table 2.")
    page.keyboard.down("Shift")
    page.mouse.click(*middle(seat_of(page, made, 0)))
    message(page, "1 selected")
    page.mouse.click(*middle(seat_of(page, made, 0)))
    whole = page.locator(f"#t-{made.tables[0].id}").bounding_box()
    assert whole
    page.mouse.move(whole["x"] - 8, whole["y"] - 8)
    page.mouse.down()
    page.mouse.move(whole["x"] + whole["width"] + 8, whole["y"] + whole["height"] + 8, steps=4)
    expect(page.locator(".band")).to_be_visible()
    page.mouse.up()
    page.keyboard.up("Shift")
    message(page, "2 selected.")
    expect(page.locator(".band")).to_have_count(0)
    drag(page, seat_of(page, made, 2), middle(seat_at(page, made, 1, 5)))
    message(page, "Cleo moved to Table 2 and Dan moved to Table 2.")
    expect(page.locator(".is-selected")).to_have_count(0)
    page.keyboard.down("Shift")
    page.mouse.click(*middle(seat_of(page, made, 0)))
    message(page, "1 selected")
    seat_of(page, made, 0).evaluate("seat => delete seat.dataset.seat")  # as for a guest who declines
    page.evaluate("document.dispatchEvent(new CustomEvent('parts'))")
    page.mouse.click(*middle(seat_of(page, made, 1)))
    page.mouse.click(*middle(seat_of(page, made, 2)))
    page.keyboard.up("Shift")
    message(page, "2 selected")


def test_guest_is_moved_by_a_finger(made: Planned, new_context: NewContext, sign_in: SignIn) -> None:
    context = sign_in(new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True))
    page = context.new_page()
    page.goto(f"{address(made)}#floor")
    finger = Finger(context.new_cdp_session(page))
    start, end = middle(seat_of(page, made, KAISA)), middle(seat_of(page, made, FARAH))
    finger.touch(start)
    expect(page.locator(".ghost.is-touch")).to_contain_text("Kaisa")  # after a long press
    for share in (0.3, 0.6, 1.0):
        finger.move((start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share))
    expect(page.locator(".ghost-effect")).to_contain_text("Swap with Farah at Table 4")
    finger.lift()
    message(page, "Kaisa moved to Table 4")


def test_fingers_move_and_pinch_the_room(made: Planned, new_context: NewContext, sign_in: SignIn) -> None:
    context = sign_in(new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True))
    page = context.new_page()
    page.goto(f"{address(made)}#floor")
    finger = Finger(context.new_cdp_session(page))
    before = middle(seat_of(page, made, 0))
    finger.touch((200, 700))
    for x in (210, 230, 250):
        finger.move((x, 700))
    finger.lift()
    wait_for(lambda: "translate(" in transform(page), "the room to move")
    assert middle(seat_of(page, made, 0))[0] > before[0]
    finger.touch((150, 400), (250, 400))
    for spread in (20, 60, 100):
        finger.move((150 - spread, 400), (250 + spread, 400))
    finger.lift()
    page.wait_for_function(
        r"parseFloat(document.querySelector('[data-sheet]').style.transform.split('scale(')[1]) > 1.5"
    )
    assert page.evaluate("visualViewport.scale") == 1


def test_room_is_zoomed_by_wheel_keys_and_buttons(page: Page, made: Planned) -> None:
    page.goto(address(made))
    page.mouse.move(500, 400)
    page.mouse.wheel(0, -240)
    wait_for(lambda: scale(page) > 1.2, "the room to grow")
    page.get_by_role("button", name="Fit").click()
    wait_for(lambda: scale(page) == 1, "the room to fit")
    page.locator("[data-view]").focus()
    page.keyboard.press("+")
    wait_for(lambda: scale(page) > 1.2, "the room to grow")
    page.keyboard.press("0")
    wait_for(lambda: scale(page) == 1, "the room to fit")
    page.keyboard.press("ArrowRight")
    wait_for(lambda: "-80px" in transform(page), "the room to move")
    page.get_by_role("button", name="Zoom out").click()
    wait_for(lambda: scale(page) < 1, "the room to shrink")


def test_colours_change_and_legend_and_marks_filter(page: Page, server: ServerProcess, made: Planned) -> None:
    with transaction(server.sessions()) as session:
        first, second = (session.get_one(models.Guest, made.guests[number].id) for number in (0, 1))
        first.diet, second.wheelchair, second.allergies = "vegan", True, ("nuts",)
        side = models.GuestField(event_id=made.event.id, kind="side", name="Side", name_key="side", position=0)
        session.add(side)
        session.flush()
        options = [
            models.FieldOption(field_id=side.id, name=name, name_key=name.lower(), colour=colour, position=place)
            for place, (name, colour) in enumerate((("Bride", "pink"), ("Groom", "blue")))
        ]
        session.add_all(options)
        session.flush()
        session.add_all(
            models.GuestValue(guest_id=guest.id, field_id=side.id, option_id=options[place % 2].id)
            for place, guest in enumerate(made.guests)
        )
    page.goto(address(made))
    page.locator(".ws-colours summary").first.click()
    page.get_by_role("link", name="Sides").click()
    expect(page.locator("#floor")).to_have_attribute("data-colour", "side")
    expect(page.locator('.seat[data-shade="pink"]')).to_have_count(11)
    drag(page, seat_of(page, made, KAISA), middle(seat_of(page, made, FARAH)))
    message(page, "Kaisa moved to Table 4")
    expect(page.locator('.seat[data-shade="pink"]')).to_have_count(11)  # tables that were sent again too
    page.get_by_role("button", name="Groom").click()
    expect(page.locator(".seat.is-dim")).to_have_count(11)
    page.get_by_text("Marks").click()
    page.get_by_role("button", name="Allergies").click()
    expect(page.locator(".seat.is-dim")).to_have_count(21)
    expect(seat_of(page, made, 1).locator("title")).to_contain_text("wheelchair, no nuts")
    expect(seat_of(page, made, 1).locator(".badge")).to_have_count(2)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Groom").click()
    page.locator(".ws-colours summary").first.click()
    page.get_by_role("link", name="Diets").click()
    expect(page.locator(".seat[data-shade]")).to_have_count(1)
    expect(page.locator(".seat.is-dim")).to_have_count(21)


def test_plan_is_finished_with_ten_moves_in_twelve_interactions(page: Page, made: Planned) -> None:
    """From the run's end: open the plan, drag ten guests, and share it; nothing is saved or confirmed besides."""
    steps: list[Callable[[], object]] = [lambda: page.goto(f"/events/{made.event.id}/plan")]
    steps += [partial(swap, page, made, number, number + 11) for number in range(10)]
    steps.append(lambda: page.locator(".ws-actions").get_by_role("link", name="Share").click())
    assert len(steps) <= 12
    for step in steps:
        step()
    expect(page).to_have_url(re.compile(r"/share\?plan="))
    page.goto(f"{address(made)}?tab=changes")
    expect(page.locator(".change")).to_have_count(10)


def swap(page: Page, made: Planned, one: int, other: int) -> None:
    drag(page, seat_of(page, made, one), middle(seat_of(page, made, other)))
    message(page, f"{NAMES[one]} moved to")
