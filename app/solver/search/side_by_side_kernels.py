"""Whether rows of guests who sit side by side fit along the sides of long tables; checked before every change.

The readable reference is `app.solver.feasibility.side_by_side.rows_fit`. The rows of `by_block` and
`by_table` are those of `app.solver.search.search_state`.
"""

from __future__ import annotations

import numpy as np

from app.solver.numba_support.compilation import inlined_kernel, kernel
from app.solver.problem import BoolArray, IntArray
from app.solver.search.search_state import AT, BESIDE, COUNT, MOST, SIDE, SearchState


@kernel
def _add_row(reached: BoolArray, length: int) -> None:
    """Add one row to `reached`, the numbers of chairs that rows can fill."""
    for x in range(len(reached) - 1, length - 1, -1):
        reached[x] = reached[x] or reached[x - length]


@kernel
def table_holds_rows(  # loops written out: a kernel
    by_block: IntArray,
    by_table: IntArray,
    members: IntArray,
    sets: IntArray,
    table: int,
    leaving: int,
    n_leaving: int,
    n_coming: int,
) -> bool:
    """Say whether the rows find room at a table after the set in row `leaving` left and the one in the other row came.

    `reached[x]` says whether some of the rows fill x chairs of the first side; the others must fit onto the second.
    """
    first = by_table[SIDE, table]
    if first == 0:
        return True
    second, total = by_table[MOST, table] - first, 0
    reached = np.zeros(first + 1, np.bool_)
    reached[0] = True
    for i in range(by_table[COUNT, table] + n_coming):
        stays = True
        if i < n_coming:
            block = sets[1 - leaving, i]
        else:
            block = members[table, i - n_coming]
            for j in range(n_leaving):
                stays = stays and sets[leaving, j] != block
        for k in range(BESIDE, by_block.shape[0] if stays else BESIDE):
            length = by_block[k, block]
            if length == 0:
                break
            total += length
            _add_row(reached, length)
    return bool(reached[max(total - second, 0) :].any())


@kernel
def plan_holds_rows(at: IntArray, most: IntArray, sides: IntArray, rows: IntArray) -> bool:
    """Say whether the rows find room at every table of a plan."""
    for table in range(len(sides)):
        reached, total = np.zeros(sides[table] + 1, np.bool_), 0
        reached[0] = True
        for block in range(len(at) if sides[table] > 0 else 0):
            for k in range(rows.shape[0] if at[block] == table else 0):
                total += rows[k, block]
                _add_row(reached, rows[k, block])
        if sides[table] > 0 and not reached[max(total - most[table] + sides[table], 0) :].any():
            return False
    return True


@inlined_kernel
def tables_hold_rows(plan: SearchState, sets: IntArray, n_a: int, n_c: int, s: int, t: int) -> bool:
    """Say whether the rows find room at both tables after the blocks of sets[0] (at s) and sets[1] (at t) changed."""
    if plan.by_table[SIDE, s] == 0 and plan.by_table[SIDE, t] == 0:
        return True
    if not table_holds_rows(plan.by_block, plan.by_table, plan.members, sets, s, 0, n_a, n_c):
        return False
    return table_holds_rows(plan.by_block, plan.by_table, plan.members, sets, t, 1, n_c, n_a)


@inlined_kernel
def has_room_for_rows(plan: SearchState, table: int, out: int, into: int, more: int) -> bool:
    """Say whether the rows find room after `out` left the table and `into` and `more` came, −1: none."""
    if plan.by_table[SIDE, table] == 0:
        return True
    sets = np.array([[out, -1], [into, more]])
    return bool(
        table_holds_rows(plan.by_block, plan.by_table, plan.members, sets, table, 0, int(out >= 0), 1 + int(more >= 0))
    )


@inlined_kernel
def chain_holds_rows(plan: SearchState, b: int, c: int, d: int, t: int, u: int) -> bool:
    """Say whether the rows find room at all three tables after b → t, c → u, and d (−1: none) → the table of b."""
    if not has_room_for_rows(plan, t, c, b, -1):
        return False
    if not has_room_for_rows(plan, u, d, c, -1):
        return False
    return bool(d < 0 or has_room_for_rows(plan, plan.by_block[AT, b], b, d, -1))
