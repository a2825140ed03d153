"""Two plans compared: everyone who moves, what it gains for them, and what stays the same."""

from __future__ import annotations

import numpy as np
import pytest
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.db import models
from app.errors import NotFound
from app.events.context import EventContext, open_event
from app.plans import versions
from app.plans.comparison import compare_plans
from app.plans.moves import edit
from app.plans.moves.edit import MoveEntry
from app.plans.save import create_plan
from app.plans.views.comparison import list_moves, summarise
from app.problem.packing import pack
from tests.factories import Planned, make_member, make_plan, make_result, make_snapshot

NAMES = ["Aino", "Bo", "Cleo", "Dan", "Eve", "Finn"]
# Aino and Dan are close, so are Bo and Cleo; Eve and Finn do not mind anybody.
SCORES = np.zeros((6, 6))
SCORES[[0, 3, 1, 2], [3, 0, 2, 1]] = 2.0


@pytest.fixture
def made(session: Session, owner: Actor) -> Planned:
    """Aino and Bo, Cleo and Dan, Eve and Finn at tables of two."""
    return make_plan(session, owner, sizes=(2, 2, 2), names=NAMES, matrix=SCORES)


def swapped(session: Session, owner: Actor, made: Planned) -> tuple[EventContext, models.Plan]:
    """Copy the plan and let Bo and Dan change places."""
    ctx = open_event(session, owner, made.event.id)
    copy = versions.duplicate_plan(ctx, made.plan.id)
    edit.make_move(ctx, copy.id, MoveEntry("swap", made.guests[1].id, other=made.guests[3].id))
    session.expire_all()
    return ctx, copy


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e9])
@pytest.mark.parametrize(("with_aino", "gain"), [(1.01, "same"), (1.5, "better"), (0.5, "worse")])
def test_gains_are_told_whatever_ratings_are_measured_in(
    session: Session, owner: Actor, unit: float, with_aino: float, gain: str
) -> None:
    scores = np.zeros((6, 6))
    for one, other, score in ((2, 3, 1.0), (0, 3, with_aino), (0, 1, 2.0)):
        scores[one, other] = scores[other, one] = score * unit
    made = make_plan(session, owner, sizes=(2, 2, 2), names=NAMES, matrix=scores)
    ctx, copy = swapped(session, owner, made)
    moves = compare_plans(ctx, made.plan.id, copy.id).moves
    assert [move.gain for move in moves if move.name == "Dan"] == [gain]


def test_everyone_who_moves_is_listed_with_what_it_gains(session: Session, owner: Actor, made: Planned) -> None:
    ctx, copy = swapped(session, owner, made)
    compared = compare_plans(ctx, made.plan.id, copy.id)
    assert [
        (move.name, move.before and move.before.name, move.after and move.after.name, move.gain)
        for move in compared.moves
    ] == [
        ("Bo", "Table 1", "Table 2", "better"),
        ("Dan", "Table 2", "Table 1", "better"),
    ]
    assert [table.name for table in compared.same_tables] == ["Table 3"]
    assert [(move.before, move.after, move.gain_text, move.why) for move in list_moves(compared)] == [
        ("was at Table 1", "now at Table 2", "sits better", "close to Cleo; before: nobody they like at this table"),
        ("was at Table 2", "now at Table 1", "sits better", "close to Aino; before: nobody they like at this table"),
    ]
    assert summarise(compared).startswith(
        "2 guests sit at a different table: 2 better. As a whole, Copy of Version 1 is "
    )


def test_back_again_it_is_worse(session: Session, owner: Actor, made: Planned) -> None:
    ctx, copy = swapped(session, owner, made)
    compared = compare_plans(ctx, copy.id, made.plan.id)
    assert [(move.name, move.gain) for move in compared.moves] == [("Dan", "worse"), ("Bo", "worse")]


def test_plan_compared_with_itself_moves_nobody(session: Session, owner: Actor, made: Planned) -> None:
    compared = compare_plans(open_event(session, owner, made.event.id), made.plan.id, made.plan.id)
    assert (compared.moves, len(compared.same_tables)) == ((), 3)
    assert summarise(compared) == "Everyone sits at the same table in both plans."


def test_viewer_sees_who_moves_but_not_what_it_gains(session: Session, owner: Actor, made: Planned) -> None:
    _, copy = swapped(session, owner, made)
    viewer = open_event(session, make_member(session, made.event.id, "viewer"), made.event.id)
    compared = compare_plans(viewer, made.plan.id, copy.id)
    assert [(move.name, move.gain) for move in compared.moves] == [("Bo", None), ("Dan", None)]
    assert {move.why for move in list_moves(compared)} == {""}
    assert summarise(compared) == "2 guests sit at a different table."


def test_guest_with_a_seat_in_one_plan_only_is_listed(session: Session, owner: Actor, made: Planned) -> None:
    ctx = open_event(session, owner, made.event.id)
    copy = versions.duplicate_plan(ctx, made.plan.id)
    session.delete(session.get_one(models.Seat, (made.plan.id, made.guests[0].id)))
    session.flush()
    there, back = compare_plans(ctx, made.plan.id, copy.id), compare_plans(ctx, copy.id, made.plan.id)
    assert [(m.name, m.before, m.after) for m in list_moves(there)] == [("Aino", "had no seat", "now at Table 1")]
    assert [(m.name, m.before, m.after) for m in list_moves(back)] == [("Aino", "was at Table 1", "has no seat now")]


def test_plans_of_two_runs_are_measured_by_the_newer_ratings(session: Session, owner: Actor, made: Planned) -> None:
    snapshot = make_snapshot(made.guests, made.tables, -SCORES, "score")
    run = models.Run(event_id=made.event.id, status="done", method="full", objective="average", restarts=1, seed=1)
    run.time_limit, run.problem = 1.0, pack(snapshot)
    session.add(run)
    session.flush()
    result = make_result(snapshot.problem, [0, 1, 1, 0, 2, 2])
    newer = create_plan(session, event_id=made.event.id, run_id=run.id, snapshot=snapshot, result=result)
    ctx = open_event(session, owner, made.event.id)
    # By the ratings of the first run both would sit better; by those of now they should keep away from each other.
    for one, other, gain in ((made.plan, newer, "worse"), (newer, made.plan, "better")):
        compared = compare_plans(ctx, one.id, other.id)
        assert {move.gain for move in compared.moves} == {gain}
        assert compared.measured_again == made.plan.id


def test_plan_of_another_event_is_not_compared(session: Session, owner: Actor, made: Planned) -> None:
    other = make_plan(session, owner)
    with pytest.raises(NotFound):
        compare_plans(open_event(session, owner, made.event.id), made.plan.id, other.plan.id)
