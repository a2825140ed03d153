"""Parallel tempering on the original matrix: many copies of a plan, each at its own temperature, that change places.

A plan at a high temperature changes a lot, one at a low temperature little. Neighbours on the ladder of temperatures
change places with probability min(1, exp((V' − V)·(1/T − 1/T'))), V' and T' being those of the hotter one, so good
plans move to the cold end and stuck ones to the hot end (Swendsen & Wang 1986; Geyer 1991). No time is lost by starting
again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from app.solver.numba_support.compilation import inlined, kernel, shared
from app.solver.numba_support.random_numbers import RandomState, uniform
from app.solver.problem import FloatArray, IntArray
from app.solver.search.anneal import _anneal
from app.solver.search.search_state import AT, SEATED, SearchState

BURST = 5000
"""Steps that a copy takes before the next exchange."""
SETTLE_EVERY = 8
"""After so many rounds of bursts the coldest copy is settled, to see how good it is."""
SETTLE_STEPS = 4
"""Steps to settle, in squares of the number of blocks."""
CLOSENESS = 0.7
"""Neighbours on the ladder differ by 1 + CLOSENESS/√n: then about every second exchange is taken."""
MOST_COPIES = 28
SLICE = 1 << 25
"""Steps after which a better plan is handed out; they take about a tenth of a second."""


class SearchStates(NamedTuple):
    """The moving arrays of `SearchState` for many copies, one after the other."""

    by_block: IntArray
    by_table: IntArray
    gains: FloatArray
    sums: FloatArray
    members: IntArray


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


def temper(
    search_states: Sequence[SearchState],
    ladder: Ladder,
    state: RandomState,
    control: FloatArray,
    on_better: Callable[[IntArray], None] = lambda plan: None,
) -> tuple[IntArray, int]:
    """Search from good plans, the best at the coldest place; return the best plan found, and the steps.

    control[0] above zero and control[1], the share of time that is gone, end it. `on_better` gets each better plan.
    """
    first, copies = search_states[0], len(ladder.temperatures)
    # One more place for the copy that is being settled.
    chosen = [search_states[k * len(search_states) // copies] for k in range(copies)] + [first]
    copied = SearchStates(*(np.stack([getattr(one, name) for one in chosen]) for name in SearchStates._fields))
    best, worth, place = first.at.copy(), np.array([-np.inf]), np.arange(copies)
    has_linear, steps = bool(first.linear.any()), 0
    while steps < ladder.steps and control[0] <= 0.0 and control[1] < 1.0:
        before, some = worth[0], min(SLICE, ladder.steps - steps)
        steps += _temper(
            first, copied, place, ladder.temperatures, some, ladder.sets_every, has_linear, state, control, best, worth
        )
        if worth[0] > before:
            on_better(best.copy())
    return best, int(steps)


@shared
def _copy_of(plan: SearchState, copied: SearchStates, x: int) -> SearchState:
    """Return the x-th copy of the plan."""
    return SearchState(
        plan.weights, plan.inner, plan.linear, plan.factor, plan.movable,
        copied.by_block[x], copied.by_table[x], copied.gains[x], copied.sums[x], copied.members[x],
    )  # fmt: skip


@shared
def _copy_rows(of_copies: FloatArray | IntArray, source: int, target: int) -> None:
    """Copy one of several arrays over another one; a slice would take two seconds more to compile."""
    for row in range(of_copies.shape[1]):
        for column in range(of_copies.shape[2]):
            of_copies[target, row, column] = of_copies[source, row, column]


@shared
def _worth(plan: SearchState) -> float:
    """Return V from the running sums."""
    value = 0.0
    for t in range(len(plan.sums)):
        value += plan.factor[plan.by_table[SEATED, t]] * plan.sums[t]
    for b in range(plan.by_block.shape[1]):
        value += plan.linear[plan.by_block[AT, b], b]
    return value


@inlined
def _settle(
    plan: SearchState,
    copied: SearchStates,
    x: int,
    coldest: float,
    sets_every: int,
    has_linear: bool,
    state: RandomState,
) -> int:
    """Copy the x-th plan to the last place and cool it down there; return the steps."""
    last, unused = len(copied.sums) - 1, np.zeros(plan.weights.shape[0], np.int64)
    _copy_rows(copied.by_block, x, last)
    _copy_rows(copied.by_table, x, last)
    _copy_rows(copied.gains, x, last)
    _copy_rows(copied.members, x, last)
    for t in range(copied.sums.shape[1]):
        copied.sums[last, t] = copied.sums[x, t]
    steps = SETTLE_STEPS * plan.weights.shape[0] * plan.weights.shape[0]
    return _anneal(
        _copy_of(plan, copied, last), 0.6 * coldest, 0.05 * coldest, steps, 1, sets_every, has_linear, state,
        np.zeros(2), unused,
    )  # fmt: skip


@kernel
def _temper(
    plan: SearchState,
    copied: SearchStates,
    place: IntArray,
    temperatures: FloatArray,
    steps: int,
    sets_every: int,
    has_linear: bool,
    state: RandomState,
    control: FloatArray,
    best: IntArray,
    worth: FloatArray,
) -> int:
    """Go up and down the ladder. `place[k]` is the copy at the k-th temperature; the last copy is the settled one.

    `worth[0]` is that of the best plan, minus infinity at first: then it is that of the first copy.
    """
    copies = len(temperatures)
    values, no_stop = np.zeros(copies), np.zeros(2)
    unused = best.copy()
    if worth[0] == -np.inf:
        worth[0] = _worth(_copy_of(plan, copied, 0))
    done, turn = 0, 0
    while done < steps and control[0] <= 0.0 and control[1] < 1.0:
        for k in range(copies):
            one, heat = _copy_of(plan, copied, place[k]), temperatures[k]
            done += _anneal(one, heat, heat, BURST, 1, sets_every, has_linear, state, no_stop, unused)
            values[k] = _worth(one)
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
            done += _settle(plan, copied, x, temperatures[0], sets_every, has_linear, state)
            value = _worth(_copy_of(plan, copied, copies))
            if value > worth[0]:
                worth[0] = value
                for b in range(len(best)):
                    best[b] = copied.by_block[copies, AT, b]
    return done
