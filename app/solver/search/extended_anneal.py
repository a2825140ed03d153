"""Annealing for the extended objective, slower than the plain one: guests left alone, and a limit on moves.

A change that moves more guests away from the current plan than the limit allows is refused.
"""

from __future__ import annotations

import numpy as np

from app.solver.numba_support.compilation import kernel
from app.solver.numba_support.random_numbers import RandomState, next_random
from app.solver.problem import FloatArray, IntArray
from app.solver.search.anneal import LOGARITHM_BITS, LOGARITHMS, LOOK_EVERY, _draw_sets
from app.solver.search.extended_state import ExtendedState, exchange_extended, extended_delta
from app.solver.search.search_state import AT, LARGEST_SET


def anneal_extended(
    extended: ExtendedState, heat: tuple[float, float], steps: int, state: RandomState, control: FloatArray
) -> tuple[IntArray, int]:
    """Anneal from hot to cold; return the best plan met as tables by block, and the steps taken."""
    plan, best = extended.plan, extended.plan.at.copy()
    if len(plan.movable) < 1 or len(plan.sums) < 2 or heat[0] <= 0.0:
        return best, 0
    return best, int(_anneal_extended(extended, *heat, steps, state, control, best))


@kernel
def _anneal_extended(
    extended: ExtendedState,
    hot: float,
    cold: float,
    steps: int,
    state: RandomState,
    control: FloatArray,
    best: IntArray,
) -> int:
    """Draw exchanges of sets; take them by Metropolis' rule, never beyond the limit; note the best plan met."""
    plan = extended.plan
    sets = np.zeros((3, LARGEST_SET), np.int64)
    temperature, look, gained, best_gain = hot, 0, 0.0, 0.0
    for step in range(steps):
        if step >= look:
            share = max(step / steps, control[1])
            if control[0] > 0.0 or share >= 1.0:
                return step
            temperature = hot * (cold / hot) ** share
            look = step + LOOK_EVERY
        t = _draw_sets(plan, sets, state)
        if t < 0:
            continue
        s, n_a, n_c = plan.by_block[AT, sets[0, 0]], sets[2, 0], sets[2, 1]
        wanted = temperature * LOGARITHMS[next_random(state) >> LOGARITHM_BITS]
        delta = extended_delta(extended, sets, n_a, n_c, s, t, wanted)
        if delta < wanted:
            continue
        exchange_extended(extended, sets, n_a, n_c, s, t)
        gained += delta
        if gained > best_gain:
            best_gain = gained
            best[:] = plan.by_block[AT]
    return steps
