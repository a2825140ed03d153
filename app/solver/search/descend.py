"""Descent to a plan that no small change improves, each change weighed on the original matrix.

It goes in levels, deeper only where nothing shallower gains. SWAPS: a block moves, or two change places. PAIRS: any
other change of two blocks (`app.solver.search.pair_moves`); with that, nothing is left that a person could improve by
moving one or two parties. SETS: two blocks against one, two against two. CHAINS: b → t, c → u, with or without a third
block coming back. A change counts only if it gains more than `least_gain`, so ties and rounding never make it run for
ever. After a change only what involves a table that it touched is weighed again.
"""

from __future__ import annotations

import numpy as np

from app.solver.numba_support.compilation import kernel
from app.solver.problem import FloatArray, IntArray
from app.solver.search.pair_moves import after, find_pair, look_around
from app.solver.search.search_state import (
    AT,
    COUNT,
    LARGEST_SET,
    SIZE,
    SearchState,
    exchange_delta,
    move_block,
    sizes_fit,
)
from app.solver.search.table_rules import chain_keeps_rules, tables_keep_rules

SWAPS, PAIRS, SETS, CHAINS = 1, 2, 3, 4


def descend(search_state: SearchState, depth: int, least_gain: float, control: FloatArray) -> int:
    """Improve a plan in place until nothing of the given depth gains; return the changes made.

    control[0] above zero ends it at once.
    """
    if len(search_state.movable) < 1 or len(search_state.sums) < 2:
        return 0
    return int(_descend(search_state, depth, least_gain, control))


@kernel
def _find_exchange(  # noqa: C901, PLR0912  # loops written out: a kernel
    plan: SearchState,
    changed: IntArray,
    seen: int,
    sets: IntArray,
    change: IntArray,
    b: int,
    most: int,
    least_gain: float,
    control: FloatArray,
) -> bool:
    """Find an exchange that takes b, alone or with one more, to another table; note who goes where in `change`.

    At most `most` blocks leave each table; two tables that did not change since `seen` are passed over.
    """
    s = plan.by_block[AT, b]
    sets[0, 0] = b
    for second in range(-1, plan.by_table[COUNT, s] if most > 1 else 0):
        n_a, leaving = 1, plan.by_block[SIZE, b]
        if second >= 0:
            sets[0, 1], n_a = plan.members[s, second], 2
            leaving += plan.by_block[SIZE, sets[0, 1]]
            if sets[0, 1] == b:
                continue
        for t in range(plan.by_table.shape[1]):
            if t == s or (changed[s] <= seen and changed[t] <= seen):
                continue
            for i in range(-1, plan.by_table[COUNT, t]):
                if control[0] > 0.0:
                    return False
                for j in range(-1, i if most > 1 and i >= 0 else 0):
                    n_c, coming = 0, 0
                    if i >= 0:
                        sets[1, 0], n_c = plan.members[t, i], 1
                        coming = plan.by_block[SIZE, sets[1, 0]]
                    if j >= 0:
                        sets[1, 1], n_c = plan.members[t, j], 2
                        coming += plan.by_block[SIZE, sets[1, 1]]
                    if not sizes_fit(plan.by_table, s, t, leaving - coming):
                        continue
                    gain = exchange_delta(plan, sets, n_a, n_c, s, t)
                    if gain > least_gain and tables_keep_rules(plan, sets, n_a, n_c, s, t):
                        for x in range(n_a):
                            change[0, x], change[1, x] = sets[0, x], t
                        for x in range(n_c):
                            change[0, n_a + x], change[1, n_a + x] = sets[1, x], s
                        return True
    return False


@kernel
def _find_chain(
    plan: SearchState, changed: IntArray, seen: int, change: IntArray, b: int, least_gain: float, control: FloatArray
) -> bool:
    """Find b → t, c → u, and perhaps d from u → the table that b left; note who goes where in `change`."""
    s = plan.by_block[AT, b]
    for t in range(plan.by_table.shape[1]):
        for i in range(plan.by_table[COUNT, t] if t != s else 0):
            if control[0] > 0.0:
                return False
            c = plan.members[t, i]
            first = after(plan, t, c, b)
            if first == -np.inf:
                continue
            for u in range(plan.by_table.shape[1]):
                if u in (s, t) or (changed[s] <= seen and changed[t] <= seen and changed[u] <= seen):
                    continue
                for j in range(-1, plan.by_table[COUNT, u]):
                    d = plan.members[u, j] if j >= 0 else -1
                    gain = first + after(plan, u, d, c)
                    gain += after(plan, s, b, d)
                    if gain > least_gain and chain_keeps_rules(plan, b, c, d, t, u):
                        change[0, 0], change[0, 1], change[0, 2] = b, c, d
                        change[1, 0], change[1, 1], change[1, 2] = t, u, s
                        return True
    return False


@kernel
def _descend(plan: SearchState, depth: int, least_gain: float, control: FloatArray) -> int:
    """Go round the blocks, deeper only where nothing shallow gains, until a whole round gains nothing.

    `changed[t]` is the number of the last change that touched table t; `seen[level, b]` the last one before block b was
    looked through without success. `change` holds who goes where, −1: none.
    """
    blocks, tables = plan.weights.shape[0], plan.by_table.shape[1]
    sets, change = np.zeros((2, LARGEST_SET), np.int64), np.zeros((2, LARGEST_SET), np.int64)
    changed, seen = np.ones(tables, np.int64), np.zeros((CHAINS + 1, blocks), np.int64)
    prospects, places = np.zeros((3, blocks)), np.zeros((2, blocks), np.int64)
    changes, looked, idle, position, level = 1, 0, 0, 0, SWAPS
    while control[0] <= 0.0:
        if idle == len(plan.movable):
            level += 1
            idle = 0
            if level > depth:
                break
        b = plan.movable[position]
        before = seen[level, b]
        change[0, :] = -1
        if level == PAIRS:
            if looked < changes:
                look_around(plan, changed, looked, prospects, places)
                looked = changes
            found = find_pair(plan, prospects, places, changed, before, change, b, least_gain, control)
        elif level == CHAINS:
            found = _find_chain(plan, changed, before, change, b, least_gain, control)
        else:
            found = _find_exchange(
                plan, changed, before, sets, change, b, 1 if level == SWAPS else 2, least_gain, control
            )
        if not found:
            seen[level, b] = changes
            idle += 1
            position = (position + 1) % len(plan.movable)
            continue
        changes += 1
        idle, level = 0, SWAPS
        for i in range(LARGEST_SET):
            if change[0, i] >= 0:
                changed[plan.by_block[AT, change[0, i]]] = changed[change[1, i]] = changes
                move_block(plan, change[0, i], change[1, i])
    return changes - 1
