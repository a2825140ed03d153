"""bound ≥ optimum ≥ plan, on hundreds of small events whose optimum is proven."""

from __future__ import annotations

import numpy as np
import pytest

from app.solver.errors import Unsolvable
from app.solver.problem import Kind, Objective, Problem, Rule, Table
from app.solver.proof.bounds import company_bound, upper_bound
from app.solver.proof.exact import prove
from app.solver.proof.relaxation import relax
from app.solver.proof.semidefinite import semidefinite_bound
from app.solver.score import mean_squared_error, total_score
from tests.solver.full_helpers import blocks_of, solve_quickly


def random_event(seed: int, objective: Objective) -> Problem:
    """Return a small event: whole or real scores, equal or different tables, with and without spare seats."""
    rng = np.random.default_rng(seed)
    guests = int(rng.integers(2, 11))
    scores = rng.integers(-2, 3, (guests, guests)).astype(float) if seed % 2 else rng.normal(size=(guests, guests))
    tables: list[Table] = []
    while sum(table.most for table in tables) < guests:
        most = int(rng.integers(1, 6)) if seed % 3 else 3
        tables.append(Table(most, int(rng.integers(0, 2)) if seed % 5 else 0))
    rules = (Rule("apart", (0, 1)),) if seed % 7 == 0 and len(tables) > 1 else ()
    kind: Kind = "distance" if seed % 4 == 3 else "score"
    return Problem(
        np.abs(scores) if kind == "distance" else scores, tuple(tables), kind=kind, rules=rules, objective=objective
    )


def worth(problem: Problem, assignment) -> float:  # type: ignore[no-untyped-def]
    """Return Σ_t f(n_t)·S_t."""
    if problem.objective == "total":
        return total_score(problem.scores, assignment)
    return -problem.guest_count * mean_squared_error(problem.squared_distances, assignment, len(problem.tables))


@pytest.mark.parametrize("objective", ["average", "total"])
@pytest.mark.parametrize("first", range(0, 150, 25))
def test_no_plan_beats_the_bounds(first: int, objective: Objective) -> None:
    proven = 0
    for seed in range(first, first + 25):
        problem = random_event(seed, objective)
        try:
            result = solve_quickly(problem, restarts=1, threads=1)
        except Unsolvable:
            continue
        best = worth(problem, result.assignment)
        proven += result.proven_optimal
        assert company_bound(problem) >= best - 1e-9
        relaxation = relax(problem, blocks_of(problem)[0])
        for rounds in (1, 7, 90):
            assert semidefinite_bound(relaxation, best - 1.0, lambda: False, rounds=rounds) >= best - 1e-9
    assert proven > 10


@pytest.mark.parametrize("objective", ["average", "total"])
@pytest.mark.parametrize("aim", [-3.0, 0.0, 3.0])
def test_bound_holds_by_itself_wherever_it_aims(objective: Objective, aim: float) -> None:
    for seed in range(12):
        problem = random_event(seed, objective)
        try:
            blocks, at = blocks_of(problem)
        except Unsolvable:
            continue
        best = blocks.value(prove(blocks, at, lambda: False).at)
        rounds = iter([False] * 40 + [True] * 400)
        assert upper_bound(problem, blocks, best + aim, lambda rounds=rounds: next(rounds)) >= best - 1e-7  # type: ignore[misc]


def test_eigenvalues_close_most_of_the_gap_that_company_leaves() -> None:
    scores = np.random.default_rng(3).integers(-2, 3, (36, 36)).astype(float)
    problem = Problem(scores, tuple(Table(6, 6) for _ in range(6)), objective="total")
    best = worth(problem, solve_quickly(problem).assignment)
    relaxation = relax(problem, blocks_of(problem)[0])
    company, eigen = company_bound(problem), semidefinite_bound(relaxation, best, lambda: False, rounds=120)
    assert best <= eigen < best + 0.3 * (company - best)


def test_bound_of_a_plan_without_a_proof_is_reported() -> None:
    scores = np.random.default_rng(3).normal(size=(32, 32))
    result = solve_quickly(Problem(scores, tuple(Table(8, 8) for _ in range(4))))
    assert result.bound is not None
    assert not result.proven_optimal
    assert 0.0 < result.bound < result.mse


def test_two_friends_at_one_table_have_a_bound_that_is_reached() -> None:
    problem = Problem(np.array([[0.0, 2.0], [2.0, 0.0]]), (Table(2),), objective="total")
    assert upper_bound(problem, blocks_of(problem)[0], 2.0, lambda: False) == pytest.approx(2.0)


def test_bound_without_any_rating_is_found_at_any_number_of_tables() -> None:
    for tables in range(2, 12):
        problem = Problem(np.zeros((22, 22)), tuple(Table(-(-22 // tables)) for _ in range(tables)))
        assert upper_bound(problem, blocks_of(problem)[0], 0.0, lambda: False) == pytest.approx(0.0, abs=1e-6)
