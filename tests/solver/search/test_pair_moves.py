"""Nothing is left that a person could improve by moving one or two parties, compared with every such change."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import assume, given, reject, settings

from app.solver.errors import Unsolvable
from app.solver.problem import IntArray, Objective, Problem, Rule, Table
from app.solver.search.blocks import Blocks
from app.solver.search.descend import CHAINS, PAIRS, descend
from app.solver.search.pair_moves import BEST, BEST_AT, LEAVE, NEXT, NEXT_AT, look_around
from app.solver.search.search_state import AT, COUNT, build_search_state
from tests.solver.full_helpers import blocks_of, events, solve_quickly

STEP = 1e-9


def changes_of_two(blocks: Blocks, at: IntArray) -> Iterator[IntArray]:
    """Yield every plan in which two blocks sit elsewhere, or one of them, with all rules kept."""
    for one, other in combinations(range(blocks.count), 2):
        for tables in product(range(blocks.table_count), repeat=2):
            changed = at.copy()
            changed[[one, other]] = tables
            if blocks.keeps_rules(changed):
                yield changed


def best_change(blocks: Blocks, at: IntArray) -> float:
    """Return the most that a change of one or two blocks gains."""
    return max((blocks.value(changed) for changed in changes_of_two(blocks, at)), default=-np.inf) - blocks.value(at)


def wedding(seed: int, objective: Objective) -> Problem:
    """Return 32 guests with parties, rules and spare seats, at tables too large for a proof."""
    rng = np.random.default_rng(seed)
    scores = rng.integers(-2, 3, (32, 32)).astype(float) if seed % 2 else rng.normal(size=(32, 32))
    return Problem(
        scores,
        (Table(17, 4), Table(16, 3), Table(14, 0)),
        parties=((0, 1, 2), (3, 4)),
        rules=(Rule("apart", (5, 6, 7)), Rule("pinned", (8,), (0, 1)), Rule("together", (9, 10))),
        objective=objective,
    )


@settings(max_examples=25)
@given(events(most_guests=9))
def test_no_change_of_one_or_two_parties_improves_what_descent_leaves(problem: Problem) -> None:
    try:
        blocks, at = blocks_of(problem)
    except Unsolvable:
        reject()
    assume(not blocks.fairness)
    search_state = build_search_state(blocks, at)
    descend(search_state, PAIRS, STEP, np.zeros(2))
    assert blocks.keeps_rules(search_state.at)
    assert best_change(blocks, search_state.at) <= 1e-6


@pytest.mark.parametrize(("seed", "objective"), [(1, "average"), (2, "total"), (4, "average")])
def test_full_method_leaves_nothing_that_two_parties_could_improve(seed: int, objective: Objective) -> None:
    problem = wedding(seed, objective)
    result = solve_quickly(problem, restarts=1, seed=seed)
    assert not result.proven_optimal
    blocks, _ = blocks_of(problem)
    assert best_change(blocks, blocks.structure.blocks_at(result.assignment)) <= 1e-6


@settings(max_examples=15)
@given(events(most_guests=9))
def test_prospects_are_the_best_two_tables_also_after_tables_changed(problem: Problem) -> None:
    try:
        blocks, at = blocks_of(problem)
    except Unsolvable:
        reject()
    assume(not blocks.fairness and blocks.table_count > 1)
    fresh = build_search_state(blocks, at)
    changed = np.ones(blocks.table_count, dtype=np.int64)
    prospects, places = np.zeros((3, blocks.count)), np.zeros((2, blocks.count), dtype=np.int64)
    look_around(fresh, changed, 0, prospects, places)
    descend(fresh, CHAINS, STEP, np.zeros(2))
    moved = np.flatnonzero(fresh.at != at)
    changed[np.union1d(at[moved], fresh.at[moved])] = 2
    look_around(fresh, changed, 1, prospects, places)
    for block in range(blocks.count):
        _check_prospects(blocks, fresh.at, block, prospects[:, block], places[:, block])


def _check_prospects(blocks: Blocks, at: IntArray, block: int, prospects, places) -> None:  # type: ignore[no-untyped-def]
    """Compare with the worth of whole plans: to leave and to come is to move."""
    sizes = blocks.structure.sizes
    seated = np.bincount(at, weights=sizes, minlength=blocks.table_count)
    gains = {}
    for table in np.flatnonzero(seated + sizes[block] <= blocks.most):
        moved = at.copy()
        moved[block] = table
        if table != at[block] and blocks.fits_rows(np.flatnonzero(moved == table), int(table)):
            gains[int(table)] = blocks.value(moved) - blocks.value(at)
    if seated[at[block]] - sizes[block] < blocks.least[at[block]]:
        assert prospects[LEAVE] == -np.inf
        return
    best = sorted(gains.values(), reverse=True)[:2]
    for row, place, gain in zip((BEST, NEXT), (BEST_AT, NEXT_AT), best, strict=False):
        assert prospects[LEAVE] + prospects[row] == pytest.approx(gain, abs=1e-6)
        assert gains[int(places[place])] == pytest.approx(gain, abs=1e-6)
    assert (places[len(best) :] == -1).all()


def test_descent_ends_at_once_when_it_is_told_to() -> None:
    blocks, at = blocks_of(Problem(np.random.default_rng(1).normal(size=(40, 40)), (Table(20), Table(20), Table(20))))
    search_state = build_search_state(blocks, at)
    assert descend(search_state, CHAINS, STEP, np.array([1.0, 0.0])) == 0
    assert (search_state.by_block[AT] == at).all()
    assert search_state.by_table[COUNT].sum() == 40
