"""From membership to seats: rules about groups mean the same to the solver, to moves by hand and to whoever counts."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from itertools import permutations, product
from math import ceil, floor
from random import Random
from uuid import UUID

import pytest
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.db import models
from app.events.context import EventContext, open_event
from app.guests.field_checks import FieldEntry, OptionEntry
from app.guests.fields import add_field
from app.guests.groups import GroupEntry, add_group, change_group
from app.guests.shared_values import ValueKey
from app.plans.moves.edit import MoveEntry, Refused, make_move
from app.plans.moves.effects import list_effects
from app.plans.moves.exceptions import list_exceptions
from app.plans.moves.promises import Promises
from app.plans.seating import Place, Seating, read_seating
from app.problem.fingerprints import list_changes, take_marks
from app.problem.packing import pack, unpack
from app.problem.queries.rules import RuleRow, rules_of
from app.problem.snapshot import take_snapshot
from app.rules.edit import RuleEntry, add_rule, change_rule
from app.solver import Contradiction, solve, table_sizes, take_chairs
from tests.factories import Planned, make_plan, make_tables

NAMES = ["Aino", "Bo", "Cleo", "Dan", "Eve", "Finn"]
SIZES = (3, 3, 2)


class Event:
    """Six guests at three tables, in groups and on sides that chance decides, with rules about them."""

    def __init__(self, session: Session, owner: Actor, seed: int) -> None:
        self.chance, self.session = Random(seed), session
        self.made = make_plan(session, owner, sizes=SIZES, names=NAMES)
        self.ctx = open_event(session, owner, self.made.event.id)
        self.ids = [guest.id for guest in self.made.guests]
        sides = add_field(self.ctx, FieldEntry("side", options=[OptionEntry("Bride"), OptionEntry("Groom")]))
        self.side_of = {guest: self.chance.choice([None, 0, 1]) for guest in self.ids}
        for guest, side in self.side_of.items():
            if side is not None:
                option = sides.options[side].id
                session.add(models.GuestValue(guest_id=guest, field_id=sides.id, option_id=option, text=""))
        self.members = {name: self.chance.sample(self.ids, self.chance.randint(1, 4)) for name in "ABC"}
        self.groups = {
            name: add_group(self.ctx, GroupEntry(name, guest_ids=members)).id for name, members in self.members.items()
        }
        for entry in self._some_rules():
            add_rule(self.ctx, entry)
        session.flush()

    def _some_rules(self) -> list[RuleEntry]:
        a, b, c = (ValueKey("group", str(self.groups[name])) for name in "ABC")
        tables = tuple(table.id for table in self.made.tables)
        every = [
            RuleEntry("group_at", table_ids=tables[: self.chance.randint(1, 2)], values=(a,)),
            RuleEntry("groups_apart", values=(b, c)),
            RuleEntry("at_most", values=(a,), number=self.chance.randint(1, 2)),
            RuleEntry("at_most", table_ids=tables[2:], values=(c,), number=0),
            RuleEntry("at_least", values=(b,), table_ids=self.chance.choice([(), tables[2:]])),
            RuleEntry("spread", field="side", number=self.chance.randint(0, 1)),
            RuleEntry("alternate", field="side"),
        ]
        return self.chance.sample(every, self.chance.randint(1, 3))

    @cached_property
    def rules(self) -> list[RuleRow]:
        return rules_of(self.session, self.made.event.id)

    def broken(self, seats: dict[UUID, tuple[UUID, int]]) -> set[UUID]:
        """Return the rules that a seating breaks, counted table by table from who is in which group."""
        order: dict[UUID, list[UUID]] = {}
        for guest, (table, _) in sorted(seats.items(), key=lambda one: one[1][1]):
            order.setdefault(table, []).append(guest)
        needed = {(rule.id, table) for rule in self.rules for table in rule.table_ids if rule.kind == "at_least"}
        empty = {rule for rule, table in needed if table not in order}
        return empty | {rule.id for rule in self.rules if any(self._breaks(rule, *one) for one in order.items())}

    def _breaks(self, rule: RuleRow, table: UUID, here: list[UUID]) -> bool:
        named = {str(key): set(self.members[name]) for name, key in self.groups.items()}
        counts = [len(named[value.value].intersection(here)) for value in rule.values]
        concerned = not rule.table_ids or table in rule.table_ids
        match rule.kind:
            case "group_at":
                return counts[0] > 0 and not concerned
            case "groups_apart":
                return min(counts) > 0
            case "at_most":
                return concerned and counts[0] > (rule.number or 0)
            case "at_least":
                return concerned and counts[0] < (rule.number or 0)
            case "spread":
                return any(self._is_off_share(rule, side, table, here) for side in (0, 1))
        fewest = min(self._alike(list(order)) for order in permutations(here))
        return self._alike(here) > fewest

    @cached_property
    def _sizes(self) -> list[int]:
        problem = take_snapshot(self.session, self.made.event, objective="total").problem
        return [int(size) for size in table_sizes(problem)]

    def _is_off_share(self, rule: RuleRow, side: int, table: UUID, here: list[UUID]) -> bool:
        seats = SIZES[[one.id for one in self.made.tables].index(table)]
        sizes = [size for size, most in zip(self._sizes, SIZES, strict=True) if most == seats]
        guests = sum(own == side for own in self.side_of.values())
        least, most = floor(guests * min(sizes) / len(NAMES)), ceil(guests * max(sizes) / len(NAMES))
        count, slack = sum(self.side_of[guest] == side for guest in here), rule.number or 0
        return not least - slack <= count <= most + slack

    def _alike(self, here: list[UUID]) -> int:
        pairs = {frozenset((place, (place + 1) % len(here))) for place in range(len(here))}
        sides = [[self.side_of[here[place]] for place in pair] for pair in pairs if len(pair) == 2]
        return sum(one is not None and one == other for one, other in sides)


def seated(event: Event, at: tuple[int, ...], chairs: list[int] | None = None) -> dict[UUID, tuple[UUID, int]]:
    """Return the table and the chair of each guest."""
    taken = [0] * len(SIZES)
    found = {}
    for guest, (key, table) in enumerate(zip(event.ids, at, strict=True)):
        found[key] = event.made.tables[table].id, taken[table] if chairs is None else chairs[guest]
        taken[table] += 1
    return found


@pytest.mark.parametrize("seed", range(10))
def test_solver_and_moves_keep_what_rules_about_groups_say(session: Session, owner: Actor, seed: int) -> None:
    event = Event(session, owner, seed)
    plans = [at for at in product(range(3), repeat=6) if all(at.count(t) <= size for t, size in enumerate(SIZES))]
    some = event.chance.sample(plans, 25)
    of_seats = {rule.id for rule in event.rules if rule.kind == "alternate"}
    snapshot = unpack(pack(take_snapshot(session, event.made.event, objective="total")))
    try:
        result = solve(snapshot.problem, restarts=2, time_limit=None, seed=1)
    except Contradiction:
        assert all(event.broken(seated(event, at)) - of_seats for at in plans)
    else:
        chairs = take_chairs(snapshot.problem, result.assignment, result.seats).tolist()
        assert event.broken(seated(event, tuple(result.assignment.tolist()), chairs)) == set()
    seating = read_seating(session, event.made.plan)
    for at in some:
        seats = seated(event, at)
        there = replace(seating, places={guest: Place(*place) for guest, place in seats.items()})
        now = event.broken(seats)
        assert {rule.id for rule in Promises(there).broken_rules()} == now
        assert_moves_are_judged_as_counted(event, there, seats, now)


def assert_moves_are_judged_as_counted(
    event: Event, seating: Seating, seats: dict[UUID, tuple[UUID, int]], now: set[UUID]
) -> None:
    """A swap that breaks a rule is said to, and one that breaks none is not."""
    one, other = event.chance.sample(event.ids, 2)
    swapped = {**seats, one: seats[other], other: seats[one]}
    found = Promises(seating).newly_broken({one: Place(*seats[other]), other: Place(*seats[one])})
    worse = {broken.rule for broken in found if broken.kind == "rule"}
    then = event.broken(swapped)
    assert then - now <= worse <= then


@pytest.fixture
def made(session: Session, owner: Actor) -> Planned:
    """Aino, Bo and Cleo at a table of 4, Dan, Eve and Finn at another."""
    return make_plan(session, owner, sizes=(4, 4), names=NAMES, assignment=[0, 0, 0, 1, 1, 1])


def group(ctx: EventContext, made: Planned, name: str, *guests: int) -> ValueKey:
    members = [made.guests[guest].id for guest in guests]
    return ValueKey("group", str(add_group(ctx, GroupEntry(name, guest_ids=members)).id))


def test_move_that_breaks_a_rule_about_a_group_is_made_only_anyway_and_listed(
    session: Session, owner: Actor, made: Planned
) -> None:
    ctx = open_event(session, owner, made.event.id)
    choir = group(ctx, made, "Choir", 0, 1, 3)
    rule = add_rule(ctx, RuleEntry("at_most", values=(choir,), number=2))
    move = MoveEntry("move", made.guests[3].id, table=made.tables[0].id)
    warning = "That would break the rule “at most 2 of Choir sit at each table”."
    with pytest.raises(Refused, match="Nothing was changed") as refused:
        make_move(ctx, made.plan.id, move)
    assert [broken.warning for broken in refused.value.breaks] == [warning]
    effects = list_effects(ctx, made.plan.id, [made.guests[3].id]).seats
    there = [effect for effect in effects if effect.table == made.tables[0].id]
    # A swap with somebody of the choir changes no number.
    assert {
        effect.tone == "breaks" for effect in there if effect.other not in (made.guests[0].id, made.guests[1].id)
    } == {True}
    assert not any(effect.breaks for effect in there if effect.other in (made.guests[0].id, made.guests[1].id))
    make_move(ctx, made.plan.id, replace(move, anyway=True))
    [found] = list_exceptions(session, made.plan)
    assert found.broken.rule == rule.id
    assert found.broken.text == "The rule “at most 2 of Choir sit at each table” is broken at Table 1."
    assert set(found.broken.guests) == {made.guests[guest].id for guest in (0, 1, 3)}
    assert found.can_undo


def test_guest_without_the_value_can_break_a_rule_about_each_table(
    session: Session, owner: Actor, made: Planned
) -> None:
    ctx = open_event(session, owner, made.event.id)
    hosts = group(ctx, made, "Hosts", 0, 3)
    add_rule(ctx, RuleEntry("at_least", values=(hosts,)))
    [empty] = make_tables(session, made.event, [4], names=["New"])
    for guest, is_broken in ((1, True), (0, True)):  # the second one leaves its own table without a host
        with pytest.raises(Refused) as refused:
            make_move(ctx, made.plan.id, MoveEntry("move", made.guests[guest].id, table=empty.id))
        assert [one.kind == "rule" for one in refused.value.breaks] == [is_broken]


def test_plan_is_out_of_date_when_who_is_in_the_group_changes(session: Session, owner: Actor, made: Planned) -> None:
    ctx = open_event(session, owner, made.event.id)
    choir = group(ctx, made, "Choir", 0, 1)
    add_rule(ctx, RuleEntry("at_most", values=(choir,), number=2))
    made.run.marks = take_marks(session, made.event)
    session.flush()
    assert list_changes(ctx, made.run.id) == ()
    members = [made.guests[guest].id for guest in (0, 1, 2)]
    change_group(ctx, UUID(choir.value), GroupEntry("Choir", guest_ids=members))
    assert "rules" in list_changes(ctx, made.run.id)
    problem = take_snapshot(session, made.event, objective="total").problem
    assert [rule.guests for rule in problem.rules] == [(0, 1, 2)]
    assert problem.rules[0].most == 2


def test_guest_who_declined_does_not_make_it_look_as_if_rules_were_changed(
    session: Session, owner: Actor, made: Planned
) -> None:
    ctx = open_event(session, owner, made.event.id)
    choir = group(ctx, made, "Choir", 0, 1)
    rule = add_rule(ctx, RuleEntry("at_most", values=(choir,), number=2))
    made.run.marks = take_marks(session, made.event)
    made.guests[0].reply = "no"
    session.flush()
    session.expire_all()
    assert "guests" in list_changes(ctx, made.run.id)
    assert "rules" not in list_changes(ctx, made.run.id)
    change_rule(ctx, rule.id, RuleEntry("at_most", values=(choir,), number=1))
    assert "rules" in list_changes(ctx, made.run.id)
