"""A first seating that keeps every rule, or the proof that there is none.

A greedy draw finds one nearly always. Where it does not, a small integer programme decides: only blocks that stay
apart from others have variables of their own, all the rest are counted at each table, those alike as one.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from functools import cached_property

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array

from app.solver.neighbours import rows_fit
from app.solver.problem import FloatArray, IntArray, Problem
from app.solver.sizes import table_sizes
from app.solver.structure import Structure

DRAWS = 40
PROOF_SECONDS = 2.0
INFEASIBLE = 2
"""What scipy's milp says when it has proved that nothing fits."""


class Undecided(Exception):  # not an error by itself: the caller decides
    """Neither a seating nor a proof was found in time."""


def find_seating(
    problem: Problem, structure: Structure, rng: np.random.Generator, until: float = math.inf, draws: int = DRAWS
) -> IntArray | None:
    """Return tables by block that keep sizes and rules, or None when that is proved impossible.

    Raises Undecided when neither comes out in PROOF_SECONDS, or before the clock says `until`.
    """
    if not structure.allowed.any(axis=1).all() or any(a == b for a, b in structure.apart):
        return None
    if structure.sizes.max(initial=0) > max(table.most for table in problem.tables):
        return None
    targets = table_sizes(problem)
    if not structure.apart and structure.sizes.max(initial=1) == 1 and structure.allowed.all():
        return rng.permutation(np.repeat(np.arange(len(targets)), targets))
    for _ in range(draws):
        at = _draw_seating(problem, structure, targets, rng)
        if at is not None:
            return at
        if time.monotonic() > until:
            raise Undecided
    return Programme(problem, structure).solve(min(PROOF_SECONDS, until - time.monotonic()))


def draw_seating(problem: Problem, structure: Structure, rng: np.random.Generator) -> IntArray | None:
    """Return one seating drawn at random that keeps sizes and rules, or None if this draw found no room."""
    return _draw_seating(problem, structure, table_sizes(problem), rng)


def _draw_seating(
    problem: Problem, structure: Structure, targets: IntArray, rng: np.random.Generator
) -> IntArray | None:
    """Seat the most restricted and largest blocks first, each at a random table that still takes it."""
    least = np.array([table.least for table in problem.tables])
    most = np.array([table.most for table in problem.tables])
    seated = np.zeros(len(most), dtype=np.int64)
    at = np.full(len(structure.members), -1, dtype=np.int64)
    apart = neighbours(structure)
    rows: list[list[int]] = [[] for _ in problem.tables]
    long = [number for number, table in enumerate(problem.tables) if table.sides[1]]
    quarrels = np.array([len(others) for others in apart])
    keys = np.stack([rng.random(len(at)), -structure.sizes, -quarrels, structure.allowed.sum(axis=1)])
    for block in np.lexsort(keys):
        size = structure.sizes[block]
        fits = structure.allowed[block] & (seated + size <= most)
        fits[[at[other] for other in apart[block] if at[other] >= 0]] = False
        for t in long if structure.rows[block] else ():
            fits[t] = fits[t] and rows_fit((*structure.rows[block], *rows[t]), problem.tables[t].sides)
        for room in (targets, most):
            tables = np.flatnonzero(fits & (seated + size <= room))
            if len(tables):
                break
        else:
            return None
        wanting = tables[seated[tables] < least[tables]] if size == 1 else tables
        at[block] = rng.choice(wanting if len(wanting) else tables)
        seated[at[block]] += size
        rows[at[block]] += structure.rows[block]
    return at if (seated >= least).all() else None


def neighbours(structure: Structure) -> list[list[int]]:
    """List for each block those that it must not share a table with."""
    lists: list[list[int]] = [[] for _ in structure.members]
    for a, b in structure.apart:
        lists[a].append(b)
        lists[b].append(a)
    return lists


