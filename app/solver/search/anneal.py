"""Simulated annealing on the original matrix: moves, swaps, and exchanges of a block against several.

The temperature falls geometrically from `hot` to `cold`; then descent takes over. How far it has
fallen is the larger of the share of steps done and `control[1]`, which the caller may raise as time
runs out; `control[0]` above zero ends the search at once. Small events are heated again in several
cycles, and the best end of a cycle counts: there many short anneals find more than a long one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from app.solver.numba_support.compilation import inlined_kernel, kernel
from app.solver.numba_support.random_numbers import RandomState, below, next_random
from app.solver.problem import FloatArray, IntArray
from app.solver.search.blocks import Blocks
from app.solver.search.search_state import (
    AT,
    COUNT,
    FRIEND,
    LARGEST_SET,
    LEAST,
    MOST,
    OWN,
    PLACE,
    SEATED,
    SIZE,
    SearchState,
    exchange_delta,
    move_block,
    sizes_fit,
)
from app.solver.search.swap_window import (
    LEAST_WINDOW,
    LOGARITHM_BITS,
    LOGARITHMS,
    LUCK,
    WINDOW,
    update_cached,
    weigh_swaps,
)
from app.solver.search.table_moves import NEVER, try_table_move
from app.solver.search.table_rules import tables_keep_rules

LOOK_EVERY, LOOK_SELDOM, LOOKS = 128, 1024, 32
"""Steps between two looks at the time and the temperature; up to LOOK_SELDOM in a cycle with more than LOOKS looks."""
MOVES_EVERY, TABLE_MOVES_EVERY = 256, 2048
"""Where seats stay free: steps between tries of all tables for one block, and of a change of whole tables."""


@dataclass(frozen=True)
class Schedule:
    """How an anneal cools: temperatures, steps in each cycle, cycles, and how often whole sets are drawn.

    Every `sets_every`-th step or so draws an exchange of several blocks, the others try a swap.
    """

    hot: float
    cold: float
    steps: int
    cycles: int = 1
    sets_every: int = 4


def anneal(
    search_state: SearchState, schedule: Schedule, state: RandomState, control: FloatArray
) -> tuple[IntArray, int]:
    """Anneal in place; return the best end of a cycle as tables by block, and the steps taken."""
    if len(search_state.movable) < 1 or len(search_state.sums) < 2 or schedule.hot <= 0.0:
        return search_state.at.copy(), 0
    best = search_state.at.copy()
    heat = (
        schedule.hot,
        schedule.cold,
        schedule.steps,
        schedule.cycles,
        schedule.sets_every,
        bool(search_state.linear.any()),
    )
    steps = _anneal(search_state, *heat, state, control, best)
    return (best if schedule.cycles > 1 else search_state.at.copy()), int(steps)


@inlined_kernel
def draw_sets(  # noqa: C901  # loops written out: a kernel
    plan: SearchState, sets: IntArray, state: RandomState
) -> Any:
    """Draw sets of blocks for an exchange into `sets`, their lengths into sets[2]; return t, or −1.

    Both sets grow by random blocks of their tables until the sizes fit.
    """
    b = plan.movable[below(state, len(plan.movable))]
    s = plan.by_block[AT, b]
    sets[0, 0], sets[2, 0], sets[2, 1] = b, 1, 0
    coin = next_random(state) >> np.uint64(40)
    if coin & np.uint64(1):
        t = below(state, plan.by_table.shape[1])
    else:
        c = plan.movable[below(state, len(plan.movable))]
        t = plan.by_block[AT, c]
        sets[1, 0], sets[2, 1] = c, 1
        with_b, with_c = plan.by_block[FRIEND, b], plan.by_block[FRIEND, c]
        if coin & np.uint64(2) and with_b >= 0 and plan.by_block[AT, with_b] == s:
            sets[0, 1], sets[2, 0] = with_b, 2
        if coin & np.uint64(4) and with_c >= 0 and plan.by_block[AT, with_c] == t:
            sets[1, 1], sets[2, 1] = with_c, 2
    if s == t:
        return -1
    grow = 0
    for i in range(sets[2, 0]):
        grow += plan.by_block[SIZE, sets[0, i]]
    for i in range(sets[2, 1]):
        grow -= plan.by_block[SIZE, sets[1, i]]
    for _ in range(2 * LARGEST_SET):
        if sizes_fit(plan.by_table, s, t, grow):
            return t
        short = (
            plan.by_table[SEATED, t] + grow > plan.by_table[MOST, t]
            or plan.by_table[SEATED, s] - grow < plan.by_table[LEAST, s]
        )
        side, table = (1, t) if short else (0, s)
        n = sets[2, side]
        if n == LARGEST_SET or n >= plan.by_table[COUNT, table]:
            return -1
        block = plan.members[table, below(state, plan.by_table[COUNT, table])]
        known = False
        for i in range(n):
            known = known or sets[side, i] == block
        if not known:
            sets[side, n] = block
            sets[2, side] += 1
            grow += -plan.by_block[SIZE, block] if short else plan.by_block[SIZE, block]
    return -1


@inlined_kernel
def _draw_move(plan: SearchState, sets: IntArray, temperature: float, state: RandomState) -> Any:
    """Return the first table, from a random one on, to which the block in sets[0, 0] may go as it is; or −1."""
    by_table, sums, b, tables = plan.by_table, plan.sums, sets[0, 0], plan.by_table.shape[1]
    s, size = plan.by_block[AT, b], plan.by_block[SIZE, b]
    left = by_table[SEATED, s] - size
    if left < by_table[LEAST, s]:
        return -1
    gone = plan.factor[left] * (sums[s] - plan.gains[s, b] - plan.inner[b])
    gone -= plan.factor[by_table[SEATED, s]] * sums[s] + plan.linear[s, b]
    t = below(state, tables)
    for _ in range(tables):
        t = t + 1 if t + 1 < tables else 0
        seated = by_table[SEATED, t] + size
        if t == s or seated > by_table[MOST, t] or seated < by_table[LEAST, t]:
            continue
        delta = gone + plan.factor[seated] * (sums[t] + plan.gains[t, b] + plan.inner[b])
        delta += plan.linear[t, b] - plan.factor[by_table[SEATED, t]] * sums[t]
        if delta >= temperature * LOGARITHMS[next_random(state) >> LOGARITHM_BITS]:
            return t
    return -1


@kernel
def _anneal(  # noqa: C901, PLR0912, PLR0915  # loops written out: a kernel
    plan: SearchState,
    hot: float,
    cold: float,
    steps: int,
    cycles: int,
    sets_every: int,
    has_linear: bool,
    state: RandomState,
    control: FloatArray,
    best: IntArray,
) -> int:
    """Anneal. The swap is written out for speed: ΔS_s = g_sc − g_sb − w_bc + I_c − I_b, and so for t."""
    weights, inner, linear, factor, movable = plan.weights, plan.inner, plan.linear, plan.factor, plan.movable
    by_block, by_table, gains, sums, members = plan.by_block, plan.by_table, plan.gains, plan.sums, plan.members
    sets = np.zeros((3, LARGEST_SET), np.int64)
    blocks, window = weights.shape[0], min(WINDOW, sets_every, len(movable))
    has_rules = by_block.shape[0] > OWN
    is_free = False
    for t in range(by_table.shape[1]):
        is_free = is_free or (by_table[MOST, t] > by_table[SEATED, t] and sets_every < NEVER)
    chosen = np.zeros(members.shape[1], np.int64)
    is_plain = window >= LEAST_WINDOW and not has_linear and len(movable) == blocks
    for b in range(blocks):
        is_plain = is_plain and by_block[SIZE, b] == 1
    cached = np.zeros((4, max(blocks, by_table.shape[1], WINDOW)))
    look_every = max(LOOK_EVERY, min(LOOK_SELDOM, steps // LOOKS))
    best_value, done = -np.inf, 0
    for _ in range(cycles):
        for t in range(by_table.shape[1]):
            update_cached(plan, cached, t)
        temperature, step, look, draw = hot, 0, 0, 0
        move = 0 if is_free else NEVER * NEVER
        table_move = 0 if is_free and not has_rules else NEVER * NEVER
        while True:
            if step >= look:
                share = max(step / steps, control[1])
                if control[0] > 0.0:
                    return done + step
                if share >= 1.0:
                    break
                if cold < hot:
                    temperature = hot * (cold / hot) ** share
                look = step + look_every
                if step >= table_move:
                    table_move = step + TABLE_MOVES_EVERY
                    least_gain = temperature * LOGARITHMS[next_random(state) >> LOGARITHM_BITS]
                    try_table_move(plan, least_gain, chosen, state)
                    for t in range(by_table.shape[1]):
                        update_cached(plan, cached, t)
            if step >= move:
                move += MOVES_EVERY
                step += by_table.shape[1]
                sets[0, 0] = movable[below(state, len(movable))]
                t = _draw_move(plan, sets, temperature, state)
                s = by_block[AT, sets[0, 0]]
                if t >= 0 and (not has_rules or tables_keep_rules(plan, sets, 1, 0, s, t)):
                    move_block(plan, sets[0, 0], t)
                    update_cached(plan, cached, s)
                    update_cached(plan, cached, t)
                continue
            if step >= draw:
                draw += sets_every
                step += 1
                t = draw_sets(plan, sets, state)
                if t >= 0:
                    s, n_a, n_c = by_block[AT, sets[0, 0]], sets[2, 0], sets[2, 1]
                    delta = exchange_delta(plan, sets, n_a, n_c, s, t)
                    taken = delta >= temperature * LOGARITHMS[next_random(state) >> LOGARITHM_BITS]
                    if taken and has_rules:
                        taken = tables_keep_rules(plan, sets, n_a, n_c, s, t)
                    if taken:
                        for i in range(n_a + n_c):
                            block, table = (sets[0, i], t) if i < n_a else (sets[1, i - n_a], s)
                            move_block(plan, block, table)
                        update_cached(plan, cached, s)
                        update_cached(plan, cached, t)
                continue
            b, partner = movable[below(state, len(movable))], -1
            s = by_block[AT, b]
            if is_plain:
                first = below(state, blocks + window - 1) - window + 1
                last, first = min(first + window, blocks), max(first, 0)
                luck = np.int64(next_random(state) >> LOGARITHM_BITS)
                step += last - first
                if weigh_swaps(plan, cached, b, first, last, temperature, luck) > 0:
                    for c in range(first, last):
                        if cached[3, c - first] < temperature * LUCK[luck + c - first]:
                            continue
                        sets[0, 0], sets[1, 0] = b, c
                        if not has_rules or tables_keep_rules(plan, sets, 1, 1, s, by_block[AT, c]):
                            partner = c
                            break
            else:
                i, size, hopeless = below(state, len(movable)), by_block[SIZE, b], temperature * LOGARITHMS[0]
                factor_s, gain_s = factor[by_table[SEATED, s]], gains[s, b] + inner[b]
                step += window
                for _ in range(window):
                    i = i + 1 if i + 1 < len(movable) else 0
                    c = movable[i]
                    t = by_block[AT, c]
                    if s == t or by_block[SIZE, c] != size:
                        continue
                    between = weights[b, c]
                    sum_s = gains[s, c] + inner[c] - gain_s - between
                    sum_t = gains[t, b] + inner[b] - gains[t, c] - inner[c] - between
                    delta = factor_s * sum_s + factor[by_table[SEATED, t]] * sum_t
                    if has_linear:
                        delta += linear[t, b] - linear[s, b] + linear[s, c] - linear[t, c]
                    if delta < hopeless or delta < temperature * LOGARITHMS[next_random(state) >> LOGARITHM_BITS]:
                        continue
                    sets[0, 0], sets[1, 0] = b, c
                    if not has_rules or tables_keep_rules(plan, sets, 1, 1, s, t):
                        partner = c
                        break
            if partner < 0:
                continue
            c, t = partner, by_block[AT, partner]
            sums[s] += gains[s, c] + inner[c] - gains[s, b] - inner[b] - weights[b, c]
            sums[t] += gains[t, b] + inner[b] - gains[t, c] - inner[c] - weights[b, c]
            by_block[AT, b], by_block[AT, c] = t, s
            place_b, place_c = by_block[PLACE, b], by_block[PLACE, c]
            members[s, place_b], members[t, place_c] = c, b
            by_block[PLACE, b], by_block[PLACE, c] = place_c, place_b
            for j in range(weights.shape[0]):
                change = weights[b, j] - weights[c, j]
                gains[s, j] -= change
                gains[t, j] += change
            if is_plain:
                update_cached(plan, cached, s)
                update_cached(plan, cached, t)
        done += step
        value = 0.0
        for t in range(len(sums)):
            value += factor[by_table[SEATED, t]] * sums[t]
        for b in range(weights.shape[0]):
            value += linear[by_block[AT, b], b]
        if value > best_value:
            best_value = value
            for b in range(len(best)):  # a slice would take two seconds more to compile
                best[b] = by_block[AT, b]
    return done


def random_swap_deltas(blocks: Blocks, at: IntArray, rng: np.random.Generator, draws: int = 2000) -> FloatArray:
    """Weigh random swaps in numpy, without doing them: their spread sets the first temperature."""
    movable, tables = blocks.movable, blocks.table_count
    if len(movable) < 2:
        return np.zeros(0)
    b, c = rng.choice(movable, draws), rng.choice(movable, draws)
    keep = at[b] != at[c]
    b, c = b[keep], c[keep]
    s, t = at[b], at[c]
    count, order = np.bincount(at, minlength=tables), np.argsort(at, kind="stable")
    members = np.full((tables, int(count.max(initial=1))), -1, dtype=np.int64)
    members[at[order], np.arange(len(at)) - np.repeat(np.cumsum(count) - count, count)] = order

    def gains(table: IntArray, block: IntArray) -> FloatArray:
        here = members[table]
        return np.asarray(np.where(here >= 0, blocks.weights[block[:, None], here], 0.0).sum(axis=1))

    factor = blocks.factor[np.bincount(at, weights=blocks.structure.sizes, minlength=tables).astype(np.int64)]
    between, inside = blocks.weights[b, c], blocks.inner[c] - blocks.inner[b]
    deltas = factor[s] * (gains(s, c) - gains(s, b) - between + inside)
    deltas += factor[t] * (gains(t, b) - gains(t, c) - between - inside)
    deltas += blocks.linear[t, b] - blocks.linear[s, b] + blocks.linear[s, c] - blocks.linear[t, c]
    return np.asarray(deltas)


def cheapest_change(search_state: SearchState, rng: np.random.Generator, draws: int = 400) -> float:
    """Return what the cheapest swap of an ordinary block costs in a good plan: the median over some blocks."""
    factor, sizes = search_state.factor[search_state.by_table[SEATED]], search_state.by_block[SIZE]
    losses = []
    for b in rng.permutation(search_state.movable)[:draws]:
        fits = (search_state.at != search_state.at[b]) & (sizes == sizes[b])
        others = search_state.movable[fits[search_state.movable]]
        if not len(others):
            continue
        s, t, between = search_state.at[b], search_state.at[others], search_state.weights[b, others]
        inside = search_state.inner[others] - search_state.inner[b]
        loss = factor[s] * (search_state.gains[s, b] - search_state.gains[s, others] + between - inside)
        loss += factor[t] * (search_state.gains[t, others] - search_state.gains[t, b] + between + inside)
        loss += (
            search_state.linear[s, b]
            - search_state.linear[t, b]
            + search_state.linear[t, others]
            - search_state.linear[s, others]
        )
        losses.append(float(loss.min()))
    return max(float(np.median(losses)), 0.0) if losses else 0.0
