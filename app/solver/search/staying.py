"""Of plans that are worth the same, the one in which the fewest guests leave their table of the current plan."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import scipy

from app.solver.problem import IntArray, Problem
from app.solver.result import ShouldStop, never_stop
from app.solver.score import guest_means
from app.solver.search.blocks import Blocks

SAME_WORTH = 1e-9
"""Plans that differ by a smaller part than this are equally good: the sums were only added up in another order."""
MOST_BLOCKS = 1000
"""With more, only whole tables are exchanged."""
LONGEST_CYCLE = 4
"""How many blocks go home together, each to the table that the next one leaves."""
IMPOSSIBLE = 1e9


def stay_put(problem: Problem, blocks: Blocks, at: IntArray, should_end: ShouldStop = never_stop) -> IntArray:
    """Return a plan that is worth no less and where fewer guests leave their tables of `problem.previous`.

    Whole tables change places first; then what can go back without loss does: all guests of tables that
    exchange guests, then one block at a time, alone, in exchange for another or in a cycle, until `should_end` says so.
    """
    if problem.previous is None or blocks.table_count < 2:
        return at
    staying = _Staying(problem, blocks, at)
    staying.exchange_tables()
    if blocks.count <= MOST_BLOCKS:
        staying.go_back(should_end)
    return staying.at


def moved_by_table(problem: Problem, members: tuple[tuple[int, ...], ...]) -> IntArray:
    """Return how many guests of each block are moved if it sits at each table, as tables × blocks."""
    moved = np.zeros((len(problem.tables), len(members)), dtype=np.int64)
    for block, guests in enumerate(members):
        for guest in guests:
            table = -1 if problem.previous is None else problem.previous[guest]
            if table >= 0:
                moved[:, block] += 1
                moved[table, block] -= 1
    return moved


class _Staying:
    """A plan that is brought nearer to the current one, step by step."""

    def __init__(self, problem: Problem, blocks: Blocks, at: IntArray) -> None:
        self._problem, self._blocks = problem, blocks
        self._moved = moved_by_table(problem, blocks.structure.members)
        known = self._moved.min(axis=0) < self._moved.max(axis=0)
        self._home = np.where(known, self._moved.argmin(axis=0), -1)
        self.at = np.array(at, dtype=np.int64)

    def exchange_tables(self) -> None:
        """Give each company the table where most of it sat before; the tables may differ if all fit."""
        blocks, count = self._blocks, self._blocks.table_count
        here = np.zeros((count, blocks.count), dtype=np.int64)
        here[self.at, np.arange(blocks.count)] = 1
        size = here @ blocks.structure.sizes
        fits = (blocks.least <= size[:, None]) & (size[:, None] <= blocks.most)
        fits &= here @ ~blocks.structure.allowed == 0
        limits = blocks.structure.limits
        for own, least, most in zip(limits.own, limits.least, limits.most, strict=True):
            labelled = (here @ own)[:, None]
            fits &= (size[:, None] == 0) | ((least <= labelled) & (labelled <= most))
        costs = np.where(fits, (here @ self._moved.T).astype(np.float64), IMPOSSIBLE)
        _, tables = scipy.optimize.linear_sum_assignment(costs)
        self._take(dict(enumerate(tables[self.at].tolist())))

    def go_back(self, should_end: ShouldStop) -> None:
        """Let guests go back until nobody else can without loss, or time is over."""
        for company in self._companies():
            if should_end():
                return
            self._take({block: int(self._home[block]) for block in company})
        has_changed = True
        while has_changed:
            has_changed = False
            for block in self._away():
                for change in self._ways_back(block):
                    if should_end():
                        return
                    if self._take(change):
                        has_changed = True
                        break

    def _away(self) -> list[int]:
        return np.flatnonzero((self._home >= 0) & (self._home != self.at)).tolist()

    def _companies(self) -> Iterator[list[int]]:
        """Yield the blocks that are away, those together whose tables exchange guests with each other."""
        group = list(range(self._blocks.table_count))
        for block in self._away():
            one, other = group[self.at[block]], group[self._home[block]]
            group = [one if key == other else key for key in group]
        away = self._away()
        for key in dict.fromkeys(group[self.at[block]] for block in away):
            yield [block for block in away if group[self.at[block]] == key]

    def _ways_back(self, block: int) -> Iterator[dict[int, int]]:
        """Yield the changes that bring a block home: alone, or in exchange for another one there."""
        here, home = int(self.at[block]), int(self._home[block])
        if here == home:
            return
        yield {block: home}
        for other in np.flatnonzero(self.at == home).tolist():
            yield {block: home, other: here}
        yield from self._cycles([block], here)

    def _cycles(self, chain: list[int], start: int) -> Iterator[dict[int, int]]:
        """Yield the cycles in which each block goes home to the table that the next one leaves for its own."""
        at_home = np.flatnonzero((self.at == self._home[chain[-1]]) & (self._home >= 0) & (self._home != self.at))
        for other in at_home.tolist():
            if other in chain:
                continue
            longer = [*chain, other]
            if self._home[other] == start and len(longer) > 2:
                yield {block: int(self._home[block]) for block in longer}
            elif len(longer) < LONGEST_CYCLE:
                yield from self._cycles(longer, start)

    def _take(self, change: dict[int, int]) -> bool:
        """Make a change if fewer guests are moved, nothing is lost and every rule holds."""
        then = self.at.copy()
        then[list(change)] = list(change.values())
        each = np.arange(len(then))
        if self._moved[then, each].sum() >= self._moved[self.at, each].sum():
            return False
        touched = np.unique([*self.at[list(change)], *change.values()])
        before = self._worth(self.at, touched)
        if self._worth(then, touched) < before - SAME_WORTH * (self._blocks.highest + abs(before)):
            return False
        if not self._blocks.keeps_rules(then):
            return False
        if self._unhappiest(then) < self._unhappiest(self.at) - SAME_WORTH * self._blocks.highest:
            return False
        self.at = then
        return True

    def _worth(self, at: IntArray, tables: Iterable[int]) -> float:
        """Return what these tables are worth."""
        blocks, total = self._blocks, 0.0
        for table in tables:
            here = np.flatnonzero(at == table)
            pairs = blocks.weights[here[:, None], here].sum() / 2 + blocks.inner[here].sum()
            total += float(blocks.factor[blocks.structure.sizes[here].sum()] * pairs)
        return total - blocks.fairness * blocks.alone(at) if blocks.fairness else total

    def _unhappiest(self, at: IntArray) -> float:
        """Return how the unhappiest guest sits, which counts among equals where the problem has fairness."""
        if not self._blocks.fairness:
            return 0.0
        return float(guest_means(self._problem, self._blocks.structure.guests_at(at)).min())
