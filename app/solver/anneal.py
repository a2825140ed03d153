"""Simulated annealing on the original matrix: moves, swaps, and exchanges of a block against several.

The temperature falls geometrically from `hot` to `cold`; then descent takes over. How far it has
fallen is the larger of the share of steps done and `control[1]`, which the caller may raise as time
runs out; `control[0]` above zero ends the search at once. Small events are heated again in several
cycles, and the best end of a cycle counts: there many short anneals find more than a long one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit

from app.solver.board import (
    AT,
    COUNT,
    FRIEND,
    LARGEST_SET,
    LEAST,
    MOST,
    PLACE,
    SEATED,
    SIZE,
    Board,
    exchange_delta,
    move_block,
    sizes_fit,
)
from app.solver.problem import FloatArray, IntArray
from app.solver.rng import RandomState, below, next_random, uniform

HOPELESS = -25.0
"""A loss of so many temperatures is taken once in 10¹¹ times: not worth a random number."""


@dataclass(frozen=True)
class Schedule:
    """How an anneal cools: temperatures, steps in each cycle, cycles, and how often whole sets are drawn.

    Every `sets_every`-th step (a power of two) draws an exchange of several blocks, the others a swap.
    """

    hot: float
    cold: float
    steps: int
    cycles: int = 1
    sets_every: int = 4


def anneal(board: Board, schedule: Schedule, state: RandomState, control: FloatArray) -> tuple[IntArray, int]:
    """Anneal the board; return the best end of a cycle as tables by block, and the steps taken."""
    if len(board.movable) < 1 or len(board.sums) < 2 or schedule.hot <= 0.0:
        return board.at.copy(), 0
    best = board.at.copy()
    heat = (
        schedule.hot,
        schedule.cold,
        schedule.steps,
        schedule.cycles,
        schedule.sets_every - 1,
        bool(board.linear.any()),
    )
    rest: tuple[Any, ...] = (board.movable, *heat, state, control, best)
    steps = _anneal(*board.arrays, *rest)
    return (best if schedule.cycles > 1 else board.at.copy()), int(steps)


@njit(nogil=True, cache=True)
def _draw_sets(  # noqa: C901  # loops written out: a kernel
    by_block: IntArray, by_table: IntArray, movable: IntArray, members: IntArray, sets: IntArray, state: RandomState
) -> Any:
    """Draw sets of blocks for an exchange into `sets`, their lengths into sets[2]; return t, or −1.

    Both sets grow by random blocks of their tables until the sizes fit.
    """
    b = movable[below(state, len(movable))]
    s = by_block[AT, b]
    sets[0, 0], sets[2, 0], sets[2, 1] = b, 1, 0
    coin = next_random(state) >> np.uint64(40)
    if coin & np.uint64(1):
        t = below(state, by_table.shape[1])
    else:
        c = movable[below(state, len(movable))]
        t = by_block[AT, c]
        sets[1, 0], sets[2, 1] = c, 1
        with_b, with_c = by_block[FRIEND, b], by_block[FRIEND, c]
        if coin & np.uint64(2) and with_b >= 0 and by_block[AT, with_b] == s:
            sets[0, 1], sets[2, 0] = with_b, 2
        if coin & np.uint64(4) and with_c >= 0 and by_block[AT, with_c] == t:
            sets[1, 1], sets[2, 1] = with_c, 2
    if s == t:
        return -1
    grow = 0
    for i in range(sets[2, 0]):
        grow += by_block[SIZE, sets[0, i]]
    for i in range(sets[2, 1]):
        grow -= by_block[SIZE, sets[1, i]]
    for _ in range(2 * LARGEST_SET):
        if sizes_fit(by_table, s, t, grow):
            return t
        short = by_table[SEATED, t] + grow > by_table[MOST, t] or by_table[SEATED, s] - grow < by_table[LEAST, s]
        side, table = (1, t) if short else (0, s)
        n = sets[2, side]
        if n == LARGEST_SET or n >= by_table[COUNT, table]:
            return -1
        block = members[table, below(state, by_table[COUNT, table])]
        known = False
        for i in range(n):
            known = known or sets[side, i] == block
        if not known:
            sets[side, n] = block
            sets[2, side] += 1
            grow += -by_block[SIZE, block] if short else by_block[SIZE, block]
    return -1


@njit(nogil=True, cache=True)
def _anneal(  # noqa: C901, PLR0912  # loops written out: a kernel
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
    hot: float,
    cold: float,
    steps: int,
    cycles: int,
    sets_mask: int,
    has_linear: bool,
    state: RandomState,
    control: FloatArray,
    best: IntArray,
) -> int:
    """Anneal. The swap is written out for speed: ΔS_s = g_sc − g_sb − w_bc + I_c − I_b, and so for t."""
    sets = np.zeros((3, LARGEST_SET), np.int64)
    temperature, best_value = hot, -np.inf
    for step in range(steps * cycles + 1):
        if cycles > 1 and step % steps == 0 and step > 0:
            value = 0.0
            for t in range(len(sums)):
                value += factor[by_table[SEATED, t]] * sums[t]
            for b in range(weights.shape[0]):
                value += linear[by_block[AT, b], b]
            if value > best_value:
                best_value = value
                best[:] = by_block[AT]
        if step & 127 == 0:
            share = max((step % steps) / steps, control[1])
            if control[0] > 0.0 or share >= 1.0:
                return step
            temperature = hot * (cold / hot) ** share
        if step & sets_mask == 0:
            t = _draw_sets(by_block, by_table, movable, members, sets, state)
            if t < 0:
                continue
            s, n_a, n_c = by_block[AT, sets[0, 0]], sets[2, 0], sets[2, 1]
            delta = exchange_delta(
                weights, inner, linear, factor, by_block, by_table, gains, sums, sets, n_a, n_c, s, t
            )
            if delta >= 0.0 or delta > temperature * math.log(uniform(state) + 1e-300):
                for i in range(n_a + n_c):
                    block, table = (sets[0, i], t) if i < n_a else (sets[1, i - n_a], s)
                    move_block(weights, inner, by_block, by_table, gains, sums, members, block, table)
            continue
        b, c = movable[below(state, len(movable))], movable[below(state, len(movable))]
        s, t = by_block[AT, b], by_block[AT, c]
        if s == t or by_block[SIZE, b] != by_block[SIZE, c]:
            continue
        inside = inner[c] - inner[b]
        sum_s = gains[s, c] - gains[s, b] - weights[b, c] + inside
        sum_t = gains[t, b] - gains[t, c] - weights[b, c] - inside
        delta = factor[by_table[SEATED, s]] * sum_s + factor[by_table[SEATED, t]] * sum_t
        if has_linear:
            delta += linear[t, b] - linear[s, b] + linear[s, c] - linear[t, c]
        if delta < HOPELESS * temperature:
            continue
        if delta >= 0.0 or delta > temperature * math.log(uniform(state) + 1e-300):
            sums[s] += sum_s
            sums[t] += sum_t
            by_block[AT, b], by_block[AT, c] = t, s
            place_b, place_c = by_block[PLACE, b], by_block[PLACE, c]
            members[s, place_b], members[t, place_c] = c, b
            by_block[PLACE, b], by_block[PLACE, c] = place_c, place_b
            for j in range(weights.shape[0]):
                change = weights[b, j] - weights[c, j]
                gains[s, j] -= change
                gains[t, j] += change
    return steps * cycles


def random_swap_deltas(board: Board, rng: np.random.Generator, draws: int = 2000) -> FloatArray:
    """Weigh random swaps in numpy, without doing them: their spread tells how hot to start."""
    movable = board.movable
    if len(movable) < 2:
        return np.zeros(0)
    b, c = rng.choice(movable, draws), rng.choice(movable, draws)
    s, t = board.at[b], board.at[c]
    keep = s != t
    b, c, s, t = b[keep], c[keep], s[keep], t[keep]
    gains, between, inside = board.gains, board.weights[b, c], board.inner[c] - board.inner[b]
    factor_s, factor_t = board.factor[board.by_table[SEATED, s]], board.factor[board.by_table[SEATED, t]]
    deltas = factor_s * (gains[s, c] - gains[s, b] - between + inside)
    deltas += factor_t * (gains[t, b] - gains[t, c] - between - inside)
    deltas += board.linear[t, b] - board.linear[s, b] + board.linear[s, c] - board.linear[t, c]
    return np.asarray(deltas)
