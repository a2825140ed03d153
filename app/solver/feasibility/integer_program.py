"""Who sits at which table as an integer programme: a seating (the cheapest, given costs) or the proof of none.

Only blocks that stay apart from others have variables of their own; all the rest are counted at each table, those alike
as one. Rules about whole groups add flags for tables (`app.solver.feasibility.group_constraints`).
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
import scipy

from app.solver.feasibility.counts import fewest_guests
from app.solver.feasibility.group_constraints import GroupConstraints, group_kinds
from app.solver.feasibility.structure import Structure
from app.solver.problem import FloatArray, IntArray, Problem

INFEASIBLE = 2
"""What scipy's milp says when it has proved that nothing fits."""
MOST_ENTRIES = 3_000_000
"""Entries of the largest programme that is tried anywhere: it takes about a gigabyte."""


class Undecided(Exception):  # not an error by itself: the caller decides
    """Neither a seating nor a proof was found within the limits."""


class IntegerProgram:
    """The programme of a problem. Where `each` is given, every block is a column of its own."""

    def __init__(self, problem: Problem, structure: Structure, *, each: bool = False) -> None:
        self._tables, self._structure = problem.tables, structure
        alone = frozenset(structure.alone)
        own = {block for clique in structure.cliques for block in clique}
        groups, alike = group_kinds(structure), dict[object, list[int]]()
        for block, size in enumerate(structure.sizes.tolist()):
            kind = (size, structure.rows[block], structure.allowed[block].tobytes(), block in alone, groups[block])
            alike.setdefault(block if each or block in own else kind, []).append(block)
        self._columns = list(alike.values())
        self._column_of = {block: column for column, blocks in enumerate(self._columns) for block in blocks}
        self._alone = np.array([blocks[0] in alone for blocks in self._columns], dtype=bool)

    @property
    def entries(self) -> int:
        """How many numbers the matrix of the programme has, counted before anything is built."""
        columns, tables = len(self._columns), len(self._tables)
        apart = sum(map(len, self._structure.cliques)) * tables
        rows = 2 * len(self._halves) * len(self._in_rows)
        return (3 if self._alone.any() else 2) * columns * tables + apart + rows + self._groups.entries

    def solve(self, seconds: float, costs: FloatArray | None = None) -> IntArray | None:
        """Find a seating, the cheapest if it has costs by column and table, or prove that there is none."""
        if seconds <= 0.0 or self.entries > MOST_ENTRIES:
            raise Undecided
        more = [np.full(len(self._halves), np.inf), np.ones(self._groups.flags)]
        upper = np.concatenate([self._upper.ravel(), *more])
        objective = np.zeros(len(upper))
        objective[: self._upper.size] = 0.0 if costs is None else costs.ravel()
        solution = scipy.optimize.milp(
            c=objective,
            constraints=[self._once(), *self._limits(), *self._apart(), *self._sides(), *self._of_groups()],
            bounds=scipy.optimize.Bounds(0, upper),
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
    def _in_rows(self) -> list[tuple[int, tuple[int, ...]]]:
        """The columns whose guests sit side by side, with the lengths of their rows."""
        rows = ((column, self._structure.rows[blocks[0]]) for column, blocks in enumerate(self._columns))
        return [(column, lengths) for column, lengths in rows if lengths]

    @cached_property
    def _halves(self) -> list[tuple[int, int]]:
        """Tables with two sides and lengths of rows: for each a variable counts such rows along the first side."""
        lengths = sorted({length for rows in self._structure.rows for length in rows})
        return [(t, length) for t, table in enumerate(self._tables) if table.sides[1] for length in lengths]

    @cached_property
    def _groups(self) -> GroupConstraints:
        """What rules about whole groups say; their flags come after all other variables."""
        first = len(self._columns) * len(self._tables) + len(self._halves)
        return GroupConstraints(self._tables, self._structure, self._columns, first)

    def _of_groups(self) -> list[scipy.optimize.LinearConstraint]:
        return [self._constraint(*inequalities) for inequalities in self._groups.rows()]

    def _constraint(
        self, rows: IntArray, variables: IntArray, values: FloatArray, least: FloatArray, most: FloatArray
    ) -> scipy.optimize.LinearConstraint:
        """Return least ≤ Σ value · variable ≤ most; the three arrays are the entries of the matrix."""
        shape = (len(least), self._upper.size + len(self._halves) + self._groups.flags)
        return scipy.optimize.LinearConstraint(
            scipy.sparse.coo_array((values, (rows, variables)), shape=shape).tocsr(), least, most
        )

    def _once(self) -> scipy.optimize.LinearConstraint:
        """Every block sits once."""
        totals = np.array([len(blocks) for blocks in self._columns], dtype=float)
        seats = np.arange(self._upper.size)
        return self._constraint(seats // len(self._tables), seats, np.ones(len(seats)), totals, totals)

    def _limits(self) -> list[scipy.optimize.LinearConstraint]:
        """Every table has between its least and its most guests; a block that sits alone fills its table."""
        sizes = np.array([self._structure.sizes[blocks[0]] for blocks in self._columns], dtype=float)
        least = fewest_guests(self._tables, self._structure.limits).astype(float)
        most = np.array([table.most for table in self._tables], dtype=float)
        seats = np.arange(self._upper.size)
        rows, guests = seats % len(self._tables), np.repeat(sizes, len(self._tables))
        if not self._alone.any():
            return [self._constraint(rows, seats, guests, least, most)]
        filled = np.where(np.repeat(self._alone, len(self._tables)), most[rows], guests)
        anything, nothing = np.full(len(most), np.inf), np.full(len(least), -np.inf)
        return [
            self._constraint(rows, seats, guests, least, anything),
            self._constraint(rows, seats, filled, nothing, most),
        ]

    def _apart(self) -> list[scipy.optimize.LinearConstraint]:
        """Of the blocks that all stay apart at most one sits at each table."""
        cliques, tables = self._structure.cliques, np.arange(len(self._tables))
        if not cliques:
            return []
        columns = np.array([self._column_of[block] for clique in cliques for block in clique], dtype=np.int64)
        numbers = np.repeat(np.arange(len(cliques)), [len(clique) for clique in cliques])
        rows = (numbers[:, None] * len(tables) + tables).ravel()
        seats = (columns[:, None] * len(tables) + tables).ravel()
        count = len(cliques) * len(tables)
        return [self._constraint(rows, seats, np.ones(len(seats)), np.full(count, -np.inf), np.ones(count))]

    def _sides(self) -> list[scipy.optimize.LinearConstraint]:
        """Rows along the first side are among those at the table, and both sides have room for theirs."""
        entries: list[tuple[int, int, float]] = []
        halves, tables = len(self._halves), self._tables
        for number, (t, length) in enumerate(self._halves, start=self._upper.size):
            here = [(column * len(tables) + t, float(rows.count(length))) for column, rows in self._in_rows]
            among, first, second = number - self._upper.size, halves + t, halves + len(tables) + t
            entries += [(among, number, -1.0), (first, number, float(length)), (second, number, -float(length))]
            entries += [(among, seat, count) for seat, count in here if count]
            entries += [(second, seat, length * count) for seat, count in here if count]
        if not entries:
            return []
        least = np.concatenate([np.zeros(halves), np.full(2 * len(tables), -np.inf)])
        most = np.concatenate([np.full(halves, np.inf), [t.sides[0] for t in tables], [t.sides[1] for t in tables]])
        rows, seats, values = (np.array(column) for column in zip(*entries, strict=True))
        return [self._constraint(rows, seats, values, least, most)]
