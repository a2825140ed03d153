"""Every kernel does what the plain numpy beside it says."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, reject, settings
from hypothesis import strategies as st

from app.solver.errors import Unsolvable
from app.solver.numba_support.random_numbers import below, random_state, uniform
from app.solver.problem import IntArray, Problem, Table
from app.solver.proof.exact import prove
from app.solver.search import temper as tempering
from app.solver.search.anneal import Schedule, anneal, random_swap_deltas
from app.solver.search.blocks import Blocks
from app.solver.search.descend import descend
from app.solver.search.search_state import AT, SEATED, build_search_state, exchange_delta, move_block
from app.solver.search.table_rules import tables_keep_rules
from app.solver.search.temper import make_ladder, temper
from tests.solver.full_helpers import blocks_of, events

RELAXED = settings(max_examples=40)


@RELAXED
@given(events(with_rules=True), st.integers(0, 1000))
def test_weighing_an_exchange_gives_the_difference_of_both_plans(problem: Problem, seed: int) -> None:
    blocks, at = _blocks_or_skip(problem)
    assume(not blocks.fairness and blocks.table_count > 1)
    rng = np.random.default_rng(seed)
    s, t = rng.choice(blocks.table_count, 2, replace=False)
    here, there = np.flatnonzero(at == s), np.flatnonzero(at == t)
    a_set, c_set = here[: rng.integers(0, 3)], there[: rng.integers(0, 3)]
    sets = np.zeros((3, 4), np.int64)
    sets[0, : len(a_set)], sets[1, : len(c_set)] = a_set, c_set
    after = at.copy()
    after[a_set], after[c_set] = t, s
    delta = exchange_delta(build_search_state(blocks, at), sets, len(a_set), len(c_set), s, t)
    np.testing.assert_allclose(delta, blocks.value(after) - blocks.value(at), atol=1e-6)


@RELAXED
@given(events(), st.integers(0, 1000))
def test_rows_find_room_after_an_exchange_where_the_reference_says_so(problem: Problem, seed: int) -> None:
    blocks, at = _blocks_or_skip(problem)
    assume(blocks.table_count > 1)
    rng = np.random.default_rng(seed)
    at = rng.integers(0, blocks.table_count, blocks.count)
    s, t = rng.choice(blocks.table_count, 2, replace=False)
    a_set, c_set = (np.flatnonzero(at == table)[: rng.integers(0, 4)] for table in (s, t))
    sets = np.zeros((3, 4), np.int64)
    sets[0, : len(a_set)], sets[1, : len(c_set)] = a_set, c_set
    after = at.copy()
    after[a_set], after[c_set] = t, s
    search_state = build_search_state(blocks, at)
    fits = tables_keep_rules(search_state, sets, len(a_set), len(c_set), s, t)
    assert fits == all(blocks.fits_rows(np.flatnonzero(after == table), int(table)) for table in (s, t))


@RELAXED
@given(events(), st.integers(0, 1000))
def test_moving_blocks_keeps_every_running_sum(problem: Problem, seed: int) -> None:
    blocks, at = _blocks_or_skip(problem)
    search_state = build_search_state(blocks, at)
    rng = np.random.default_rng(seed)
    for _ in range(5):
        block, table = int(rng.integers(blocks.count)), int(rng.integers(blocks.table_count))
        if search_state.by_block[AT, block] != table:
            move_block(search_state, block, table)
    fresh = build_search_state(blocks, search_state.at)
    np.testing.assert_allclose(search_state.gains, fresh.gains, atol=1e-6)
    np.testing.assert_allclose(search_state.sums, fresh.sums, atol=1e-6)
    assert (search_state.by_table[SEATED] == fresh.by_table[SEATED]).all()
    for table in range(blocks.table_count):
        count = search_state.by_table[3, table]
        assert set(search_state.members[table, :count]) == set(np.flatnonzero(search_state.at == table))


@RELAXED
@given(events(), st.integers(0, 1000), st.integers(1, 3))
def test_annealing_never_breaks_a_rule(problem: Problem, seed: int, cycles: int) -> None:
    blocks, at = _blocks_or_skip(problem)
    search_state = build_search_state(blocks, at)
    plan, _ = anneal(search_state, Schedule(1.0, 0.05, 1280, cycles), random_state(seed, 0), np.zeros(2))
    assert blocks.keeps_rules(plan)


@RELAXED
@given(events(), st.integers(0, 1000))
def test_tempering_never_breaks_a_rule_and_is_never_worse_than_its_start(problem: Problem, seed: int) -> None:
    blocks, at = _blocks_or_skip(problem)
    assume(not blocks.fairness and blocks.table_count > 1 and len(blocks.movable) > 1)
    ladder = make_ladder(1.0, 0.2, 40, 60_000, 4)
    plan, steps = temper([build_search_state(blocks, at)], ladder, random_state(seed, 0), np.zeros(2))
    assert steps >= 60_000
    assert blocks.keeps_rules(plan)
    assert blocks.value(plan) >= blocks.value(at) - 1e-6


def test_tempering_finds_the_best_plan_of_a_small_event_and_leaves_its_start_alone() -> None:
    rng = np.random.default_rng(4)
    problem = Problem(rng.normal(size=(12, 12)), (Table(4, 4), Table(4, 4), Table(4, 4)))
    blocks, at = blocks_of(problem)
    search_state = build_search_state(blocks, at)
    plan, _ = temper([search_state], make_ladder(3.0, 0.02, 12, 20_000_000, 4), random_state(1, 0), np.zeros(2))
    best = prove(blocks, at, lambda: False)
    assert best.is_optimal
    assert abs(blocks.value(plan) - blocks.value(best.at)) < 1e-9
    assert (search_state.at == at).all()


def test_tempering_hands_out_better_plans_while_it_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempering, "SLICE", 1_000_000)
    blocks, at = blocks_of(Problem(np.random.default_rng(5).normal(size=(120, 120)), (Table(10, 10),) * 12))
    ladder, offered = make_ladder(1.5, 0.5, 120, 20_000_000, 64), list[IntArray]()
    plan, _ = temper([build_search_state(blocks, at)], ladder, random_state(1, 0), np.zeros(2), offered.append)
    values = [blocks.value(one) for one in offered]
    assert values == sorted(set(values))
    assert len(values) > 1
    assert all(blocks.keeps_rules(one) for one in offered)
    assert (offered[-1] == plan).all()


def test_tempering_ends_when_it_is_told_to() -> None:
    blocks, at = blocks_of(Problem(np.random.default_rng(3).normal(size=(30, 30)), (Table(10, 10),) * 3))
    ladder = make_ladder(1.0, 0.1, 30, 1 << 50, 64)
    for control in (np.array([1.0, 0.0]), np.array([0.0, 1.0])):
        plan, steps = temper([build_search_state(blocks, at)], ladder, random_state(0, 0), control)
        assert steps == 0
        assert (plan == at).all()


@RELAXED
@given(events())
def test_descent_ends_where_no_move_and_no_swap_gains(problem: Problem) -> None:
    blocks, at = _blocks_or_skip(problem)
    assume(not blocks.fairness)
    search_state = build_search_state(blocks, at)
    descend(search_state, 2, 1e-9, np.zeros(2))
    value = blocks.value(search_state.at)
    assert value >= blocks.value(at) - 1e-9
    for block in range(blocks.count):
        for table in range(blocks.table_count):
            moved = search_state.at.copy()
            moved[block] = table
            assert not blocks.keeps_rules(moved) or blocks.value(moved) <= value + 1e-6
    for one, other in combinations(range(blocks.count), 2):
        swapped = search_state.at.copy()
        swapped[[one, other]] = swapped[[other, one]]
        assert not blocks.keeps_rules(swapped) or blocks.value(swapped) <= value + 1e-6


def test_random_numbers_are_spread_evenly_and_repeatable() -> None:
    state, again = random_state(5, 3), random_state(5, 3)
    drawn = np.array([uniform(state) for _ in range(4000)])
    np.testing.assert_array_equal(drawn, [uniform(again) for _ in range(4000)])
    assert 0.0 <= drawn.min() < 0.01
    assert 0.99 < drawn.max() < 1.0
    assert abs(drawn.mean() - 0.5) < 0.02
    assert set(np.unique([below(state, 7) for _ in range(500)])) == set(range(7))


def test_random_swaps_are_weighed_like_plans() -> None:
    rng = np.random.default_rng(2)
    problem = Problem(rng.normal(size=(8, 8)), (Table(4, 4), Table(4, 4)))
    blocks, at = blocks_of(problem)
    deltas = random_swap_deltas(blocks, at, np.random.default_rng(0), draws=300)
    exact = set()
    for one, other in combinations(range(8), 2):
        swapped = at.copy()
        swapped[[one, other]] = swapped[[other, one]]
        exact.add(round(blocks.value(swapped) - blocks.value(at), 8))
    assert {round(float(delta), 8) for delta in deltas} <= exact | {0.0}


def _blocks_or_skip(problem: Problem) -> tuple[Blocks, IntArray]:
    """Return the blocks of a problem whose rules agree."""
    try:
        return blocks_of(problem)
    except Unsolvable:
        reject()
