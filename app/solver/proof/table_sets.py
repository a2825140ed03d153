"""Every set of blocks that one table can hold, and what it is worth there.

A set is a number whose bits say which blocks are in it. Tables that do not differ share one list of sets, so a plan
is a choice of sets from these lists that holds each block once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np

from app.solver.numba_support.compilation import kernel
from app.solver.problem import BoolArray, FloatArray, IntArray
from app.solver.search.blocks import Blocks

MOST_BLOCKS = 62
"""A set has to fit into one number."""


@dataclass(frozen=True)
class TableKind:
    """Tables that do not differ: which they are, and the worth of each set that may sit there, 0 being nobody."""

    tables: tuple[int, ...]
    sets: IntArray = field(repr=False)
    worth: FloatArray = field(repr=False)


def count_sets(blocks: Blocks) -> int | None:
    """Return how many sets the largest table can hold, rules ignored; None if a set needs more than one integer."""
    return sum(_ways(blocks)) if blocks.count <= MOST_BLOCKS else None


def count_priced(blocks: Blocks) -> int:
    """Return how many sets all kinds of tables hold together: each kind has a list of its own."""
    ways = _ways(blocks)
    return sum(sum(ways[blocks.least[tables[0]] : blocks.most[tables[0]] + 1]) for tables in _alike(blocks))


def _ways(blocks: Blocks) -> list[int]:
    """Return how many sets take up each number of seats, up to those of the largest table."""
    most = int(blocks.most.max(initial=0))
    ways = [1] + [0] * most
    for size in blocks.structure.sizes.tolist():
        for seats in range(most, size - 1, -1):
            ways[seats] += ways[seats - size]
    return ways


def no_check() -> None:
    """Never interrupt."""


def list_kinds(blocks: Blocks, look: Callable[[], None] = no_check) -> list[TableKind]:
    """Return the kinds of tables with all their sets; `look` is called in between and may raise."""
    sets, pairs, guests = list_sets(blocks, look)
    alone = count_alone(blocks, sets)
    kinds = []
    for tables in _alike(blocks):
        look()
        table = tables[0]
        barred = _as_set(np.flatnonzero(~blocks.structure.allowed[:, table]))
        fits = (guests >= blocks.least[table]) & (guests <= blocks.most[table]) & (sets & barred == 0)
        fits[fits] = _fits_rows(blocks, sets[fits], table)
        fits[fits] = _fits_counts(blocks, sets[fits], table)
        here, linear = np.ascontiguousarray(sets[fits]), np.ascontiguousarray(blocks.linear[table])
        worth = blocks.factor[guests[fits]] * pairs[fits] - blocks.fairness * alone[fits]
        kinds.append(TableKind(tables, here, worth + add_up(here, linear) if linear.any() else worth))
    return kinds


def _fits_rows(blocks: Blocks, sets: IntArray, table: int) -> BoolArray:
    """Return for each set whether its rows fit along the sides of the table, once for all sets with the same rows."""
    if not blocks.sides[table]:
        return np.ones(len(sets), dtype=bool)
    alike: dict[tuple[int, ...], list[int]] = {}
    for block, rows in enumerate(blocks.structure.rows):
        if rows:
            alike.setdefault(rows, []).append(block)
    codes = np.zeros(len(sets), dtype=np.int64)
    for members in alike.values():
        codes = codes * (len(members) + 1) + np.bitwise_count(sets & _as_set(members))
    _, first, code = np.unique(codes, return_index=True, return_inverse=True)
    fit = [blocks.fits_rows(np.flatnonzero(one >> np.arange(blocks.count) & 1), table) for one in sets[first]]
    return np.array(fit, dtype=bool)[code]


def _fits_counts(blocks: Blocks, sets: IntArray, table: int) -> BoolArray:
    """Return for each set whether it has as many guests of each label as the table may have; nobody always fits."""
    limits, fits = blocks.structure.limits, np.ones(len(sets), dtype=bool)
    for own, least, most in zip(limits.own, limits.least[:, table], limits.most[:, table], strict=True):
        here = add_up(sets, own.astype(np.float64))
        fits &= (least <= here) & (here <= most)
    return np.asarray(fits | (sets == 0))


def list_sets(blocks: Blocks, look: Callable[[], None] = no_check) -> tuple[IntArray, FloatArray, IntArray]:
    """Return every set with at most the most seats and nobody who must be apart, its pair weights and its guests."""
    room = count_sets(blocks) or 0
    sets, guests = np.zeros(room, dtype=np.int64), np.zeros(room, dtype=np.int64)
    pairs = np.zeros(room)
    sizes, most, barred = blocks.structure.sizes, int(blocks.most.max(initial=0)), -blocks.barrier / 2
    listed = 1
    for block in range(blocks.count):
        look()
        listed = _extend_sets(blocks.weights, blocks.inner, sizes, most, barred, block, listed, sets, pairs, guests)
    return sets[:listed], pairs[:listed], guests[:listed]


@kernel
def _extend_sets(
    weights: FloatArray,
    inner: FloatArray,
    sizes: IntArray,
    most: int,
    barred: float,
    block: int,
    known: int,
    sets: IntArray,
    pairs: FloatArray,
    guests: IntArray,
) -> int:
    """Extend each of the known sets by one block; return how many there are then. Place 0 is the empty set."""
    listed = known
    for place in range(known):
        if guests[place] + sizes[block] > most:
            continue
        total, rest, member, fits = pairs[place] + inner[block], sets[place], 0, True
        while rest:
            if rest & 1:
                fits = fits and weights[block, member] > barred
                total += weights[block, member]
            rest >>= 1
            member += 1
        if fits:
            sets[listed] = sets[place] | (1 << block)
            pairs[listed] = total
            guests[listed] = guests[place] + sizes[block]
            listed += 1
    return listed


def add_up(sets: IntArray, values: FloatArray) -> FloatArray:
    """Return Σ_{b in set} values[b] for each set."""
    sums = np.zeros(len(sets))
    _add_up(sets, values, sums)
    return sums


@kernel
def _add_up(sets: IntArray, values: FloatArray, sums: FloatArray) -> None:
    for place in range(len(sets)):
        rest, member, total = sets[place], 0, 0.0
        while rest:
            if rest & 1:
                total += values[member]
            rest >>= 1
            member += 1
        sums[place] = total


def compile_listing() -> None:
    """List the one set of nobody, so that the kernels are compiled or loaded."""
    some, numbers = np.zeros(1), np.zeros(1, dtype=np.int64)
    _extend_sets(np.zeros((1, 1)), some, np.ones(1, dtype=np.int64), 0, 0.0, 0, 1, numbers, some, numbers)
    add_up(numbers, some)


def count_alone(blocks: Blocks, sets: IntArray) -> IntArray:
    """Count for each set the guests who would like nobody at its table."""
    alone = np.zeros(len(sets), dtype=np.int64)
    if not blocks.likes.size or not blocks.fairness:
        return alone
    for guest, block in enumerate(blocks.structure.of_guest):
        company = _as_set(np.unique(blocks.structure.of_guest[blocks.likes[guest]]))
        alone += ((sets >> block) & 1 == 1) & (sets & company == 0)
    return alone


def _as_set(members: Iterable[int]) -> int:
    return sum(1 << int(block) for block in members)


def _alike(blocks: Blocks) -> list[tuple[int, ...]]:
    """Group the tables that have the same limits and the same claims on every block."""
    groups: dict[bytes, list[int]] = {}
    for table in range(blocks.table_count):
        limits = np.array([blocks.least[table], blocks.most[table], blocks.sides[table]], dtype=np.float64)
        labels = blocks.structure.limits
        claims = [limits, blocks.linear[table], labels.least[:, table], labels.most[:, table]]
        groups.setdefault(np.concatenate(claims).tobytes(), []).append(table)
    return [tuple(tables) for tables in groups.values()]
