"""Whatever is done with a plan, in whatever order: nobody sits twice, and what is broken is an exception."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from sqlalchemy import select

from app.accounts.actor import Actor
from app.clock import now
from app.db import models
from app.db.session import Sessions, transaction
from app.errors import Conflict, ConviveError, Invalid
from app.events.context import EventContext, open_event
from app.guests.edit import add_guest
from app.guests.entries import GuestEntry
from app.plans import read as plans
from app.plans.metrics import measure
from app.plans.moves.edit import MoveEntry, Refused, make_move
from app.plans.moves.exceptions import list_exceptions
from app.plans.moves.history import can_undo
from app.rules.edit import RuleEntry, add_rule
from app.worker.execute import execute_run
from tests.factories import make_plan
from tests.run_helpers import read_run, stored_run

NAMES = ["Aino", "Bo", "Cleo", "Dan", "Eve", "Finn", "Gwen", "Hugo", "Ines"]
SIZES = (4, 4, 5)
SCORES = np.random.default_rng(5).integers(-2, 3, (9, 9)).astype(float)
TIMES = settings(
    max_examples=12,
    stateful_step_count=25,
    suppress_health_check=list(HealthCheck),
)
guests, tables, seats = st.integers(0, 10), st.integers(0, 2), st.none() | st.integers(0, 4)
State = tuple[Any, ...]


class PlanMachine(RuleBasedStateMachine):
    """Edits a plan of nine guests at three tables, with households and rules, and compares it with what must hold."""

    sessions: Sessions
    owner: Actor

    @initialize()
    def make(self) -> None:
        """Make a plan that keeps everything."""
        with transaction(self.sessions) as session:
            made = make_plan(
                session, self.owner, sizes=SIZES, names=NAMES, matrix=SCORES, assignment=[0, 0, 0, 1, 1, 1, 2, 2, 2]
            )
            self.event, self.plan = made.event.id, made.plan.id
            self.guests = [guest.id for guest in made.guests]
            self.tables = [table.id for table in made.tables]
            for name, members in (("p", made.guests[:2]), ("q", made.guests[6:8])):
                party = models.Party(event_id=self.event, name=name, name_key=name)
                session.add(party)
                session.flush()
                for guest in members:
                    guest.party_id = party.id
            made.tables[1].min_seats = 2
            ctx = open_event(session, self.owner, self.event)
            add_rule(ctx, RuleEntry("apart", (self.guests[0], self.guests[3])))
            add_rule(ctx, RuleEntry("side_by_side", (self.guests[4], self.guests[5])))
            add_rule(ctx, RuleEntry("pinned", (self.guests[8],), (self.tables[2], self.tables[1])))
        self.start, self.allowed = self.state(), set[str]()

    @contextmanager
    def editing(self) -> Iterator[EventContext]:
        with transaction(self.sessions) as session:
            yield open_event(session, self.owner, self.event)

    def state(self) -> State:
        """Return all seats, also of guests who are not attending, and what is locked."""
        with transaction(self.sessions, read_only=True) as session:
            rows = session.scalars(select(models.Seat).where(models.Seat.plan_id == self.plan))
            plan = session.get_one(models.Plan, self.plan)
            places = sorted((str(row.guest_id), str(row.table_id), row.seat, row.locked) for row in rows)
            return places, plan.locked_tables, plan.blocked_seats

    def edit(self, kind: str, **what: object) -> None:
        """Make an edit; one that is refused changes nothing."""
        before, broken = self.state(), self.broken()
        entry = MoveEntry(kind, **what)  # type: ignore[arg-type]
        refused: ConviveError | None = None
        try:
            with self.editing() as ctx:
                make_move(ctx, self.plan, entry)
        except (Conflict, Invalid) as error:
            refused = error
        if refused is not None:
            assert self.state() == before
            is_locked = isinstance(refused, Refused) and any(one.kind == "locked" for one in refused.breaks)
            assert is_locked or not entry.anyway or not isinstance(refused, Refused)
        elif kind in ("move", "swap"):
            assert entry.anyway or self.broken() <= broken, "a promise was broken without being asked"
            self.held_stays(before)

    def held_stays(self, before: State) -> None:
        """Check that no edit moved whoever is locked, or joined or left a locked table, or took a blocked seat.

        Guests may leave a table that was deleted, because nobody could unlock it any more.
        """
        places, locked_tables, blocked = before
        locked_tables = set(locked_tables) - self.deleted_tables()
        after = {place[0]: place[1:3] for place in self.state()[0]}
        for guest, table, seat, locked in places:
            if self.attends(UUID(guest)) and (locked or table in locked_tables):
                assert after[guest] == (table, seat)
        joined = {(table, seat) for table, seat in after.values()}
        assert not joined & {(table, seat) for table, seat in blocked}

    def deleted_tables(self) -> set[str]:
        with transaction(self.sessions, read_only=True) as session:
            query = select(models.Table.id).where(models.Table.removed_at.is_not(None))
            return set(map(str, session.scalars(query)))

    def attends(self, guest: UUID) -> bool:
        with transaction(self.sessions, read_only=True) as session:
            row = session.get_one(models.Guest, guest)
            return row.removed_at is None and row.reply != "no"

    def broken(self) -> set[str]:
        """Return the promises that are broken, found without the code under test, by the keys of exceptions."""
        with transaction(self.sessions, read_only=True) as session:
            return _broken(session.get_one(models.Plan, self.plan), *_rows(session, self.event, self.plan))

    def guest(self, number: int) -> UUID:
        return self.guests[number % len(self.guests)]

    @rule(guest=guests, table=tables, seat=seats, anyway=st.booleans())
    def move(self, guest: int, table: int, seat: int | None, anyway: bool) -> None:
        self.edit("move", guest=self.guest(guest), table=self.tables[table], seat=seat, anyway=anyway)

    @rule(some=st.sets(guests, min_size=2, max_size=4), table=tables, seat=seats, anyway=st.booleans())
    def move_several(self, some: set[int], table: int, seat: int | None, anyway: bool) -> None:
        chosen = tuple(self.guest(number) for number in some)
        self.edit("move", guests=chosen, table=self.tables[table], seat=seat, anyway=anyway)

    @rule(guest=guests, table=tables, seat=seats)
    def move_a_household(self, guest: int, table: int, seat: int | None) -> None:
        with transaction(self.sessions, read_only=True) as session:
            party = session.get_one(models.Guest, self.guest(guest)).party_id
            query = select(models.Guest.id).where(models.Guest.party_id == party, models.Guest.removed_at.is_(None))
            household = tuple(session.scalars(query)) if party else (self.guest(guest),)
        self.edit("move", guests=household, table=self.tables[table], seat=seat)

    @rule(some=st.sets(guests, min_size=1, max_size=3), anyway=st.booleans())
    def unseat(self, some: set[int], anyway: bool) -> None:
        self.edit("move", guests=tuple(self.guest(number) for number in some), table=None, anyway=anyway)

    @rule(guest=guests, other=guests, anyway=st.booleans())
    def swap(self, guest: int, other: int, anyway: bool) -> None:
        self.edit("swap", guest=self.guest(guest), other=self.guest(other), anyway=anyway)

    @rule(guest=guests, kind=st.sampled_from(["lock", "unlock"]))
    def lock(self, guest: int, kind: str) -> None:
        self.edit(kind, guest=self.guest(guest))

    @rule(table=tables, kind=st.sampled_from(["lock_table", "unlock_table"]))
    def lock_table(self, table: int, kind: str) -> None:
        self.edit(kind, table=self.tables[table])

    @rule(table=tables, seat=st.integers(0, 4), kind=st.sampled_from(["block_seat", "free_seat"]))
    def block_seat(self, table: int, seat: int, kind: str) -> None:
        self.edit(kind, table=self.tables[table], seat=seat)

    @rule(kind=st.sampled_from(["undo", "undo", "redo"]), to=st.none() | st.integers(0, 20))
    def step(self, kind: str, to: int | None) -> None:
        self.edit(kind, to=to)

    @rule()
    def undo_and_redo_lead_back(self) -> None:
        before = self.state()
        with transaction(self.sessions, read_only=True) as session:
            if not can_undo(session, session.get_one(models.Plan, self.plan)):
                return
        for kind in ("undo", "redo"):
            with self.editing() as ctx:
                make_move(ctx, self.plan, MoveEntry(kind))
        assert self.state() == before

    @rule(number=st.integers(0, 5))
    def take_back_an_exception(self, number: int) -> None:
        with transaction(self.sessions, read_only=True) as session:
            found = [one for one in list_exceptions(session, session.get_one(models.Plan, self.plan)) if one.can_undo]
        if found:
            chosen, before = found[number % len(found)].broken.key, self.broken()
            with self.editing() as ctx:
                make_move(ctx, self.plan, MoveEntry("undo_exception", exception=chosen))
            assert self.broken() <= before

    @rule(guest=guests, reply=st.sampled_from(["no", "yes", "invited"]))
    def reply(self, guest: int, reply: str) -> None:
        self.change_guest(guest, lambda row: setattr(row, "reply", reply))

    @rule(guest=guests)
    def leave_or_come_back(self, guest: int) -> None:
        self.change_guest(guest, lambda row: setattr(row, "removed_at", None if row.removed_at else now()))

    def change_guest(self, guest: int, change: Callable[[models.Guest], None]) -> None:
        with self.editing() as ctx:
            ctx.edit()
            change(ctx.session.get_one(models.Guest, self.guest(guest)))

    @precondition(lambda self: len(self.guests) < 11)
    @rule()
    def add_guest(self) -> None:
        with self.editing() as ctx:
            self.guests.append(add_guest(ctx, GuestEntry(f"Late {len(self.guests)}")).id)

    @rule(table=tables)
    def remove_table_or_bring_it_back(self, table: int) -> None:
        with self.editing() as ctx:
            ctx.edit()
            row = ctx.session.get_one(models.Table, self.tables[table])
            row.removed_at = None if row.removed_at else now()

    @rule(table=tables, seats=st.integers(2, 5))
    def change_the_seats_of_a_table(self, table: int, seats: int) -> None:
        with self.editing() as ctx:
            ctx.edit()
            ctx.session.get_one(models.Table, self.tables[table]).seats = seats

    @rule()
    def plan_the_rest(self) -> None:
        """Let the solver seat everybody from here; what it finds keeps all promises and all that is held."""
        try:
            run = stored_run(self.sessions, self.owner, self.event, from_plan=self.plan, restarts=2, time_limit=1.0)
        except Invalid:
            return
        places, locked_tables, blocked = self.state()
        held = {place[0]: place[1:3] for place in places if place[3] or place[1] in locked_tables}
        assert execute_run(self.sessions, run) == "done"
        plan = read_run(self.sessions, run).plan_id
        assert plan is not None
        self.plan = plan
        self.start = self.state()
        # Nobody joins a locked table, where a guest no longer attends, or leaves one that has lost a chair.
        assert self.broken() <= {
            f"{kind}:{table}" for kind in ("under_minimum", "over_seats") for table in locked_tables
        }
        after = {guest: (table, seat) for guest, table, seat, _ in self.start[0]}
        attending = {guest: place for guest, place in held.items() if self.attends(UUID(guest))}
        with transaction(self.sessions, read_only=True) as session:
            open_tables = {str(t.id) for t in session.scalars(select(models.Table)) if t.removed_at is None}
        assert {g: after[g][0] for g in attending if attending[g][0] in open_tables} == {
            guest: place[0] for guest, place in attending.items() if place[0] in open_tables
        }
        assert not set(after.values()) & {(table, seat) for table, seat in blocked}
        assert self.start[1:] == ([table for table in locked_tables if table in open_tables], self.start[2])

    @invariant()
    def nobody_sits_twice_and_no_two_share_a_seat(self) -> None:
        places = self.state()[0]
        assert len({place[0] for place in places}) == len(places)
        assert len({place[1:3] for place in places}) == len(places)

    @invariant()
    def exceptions_say_what_is_broken(self) -> None:
        with transaction(self.sessions, read_only=True) as session:
            found = {one.broken.key for one in list_exceptions(session, session.get_one(models.Plan, self.plan))}
        assert found == self.broken()

    @invariant()
    def figures_are_those_of_the_seats(self) -> None:
        with transaction(self.sessions, read_only=True) as session:
            view = plans.read_plan(open_event(session, self.owner, self.event), self.plan)
            snapshot = plans.snapshot_of(session, view.plan)
            assert snapshot is not None
            seated = {guest.id: table.id for table in view.tables for guest in table.guests}
            measures = measure(snapshot, seated)
        assert (view.mse, view.total) == pytest.approx((measures.mse, measures.total))

    def teardown(self) -> None:
        """Undo everything, with all guests and tables back: the plan is as it was made."""
        if not hasattr(self, "start"):
            return
        with self.editing() as ctx:
            ctx.edit()
            for row in ctx.session.scalars(select(models.Table)):
                row.removed_at = None
        with transaction(self.sessions, read_only=True) as session:
            has_moves = can_undo(session, session.get_one(models.Plan, self.plan))
        if has_moves:
            with self.editing() as ctx:
                make_move(ctx, self.plan, MoveEntry("undo", to=0))
        assert self.state() == self.start


Rows = tuple[dict[UUID, models.Guest], dict[UUID, models.Table], dict[UUID, tuple[UUID, int]], list[Any]]


def _rows(session: Any, event: UUID, plan: UUID) -> Rows:
    people = session.scalars(select(models.Guest).where(models.Guest.event_id == event))
    attending = {guest.id: guest for guest in people if guest.removed_at is None and guest.reply != "no"}
    found = {table.id: table for table in session.scalars(select(models.Table).where(models.Table.event_id == event))}
    rows = session.scalars(select(models.Seat).where(models.Seat.plan_id == plan))
    places = {row.guest_id: (row.table_id, row.seat) for row in rows if row.guest_id in attending}
    named = [
        (
            one,
            [
                row.guest_id
                for row in session.scalars(select(models.RuleGuest).where(models.RuleGuest.rule_id == one.id))
            ],
            [
                row.table_id
                for row in session.scalars(select(models.RuleTable).where(models.RuleTable.rule_id == one.id))
            ],
        )
        for one in session.scalars(select(models.Rule).where(models.Rule.event_id == event))
    ]
    return attending, found, places, named


def _broken(
    plan: models.Plan,
    attending: dict[UUID, models.Guest],
    found: dict[UUID, models.Table],
    places: dict[UUID, tuple[UUID, int]],
    named: list[Any],
) -> set[str]:
    broken = set()
    homes: dict[UUID, set[UUID]] = {}
    for key, guest in attending.items():
        if guest.party_id and key in places:
            homes.setdefault(guest.party_id, set()).add(places[key][0])
    broken |= {f"household:{key}" for key, at in homes.items() if len(at) > 1}
    for one, members, at in named:
        here = [places[member] for member in members if member in places]
        standing = [table for table in at if found[table].removed_at is None]
        if one.kind == "apart" and len({table for table, _ in here}) < len(here):
            broken.add(f"rule:{one.id}")
        if one.kind == "pinned" and standing and any(table not in standing for table, _ in here):
            broken.add(f"rule:{one.id}")
        if one.kind == "side_by_side" and len(here) == 2 and not _beside(here, places):
            broken.add(f"rule:{one.id}")
    return broken | {key for table in found.values() for key in _wrong_size(plan, table, places)}


def _wrong_size(plan: models.Plan, table: models.Table, places: dict[UUID, tuple[UUID, int]]) -> Iterator[str]:
    number = sum(place[0] == table.id for place in places.values())
    blocked = sum(which == str(table.id) and seat < table.seats for which, seat in plan.blocked_seats)
    is_used = number > 0 or str(table.id) not in plan.locked_tables
    if table.removed_at is None and is_used and number < table.min_seats:
        yield f"under_minimum:{table.id}"
    if table.removed_at is None and number > table.seats - blocked:
        yield f"over_seats:{table.id}"


def _beside(pair: list[tuple[UUID, int]], places: dict[UUID, tuple[UUID, int]]) -> bool:
    (one, first), (other, second) = pair
    if one != other:
        return False
    order = sorted(seat for table, seat in places.values() if table == one)
    return abs(order.index(first) - order.index(second)) in (1, len(order) - 1)


def test_every_order_of_edits_keeps_what_must_hold(sessions: Sessions, owner: Actor) -> None:
    machine = type("Machine", (PlanMachine,), {"sessions": sessions, "owner": owner})
    run_state_machine_as_test(machine, settings=TIMES)
