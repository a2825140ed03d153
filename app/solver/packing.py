"""A first seating that keeps every rule, or the proof that there is none.

A greedy draw finds one nearly always. Where it does not, a small integer programme decides: only blocks
that rules name have variables of their own, all others are counted by size at each table.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array

from app.solver.blocks import BoolArray, Structure
from app.solver.problem import FloatArray, IntArray, Problem
from app.solver.sizes import table_sizes

DRAWS = 40
PROOF_SECONDS = 2.0
INFEASIBLE = 2
"""What scipy's milp says when it has proved that nothing fits."""


class Undecided(Exception):  # not an error by itself: the caller decides
    """Neither a seating nor a proof was found in time."""


def find_seating(problem: Problem, structure: Structure, rng: np.random.Generator) -> IntArray | None:
    """Return tables by block that keep sizes and rules, or None when that is proved impossible."""
    if not structure.allowed.any(axis=1).all() or any(a == b for a, b in structure.apart):
        return None
    if structure.sizes.max(initial=0) > max(table.most for table in problem.tables):
        return None
    targets = table_sizes(problem)
    if not structure.apart and structure.sizes.max(initial=1) == 1 and structure.allowed.all():
        return rng.permutation(np.repeat(np.arange(len(targets)), targets))
    for _ in range(DRAWS):
        at = _draw_seating(problem, structure, targets, rng)
        if at is not None:
            return at
    return _decide(problem, structure)


def _draw_seating(
    problem: Problem, structure: Structure, targets: IntArray, rng: np.random.Generator
) -> IntArray | None:
    """Seat the most restricted and largest blocks first, each at a random table that still takes it."""
    least = np.array([table.least for table in problem.tables])
    most = np.array([table.most for table in problem.tables])
    seated = np.zeros(len(most), dtype=np.int64)
    at = np.full(len(structure.members), -1, dtype=np.int64)
    apart = neighbours(structure)
    quarrels = np.array([len(others) for others in apart])
    keys = np.stack([rng.random(len(at)), -structure.sizes, -quarrels, structure.allowed.sum(axis=1)])
    for block in np.lexsort(keys):
        size = structure.sizes[block]
        fits = structure.allowed[block] & (seated + size <= most)
        fits[[at[other] for other in apart[block] if at[other] >= 0]] = False
        for room in (targets, most):
            tables = np.flatnonzero(fits & (seated + size <= room))
            if len(tables):
                break
        else:
            return None
        wanting = tables[seated[tables] < least[tables]] if size == 1 else tables
        at[block] = rng.choice(wanting if len(wanting) else tables)
        seated[at[block]] += size
    return at if (seated >= least).all() else None


def neighbours(structure: Structure) -> list[list[int]]:
    """List for each block those that it must not share a table with."""
    lists: list[list[int]] = [[] for _ in structure.members]
    for a, b in structure.apart:
        lists[a].append(b)
        lists[b].append(a)
    return lists


def _decide(problem: Problem, structure: Structure) -> IntArray | None:
    """Find a seating by integer programming, or prove that there is none."""
    named = np.flatnonzero(_is_named(structure))
    free_sizes = np.unique(structure.sizes[~_is_named(structure)])
    columns = len(named) + len(free_sizes)
    solution = milp(
        c=np.zeros(columns * len(problem.tables)),
        constraints=seat_constraints(problem, structure, named, free_sizes),
        bounds=Bounds(0, _upper(structure, named, free_sizes)),
        integrality=np.ones(columns * len(problem.tables), dtype=np.int64),
        options={"time_limit": PROOF_SECONDS},
    )
    if solution.status == INFEASIBLE:
        return None
    if solution.x is None:
        raise Undecided
    counts = np.rint(solution.x).astype(np.int64).reshape(columns, -1)
    return _read_seating(structure, named, free_sizes, counts)


def _is_named(structure: Structure) -> BoolArray:
    named: BoolArray = np.asarray(~structure.allowed.all(axis=1))
    named[[block for pair in structure.apart for block in pair]] = True
    return named


def _upper(structure: Structure, named: IntArray, free_sizes: IntArray) -> FloatArray:
    tables = structure.allowed.shape[1]
    free = ~_is_named(structure)
    counts = [np.full(tables, float((structure.sizes[free] == size).sum())) for size in free_sizes]
    return np.concatenate([structure.allowed[named].astype(float).ravel(), *counts])


def seat_constraints(
    problem: Problem, structure: Structure, named: IntArray, free_sizes: IntArray
) -> list[LinearConstraint]:
    """Every block sits once, every table keeps its limits, and blocks apart share no table."""
    tables = np.arange(len(problem.tables))
    sizes = np.concatenate([structure.sizes[named], free_sizes])
    totals = np.concatenate(
        [np.ones(len(named)), [(structure.sizes[~_is_named(structure)] == s).sum() for s in free_sizes]]
    )
    rows, width = np.arange(len(sizes)), len(sizes) * len(tables)
    variable = rows[:, None] * len(tables) + tables[None, :]
    once = coo_array((np.ones(width), (np.repeat(rows, len(tables)), variable.ravel())), shape=(len(sizes), width))
    seats = coo_array(
        (np.repeat(sizes, len(tables)), (np.tile(tables, len(sizes)), variable.ravel())), shape=(len(tables), width)
    )
    limits = (np.array([t.least for t in problem.tables]), np.array([t.most for t in problem.tables]))
    constraints = [LinearConstraint(once.tocsr(), totals, totals), LinearConstraint(seats.tocsr(), *limits)]
    if structure.apart:
        place = {int(block): row for row, block in enumerate(named)}
        pairs = np.array([[place[a], place[b]] for a, b in structure.apart])
        number = np.arange(len(pairs) * len(tables))
        columns = variable[pairs].transpose(1, 0, 2).reshape(2, -1)
        apart = coo_array((np.ones(2 * len(number)), (np.tile(number, 2), columns.ravel())), shape=(len(number), width))
        constraints.append(LinearConstraint(apart.tocsr(), -np.inf, 1))
    return constraints


def _read_seating(structure: Structure, named: IntArray, free_sizes: IntArray, counts: IntArray) -> IntArray:
    at = np.full(len(structure.members), -1, dtype=np.int64)
    at[named] = counts[: len(named)].argmax(axis=1)
    free = ~_is_named(structure)
    for row, size in enumerate(free_sizes, start=len(named)):
        at[np.flatnonzero(free & (structure.sizes == size))] = np.repeat(np.arange(counts.shape[1]), counts[row])
    return at
