"""What is checked before every change of a plan, whatever it gains: numbers of labels, and rows along tables.

The readable references are `app.solver.feasibility.counts.CountLimits.hold` and
`app.solver.feasibility.side_by_side.rows_fit`. The rows of `by_block` and `by_table` are those of
`app.solver.search.search_state`. Who must be apart, and who may not sit where, needs no check: barriers in the weights
make it cost too much.

Labels are counted when a change is about to be made: few get that far, and a plan has no more sums to keep up to date.
"""

from __future__ import annotations

import numpy as np

from app.solver.numba_support.compilation import inlined_kernel, kernel
from app.solver.problem import IntArray
from app.solver.search.search_state import AT, COUNT, LIMITS, MOST, OWN, SIDE, SearchState
from app.solver.search.side_by_side_kernels import add_row


@kernel
def _tables_keep(  # noqa: C901, PLR0912  # loops written out: a kernel
    by_block: IntArray, by_table: IntArray, members: IntArray, sets: IntArray, n_a: int, n_c: int, s: int, t: int
) -> bool:
    """Return whether tables s and t (−1: none) keep the rules after sets[0] went from s to t and sets[1] from t to s.

    They had their numbers of labels before, so one of which as many come as leave is not counted, unless nobody sat
    there. `reached[x]` says whether some of the rows fill x chairs of the first side; the others must fit onto the
    second.
    """
    labels = (by_table.shape[0] - LIMITS) // 2
    for leaving in range(2 if t >= 0 else 1):
        table, n_leaving, n_coming = (t, n_c, n_a) if leaving else (s, n_a, n_c)
        blocks, first = by_table[COUNT, table], by_table[SIDE, table]
        for label in range(labels if blocks + n_coming > n_leaving else 0):
            number = 0
            for i in range(n_coming):
                number += by_block[OWN + label, sets[1 - leaving, i]]
            for i in range(n_leaving):
                number -= by_block[OWN + label, sets[leaving, i]]
            if number == 0 and blocks > 0:
                continue
            for i in range(blocks):
                number += by_block[OWN + label, members[table, i]]
            if number < by_table[LIMITS + 2 * label, table] or number > by_table[LIMITS + 2 * label + 1, table]:
                return False
        if first == 0:
            continue
        second, total = by_table[MOST, table] - first, 0
        reached = np.zeros(first + 1, np.bool_)
        reached[0] = True
        for i in range(blocks + n_coming):
            stays = True
            if i < n_coming:
                block = sets[1 - leaving, i]
            else:
                block = members[table, i - n_coming]
                for j in range(n_leaving):
                    stays = stays and sets[leaving, j] != block
            for k in range(OWN + labels, by_block.shape[0] if stays else 0):
                length = by_block[k, block]
                if length == 0:
                    break
                total += length
                add_row(reached, length)
        if not reached[max(total - second, 0) :].any():
            return False
    return True


@kernel
def _table_keeps(
    by_block: IntArray, by_table: IntArray, members: IntArray, table: int, out: int, more_out: int, into: int, more: int
) -> bool:
    """Return whether a table keeps the rules after two blocks left and two came; −1: none, the second one first."""
    sets = np.empty((2, 2), np.int64)
    sets[0, 0], sets[0, 1], sets[1, 0], sets[1, 1] = out, more_out, into, more
    n_out, n_in = int(out >= 0) + int(more_out >= 0), int(into >= 0) + int(more >= 0)
    return _tables_keep(by_block, by_table, members, sets, n_out, n_in, table, -1)


@inlined_kernel
def tables_keep_rules(plan: SearchState, sets: IntArray, n_a: int, n_c: int, s: int, t: int) -> bool:
    """Return whether both tables keep the rules after the blocks of sets[0] (at s) and sets[1] (at t) change places."""
    if plan.by_table[SIDE, s] == 0 and plan.by_table[SIDE, t] == 0 and plan.by_table.shape[0] == LIMITS:
        return True
    return _tables_keep(plan.by_block, plan.by_table, plan.members, sets, n_a, n_c, s, t)


@inlined_kernel
def table_keeps_rules(plan: SearchState, table: int, out: int, into: int, more: int) -> bool:
    """Return whether a table keeps the rules after `out` left and `into` and `more` came, −1: none."""
    if plan.by_table[SIDE, table] == 0 and plan.by_table.shape[0] == LIMITS:
        return True
    return _table_keeps(plan.by_block, plan.by_table, plan.members, table, out, -1, into, more)


@inlined_kernel
def can_leave(plan: SearchState, table: int, one: int, other: int) -> bool:
    """Return whether a table keeps the rules after one or two blocks left; the second is −1 for one alone."""
    if plan.by_table.shape[0] == LIMITS:
        return True
    return _table_keeps(plan.by_block, plan.by_table, plan.members, table, one, other, -1, -1)


@inlined_kernel
def chain_keeps_rules(plan: SearchState, b: int, c: int, d: int, t: int, u: int) -> bool:
    """Return whether all three tables keep the rules after b → t, c → u, and d (−1: none) → the table of b."""
    if not table_keeps_rules(plan, t, c, b, -1):
        return False
    if not table_keeps_rules(plan, u, d, c, -1):
        return False
    return table_keeps_rules(plan, plan.by_block[AT, b], b, d, -1)


@kernel
def plan_keeps_counts(at: IntArray, own: IntArray, limits: IntArray) -> bool:
    """Return whether every table of a plan where anyone sits has its numbers of all labels."""
    tables = limits.shape[1]
    for label in range(own.shape[0]):
        counts, used = np.zeros(tables, np.int64), np.zeros(tables, np.bool_)
        for block in range(len(at)):
            counts[at[block]] += own[label, block]
            used[at[block]] = True
        for t in range(tables):
            if used[t] and (counts[t] < limits[2 * label, t] or counts[t] > limits[2 * label + 1, t]):
                return False
    return True
