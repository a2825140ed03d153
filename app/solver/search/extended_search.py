"""Annealing and descent for the extended objective, slower than the plain ones: guests left alone, a limit on moves.

A change that moves more guests away from the current plan than the limit allows is refused. The descent tries the same
changes as the plain one; where nothing gains, ties are used to help the unhappiest guest.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from app.solver.feasibility.structure import build_structure
from app.solver.numba_support.compilation import kernel, part, shared
from app.solver.numba_support.random_numbers import RandomState, next_random, random_state
from app.solver.problem import FloatArray, IntArray, Problem, Table
from app.solver.search.anneal import LOOK_EVERY, draw_sets
from app.solver.search.blocks import Blocks, build_blocks
from app.solver.search.extended_state import (
    ExtendedState,
    build_extended_state,
    count_lonely,
    exchange_extended,
    extended_delta,
    lonely_after,
    move_extended,
)
from app.solver.search.pair_moves import after
from app.solver.search.search_state import AT, COUNT, LARGEST_SET, SIZE, sizes_fit
from app.solver.search.swap_window import LOGARITHM_BITS, LOGARITHMS
from app.solver.search.table_rules import chain_keeps_rules

LEAST_GAIN = 1e-9
"""A change that gains less than this part of the highest weight gains nothing."""
TIE_SHARE = 1e-3
"""A change that loses less than this part of the least gain is a tie."""


def compile_extended_anneal() -> None:
    """Run the anneal once on a plan of two guests, so that it is compiled or loaded."""
    anneal_extended(_two_guests(), (1.0, 0.5), 1, random_state(0, 0), np.zeros(2))


def compile_extended_descent() -> None:
    descend_extended(_two_guests(), 2, 1.0, np.zeros(2))


def compile_extended_kernels() -> None:
    """Compile or load both kernels."""
    compile_extended_anneal()
    compile_extended_descent()


def _two_guests() -> ExtendedState:
    problem = Problem(np.zeros((2, 2)), (Table(1), Table(1)), fairness=1.0)
    return build_extended_state(build_blocks(problem, build_structure(problem, ())), np.array([0, 1]))


def anneal_fairly(
    blocks: Blocks, at: IntArray, heat: tuple[float, float], steps: int, state: RandomState, control: FloatArray
) -> tuple[IntArray, int]:
    """Anneal a plan, counting guests left alone in every step; return the best plan after a descent, and the steps."""
    found, done = anneal_extended(build_extended_state(blocks, at), heat, steps, state, control)
    return settle_fairly(blocks, found, 1, control), done


def settle_fairly(blocks: Blocks, at: IntArray, depth: int = 1, control: FloatArray | None = None) -> IntArray:
    """Return a local optimum at this depth; among equals, changes that help the unhappiest guest are taken."""
    extended = build_extended_state(blocks, at)
    descend_extended(extended, depth, LEAST_GAIN * blocks.highest, np.zeros(2) if control is None else control)
    return extended.plan.at.copy()


def descend_extended(extended: ExtendedState, depth: int, least_gain: float, control: FloatArray) -> int:
    """Improve a plan in place until nothing of the given depth gains, or lifts the unhappiest guest for nothing."""
    if len(extended.plan.movable) < 1 or len(extended.plan.sums) < 2:
        return 0
    return int(_descend_extended(extended, depth, least_gain, control))


def anneal_extended(
    extended: ExtendedState, heat: tuple[float, float], steps: int, state: RandomState, control: FloatArray
) -> tuple[IntArray, int]:
    """Anneal from hot to cold; return the best plan met as tables by block, and the steps taken."""
    plan, best = extended.plan, extended.plan.at.copy()
    if len(plan.movable) < 1 or len(plan.sums) < 2 or heat[0] <= 0.0:
        return best, 0
    return best, int(_anneal_extended(extended, *heat, steps, state, control, best))


@kernel
def _anneal_extended(
    extended: ExtendedState,
    hot: float,
    cold: float,
    steps: int,
    state: RandomState,
    control: FloatArray,
    best: IntArray,
) -> int:
    """Draw exchanges of sets; take them by Metropolis' rule, never beyond the limit; note the best plan met."""
    plan = extended.plan
    sets = np.zeros((3, LARGEST_SET), np.int64)
    temperature, look, gained, best_gain = hot, 0, 0.0, 0.0
    for step in range(steps):
        if step >= look:
            share = max(step / steps, control[1])
            if control[0] > 0.0 or share >= 1.0:
                return step
            temperature = hot * (cold / hot) ** share
            look = step + LOOK_EVERY
        t = draw_sets(plan, sets, state)
        if t < 0:
            continue
        s, n_a, n_c = plan.by_block[AT, sets[0, 0]], sets[2, 0], sets[2, 1]
        wanted = temperature * LOGARITHMS[next_random(state) >> LOGARITHM_BITS]
        delta = extended_delta(extended, sets, n_a, n_c, s, t, wanted)
        if delta < wanted:
            continue
        exchange_extended(extended, sets, n_a, n_c, s, t)
        gained += delta
        if gained > best_gain:
            best_gain = gained
            for b in range(len(best)):
                best[b] = plan.by_block[AT, b]
    return steps


