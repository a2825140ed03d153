"""What the search kernels work on: the fixed side of a problem and the moving side of a plan.

`gains[t, b]` = Σ_{c at t} w_bc makes an exchange between two tables O(1) to weigh and O(m) to do,
m being the number of blocks. Numbers by block and by table are the rows of two arrays, because
a kernel with few arguments compiles several times faster.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from app.solver.numba_support.compilation import inlined_kernel, kernel
from app.solver.problem import FloatArray, IntArray
from app.solver.search.blocks import Blocks

AT, SIZE, PLACE, FRIEND, OWN = 0, 1, 2, 3, 4
"""Rows of `by_block`: its table, its guests, its place among the table's members, its best friend; from OWN on how many
of its guests have each label, and after the labels the lengths of its rows of guests who sit side by side, 0 where it
has no more."""
LEAST, MOST, SEATED, COUNT, SIDE, LIMITS = 0, 1, 2, 3, 4, 5
"""Rows of `by_table`: fewest and most guests, guests there now, blocks there now; the chairs along the first side where
rows might not fit, else 0; from LIMITS on two rows for each label, the fewest and the most of its guests where anyone
sits."""
LARGEST_SET = 4
"""The most blocks that one exchange takes from one table."""


class SearchState(NamedTuple):
    """A plan laid out for the kernels; `members[t, :count]` are the blocks at t, `movable` all that may move."""

    weights: FloatArray
    inner: FloatArray
    linear: FloatArray
    factor: FloatArray
    movable: IntArray
    by_block: IntArray
    by_table: IntArray
    gains: FloatArray
    sums: FloatArray
    members: IntArray

    @property
    def at(self) -> IntArray:
        """The table of every block."""
        return np.asarray(self.by_block[AT])


def build_search_state(blocks: Blocks, at: IntArray) -> SearchState:
    """Lay a plan out with all its running sums, in numpy."""
    sizes, tables = blocks.structure.sizes, blocks.table_count
    at = np.asarray(at, dtype=np.int64)
    gains, sums = np.zeros((tables, blocks.count)), np.zeros(tables)
    count = np.bincount(at, minlength=tables)
    seated = np.bincount(at, weights=sizes, minlength=tables).astype(np.int64)
    # An exchange first brings its blocks in, then takes others out: room for one whole set more.
    widest = max(int(blocks.most.max(initial=1)), int(count.max(initial=1))) + LARGEST_SET
    members = np.full((tables, widest), -1, dtype=np.int64)
    place = np.zeros(blocks.count, dtype=np.int64)
    for table in range(tables):
        here = np.flatnonzero(at == table)
        members[table, : len(here)] = here
        place[here] = np.arange(len(here))
        # Row by row: a product with all the zeros in it would take a quarter of a second for 3,000 guests.
        blocks.weights[here].sum(axis=0, out=gains[table])
        sums[table] = gains[table, here].sum() / 2 + blocks.inner[here].sum()
    limits = blocks.structure.limits
    return SearchState(
        weights=blocks.weights,
        inner=blocks.inner,
        linear=blocks.linear,
        factor=blocks.factor,
        movable=blocks.movable,
        by_block=np.stack([at, sizes, place, blocks.friends, *limits.own, *rows_by_block(blocks)]).astype(np.int64),
        by_table=np.stack([blocks.least, blocks.most, seated, count, blocks.sides, *limits.by_table]).astype(np.int64),
        gains=gains,
        sums=sums,
        members=members,
    )


def rows_by_block(blocks: Blocks) -> IntArray:
    """Return the lengths of each block's rows, the first of all, the second of all, and so on; none if none matter."""
    rows = blocks.structure.rows if blocks.sides.any() else ()
    lengths = np.zeros((max(map(len, rows), default=0), blocks.count), dtype=np.int64)
    for block, own in enumerate(rows):
        lengths[: len(own), block] = own
    return lengths


@inlined_kernel
def exchange_sums(plan: SearchState, sets: IntArray, s: int, leaving: int, n_leaving: int, n_coming: int) -> Any:
    """Return how S_s changes when the set in row `leaving` leaves table s and the one in the other row comes.

    −Σ_a (g_sa + I_a) + Σ_{a<a'} w_aa' + Σ_c (g_sc + I_c) + Σ_{c<c'} w_cc' − Σ_{a,c} w_ac.
    """
    coming = 1 - leaving
    change = 0.0
    for i in range(n_leaving):
        a = sets[leaving, i]
        change -= plan.gains[s, a] + plan.inner[a]
        for j in range(i):
            change += plan.weights[a, sets[leaving, j]]
    for i in range(n_coming):
        c = sets[coming, i]
        change += plan.gains[s, c] + plan.inner[c]
        for j in range(i):
            change += plan.weights[c, sets[coming, j]]
        for j in range(n_leaving):
            change -= plan.weights[c, sets[leaving, j]]
    return change


@inlined_kernel
def exchange_delta(plan: SearchState, sets: IntArray, n_a: int, n_c: int, s: int, t: int) -> Any:
    """Return how V changes when the blocks of sets[0] (at s) and of sets[1] (at t) change tables."""
    sum_s = exchange_sums(plan, sets, s, 0, n_a, n_c)
    sum_t = exchange_sums(plan, sets, t, 1, n_c, n_a)
    grow = 0
    delta = 0.0
    for i in range(n_a):
        grow += plan.by_block[SIZE, sets[0, i]]
        delta += plan.linear[t, sets[0, i]] - plan.linear[s, sets[0, i]]
    for i in range(n_c):
        grow -= plan.by_block[SIZE, sets[1, i]]
        delta += plan.linear[s, sets[1, i]] - plan.linear[t, sets[1, i]]
    at_s, at_t = plan.by_table[SEATED, s], plan.by_table[SEATED, t]
    delta += plan.factor[at_s - grow] * (plan.sums[s] + sum_s) - plan.factor[at_s] * plan.sums[s]
    delta += plan.factor[at_t + grow] * (plan.sums[t] + sum_t) - plan.factor[at_t] * plan.sums[t]
    return delta


@inlined_kernel
def move_block(plan: SearchState, b: int, t: int) -> None:
    """Seat block b at table t and bring every running sum up to date."""
    s, size = plan.by_block[AT, b], plan.by_block[SIZE, b]
    plan.sums[s] -= plan.gains[s, b] + plan.inner[b]
    plan.sums[t] += plan.gains[t, b] + plan.inner[b]
    for j in range(plan.weights.shape[0]):
        plan.gains[s, j] -= plan.weights[b, j]
        plan.gains[t, j] += plan.weights[b, j]
    plan.by_block[AT, b] = t
    plan.by_table[SEATED, s] -= size
    plan.by_table[SEATED, t] += size
    plan.by_table[COUNT, s] -= 1
    last = plan.members[s, plan.by_table[COUNT, s]]
    plan.members[s, plan.by_block[PLACE, b]] = last
    plan.by_block[PLACE, last] = plan.by_block[PLACE, b]
    plan.members[t, plan.by_table[COUNT, t]] = b
    plan.by_block[PLACE, b] = plan.by_table[COUNT, t]
    plan.by_table[COUNT, t] += 1


@kernel
def sizes_fit(by_table: IntArray, s: int, t: int, grow: int) -> Any:
    """Return whether table s can lose `grow` guests and table t take them."""
    at_s, at_t = by_table[SEATED, s] - grow, by_table[SEATED, t] + grow
    if at_s < by_table[LEAST, s] or at_s > by_table[MOST, s]:
        return False
    return by_table[LEAST, t] <= at_t <= by_table[MOST, t]
