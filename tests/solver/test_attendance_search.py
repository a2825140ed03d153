"""Plans for guests who may not come, improved on drawn replies."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from app.solver.attendance import _objective
from app.solver.attendance_search import Replies, Seating, _gains, improve_attendance
from app.solver.deadline import Deadline
from app.solver.entry import solve
from app.solver.errors import Unsolvable
from app.solver.feasibility.check import check_feasibility
from app.solver.problem import Objective, Problem, Table
from app.solver.search.blocks import build_blocks
from tests.solver.full_helpers import broken_rules, events


def drawn(problem: Problem, seed: int) -> tuple[Replies, Seating]:
    """Return replies of an event in which each guest comes with some chance, and its first seating under them."""
    rng = np.random.default_rng(seed)
    come = rng.random((20, problem.guest_count)) < rng.choice([0.1, 0.5, 1.0], problem.guest_count)
    try:
        feasible = check_feasibility(problem)
    except Unsolvable:
        reject()
    replies = Replies(problem, build_blocks(problem, feasible.structure), come)
    return replies, Seating(replies, feasible.at)


@settings(max_examples=40, deadline=None)
@given(events(), st.integers(0, 10))
def test_gains_of_all_changes_are_those_of_the_plans_they_lead_to(problem: Problem, seed: int) -> None:
    replies, seating = drawn(problem, seed)
    count = len(seating.at)
    for block in range(count):
        gains, before = _gains(seating, block), replies.value(seating.at)
        for place in np.flatnonzero(gains > -np.inf).tolist():
            then = seating.at.copy()
            then[block] = seating.at[place] if place < count else place - count
            if place < count:
                then[place] = seating.at[block]
            scale = replies.blocks.barrier + abs(before)
            assert gains[place] == pytest.approx(replies.value(then) - before, abs=1e-9 * scale)


@settings(max_examples=40, deadline=None)
@given(events(), st.integers(0, 10))
def test_sums_after_an_exchange_are_those_of_the_new_plan(problem: Problem, seed: int) -> None:
    replies, seating = drawn(problem, seed)
    rng, count = np.random.default_rng(seed), len(seating.at)
    block, other = int(rng.integers(count)), int(rng.integers(count))
    if seating.at[block] == seating.at[other]:
        reject()
    seating.exchange(block, other if seed % 2 else None, int(seating.at[other]))
    again = Seating(replies, seating.at)
    for name in ("sums", "present", "with_table", "seated"):
        assert getattr(seating, name) == pytest.approx(getattr(again, name), abs=1e-6)


@pytest.mark.parametrize("objective", ["average", "total"])
def test_search_and_report_judge_plans_alike(objective: Objective) -> None:
    rng = np.random.default_rng(3)
    scores = np.triu(rng.normal(size=(12, 12)), 1)
    problem = Problem(scores + scores.T, (Table(4, 3), Table(4, 3), Table(5, 3)), objective=objective)
    come = rng.random((50, 12)) < 0.6
    replies = Replies(problem, build_blocks(problem, check_feasibility(problem).structure), come)
    units = 12 if objective == "average" else 1
    for seed in range(5):
        at = np.random.default_rng(seed).permutation(np.repeat([0, 1, 2], 4))
        judged = float(_objective(problem, at, come).mean()) * units
        assert replies.value(at) == pytest.approx(judged)


@settings(max_examples=15, deadline=None)
@given(events(), st.integers(0, 10))
def test_improved_plan_keeps_all_rules_and_is_the_same_again(problem: Problem, seed: int) -> None:
    chances = np.random.default_rng(seed).choice([0.1, 0.5, 1.0], problem.guest_count)
    try:
        plan = solve(problem, restarts=2, seed=seed).assignment
    except Unsolvable:
        reject()
    one, other = (improve_attendance(problem, chances, plan, seed=seed, deadline=Deadline()) for _ in range(2))
    assert broken_rules(problem, one) == []
    assert one.tolist() == other.tolist()


def test_uncertain_guests_are_spread_where_tables_have_minimums() -> None:
    scores = np.zeros((12, 12))
    scores[0, 1] = scores[1, 0] = 0.1  # two uncertain guests who would like to share a table
    problem = Problem(scores, (Table(4, 3),) * 3)
    chances = np.array([0.2] * 3 + [1.0] * 9)
    together = np.repeat([0, 1, 2], 4)
    improved = improve_attendance(problem, chances, together, seed=1, deadline=Deadline())
    assert sorted(improved[:3].tolist()) == [0, 1, 2]


def test_table_is_worth_what_it_is_to_those_who_come() -> None:
    """Two close guests and four who hardly come: a table of them is as good as one of the two alone."""
    scores = np.full((6, 6), 0.0)
    scores[0, 1] = scores[1, 0] = 2.0
    scores[2:, 2:] = 1.0
    np.fill_diagonal(scores, 0.0)
    problem = Problem(scores, (Table(3, 3), Table(3, 3)))
    chances = np.array([1.0, 1.0, 0.1, 0.1, 0.1, 0.1])
    apart = np.array([0, 1, 0, 0, 1, 1])
    improved = improve_attendance(problem, chances, apart, seed=1, deadline=Deadline())
    assert improved[0] == improved[1]


def test_nothing_changes_at_one_table_or_without_time() -> None:
    problem = Problem(np.zeros((4, 4)), (Table(4),))
    plan = np.zeros(4, dtype=np.int64)
    assert improve_attendance(problem, np.full(4, 0.5), plan, seed=1, deadline=Deadline()) is plan
    assert (
        improve_attendance(
            replace(problem, tables=(Table(4, 0),) * 2), np.ones(4), plan, seed=1, deadline=Deadline(0.0)
        ).tolist()
        == [0] * 4
    )
