"""Two blocks that change tables at once, to or from different tables.

Block b at s and block c at s' may go to any tables t and u. Where they change places, it is a swap
(`app.solver.search.descend`); where all four tables differ, each move is independent. What is left:

- *replace*: b → t, and c leaves t for u;
- *part*: b and c leave s, one for t and one for u, or together for t;
- *meet*: b and c come from different tables to t.

A table that takes one block gains what it gains whatever the other one does elsewhere, so where the two go to different
tables, each block's two best ones are enough, O(1) for each pair of blocks. Only where they end at the same one, every
table is tried.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from app.solver.numba_support.compilation import inlined_kernel, kernel
from app.solver.problem import FloatArray, IntArray
from app.solver.search.search_state import AT, COUNT, LEAST, MOST, SEATED, SIZE, SearchState
from app.solver.search.table_rules import can_leave, table_keeps_rules

LEAVE, BEST, NEXT = 0, 1, 2
"""Rows of `prospects`: what V gains at its table when a block leaves, at the best table when it comes, at the next."""
BEST_AT, NEXT_AT = 0, 1
"""Rows of `places`: which tables these are, or −1."""


@inlined_kernel
def after(plan: SearchState, t: int, out: int, into: int) -> Any:
    """Return what V gains at table t if block `out` leaves and `into` comes (−1: none); −inf if they cannot."""
    seated, total = plan.by_table[SEATED, t], plan.sums[t]
    value = -plan.factor[seated] * total
    if out >= 0:
        seated -= plan.by_block[SIZE, out]
        total -= plan.gains[t, out] + plan.inner[out]
        value -= plan.linear[t, out]
    if into >= 0:
        seated += plan.by_block[SIZE, into]
        total += plan.gains[t, into] + plan.inner[into]
        value += plan.linear[t, into]
        if out >= 0:
            total -= plan.weights[out, into]
    if seated < plan.by_table[LEAST, t] or seated > plan.by_table[MOST, t]:
        return -np.inf
    return value + plan.factor[seated] * total


@kernel
def _offer(prospects: FloatArray, places: IntArray, b: int, t: int, gain: float) -> None:
    """Note table t for block b if it is one of the two best."""
    if gain > prospects[BEST, b]:
        prospects[NEXT, b], places[NEXT_AT, b] = prospects[BEST, b], places[BEST_AT, b]
        prospects[BEST, b], places[BEST_AT, b] = gain, t
    elif gain > prospects[NEXT, b]:
        prospects[NEXT, b], places[NEXT_AT, b] = gain, t


@kernel
def look_around(plan: SearchState, changed: IntArray, looked: int, prospects: FloatArray, places: IntArray) -> None:
    """Bring the prospects of all blocks up to date with the tables that changed since they were looked at."""
    for b in range(plan.weights.shape[0]):
        s = plan.by_block[AT, b]
        known = looked > 0 and changed[s] <= looked
        for row in range(2):
            known = known and (places[row, b] < 0 or changed[places[row, b]] <= looked)
        if not known:
            prospects[LEAVE, b] = after(plan, s, b, -1) if can_leave(plan, s, b, -1) else -np.inf
            prospects[BEST, b], prospects[NEXT, b] = -np.inf, -np.inf
            places[BEST_AT, b], places[NEXT_AT, b] = -1, -1
        for t in range(plan.by_table.shape[1]):
            if t != s and (not known or changed[t] > looked):
                gain = after(plan, t, -1, b)
                if gain > prospects[NEXT, b] and table_keeps_rules(plan, t, -1, b, -1):
                    _offer(prospects, places, b, t, gain)


@kernel
def _note(change: IntArray, b: int, t: int, c: int, u: int) -> bool:
    """Write down that b goes to t and c to u."""
    change[0, 0], change[1, 0] = b, t
    change[0, 1], change[1, 1] = c, u
    return True


@inlined_kernel
def _arrive(plan: SearchState, b: int, c: int, t: int) -> Any:
    """Return what V gains at table t if b and c both come; −inf if there is no room."""
    seated = plan.by_table[SEATED, t]
    filled = seated + plan.by_block[SIZE, b] + plan.by_block[SIZE, c]
    if filled > plan.by_table[MOST, t]:
        return -np.inf
    total = plan.sums[t] + plan.gains[t, b] + plan.inner[b] + plan.gains[t, c] + plan.inner[c] + plan.weights[b, c]
    return plan.factor[filled] * total - plan.factor[seated] * plan.sums[t] + plan.linear[t, b] + plan.linear[t, c]


@kernel
def _find_part(
    plan: SearchState,
    prospects: FloatArray,
    places: IntArray,
    changed: IntArray,
    seen: int,
    change: IntArray,
    b: int,
    least_gain: float,
) -> bool:
    """Find another block that leaves the table with b, each for a table of its own or both for the same one."""
    s = plan.by_block[AT, b]
    for i in range(plan.by_table[COUNT, s]):
        c = plan.members[s, i]
        left = plan.by_table[SEATED, s] - plan.by_block[SIZE, b] - plan.by_block[SIZE, c]
        if c <= b or left < plan.by_table[LEAST, s]:
            continue
        total = plan.sums[s] - plan.gains[s, b] - plan.inner[b] - plan.gains[s, c] - plan.inner[c] + plan.weights[b, c]
        leaving = (
            plan.factor[left] * total
            - plan.factor[plan.by_table[SEATED, s]] * plan.sums[s]
            - plan.linear[s, b]
            - plan.linear[s, c]
        )
        row_b, row_c = BEST, BEST
        if places[BEST_AT, b] == places[BEST_AT, c]:
            if prospects[BEST, b] + prospects[NEXT, c] >= prospects[NEXT, b] + prospects[BEST, c]:
                row_c = NEXT
            else:
                row_b = NEXT
        may_leave = can_leave(plan, s, b, c)
        if may_leave and leaving + prospects[row_b, b] + prospects[row_c, c] > least_gain:
            return _note(change, b, places[row_b - 1, b], c, places[row_c - 1, c])
        for t in range(plan.by_table.shape[1] if may_leave else 0):
            if t != s and (changed[s] > seen or changed[t] > seen):
                coming = _arrive(plan, b, c, t)
                if leaving + coming > least_gain and table_keeps_rules(plan, t, -1, b, c):
                    return _note(change, b, t, c, t)
    return False


@inlined_kernel
def _meets(plan: SearchState, prospects: FloatArray, b: int, c: int, t: int, least_gain: float) -> bool:
    """Return whether it gains if b and c, from different tables, both come to t."""
    if c <= b or plan.by_block[AT, c] == plan.by_block[AT, b] or plan.by_block[AT, c] == t:
        return False
    gain = _arrive(plan, b, c, t)
    if gain + prospects[LEAVE, b] + prospects[LEAVE, c] <= least_gain:
        return False
    return table_keeps_rules(plan, t, -1, b, c)


@kernel
def find_pair(  # noqa: C901, PLR0912  # loops written out: a kernel
    plan: SearchState,
    prospects: FloatArray,
    places: IntArray,
    changed: IntArray,
    seen: int,
    change: IntArray,
    b: int,
    least_gain: float,
    control: FloatArray,
) -> bool:
    """Find a second block that gains together with b; note both and their new tables in `change`.

    Changes between tables that have not changed since `seen` are not weighed again.
    """
    if _find_part(plan, prospects, places, changed, seen, change, b, least_gain):
        return True
    s, gone = plan.by_block[AT, b], prospects[LEAVE, b]
    for t in range(plan.by_table.shape[1] if gone > -np.inf else 0):
        if control[0] > 0.0:
            return False
        if t == s:
            continue
        for i in range(plan.by_table[COUNT, t]):
            c = plan.members[t, i]
            row = NEXT if places[BEST_AT, c] == s else BEST
            if prospects[row, c] == -np.inf:
                continue
            gain = after(plan, t, c, b)
            if gone + prospects[row, c] + gain <= least_gain:
                continue
            if table_keeps_rules(plan, t, c, b, -1):
                return _note(change, b, t, c, places[row - 1, c])
        if plan.by_table[SEATED, t] + plan.by_block[SIZE, b] >= plan.by_table[MOST, t]:
            continue
        if changed[s] > seen or changed[t] > seen:
            for c in range(b + 1, plan.weights.shape[0]):
                if _meets(plan, prospects, b, c, t, least_gain):
                    return _note(change, b, t, c, t)
            continue
        for x in range(plan.by_table.shape[1]):
            for i in range(plan.by_table[COUNT, x] if changed[x] > seen else 0):
                c = plan.members[x, i]
                if _meets(plan, prospects, b, c, t, least_gain):
                    return _note(change, b, t, c, t)
    return False
