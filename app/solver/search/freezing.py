"""Where the plans of an event freeze: a quick cooling shows how many blocks change tables at each temperature.

Plans for scores at random freeze at a tenth of what random swaps change, plans for distances between points at a
thirtieth and less. A search that is too hot draws plans at random, and one that is too cold never leaves its start.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.solver.numba_support.random_numbers import RandomState
from app.solver.problem import FloatArray
from app.solver.search.anneal import Schedule, anneal
from app.solver.search.blocks import Blocks
from app.solver.search.pool import differing
from app.solver.search.search_state import SEATED, SearchState
from app.solver.search.temper import MOST_COPIES

HOTTEST, FALL, MOST_FALLS = 0.4, 0.9, 60
"""The first temperature, as a part of what random swaps change; the part of it that the next one has; their number."""
BURSTS, COUNTED, BURST_STEPS = 12, 4, 0.35
"""Bursts at each temperature; those after which moves are counted; steps of each in squares of the number of blocks."""
FROZEN = 0.01
"""A cooling ends where fewer blocks than this part change company, twice in a row."""
MOBILE, MOST_GAINED = 0.5, 0.97
"""The hottest temperature that is worth a search: half of the blocks change company in the bursts, and something is
left to gain."""
STILL, NEARLY_ALL = 0.03, 0.995
"""The coldest one: hardly a block changes company, or hardly anything is left to gain."""
SPACING = 1.0
"""With this about every second exchange of neighbours is taken."""
COOLINGS = 2
"""Coolings whose mean counts: one is noisy."""


@dataclass(frozen=True)
class Cooling:
    """What a quick cooling showed: at each temperature, hottest first, the mean of V and the part that moved."""

    temperatures: FloatArray
    values: FloatArray
    moved: FloatArray

    def span(self) -> tuple[float, float]:
        """Return the hottest and the coldest temperature between which plans freeze."""
        gained = self._gained()
        hot = np.flatnonzero((self.moved >= MOBILE) & (gained <= MOST_GAINED))
        cold = np.flatnonzero((self.moved <= STILL) | (gained >= NEARLY_ALL))
        first = int(hot[-1]) if len(hot) else 0
        later = cold[cold > first]
        last = int(later[0]) if len(later) else len(self.temperatures) - 1
        return float(self.temperatures[first]), float(self.temperatures[last])

    def ladder(self, spacing: float = SPACING) -> FloatArray:
        """Return temperatures for tempering, coldest first, whose neighbours change places about equally often.

        For T and T' that is a question of (V − V')·(1/T − 1/T'), which is about `spacing` for each two neighbours.
        """
        hot, cold = self.span()
        inside = (self.temperatures <= hot * (1 + 1e-9)) & (self.temperatures >= cold * (1 - 1e-9))
        inverse, values = 1.0 / self.temperatures[inside], self._rising()[inside]
        lengths = np.sqrt(np.diff(values) * np.diff(inverse))
        if not len(lengths) or lengths.sum() <= 0.0:
            return np.array([cold, hot])
        # Where the curve is flat by chance, temperatures would be too far apart.
        lengths = np.maximum(lengths, 0.25 * lengths.mean())
        along = np.concatenate([[0.0], np.cumsum(lengths)])
        count = min(max(2, 1 + round(float(along[-1]) / np.sqrt(spacing))), MOST_COPIES)
        return np.asarray(1.0 / np.interp(np.linspace(0.0, along[-1], count), along, inverse))[::-1].copy()

    def _rising(self) -> FloatArray:
        """Return the values without the noise that makes a colder plan worth less: means of neighbours that rise."""
        means: list[list[float]] = []
        for value in self.values.tolist():
            means.append([value, 1.0])
            while len(means) > 1 and means[-2][0] > means[-1][0]:
                last, weight = means.pop()
                before, count = means[-1]
                means[-1] = [(before * count + last * weight) / (count + weight), count + weight]
        return np.concatenate([np.full(int(count), value) for value, count in means])

    def _gained(self) -> FloatArray:
        values = self._rising()
        return np.asarray((values - values[0]) / max(float(values[-1] - values[0]), 1e-300))


def cool(
    blocks: Blocks,
    search_state: SearchState,
    spread: float,
    sets_every: int,
    state: RandomState,
    control: FloatArray,
) -> tuple[Cooling | None, int]:
    """Cool a plan in place, from nearly random to frozen; return what it shows, None if cut off, and the steps."""
    steps = max(1, int(BURST_STEPS * blocks.count**2))
    temperatures, values, moved = [], [], []
    temperature, done = HOTTEST * spread, 0
    for _ in range(MOST_FALLS):
        before, worth = search_state.at.copy(), []
        for burst in range(BURSTS):
            _, taken = anneal(search_state, Schedule(temperature, temperature, steps, 1, sets_every), state, control)
            done += taken
            worth.append(_worth(search_state))
            if burst + 1 == COUNTED:
                moved.append(len(differing(before, search_state.at, blocks.table_count)) / blocks.count)
        if control[0] > 0.0 or control[1] >= 1.0:
            return None, done
        temperatures.append(temperature)
        values.append(float(np.mean(worth)))
        if max(moved[-2:]) < FROZEN and len(moved) > 1:
            break
        temperature *= FALL
    return Cooling(np.array(temperatures), np.array(values), np.array(moved)), done


def _worth(search_state: SearchState) -> float:
    """Return V from the running sums."""
    tables = search_state.factor[search_state.by_table[SEATED]] * search_state.sums
    return float(tables.sum() + search_state.linear[search_state.at, np.arange(len(search_state.at))].sum())


def mean_of(coolings: Sequence[Cooling]) -> Cooling:
    """Return the mean of coolings of one event, as far as all of them went."""
    falls = min(len(cooling.temperatures) for cooling in coolings)
    return Cooling(
        coolings[0].temperatures[:falls],
        np.mean([cooling.values[:falls] for cooling in coolings], axis=0),
        np.mean([cooling.moved[:falls] for cooling in coolings], axis=0),
    )
