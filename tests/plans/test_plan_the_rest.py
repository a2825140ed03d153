"""Planning the rest: a run from a plan keeps its locks, closed tables, empty seats and reservations."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.db import models
from app.db.session import Sessions, transaction
from app.errors import Invalid, NotFound
from app.events.context import open_event
from app.guests.edit import change_guest
from app.guests.entries import GuestEntry
from app.plans.moves.edit import MoveEntry, MoveKind, make_move
from app.plans.moves.exceptions import list_exceptions
from app.plans.moves.promises import broken_rules
from app.plans.staleness import find_what_changed
from app.rules.edit import RuleEntry, add_rule
from app.runs.options import RunOptions
from app.runs.prepare import LEAST_GAIN, prepare_rest
from app.worker.execute import execute_run
from tests.run_helpers import read_run, stored_event, stored_run

Seats = dict[UUID, tuple[UUID, int, bool]]


def plan_of(sessions: Sessions, owner: Actor, event: UUID, **options: Any) -> UUID:
    run = stored_run(sessions, owner, event, restarts=5, **options)
    assert execute_run(sessions, run) == "done"
    plan = read_run(sessions, run).plan_id
    assert plan is not None
    return plan


def seats_of(sessions: Sessions, plan: UUID) -> Seats:
    with transaction(sessions, read_only=True) as session:
        rows = session.scalars(select(models.Seat).where(models.Seat.plan_id == plan))
        return {row.guest_id: (row.table_id, row.seat, row.locked) for row in rows}


def edit(sessions: Sessions, owner: Actor, event: UUID, plan: UUID, kind: MoveKind, **what: object) -> None:
    with transaction(sessions) as session:
        make_move(open_event(session, owner, event), plan, MoveEntry(kind, **what))  # type: ignore[arg-type]


def tables_of(session: Session, event: UUID) -> list[models.Table]:
    query = select(models.Table).where(models.Table.event_id == event).order_by(models.Table.position)
    return list(session.scalars(query))


def test_locked_table_keeps_its_guests_at_their_chairs_and_takes_nobody(sessions: Sessions, owner: Actor) -> None:
    event = stored_event(sessions, owner, guests=8, sizes=(4, 4, 4))
    plan = plan_of(sessions, owner, event)
    before = seats_of(sessions, plan)
    some_table = next(iter(before.values()))[0]
    guest = next(guest for guest, place in before.items() if place[0] == some_table)
    edit(sessions, owner, event, plan, "move", guest=guest, table=None)  # leaves a free chair in the middle
    edit(sessions, owner, event, plan, "lock_table", table=some_table)
    kept = {guest: place for guest, place in seats_of(sessions, plan).items() if place[0] == some_table}
    after_plan = plan_of(sessions, owner, event, from_plan=plan)
    after = seats_of(sessions, after_plan)
    assert {guest: place for guest, place in after.items() if place[0] == some_table} == kept
    assert len(after) == 8
    with transaction(sessions) as session:
        assert session.get_one(models.Plan, after_plan).locked_tables == [str(some_table)]
        ctx = open_event(session, owner, event)
        ctx.edit()
        change_guest(ctx, next(iter(kept)), GuestEntry("Renamed"))
        run = session.get_one(models.Plan, after_plan).run_id
        assert find_what_changed(ctx, run).other_tables == []


def test_best_plan_moves_nobody(sessions: Sessions, owner: Actor) -> None:
    event = stored_event(sessions, owner, guests=10, sizes=(4, 5, 4))
    plan = plan_of(sessions, owner, event)
    with transaction(sessions) as session:
        guests = list(session.scalars(select(models.Guest.id).order_by(models.Guest.position)))
    seats, pairs = seats_of(sessions, plan), list(zip(guests[::2], guests[1::2], strict=True))
    one = pairs[0]
    other = next(pair for pair in pairs if seats[pair[0]][0] != seats[one[0]][0])
    for guest, whom in zip(one, other, strict=True):  # friends are all alike: two may change places with two others
        edit(sessions, owner, event, plan, "swap", guest=guest, other=whom)
    edit(sessions, owner, event, plan, "swap", guest=one[0], other=one[1])
    before = seats_of(sessions, plan)
    assert seats_of(sessions, plan_of(sessions, owner, event, from_plan=plan)) == before


def test_two_who_are_to_sit_side_by_side_now_leave_their_chairs(sessions: Sessions, owner: Actor) -> None:
    event = stored_event(sessions, owner, guests=5, sizes=(5,))
    plan = plan_of(sessions, owner, event)
    by_seat = {place[1]: guest for guest, place in seats_of(sessions, plan).items()}
    with transaction(sessions) as session:
        add_rule(open_event(session, owner, event), RuleEntry("side_by_side", (by_seat[0], by_seat[2])))
    after = plan_of(sessions, owner, event, from_plan=plan)
    with transaction(sessions) as session:
        assert broken_rules(session, session.get_one(models.Plan, after)) == []


def test_locked_guests_of_the_plan_keep_their_chairs(sessions: Sessions, owner: Actor) -> None:
    event = stored_event(sessions, owner, guests=8, sizes=(4, 4, 4))
    plan = plan_of(sessions, owner, event)
    guest, (table, _, _) = next(iter(seats_of(sessions, plan).items()))
    edit(sessions, owner, event, plan, "lock", guest=guest)
    newer = plan_of(sessions, owner, event)
    edit(sessions, owner, event, newer, "unlock", guest=guest)
    place = seats_of(sessions, plan)[guest]
    assert place[2] is True
    after = seats_of(sessions, plan_of(sessions, owner, event, from_plan=plan))  # not the newest one
    assert after[guest] == place
    assert len({place[:2] for place in after.values()}) == 8
    assert table == after[guest][0]


def test_locked_guest_keeps_the_chair_when_others_must_sit_side_by_side(sessions: Sessions, owner: Actor) -> None:
    event = stored_event(sessions, owner, guests=9, sizes=(5, 5))
    plan = plan_of(sessions, owner, event)
    with transaction(sessions) as session:
        here, there = (table.id for table in tables_of(session, event))
    before = seats_of(sessions, plan)
    locked, neighbour = [guest for guest, place in before.items() if place[0] == here][:2]
    other = next(guest for guest, place in before.items() if place[0] == there)
    edit(sessions, owner, event, plan, "lock", guest=locked)
    with transaction(sessions) as session:
        ctx = open_event(session, owner, event)
        add_rule(ctx, RuleEntry("side_by_side", (neighbour, other)))
        add_rule(ctx, RuleEntry("pinned", (other,), (here,)))
    after_plan = plan_of(sessions, owner, event, from_plan=plan)
    after = seats_of(sessions, after_plan)
    assert after[locked] == (here, before[locked][1], True)
    assert len({place[:2] for place in after.values()}) == 9
    with transaction(sessions) as session:
        assert broken_rules(session, session.get_one(models.Plan, after_plan)) == []


def test_seat_that_stays_empty_is_empty_in_the_next_plan(sessions: Sessions, owner: Actor) -> None:
    event = stored_event(sessions, owner, guests=7, sizes=(4, 4))
    plan = plan_of(sessions, owner, event)
    with transaction(sessions) as session:
        tables = [table.id for table in tables_of(session, event)]
    guest = next(guest for guest, place in seats_of(sessions, plan).items() if place[:2] == (tables[0], 1))
    edit(sessions, owner, event, plan, "move", guest=guest, table=None, anyway=True)
    edit(sessions, owner, event, plan, "block_seat", table=tables[0], seat=1)
    after_plan = plan_of(sessions, owner, event, from_plan=plan)
    after = seats_of(sessions, after_plan)
    assert len({place[:2] for place in after.values()}) == 7
    assert sorted(place[1] for place in after.values() if place[0] == tables[0]) == [0, 2, 3]
    with transaction(sessions) as session:
        assert session.get_one(models.Plan, after_plan).blocked_seats == [[str(tables[0]), 1]]


def reserve(sessions: Sessions, event: UUID, table: int, members: int) -> tuple[UUID, set[UUID]]:
    """Reserve a table for a group of the first guests; return the table and the group's members."""
    with transaction(sessions) as session:
        group = models.Group(event_id=event, name="Choir", name_key="choir")
        session.add(group)
        guests = list(session.scalars(select(models.Guest).order_by(models.Guest.position)))[:members]
        session.flush()
        session.add_all(models.GroupGuest(group_id=group.id, guest_id=guest.id) for guest in guests)
        reserved = tables_of(session, event)[table]
        reserved.reserved_for = group.id
        return reserved.id, {guest.id for guest in guests}


