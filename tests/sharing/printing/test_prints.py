"""What was printed, and what has changed since."""

from __future__ import annotations

from uuid import UUID, uuid4

import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.db import models
from app.errors import Forbidden, NotFound
from app.events.context import EventContext, open_event
from app.sharing.printing.jobs import read_job
from app.sharing.printing.options import PrintOptions
from app.sharing.printing.prints import KEPT_PRINTS, record_print
from tests.factories import Planned, make_member, make_plan

PLACE = PrintOptions("place-cards")


@pytest.fixture
def made(session: Session, owner: Actor) -> Planned:
    return make_plan(session, owner, sizes=(2, 2), names=["Aino", "Bo", "Cleo", "Dan"])


@pytest.fixture
def ctx(session: Session, owner: Actor, made: Planned) -> EventContext:
    return open_event(session, owner, made.event.id)


def changed(ctx: EventContext, made: Planned, options: PrintOptions = PLACE) -> set[UUID] | None:
    last = read_job(ctx, made.plan.id, options).last
    return set(last.changed) if last else None


def test_nothing_was_printed_before(ctx: EventContext, made: Planned) -> None:
    assert changed(ctx, made) is None


def test_nothing_has_changed_right_after_a_print(ctx: EventContext, made: Planned) -> None:
    record_print(ctx, made.plan.id, PLACE)
    assert changed(ctx, made) == set()


def test_renamed_and_moved_guests_have_changed_cards(ctx: EventContext, made: Planned) -> None:
    record_print(ctx, made.plan.id, PLACE)
    made.guests[0].name = "Aino Virtanen"
    seat = ctx.session.get_one(models.Seat, (made.plan.id, made.guests[1].id))
    seat.table_id, seat.seat = made.tables[1].id, 9
    ctx.session.flush()
    assert changed(ctx, made) == {made.guests[0].id, made.guests[1].id}


def test_guest_who_left_needs_no_card(ctx: EventContext, made: Planned) -> None:
    record_print(ctx, made.plan.id, PLACE)
    made.guests[0].reply = "no"
    ctx.session.flush()
    assert changed(ctx, made) == set()


def test_table_card_has_changed_if_somebody_sits_there_now(ctx: EventContext, made: Planned) -> None:
    tables = PrintOptions("table-cards")
    record_print(ctx, made.plan.id, tables)
    made.guests[3].name = "Daniel"
    ctx.session.flush()
    assert changed(ctx, made, tables) == {made.tables[1].id}
    assert changed(ctx, made) is None


def test_lists_are_not_remembered(ctx: EventContext, made: Planned) -> None:
    record_print(ctx, made.plan.id, PrintOptions("check-in"))
    assert ctx.session.scalar(select(func.count()).select_from(models.Print)) == 0


def test_only_the_newest_prints_are_kept(ctx: EventContext, made: Planned) -> None:
    for _ in range(KEPT_PRINTS + 3):
        record_print(ctx, made.plan.id, PLACE)
    assert ctx.session.scalar(select(func.count()).select_from(models.Print)) == KEPT_PRINTS


def test_print_stores_no_names(ctx: EventContext, made: Planned) -> None:
    record_print(ctx, made.plan.id, PLACE)
    stored = ctx.session.scalars(select(models.Print)).one()
    assert set(stored.cards) == {str(guest.id) for guest in made.guests}
    assert {len(digest) for digest in stored.cards.values()} == {8}


def test_print_of_another_plan_is_not_found(ctx: EventContext, made: Planned) -> None:
    with pytest.raises(NotFound):
        read_job(ctx, made.plan.id, PLACE, since=uuid4())


def test_viewer_cannot_record_a_print(session: Session, made: Planned) -> None:
    viewer = make_member(session, made.event.id, "viewer")
    with pytest.raises(Forbidden):
        record_print(open_event(session, viewer, made.event.id), made.plan.id, PLACE)


def test_viewer_reads_no_diets(session: Session, made: Planned) -> None:
    made.guests[0].diet = "vegan"
    viewer = make_member(session, made.event.id, "viewer")
    job = read_job(open_event(session, viewer, made.event.id), made.plan.id, PLACE)
    assert {guest.diet for guest in job.plan.guests} == {""}
