"""Changes of whole tables, where sizes are not given: open a table, close one, move a circle, swap two tables.

Single moves would have to pass through many worse plans to empty a table. And a full table cannot grow, although all of
its guests would find more seats at another one. Blocks that have one table to choose from stay there because `linear`
charges them for all others; of the others none stays because it is not among `movable`.
"""

from __future__ import annotations

from app.solver.numba_support.compilation import inlined, kernel, shared
from app.solver.numba_support.random_numbers import RandomState, below
from app.solver.problem import IntArray
from app.solver.search.search_state import AT, COUNT, LEAST, MOST, SEATED, SIZE, SearchState, move_block

NEVER = 1 << 30
"""Steps between two changes where there are none."""


@kernel
def try_table_move(plan: SearchState, least_gain: float, chosen: IntArray, state: RandomState) -> None:
    """Draw two tables; swap all of their guests, or move all or some from one to the other, if that gains enough.

    `chosen` has room for the numbers of all blocks at one table.
    """
    tables = plan.by_table.shape[1]
    s, t = below(state, tables), below(state, tables)
    if s == t or plan.by_table[COUNT, s] == 0:
        return
    coin = below(state, 4)
    if coin < 2:
        if _fits(plan, s, plan.by_table[SEATED, t]) and _fits(plan, t, plan.by_table[SEATED, s]):
            _swap_contents(plan, s, t, least_gain)
        return
    whole = coin == 2 and plan.by_table[COUNT, t] > 0
    count = _choose_all(plan, s, chosen) if whole else _choose_some(plan, s, chosen, state)
    leaving = 0
    for i in range(count):
        leaving += plan.by_block[SIZE, chosen[i]]
    if count == 0 or not _fits(plan, s, plan.by_table[SEATED, s] - leaving):
        return
    if _fits(plan, t, plan.by_table[SEATED, t] + leaving):
        _move_together(plan, chosen, count, leaving, s, t, least_gain)


@shared
def _fits(plan: SearchState, t: int, seated: int) -> bool:
    return bool(plan.by_table[LEAST, t] <= seated <= plan.by_table[MOST, t])


@inlined
def _choose_all(plan: SearchState, s: int, chosen: IntArray) -> int:
    count = plan.by_table[COUNT, s]
    for i in range(count):
        chosen[i] = plan.members[s, i]
    return int(count)


@inlined
def _choose_some(plan: SearchState, s: int, chosen: IntArray, state: RandomState) -> int:
    """Choose the blocks of a table that go better with one random block than with another."""
    here = plan.by_table[COUNT, s]
    a, b = plan.members[s, below(state, here)], plan.members[s, below(state, here)]
    if a == b:
        return 0
    count = 0
    for i in range(here):
        c = plan.members[s, i]
        if c == a or (c != b and plan.weights[a, c] > plan.weights[b, c]):
            chosen[count] = c
            count += 1
    return count


@inlined
def _move_together(
    plan: SearchState, chosen: IntArray, count: int, leaving: int, s: int, t: int, least_gain: float
) -> None:
    """Move some blocks from s to t if that gains at least so much."""
    apart = within = joined = delta = 0.0
    for i in range(count):
        a = chosen[i]
        apart += plan.gains[s, a]
        joined += plan.gains[t, a]
        within += plan.inner[a]
        delta += plan.linear[t, a] - plan.linear[s, a]
        for j in range(i):
            within += plan.weights[a, chosen[j]]
            apart -= 2.0 * plan.weights[a, chosen[j]]
    at_s, at_t = plan.by_table[SEATED, s], plan.by_table[SEATED, t]
    delta += plan.factor[at_s - leaving] * (plan.sums[s] - within - apart) - plan.factor[at_s] * plan.sums[s]
    delta += plan.factor[at_t + leaving] * (plan.sums[t] + within + joined) - plan.factor[at_t] * plan.sums[t]
    if delta >= least_gain:
        for i in range(count):
            move_block(plan, chosen[i], t)


@inlined
def _swap_contents(plan: SearchState, s: int, t: int, least_gain: float) -> None:
    """Let all blocks of two tables change places if that gains at least so much; only rules can make a difference."""
    delta = 0.0
    for i in range(plan.by_table[COUNT, s]):
        b = plan.members[s, i]
        delta += plan.linear[t, b] - plan.linear[s, b]
    for i in range(plan.by_table[COUNT, t]):
        b = plan.members[t, i]
        delta += plan.linear[s, b] - plan.linear[t, b]
    if delta < least_gain:
        return
    for i in range(plan.by_table[COUNT, s]):
        plan.by_block[AT, plan.members[s, i]] = t
    for i in range(plan.by_table[COUNT, t]):
        plan.by_block[AT, plan.members[t, i]] = s
    for i in range(max(plan.by_table[COUNT, s], plan.by_table[COUNT, t])):
        plan.members[s, i], plan.members[t, i] = plan.members[t, i], plan.members[s, i]
    for row in (COUNT, SEATED):
        plan.by_table[row, s], plan.by_table[row, t] = plan.by_table[row, t], plan.by_table[row, s]
    plan.sums[s], plan.sums[t] = plan.sums[t], plan.sums[s]
    for j in range(plan.gains.shape[1]):
        plan.gains[s, j], plan.gains[t, j] = plan.gains[t, j], plan.gains[s, j]
