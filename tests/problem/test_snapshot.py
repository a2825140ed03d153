"""Snapshots: what a run solves, by value."""

from __future__ import annotations

from dataclasses import replace
from uuid import uuid4

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.errors import Invalid
from app.events.context import open_event
from app.problem.packing import pack, unpack
from app.problem.snapshot import Snapshot, names_in, take_snapshot, with_names
from app.ratings.change import Entry, put_ratings
from app.rules.edit import RuleEntry, add_rule
from app.solver import Problem, Rule, Table
from tests.factories import make_event, make_guests, make_tables


def snapshot_of(matrix: np.ndarray) -> Snapshot:
    n = len(matrix)
    problem = Problem(
        matrix=matrix,
        tables=(Table(most=n, least=1, name="Birch 🌳"), Table(most=3, name="טבלה", shape="long")),
        kind="distance",
        names=tuple(f"Guest {i}" for i in range(n)),
        parties=((0, 1),),
        rules=(Rule("apart", (0, 1)), Rule("pinned", (0,), (0, 1))),
        locked=((0, 1),),
        objective="total",
        fairness=0.5,
        previous=(0,) * n,
        move_cost=0.25,
    )
    return Snapshot(problem, tuple(uuid4() for _ in range(n)), (uuid4(), uuid4()))


@given(st.integers(1, 12), st.sampled_from([1.0, 0.5, 0.1, np.pi]), st.integers(0, 1000))
def test_unpacked_snapshot_is_the_one_that_was_packed(n: int, unit: float, seed: int) -> None:
    values = np.random.default_rng(seed).integers(0, 9, (n, n)) * unit
    before = snapshot_of(values)
    after = with_names(unpack(pack(before)), names_in(before))
    assert np.array_equal(after.problem.symmetric, before.problem.symmetric)
    assert (after.guest_ids, after.table_ids) == (before.guest_ids, before.table_ids)
    nothing = np.zeros((0, 0))
    assert replace(after.problem, matrix=nothing) == replace(before.problem, matrix=nothing)


def test_levels_take_little_room_and_measured_distances_are_not_tried_in_vain() -> None:
    rng, n = np.random.default_rng(1), 300
    pairs = n * (n - 1) // 2
    assert len(pack(snapshot_of(rng.integers(-2, 3, (n, n)).astype(float)))) < 2 * pairs
    assert len(pack(snapshot_of(rng.random((n, n))))) > 8 * pairs


def test_snapshot_holds_guests_tables_ratings_parties_and_rules(session: Session, owner: Actor) -> None:
    event = make_event(session, owner)
    aino, bo, cleo = make_guests(session, event, ["Aino", "Bo", "Cleo"])
    first, second = make_tables(session, event, (2, 2))
    put_ratings(open_event(session, owner, event.id), [Entry(aino.id, bo.id, 2.0), Entry(bo.id, aino.id, 1.0)])
    add_rule(open_event(session, owner, event.id), RuleEntry("apart", (bo.id, cleo.id)))
    add_rule(open_event(session, owner, event.id), RuleEntry("pinned", (cleo.id,), (second.id,)))
    snapshot = take_snapshot(session, event, objective="total")
    problem = snapshot.problem
    assert snapshot.guest_ids == (aino.id, bo.id, cleo.id)
    assert snapshot.table_ids == (first.id, second.id)
    assert problem.names == ("Aino", "Bo", "Cleo")
    assert [(table.most, table.least) for table in problem.tables] == [(2, 0), (2, 0)]
    assert np.array_equal(problem.symmetric, np.array([[0, 1.5, 0], [1.5, 0, 0], [0, 0, 0]]))
    assert problem.rules == (Rule("apart", (1, 2)), Rule("pinned", (2,), (1,)))
    assert problem.objective == "total"


@pytest.mark.parametrize(
    ("guests", "sizes", "least", "message"),
    [
        (0, (4,), 0, "Add guests to seat."),
        (4, (), 0, "Add tables."),
        (0, (), 0, "Add guests to seat. Add tables."),
        (22, (4, 4, 5, 5), 0, "18 seats for 22 guests: 4 more seats needed. Add tables or seats."),
        (2, (1,), 0, "1 seat for 2 guests: 1 more seat needed. Add tables or seats."),
        (
            3,
            (4, 4),
            2,
            "The tables need at least 4 guests; you have 3. Lower the minimum of a table, or delete a table.",
        ),
    ],
)
def test_what_stands_in_the_way_is_said_in_plain_words(
    session: Session, owner: Actor, guests: int, sizes: tuple[int, ...], least: int, message: str
) -> None:
    event = make_event(session, owner)
    make_guests(session, event, [f"Guest {number}" for number in range(guests)])
    for table in make_tables(session, event, sizes):
        table.min_seats = least
    session.flush()
    with pytest.raises(Invalid) as refused:
        take_snapshot(session, event, objective="average")
    assert refused.value.message == message
