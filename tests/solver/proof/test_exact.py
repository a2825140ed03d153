"""The proof finds the best plan there is: compared with every plan, one by one."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from app.solver.entry import solve
from app.solver.errors import Unsolvable
from app.solver.problem import Objective, Problem, Table, collect_ratings
from app.solver.proof.exact import best_prices, prove
from app.solver.proof.table_sets import count_sets, list_kinds, list_sets
from app.solver.search.blocks import Blocks
from tests.solver.full_helpers import blocks_of, events, solve_quickly


def best_value(blocks: Blocks) -> float:
    """Try every plan."""
    plans = product(range(blocks.table_count), repeat=blocks.count)
    return max(blocks.value(np.array(plan)) for plan in plans if blocks.keeps_rules(np.array(plan)))


@settings(max_examples=40)
@given(events(most_guests=7))
def test_proven_plan_is_the_best_of_all_plans(problem: Problem) -> None:
    try:
        blocks, _ = blocks_of(problem)
        result = solve_quickly(problem, restarts=1)
    except Unsolvable:
        reject()
    if result.proven_optimal:
        found = blocks.value(blocks.structure.blocks_at(result.assignment))
        assert found == pytest.approx(best_value(blocks), abs=1e-9)


@settings(max_examples=40)
@given(events(most_guests=7), st.booleans())
def test_proof_from_a_poor_plan_finds_the_best_one(problem: Problem, is_over: bool) -> None:
    try:
        blocks, at = blocks_of(problem)
    except Unsolvable:
        reject()
    proof = prove(blocks, at, lambda: is_over)
    best = best_value(blocks)
    assert proof.bound >= best - 1e-9
    assert blocks.keeps_rules(proof.at)
    assert blocks.value(proof.at) >= blocks.value(at)
    if not is_over:
        assert proof.is_optimal
    if proof.is_optimal:
        assert blocks.value(proof.at) == pytest.approx(best, abs=1e-9)


@settings(max_examples=40)
@given(events(most_guests=7))
def test_every_table_of_every_plan_is_a_listed_set_with_its_worth(problem: Problem) -> None:
    try:
        blocks, _ = blocks_of(problem)
    except Unsolvable:
        reject()
    kinds = list_kinds(blocks)
    worth = {
        (table, int(one)): value
        for kind in kinds
        for table in kind.tables
        for one, value in zip(kind.sets, kind.worth, strict=True)
    }
    assert len(list_sets(blocks)[0]) <= (count_sets(blocks) or 0)
    for plan in product(range(blocks.table_count), repeat=blocks.count):
        at = np.array(plan)
        if blocks.keeps_rules(at):
            sets = [sum(1 << int(b) for b in np.flatnonzero(at == table)) for table in range(blocks.table_count)]
            total = sum(worth[table, one] for table, one in enumerate(sets))
            assert total == pytest.approx(blocks.value(at), abs=1e-6)


def test_poor_prices_still_bound_every_plan() -> None:
    problem = Problem(np.random.default_rng(2).normal(size=(7, 7)), (Table(4), Table(4)), objective="total")
    blocks, at = blocks_of(problem)
    first = best_prices(blocks, list_kinds(blocks), at, lambda: True)
    assert first.bound >= best_value(blocks) - 1e-9


@pytest.mark.parametrize("objective", ["average", "total"])
def test_paper_sized_party_is_proven(objective) -> None:  # type: ignore[no-untyped-def]
    scores = np.random.default_rng(8).integers(-2, 3, (16, 16)).astype(float)
    problem = Problem(scores, tuple(Table(s, s) for s in (4, 3, 5, 4)), objective=objective)
    result = solve_quickly(problem, restarts=8)
    assert result.proven_optimal
    assert result.bound == pytest.approx(result.mse if objective == "average" else result.total)


@pytest.mark.parametrize("objective", ["average", "total"])
def test_plan_without_a_choice_is_proven_at_any_size(objective: Objective) -> None:
    scores = np.random.default_rng(8).integers(-2, 3, (90, 90)).astype(float)
    one_table = Problem(scores, (Table(100),), objective=objective)
    locked = tuple((guest, guest % 9) for guest in range(90))
    all_locked = Problem(scores, (Table(10),) * 9, locked=locked, objective=objective)
    for problem in (one_table, all_locked):
        result = solve_quickly(problem, restarts=2)
        assert result.proven_optimal
        assert result.bound == pytest.approx(result.mse if objective == "average" else result.total)


@pytest.mark.parametrize("form", ["ratings", "points"])
def test_one_table_is_proven_without_a_matrix_too(form: str) -> None:
    rng = np.random.default_rng(1)
    first, second = rng.integers(0, 3100, (2, 9000))
    given: dict[str, dict[str, Any]] = {
        "ratings": {"ratings": collect_ratings(3100, first, second, rng.integers(-2, 3, 9000))},
        "points": {"points": rng.normal(size=(3100, 2)), "kind": "distance"},
    }
    result = solve(Problem(np.zeros((0, 0)), (Table(3200),), **given[form]), restarts=1)
    assert result.proven_optimal
    assert result.bound == pytest.approx(result.mse)


def test_proof_that_is_over_between_kinds_of_tables_keeps_the_plan() -> None:
    problem = Problem(np.random.default_rng(3).normal(size=(12, 12)), (Table(3, 3), Table(4, 4), Table(5, 5)))
    blocks, at = blocks_of(problem)
    asked = [False] * 60
    for moment in range(0, 60, 7):
        answers = iter([*asked[:moment], *[True] * 1000])
        proof = prove(blocks, at, lambda answers=answers: next(answers))  # type: ignore[misc]
        assert blocks.keeps_rules(proof.at)
        assert proof.bound >= blocks.value(proof.at) - 1e-9


def test_published_wedding_of_seventeen_reaches_its_proven_optimum() -> None:
    """Bellows & Peterson, "Finding an optimal seating chart for a wedding": 276 at five tables of at most four."""
    scores = np.zeros((17, 17))
    scores[:9, :9] = scores[9:, 9:] = 1
    for one, other, score in ((0, 1, 50), (2, 3, 50), (4, 5, 50), (6, 7, 50), (9, 10, 50), (2, 8, 10)):
        scores[one, other] = scores[other, one] = score
    for tables, optimum in (((4,) * 5, 276), ((10,) * 2, 318)):
        problem = Problem(scores, tuple(Table(most) for most in tables), objective="total")
        result = solve_quickly(problem, restarts=8)
        assert result.proven_optimal
        assert result.total == optimum
