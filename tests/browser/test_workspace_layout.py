"""How the workspace looks: both themes, all sizes of windows, long names and many guests."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from app.db.session import transaction
from tests.browser.workspace import address, made_party
from tests.factories import NAMES, Planned, make_plan
from tests.server import ServerProcess

CheckAxe = Callable[[Page], None]
NewContext = Callable[..., BrowserContext]
SignIn = Callable[[BrowserContext], BrowserContext]
KAISA = NAMES.index("Kaisa")


@pytest.fixture
def made(server: ServerProcess) -> Planned:
    return made_party(server)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_tab_is_accessible_in_both_themes(
    made: Planned, new_context: NewContext, sign_in: SignIn, check_axe: CheckAxe, scheme: str
) -> None:
    page = sign_in(new_context(viewport={"width": 1440, "height": 900}, color_scheme=scheme)).new_page()
    for tab in ("table", "guest", "problems", "changes"):
        page.goto(f"{address(made)}?tab={tab}&guest={made.guests[KAISA].id}")
        check_axe(page)
        assert page.evaluate("document.documentElement.scrollHeight <= innerHeight"), tab


@pytest.mark.parametrize("count", [3, 30, 300])
def test_workspace_never_overflows(server: ServerProcess, new_context: NewContext, sign_in: SignIn, count: int) -> None:
    names = [f"{'Wilhelmina Maximiliana Montgomery-Featherstonehaugh of the'} {n}"[:60] for n in range(count)]
    tables = max(1, count // 10)
    with transaction(server.sessions()) as session:
        made = make_plan(session, server.owner(), sizes=[count // tables] * tables, names=names)
    page = sign_in(new_context()).new_page()
    for width, height in ((360, 740), (768, 1024), (1024, 768), (1440, 900), (1920, 1080)):
        page.set_viewport_size({"width": width, "height": height})
        for tab in ("table", f"guest&guest={made.guests[0].id}"):
            page.goto(f"{address(made)}?tab={tab}")
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (width, tab)
            if width > 960:
                assert page.evaluate("document.documentElement.scrollHeight <= innerHeight"), (width, tab)


def test_marks_in_a_long_list_do_not_make_the_page_longer(
    server: ServerProcess, new_context: NewContext, sign_in: SignIn
) -> None:
    matrix = [[-2.0 if one // 2 == other // 2 else 1.0 for other in range(80)] for one in range(80)]
    with transaction(server.sessions()) as session:
        names = [f"Guest {number}" for number in range(80)]
        made = make_plan(session, server.owner(), sizes=[2] * 40, names=names, matrix=matrix)
    page = sign_in(new_context(viewport={"width": 1024, "height": 768})).new_page()
    page.goto(address(made))
    expect(page.locator(".table-card .count-mark").last).to_contain_text("2 need attention")
    assert page.evaluate("document.documentElement.scrollHeight") == 768
    tabs = page.locator("#tabs ul")
    assert tabs.evaluate("list => list.scrollWidth <= list.clientWidth"), "every tab is in view"


def test_list_of_118_guests_takes_three_screens_of_a_phone(
    server: ServerProcess, new_context: NewContext, sign_in: SignIn
) -> None:
    with transaction(server.sessions()) as session:
        names = [f"Guest {number}" for number in range(118)]
        made = make_plan(session, server.owner(), sizes=[9] * 13 + [1], names=names)
    page = sign_in(new_context(viewport={"width": 390, "height": 844})).new_page()
    page.goto(address(made))
    assert page.evaluate("document.documentElement.scrollHeight") <= 3 * 844


READ_LABELS = """() => [...document.querySelectorAll(".floor-picture .seat[data-seat]")].map((seat) => {
  const boxes = [...seat.querySelectorAll(".gname")].map((one) => one.getBoundingClientRect());
  const shown = boxes.filter((box) => box.width);
  const initials = seat.querySelector(".initial");
  return {
    lines: shown.length,
    height: Math.min(...shown.map((box) => box.height), initials.getBoundingClientRect().height),
    initials: initials.textContent,
    left: Math.min(...shown.map((box) => box.left)),
    right: Math.max(...shown.map((box) => box.right)),
    top: Math.min(...shown.map((box) => box.top)),
    bottom: Math.max(...shown.map((box) => box.bottom)),
  };
})"""


def test_names_can_be_read_where_the_whole_room_is_in_view(
    server: ServerProcess, new_context: NewContext, sign_in: SignIn
) -> None:
    last = ("Petit", "Dubois", "Chen", "Rousseau", "Marchand", "Müller", "Montmorency-Laval", "White", "Bell")
    names = [f"{NAMES[n % 22]} {last[n % 9]}" for n in range(118)]
    with transaction(server.sessions()) as session:
        made = make_plan(session, server.owner(), sizes=[9] * 12 + [5, 5], names=names)
    page = sign_in(new_context(viewport={"width": 1024, "height": 768})).new_page()
    page.goto(address(made))
    page.wait_for_function("() => !document.querySelector('.is-moving') && document.querySelector('.is-far')")
    labels = page.evaluate(READ_LABELS)
    named = [one for one in labels if one["lines"]]
    stage = page.locator("#floor").bounding_box()
    assert stage
    assert all(stage["x"] <= one["left"] and one["right"] <= stage["x"] + stage["width"] for one in named)
    assert len(named) > 0.9 * len(labels)
    assert all(one["height"] >= 7 for one in labels)
    assert all(len(one["initials"]) == (1 if one["lines"] else 2) for one in labels)
    overlapping = [
        (one, other)
        for number, one in enumerate(named)
        for other in named[:number]
        if min(one["right"], other["right"]) - max(one["left"], other["left"]) > 2
        and min(one["bottom"], other["bottom"]) - max(one["top"], other["top"]) > 2
    ]
    assert overlapping == []
    page.get_by_role("button", name="Zoom in").click(click_count=4)
    page.wait_for_function("() => !document.querySelector('.is-moving, .is-far')")
    assert all(one["lines"] == 2 for one in page.evaluate(READ_LABELS)), "nearer, every name is whole"
