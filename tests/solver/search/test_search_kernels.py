"""Chains, drawn sets, running sums and tempering, each against a plain version."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, reject, settings
from hypothesis import strategies as st

from app.solver.errors import Unsolvable
from app.solver.numba_support.random_numbers import RandomState, random_state, uniform
from app.solver.problem import IntArray, Objective, Problem, Rule, Table
from app.solver.search.anneal import Schedule, anneal, draw_sets
from app.solver.search.blocks import Blocks
from app.solver.search.descend import SWAPS, _find_chain, descend
from app.solver.search.search_state import COUNT, LARGEST_SET, PLACE, SEATED, SearchState, build_search_state
from app.solver.search.swap_window import LUCK, WINDOW, update_cached, weigh_swaps
from app.solver.search.table_moves import try_table_move
from app.solver.search.temper import BURST, SETTLE_EVERY, SETTLE_STEPS, Ladder, make_ladder, temper
from tests.solver.full_helpers import blocks_of, events

RELAXED = settings(max_examples=25)
STEP = 1e-9
APART = (Rule("apart", (2, 3)),)


def blocks_or_skip(problem: Problem) -> tuple[Blocks, IntArray]:
    try:
        return blocks_of(problem)
    except Unsolvable:
        reject()


def best_chain(blocks: Blocks, at: IntArray, b: int) -> float:
    """Return the most that b → t, c → u and perhaps d → the table of b gains, by the worth of whole plans."""
    best, s = -np.inf, at[b]
    for c in np.flatnonzero(at != s):
        for u in set(range(blocks.table_count)) - {s, at[c]}:
            for d in (-1, *np.flatnonzero(at == u)):
                after = at.copy()
                after[b], after[c] = at[c], u
                if d >= 0:
                    after[d] = s
                if blocks.keeps_rules(after):
                    best = max(best, blocks.value(after) - blocks.value(at))
    return best


@pytest.mark.parametrize("seed", range(12))
def test_chain_is_found_exactly_where_one_gains(seed: int) -> None:
    rng = np.random.default_rng(seed)
    tables = (Table(3, 1), Table(3, 2), Table(4, 0), Table(3, 1))
    objective: Objective = "total" if seed % 2 else "average"
    problem = Problem(rng.normal(size=(9, 9)), tables, parties=((0, 1),), rules=APART, objective=objective)
    blocks, at = blocks_of(problem)
    search_state, changed = build_search_state(blocks, at), np.ones(4, dtype=np.int64)
    # From a good plan on, chains that gain are rare.
    descend(search_state, SWAPS + seed % 3, STEP, np.zeros(2))
    at = search_state.at.copy()
    for b in blocks.movable.tolist():
        change = np.full((2, LARGEST_SET), -1, dtype=np.int64)
        found = _find_chain(search_state, changed, 0, change, b, STEP, np.zeros(2))
        assert found == (best_chain(blocks, at, b) > STEP)
        assert not _find_chain(search_state, changed, 1, change, b, STEP, np.zeros(2))
        if found:
            after = at.copy()
            for block, table in change.T[change[0] >= 0]:
                after[block] = table
            assert blocks.keeps_rules(after)
            assert blocks.value(after) > blocks.value(at)


@RELAXED
@given(events(), st.integers(0, 999))
def test_drawn_sets_are_different_blocks_of_two_tables_whose_exchange_fits(problem: Problem, seed: int) -> None:
    blocks, at = blocks_or_skip(problem)
    assume(len(blocks.movable))
    search_state, sets, state = (
        build_search_state(blocks, at),
        np.zeros((3, LARGEST_SET), dtype=np.int64),
        random_state(seed, 0),
    )
    seated = np.bincount(at, weights=blocks.structure.sizes, minlength=blocks.table_count)
    for _ in range(200):
        t = draw_sets(search_state, sets, state)
        if t < 0:
            continue
        leaving, coming = sets[0, : sets[2, 0]], sets[1, : sets[2, 1]]
        s = at[leaving[0]]
        assert s != t
        assert (at[leaving] == s).all()
        assert (at[coming] == t).all()
        assert len({*leaving.tolist(), *coming.tolist()}) == len(leaving) + len(coming)
        grow = blocks.structure.sizes[leaving].sum() - blocks.structure.sizes[coming].sum()
        assert blocks.least[s] <= seated[s] - grow <= blocks.most[s]
        assert blocks.least[t] <= seated[t] + grow <= blocks.most[t]


def test_party_is_drawn_against_any_two_single_guests() -> None:
    problem = Problem(np.zeros((6, 6)), (Table(3, 3), Table(3, 3)), parties=((0, 1),))
    blocks, _ = blocks_of(problem)
    at = np.array([0, 0, 1, 1, 1])
    search_state, sets, state = (
        build_search_state(blocks, at),
        np.zeros((3, LARGEST_SET), dtype=np.int64),
        random_state(1, 0),
    )
    drawn = set()
    for _ in range(2000):
        if draw_sets(search_state, sets, state) >= 0:
            sides = (frozenset(sets[0, : sets[2, 0]].tolist()), frozenset(sets[1, : sets[2, 1]].tolist()))
            drawn.add(frozenset(sides))
    party = {frozenset({frozenset({0}), frozenset(pair)}) for pair in ((2, 3), (2, 4), (3, 4))}
    assert drawn >= party
    assert drawn >= {frozenset({frozenset({1}), frozenset({single})}) for single in (2, 3, 4)}


@RELAXED
@given(events(), st.integers(0, 999), st.integers(1, 2), st.sampled_from([1, 4, 64]))
def test_annealing_keeps_every_running_sum(problem: Problem, seed: int, cycles: int, sets_every: int) -> None:
    blocks, at = blocks_or_skip(problem)
    search_state = build_search_state(blocks, at)
    anneal(search_state, Schedule(2.0, 0.1, 640, cycles, sets_every), random_state(seed, 0), np.zeros(2))
    fresh = build_search_state(blocks, search_state.at)
    np.testing.assert_allclose(search_state.gains, fresh.gains, atol=1e-6)
    np.testing.assert_allclose(search_state.sums, fresh.sums, atol=1e-6)
    for row in (SEATED, COUNT):
        assert (search_state.by_table[row] == fresh.by_table[row]).all()
    assert (search_state.members[search_state.at, search_state.by_block[PLACE]] == np.arange(blocks.count)).all()


@pytest.mark.parametrize("objective", ["total", "average"])
@pytest.mark.parametrize(("first", "last"), [(0, 40), (3, 20), (39, 40)])
def test_swaps_of_a_window_are_weighed_like_plans(objective: Objective, first: int, last: int) -> None:
    blocks, at = blocks_of(forty_guests(objective))
    plan, cached, b, luck = build_search_state(blocks, at), np.zeros((4, WINDOW)), 11, 4090
    for table in range(blocks.table_count):
        update_cached(plan, cached, table)
    expected = []
    for c in range(first, last):
        swapped = at.copy()
        swapped[[b, c]] = at[[c, b]]
        expected.append(blocks.value(swapped) - blocks.value(at) if at[b] != at[c] else -np.inf)
    least = 0.5 * LUCK[luck : luck + last - first]
    assert weigh_swaps(plan, cached, b, first, last, 0.5, luck) == (np.array(expected) >= least).sum()
    np.testing.assert_allclose(cached[3, : last - first], expected, atol=1e-9)


@pytest.mark.parametrize("objective", ["total", "average"])
@pytest.mark.parametrize("rules", [(), (Rule("apart", (2, 3, 4)), Rule("count", (5, 6, 7, 8), most=2))])
def test_annealing_by_windows_keeps_rules_and_every_running_sum(objective: Objective, rules: tuple[Rule, ...]) -> None:
    blocks, at = blocks_of(replace(forty_guests(objective), rules=rules))
    search_state = build_search_state(blocks, at)
    anneal(search_state, Schedule(2.0, 0.01, 200_000, 1, 64), random_state(3, 0), np.zeros(2))
    fresh = build_search_state(blocks, search_state.at)
    np.testing.assert_allclose(search_state.gains, fresh.gains, atol=1e-6)
    np.testing.assert_allclose(search_state.sums, fresh.sums, atol=1e-6)
    assert blocks.keeps_rules(search_state.at)
    settled = build_search_state(blocks, search_state.at)
    descend(settled, SWAPS, 1e-9, np.zeros(2))
    assert blocks.value(at) < blocks.value(settled.at)
    assert blocks.value(settled.at) == pytest.approx(blocks.value(search_state.at))


def forty_guests(objective: Objective) -> Problem:
    """Return guests of whom more than one window's least fit in a row, at tables some of which are not full."""
    scores = np.random.default_rng(8).normal(size=(40, 40))
    return Problem(scores, (Table(12, 6),) * 4 + (Table(9, 0),), objective=objective)