def test_reserved_table_takes_only_members_of_its_group(sessions: Sessions, owner: Actor) -> None:
    event = stored_event(sessions, owner, guests=8, sizes=(4, 4, 4))
    table, members = reserve(sessions, event, 0, 3)
    plan = plan_of(sessions, owner, event)
    seats = seats_of(sessions, plan)
    assert {guest for guest, place in seats.items() if place[0] == table} <= members
    with transaction(sessions) as session:
        assert list_exceptions(session, session.get_one(models.Plan, plan)) == []


def test_rule_against_a_reservation_is_explained(sessions: Sessions, owner: Actor) -> None:
    event = stored_event(sessions, owner, guests=8, sizes=(4, 4, 4))
    table, members = reserve(sessions, event, 0, 3)
    with transaction(sessions) as session:
        guests = session.scalars(select(models.Guest.id).where(models.Guest.id.not_in(members)))
        add_rule(open_event(session, owner, event), RuleEntry("pinned", (next(iter(guests)),), (table,)))
    with pytest.raises(Invalid, match="Table 1 is reserved for Choir"):
        stored_run(sessions, owner, event)


def test_too_few_seats_beside_locked_tables_are_explained(sessions: Sessions, owner: Actor) -> None:
    event = stored_event(sessions, owner, guests=8, sizes=(4, 4))
    plan = plan_of(sessions, owner, event)
    guest, place = next(iter(seats_of(sessions, plan).items()))
    edit(sessions, owner, event, plan, "move", guest=guest, table=None)
    edit(sessions, owner, event, plan, "lock_table", table=place[0])
    with pytest.raises(Invalid, match="leave 7 seats for 8 guests"):
        stored_run(sessions, owner, event, from_plan=plan)


