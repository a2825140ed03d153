"""A plan for guests who may not come, improved on drawn replies: a table is worth what it is to those who are there.

The weighed problem (`expected_problem`) divides the pairs of a table by all of its guests, so guests who will hardly
come may end up together, and a table keeps its least number only if everyone comes. Here blocks move to other tables
and change places if that is better over drawn replies, in which guests who are missing at a table count too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.solver.attendance import missing_price
from app.solver.deadline import Deadline
from app.solver.feasibility.check import check_feasibility
from app.solver.problem import FloatArray, IntArray, Problem
from app.solver.score import guests_by_table
from app.solver.search.blocks import Blocks, build_blocks, pair_weights

DRAWS, FEWEST_DRAWS = 100, 25
MOST_NUMBERS = 10_000_000
"""Sums are kept as draws × tables × blocks; beyond so many numbers there are fewer draws, and none below the fewest."""
TRIED = 8
"""So many of the best changes of a block are checked against the rules."""
LEAST_GAIN = 1e-9
KICKED, IDLE_KICKS = 4, 40
"""Swaps that are made at random before the next descent, and how often in vain before the search ends."""


def improve_attendance(
    problem: Problem, chances: FloatArray, plan: IntArray, *, seed: int, deadline: Deadline
) -> IntArray:
    """Return a plan that keeps all rules and is at least as good over drawn replies; it ends by itself or in time."""
    tables = len(problem.tables)
    draws = min(DRAWS, MOST_NUMBERS // max(tables * problem.guest_count, 1))
    if draws < FEWEST_DRAWS or tables < 2 or not problem.guest_count:
        return plan
    structure = check_feasibility(problem, seed).structure
    rng = np.random.default_rng([abs(seed), 1])  # other replies than those that judge the plan
    come = rng.random((draws, problem.guest_count)) < chances
    replies = Replies(problem, build_blocks(problem, structure), come)
    best = structure.blocks_at(plan)
    best_value, at, idle = replies.value(best), best, 0
    while idle < IDLE_KICKS and not _is_over(deadline):
        at = _descend(replies, at, rng, deadline)
        value, idle = replies.value(at), idle + 1
        if value > best_value + LEAST_GAIN * replies.blocks.highest:
            best, best_value, idle = at, value, 0
        at = _kick(replies, best, rng)
        deadline.report(left=deadline.seconds_left)
    return structure.guests_at(best)


@dataclass
class Replies:
    """Blocks of guests under drawn replies (draws × guests), in the units of `Blocks.value`."""

    problem: Problem
    blocks: Blocks
    come: NDArray[np.bool_]

    def __post_init__(self) -> None:
        """Add up what does not depend on the plan."""
        members = self.blocks.structure.members
        self.order = np.concatenate([np.array(block, dtype=np.int64) for block in members])
        self.first = np.concatenate([[0], np.cumsum(self.blocks.structure.sizes)[:-1]])
        self.weights = pair_weights(self.problem)
        self.here = self.come.astype(np.float64)
        self.present = self._by_block(self.here)
        self.inner = np.stack([self._pairs_inside(np.array(block)) for block in members], axis=1)
        self.everyone = np.maximum(self.here.sum(axis=1), 1.0)
        self.least = np.array([table.least for table in self.problem.tables], dtype=np.float64)
        self.price = missing_price(self.problem)

    def with_block(self, block: int) -> FloatArray:
        """Return what a block adds to a table for each other block there, draws × blocks; 0 for itself."""
        added = self.with_guests(list(self.blocks.structure.members[block]))
        added[:, block] = 0.0
        return added

    def with_guests(self, guests: list[int]) -> FloatArray:
        """Return what guests at a table add to it for each block, draws × blocks."""
        return self._by_block((self.here[:, guests] @ self.weights[guests]) * self.here)

    def worth(self, sums: FloatArray, present: FloatArray, least: FloatArray | float, used: FloatArray) -> FloatArray:
        """Return for each draw what tables with these sums of pairs and so many guests are worth; `used`: not empty."""
        missing = self.price * np.maximum(least - present, 0.0) * used
        if self.problem.objective == "total":
            return np.asarray(sums - missing)
        share = self.problem.guest_count / self.everyone
        return np.asarray((sums / np.maximum(present, 1.0) - missing) * share[:, None])

    def value(self, at: IntArray) -> float:
        """Return what a plan is worth on average."""
        seating = Seating(self, at)
        return float(self.worth(seating.sums, seating.present, self.least, seating.used).mean(axis=0).sum()) + float(
            self.blocks.linear[at, np.arange(len(at))].sum()
        )

    def _by_block(self, by_guest: FloatArray) -> FloatArray:
        return np.asarray(np.add.reduceat(by_guest[:, self.order], self.first, axis=1))

    def _pairs_inside(self, guests: IntArray) -> FloatArray:
        here = self.here[:, guests]
        return np.asarray(((here @ self.weights[np.ix_(guests, guests)]) * here).sum(axis=1) / 2)


class Seating:
    """A plan under the replies: for each draw the sums and guests of each table, and what each block has with each."""

    def __init__(self, replies: Replies, at: IntArray) -> None:
        self.replies, self.at = replies, at.copy()
        draws, tables, count = len(replies.here), replies.blocks.table_count, len(at)
        self.seated = np.bincount(at, weights=replies.blocks.structure.sizes, minlength=tables)
        self.with_table = np.zeros((tables, draws, count))
        self.present, inner = np.zeros((draws, tables)), np.zeros((draws, tables))
        for table, here in enumerate(guests_by_table(at, tables)):
            guests = [guest for block in here.tolist() for guest in replies.blocks.structure.members[block]]
            self.with_table[table] = replies.with_guests(guests)
            self.with_table[table][:, here] -= 2.0 * replies.inner[:, here]  # a block counts for others alone
            self.present[:, table] = replies.present[:, here].sum(axis=1)
            inner[:, table] = replies.inner[:, here].sum(axis=1)
        pairs = np.zeros((draws, tables))
        np.add.at(pairs.T, at, self.with_table[at, :, np.arange(count)])
        self.sums = inner + pairs / 2

    @property
    def used(self) -> FloatArray:
        """Which tables are not empty: those may miss guests."""
        return (self.seated > 0).astype(np.float64)

    def exchange(self, block: int, other: int | None, table: int) -> None:
        """Move a block to another table, and the other one, if any, from there to the block's."""
        moves = [(block, table)] if other is None else [(block, table), (other, int(self.at[block]))]
        for one, to in moves:
            self._move(one, to)

    def _move(self, block: int, to: int) -> None:
        replies, source = self.replies, int(self.at[block])
        added = replies.with_block(block)
        for table, sign in ((source, -1.0), (to, 1.0)):
            own = self.with_table[table][:, block]  # without itself, so the same before and after
            self.sums[:, table] += sign * (replies.inner[:, block] + own)
            self.present[:, table] += sign * replies.present[:, block]
            self.with_table[table] += sign * added
            self.seated[table] += sign * replies.blocks.structure.sizes[block]
        self.at[block] = to


