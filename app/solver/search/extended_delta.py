"""How the extended objective changes by an exchange: guests left alone, and how many are moved.

`liked[t, g]` = how many at table t guest g likes. An exchange is weighed by its pairs first; the tables are counted
through only if nobody left alone there would make it worth taking.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from app.solver.numba_support.compilation import part
from app.solver.problem import IntArray
from app.solver.search.extended_state import ExtendedState
from app.solver.search.search_state import AT, COUNT, exchange_delta, move_block
from app.solver.search.side_by_side_kernels import tables_hold_rows


@part
def _lonely_in(extended: ExtendedState, t: int, b: int, outs: IntArray, n_out: int, ins: IntArray, n_in: int) -> Any:
    """Count the guests of block b who like nobody at table t once some have left and others have come."""
    lonely = 0
    for place in range(extended.first[b], extended.first[b + 1]):
        guest = extended.guests[place]
        number = extended.liked[t, guest]
        for i in range(n_out):
            number -= extended.friends[outs[i], guest]
        for i in range(n_in):
            number += extended.friends[ins[i], guest]
        lonely += number == 0
    return lonely


@part
def lonely_after(extended: ExtendedState, t: int, outs: IntArray, n_out: int, ins: IntArray, n_in: int) -> Any:
    """Count the guests left alone at table t once some blocks have left and others have come."""
    plan = extended.plan
    lonely = 0
    for place in range(plan.by_table[COUNT, t]):
        b, leaves = plan.members[t, place], False
        for i in range(n_out):
            leaves = leaves or outs[i] == b
        if not leaves:
            lonely += _lonely_in(extended, t, b, outs, n_out, ins, n_in)
    for i in range(n_in):
        lonely += _lonely_in(extended, t, ins[i], outs, n_out, ins, n_in)
    return lonely


@part
def extended_delta(extended: ExtendedState, sets: IntArray, n_a: int, n_c: int, s: int, t: int, wanted: float) -> Any:
    """Return how V changes by an exchange; −inf if it is less than wanted, moves too many or parts a row."""
    plan = extended.plan
    more = 0
    for i in range(n_a):
        more += extended.moved[t, sets[0, i]] - extended.moved[s, sets[0, i]]
    for i in range(n_c):
        more += extended.moved[s, sets[1, i]] - extended.moved[t, sets[1, i]]
    if more > 0 and extended.counts[-1] + more > extended.limit:
        return -np.inf
    delta = exchange_delta(plan, sets, n_a, n_c, s, t)
    if extended.fairness > 0.0:
        delta += extended.fairness * (extended.counts[s] + extended.counts[t])
        if delta < wanted:
            return -np.inf
        alone = lonely_after(extended, s, sets[0], n_a, sets[1], n_c)
        alone += lonely_after(extended, t, sets[1], n_c, sets[0], n_a)
        delta -= extended.fairness * alone
    if delta < wanted or not tables_hold_rows(plan, sets, n_a, n_c, s, t):
        return -np.inf
    return delta


@part
def move_extended(extended: ExtendedState, b: int, t: int) -> None:
    """Seat block b at table t; the caller counts guests left alone again once all moves of a change are made."""
    plan = extended.plan
    s = plan.by_block[AT, b]
    extended.counts[-1] += extended.moved[t, b] - extended.moved[s, b]
    if extended.fairness > 0.0:
        for guest in range(extended.liked.shape[1]):
            extended.liked[s, guest] -= extended.friends[b, guest]
            extended.liked[t, guest] += extended.friends[b, guest]
    move_block(plan, b, t)


@part
def count_lonely(extended: ExtendedState, none: IntArray, t: int) -> None:
    if extended.fairness > 0.0:
        extended.counts[t] = lonely_after(extended, t, none, 0, none, 0)


@part
def exchange_extended(extended: ExtendedState, sets: IntArray, n_a: int, n_c: int, s: int, t: int) -> None:
    """Let the blocks of sets[0] (at s) and of sets[1] (at t) change tables."""
    for i in range(n_a + n_c):
        block, table = (sets[0, i], t) if i < n_a else (sets[1, i - n_a], s)
        move_extended(extended, block, table)
    count_lonely(extended, sets[0], s)
    count_lonely(extended, sets[0], t)