@RELAXED
@given(events(), st.integers(0, 999))
def test_changes_of_whole_tables_keep_rules_and_running_sums_and_gain_enough(problem: Problem, seed: int) -> None:
    blocks, at = blocks_or_skip(replace(problem, fairness=0.0))  # a plain search weighs pairs alone
    search_state, state = build_search_state(blocks, at), random_state(seed, 0)
    chosen, value, least_gain = np.zeros(search_state.members.shape[1], np.int64), blocks.value(at), -3.0 * STEP
    for _ in range(60):
        try_table_move(search_state, least_gain, chosen, state)
        before, value = value, blocks.value(search_state.at)
        assert value >= before + least_gain - 1e-6 * (1 + blocks.highest)
    fresh = build_search_state(blocks, search_state.at)
    np.testing.assert_allclose(search_state.gains, fresh.gains, atol=1e-6 * blocks.barrier)
    np.testing.assert_allclose(search_state.sums, fresh.sums, atol=1e-6 * blocks.barrier)
    for row in (SEATED, COUNT):
        assert (search_state.by_table[row] == fresh.by_table[row]).all()
    assert (search_state.members[search_state.at, search_state.by_block[PLACE]] == np.arange(blocks.count)).all()
    if not blocks.sides.any():
        assert blocks.keeps_rules(search_state.at)


