"""The best plan there is, proven, for small events: a dynamic programme over sets of blocks.

A set of blocks is a number whose bits say who is in it. `worth[M]` is what one table of a kind is worth with set M;

    best_r[M] = max_{T ⊆ M} worth_r[T] + best_{r−1}[M \\ T]

is the best seating of M at r tables. The tables are split into two sides and a plan is a set for one side with its
complement for the other. Sets that cannot beat the best plan known so far are left out: what a table can get out
of M is at most the greatest worth of any of its subsets.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import product
from math import comb

import numpy as np
from numba import njit
from numpy.typing import NDArray

from app.solver.blocks import Blocks
from app.solver.problem import FloatArray, IntArray
from app.solver.restarts import count_cores

Ceiling = NDArray[np.float32]
MOST_BLOCKS = 24
MOST_BYTES = 1_300_000_000
MOST_SPLITS = 5000
CHUNKS = 64


@dataclass(frozen=True)
class TableKind:
    """Tables that do not differ: which they are, how many blocks fit, what each set is worth there."""

    tables: tuple[int, ...]
    fewest: int
    most: int
    worth: FloatArray = field(repr=False)
    ceiling: Ceiling = field(repr=False)

    @property
    def is_fixed(self) -> bool:
        """Whether every such table has the same number of blocks."""
        return self.fewest == self.most


@dataclass(frozen=True)
class Side:
    """Kinds of tables in the order in which they are added, one entry for each table."""

    kinds: tuple[int, ...]


class OutOfReach(Exception):
    """The event is too large for a proof, or time ran out."""


def prove(
    blocks: Blocks,
    known: float,
    control: FloatArray,
    wait_for: Callable[[list[Future[None]]], None],
    threads: int | None = None,
) -> IntArray | None:
    """Return a plan better than the known value, or None when there is none; raise OutOfReach without a proof.

    `wait_for` waits for the threads, and may set control[0] to end them.
    """
    if proof_work(blocks) is None:
        raise OutOfReach
    groups = _alike(blocks)
    sides, _ = _split(blocks, groups)
    with ThreadPoolExecutor(threads or count_cores()) as pool:
        kinds = _measure(blocks, groups, pool)
        proof = _Proof(blocks, kinds, known, control, pool, wait_for)
        return proof.run(sides)


def proof_work(blocks: Blocks) -> float | None:
    """Return how many subsets a proof would look at, at most; None if it would not fit into memory."""
    if blocks.count > MOST_BLOCKS or blocks.table_count < 2:
        return None
    groups = _alike(blocks)
    if np.prod([len(tables) + 1 for tables in groups], dtype=np.float64) > MOST_SPLITS:
        return None
    sides, work = _split(blocks, groups)
    return work if _bytes_needed(blocks, groups, sides) <= MOST_BYTES else None


class _Proof:
    """The dynamic programme at work."""

    def __init__(
        self,
        blocks: Blocks,
        kinds: list[TableKind],
        known: float,
        control: FloatArray,
        pool: ThreadPoolExecutor,
        wait_for: Callable[[list[Future[None]]], None],
    ) -> None:
        self._blocks, self._kinds, self._known = blocks, kinds, known
        self._control, self._pool, self._wait_for = control, pool, wait_for
        self._counts = np.bitwise_count(np.arange(1 << blocks.count, dtype=np.int32))
        self._margin = 1e-9 * (1.0 + abs(known))

    def run(self, sides: tuple[Side, Side]) -> IntArray | None:
        """Fill both sides and put them together."""
        others = self._ceiling(sides[1].kinds)[::-1]
        left = self._fill(sides[0], others)
        right = left if sides[0] == sides[1] else self._fill(sides[1], left[-1][::-1])
        together = left[-1] + right[-1][::-1]
        chosen = int(together.argmax())
        if together[chosen] <= self._known + self._margin:
            return None
        at = np.full(self._blocks.count, -1, dtype=np.int64)
        free = [list(kind.tables) for kind in self._kinds]
        self._read(sides[0], left, chosen, free, at)
        self._read(sides[1], right, len(together) - 1 - chosen, free, at)
        return at

    def _ceiling(self, kinds: tuple[int, ...]) -> FloatArray:
        """Return for each set more than these tables can get out of it."""
        total = np.zeros(len(self._counts))
        for kind in kinds:
            total += self._kinds[kind].ceiling
        return total

    def _fill(self, side: Side, others: FloatArray) -> list[FloatArray]:
        """Return best_r for r tables of a side, r = 1, 2, …; `others` is the most that the other side adds."""
        layers = [self._kinds[side.kinds[0]].worth]
        for place in range(1, len(side.kinds)):
            kind = self._kinds[side.kinds[place]]
            done = side.kinds[: place + 1]
            fewest = sum(self._kinds[k].fewest for k in done)
            most = sum(self._kinds[k].most for k in done)
            rest = self._ceiling(side.kinds[place + 1 :])[::-1] if place + 1 < len(side.kinds) else None
            hope = self._ceiling(done) + others
            hope = hope + rest if rest is not None else hope
            wanted = (self._counts >= fewest) & (self._counts <= most) & (hope > self._known)
            alike = all(k == side.kinds[0] for k in done)
            # Layers whose sets differ in number share one array.
            shared = layers[-1] if place > 1 and all(self._kinds[k].is_fixed for k in done) else None
            layers.append(self._add_table(layers[-1], kind, np.flatnonzero(wanted), alike, shared))
        return layers

    def _add_table(
        self, before: FloatArray, kind: TableKind, sets: IntArray, alike: bool, shared: FloatArray | None
    ) -> FloatArray:
        """Return the next layer for the wanted sets, computed in chunks on all cores."""
        after = shared if shared is not None else before.copy()
        if shared is None and kind.fewest > 0:
            after[:] = before if all(k.is_fixed for k in self._kinds) else -np.inf
        tasks = [
            self._pool.submit(
                add_table, chunk, before, kind.worth, after, max(kind.fewest, 1), kind.most, alike, self._control
            )
            for chunk in np.array_split(sets, CHUNKS)
            if len(chunk)
        ]
        self._wait_for(tasks)
        if self._control[0] > 0.0:
            raise OutOfReach
        for task in tasks:
            task.result()
        return after

    def _read(self, side: Side, layers: list[FloatArray], chosen: int, free: list[list[int]], at: IntArray) -> None:
        """Seat the blocks of the chosen set by walking back through the layers."""
        for place in range(len(side.kinds) - 1, -1, -1):
            kind = side.kinds[place]
            part = chosen if place == 0 else self._part(layers[place - 1], kind, chosen, layers[place][chosen])
            table = free[kind].pop()
            for block in range(len(at)):
                if part >> block & 1:
                    at[block] = table
            chosen ^= part

    def _part(self, before: FloatArray, kind: int, chosen: int, value: float) -> int:
        """Return the subset of `chosen` that the table of this layer took."""
        worth = self._kinds[kind].worth
        part = chosen
        best, best_part = -np.inf, 0
        while True:
            total = worth[part] + before[chosen ^ part]
            if total > best:
                best, best_part = total, part
            if total == value or part == 0:
                return part if total == value else best_part
            part = (part - 1) & chosen


@njit(nogil=True, cache=True)
def add_table(  # noqa: C901  # loops written out: a kernel
    sets: IntArray,
    before: FloatArray,
    worth: FloatArray,
    after: FloatArray,
    fewest: int,
    most: int,
    alike: bool,
    control: FloatArray,
) -> None:
    """Write after[M] = max_{T ⊆ M, fewest ≤ |T| ≤ most} worth[T] + before[M \\ T] for every M of `sets`.

    Among tables that are alike the new one takes M's first block, so no division is met twice.
    """
    bits = np.zeros(32, np.int64)
    chosen = np.zeros(32, np.int64)
    partial = np.zeros(33, np.int64)
    for number in range(len(sets)):
        if number & 63 == 0 and control[0] > 0.0:
            return
        whole = sets[number]
        n, rest = 0, whole
        while rest:
            bits[n] = rest & -rest
            rest &= rest - 1
            n += 1
        first = 1 if alike else 0
        best = after[whole]
        for size in range(fewest, min(most, n) + 1):
            free = size - first
            partial[0] = bits[0] if alike else 0
            if free == 0:
                best = max(best, worth[partial[0]] + before[whole ^ partial[0]])
                continue
            for i in range(free):
                chosen[i] = first + i
                partial[i + 1] = partial[i] | bits[chosen[i]]
            while True:
                stem = partial[free - 1]
                for last in range(chosen[free - 1], n):
                    part = stem | bits[last]
                    best = max(best, worth[part] + before[whole ^ part])
                i = free - 2
                while i >= 0 and chosen[i] == n - free + i:
                    i -= 1
                if i < 0:
                    break
                chosen[i] += 1
                partial[i + 1] = partial[i] | bits[chosen[i]]
                for j in range(i + 1, free):
                    chosen[j] = chosen[j - 1] + 1
                    partial[j + 1] = partial[j] | bits[chosen[j]]
        after[whole] = best


def _alike(blocks: Blocks) -> list[tuple[int, ...]]:
    """Group the tables that have the same limits and the same claims on every block."""
    groups: dict[bytes, list[int]] = {}
    for table in range(blocks.table_count):
        limits = np.array([blocks.least[table], blocks.most[table]], dtype=np.float64)
        groups.setdefault(np.concatenate([limits, blocks.linear[table]]).tobytes(), []).append(table)
    return [tuple(tables) for tables in groups.values()]


def _block_range(blocks: Blocks, table: int) -> tuple[int, int]:
    """Return how few and how many blocks make a table full enough and not too full."""
    sizes = np.sort(blocks.structure.sizes)
    most = int(np.searchsorted(np.cumsum(sizes), blocks.most[table], side="right"))
    fewest = int(np.searchsorted(np.cumsum(sizes[::-1]), blocks.least[table], side="left")) + 1
    return (0 if blocks.least[table] == 0 else min(fewest, most)), most


def _split(blocks: Blocks, groups: list[tuple[int, ...]]) -> tuple[tuple[Side, Side], float]:
    """Return the two sides with the least work, and that work in subsets looked at."""
    ranges = [_block_range(blocks, tables[0]) for tables in groups]
    best: tuple[float, tuple[Side, Side]] | None = None
    for taken in product(*(range(len(tables) + 1) for tables in groups)):
        left = [kind for kind, count in enumerate(taken) for _ in range(count)]
        right = [kind for kind, tables in enumerate(groups) for _ in range(len(tables) - taken[kind])]
        if len(left) < len(right) or not right:
            continue
        sides = (_in_order(left, ranges), _in_order(right, ranges))
        work = sum(_work(side, ranges, blocks.count) for side in set(sides))
        if best is None or work < best[0]:
            best = (work, sides)
    if best is None:
        raise OutOfReach
    return best[1], best[0]


def _in_order(kinds: list[int], ranges: list[tuple[int, int]]) -> Side:
    """Put the kind with most tables first, where being alike saves work, then the larger tables."""
    return Side(tuple(sorted(kinds, key=lambda kind: (-kinds.count(kind), -ranges[kind][1], kind))))


def _work(side: Side, ranges: list[tuple[int, int]], count: int) -> float:
    """Count the subsets that filling a side looks at, without what the ceilings save."""
    work = 0.0
    fewest, most = ranges[side.kinds[0]]
    for place in range(1, len(side.kinds)):
        low, high = ranges[side.kinds[place]]
        fewest, most = fewest + low, min(most + high, count)
        one = 1 if all(kind == side.kinds[0] for kind in side.kinds[: place + 1]) else 0
        for total in range(max(fewest, 1), most + 1):
            parts = sum(comb(total - one, size - one) for size in range(max(low, 1), min(high, total) + 1))
            work += comb(count, total) * parts
    return work


def _bytes_needed(blocks: Blocks, groups: list[tuple[int, ...]], sides: tuple[Side, Side]) -> int:
    fixed = all(low == high for low, high in (_block_range(blocks, tables[0]) for tables in groups))
    layers = 2 if fixed else sum(max(len(side.kinds) - 1, 0) for side in sides)
    return (2 * len(groups) + layers + 5) * 8 << blocks.count


def _measure(blocks: Blocks, groups: list[tuple[int, ...]], pool: ThreadPoolExecutor) -> list[TableKind]:
    """Return what every set of blocks is worth at each kind of table."""
    pairs, guests, alone = set_sums(blocks), _sums(blocks.structure.sizes.astype(np.float64)), set_alone(blocks)
    seated = guests.astype(np.int64)
    plain = np.where(pairs < -blocks.barrier / 2, -np.inf, blocks.factor[seated] * pairs - blocks.fairness * alone)

    def measure(tables: tuple[int, ...]) -> TableKind:
        table = tables[0]
        linear = _sums(blocks.linear[table]) if blocks.linear[table].any() else np.zeros(1)
        fits = (seated >= blocks.least[table]) & (seated <= blocks.most[table]) & (linear > -blocks.barrier / 2)
        worth = np.where(fits, plain + linear, -np.inf)
        fewest, most = _block_range(blocks, table)
        return TableKind(tables, fewest, most, worth, _greatest_subset(worth))

    return list(pool.map(measure, groups))


def _sums(values: FloatArray) -> FloatArray:
    """Return Σ_{b ∈ M} values[b] for every set M, each bit doubling what is known."""
    sums = np.zeros(1 << len(values))
    for bit, value in enumerate(values):
        sums[1 << bit : 2 << bit] = sums[: 1 << bit] + value
    return sums


def set_sums(blocks: Blocks) -> FloatArray:
    """Return S(M), the sum of the pair weights inside every set M."""
    sums = np.zeros(1 << blocks.count)
    for bit in range(blocks.count):
        towards = _sums(blocks.weights[bit, :bit])
        sums[1 << bit : 2 << bit] = sums[: 1 << bit] + towards + blocks.inner[bit]
    return sums


def set_alone(blocks: Blocks) -> FloatArray:
    """Count for every set M the guests who would like nobody at a table of M."""
    alone = np.zeros(1 << blocks.count)
    if not blocks.likes.size or not blocks.fairness:
        return alone
    sets = np.arange(1 << blocks.count, dtype=np.int64)
    for guest, block in enumerate(blocks.structure.of_guest):
        liked = np.unique(blocks.structure.of_guest[blocks.likes[guest]])
        company = int((1 << liked).sum()) if len(liked) else 0
        alone += ((sets >> block) & 1 == 1) & (sets & company == 0)
    return alone


def _greatest_subset(worth: FloatArray) -> Ceiling:
    """Return max_{T ⊆ M} worth[T] for every set M, bit by bit."""
    # Single precision, rounded up, is enough for a ceiling and half the memory to go through.
    greatest = np.nextafter(worth.astype(np.float32), np.float32(np.inf))
    for bit in range(len(worth).bit_length() - 1):
        pairs = greatest.reshape(-1, 2, 1 << bit)
        np.maximum(pairs[:, 1], pairs[:, 0], out=pairs[:, 1])
    return greatest
