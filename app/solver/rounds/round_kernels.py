"""Annealing of several rounds at once: blocks change tables within a round, and meetings are counted."""

from __future__ import annotations

from typing import Any

import numpy as np

from app.solver.numba_support.compilation import kernel, part
from app.solver.numba_support.random_numbers import RandomState, below, next_random
from app.solver.problem import FloatArray, IntArray
from app.solver.rounds.rounds_state import RoundsState
from app.solver.search.anneal import LOOK_EVERY, draw_sets
from app.solver.search.search_state import AT, COUNT, LARGEST_SET, OWN, PLACE, SEATED, SIZE, SearchState
from app.solver.search.swap_window import LOGARITHM_BITS, LOGARITHMS
from app.solver.search.table_rules import tables_keep_rules

NEVER_MORE = 3
"""A block that meets nobody again is drawn once more so often, before it is moved: others have more to gain."""


@part
def _round_of(rounds: RoundsState, r: int, movable: int) -> SearchState:
    """Return one round as the kernels that draw and check exchanges know it."""
    return SearchState(
        rounds.first, rounds.first[0], rounds.linear[r], rounds.first[0], rounds.movable[r, :movable],
        rounds.by_block[r], rounds.by_table[r], rounds.first, rounds.first[0], rounds.members[r],
    )  # fmt: skip


@part
def _next_meeting(rounds: RoundsState, a: int, b: int, count: int) -> Any:
    """Return what one more meeting is worth after so many."""
    if count == 0:
        return rounds.first[a, b]
    return rounds.again[a, b] - rounds.step[a, b] * (count * (count + 1) // 2)


@part
def _is_in(sets: IntArray, side: int, count: int, block: int) -> bool:
    found = False
    for i in range(count):
        found = found or sets[side, i] == block
    return found


@part
def _change_of(rounds: RoundsState, plan: SearchState, sets: IntArray, side: int, s: int, t: int) -> float:
    """Return what changes when the set in row `side` leaves s, where it was, for t, which the other set leaves."""
    other, change = 1 - side, 0.0
    for i in range(sets[2, side]):
        a = sets[side, i]
        change += plan.linear[t, a] - plan.linear[s, a]
        for k in range(plan.by_table[COUNT, s]):
            b = plan.members[s, k]
            if not _is_in(sets, side, sets[2, side], b):
                change -= _next_meeting(rounds, a, b, rounds.counts[a, b] - 1)
        for k in range(plan.by_table[COUNT, t]):
            b = plan.members[t, k]
            if not _is_in(sets, other, sets[2, other], b):
                change += _next_meeting(rounds, a, b, rounds.counts[a, b])
    return change


@part
def _seat(rounds: RoundsState, plan: SearchState, b: int, t: int) -> None:
    """Seat block b at table t and count who meets whom."""
    by_block, by_table, members, counts = plan.by_block, plan.by_table, plan.members, rounds.counts
    s, size = by_block[AT, b], by_block[SIZE, b]
    by_table[COUNT, s] -= 1
    last = members[s, by_table[COUNT, s]]
    members[s, by_block[PLACE, b]] = last
    by_block[PLACE, last] = by_block[PLACE, b]
    for k in range(by_table[COUNT, s]):
        c = members[s, k]
        counts[b, c] -= 1
        counts[c, b] -= 1
    for k in range(by_table[COUNT, t]):
        c = members[t, k]
        counts[b, c] += 1
        counts[c, b] += 1
    by_block[AT, b] = t
    members[t, by_table[COUNT, t]] = b
    by_block[PLACE, b] = by_table[COUNT, t]
    by_table[COUNT, t] += 1
    by_table[SEATED, s] -= size
    by_table[SEATED, t] += size


@part
def _meets_again(rounds: RoundsState, plan: SearchState, b: int) -> bool:
    """Return whether a block shares its table with one that it also meets in another round, or cannot be with."""
    s = plan.by_block[AT, b]
    again = False
    for k in range(plan.by_table[COUNT, s]):
        c = plan.members[s, k]
        again = again or (c != b and (rounds.counts[b, c] > 1 or rounds.first[b, c] <= 0.0))
    return again


@kernel
def anneal_rounds(  # noqa: C901, PLR0912  # loops written out: a kernel
    rounds: RoundsState,
    movable: IntArray,
    hot: float,
    cold: float,
    steps: int,
    target: float,
    scale: float,
    state: RandomState,
    control: FloatArray,
    best: IntArray,
) -> Any:
    """Anneal in place from hot to cold; copy the best plan into `best`; return its gain over the start, and the steps.

    `movable[r]` blocks may move in round r; `scale` is what an ordinary first meeting is worth. A gain of `target` ends
    it, as does `control` (see `anneal`).
    """
    sets = np.zeros((3, LARGEST_SET), np.int64)
    has_rules = rounds.by_block.shape[1] > OWN
    value, best_value, step, look, temperature = 0.0, 0.0, 0, 0, hot
    while best_value < target:
        if step >= look:
            share = max(step / steps, control[1])
            if control[0] > 0.0 or share >= 1.0:
                break
            temperature = hot * (cold / hot) ** share
            look = step + LOOK_EVERY
        step += 1
        r = below(state, rounds.by_block.shape[0])
        if movable[r] == 0:
            continue
        plan = _round_of(rounds, r, movable[r])
        t = draw_sets(plan, sets, state)
        if t < 0:
            continue
        b = sets[0, 0]
        if not _meets_again(rounds, plan, b) and below(state, NEVER_MORE + 1) > 0:
            continue
        s = plan.by_block[AT, b]
        delta = _change_of(rounds, plan, sets, 0, s, t) + _change_of(rounds, plan, sets, 1, t, s)
        if delta < temperature * LOGARITHMS[next_random(state) >> LOGARITHM_BITS]:
            continue
        if has_rules and not tables_keep_rules(plan, sets, sets[2, 0], sets[2, 1], s, t):
            continue
        for i in range(sets[2, 0] + sets[2, 1]):
            if i < sets[2, 0]:
                _seat(rounds, plan, sets[0, i], t)
            else:
                _seat(rounds, plan, sets[1, i - sets[2, 0]], s)
        value += delta
        if value > best_value + 1e-9 * (scale + abs(best_value)):
            best_value = value
            for q in range(best.shape[0]):
                for j in range(best.shape[1]):
                    best[q, j] = rounds.by_block[q, AT, j]
    return best_value, step
