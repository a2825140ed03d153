"""Guests who must sit together become one block, and rules become numbers that a kernel can weigh.

A plan's worth, to be made as large as possible, is

    V = Σ_t f(n_t)·S_t + Σ_b linear[t(b), b] − fairness · (guests with no one they like at their table)

with S_t the sum of the pair weights at table t. `total` has f = 1 and the scores as weights;
`average` has f(m) = 1/m and −d² as weights, so that V = −n · MSE.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from app.solver.feasibility.counts import fewest_guests
from app.solver.feasibility.side_by_side import rows_fit
from app.solver.feasibility.structure import Structure
from app.solver.problem import BoolArray, FloatArray, IntArray, Problem
from app.solver.score import guests_by_table

COUPLES = 0.2
"""From this part of the blocks on they count as many."""
MOST_COMPARED = 1000
"""With more blocks, couples are not looked for: it takes longer than it gains."""


@dataclass(frozen=True)
class Blocks:
    """A problem as the search sees it: blocks, their pair weights, and tables with their limits.

    `sides` are the chairs along the first side of each table where rows might not fit, 0 at all others.
    """

    structure: Structure
    weights: FloatArray
    inner: FloatArray
    least: IntArray
    most: IntArray
    sides: IntArray
    factor: FloatArray
    linear: FloatArray
    highest: float
    barrier: float
    fairness: float
    likes: BoolArray
    scores: FloatArray

    @property
    def count(self) -> int:
        """The number of blocks."""
        return len(self.inner)

    @property
    def table_count(self) -> int:
        """The number of tables."""
        return len(self.most)

    @cached_property
    def movable(self) -> IntArray:
        """The blocks that have more than one table to choose from."""
        return np.flatnonzero(self.structure.allowed.sum(axis=1) > 1).astype(np.int64)

    @cached_property
    def is_uneven(self) -> bool:
        """Whether blocks differ in size or seats stay free, so that plain swaps do not reach every plan."""
        return self.has_parties or self.has_spare_seats

    @property
    def has_spare_seats(self) -> bool:
        """Whether some seats stay free, so that the sizes of the tables are not given."""
        return bool(self.most.sum() > self.structure.sizes.sum())

    @property
    def has_parties(self) -> bool:
        """Whether blocks differ in size."""
        sizes = self.structure.sizes
        return bool(sizes.min(initial=1) < sizes.max(initial=1))

    @cached_property
    def friends(self) -> IntArray:
        """For each block the other one that adds most to a shared table, or −1."""
        if self.count < 2:
            return np.full(self.count, -1, dtype=np.int64)
        others = self.weights.copy()
        np.fill_diagonal(others, -np.inf)
        return np.asarray(others.argmax(axis=1), dtype=np.int64)

    @cached_property
    def has_couples(self) -> bool:
        """Whether many blocks have one friend far above all others, so that two must move at once to get anywhere."""
        if not 3 <= self.count <= MOST_COMPARED:
            return False
        others = self.weights.copy()
        np.fill_diagonal(others, np.nan)
        low, high = np.nanpercentile(others, (10, 90))
        second, first = np.sort(np.where(np.isnan(others), -np.inf, others), axis=1)[:, -2:].T
        return bool(((first - second) > high - low).mean() > COUPLES)

    def value(self, at: IntArray) -> float:
        """Return V of a plan, the readable reference of what the kernels add up."""
        at = np.asarray(at)
        total = float(self.linear[at, np.arange(self.count)].sum())
        for here in guests_by_table(at, self.table_count):
            pairs = self.weights[here[:, None], here].sum() / 2 + self.inner[here].sum()
            total += float(self.factor[self.structure.sizes[here].sum()] * pairs)
        return total - self.fairness * self.alone(at)

    def alone(self, at: IntArray) -> int:
        """Count the guests without anyone they like at their table."""
        if not self.likes.size:
            return 0
        seated = self.structure.guests_at(at)
        return int((~(self.likes & (seated[:, None] == seated[None, :])).any(axis=1)).sum())

    def keeps_rules(self, at: IntArray) -> bool:
        """Return whether sizes, pins, rules of separation, numbers of labels and the sides of long tables all hold."""
        at = np.asarray(at)
        seated = np.bincount(at, weights=self.structure.sizes, minlength=self.table_count)
        return bool(
            (seated >= self.least).all()
            and (seated <= self.most).all()
            and self.structure.keeps_rules(at)
            and all(self.fits_rows(np.flatnonzero(at == table), int(table)) for table in np.flatnonzero(self.sides))
        )

    def fits_rows(self, here: IntArray, table: int) -> bool:
        """Return whether the rows of these blocks find room along the sides of the table."""
        if not self.sides[table]:
            return True
        lengths = [length for block in here for length in self.structure.rows[block]]
        return rows_fit(lengths, (int(self.sides[table]), int(self.most[table] - self.sides[table])))


def pair_weights(problem: Problem) -> FloatArray:
    """Return what a pair at the same table adds to S_t: the score, or −d² for `average`."""
    return problem.scores if problem.objective == "total" else -problem.squared_distances


def build_blocks(problem: Problem, structure: Structure) -> Blocks:
    """Weigh blocks against each other and turn rules into barriers no gain can pay for."""
    guest_weights = pair_weights(problem)
    weights, inner = sum_by_block(guest_weights, structure)
    most = np.array([table.most for table in problem.tables], dtype=np.int64)
    seats = int(most.max(initial=1))
    extreme = max(float(guest_weights.max(initial=0.0)), -float(guest_weights.min(initial=0.0)))
    highest = max(extreme, float(abs(problem.fairness)), 1e-12)
    highest = max(highest, problem.move_cost * problem.guest_count)
    barrier = highest * (256.0 + 64.0 * seats * seats)
    if structure.is_anyone_apart:
        weights[structure.mark_apart()] -= barrier
    return Blocks(
        structure=structure,
        weights=weights,
        inner=inner,
        least=fewest_guests(problem.tables, structure.limits),
        most=most,
        sides=_sides(problem, structure),
        factor=_factors(problem),
        linear=_linear(problem, structure, barrier),
        highest=highest,
        barrier=barrier,
        fairness=float(problem.fairness),
        likes=_likes(problem),
        scores=problem.symmetric if problem.fairness else np.zeros((0, 0)),
    )


def sum_by_block(guest_weights: FloatArray, structure: Structure) -> tuple[FloatArray, FloatArray]:
    """Add the pair weights up by block: between blocks, and inside each."""
    if len(structure.members) == len(guest_weights):
        return guest_weights.copy(), np.zeros(len(guest_weights))
    order = np.concatenate([np.array(block, dtype=np.int64) for block in structure.members])
    first = np.concatenate([[0], np.cumsum(structure.sizes)[:-1]])
    rows = np.add.reduceat(guest_weights[order], first, axis=0)
    weights = np.add.reduceat(rows[:, order], first, axis=1)
    inner = np.diag(weights) / 2
    np.fill_diagonal(weights, 0.0)
    return np.ascontiguousarray(weights), inner.copy()


def _sides(problem: Problem, structure: Structure) -> IntArray:
    """Return the chairs along the first side of each long table; zeros where nobody sits in a row."""
    if not any(structure.rows):
        return np.zeros(len(problem.tables), dtype=np.int64)
    return np.array([table.sides[0] if table.sides[1] else 0 for table in problem.tables], dtype=np.int64)


def _factors(problem: Problem) -> FloatArray:
    seated = np.arange(problem.guest_count + 2, dtype=np.float64)
    if problem.objective == "total":
        return np.ones_like(seated)
    return 1.0 / np.maximum(seated, 1.0)


def _linear(problem: Problem, structure: Structure, barrier: float) -> FloatArray:
    """Charge a block for tables it may not use, and for every guest moved away from the current plan."""
    linear = np.where(structure.allowed.T, 0.0, -barrier)
    if problem.previous is None or not problem.move_cost:
        return linear
    scale = problem.guest_count if problem.objective == "average" else 1
    for guest, table in enumerate(problem.previous):
        if table >= 0:
            block = structure.of_guest[guest]
            linear[:, block] -= problem.move_cost * scale
            linear[table, block] += problem.move_cost * scale
    return linear


def _likes(problem: Problem) -> BoolArray:
    if not problem.fairness:
        return np.zeros((0, 0), dtype=bool)
    return problem.symmetric > 0 if problem.likes is None else problem.likes
