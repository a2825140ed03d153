"""Many swaps at once: one block against a window of others, weighed side by side in memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from app.solver.numba_support.compilation import inlined_kernel
from app.solver.problem import FloatArray
from app.solver.search.search_state import AT, COUNT, SEATED, SearchState

LOGARITHM_BITS = np.uint64(52)
LOGARITHMS = np.log((np.arange(4096) + 0.5) / 4096)
"""What a loss is compared with, in temperatures; drawn from a table, several times as fast as a logarithm."""
WINDOW = 64
"""So many blocks in a row are tried against one block: their numbers lie side by side in memory."""
LEAST_WINDOW = 16
"""With fewer in a row each swap is weighed and drawn for on its own."""
LUCK = np.random.default_rng(0).permutation(LOGARITHMS)
LUCK = np.concatenate([LUCK, LUCK[:WINDOW]])
"""The same logarithms out of order, the first ones again at the end: WINDOW in a row from anywhere are as good as
drawn."""
NOT_NEGATIVE = 0x7FFFFFFF
"""A mask that shows the compiler that no index counts from the end: without it the loop is a third slower."""


@inlined_kernel
def weigh_swaps(
    plan: SearchState, cached: FloatArray, b: int, first: int, last: int, temperature: float, luck: Any
) -> Any:
    """Weigh b against the blocks from `first` to before `last`; return how many of the swaps may be done.

    For blocks of one guest each, without `linear`. The rows of `cached`: g_tc for each block c and its table t; f(n_t)
    and g_tb by table; and what each swap adds to V. There is no branch inside: guessing which swaps are taken would
    cost several times what weighing them does.
    """
    at, weights, s, fitting = plan.by_block[AT], plan.weights[b], plan.by_block[AT, b], 0
    at_s, own, factors, at_t, deltas = plan.gains[s], cached[0], cached[1], cached[2], cached[3]
    gain_b, factor_s, first = own[b], factors[s], first & NOT_NEGATIVE
    for t in range(plan.gains.shape[0]):
        at_t[t] = plan.gains[t, b]
    at_t[s] = -np.inf
    for i in range(last - first):
        c = first + i
        t = at[c]
        delta = factor_s * (at_s[c] - gain_b - weights[c]) + factors[t] * (at_t[t] - own[c] - weights[c])
        deltas[i] = delta
        fitting += delta >= temperature * LUCK[luck + i]
    return fitting


@inlined_kernel
def update_cached(plan: SearchState, cached: FloatArray, t: int) -> None:
    """Note what all blocks at table t add there, and the factor of the table."""
    cached[1, t] = plan.factor[plan.by_table[SEATED, t]]
    for i in range(plan.by_table[COUNT, t]):
        cached[0, plan.members[t, i]] = plan.gains[t, plan.members[t, i]]
