"""Plans as services: stored from a run, read by role, named and deleted."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.clock import now
from app.errors import Forbidden, NotFound
from app.events.context import open_event
from app.plans import read as plans
from app.plans import versions
from app.plans.save import create_plan
from tests.factories import make_event, make_guests, make_member, make_plan, make_result, make_snapshot, make_tables

PAIRS = np.array([[0, 2, 0, -2], [2, 0, 0, 0], [0, 0, 0, 1], [-2, 0, 1, 0]], dtype=float)


def test_plan_is_stored_as_the_run_found_it(session: Session, owner: Actor) -> None:
    made = make_plan(session, owner, sizes=(2, 2), names=["Aino", "Bo", "Cleo", "Dan"], matrix=PAIRS, bound=0.5)
    view = plans.read_plan(open_event(session, owner, made.event.id), made.plan.id)
    seats = [(t.name, [(g.name, g.seat, g.locked) for g in t.guests]) for t in view.tables]
    assert seats == [
        ("Table 1", [("Aino", 0, False), ("Bo", 1, False)]),
        ("Table 2", [("Cleo", 0, False), ("Dan", 1, False)]),
    ]
    assert (view.mse, view.total, view.bound, view.proven_optimal) == (0.125, 3.0, 0.5, False)
    assert view.figures is not None
    assert (view.figures.restarts, view.figures.method, view.figures.kind) == (1000, "paper", "score")


def test_new_plan_was_last_changed_when_it_was_made(session: Session, owner: Actor) -> None:
    made = make_plan(session, owner)
    assert made.plan.updated_at == made.plan.created_at


def test_figures_tell_how_each_guest_and_table_fares(session: Session, owner: Actor) -> None:
    made = make_plan(session, owner, sizes=(2, 2), names=["Aino", "Bo", "Cleo", "Dan"], matrix=PAIRS)
    view = plans.read_plan(open_event(session, owner, made.event.id), made.plan.id)
    aino, bo = view.tables[0].guests
    assert aino.figure is not None
    assert (aino.figure.mean, aino.figure.best_guest, aino.figure.liked, aino.figure.friends) == (2.0, bo.id, 1, 1)
    assert [t.figure and (t.figure.mean, t.figure.mse) for t in view.tables] == [(2.0, 0.0), (1.0, 0.25)]


def test_guests_removed_while_the_run_went_are_left_out(session: Session, owner: Actor) -> None:
    event = make_event(session, owner)
    guests = make_guests(session, event, ["Aino", "Bo", "Cleo", "Dan"])
    snapshot = make_snapshot(guests, make_tables(session, event, [2, 2]), PAIRS, "score")
    guests[1].removed_at = now()
    session.delete(guests[3])
    session.flush()
    result = make_result(snapshot.problem, bound=0.5, proven_optimal=True)
    plan = create_plan(session, event_id=event.id, run_id=None, snapshot=snapshot, result=result)
    view = plans.read_plan(open_event(session, owner, event.id), plan.id)
    assert [[g.name for g in t.guests] for t in view.tables] == [["Aino"], ["Cleo"]]
    assert (view.mse, view.total, view.bound, view.proven_optimal) == (0.0, 0.0, None, False)


def test_removing_a_guest_later_measures_the_others_again(session: Session, owner: Actor) -> None:
    made = make_plan(session, owner, sizes=(4,), names=["Aino", "Bo", "Cleo", "Dan"], matrix=PAIRS, bound=0.1)
    made.guests[3].removed_at = now()
    session.flush()
    view = plans.read_plan(open_event(session, owner, made.event.id), made.plan.id)
    aino = view.tables[0].guests[0]
    assert aino.figure is not None
    assert (aino.figure.worst, view.total, view.bound) == (0.0, 2.0, None)
    made.guests[3].removed_at = None
    session.flush()
    again = plans.read_plan(open_event(session, owner, made.event.id), made.plan.id)
    assert (again.total, again.bound, again.guest_count) == (1.0, 0.1, 4)


def test_guest_added_later_is_named_as_not_seated(session: Session, owner: Actor) -> None:
    made = make_plan(session, owner, sizes=(4,), names=["Aino", "Bo"])
    make_guests(session, made.event, ["Late"])
    assert plans.read_plan(open_event(session, owner, made.event.id), made.plan.id).unseated == ("Late",)


def test_viewer_sees_names_and_tables_without_figures(session: Session, owner: Actor) -> None:
    made = make_plan(session, owner, sizes=(2, 2), names=["Aino", "Bo", "Cleo", "Dan"], matrix=PAIRS, bound=0.5)
    viewer = make_member(session, made.event.id, "viewer")
    view = plans.read_plan(open_event(session, viewer, made.event.id), made.plan.id)
    assert [[g.name for g in t.guests] for t in view.tables] == [["Aino", "Bo"], ["Cleo", "Dan"]]
    assert (view.mse, view.total, view.bound, view.figures, view.can_edit) == (None, None, None, None, False)
    assert all(table.figure is None and all(g.figure is None for g in table.guests) for table in view.tables)


def test_viewer_cannot_rename_or_delete(session: Session, owner: Actor) -> None:
    made = make_plan(session, owner, sizes=(2,), names=["Aino", "Bo"])
    viewer = make_member(session, made.event.id, "viewer")
    with pytest.raises(Forbidden):
        versions.rename_plan(open_event(session, viewer, made.event.id), made.plan.id, "Mine")
    with pytest.raises(Forbidden):
        versions.delete_plan(open_event(session, viewer, made.event.id), made.plan.id)


def test_stranger_cannot_see_plan(session: Session, owner: Actor) -> None:
    made = make_plan(session, owner, sizes=(2,), names=["Aino", "Bo"])
    other = make_plan(session, owner, sizes=(2,), names=["Aino", "Bo"])
    stranger = make_member(session, other.event.id, "editor")
    with pytest.raises(NotFound):
        plans.read_plan(open_event(session, stranger, made.event.id), made.plan.id)
    with pytest.raises(NotFound):
        plans.read_plan(open_event(session, stranger, other.event.id), made.plan.id)


def test_plan_of_a_big_event_stays_small(session: Session, owner: Actor) -> None:
    rng = np.random.default_rng(1)
    names = [f"Guest {number}" for number in range(600)]
    made = make_plan(session, owner, sizes=[10] * 60, names=names, matrix=rng.uniform(-2, 2, (600, 600)))
    assert len(json.dumps(made.plan.figures)) < 120 * 600


def test_guests_who_are_all_alike_have_a_place_on_the_map(session: Session, owner: Actor) -> None:
    event = make_event(session, owner)
    guests = make_guests(session, event, ["Aino", "Bo"])
    snapshot = make_snapshot(guests, make_tables(session, event, [2]), None, "score")
    result = make_result(snapshot.problem)
    flat = type(result)(**{**result.__dict__, "positions": np.zeros((2, 0))})
    plan = create_plan(session, event_id=event.id, run_id=None, snapshot=snapshot, result=flat)
    figures = plans.read_plan(open_event(session, owner, event.id), plan.id).figures
    assert figures is not None
    assert list(figures.positions.values()) == [(0.0, 0.0), (0.0, 0.0)]
