"""The relaxation holds every plan, so its bound is never below the best of all plans."""

from __future__ import annotations

from itertools import combinations, permutations, product

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from app.solver.errors import Unsolvable
from app.solver.problem import FloatArray, IntArray, Problem, Rule, Table
from app.solver.proof.relaxation import Relaxation, relax
from app.solver.proof.semidefinite import bound_at, nearest_with_eigenvalues, semidefinite_bound
from app.solver.proof.triangles import Triangles, no_triangles, renew, violated_triangles
from app.solver.search.blocks import Blocks
from tests.solver.full_helpers import blocks_of, events, group_events


def every_plan(blocks: Blocks) -> list[IntArray]:
    """List all plans that keep the rules."""
    plans = map(np.array, product(range(blocks.table_count), repeat=blocks.count))
    return [plan for plan in plans if blocks.keeps_rules(plan)]


def as_matrix(blocks: Blocks, relaxation: Relaxation, at: IntArray, average: bool) -> FloatArray:
    """Lay a plan out as Y, empty chairs included where the relaxation counts them."""
    sizes, most = blocks.structure.sizes, int(blocks.most.max())
    seated = np.bincount(at, weights=sizes, minlength=blocks.table_count).astype(int)
    padding = len(relaxation.roots) - blocks.count
    empty = np.repeat(np.arange(blocks.table_count), most - seated) if padding else np.zeros(0, dtype=int)
    everyone = np.concatenate([at, empty])
    shared = (everyone[:, None] == everyone) / (seated[everyone] if average else 1.0)
    return np.asarray(shared * np.outer(relaxation.roots, relaxation.roots))


def pairs_value(blocks: Blocks, at: IntArray) -> float:
    """Return V without what moves and guests left alone cost."""
    linear = float(blocks.linear[at, np.arange(blocks.count)].sum())
    return blocks.value(at) + blocks.fairness * blocks.alone(at) - linear


@settings(max_examples=30)
@given(st.one_of(events(most_guests=6), group_events(most_guests=6)))
def test_bound_is_never_below_the_best_of_all_plans(problem: Problem) -> None:
    try:
        blocks, _ = blocks_of(problem)
    except Unsolvable:
        reject()
    best = max(pairs_value(blocks, at) for at in every_plan(blocks))
    for rounds in (1, 25, 150):
        assert semidefinite_bound(relax(problem, blocks), -np.inf, lambda: False, rounds) >= best - 1e-9


@settings(max_examples=25)
@given(st.one_of(events(most_guests=6), group_events(most_guests=6)), st.integers(0, 1000))
def test_relaxation_holds_every_plan(problem: Problem, seed: int) -> None:
    try:
        blocks, _ = blocks_of(problem)
    except Unsolvable:
        reject()
    relaxation = relax(problem, blocks)
    prices = np.random.default_rng(seed).normal(size=relaxation.weights.shape)
    prices += prices.T
    for at in every_plan(blocks)[:20]:
        matrix = as_matrix(blocks, relaxation, at, problem.objective == "average")
        assert (relaxation.low - 1e-12 <= matrix).all()
        assert (matrix <= relaxation.high + 1e-12).all()
        assert (relaxation.weights * matrix).sum() == pytest.approx(pairs_value(blocks, at))
        assert nearest_with_eigenvalues(relaxation, matrix) == pytest.approx(matrix, abs=1e-6)
        assert not violated_triangles(matrix / np.outer(relaxation.roots, relaxation.roots), 9).size
        assert bound_at(relaxation, relaxation.weights, prices) >= (relaxation.weights * matrix).sum() - 1e-9


def test_violated_triangles_are_those_of_a_search_through_all() -> None:
    shared = np.random.default_rng(3).random((9, 9)) * 0.8
    shared = (shared + shared.T) / 2
    np.fill_diagonal(shared, 1.0)
    excess = {
        (i, j, k): shared[i, j] + shared[i, k] - shared[j, k] - 1.0
        for i in range(9)
        for j, k in combinations([c for c in range(9) if c != i], 2)
    }
    wanted = sorted((corners for corners in excess if excess[corners] > 1e-3), key=lambda corners: -excess[corners])
    found = [tuple(column) for column in violated_triangles(shared, 1000).T.tolist()]
    assert found == wanted
    assert len(found) > 5


def test_prices_as_a_matrix_weigh_the_excess() -> None:
    rng = np.random.default_rng(1)
    roots, corners = np.sqrt(rng.integers(1, 5, 6)), np.array(list(permutations(range(6), 3))).T
    triangles = Triangles(corners, rng.random((corners.shape[1],)), roots)
    solution = rng.random((6, 6))
    solution += solution.T
    weighed = (triangles.as_matrix(triangles.prices) * solution).sum()
    assert weighed == pytest.approx(triangles.prices @ triangles.excess(solution))
    dense = np.array([triangles.as_matrix(row).ravel() for row in np.eye(corners.shape[1])])
    assert triangles.norm() == pytest.approx(np.linalg.norm(dense, 2) ** 2, rel=0.1)


def test_triangles_without_a_price_are_dropped_and_known_ones_kept_once() -> None:
    shared = np.full((5, 5), 0.7)
    shared[0, 1] = shared[1, 0] = 0.0
    np.fill_diagonal(shared, 1.0)
    first = renew(no_triangles(np.ones(5)), shared, 2)
    assert first.corners.shape == (3, 2)
    priced = Triangles(first.corners, np.array([1.0, 0.0]), first.roots)
    second = renew(priced, shared, 100)
    assert second.prices.tolist() == [1.0] + [0.0] * (second.corners.shape[1] - 1)
    assert len({tuple(column) for column in second.corners.T.tolist()}) == second.corners.shape[1] == 3


def test_parties_make_the_bound_lower() -> None:
    scores = np.random.default_rng(5).normal(size=(24, 24))
    tables = tuple(Table(6, 6) for _ in range(4))
    parties = tuple((guest, guest + 1) for guest in range(0, 24, 2))
    bounds = []
    for problem in (Problem(scores, tables), Problem(scores, tables, parties=parties)):
        bounds.append(semidefinite_bound(relax(problem, blocks_of(problem)[0]), -np.inf, lambda: False, 100))
    assert bounds[1] < bounds[0]


def test_guests_who_must_stay_apart_make_the_bound_lower() -> None:
    scores = np.zeros((9, 9))
    scores[0, 1] = scores[1, 0] = 2.0
    tables = tuple(Table(3, 3) for _ in range(3))
    problem = Problem(scores, tables, rules=(Rule("apart", (0, 1)),), objective="total")
    blocks, _ = blocks_of(problem)
    assert semidefinite_bound(relax(problem, blocks), -np.inf, lambda: False, 100) == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("size", [1e-200, 1e150, 1e300])
def test_bound_of_tiny_and_huge_scores_is_a_number(size: float) -> None:
    scores = np.random.default_rng(5).normal(size=(12, 12))
    bounds = []
    for factor in (1.0, size):
        problem = Problem(factor * scores, tuple(Table(4, 4) for _ in range(3)), objective="total")
        bounds.append(semidefinite_bound(relax(problem, blocks_of(problem)[0]), -np.inf, lambda: False, 50) / factor)
    assert bounds[1] == pytest.approx(bounds[0], rel=1e-6)
