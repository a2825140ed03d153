"""What the extended kernels work on: a search state, guests left alone, and moves away from the current plan.

`liked[t, g]` = how many at table t guest g likes. An exchange is weighed by its pairs first; the tables are counted
through only if nobody left alone there would make it worth taking.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from app.solver.numba_support.compilation import part
from app.solver.problem import FloatArray, IntArray
from app.solver.search.blocks import Blocks
from app.solver.search.search_state import AT, COUNT, SearchState, build_search_state, exchange_delta, move_block
from app.solver.search.table_rules import tables_keep_rules

NO_LIMIT = 1 << 40


class ExtendedState(NamedTuple):
    """A search state with what the extended objective needs.

    `guests[first[b] : first[b + 1]]` are the guests of block b, `friends[b, g]` how many of them guest g likes,
    `moved[t, b]` how many of them sit elsewhere in the current plan. `counts` holds the guests left alone at each
    table, then the guests moved.
    """

    plan: SearchState
    first: IntArray
    guests: IntArray
    friends: IntArray
    liked: IntArray
    moved: IntArray
    counts: IntArray
    scores: FloatArray
    fairness: float
    limit: int


def build_extended_state(
    blocks: Blocks, at: IntArray, moved: IntArray | None = None, limit: int = NO_LIMIT
) -> ExtendedState:
    """Build the state of a plan for the extended objective, in numpy."""
    structure, plan = blocks.structure, build_search_state(blocks, at)
    guests = np.array([guest for block in structure.members for guest in block], dtype=np.int64)
    first = np.concatenate([[0], np.cumsum(structure.sizes)]).astype(np.int64)
    friends, liked = np.zeros((1, 1), np.int64), np.zeros((1, 1), np.int64)
    counts = np.zeros(blocks.table_count + 1, dtype=np.int64)
    if blocks.fairness:
        friends = np.add.reduceat(blocks.likes.T[guests].astype(np.int64), first[:-1], axis=0)
        liked = np.zeros((blocks.table_count, len(guests)), dtype=np.int64)
        np.add.at(liked, plan.at, friends)
        tables = structure.guests_at(plan.at)
        lonely = liked[tables, np.arange(len(guests))] == 0
        counts[:-1] = np.bincount(tables[lonely], minlength=blocks.table_count)
    moved = np.zeros((blocks.table_count, blocks.count), dtype=np.int64) if moved is None else moved
    counts[-1] = moved[plan.at, np.arange(blocks.count)].sum()
    return ExtendedState(plan, first, guests, friends, liked, moved, counts, blocks.scores, blocks.fairness, limit)


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
    """Return how V changes by an exchange; −inf if it is less than wanted, moves too many or breaks a rule."""
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
    if delta < wanted or not tables_keep_rules(plan, sets, n_a, n_c, s, t):
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
