"""The best plan for each small number of guests moved: every way to move few guests is tried.

Blocks that can sit at several tables for the same number of moves, such as newcomers, are seated in every way first.
"""

from __future__ import annotations

from math import comb
from typing import NamedTuple

import numpy as np

from app.solver.feasibility.structure import build_structure
from app.solver.numba_support.compilation import kernel, part
from app.solver.problem import BoolArray, FloatArray, IntArray, Problem, Table
from app.solver.search.blocks import Blocks, build_blocks
from app.solver.search.search_state import rows_by_block
from app.solver.search.side_by_side_kernels import plan_holds_rows
from app.solver.search.table_rules import plan_keeps_counts

MOST_WAYS = 2_000_000


class Ways(NamedTuple):
    """A problem of which every way to move few guests is tried, and the plan under way.

    `moved[t, b]` is how many guests of block b are moved if it sits at table t; `at`, `seated` and `sums` are the
    table of each block, and the guests and the pair weights at each table.
    """

    weights: FloatArray
    inner: FloatArray
    linear: FloatArray
    factor: FloatArray
    sizes: IntArray
    least: IntArray
    most: IntArray
    sides: IntArray
    rows: IntArray
    own: IntArray
    limits: IntArray
    likes: BoolArray
    of_guest: IntArray
    fairness: float
    moved: IntArray
    at: IntArray
    seated: IntArray
    sums: FloatArray


def best_for_each_count(blocks: Blocks, moved: IntArray, most_ways: int = MOST_WAYS) -> dict[int, IntArray]:
    """Return the best plan, tables by block, for each number of guests moved whose ways are few enough to try.

    `moved[t, b]` is how many guests of block b are moved if it sits at table t.
    """
    least = moved.min(axis=0)
    loose = (moved == least).sum(axis=0) > 1
    limit = _most_moves(blocks, moved, loose, most_ways)
    if limit < 0:
        return {}
    values, plans = np.full(limit + 1, -np.inf), np.zeros((limit + 1, blocks.count), dtype=np.int64)
    order = np.concatenate([np.flatnonzero(loose), np.flatnonzero(~loose)]).astype(np.int64)
    ways = _lay_out(blocks, moved)
    _try_all(ways, order, int(loose.sum()), values, plans)
    found = {count: plans[count] for count in range(limit + 1) if values[count] > -np.inf}
    return {count: plan for count, plan in found.items() if blocks.keeps_rules(plan)}


def compile_kernels() -> None:
    """Try all ways to seat two guests, so that the kernels are compiled or loaded."""
    problem = Problem(np.zeros((2, 2)), (Table(1), Table(1)))
    best_for_each_count(build_blocks(problem, build_structure(problem, ())), 1 - np.eye(2, dtype=np.int64))


def _lay_out(blocks: Blocks, moved: IntArray) -> Ways:
    """Return the problem for the kernel, every block at a table where it moves least and nothing added up yet."""
    return Ways(
        weights=blocks.weights,
        inner=blocks.inner,
        linear=blocks.linear,
        factor=blocks.factor,
        sizes=blocks.structure.sizes,
        least=blocks.least,
        most=blocks.most,
        sides=blocks.sides,
        rows=rows_by_block(blocks),
        own=blocks.structure.limits.own,
        limits=blocks.structure.limits.by_table,
        likes=blocks.likes if blocks.fairness else np.zeros((1, 1), dtype=bool),
        of_guest=blocks.structure.of_guest,
        fairness=blocks.fairness,
        moved=moved,
        at=moved.argmin(axis=0).astype(np.int64),
        seated=np.zeros(blocks.table_count, np.int64),
        sums=np.zeros(blocks.table_count),
    )


def _most_moves(blocks: Blocks, moved: IntArray, loose: BoolArray, most_ways: int) -> int:
    """Return the largest number of guests moved whose ways are few enough to try; −1 if there is none."""
    tables, others, least = blocks.table_count, int((~loose).sum()), int(moved.min(axis=0).sum())
    ways = float(tables) ** int(loose.sum())
    if ways > most_ways:
        return -1
    guests = int(blocks.structure.sizes.sum())
    for count in range(least, guests + 1):
        changes = min(count - least, others)
        if ways * sum(comb(others, j) * float(tables - 1) ** j for j in range(changes + 1)) > most_ways:
            return count - 1
    return guests


@part
def _seat(ways: Ways, b: int, t: int) -> None:
    """Bring block b from its table to table t."""
    at, sums, s = ways.at, ways.sums, ways.at[b]
    sums[s] -= ways.inner[b]
    sums[t] += ways.inner[b]
    ways.seated[s] -= ways.sizes[b]
    ways.seated[t] += ways.sizes[b]
    for c in range(len(at)):
        if at[c] == s and c != b:
            sums[s] -= ways.weights[b, c]
        elif at[c] == t:
            sums[t] += ways.weights[b, c]
    at[b] = t


@part
def _worth(ways: Ways, places: float, known: float) -> float:
    """Return V of the plan, or a bound if it is no better than the known one; −inf if it breaks a rule.

    `places` is what the blocks' tables are worth without pairs.
    """
    at, of_guest = ways.at, ways.of_guest
    value = places
    for t in range(len(ways.least)):
        if ways.seated[t] < ways.least[t] or ways.seated[t] > ways.most[t]:
            return -np.inf
        value += ways.factor[ways.seated[t]] * ways.sums[t]
    if value > known and not plan_holds_rows(at, ways.most, ways.sides, ways.rows):
        return -np.inf
    if value > known and not plan_keeps_counts(at, ways.own, ways.limits):
        return -np.inf
    if value <= known or ways.fairness <= 0.0:
        return value
    for guest in range(len(of_guest)):
        is_alone = True
        for other in range(len(of_guest)):
            if ways.likes[guest, other] and at[of_guest[guest]] == at[of_guest[other]]:
                is_alone = False
                break
        value -= ways.fairness * is_alone
    return value


@part
def _note(plans: IntArray, number: int, at: IntArray) -> None:
    """Note a plan; assigned to a row, it would take a second more to compile."""
    for b in range(len(at)):
        plans[number, b] = at[b]


@kernel
def _try_all(ways: Ways, order: IntArray, loose: int, values: FloatArray, plans: IntArray) -> None:
    """Go through the blocks depth first, each at every table that the limit allows, the loose ones first."""
    at, moved, linear = ways.at, ways.moved, ways.linear
    count, tables, limit = len(at), len(ways.least), len(values) - 1
    base, choice = at.copy(), np.full(count + 1, -1)
    places, number, level = 0.0, 0, 0
    for b in range(count):
        ways.seated[at[b]] += ways.sizes[b]
        ways.sums[at[b]] += ways.inner[b]
        places += linear[at[b], b]
        number += moved[at[b], b]
        for c in range(b):
            if at[c] == at[b]:
                ways.sums[at[b]] += ways.weights[b, c]
    while level >= 0:
        # Whoever comes after the loose ones can only stay once no more moves are left.
        if level == count or (level >= loose and number == limit and choice[level] < 0):
            value = _worth(ways, places, values[number])
            if value > values[number]:
                values[number] = value
                _note(plans, number, at)
            level -= 1
            continue
        b = order[level]
        t = choice[level] + 1
        while t < tables and number - moved[at[b], b] + moved[t, b] > limit:
            t += 1
        choice[level] = t
        if t == tables:
            choice[level], t = -1, base[b]
        places += linear[t, b] - linear[at[b], b]
        number += moved[t, b] - moved[at[b], b]
        if t != at[b]:
            _seat(ways, b, t)
        level += 1 if choice[level] >= 0 else -1
