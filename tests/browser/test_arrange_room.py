"""Arranging the room in the workspace: tables dragged, lined up, turned, nudged, renamed and duplicated in place."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.browser.workspace import Finger, address, drag, made_party, middle, seat_of
from tests.factories import Planned
from tests.server import ServerProcess

CheckAxe = Callable[[Page], None]
NewContext = Callable[..., BrowserContext]
SignIn = Callable[[BrowserContext], BrowserContext]


@pytest.fixture
def made(server: ServerProcess) -> Planned:
    return made_party(server)


@pytest.fixture
def arranging(page: Page, made: Planned) -> Page:
    page.goto(address(made))
    page.get_by_role("button", name="Arrange room").click()
    return page


def table(page: Page, made: Planned, number: int) -> Locator:
    return page.locator(f"#t-{made.tables[number].id}")


def place(page: Page, made: Planned, number: int) -> tuple[float, float, float]:
    """Return where a table stands and how it is turned."""
    data = table(page, made, number).evaluate("one => [one.dataset.x, one.dataset.y, one.dataset.rotation]")
    return float(data[0]), float(data[1]), float(data[2])


def cloth(page: Page, made: Planned, number: int) -> tuple[float, float]:
    box = table(page, made, number).locator(".cloth").bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def saved(page: Page) -> None:
    expect(page.locator("[data-message]")).to_have_text(re.compile(r"^Saved\."))
    expect(page.locator(".table:not([data-placed])")).to_have_count(0)


def test_table_is_dragged_and_lines_up_with_another(arranging: Page, made: Planned) -> None:
    page = arranging
    before = [place(page, made, number) for number in range(5)]
    x, y = cloth(page, made, 0)
    other_x, _ = cloth(page, made, 1)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(other_x + 3, y + 60, steps=8)
    expect(page.locator(".guide")).to_have_count(1)
    page.mouse.up()
    saved(page)
    expect(page.locator("[data-message]")).to_contain_text("Table 1 overlaps Table 2.")
    expect(page.locator(".table.is-overlapping")).to_have_count(2)
    expect(page.locator(".guide")).to_have_count(0)
    after = [place(page, made, number) for number in range(5)]
    assert after[0][0] == before[1][0]
    assert after[0][1] > before[0][1]
    assert after[1:] == before[1:]  # the others stay
    page.reload()
    assert [place(page, made, number) for number in range(5)] == after


def test_table_is_nudged_and_turned_by_keys(arranging: Page, made: Planned, check_axe: CheckAxe) -> None:
    page = arranging
    x, y, _ = place(page, made, 2)
    table(page, made, 2).focus()
    page.keyboard.press("ArrowRight")
    saved(page)
    expect(table(page, made, 2)).to_be_focused()
    page.keyboard.press("r")
    expect(table(page, made, 2)).to_have_attribute("data-rotation", re.compile(r"^15"))
    assert place(page, made, 2) == pytest.approx((x + 6, y, 15), abs=0.2)
    check_axe(page)


def test_guests_stay_while_the_room_is_arranged(arranging: Page, made: Planned) -> None:
    page = arranging
    drag(page, seat_of(page, made, 0), middle(seat_of(page, made, 6)))
    expect(page.locator(".ghost")).to_have_count(0)
    expect(page.locator("#history").get_by_role("button", name="Undo")).to_be_disabled()
    page.get_by_role("button", name="Done").click()
    drag(page, seat_of(page, made, 0), middle(seat_of(page, made, 6)))
    expect(page.locator("[data-message]")).to_contain_text("moved to Table 2")


def test_table_is_renamed_resized_and_duplicated_in_place(page: Page, made: Planned, check_axe: CheckAxe) -> None:
    page.goto(f"{address(made)}?table={made.tables[0].id}")
    page.get_by_text("Edit Table 1").click()
    check_axe(page)
    page.get_by_label("Name").last.fill("Head table")
    page.get_by_label("Seats").fill("6")
    page.get_by_role("button", name="Save table").click()
    expect(page.locator("[data-message]")).to_have_text("Head table was saved.")
    expect(table(page, made, 0).locator(".seat")).to_have_count(6)
    page.get_by_text("Edit Head table").click()
    page.get_by_role("button", name="Duplicate").click()
    expect(page.locator("[data-message]")).to_have_text("Head table 2 was added.")
    expect(page.locator(".floor-picture .table")).to_have_count(6)
    check_axe(page)
    page.locator("[data-undo-offer]").click()
    expect(page.locator("[data-message]")).to_have_text("Head table 2 was removed.")
    expect(page.locator(".floor-picture .table")).to_have_count(5)


def test_dragged_table_goes_back_by_undo(arranging: Page, made: Planned) -> None:
    page = arranging
    before = [place(page, made, number) for number in range(5)]
    x, y = cloth(page, made, 0)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 40, y + 60, steps=8)
    page.mouse.up()
    saved(page)
    page.keyboard.press("Control+z")
    expect(page.locator("[data-message]")).to_have_text("Undone.")
    expect(page.locator("[data-undo-offer]")).to_be_hidden()
    assert [place(page, made, number) for number in range(5)] == before


def test_table_goes_back_where_the_answer_cannot_be_shown(
    arranging: Page, made: Planned, complaints: list[str]
) -> None:
    page = arranging
    before = place(page, made, 2)
    page.route("**/tables/places", lambda route: route.fulfill(json={"places": {"!": "not a selector"}}))
    table(page, made, 2).focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("[data-message]")).to_have_text("Something went wrong. Reload the page to see what was saved.")
    expect(table(page, made, 2)).to_be_focused()
    assert place(page, made, 2) == before
    assert [complaint for complaint in complaints if "not a valid selector" not in complaint] == []
    assert complaints
    complaints.clear()


def test_table_that_somebody_removed_meanwhile_cannot_go_back(arranging: Page, made: Planned) -> None:
    gone = {f"#t-{made.tables[2].id}": "<g></g>"}
    answer = {"message": "Table 3 was removed.", "fragments": gone}
    arranging.route("**/tables/places", lambda route: route.fulfill(status=422, json=answer))
    table(arranging, made, 2).focus()
    arranging.keyboard.press("ArrowRight")
    expect(arranging.locator("[data-message]")).to_have_text("Table 3 was removed.")
    expect(arranging.locator(".floor-picture .table")).to_have_count(4)


def test_table_is_placed_by_a_finger(made: Planned, new_context: NewContext, sign_in: SignIn) -> None:
    context = sign_in(new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True))
    page = context.new_page()
    page.goto(f"{address(made)}#floor")
    page.get_by_role("button", name="Arrange room").tap()
    finger = Finger(context.new_cdp_session(page))
    before, (x, y) = place(page, made, 0), cloth(page, made, 0)
    finger.touch((x, y))
    finger.move((x + 10, y + 40))
    finger.touch((x + 10, y + 40), (x, y + 200))  # a second finger puts it back
    finger.lift()
    assert cloth(page, made, 0) == pytest.approx((x, y), abs=1)
    finger.touch((x, y))
    for far in (10, 30, 60):
        finger.move((x, y + far))
    finger.lift()
    saved(page)
    after = place(page, made, 0)
    assert (after[0], after[2]) == (before[0], before[2])
    assert after[1] > before[1]
    page.get_by_role("button", name="Done").tap()
    expect(page.locator("#history").get_by_role("button", name="Undo")).to_be_disabled()  # no guest was moved


def test_all_tables_are_arranged_again(arranging: Page) -> None:
    arranging.get_by_role("button", name="Arrange again").click()
    expect(arranging.locator("[data-message]")).to_have_text("All tables were placed again.")
    expect(arranging.locator(".table:not([data-placed])")).to_have_count(0)


def item(page: Page) -> Locator:
    return page.locator(".floor-picture .room-item")


def shape(page: Page) -> list[float]:
    """Return where the item of the room stands, how large it is and how it is turned."""
    names = "['x', 'y', 'width', 'height', 'rotation']"
    found: list[float] = item(page).evaluate(f"one => {names}.map((name) => Number(one.dataset[name]))")
    return found


def test_dance_floor_finds_room_and_is_moved_resized_and_turned(
    page: Page, made: Planned, check_axe: CheckAxe, new_context: NewContext, sign_in: SignIn
) -> None:
    page.goto(f"/events/{made.event.id}/room")
    page.get_by_label("Kind").select_option("dance_floor")
    page.get_by_role("button", name="Add item").click()
    page.goto(address(made))
    boxes = page.locator(".floor-picture :is(.cloth, .room-item > rect:first-child)").evaluate_all(
        "all => all.map((one) => { const box = one.getBoundingClientRect();"
        " return [box.left, box.top, box.right, box.bottom]; })"
    )
    floor = next(box for box in boxes if box[2] - box[0] == max(one[2] - one[0] for one in boxes))
    others = [box for box in boxes if box is not floor]
    assert not [
        box for box in others if box[0] < floor[2] and floor[0] < box[2] and box[1] < floor[3] and floor[1] < box[3]
    ]
    page.get_by_role("button", name="Arrange room").click()
    before = shape(page)
    left, top, right, bottom = floor
    page.mouse.move((left + right) / 2, (top + bottom) / 2)
    page.mouse.down()
    page.mouse.move((left + right) / 2 + 70, (top + bottom) / 2 + 50, steps=5)
    page.mouse.up()
    expect(page.locator("[data-message]")).to_have_text("Saved.")
    moved = shape(page)
    assert moved[0] > before[0]
    assert moved[1] > before[1]
    assert moved[2:] == before[2:]
    expect(item(page)).to_be_focused()
    box = page.locator(".sizer").bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2 + 40, box["y"] + box["height"] / 2 + 10, steps=5)
    page.mouse.up()
    expect(item(page)).not_to_have_attribute("data-width", f"{moved[2]:.1f}")
    resized = shape(page)
    assert resized[2] > moved[2]
    for key, place, step in (("ArrowRight", 0, 6.0), ("r", 4, 15.0), ("w", 2, 30.0), ("Shift+H", 3, -30.0)):
        value = shape(page)[place]
        page.keyboard.press(key)
        name = ("data-x", "data-y", "data-width", "data-height", "data-rotation")[place]
        expect(item(page)).to_have_attribute(name, re.compile(rf"^{value + step:.1f}0?$"))
        expect(item(page)).to_be_focused()
    page.locator("[data-undo-offer]").click()
    expect(item(page)).to_have_attribute("data-height", f"{resized[3]:.1f}")
    check_axe(page)
    page.reload()
    assert shape(page)[2:4] == [resized[2] + 30.0, resized[3]]
    move_by_finger(sign_in(new_context(viewport={"width": 390, "height": 844}, has_touch=True)).new_page(), made)


def move_by_finger(phone: Page, made: Planned) -> None:
    """Move the dance floor to the right on a phone."""
    phone.goto(f"{address(made)}#floor")
    phone.get_by_role("button", name="Arrange room").click()
    start, finger = shape(phone), Finger(phone.context.new_cdp_session(phone))
    spot = item(phone).locator("rect").first.bounding_box()
    assert spot
    x, y = spot["x"] + spot["width"] / 2, spot["y"] + spot["height"] / 2
    finger.touch((x, y))
    for step in (10, 20, 30):
        finger.move((x + step, y))
    finger.lift()
    expect(phone.locator("[data-message]")).to_have_text("Saved.")
    assert shape(phone)[0] > start[0]