def test_locked_empty_table_stays_empty(sessions: Sessions, owner: Actor) -> None:
    event = stored_event(sessions, owner, guests=4, sizes=(4, 4, 4))
    plan = plan_of(sessions, owner, event)
    table = next(iter(seats_of(sessions, plan).values()))[0]
    guests = tuple(guest for guest, place in seats_of(sessions, plan).items() if place[0] == table)
    edit(sessions, owner, event, plan, "move", guests=guests, table=None)
    edit(sessions, owner, event, plan, "lock_table", table=table)
    after = seats_of(sessions, plan_of(sessions, owner, event, from_plan=plan))
    assert len(after) == 4
    assert table not in {place[0] for place in after.values()}


def test_rest_is_planned_with_the_options_of_the_run_that_made_the_plan(sessions: Sessions, owner: Actor) -> None:
    event = stored_event(sessions, owner)
    plan = plan_of(sessions, owner, event, objective="total", fairness="some")
    with transaction(sessions) as session:
        prepared = prepare_rest(open_event(session, owner, event), plan)
        total = session.get_one(models.Plan, plan).total
        assert prepared.options == RunOptions(
            objective="total", fairness="some", from_plan=plan, move_cost=(total or 0.0) * LEAST_GAIN, use_plan=True
        )
        with pytest.raises(NotFound):
            prepare_rest(open_event(session, owner, event), event)
