"""“Spread evenly” has one meaning: a plan is compared with the numbers that the solver keeps for the event as it is."""

from __future__ import annotations

from random import Random
from uuid import UUID

import numpy as np
import pytest
from sqlalchemy import delete
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.db import models
from app.events.context import open_event
from app.guests.groups import GroupEntry, add_group
from app.plans.moves.value_promises import ValueRules
from app.plans.seating import read_seating
from app.problem.snapshot import copy_problem
from app.rules.edit import RuleEntry, add_rule
from app.solver.feasibility.counts import build_count_limits
from tests.factories import Planned, make_plan


def any_event(session: Session, owner: Actor, chance: Random, *, locks: bool) -> tuple[Planned, UUID]:
    """Return an event with tables, groups, declined and unseated guests by chance, and its rule."""
    sizes = [chance.choice([4, 4, 5, 6]) for _ in range(chance.randint(1, 6))]
    names = [f"Guest {number}" for number in range(chance.randint(2, sum(sizes)))]
    made = make_plan(session, owner, sizes=sizes, names=names)
    ctx = open_event(session, owner, made.event.id)
    ids = [guest.id for guest in made.guests]
    for name in "AB":
        add_group(ctx, GroupEntry(name, guest_ids=chance.sample(ids, chance.randint(1, len(ids)))))
    for table in made.tables:
        table.min_seats = chance.choice([0, 1, 1, 3])
    for guest in chance.sample(made.guests, chance.randint(0, len(ids) // 3)):
        guest.reply = "no"
    unseated = chance.sample(ids, chance.randint(0, len(ids) // 3))
    session.execute(delete(models.Seat).where(models.Seat.plan_id == made.plan.id, models.Seat.guest_id.in_(unseated)))
    if chance.random() < 0.5:
        closed = chance.choice(made.tables)
        made.plan.blocked_seats = [[str(closed.id), seat] for seat in range(chance.randint(1, closed.seats))]
    if locks:
        made.plan.locked_tables = [str(chance.choice(made.tables).id)]
    rule = add_rule(ctx, RuleEntry("spread", field="group", number=chance.randint(0, 1)))
    session.flush()
    session.expire_all()
    return made, rule.id


@pytest.mark.parametrize("seed", range(12))
def test_moves_are_compared_with_the_numbers_of_the_solver(session: Session, owner: Actor, seed: int) -> None:
    chance, locks = Random(seed), seed % 3 == 2
    made, rule = any_event(session, owner, chance, locks=locks)
    snapshot = copy_problem(session, made.event, objective="total")
    guests, problem = snapshot.guest_ids, snapshot.problem
    spread = [one for one in problem.rules if one.kind == "balance"]
    limits = build_count_limits(problem, spread, np.arange(len(guests)))
    checked = ValueRules(read_seating(session, made.plan))
    for place, table in enumerate(snapshot.table_ids):
        for _ in range(20):
            here = chance.sample(range(len(guests)), chance.randint(1, len(guests)))
            counts = limits.own[:, here].sum(axis=1)
            outside = np.maximum(limits.least[:, place] - counts, counts - limits.most[:, place]).clip(0).sum()
            found = checked.severity(rule, table, {guests[guest]: seat for seat, guest in enumerate(here)})
            # A table that is locked later does not make the others wrong.
            assert found <= outside if locks else found == outside


def test_tables_alike_have_the_same_share(session: Session, owner: Actor) -> None:
    """53 guests at 6 tables of 10: one table has 8 guests, and any of them may have only 6 of 42 adults."""
    made = make_plan(session, owner, sizes=[10] * 6, names=[f"Guest {number}" for number in range(53)])
    ctx = open_event(session, owner, made.event.id)
    for guest in made.guests[42:]:
        guest.age_group = "child"
    rule = add_rule(ctx, RuleEntry("spread", field="age_group", number=0))
    session.flush()
    checked = ValueRules(read_seating(session, made.plan))
    adults, children = [guest.id for guest in made.guests[:42]], [guest.id for guest in made.guests[42:]]
    for number, is_kept in ((5, False), (6, True), (8, True), (9, False)):
        here = {guest: seat for seat, guest in enumerate([*adults[:number], *children[:2]])}
        assert {checked.severity(rule.id, table.id, here) == 0 for table in made.tables} == {is_kept}
