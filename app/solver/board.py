"""What the search kernels work on: the fixed side of a problem and the moving side of a plan.

`gains[t, b]` = Σ_{c at t} w_bc makes an exchange between two tables O(1) to weigh and O(m) to do,
m being the number of blocks. Numbers by block and by table stand in the rows of two arrays, because
a kernel with few arguments compiles several times faster.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit

from app.solver.blocks import Blocks
from app.solver.problem import FloatArray, IntArray

AT, SIZE, PLACE, FRIEND, BESIDE = 0, 1, 2, 3, 4
"""Rows of `by_block`: its table, its guests, its place among the table's members, its best friend; from BESIDE on the
lengths of its rows of guests who sit side by side, 0 where it has no more."""
LEAST, MOST, SEATED, COUNT, SIDE = 0, 1, 2, 3, 4
"""Rows of `by_table`: fewest and most guests, guests there now, blocks there now; the chairs along the first side where
rows might not fit, else 0."""
LARGEST_SET = 4
"""The most blocks that one exchange takes from one table."""


@dataclass(frozen=True)
class Board:
    """A plan laid out for the kernels; `members[t, :count]` are the blocks at table t."""

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

    @property
    def arrays(self) -> tuple[Any, ...]:
        """What `exchange_delta` and `do_exchange` take, in their order."""
        return (
            self.weights,
            self.inner,
            self.linear,
            self.factor,
            self.by_block,
            self.by_table,
            self.gains,
            self.sums,
            self.members,
        )


def build_board(blocks: Blocks, at: IntArray) -> Board:
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
    return Board(
        weights=blocks.weights,
        inner=blocks.inner,
        linear=blocks.linear,
        factor=blocks.factor,
        movable=blocks.movable,
        by_block=np.stack([at, sizes, place, blocks.friends, *rows_by_block(blocks)]).astype(np.int64),
        by_table=np.stack([blocks.least, blocks.most, seated, count, blocks.sides]).astype(np.int64),
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


@njit(nogil=True, cache=True)
def exchange_sums(
    weights: FloatArray,
    inner: FloatArray,
    gains: FloatArray,
    sets: IntArray,
    s: int,
    leaving: int,
    n_leaving: int,
    n_coming: int,
) -> Any:
    """Return how S_s changes when the set in row `leaving` leaves table s and the one in the other row comes.

    −Σ_a (g_sa + I_a) + Σ_{a<a'} w_aa' + Σ_c (g_sc + I_c) + Σ_{c<c'} w_cc' − Σ_{a,c} w_ac.
    """
    coming = 1 - leaving
    change = 0.0
    for i in range(n_leaving):
        a = sets[leaving, i]
        change -= gains[s, a] + inner[a]
        for j in range(i):
            change += weights[a, sets[leaving, j]]
    for i in range(n_coming):
        c = sets[coming, i]
        change += gains[s, c] + inner[c]
        for j in range(i):
            change += weights[c, sets[coming, j]]
        for j in range(n_leaving):
            change -= weights[c, sets[leaving, j]]
    return change


@njit(nogil=True, cache=True)
def exchange_delta(
    weights: FloatArray,
    inner: FloatArray,
    linear: FloatArray,
    factor: FloatArray,
    by_block: IntArray,
    by_table: IntArray,
    gains: FloatArray,
    sums: FloatArray,
    sets: IntArray,
    n_a: int,
    n_c: int,
    s: int,
    t: int,
) -> Any:
    """Return how V changes when the blocks of sets[0] (at s) and of sets[1] (at t) change tables."""
    sum_s = exchange_sums(weights, inner, gains, sets, s, 0, n_a, n_c)
    sum_t = exchange_sums(weights, inner, gains, sets, t, 1, n_c, n_a)
    grow = 0
    delta = 0.0
    for i in range(n_a):
        grow += by_block[SIZE, sets[0, i]]
        delta += linear[t, sets[0, i]] - linear[s, sets[0, i]]
    for i in range(n_c):
        grow -= by_block[SIZE, sets[1, i]]
        delta += linear[s, sets[1, i]] - linear[t, sets[1, i]]
    at_s, at_t = by_table[SEATED, s], by_table[SEATED, t]
    delta += factor[at_s - grow] * (sums[s] + sum_s) - factor[at_s] * sums[s]
    delta += factor[at_t + grow] * (sums[t] + sum_t) - factor[at_t] * sums[t]
    return delta


@njit(nogil=True, cache=True)
def move_block(
    weights: FloatArray,
    inner: FloatArray,
    by_block: IntArray,
    by_table: IntArray,
    gains: FloatArray,
    sums: FloatArray,
    members: IntArray,
    b: int,
    t: int,
) -> None:
    """Seat block b at table t and bring every running sum up to date."""
    s, size = by_block[AT, b], by_block[SIZE, b]
    sums[s] -= gains[s, b] + inner[b]
    sums[t] += gains[t, b] + inner[b]
    for j in range(weights.shape[0]):
        gains[s, j] -= weights[b, j]
        gains[t, j] += weights[b, j]
    by_block[AT, b] = t
    by_table[SEATED, s] -= size
    by_table[SEATED, t] += size
    by_table[COUNT, s] -= 1
    last = members[s, by_table[COUNT, s]]
    members[s, by_block[PLACE, b]] = last
    by_block[PLACE, last] = by_block[PLACE, b]
    members[t, by_table[COUNT, t]] = b
    by_block[PLACE, b] = by_table[COUNT, t]
    by_table[COUNT, t] += 1


@njit(nogil=True, cache=True)
def sizes_fit(by_table: IntArray, s: int, t: int, grow: int) -> Any:
    """Say whether table s can lose `grow` guests and table t take them."""
    at_s, at_t = by_table[SEATED, s] - grow, by_table[SEATED, t] + grow
    if at_s < by_table[LEAST, s] or at_s > by_table[MOST, s]:
        return False
    return by_table[LEAST, t] <= at_t <= by_table[MOST, t]
