"""Descent that weighs what the plain one cannot: guests left alone, and a limit on moves.

It knows the same changes as the plain one. Where nothing gains, ties are used to lift the unhappiest guest.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from app.solver.blocks import build_blocks
from app.solver.board import AT, COUNT, LARGEST_SET, SIZE, sizes_fit
from app.solver.careful import Cares, anneal_carefully, build_cares
from app.solver.careful_parts import careful_delta, count_lonely, exchange_carefully, lonely_after, move_carefully
from app.solver.kernel import kernel, shared
from app.solver.pairs import after
from app.solver.problem import FloatArray, IntArray, Problem, Table
from app.solver.rng import random_state
from app.solver.row_kernels import chain_holds_rows
from app.solver.structure import build_structure

TIE_SHARE = 1e-3
"""A change that loses less than this part of the least gain is a tie."""


def compile_careful_kernels() -> None:
    """Run the kernels once on a plan of two guests, so that they are compiled or loaded."""
    problem = Problem(np.zeros((2, 2)), (Table(1), Table(1)), fairness=1.0)
    cares = build_cares(build_blocks(problem, build_structure(problem, ())), np.array([0, 1]))
    anneal_carefully(cares, (1.0, 0.5), 1, random_state(0, 0), np.zeros(2))
    descend_carefully(cares, 2, 1.0, np.zeros(2))


def descend_carefully(cares: Cares, depth: int, least_gain: float, control: FloatArray) -> int:
    """Improve a plan in place until nothing of the given depth gains, or lifts the unhappiest guest for nothing."""
    board = cares.board
    if len(board.movable) < 1 or len(board.sums) < 2:
        return 0
    rest: tuple[Any, ...] = (cares.scores, board.movable, depth, least_gain, control)
    return int(_descend_carefully(*board.arrays, *cares.arrays, *rest))


@shared
def _find_careful_exchange(  # noqa: C901, PLR0912  # loops written out: a kernel
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
    scores: FloatArray,
    worst: FloatArray,
    sets: IntArray,
    b: int,
    depth: int,
    wanted: float,
) -> int:
    """Find an exchange that takes b, alone or with one more, to table t and gains what is wanted; return t, or −1.

    Where `worst` is given, the lowest mean score at each table, it must lift the unhappiest guest of all instead.
    """
    s = by_block[AT, b]
    sets[0, 0] = b
    lowest = worst.min() if len(worst) else 0.0
    for second in range(-1, by_table[COUNT, s] if depth > 1 else 0):
        n_a, leaving = 1, by_block[SIZE, b]
        if second >= 0:
            sets[0, 1], n_a = members[s, second], 2
            leaving += by_block[SIZE, sets[0, 1]]
            if sets[0, 1] == b:
                continue
        for t in range(by_table.shape[1]):
            if t == s or (len(worst) and min(worst[s], worst[t]) > lowest):
                continue
            for i in range(-1, by_table[COUNT, t]):
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
                    gain = careful_delta(
                        weights, inner, linear, factor, by_block, by_table, gains, sums, members,
                        first, guests, friends, liked, moved, counts, fairness, limit,
                        sets, n_a, n_c, s, t, wanted,
                    )  # fmt: skip
                    if gain < wanted:
                        continue
                    if len(worst):
                        there = _worst_after(by_table, members, first, guests, scores, t, sets[1], n_c, sets[0], n_a)
                        here = _worst_after(by_table, members, first, guests, scores, s, sets[0], n_a, sets[1], n_c)
                        if min(here, there) <= lowest + 1e-9 * (1.0 + abs(lowest)):
                            continue
                    sets[2, 0], sets[2, 1] = n_a, n_c
                    return t
    return -1


@shared
def _worst_after(
    by_table: IntArray,
    members: IntArray,
    first: IntArray,
    guests: IntArray,
    scores: FloatArray,
    t: int,
    outs: IntArray,
    n_out: int,
    ins: IntArray,
    n_in: int,
) -> Any:
    """Return the lowest mean score towards the others at table t once some have left and others have come."""
    here = np.empty(len(guests), np.int64)
    number = 0
    for place in range(by_table[COUNT, t] + n_in):
        b = members[t, place] if place < by_table[COUNT, t] else ins[place - by_table[COUNT, t]]
        leaves = False
        for i in range(n_out):
            leaves = leaves or outs[i] == b
        for k in range(first[b], first[b + 1] if not leaves else first[b]):
            here[number] = guests[k]
            number += 1
    worst = np.inf
    for i in range(number):
        total = 0.0
        for j in range(number):
            total += scores[here[i], here[j]]
        worst = min(worst, total / max(number - 1, 1))
    return worst


@shared
def _find_careful_chain(  # noqa: C901  # loops written out: a kernel
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
    b: int,
    wanted: float,
) -> bool:
    """Find b → t, c → u, and perhaps d from u → the table that b left; note the blocks and tables in `sets`."""
    s = by_block[AT, b]
    one = np.zeros((3, 1), np.int64)
    one[0, 0] = b
    for t in range(by_table.shape[1]):
        for i in range(by_table[COUNT, t] if t != s else 0):
            c = members[t, i]
            arrived = after(weights, inner, linear, factor, by_block, by_table, gains, sums, t, c, b)
            if arrived == -np.inf:
                continue
            one[1, 0] = c
            for u in range(by_table.shape[1]):
                if u in (s, t):
                    continue
                for j in range(-1, by_table[COUNT, u]):
                    d = members[u, j] if j >= 0 else -1
                    more = moved[t, b] - moved[s, b] + moved[u, c] - moved[t, c]
                    more += moved[s, d] - moved[u, d] if d >= 0 else 0
                    if more > 0 and counts[-1] + more > limit:
                        continue
                    gain = arrived + after(weights, inner, linear, factor, by_block, by_table, gains, sums, u, d, c)
                    gain += after(weights, inner, linear, factor, by_block, by_table, gains, sums, s, b, d)
                    gain += fairness * (counts[s] + counts[t] + counts[u])
                    if gain < wanted:
                        continue
                    if fairness > 0.0:
                        one[2, 0], back = d, 1 if d >= 0 else 0
                        alone = lonely_after(by_table, members, first, guests, friends, liked, t, one[1], 1, one[0], 1)
                        alone += lonely_after(
                            by_table, members, first, guests, friends, liked, u, one[2], back, one[1], 1
                        )
                        alone += lonely_after(
                            by_table, members, first, guests, friends, liked, s, one[0], 1, one[2], back
                        )
                        gain -= fairness * alone
                    if gain >= wanted and chain_holds_rows(by_block, by_table, members, b, c, d, t, u):
                        sets[0, 0], sets[0, 1], sets[0, 2] = b, c, d
                        sets[1, 0], sets[1, 1], sets[1, 2] = t, u, s
                        return True
    return False


@kernel
def _descend_carefully(  # noqa: C901, PLR0912  # loops written out: a kernel
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
    scores: FloatArray,
    movable: IntArray,
    depth: int,
    least_gain: float,
    control: FloatArray,
) -> int:
    """Go round the blocks, deeper only where nothing shallow gains, then for ties, until a round finds nothing."""
    sets = np.zeros((3, LARGEST_SET), np.int64)
    worst = np.zeros(0)
    changes, idle, position, level = 0, 0, 0, 1
    last = (3 if depth > 1 else 1) + (fairness > 0.0)
    while control[0] <= 0.0:
        if idle == len(movable):
            level, idle = level + 1, 0
            if level > last:
                break
        ties = fairness > 0.0 and level == last
        if ties and idle == 0:
            worst = np.empty(by_table.shape[1])
            for t in range(by_table.shape[1]):
                worst[t] = _worst_after(by_table, members, first, guests, scores, t, sets[0], 0, sets[1], 0)
        b = movable[position]
        s = by_block[AT, b]
        if ties or level <= 2:
            t = _find_careful_exchange(
                weights, inner, linear, factor, by_block, by_table, gains, sums, members,
                first, guests, friends, liked, moved, counts, fairness, limit, scores,
                worst if ties else worst[:0], sets, b, 1 if ties else level,
                -TIE_SHARE * least_gain if ties else least_gain,
            )  # fmt: skip
            found = t >= 0
            if found:
                exchange_carefully(
                    weights, inner, by_block, by_table, gains, sums, members,
                    first, guests, friends, liked, moved, counts, fairness, sets, sets[2, 0], sets[2, 1], s, t,
                )  # fmt: skip
        else:
            found = _find_careful_chain(
                weights, inner, linear, factor, by_block, by_table, gains, sums, members,
                first, guests, friends, liked, moved, counts, fairness, limit, sets, b, least_gain,
            )  # fmt: skip
            for i in range(3 if found else 0):
                if sets[0, i] >= 0:
                    move_carefully(
                        weights, inner, by_block, by_table, gains, sums, members,
                        first, guests, friends, liked, moved, counts, fairness, sets[0, i], sets[1, i],
                    )  # fmt: skip
            for i in range(3 if found else 0):
                count_lonely(by_table, members, first, guests, friends, liked, counts, fairness, sets[2], sets[1, i])
        if found:
            changes += 1
            idle, level = 0, 1
        else:
            idle += 1
            position = (position + 1) % len(movable)
    return changes
