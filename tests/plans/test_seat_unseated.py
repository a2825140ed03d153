"""Seating only those without a seat: the best free places, and nobody else moves."""

from __future__ import annotations

from uuid import UUID, uuid4

import numpy as np
import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.db import models
from app.errors import Conflict
from app.events.context import EventContext, open_event
from app.plans.moves.chairs import are_side_by_side, seats_near
from app.plans.moves.edit import MoveEntry, make_move
from app.plans.seating import describe_table, read_seating
from tests.factories import Planned, make_plan

NAMES = ["Aino", "Bo", "Cleo", "Dan", "Eve", "Farah", "Grace"]


@pytest.fixture
def made(session: Session, owner: Actor) -> Planned:
    """Eve likes only Aino and Bo, who sit at the first of three tables for four; the last one has Farah and Grace."""
    matrix = np.zeros((7, 7))
    matrix[4, :2] = matrix[:2, 4] = 2.0
    return make_plan(session, owner, sizes=(4, 4, 4), names=NAMES, matrix=matrix, assignment=[0, 0, 1, 1, 1, 2, 2])


def context(session: Session, owner: Actor, made: Planned) -> EventContext:
    return open_event(session, owner, made.event.id)


def seats_of(session: Session, made: Planned) -> dict[UUID, tuple[UUID, int]]:
    rows = session.scalars(select(models.Seat).where(models.Seat.plan_id == made.plan.id))
    return {row.guest_id: (row.table_id, row.seat) for row in rows}


def make_household(session: Session, made: Planned, *numbers: int) -> None:
    party = models.Party(event_id=made.event.id, name=f"Household {numbers}", name_key=f"household {numbers}")
    session.add(party)
    session.flush()
    for number in numbers:
        made.guests[number].party_id = party.id
    session.flush()


def test_unseated_guest_gets_the_best_free_place_and_all_others_stay(
    session: Session, owner: Actor, made: Planned
) -> None:
    ctx, eve = context(session, owner, made), made.guests[4].id
    start = seats_of(session, made)
    make_move(ctx, made.plan.id, MoveEntry("move", eve))
    others = seats_of(session, made)
    make_move(ctx, made.plan.id, MoveEntry("seat_unseated"))
    after = seats_of(session, made)
    assert after.pop(eve)[0] == made.tables[0].id  # with Aino and Bo
    assert after == others
    make_move(ctx, made.plan.id, MoveEntry("undo", to=0))
    assert seats_of(session, made) == start


def test_household_sits_down_together_on_neighbouring_chairs(session: Session, owner: Actor, made: Planned) -> None:
    ctx = context(session, owner, made)
    make_household(session, made, 5, 6)
    pair = [made.guests[number].id for number in (5, 6)]
    make_move(ctx, made.plan.id, MoveEntry("move", guests=tuple(pair)))
    make_move(ctx, made.plan.id, MoveEntry("lock_table", table=made.tables[0].id))
    make_move(ctx, made.plan.id, MoveEntry("seat_unseated"))
    seats = seats_of(session, made)
    assert {seats[guest][0] for guest in pair} == {made.tables[2].id}
    assert are_side_by_side(
        read_seating(session, made.plan).tables[made.tables[2].id], [seats[guest][1] for guest in pair]
    )


def test_nobody_is_seated_where_a_rule_would_break(session: Session, owner: Actor, made: Planned) -> None:
    ctx = context(session, owner, made)
    with pytest.raises(Conflict, match="Everyone has a seat"):
        make_move(ctx, made.plan.id, MoveEntry("seat_unseated"))
    make_move(ctx, made.plan.id, MoveEntry("move", made.guests[4].id))
    for table in made.tables:
        make_move(ctx, made.plan.id, MoveEntry("lock_table", table=table.id))
    with pytest.raises(Conflict, match="No free place fits 1 guest"):
        make_move(ctx, made.plan.id, MoveEntry("seat_unseated"))


def test_guests_who_swap_as_a_household_sit_side_by_side_where_a_free_chair_helps(
    session: Session, owner: Actor, made: Planned
) -> None:
    ctx = context(session, owner, made)
    make_household(session, made, 2, 3)
    make_household(session, made, 5, 6)
    last = made.tables[2]
    make_move(ctx, made.plan.id, MoveEntry("move", made.guests[6].id, table=last.id, seat=2))
    movers = (made.guests[2].id, made.guests[3].id)
    make_move(ctx, made.plan.id, MoveEntry("swap", other=made.guests[5].id, guests=movers))
    seats = seats_of(session, made)
    assert {seats[guest][0] for guest in movers} == {last.id}
    assert are_side_by_side(read_seating(session, made.plan).tables[last.id], [seats[guest][1] for guest in movers])


@pytest.mark.parametrize(
    ("free", "number", "seat", "expected"),
    [
        ([0, 2, 3, 5], 2, 0, [2, 3]),  # beside each other rather than on the very seat
        ([0, 2, 3, 7], 2, 0, [0, 7]),  # around the table
        ([0, 2, 4, 6], 2, 4, [2, 4]),  # as near as can be
        ([1, 2, 3, 5], 3, 5, [1, 2, 3]),
        ([4], 2, 4, [4]),
        ([1, 2], 0, None, []),
    ],
)
def test_guests_who_sit_down_together_take_neighbouring_chairs(
    free: list[int], number: int, seat: int | None, expected: list[int]
) -> None:
    table = models.Table(id=uuid4(), name="Oak", shape="round", seats=8, min_seats=1, end_seats=False)
    assert seats_near(describe_table(table), free, number, seat) == expected
