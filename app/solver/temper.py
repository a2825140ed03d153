"""Parallel tempering on the original matrix: many copies of a plan, each at its own temperature, that change places.

A plan at a high temperature wanders, one at a low temperature settles. Neighbours on the ladder of temperatures change
places with probability min(1, exp((V' − V)·(1/T − 1/T'))), V' and T' being those of the hotter one, so what the hot
ones come across sinks down and what is stuck below rises and is loosened (Swendsen & Wang 1986; Geyer 1991). No time
is lost by starting again.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit

from app.solver.anneal import _anneal
from app.solver.board import AT, SEATED, Board
from app.solver.kernel import kernel
from app.solver.problem import FloatArray, IntArray
from app.solver.rng import RandomState, uniform

BURST = 5000
"""Steps that a copy takes before the next exchange."""
SETTLE_EVERY = 8
"""After so many rounds of bursts the coldest copy is settled, to see how good it is."""
SETTLE_STEPS = 4
"""Steps to settle, in squares of the number of blocks."""
CLOSENESS = 0.7
"""Neighbours on the ladder differ by 1 + CLOSENESS/√n: then about every second exchange is taken."""
MOST_COPIES = 28


@dataclass(frozen=True)
class Ladder:
    """The temperatures, coldest first; steps in all; and how often whole sets are drawn."""

    temperatures: FloatArray
    steps: int
    sets_every: int


def make_ladder(hot: float, cold: float, blocks: int, steps: int, sets_every: int) -> Ladder:
    """Return temperatures so close together that neighbours often change places."""
    count = 2 + int(math.log(max(hot / cold, 1.01)) / math.log1p(CLOSENESS / math.sqrt(blocks)))
    return Ladder(np.geomspace(cold, hot, min(count, MOST_COPIES)), steps, sets_every)


def temper(boards: Sequence[Board], ladder: Ladder, state: RandomState, control: FloatArray) -> tuple[IntArray, int]:
    """Search from good plans, the best at the coldest place; return the best plan met, and the steps.

    control[0] above zero and control[1], the share of time that is gone, end it.
    """
    first, copies = boards[0], len(ladder.temperatures)
    # One more place for the copy that is being settled.
    chosen = [boards[k * len(boards) // copies] for k in range(copies)] + [first]
    moving = ("by_block", "by_table", "gains", "sums", "members")
    stacked = [np.stack([getattr(board, name) for board in chosen]) for name in moving]
    best = first.at.copy()
    how = (first.movable, ladder.temperatures, ladder.steps, ladder.sets_every, bool(first.linear.any()))
    rest: tuple[Any, ...] = (*stacked, *how, state, control, best)
    steps = _temper(first.weights, first.inner, first.linear, first.factor, *rest)
    return best, int(steps)


@njit(nogil=True, cache=True)
def _worth(linear: FloatArray, factor: FloatArray, by_block: IntArray, by_table: IntArray, sums: FloatArray) -> Any:
    """Return V from the running sums."""
    value = 0.0
    for t in range(len(sums)):
        value += factor[by_table[SEATED, t]] * sums[t]
    for b in range(by_block.shape[1]):
        value += linear[by_block[AT, b], b]
    return value


@kernel
def _temper(
    weights: FloatArray,
    inner: FloatArray,
    linear: FloatArray,
    factor: FloatArray,
    by_block: IntArray,
    by_table: IntArray,
    gains: FloatArray,
    sums: FloatArray,
    members: IntArray,
    movable: IntArray,
    temperatures: FloatArray,
    steps: int,
    sets_every: int,
    has_linear: bool,
    state: RandomState,
    control: FloatArray,
    best: IntArray,
) -> int:
    """Go up and down the ladder. `place[k]` is the copy at the k-th temperature; the last copy is the settled one."""
    copies, blocks = len(temperatures), weights.shape[0]
    place, values, no_stop = np.arange(copies), np.zeros(copies), np.zeros(2)
    unused = best.copy()
    best_value = _worth(linear, factor, by_block[0], by_table[0], sums[0])
    done, turn = 0, 0
    settle = SETTLE_STEPS * blocks * blocks
    while done < steps and control[0] <= 0.0 and control[1] < 1.0:
        for k in range(copies):
            x = place[k]
            done += _anneal(
                weights, inner, linear, factor, by_block[x], by_table[x], gains[x], sums[x], members[x],
                movable, temperatures[k], temperatures[k], BURST, 1, sets_every, has_linear, state, no_stop, unused,
            )  # fmt: skip
            values[k] = _worth(linear, factor, by_block[x], by_table[x], sums[x])
            if control[0] > 0.0:
                break
        for k in range(turn % 2, copies - 1, 2):
            apart = (values[k + 1] - values[k]) * (1.0 / temperatures[k] - 1.0 / temperatures[k + 1])
            if apart >= 0.0 or uniform(state) < math.exp(apart):
                place[k], place[k + 1] = place[k + 1], place[k]
                values[k], values[k + 1] = values[k + 1], values[k]
        turn += 1
        if turn % SETTLE_EVERY == 0:
            x = place[(turn // SETTLE_EVERY) % 2]
            by_block[copies], by_table[copies], gains[copies] = by_block[x], by_table[x], gains[x]
            sums[copies], members[copies] = sums[x], members[x]
            done += _anneal(
                weights, inner, linear, factor, by_block[copies], by_table[copies], gains[copies], sums[copies],
                members[copies], movable, 0.6 * temperatures[0], 0.05 * temperatures[0], settle, 1, sets_every,
                has_linear, state, no_stop, unused,
            )  # fmt: skip
            value = _worth(linear, factor, by_block[copies], by_table[copies], sums[copies])
            if value > best_value:
                best_value = value
                best[:] = by_block[copies, AT]
    return done