def copied(search_state: SearchState) -> SearchState:
    """Return a search_state that moves by itself."""
    moving = ("by_block", "by_table", "gains", "sums", "members")
    return search_state._replace(**{name: getattr(search_state, name).copy() for name in moving})


def temper_slowly(
    blocks: Blocks, search_states: list[SearchState], ladder: Ladder, state: RandomState
) -> tuple[IntArray, float, int]:
    """Temper with a search_state of its own for each copy and the worth of whole plans."""
    temperatures = ladder.temperatures.tolist()
    copies = [copied(search_states[k * len(search_states) // len(temperatures)]) for k in range(len(temperatures))]
    best, best_value, done, turn = search_states[0].at.copy(), blocks.value(search_states[0].at), 0, 0
    while done < ladder.steps:
        for search_state, heat in zip(copies, temperatures, strict=True):
            done += anneal(search_state, Schedule(heat, heat, BURST, 1, ladder.sets_every), state, np.zeros(2))[1]
        for cold in range(turn % 2, len(copies) - 1, 2):
            gain = blocks.value(copies[cold + 1].at) - blocks.value(copies[cold].at)
            gain *= 1 / temperatures[cold] - 1 / temperatures[cold + 1]
            if gain >= 0.0 or uniform(state) < math.exp(gain):
                copies[cold], copies[cold + 1] = copies[cold + 1], copies[cold]
        turn += 1
        if turn % SETTLE_EVERY == 0:
            settled = copied(copies[turn // SETTLE_EVERY % 2])
            steps = SETTLE_STEPS * blocks.count**2
            cooling = Schedule(0.6 * temperatures[0], 0.05 * temperatures[0], steps, 1, ladder.sets_every)
            done += anneal(settled, cooling, state, np.zeros(2))[1]
            if blocks.value(settled.at) > best_value:
                best, best_value = settled.at.copy(), blocks.value(settled.at)
    return best, best_value, done


@pytest.mark.parametrize("seed", [1, 2])
def test_tempering_does_what_boards_of_their_own_do(seed: int) -> None:
    scores = np.random.default_rng(seed).normal(size=(14, 14))
    # Tables that differ: plans of the same worth would be told apart by rounding alone.
    problem = Problem(scores, (Table(4, 3), Table(5, 4), Table(7, 6)), parties=((0, 1),))
    blocks, at = blocks_of(problem)
    search_states = [build_search_state(blocks, at), build_search_state(blocks, at)]
    anneal(search_states[1], Schedule(1.0, 0.1, 2000), random_state(seed, 1), np.zeros(2))
    ladder = make_ladder(1.5, 0.2, 13, 20 * 5 * BURST, 4)
    plan, steps = temper(search_states, ladder, random_state(seed, 0), np.zeros(2))
    slow, value, slow_steps = temper_slowly(blocks, search_states, ladder, random_state(seed, 0))
    assert blocks.value(plan) == pytest.approx(value)
    assert (plan == slow).all()
    assert steps == slow_steps
    assert search_states[0].at.tolist() == at.tolist()


def test_couples_are_those_with_one_friend_far_above_all_others() -> None:
    rng = np.random.default_rng(1)
    scores = np.triu(rng.uniform(0, 10, (20, 20)), 1)
    assert not blocks_of(Problem(scores + scores.T, tuple(Table(5) for _ in range(4)), objective="total"))[
        0
    ].has_couples
    scores[np.arange(0, 6, 2), np.arange(1, 6, 2)] = 50
    assert blocks_of(Problem(scores + scores.T, tuple(Table(5) for _ in range(4)), objective="total"))[0].has_couples
