"""Versions, comparison and late changes in a browser: linked by hover, the repair picture, small screens."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from uuid import UUID

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from sqlalchemy import select

from app.db import models
from app.db.session import transaction
from app.events.context import open_event
from app.plans import versions
from app.plans.moves import edit
from app.plans.moves.edit import MoveEntry
from app.plans.save import create_plan, origin_of
from app.problem.packing import pack
from app.solver import Alternative
from tests.factories import Planned, make_plan, make_result
from tests.server import ServerProcess

CheckAxe = Callable[[Page], None]
NewContext = Callable[..., BrowserContext]
SignIn = Callable[[BrowserContext], BrowserContext]
SIZES = (360, 768, 1024, 1440, 1920)
LONG = "Maximiliana-Konstantina Wolfeschlegelsteinhausenbergerdorff"


@pytest.fixture
def made(server: ServerProcess) -> Planned:
    """Thirty guests at five tables; neighbours in the list like each other, and one has a very long name."""
    names = [LONG, *(f"Guest Number {number}" for number in range(1, 30))]
    matrix = [[2.0 * (one // 2 == other // 2 and one != other) for other in range(30)] for one in range(30)]
    with transaction(server.sessions()) as session:
        return make_plan(session, server.owner(), sizes=(6,) * 5, names=names, matrix=matrix)


@pytest.fixture
def copy(server: ServerProcess, made: Planned) -> UUID:
    """A copy in which the first and the last guest changed places."""
    with transaction(server.sessions()) as session:
        ctx = open_event(session, server.owner(), made.event.id)
        copy = versions.duplicate_plan(ctx, made.plan.id)
        edit.make_move(ctx, copy.id, MoveEntry("swap", made.guests[0].id, other=made.guests[-1].id))
        return copy.id


@pytest.fixture
def repaired(server: ServerProcess, made: Planned) -> UUID:
    """A repair of the plan with three points: nobody moves, two guests move, four guests move."""
    with transaction(server.sessions()) as session:
        snapshot = made.snapshot
        run = models.Run(event_id=made.event.id, status="done", method="full", objective="average", restarts=1, seed=1)
        run.time_limit, run.problem, run.repair, run.from_plan = 1.0, pack(snapshot), True, made.plan.id
        session.add(run)
        session.flush()
        found = make_result(snapshot.problem)
        others = []
        for swaps in (1, 2):
            seated = found.assignment.copy()
            for number in range(swaps):
                seated[number], seated[29 - number] = seated[29 - number], seated[number]
            others.append(Alternative(seated, found.seats, mse=found.mse, total=found.total))
        found = replace(found, alternatives=tuple(others))
        plan = create_plan(
            session,
            event_id=made.event.id,
            run_id=run.id,
            snapshot=snapshot,
            result=found,
            origin=origin_of(session, made.plan.id),
        )
        for number, one in enumerate(session.scalars(select(models.Plan).where(models.Plan.run_id == run.id))):
            one.moved, one.mse = 2 * number, 1.0 - number / 10
        return plan.id


def root(made: Planned) -> str:
    return f"/events/{made.event.id}/plans"


def fits(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


def test_guest_lights_up_on_both_floors_and_in_the_list(
    page: Page, made: Planned, copy: UUID, check_axe: CheckAxe
) -> None:
    page.goto(f"{root(made)}/{made.plan.id}/compare?other={copy}")
    check_axe(page)
    last = made.guests[-1]
    seats, row = page.locator(f'[data-seat="{last.id}"]'), page.locator(f'[data-guest="{last.id}"]')
    row.hover()
    expect(seats).to_have_count(2)
    for seat in (seats.first, seats.last):
        expect(seat).to_have_class(re.compile(r"\blit\b"))
    seats.first.hover()
    expect(row).to_have_class(re.compile(r"\blit\b"))
    page.get_by_role("heading", name="Compare plans").hover()
    expect(page.locator(".lit")).to_have_count(0)
    row.get_by_role("link").focus()
    expect(seats.last).to_have_class(re.compile(r"\blit\b"))
    page.get_by_text("3 tables stay the same").click()
    expect(page.get_by_text("Guest Number 7, Guest Number 8")).to_be_visible()


def test_point_of_the_repair_picture_shows_who_moves_and_is_accepted(
    page: Page, made: Planned, repaired: UUID, check_axe: CheckAxe
) -> None:
    page.goto(f"{root(made)}/{repaired}/repair")
    picture = page.get_by_role("group", name=re.compile("3 plans"))
    expect(picture.get_by_role("link")).to_have_count(3)
    expect(page.get_by_text("Everyone sits where they sat.")).to_be_visible()
    check_axe(page)
    picture.get_by_role("link", name=re.compile("^4 guests move")).click()
    expect(picture.get_by_role("link", name=re.compile("^4 guests move"))).to_have_attribute("aria-current", "true")
    expect(page.locator("#moves [data-guest]")).to_have_count(4)
    expect(page.locator("#moves")).to_contain_text("was at Table 1 → now at Table 5")
    check_axe(page)
    page.get_by_role("button", name="Use this plan").click()
    page.goto(root(made))
    expect(page.locator(".version.is-current")).to_contain_text("Version 2")
    check_axe(page)


def test_deleted_version_comes_back_with_undo(page: Page, made: Planned, copy: UUID, check_axe: CheckAxe) -> None:
    page.goto(root(made))
    expect(page.locator(".version img").first).to_have_js_property("complete", True)
    assert page.locator(".version img").first.evaluate("image => image.naturalWidth > 0")
    card = page.locator(f"#v-{copy}")
    card.get_by_text("More").click()
    check_axe(page)
    card.get_by_role("button", name="Delete").click()
    expect(card).to_have_count(0)
    check_axe(page)
    page.get_by_role("button", name="Undo").click()
    expect(card).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_fit_every_screen_in_both_themes(
    new_context: NewContext,
    sign_in: SignIn,
    made: Planned,
    copy: UUID,
    repaired: UUID,
    check_axe: CheckAxe,
    scheme: str,
) -> None:
    page = sign_in(new_context(color_scheme=scheme)).new_page()
    addresses = (
        root(made),
        f"{root(made)}/{made.plan.id}/compare?other={copy}",
        f"{root(made)}/{repaired}/repair",
        f"{root(made)}/{repaired}/alternatives",
    )
    for address in addresses:
        for width in SIZES:
            page.set_viewport_size({"width": width, "height": 800})
            page.goto(address)
            assert fits(page), f"{address} at {width} px"
        check_axe(page)
