"""Annealing on ratings of few pairs: what a guest adds to a table is summed over their own ratings.

A table of m guests is worth f(m)·S − shift(m): `total` has f = 1 and no shift; `average` has f = 1/m and
shift(m) = s_max·(m − 1)/2, as Σ_{i<j}(s_max − s_ij)/m = s_max·(m − 1)/2 − S/m. A swap of b at s and c at t changes
S_s by g_s(c) − g_s(b) − w_bc and S_t by g_t(b) − g_t(c) − w_bc, with g_t(b) = Σ_{j at t} w_bj over b's ratings: no
table of sums is kept, so 20,000 guests need no more memory than their ratings. Three swaps in four bring a guest to the
table of someone they have rated; the others are drawn at random.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from app.solver.kernel import kernel, part
from app.solver.problem import FloatArray, IntArray, Problem
from app.solver.ratings import Ratings
from app.solver.rng import RandomState, below, next_random, uniform

LEAST_GAIN = 1e-9


class Hall(NamedTuple):
    """Ratings, tables and a plan; `members[t, :seated[t]]` are the guests at table t, `place` is where they stand."""

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
    sums: FloatArray


def make_hall(problem: Problem, ratings: Ratings, at: IntArray) -> Hall:
    """Lay a plan out with its running sums, in numpy."""
    tables = len(problem.tables)
    most = np.array([table.most for table in problem.tables], dtype=np.int64)
    sizes = np.arange(int(most.max()) + 2, dtype=np.float64)
    average = problem.objective == "average"
    seated = np.bincount(at, minlength=tables).astype(np.int64)
    order = np.argsort(at, kind="stable")
    place = np.empty(len(at), dtype=np.int64)
    place[order] = np.arange(len(at)) - np.repeat(np.cumsum(seated) - seated, seated)
    members = np.full((tables, int(most.max()) + 1), -1, dtype=np.int64)
    members[at, place] = np.arange(len(at))
    rows = np.repeat(np.arange(len(at)), np.diff(ratings.starts))
    same = at[rows] == at[ratings.others]
    return Hall(
        starts=ratings.starts,
        others=ratings.others,
        scores=ratings.scores,
        least=np.array([table.least for table in problem.tables], dtype=np.int64),
        most=most,
        factor=1.0 / np.maximum(sizes, 1.0) if average else np.ones_like(sizes),
        shift=ratings.highest * np.maximum(sizes - 1.0, 0.0) / 2 if average else np.zeros_like(sizes),
        at=at.astype(np.int64),
        place=place,
        members=members,
        seated=seated,
        sums=np.bincount(at[rows[same]], weights=ratings.scores[same], minlength=tables) / 2,
    )


def hall_value(hall: Hall) -> float:
    """Return Σ_t f(n_t)·S_t − shift(n_t), S_t counted anew from the ratings."""
    rows = np.repeat(np.arange(len(hall.at)), np.diff(hall.starts))
    same = hall.at[rows] == hall.at[hall.others]
    sums = np.bincount(hall.at[rows[same]], weights=hall.scores[same], minlength=len(hall.most)) / 2
    return float((hall.factor[hall.seated] * sums - hall.shift[hall.seated]).sum())


@part
def _swap_sums(hall: Hall, b: int, c: int) -> tuple[float, float]:
    """Return how S changes at the tables of b and of c when the two change places."""
    s, t = hall.at[b], hall.at[c]
    at_s, at_t, between = 0.0, 0.0, 0.0
    for x in range(hall.starts[b], hall.starts[b + 1]):
        j, w = hall.others[x], hall.scores[x]
        table = hall.at[j]
        if table == s:
            at_s -= w
        elif table == t:
            at_t += w
            if j == c:
                between = w
    for x in range(hall.starts[c], hall.starts[c + 1]):
        table, w = hall.at[hall.others[x]], hall.scores[x]
        if table == s:
            at_s += w
        elif table == t:
            at_t -= w
    return at_s - between, at_t - between


@part
def _move_sums(hall: Hall, b: int, t: int) -> tuple[float, float]:
    """Return how S changes at the table of b and at t when b moves there."""
    s = hall.at[b]
    at_s, at_t = 0.0, 0.0
    for x in range(hall.starts[b], hall.starts[b + 1]):
        table = hall.at[hall.others[x]]
        if table == s:
            at_s -= hall.scores[x]
        elif table == t:
            at_t += hall.scores[x]
    return at_s, at_t


@part
def _try_swap(hall: Hall, b: int, c: int, least: float) -> bool:
    """Swap two guests if it gains more than `least`."""
    s, t = hall.at[b], hall.at[c]
    sum_s, sum_t = _swap_sums(hall, b, c)
    if hall.factor[hall.seated[s]] * sum_s + hall.factor[hall.seated[t]] * sum_t <= least:
        return False
    hall.sums[s] += sum_s
    hall.sums[t] += sum_t
    place_b, place_c = hall.place[b], hall.place[c]
    hall.at[b], hall.at[c] = t, s
    hall.place[b], hall.place[c] = place_c, place_b
    hall.members[s, place_b], hall.members[t, place_c] = c, b
    return True


@part
def _try_move(hall: Hall, b: int, t: int, least: float) -> bool:
    """Move a guest to a free seat if it gains more than `least`."""
    s = hall.at[b]
    m_s, m_t = hall.seated[s], hall.seated[t]
    if s == t or m_t >= hall.most[t] or m_s <= hall.least[s]:
        return False
    sum_s, sum_t = _move_sums(hall, b, t)
    gain = hall.factor[m_s - 1] * (hall.sums[s] + sum_s) - hall.factor[m_s] * hall.sums[s]
    gain += hall.factor[m_t + 1] * (hall.sums[t] + sum_t) - hall.factor[m_t] * hall.sums[t]
    gain += hall.shift[m_s] - hall.shift[m_s - 1] + hall.shift[m_t] - hall.shift[m_t + 1]
    if gain <= least:
        return False
    hall.sums[s] += sum_s
    hall.sums[t] += sum_t
    last = hall.members[s, m_s - 1]
    hall.members[s, hall.place[b]] = last
    hall.place[last] = hall.place[b]
    hall.members[t, m_t] = b
    hall.at[b], hall.place[b] = t, m_t
    hall.seated[s], hall.seated[t] = m_s - 1, m_t + 1
    return True


@part
def _leave_gain(hall: Hall, b: int) -> float:
    """Return what the table of b gains when b leaves."""
    s, at_s = hall.at[b], 0.0
    m = hall.seated[s]
    for x in range(hall.starts[b], hall.starts[b + 1]):
        if hall.at[hall.others[x]] == s:
            at_s += hall.scores[x]
    gain: float = hall.factor[m - 1] * (hall.sums[s] - at_s) - hall.factor[m] * hall.sums[s]
    gain += hall.shift[m] - hall.shift[m - 1]
    return gain


@part
def _try_strangers(hall: Hall, b: int, least: float) -> bool:
    """Move b to a free seat among strangers if that gains: of two tables the better or the larger may gain by it."""
    gone = _leave_gain(hall, b)
    for t in range(len(hall.most)):
        m = hall.seated[t]
        if m >= hall.most[t]:
            continue
        gain = (hall.factor[m + 1] - hall.factor[m]) * hall.sums[t] + hall.shift[m] - hall.shift[m + 1]
        if gone + gain > least and _try_move(hall, b, t, least):
            return True
    return False


@kernel
def anneal_hall(
    hall: Hall, hot: float, cold: float, steps: int, spare: bool, state: RandomState, control: FloatArray
) -> int:
    """Anneal in place; return the steps taken. control[1] is the share of time gone, control[0] ends it at once."""
    guests, temperature = len(hall.at), hot
    for step in range(steps):
        if step & 255 == 0:
            share = max(step / steps, control[1])
            if control[0] > 0.0 or share >= 1.0:
                return step
            temperature = hot * (cold / hot) ** share
        b = below(state, guests)
        coin = next_random(state) >> np.uint64(40)
        rated = hall.starts[b + 1] - hall.starts[b]
        friend = -1
        if rated > 0 and coin & np.uint64(3) != np.uint64(0):
            friend = hall.others[hall.starts[b] + below(state, rated)]
        t = hall.at[friend] if friend >= 0 else hall.at[below(state, guests)]
        if t == hall.at[b]:
            continue
        least = temperature * math.log(uniform(state) + 1e-300)
        if spare and coin & np.uint64(4) != np.uint64(0):
            # A table that is empty has no guest to be drawn by.
            _try_move(hall, b, below(state, len(hall.most)) if friend < 0 else t, least)
            continue
        c = hall.members[t, below(state, hall.seated[t])]
        if c != friend:
            _try_swap(hall, b, c, least)
    return steps


@kernel
def descend_hall(hall: Hall, spare: bool, least: float, control: FloatArray) -> int:
    """Go round the guests until no swap gains and no move to a free seat; return the changes.

    Every swap that gains brings one of the two to a table of someone they have rated, or takes one away from somebody
    they dislike: then all tables are tried.
    """
    guests, idle, b, changes = len(hall.at), 0, 0, 0
    while idle < guests and control[0] <= 0.0:
        disliked = False
        for x in range(hall.starts[b], hall.starts[b + 1]):
            disliked = disliked or (hall.scores[x] < 0.0 and hall.at[hall.others[x]] == hall.at[b])
        tables = len(hall.most) if disliked else hall.starts[b + 1] - hall.starts[b]
        changed = False
        for x in range(tables):
            t = x if disliked else hall.at[hall.others[hall.starts[b] + x]]
            if t == hall.at[b]:
                continue
            changed = spare and _try_move(hall, b, t, least)
            for place in range(hall.seated[t] if not changed else 0):
                changed = _try_swap(hall, b, hall.members[t, place], least)
                if changed:
                    break
            if changed:
                break
        if spare and not changed:
            changed = _try_strangers(hall, b, least)
        changes += changed
        idle = 0 if changed else idle + 1
        if not changed:
            b = (b + 1) % guests
    return changes
