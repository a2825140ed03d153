"""Descent to a plan that no small change improves, each change weighed on the original matrix.

Depth 1 knows moves and swaps of blocks. Depth 2 adds two blocks against one, two against two, and
chains b → t, c → u, with or without a third block coming back: whatever a person could do by hand
with one or two parties. A change counts only if it gains more than `least_gain`, so ties and
rounding never make it run for ever.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from app.solver.board import (
    AT,
    COUNT,
    LARGEST_SET,
    LEAST,
    MOST,
    SEATED,
    SIZE,
    Board,
    exchange_delta,
    move_block,
    sizes_fit,
)
from app.solver.problem import FloatArray, IntArray


def descend(board: Board, depth: int, least_gain: float, control: FloatArray) -> int:
    """Improve a plan in place until nothing of the given depth gains; return the changes made."""
    if len(board.movable) < 1 or len(board.sums) < 2:
        return 0
    rest: tuple[Any, ...] = (board.movable, depth, least_gain, control)
    return int(_descend(*board.arrays, *rest))


@njit(nogil=True, cache=True)
def _find_exchange(  # noqa: C901  # loops written out: a kernel
    weights: FloatArray,
    inner: FloatArray,
    linear: FloatArray,
    factor: FloatArray,
    by_block: IntArray,
    by_table: IntArray,
    gains: FloatArray,
    sums: FloatArray,
    members: IntArray,
    sets: IntArray,
    b: int,
    depth: int,
    least_gain: float,
) -> int:
    """Find a gaining exchange that takes b, alone or with one more, to table t; return t, or −1."""
    s = by_block[AT, b]
    sets[0, 0] = b
    for second in range(-1, by_table[COUNT, s] if depth > 1 else 0):
        n_a, leaving = 1, by_block[SIZE, b]
        if second >= 0:
            sets[0, 1], n_a = members[s, second], 2
            leaving += by_block[SIZE, sets[0, 1]]
            if sets[0, 1] == b:
                continue
        for t in range(by_table.shape[1]):
            if t == s:
                continue
            here = by_table[COUNT, t]
            for i in range(-1, here):
                for j in range(-1, i if depth > 1 and i >= 0 else 0):
                    n_c, coming = 0, 0
                    if i >= 0:
                        sets[1, 0], n_c = members[t, i], 1
                        coming = by_block[SIZE, sets[1, 0]]
                    if j >= 0:
                        sets[1, 1], n_c = members[t, j], 2
                        coming += by_block[SIZE, sets[1, 1]]
                    if not sizes_fit(by_table, s, t, leaving - coming):
                        continue
                    gain = exchange_delta(
                        weights, inner, linear, factor, by_block, by_table, gains, sums, sets, n_a, n_c, s, t
                    )
                    if gain > least_gain:
                        sets[2, 0], sets[2, 1] = n_a, n_c
                        return t
    return -1


@njit(nogil=True, cache=True)
def _after(
    weights: FloatArray,
    inner: FloatArray,
    linear: FloatArray,
    factor: FloatArray,
    by_block: IntArray,
    by_table: IntArray,
    gains: FloatArray,
    sums: FloatArray,
    t: int,
    out: int,
    into: int,
) -> Any:
    """Return what V gains at table t if block `out` leaves and `into` comes (−1: none); −inf if they cannot."""
    seated, total = by_table[SEATED, t], sums[t]
    value = -factor[seated] * total
    if out >= 0:
        seated -= by_block[SIZE, out]
        total -= gains[t, out] + inner[out]
        value -= linear[t, out]
    if into >= 0:
        seated += by_block[SIZE, into]
        total += gains[t, into] + inner[into]
        value += linear[t, into]
        if out >= 0:
            total -= weights[out, into]
    if seated < by_table[LEAST, t] or seated > by_table[MOST, t]:
        return -np.inf
    return value + factor[seated] * total


@njit(nogil=True, cache=True)
def _find_chain(
    weights: FloatArray,
    inner: FloatArray,
    linear: FloatArray,
    factor: FloatArray,
    by_block: IntArray,
    by_table: IntArray,
    gains: FloatArray,
    sums: FloatArray,
    members: IntArray,
    sets: IntArray,
    b: int,
    least_gain: float,
) -> bool:
    """Find b → t, c → u, and perhaps d from u → the table that b left; note the blocks and tables in `sets`."""
    s = by_block[AT, b]
    for t in range(by_table.shape[1]):
        for i in range(by_table[COUNT, t] if t != s else 0):
            c = members[t, i]
            first = _after(weights, inner, linear, factor, by_block, by_table, gains, sums, t, c, b)
            if first == -np.inf:
                continue
            for u in range(by_table.shape[1]):
                if u in (s, t):
                    continue
                for j in range(-1, by_table[COUNT, u]):
                    d = members[u, j] if j >= 0 else -1
                    gain = first + _after(weights, inner, linear, factor, by_block, by_table, gains, sums, u, d, c)
                    gain += _after(weights, inner, linear, factor, by_block, by_table, gains, sums, s, b, d)
                    if gain > least_gain:
                        sets[0, 0], sets[0, 1], sets[0, 2] = b, c, d
                        sets[1, 0], sets[1, 1], sets[1, 2] = t, u, s
                        return True
    return False


@njit(nogil=True, cache=True)
def _descend(
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
    depth: int,
    least_gain: float,
    control: FloatArray,
) -> int:
    """Go round the blocks, deeper only where nothing shallow gains, until a whole round gains nothing."""
    sets = np.zeros((3, LARGEST_SET), np.int64)
    changes, idle, position = 0, 0, 0
    level = 1
    while control[0] <= 0.0:
        if idle == len(movable):
            level += 1
            idle = 0
            if level > depth + (depth > 1):
                break
        b = movable[position]
        s, t = by_block[AT, b], -1
        if level <= 2:
            t = _find_exchange(
                weights, inner, linear, factor, by_block, by_table, gains, sums, members, sets, b, level, least_gain
            )
            found = t >= 0
            for i in range(sets[2, 0] + sets[2, 1] if found else 0):
                block, table = (sets[0, i], t) if i < sets[2, 0] else (sets[1, i - sets[2, 0]], s)
                move_block(weights, inner, by_block, by_table, gains, sums, members, block, table)
        else:
            found = _find_chain(
                weights, inner, linear, factor, by_block, by_table, gains, sums, members, sets, b, least_gain
            )
            for i in range(3 if found else 0):
                if sets[0, i] >= 0:
                    move_block(weights, inner, by_block, by_table, gains, sums, members, sets[0, i], sets[1, i])
        if found:
            changes += 1
            idle, level = 0, 1
        else:
            idle += 1
            position = (position + 1) % len(movable)
    return changes
