"""Nobody alone: fairness is weighed to the end, within the time, and then for the unhappiest guest."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from app.solver.entry import solve
from app.solver.errors import FairnessNeedsScores, NotInPaper, Unsolvable
from app.solver.options import fairness_weight
from app.solver.problem import IntArray, Problem, Table
from app.solver.score import guest_figures
from app.solver.search.blocks import Blocks
from app.solver.search.extended_search import descend_extended, settle_fairly
from app.solver.search.extended_state import build_extended_state
from tests.solver.full_helpers import blocks_of, broken_rules, events, solve_quickly

RELAXED = settings(max_examples=12)


def lonely_problem(guests: int, seed: int = 5, likes: float = 0.08) -> Problem:
    """Return guests who like few others, and a clique that draws everybody's plans apart."""
    scores = np.where(np.random.default_rng(seed).random((guests, guests)) < likes, 2.0, -0.2)
    scores[:6, :6] = 2.0
    return Problem(scores, tuple(Table(6, 6) for _ in range(guests // 6)), objective="total")


def unhappiest(problem: Problem, blocks: Blocks, at: IntArray) -> float:
    """Return the lowest mean score of any guest."""
    return min(figure.mean for figure in guest_figures(problem, blocks.structure.guests_at(at)))


def neighbours_of(blocks: Blocks, at: IntArray) -> list[IntArray]:
    """Return every plan that one move or one swap makes."""
    plans = []
    for block, table in product(range(blocks.count), range(blocks.table_count)):
        plans.append(at.copy())
        plans[-1][block] = table
    for one, other in combinations(range(blocks.count), 2):
        plans.append(at.copy())
        plans[-1][[one, other]] = at[[other, one]]
    return [plan for plan in plans if blocks.keeps_rules(plan)]


def assert_settled(problem: Problem, blocks: Blocks, at: IntArray) -> None:
    """No move and no swap is worth more, or worth as much and better for the unhappiest guest."""
    value, lowest = blocks.value(at), unhappiest(problem, blocks, at)
    for plan in neighbours_of(blocks, at):
        assert blocks.value(plan) <= value + 1e-6
        if blocks.value(plan) >= value:
            assert unhappiest(problem, blocks, plan) <= lowest + 1e-6


@RELAXED
@given(events(most_guests=10), st.sampled_from([0.3, 1.0, 20.0]))
def test_fair_plan_cannot_be_bettered_by_a_move_or_a_swap(problem: Problem, fairness: float) -> None:
    problem = replace(problem, fairness=fairness)
    try:
        blocks, _ = blocks_of(problem)
        result = solve_quickly(problem)
    except Unsolvable:
        reject()
    assert_settled(problem, blocks, blocks.structure.blocks_at(result.assignment))


@RELAXED
@given(events(most_guests=7), st.sampled_from([0.3, 1.0, 20.0]))
def test_fair_plan_is_the_best_of_all_plans(problem: Problem, fairness: float) -> None:
    problem = replace(problem, fairness=fairness)
    try:
        blocks, _ = blocks_of(problem)
        result = solve_quickly(problem)
    except Unsolvable:
        reject()
    plans = (np.array(plan) for plan in product(range(blocks.table_count), repeat=blocks.count))
    best = max(blocks.value(plan) for plan in plans if blocks.keeps_rules(plan))
    assert blocks.value(blocks.structure.blocks_at(result.assignment)) == pytest.approx(best, abs=1e-9)


@RELAXED
@given(events(most_guests=12), st.sampled_from([1, 2]), st.integers(0, 99))
def test_running_counts_agree_with_counting_anew(problem: Problem, depth: int, seed: int) -> None:
    problem = replace(problem, fairness=1.0)
    try:
        blocks, at = blocks_of(problem)
    except Unsolvable:
        reject()
    moved = np.random.default_rng(seed).integers(0, 3, (blocks.table_count, blocks.count))
    extended = build_extended_state(blocks, at, moved, limit=int(moved.max(axis=0).sum()))
    descend_extended(extended, depth, 1e-9, np.zeros(2))
    after = extended.plan.at
    assert blocks.keeps_rules(after)
    assert blocks.value(after) >= blocks.value(at) - 1e-9
    assert int(extended.counts[:-1].sum()) == blocks.alone(after)
    assert int(extended.counts[-1]) == int(moved[after, np.arange(blocks.count)].sum())


def test_fairness_leaves_fewer_guests_alone() -> None:
    problem = lonely_problem(30)
    plain, fair = solve_quickly(problem), solve_quickly(replace(problem, fairness=5.0))
    alone = [sum(not figure.liked for figure in guest_figures(problem, r.assignment)) for r in (plain, fair)]
    assert alone[1] <= alone[0]
    assert fair.total - 5.0 * alone[1] >= plain.total - 5.0 * alone[0] - 1e-9


def test_fairness_is_weighed_also_when_time_ends_the_search() -> None:
    problem = lonely_problem(90, likes=0.04)
    problem = replace(problem, fairness=fairness_weight(problem, "strong"))
    blocks, _ = blocks_of(problem)
    result = solve(problem, restarts=1_000_000, time_limit=1.5)
    at = blocks.structure.blocks_at(result.assignment)
    np.testing.assert_array_equal(settle_fairly(blocks, at), at)
    assert blocks.alone(at) < blocks.alone(blocks.structure.blocks_at(solve_quickly(lonely_problem(90)).assignment))


def test_of_equal_plans_the_one_is_taken_where_the_unhappiest_sits_better() -> None:
    scores = np.zeros((4, 4))
    for one, other, score in ((0, 1, 2.0), (2, 3, -1.0), (0, 2, 0.5), (1, 3, 0.5)):
        scores[one, other] = scores[other, one] = score
    problem = Problem(scores, (Table(2, 2), Table(2, 2)), objective="total", fairness=1e-9)
    result = solve_quickly(problem)
    assert result.assignment[0] == result.assignment[2]
    assert result.assignment[1] == result.assignment[3]


def test_likes_may_be_told_apart_from_scores_above_zero() -> None:
    scores = np.full((6, 6), 0.01)
    likes = np.zeros((6, 6), dtype=bool)
    for one in (0, 2, 4):
        likes[one, one + 1] = likes[one + 1, one] = True
    problem = Problem(scores, tuple(Table(2, 2) for _ in range(3)), fairness=1.0, likes=likes)
    result = solve_quickly(problem)
    assert [int(t) for t in result.assignment[::2]] == [int(t) for t in result.assignment[1::2]]
    assert broken_rules(problem, result.assignment) == []


def test_fairness_is_refused_where_it_would_be_left_out() -> None:
    problem = Problem(np.ones((4, 4)), (Table(2), Table(2)), fairness=1.0)
    with pytest.raises(FairnessNeedsScores):
        solve(replace(problem, kind="distance"))
    with pytest.raises(NotInPaper):
        solve(problem, method="paper")
    with pytest.raises(NotInPaper):
        solve(replace(problem, fairness=0.0, previous=(0, 0, 1, 1), move_cost=1.0), method="paper")


def test_unhappiest_guest_is_lifted_in_any_unit() -> None:
    for seed in range(15, 21):
        scores = np.triu(np.random.default_rng(seed).integers(0, 2, (12, 12)), 1).astype(np.float64)
        scores += scores.T
        settled = []
        for unit in (1.0, 2.0**-30):  # a power of two changes no digit
            problem = Problem(scores * unit, (Table(4, 4),) * 3, objective="total", fairness=0.5 * unit)
            blocks, at = blocks_of(problem)
            settled.append(settle_fairly(blocks, at).tolist())
        assert settled[0] == settled[1]