@shared
def _find_extended_exchange(  # noqa: C901, PLR0912  # loops written out: a kernel
    extended: ExtendedState,
    worst: FloatArray,
    sets: IntArray,
    b: int,
    depth: int,
    wanted: float,
    least_lift: float,
) -> int:
    """Find an exchange that takes b, alone or with one more, to table t and gains what is wanted; return t, or −1.

    Where `worst` is given, the lowest mean score at each table, it must lift the unhappiest guest of all instead, by
    more than rounding.
    """
    plan = extended.plan
    s = plan.by_block[AT, b]
    sets[0, 0] = b
    lowest = worst[0] if len(worst) else 0.0
    for t in range(1, len(worst)):
        lowest = min(lowest, worst[t])
    for second in range(-1, plan.by_table[COUNT, s] if depth > 1 else 0):
        n_a, leaving = 1, plan.by_block[SIZE, b]
        if second >= 0:
            sets[0, 1], n_a = plan.members[s, second], 2
            leaving += plan.by_block[SIZE, sets[0, 1]]
            if sets[0, 1] == b:
                continue
        for t in range(plan.by_table.shape[1]):
            if t == s or (len(worst) and min(worst[s], worst[t]) > lowest):
                continue
            for i in range(-1, plan.by_table[COUNT, t]):
                for j in range(-1, i if depth > 1 and i >= 0 else 0):
                    n_c, coming = 0, 0
                    if i >= 0:
                        sets[1, 0], n_c = plan.members[t, i], 1
                        coming = plan.by_block[SIZE, sets[1, 0]]
                    if j >= 0:
                        sets[1, 1], n_c = plan.members[t, j], 2
                        coming += plan.by_block[SIZE, sets[1, 1]]
                    if not sizes_fit(plan.by_table, s, t, leaving - coming):
                        continue
                    gain = extended_delta(extended, sets, n_a, n_c, s, t, wanted)
                    if gain < wanted:
                        continue
                    if len(worst):
                        there = _worst_after(extended, t, sets[1], n_c, sets[0], n_a)
                        here = _worst_after(extended, s, sets[0], n_a, sets[1], n_c)
                        if min(here, there) <= lowest + least_lift:
                            continue
                    sets[2, 0], sets[2, 1] = n_a, n_c
                    return t
    return -1


@part
def _worst_after(extended: ExtendedState, t: int, outs: IntArray, n_out: int, ins: IntArray, n_in: int) -> Any:
    """Return the lowest mean score towards the others at table t once some have left and others have come."""
    plan = extended.plan
    here = np.empty(len(extended.guests), np.int64)
    number = 0
    for place in range(plan.by_table[COUNT, t] + n_in):
        b = plan.members[t, place] if place < plan.by_table[COUNT, t] else ins[place - plan.by_table[COUNT, t]]
        leaves = False
        for i in range(n_out):
            leaves = leaves or outs[i] == b
        for k in range(extended.first[b], extended.first[b + 1] if not leaves else extended.first[b]):
            here[number] = extended.guests[k]
            number += 1
    worst = np.inf
    for i in range(number):
        total = 0.0
        for j in range(number):
            total += extended.scores[here[i], here[j]]
        worst = min(worst, total / max(number - 1, 1))
    return worst


