"""The parts of the careful kernels: guests left alone, and how many are moved, kept up to date with the board.

`liked[t, g]` = how many at table t guest g likes. An exchange is weighed by its pairs first; the tables are counted
through only if nobody left alone there would make it worth taking.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from app.solver.board import AT, COUNT, exchange_delta, move_block
from app.solver.kernel import shared
from app.solver.problem import FloatArray, IntArray
from app.solver.row_kernels import tables_hold_rows


@shared
def _lonely_in(
    first: IntArray,
    guests: IntArray,
    friends: IntArray,
    liked: IntArray,
    t: int,
    b: int,
    outs: IntArray,
    n_out: int,
    ins: IntArray,
    n_in: int,
) -> Any:
    """Count the guests of block b who like nobody at table t once some have left and others have come."""
    lonely = 0
    for place in range(first[b], first[b + 1]):
        guest = guests[place]
        number = liked[t, guest]
        for i in range(n_out):
            number -= friends[outs[i], guest]
        for i in range(n_in):
            number += friends[ins[i], guest]
        lonely += number == 0
    return lonely


@shared
def lonely_after(
    by_table: IntArray,
    members: IntArray,
    first: IntArray,
    guests: IntArray,
    friends: IntArray,
    liked: IntArray,
    t: int,
    outs: IntArray,
    n_out: int,
    ins: IntArray,
    n_in: int,
) -> Any:
    """Count the guests left alone at table t once some blocks have left and others have come."""
    lonely = 0
    for place in range(by_table[COUNT, t]):
        b, leaves = members[t, place], False
        for i in range(n_out):
            leaves = leaves or outs[i] == b
        if not leaves:
            lonely += _lonely_in(first, guests, friends, liked, t, b, outs, n_out, ins, n_in)
    for i in range(n_in):
        lonely += _lonely_in(first, guests, friends, liked, t, ins[i], outs, n_out, ins, n_in)
    return lonely


@shared
def careful_delta(
    weights: FloatArray,
    inner: FloatArray,
    linear: FloatArray,
    factor: FloatArray,
    by_block: IntArray,
    by_table: IntArray,
    gains: FloatArray,
    sums: FloatArray,
    members: IntArray,
    first: IntArray,
    guests: IntArray,
    friends: IntArray,
    liked: IntArray,
    moved: IntArray,
    counts: IntArray,
    fairness: float,
    limit: int,
    sets: IntArray,
    n_a: int,
    n_c: int,
    s: int,
    t: int,
    wanted: float,
) -> Any:
    """Return how V changes by an exchange; −inf if it is less than wanted, moves too many or parts a row."""
    more = 0
    for i in range(n_a):
        more += moved[t, sets[0, i]] - moved[s, sets[0, i]]
    for i in range(n_c):
        more += moved[s, sets[1, i]] - moved[t, sets[1, i]]
    if more > 0 and counts[-1] + more > limit:
        return -np.inf
    delta = exchange_delta(weights, inner, linear, factor, by_block, by_table, gains, sums, sets, n_a, n_c, s, t)
    if fairness > 0.0:
        delta += fairness * (counts[s] + counts[t])
        if delta < wanted:
            return -np.inf
        alone = lonely_after(by_table, members, first, guests, friends, liked, s, sets[0], n_a, sets[1], n_c)
        alone += lonely_after(by_table, members, first, guests, friends, liked, t, sets[1], n_c, sets[0], n_a)
        delta -= fairness * alone
    if delta < wanted or not tables_hold_rows(by_block, by_table, members, sets, n_a, n_c, s, t):
        return -np.inf
    return delta


@shared
def move_carefully(
    weights: FloatArray,
    inner: FloatArray,
    by_block: IntArray,
    by_table: IntArray,
    gains: FloatArray,
    sums: FloatArray,
    members: IntArray,
    first: IntArray,
    guests: IntArray,
    friends: IntArray,
    liked: IntArray,
    moved: IntArray,
    counts: IntArray,
    fairness: float,
    b: int,
    t: int,
) -> None:
    """Seat block b at table t; guests left alone are counted anew by whoever has made all moves of a change."""
    s = by_block[AT, b]
    counts[-1] += moved[t, b] - moved[s, b]
    if fairness > 0.0:
        for guest in range(liked.shape[1]):
            liked[s, guest] -= friends[b, guest]
            liked[t, guest] += friends[b, guest]
    move_block(weights, inner, by_block, by_table, gains, sums, members, b, t)


@shared
def count_lonely(
    by_table: IntArray,
    members: IntArray,
    first: IntArray,
    guests: IntArray,
    friends: IntArray,
    liked: IntArray,
    counts: IntArray,
    fairness: float,
    none: IntArray,
    t: int,
) -> None:
    if fairness > 0.0:
        counts[t] = lonely_after(by_table, members, first, guests, friends, liked, t, none, 0, none, 0)


@shared
def exchange_carefully(
    weights: FloatArray,
    inner: FloatArray,
    by_block: IntArray,
    by_table: IntArray,
    gains: FloatArray,
    sums: FloatArray,
    members: IntArray,
    first: IntArray,
    guests: IntArray,
    friends: IntArray,
    liked: IntArray,
    moved: IntArray,
    counts: IntArray,
    fairness: float,
    sets: IntArray,
    n_a: int,
    n_c: int,
    s: int,
    t: int,
) -> None:
    """Let the blocks of sets[0] (at s) and of sets[1] (at t) change tables."""
    for i in range(n_a + n_c):
        block, table = (sets[0, i], t) if i < n_a else (sets[1, i - n_a], s)
        move_carefully(
            weights, inner, by_block, by_table, gains, sums, members,
            first, guests, friends, liked, moved, counts, fairness, block, table,
        )  # fmt: skip
    count_lonely(by_table, members, first, guests, friends, liked, counts, fairness, sets[0], s)
    count_lonely(by_table, members, first, guests, friends, liked, counts, fairness, sets[0], t)
