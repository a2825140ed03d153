"""What it is worth when two guests meet, for the first time and again.

A pair that meets m times in the rounds is worth

    first + (m − 1)·again − step·(m − 1)·m·(m + 1)/6    (m ≥ 1),    0 (m = 0),

so the k-th meeting costs step·k·(k − 1)/2 − again: steps are counted 1, 3, 6 … times. A price of k − 1 would not spread
them: that adds up to the pairs of rounds in which people meet, and where tables are few that number is fixed. All three
are sums over the guests of two blocks; blocks are guests who always sit together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from app.solver.feasibility.structure import Structure
from app.solver.problem import FloatArray, IntArray
from app.solver.search.blocks import sum_by_block


class Price(NamedTuple):
    """What a second meeting costs, and the step, as parts of what an ordinary first meeting is worth."""

    second: float
    step: float


REPEATS = Price(0.05, 0.05)
"""Little enough to give up no new meeting: where tables are few, most people meet if some pairs always do."""
SPREAD_REPEATS = Price(0.25, 0.75)
"""Three meetings of a pair cost more than those of three pairs that meet twice: the same in pairs of rounds."""


@dataclass(frozen=True)
class Meetings:
    """The values of first and of further meetings, for each pair of blocks; `price` is that of a pair of guests."""

    first: FloatArray
    again: FloatArray
    step: FloatArray
    scale: float
    barrier: float
    price: Price

    def value(self, counts: IntArray) -> float:
        """Return what meetings are worth, the readable reference of what the kernels add up."""
        pairs = np.nonzero(np.triu(counts, 1))  # few of many: most do not meet
        times = counts[pairs].astype(np.float64)
        more = times - 1.0
        further = more * self.again[pairs] - self.step[pairs] * more * times * (times + 1.0) / 6.0
        return float((self.first[pairs] + further).sum())


def weigh_meetings(
    structure: Structure, wishes: FloatArray, met: IntArray, seats: int, *, spread: bool = False
) -> Meetings:
    """Weigh meetings by what a first one is worth to each pair of guests, and by how often they met before."""
    wishes, before = _symmetric(wishes), _symmetric(met)
    scale = float(wishes[wishes > 0].mean()) if (wishes > 0).any() else 1.0
    price = Price(*(scale * part for part in (SPREAD_REPEATS if spread else REPEATS)))
    dislike = np.minimum(wishes, 0.0)  # as strong however often they met
    first, _ = sum_by_block(np.where(before > 0, dislike - price.second * before, wishes), structure)
    again, _ = sum_by_block(dislike + price.step - price.second * (1.0 + before), structure)
    sizes = structure.sizes.astype(np.float64)
    step = price.step * np.outer(sizes, sizes)
    further = price.step + price.second * (1.0 + float(before.max(initial=0.0))) - float(dislike.min(initial=0.0))
    highest = max(float(wishes.max(initial=scale)), further)
    barrier = highest * (256.0 + 1024.0 * seats * seats)  # more than any repeats of a table in 60 rounds
    if structure.is_anyone_apart:
        apart = structure.mark_apart()
        first[apart] -= barrier
        again[apart] -= barrier
    return Meetings(first, again, step, scale, barrier, price)


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
