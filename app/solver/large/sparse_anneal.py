"""Annealing on ratings of few pairs: what a guest adds to a table is summed over their own ratings.

A table of m guests is worth f(m)·S − shift(m): `total` has f = 1 and no shift; `average` has f = 1/m and
shift(m) = s_max·(m − 1)/2, as Σ_{i<j}(s_max − s_ij)/m = s_max·(m − 1)/2 − S/m. A swap of b at s and c at t changes
S_s by g_s(c) − g_s(b) − w_bc and S_t by g_t(b) − g_t(c) − w_bc, with g_t(b) = Σ_{j at t} w_bj over b's ratings: no
table of sums is kept, so 20,000 guests need no more memory than their ratings. Three swaps in four bring a guest to the
table of someone they have rated; the others are drawn at random.

What moves is a unit: one guest, or guests who sit together. Units differ in size, so both tables of a swap may get
another number of guests; what is said within a unit (`own`) moves with it. A unit that is `fixed` stays where it is.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from app.solver.large.units import Units
from app.solver.numba_support.compilation import kernel, part
from app.solver.numba_support.random_numbers import RandomState, below, next_random, uniform
from app.solver.problem import BoolArray, FloatArray, IntArray, Problem, Ratings

LEAST_GAIN = 1e-9


class SparsePlan(NamedTuple):
    """Ratings between units, tables and a plan; `seated` counts the guests at a table, `unit_count` its units.

    `members[t, :unit_count[t]]` are the units at table t, `place` is their position there.
    """

    starts: IntArray
    others: IntArray
    scores: FloatArray
    least: IntArray
    most: IntArray
    factor: FloatArray
    shift: FloatArray
    at: IntArray
    place: IntArray
    members: IntArray
    seated: IntArray
    unit_count: IntArray
    sums: FloatArray
    size: IntArray
    own: FloatArray
    fixed: BoolArray


def make_sparse_plan(problem: Problem, ratings: Ratings, at: IntArray, units: Units | None = None) -> SparsePlan:
    """Lay a plan out with its running sums, in numpy; `at` are tables by unit, by guest where there are no units."""
    tables, count = len(problem.tables), len(at)
    most = np.array([table.most for table in problem.tables], dtype=np.int64)
    sizes = np.arange(int(most.max()) + 2, dtype=np.float64)
    average = problem.objective == "average"
    size = np.ones(count, dtype=np.int64) if units is None else units.size
    own = np.zeros(count) if units is None else units.own
    seated = np.bincount(at, weights=size, minlength=tables).astype(np.int64)
    unit_count = np.bincount(at, minlength=tables).astype(np.int64)
    order = np.argsort(at, kind="stable")
    place = np.empty(count, dtype=np.int64)
    place[order] = np.arange(count) - np.repeat(np.cumsum(unit_count) - unit_count, unit_count)
    members = np.full((tables, int(most.max()) + 1), -1, dtype=np.int64)
    members[at, place] = np.arange(count)
    between = ratings if units is None else units.ratings
    same = at[between.rows] == at[between.others]
    sums = np.bincount(at[between.rows[same]], weights=between.scores[same], minlength=tables) / 2
    return SparsePlan(
        starts=between.starts,
        others=between.others,
        scores=between.scores,
        least=np.array([table.least for table in problem.tables], dtype=np.int64),
        most=most,
        factor=1.0 / np.maximum(sizes, 1.0) if average else np.ones_like(sizes),
        shift=ratings.highest * np.maximum(sizes - 1.0, 0.0) / 2 if average else np.zeros_like(sizes),
        at=at.astype(np.int64),
        place=place,
        members=members,
        seated=seated,
        unit_count=unit_count,
        sums=sums + np.bincount(at, weights=own, minlength=tables),
        size=size,
        own=own,
        fixed=np.zeros(count, dtype=np.bool_) if units is None else units.fixed,
    )


def sparse_value(plan: SparsePlan) -> float:
    """Return Σ_t f(n_t)·S_t − shift(n_t), S_t counted again from the ratings."""
    rows = np.repeat(np.arange(len(plan.at)), np.diff(plan.starts))
    same = plan.at[rows] == plan.at[plan.others]
    sums = np.bincount(plan.at[rows[same]], weights=plan.scores[same], minlength=len(plan.most)) / 2
    sums += np.bincount(plan.at, weights=plan.own, minlength=len(plan.most))
    return float((plan.factor[plan.seated] * sums - plan.shift[plan.seated]).sum())


@part
def _swap_sums(plan: SparsePlan, b: int, c: int) -> tuple[float, float]:
    """Return how S changes at the tables of b and of c when the two change places."""
    s, t = plan.at[b], plan.at[c]
    at_s, at_t, between = 0.0, 0.0, 0.0
    for x in range(plan.starts[b], plan.starts[b + 1]):
        j, w = plan.others[x], plan.scores[x]
        table = plan.at[j]
        if table == s:
            at_s -= w
        elif table == t:
            at_t += w
            if j == c:
                between = w
    for x in range(plan.starts[c], plan.starts[c + 1]):
        table, w = plan.at[plan.others[x]], plan.scores[x]
        if table == s:
            at_s += w
        elif table == t:
            at_t -= w
    apart = plan.own[c] - plan.own[b]
    return at_s - between + apart, at_t - between - apart


@part
def _move_sums(plan: SparsePlan, b: int, t: int) -> tuple[float, float]:
    """Return how S changes at the table of b and at t when b moves there."""
    s = plan.at[b]
    at_s, at_t = 0.0, 0.0
    for x in range(plan.starts[b], plan.starts[b + 1]):
        table = plan.at[plan.others[x]]
        if table == s:
            at_s -= plan.scores[x]
        elif table == t:
            at_t += plan.scores[x]
    return at_s - plan.own[b], at_t + plan.own[b]


@part
def _change(plan: SparsePlan, t: int, seated: int, sums: float) -> float:
    """Return what table t gains when its number of guests and S change."""
    m = plan.seated[t]
    if m == seated:
        same: float = plan.factor[m] * sums
        return same
    gain: float = plan.factor[seated] * (plan.sums[t] + sums) - plan.factor[m] * plan.sums[t]
    gain += plan.shift[m] - plan.shift[seated]
    return gain


@part
def _try_swap(plan: SparsePlan, b: int, c: int, least: float) -> bool:
    """Swap two units if it gains more than `least` and both tables still have their numbers."""
    s, t = plan.at[b], plan.at[c]
    if plan.fixed[b] or plan.fixed[c]:
        return False
    m_s, m_t = plan.seated[s] - plan.size[b] + plan.size[c], plan.seated[t] - plan.size[c] + plan.size[b]
    if m_s < plan.least[s] or m_s > plan.most[s] or m_t < plan.least[t] or m_t > plan.most[t]:
        return False
    sum_s, sum_t = _swap_sums(plan, b, c)
    if _change(plan, s, m_s, sum_s) + _change(plan, t, m_t, sum_t) <= least:
        return False
    plan.sums[s] += sum_s
    plan.sums[t] += sum_t
    plan.seated[s], plan.seated[t] = m_s, m_t
    place_b, place_c = plan.place[b], plan.place[c]
    plan.at[b], plan.at[c] = t, s
    plan.place[b], plan.place[c] = place_c, place_b
    plan.members[s, place_b], plan.members[t, place_c] = c, b
    return True


@part
def _try_move(plan: SparsePlan, b: int, t: int, least: float) -> bool:
    """Move a unit to free seats if it gains more than `least`."""
    s = plan.at[b]
    m_s, m_t = plan.seated[s] - plan.size[b], plan.seated[t] + plan.size[b]
    if s == t or m_t > plan.most[t] or m_s < plan.least[s] or plan.fixed[b]:
        return False
    sum_s, sum_t = _move_sums(plan, b, t)
    if _change(plan, s, m_s, sum_s) + _change(plan, t, m_t, sum_t) <= least:
        return False
    plan.sums[s] += sum_s
    plan.sums[t] += sum_t
    last = plan.members[s, plan.unit_count[s] - 1]
    plan.members[s, plan.place[b]] = last
    plan.place[last] = plan.place[b]
    plan.members[t, plan.unit_count[t]] = b
    plan.at[b], plan.place[b] = t, plan.unit_count[t]
    plan.unit_count[s] -= 1
    plan.unit_count[t] += 1
    plan.seated[s], plan.seated[t] = m_s, m_t
    return True


@part
def _leave_gain(plan: SparsePlan, b: int) -> float:
    """Return what the table of b gains when b leaves."""
    s, at_s = plan.at[b], plan.own[b]
    for x in range(plan.starts[b], plan.starts[b + 1]):
        if plan.at[plan.others[x]] == s:
            at_s += plan.scores[x]
    return _change(plan, s, plan.seated[s] - plan.size[b], -at_s)


@part
def _try_strangers(plan: SparsePlan, b: int, least: float) -> bool:
    """Move b to a free seat among strangers if that gains: of two tables the better or the larger may gain by it."""
    gone = _leave_gain(plan, b)
    for t in range(len(plan.most)):
        m = plan.seated[t] + plan.size[b]
        if m > plan.most[t]:
            continue
        gain = _change(plan, t, m, plan.own[b])
        if gone + gain > least and _try_move(plan, b, t, least):
            return True
    return False


@kernel
def anneal_sparse(
    plan: SparsePlan, hot: float, cold: float, steps: int, spare: bool, state: RandomState, control: FloatArray
) -> int:
    """Anneal in place; return the steps taken. control[1] is the share of time gone, control[0] ends it at once."""
    guests, temperature = len(plan.at), hot
    for step in range(steps):
        if step & 255 == 0:
            share = max(step / steps, control[1])
            if control[0] > 0.0 or share >= 1.0:
                return step
            temperature = hot * (cold / hot) ** share
        b = below(state, guests)
        coin = next_random(state) >> np.uint64(40)
        rated = plan.starts[b + 1] - plan.starts[b]
        friend = -1
        if rated > 0 and coin & np.uint64(3) != np.uint64(0):
            friend = plan.others[plan.starts[b] + below(state, rated)]
        t = plan.at[friend] if friend >= 0 else plan.at[below(state, guests)]
        if t == plan.at[b]:
            continue
        least = temperature * math.log(uniform(state) + 1e-300)
        if spare and coin & np.uint64(4) != np.uint64(0):
            # A table that is empty has no guest to be drawn by.
            _try_move(plan, b, below(state, len(plan.most)) if friend < 0 else t, least)
            continue
        c = plan.members[t, below(state, plan.unit_count[t])]
        if c != friend:
            _try_swap(plan, b, c, least)
    return steps


@kernel
def descend_sparse(plan: SparsePlan, spare: bool, least: float, control: FloatArray) -> int:
    """Go round the guests until no swap gains and no move to a free seat; return the changes.

    Every swap that gains brings one of the two to a table of someone they have rated, or takes one away from somebody
    they dislike: then all tables are tried.
    """
    guests, idle, b, changes = len(plan.at), 0, 0, 0
    while idle < guests and control[0] <= 0.0:
        disliked = False
        for x in range(plan.starts[b], plan.starts[b + 1]):
            disliked = disliked or (plan.scores[x] < 0.0 and plan.at[plan.others[x]] == plan.at[b])
        tables = len(plan.most) if disliked else plan.starts[b + 1] - plan.starts[b]
        changed = False
        for x in range(tables):
            t = x if disliked else plan.at[plan.others[plan.starts[b] + x]]
            if t == plan.at[b]:
                continue
            changed = spare and _try_move(plan, b, t, least)
            for place in range(plan.unit_count[t] if not changed else 0):
                changed = _try_swap(plan, b, plan.members[t, place], least)
                if changed:
                    break
            if changed:
                break
        if spare and not changed:
            changed = _try_strangers(plan, b, least)
        changes += changed
        idle = 0 if changed else idle + 1
        if not changed:
            b = (b + 1) % guests
    return changes