@shared
def _find_extended_chain(  # noqa: C901  # loops written out: a kernel
    extended: ExtendedState, sets: IntArray, b: int, wanted: float
) -> bool:
    """Find b → t, c → u, and perhaps d from u → the table that b left; note the blocks and tables in `sets`."""
    plan = extended.plan
    s = plan.by_block[AT, b]
    one = np.zeros((3, 1), np.int64)
    one[0, 0] = b
    for t in range(plan.by_table.shape[1]):
        for i in range(plan.by_table[COUNT, t] if t != s else 0):
            c = plan.members[t, i]
            arrived = after(plan, t, c, b)
            if arrived == -np.inf:
                continue
            one[1, 0] = c
            for u in range(plan.by_table.shape[1]):
                if u in (s, t):
                    continue
                for j in range(-1, plan.by_table[COUNT, u]):
                    d = plan.members[u, j] if j >= 0 else -1
                    more = extended.moved[t, b] - extended.moved[s, b] + extended.moved[u, c] - extended.moved[t, c]
                    more += extended.moved[s, d] - extended.moved[u, d] if d >= 0 else 0
                    if more > 0 and extended.counts[-1] + more > extended.limit:
                        continue
                    gain = arrived + after(plan, u, d, c)
                    gain += after(plan, s, b, d)
                    gain += extended.fairness * (extended.counts[s] + extended.counts[t] + extended.counts[u])
                    if gain < wanted:
                        continue
                    if extended.fairness > 0.0:
                        one[2, 0], back = d, 1 if d >= 0 else 0
                        alone = lonely_after(extended, t, one[1], 1, one[0], 1)
                        alone += lonely_after(extended, u, one[2], back, one[1], 1)
                        alone += lonely_after(extended, s, one[0], 1, one[2], back)
                        gain -= extended.fairness * alone
                    if gain >= wanted and chain_keeps_rules(plan, b, c, d, t, u):
                        sets[0, 0], sets[0, 1], sets[0, 2] = b, c, d
                        sets[1, 0], sets[1, 1], sets[1, 2] = t, u, s
                        return True
    return False


@kernel
def _descend_extended(  # noqa: C901, PLR0912  # loops written out: a kernel
    extended: ExtendedState, depth: int, least_gain: float, control: FloatArray
) -> int:
    """Go round the blocks, deeper only where nothing shallow gains, then for ties, until a round finds nothing."""
    plan = extended.plan
    sets = np.zeros((3, LARGEST_SET), np.int64)
    worst = np.zeros(0)
    changes, idle, position, level = 0, 0, 0, 1
    last = (3 if depth > 1 else 1) + (extended.fairness > 0.0)
    while control[0] <= 0.0:
        if idle == len(plan.movable):
            level, idle = level + 1, 0
            if level > last:
                break
        ties = extended.fairness > 0.0 and level == last
        if ties and idle == 0:
            worst = np.empty(plan.by_table.shape[1])
            for t in range(plan.by_table.shape[1]):
                worst[t] = _worst_after(extended, t, sets[0], 0, sets[1], 0)
        b = plan.movable[position]
        s = plan.by_block[AT, b]
        if ties or level <= 2:
            t = _find_extended_exchange(
                extended,
                worst if ties else worst[:0],
                sets,
                b,
                1 if ties else level,
                -TIE_SHARE * least_gain if ties else least_gain,
                least_gain,
            )
            found = t >= 0
            if found:
                exchange_extended(extended, sets, sets[2, 0], sets[2, 1], s, t)
        else:
            found = _find_extended_chain(extended, sets, b, least_gain)
            for i in range(3 if found else 0):
                if sets[0, i] >= 0:
                    move_extended(extended, sets[0, i], sets[1, i])
            for i in range(3 if found else 0):
                count_lonely(extended, sets[2], sets[1, i])
        if found:
            changes += 1
            idle, level = 0, 1
        else:
            idle += 1
            position = (position + 1) % len(plan.movable)
    return changes