def _descend(replies: Replies, at: IntArray, rng: np.random.Generator, deadline: Deadline) -> IntArray:
    """Take the best change of each block in turn until none gains."""
    seating, movable = Seating(replies, at), replies.blocks.movable
    idle = 0
    while idle < len(movable) and not _is_over(deadline):
        for block in rng.permutation(movable).tolist():
            idle = 0 if _improve(seating, block) else idle + 1
            if idle >= len(movable) or _is_over(deadline):
                break
    return seating.at


def _improve(seating: Seating, block: int) -> bool:
    """Make the best change of one block that gains and keeps the rules, if there is one."""
    replies, count = seating.replies, len(seating.at)
    gains = _gains(seating, block)
    least_gain = LEAST_GAIN * replies.blocks.highest
    for place in np.argsort(-gains)[:TRIED].tolist():
        if not gains[place] > least_gain:
            return False
        other = place if place < count else None
        table = int(seating.at[place]) if place < count else place - count
        then = seating.at.copy()
        then[block] = table
        if other is not None:
            then[other] = seating.at[block]
        if replies.blocks.keeps_rules(then):
            seating.exchange(block, other, table)
            return True
    return False


def _gains(seating: Seating, block: int) -> FloatArray:
    """Return what it gains to swap a block with each other block, then to move it to each table; −∞ where none fits."""
    replies, at, count = seating.replies, seating.at, len(seating.at)
    blocks, tables, source = replies.blocks, replies.blocks.table_count, int(at[block])
    added = replies.with_block(block)
    own = seating.with_table[:, :, block].T  # draws × tables
    to = np.concatenate([at, np.arange(tables)])

    def column(of_blocks: FloatArray) -> FloatArray:
        return np.concatenate([of_blocks, np.zeros((len(added), tables))], axis=1)

    inner, present, cross = column(replies.inner), column(replies.present), column(added)
    from_there = column(seating.with_table[at, :, np.arange(count)].T)
    with_source = column(seating.with_table[source])
    leaves = replies.inner[:, [block]] + own[:, [source]]
    arrives = replies.inner[:, [block]] + own[:, to]
    sums_source = seating.sums[:, [source]] - leaves + inner + with_source - cross
    sums_there = seating.sums[:, to] - inner - from_there + arrives - cross
    present_source = seating.present[:, [source]] - replies.present[:, [block]] + present
    present_there = seating.present[:, to] - present + replies.present[:, [block]]
    sizes = np.concatenate([blocks.structure.sizes, np.zeros(tables, dtype=np.int64)])
    change = sizes[block] - sizes
    seated_source, seated_there = seating.seated[source] - change, seating.seated[to] + change
    before = replies.worth(seating.sums, seating.present, replies.least, seating.used).mean(axis=0)
    after = replies.worth(sums_source, present_source, replies.least[source], (seated_source > 0).astype(np.float64))
    there = replies.worth(sums_there, present_there, replies.least[to], (seated_there > 0).astype(np.float64))
    gains = after.mean(axis=0) + there.mean(axis=0) - before[source] - before[to]
    gains += blocks.linear[to, block] - blocks.linear[source, block]
    gains[:count] += blocks.linear[source, np.arange(count)] - blocks.linear[at, np.arange(count)]
    fits = (to != source) & (seated_there <= blocks.most[to]) & (seated_source >= blocks.least[source])
    fits &= (seated_there >= blocks.least[to]) & (seated_source <= blocks.most[source])
    return np.where(fits, gains, -np.inf)


def _kick(replies: Replies, at: IntArray, rng: np.random.Generator) -> IntArray:
    """Swap a few random pairs of blocks, as the rules allow."""
    found, movable = at.copy(), replies.blocks.movable
    for _ in range(KICKED if len(movable) > 1 else 0):
        one, other = rng.choice(movable, 2, replace=False)
        then = found.copy()
        then[[one, other]] = then[[other, one]]
        if replies.blocks.keeps_rules(then):
            found = then
    return found


def _is_over(deadline: Deadline) -> bool:
    return deadline.is_time_up or deadline.is_stopped()