class Programme:
    """Who sits at which table, as whole numbers: `columns` are the blocks that are counted as one.

    Where `each` is asked for, every block is a column of its own.
    """

    def __init__(self, problem: Problem, structure: Structure, *, each: bool = False) -> None:
        self._tables, self._structure = problem.tables, structure
        quarrel = {block for pair in structure.apart for block in pair}
        quarrel |= set(range(len(structure.members))) if each else set()
        alike: dict[object, list[int]] = {}
        for block, size in enumerate(structure.sizes.tolist()):
            kind = (size, structure.rows[block], structure.allowed[block].tobytes())
            alike.setdefault(block if block in quarrel else kind, []).append(block)
        self._columns = list(alike.values())
        self._column_of = {block: column for column, blocks in enumerate(self._columns) for block in blocks}

    def solve(self, seconds: float, costs: FloatArray | None = None) -> IntArray | None:
        """Find a seating, the cheapest if it has costs by column and table, or prove that there is none."""
        if seconds <= 0.0:
            raise Undecided
        upper = np.concatenate([self._upper.ravel(), np.full(len(self._halves), np.inf)])
        objective = np.zeros(len(upper))
        objective[: self._upper.size] = 0.0 if costs is None else costs.ravel()
        solution = milp(
            c=objective,
            constraints=[self._once(), self._limits(), *self._apart(), *self._sides()],
            bounds=Bounds(0, upper),
            integrality=np.ones(len(upper), dtype=np.int64),
            options={"time_limit": seconds},
        )
        if solution.status == INFEASIBLE:
            return None
        if solution.x is None:
            raise Undecided
        counts = np.rint(solution.x[: self._upper.size]).astype(np.int64).reshape(self._upper.shape)
        at = np.full(len(self._structure.members), -1, dtype=np.int64)
        for blocks, here in zip(self._columns, counts, strict=True):
            at[blocks] = np.repeat(np.arange(len(self._tables)), here)
        return at

    @cached_property
    def _upper(self) -> FloatArray:
        """How many of each column may sit at each table."""
        return np.array([len(blocks) * self._structure.allowed[blocks[0]] for blocks in self._columns], dtype=float)

    @cached_property
    def _halves(self) -> list[tuple[int, int]]:
        """Tables with two sides and lengths of rows: for each a variable counts such rows along the first side."""
        lengths = sorted({length for rows in self._structure.rows for length in rows})
        return [(t, length) for t, table in enumerate(self._tables) if table.sides[1] for length in lengths]

    def _constraint(
        self, entries: Iterable[tuple[int, int, float]], least: FloatArray, most: FloatArray
    ) -> LinearConstraint:
        """Return least ≤ Σ value · variable ≤ most from (row, variable, value)."""
        rows, variables, values = zip(*entries, strict=True)
        shape = (len(least), self._upper.size + len(self._halves))
        return LinearConstraint(coo_array((values, (rows, variables)), shape=shape).tocsr(), least, most)

    def _seat(self, column: int, table: int) -> int:
        return column * len(self._tables) + table

    def _once(self) -> LinearConstraint:
        """Every block sits once."""
        totals = np.array([len(blocks) for blocks in self._columns], dtype=float)
        tables = range(len(self._tables))
        entries = ((c, self._seat(c, t), 1.0) for c in range(len(totals)) for t in tables)
        return self._constraint(entries, totals, totals)

    def _limits(self) -> LinearConstraint:
        """Every table has as many guests as it asks for and takes."""
        sizes = [float(self._structure.sizes[blocks[0]]) for blocks in self._columns]
        entries = ((t, self._seat(c, t), size) for c, size in enumerate(sizes) for t in range(len(self._tables)))
        least, most = np.array([(table.least, table.most) for table in self._tables], dtype=float).T
        return self._constraint(entries, least, most)

    def _apart(self) -> list[LinearConstraint]:
        """Blocks that stay apart share no table."""
        tables = range(len(self._tables))
        pairs = [[self._column_of[block] for block in pair] for pair in self._structure.apart]
        entries = [
            (number * len(tables) + t, self._seat(column, t), 1.0)
            for number, pair in enumerate(pairs)
            for column in pair
            for t in tables
        ]
        rows = len(pairs) * len(tables)
        return [self._constraint(entries, np.full(rows, -np.inf), np.ones(rows))] if rows else []

    def _sides(self) -> list[LinearConstraint]:
        """Rows along the first side are among those at the table, and both sides have room for theirs."""
        entries: list[tuple[int, int, float]] = []
        halves, tables = len(self._halves), self._tables
        for number, (t, length) in enumerate(self._halves, start=self._upper.size):
            here = [
                (self._seat(c, t), float(self._structure.rows[blocks[0]].count(length)))
                for c, blocks in enumerate(self._columns)
            ]
            among, first, second = number - self._upper.size, halves + t, halves + len(tables) + t
            entries += [(among, number, -1.0), (first, number, float(length)), (second, number, -float(length))]
            entries += [(among, seat, count) for seat, count in here if count]
            entries += [(second, seat, length * count) for seat, count in here if count]
        if not entries:
            return []
        least = np.concatenate([np.zeros(halves), np.full(2 * len(tables), -np.inf)])
        most = np.concatenate([np.full(halves, np.inf), [t.sides[0] for t in tables], [t.sides[1] for t in tables]])
        return [self._constraint(entries, least, most)]
