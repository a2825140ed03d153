"""What it is worth when two guests meet, for the first time and again.

A pair that meets m times in the rounds is worth

    first + (m − 1)·again − step·(m − 1)·m·(m + 1)/6    (m ≥ 1),    0 (m = 0),

so the k-th meeting costs step·k·(k − 1)/2: 1, 3, 6 … steps. A price of k − 1 would not spread them: that adds up to the
pairs of rounds in which people meet, and where tables are few that number is fixed. All three are sums over the guests
of two blocks; blocks are guests who always sit together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.solver.feasibility.structure import Structure
from app.solver.problem import FloatArray, IntArray
from app.solver.search.blocks import sum_by_block

REPEAT_COST = 0.25
"""What a second meeting costs, as a part of what an ordinary first one is worth; a third costs three times as much.

With 5 tables of 8 and 4 rounds, a price above 0.5 gives up different meetings so that fewer pairs meet four times.
"""


@dataclass(frozen=True)
class Meetings:
    """The values of first and of further meetings, for each pair of blocks."""

    first: FloatArray
    again: FloatArray
    step: FloatArray
    scale: float
    barrier: float

    def value(self, counts: IntArray) -> float:
        """Return what meetings are worth, the readable reference of what the kernels add up."""
        upper = np.triu(counts, 1).astype(np.float64)
        met, more = upper > 0, np.maximum(upper - 1.0, 0.0)
        return float((met * self.first + more * self.again - self.step * more * upper * (upper + 1.0) / 6.0).sum())


def weigh_meetings(structure: Structure, wishes: FloatArray, met: IntArray, seats: int) -> Meetings:
    """Weigh meetings by what a first one is worth to each pair of guests, and by how often they met before."""
    wishes, before = _symmetric(wishes), _symmetric(met)
    scale = float(wishes[wishes > 0].mean()) if (wishes > 0).any() else 1.0
    cost = REPEAT_COST * scale
    first, _ = sum_by_block(np.where(before > 0, -cost * before, wishes), structure)
    again, _ = sum_by_block(-cost * before, structure)
    sizes = structure.sizes.astype(np.float64)
    step = cost * np.outer(sizes, sizes)
    highest = max(float(np.abs(wishes).max(initial=scale)), cost * (1.0 + float(before.max(initial=0.0))))
    barrier = highest * (256.0 + 1024.0 * seats * seats)  # more than any repeats of a table in 60 rounds
    if structure.is_anyone_apart:
        apart = structure.mark_apart()
        first[apart] -= barrier
        again[apart] -= barrier
    return Meetings(first, again, step, scale, barrier)


def count_meetings(rounds: IntArray) -> IntArray:
    """Count the rounds in which each pair shares a table; `rounds` has a row of tables for each round."""
    counts = np.zeros((rounds.shape[1], rounds.shape[1]), dtype=np.int64)
    for at in rounds:
        counts += at[:, None] == at[None, :]
    np.fill_diagonal(counts, 0)
    return counts


def _symmetric(values: FloatArray | IntArray) -> FloatArray:
    both: FloatArray = ((values + values.T) / 2.0).astype(np.float64)
    np.fill_diagonal(both, 0.0)
    return both
