"""Whether rows of guests who sit side by side fit along the sides of long tables.

The readable reference is `app.solver.feasibility.side_by_side.rows_fit`.
"""

from __future__ import annotations

import numpy as np

from app.solver.numba_support.compilation import kernel
from app.solver.problem import BoolArray, IntArray


@kernel
def add_row(reached: BoolArray, length: int) -> None:
    """Add one row to `reached`, the numbers of chairs that rows can fill."""
    for x in range(len(reached) - 1, length - 1, -1):
        reached[x] = reached[x] or reached[x - length]


@kernel
def plan_holds_rows(at: IntArray, most: IntArray, sides: IntArray, rows: IntArray) -> bool:
    """Return whether the rows find room at every table of a plan."""
    for table in range(len(sides)):
        reached, total = np.zeros(sides[table] + 1, np.bool_), 0
        reached[0] = True
        for block in range(len(at) if sides[table] > 0 else 0):
            for k in range(rows.shape[0] if at[block] == table else 0):
                total += rows[k, block]
                add_row(reached, rows[k, block])
        if sides[table] > 0 and not reached[max(total - most[table] + sides[table], 0) :].any():
            return False
    return True
