"""A first seating that keeps every rule, or the proof that there is none.

Counting comes first: guests who all stay apart need a table each, each table its least number of guests, and each label
as many guests as tables need. Then a greedy draw finds a seating nearly always. Where it does not, an integer programme
decides. Its size is known before anything is built and grows with the guests of a rule, not with their pairs: a rule
that keeps k guests apart is one row for each table.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import numpy as np
import scipy

from app.solver.feasibility.counts import fewest_guests
from app.solver.feasibility.groups_under_way import Groups
from app.solver.feasibility.integer_program import MOST_ENTRIES, IntegerProgram, Undecided
from app.solver.feasibility.side_by_side import rows_fit
from app.solver.feasibility.structure import Structure
from app.solver.feasibility.table_sizes import table_sizes
from app.solver.problem import BoolArray, IntArray, Problem

DRAWS = 40
PROOF_SECONDS = 2.0
LOOKED_AFTER = 64
"""Blocks that are seated between two looks at the clock."""


@dataclass(frozen=True)
class CheckLimits:
    """What a check may take: it ends at `until` of the monotonic clock, and no programme has more `entries`."""

    until: float = math.inf
    entries: int = MOST_ENTRIES

    @property
    def is_late(self) -> bool:
        """Whether the time is over."""
        return time.monotonic() > self.until


NO_LIMITS = CheckLimits()


def find_seating(
    problem: Problem,
    structure: Structure,
    rng: np.random.Generator,
    limits: CheckLimits = NO_LIMITS,
    draws: int = DRAWS,
) -> IntArray | None:
    """Return tables by block that keep sizes and rules, or None when that is proved impossible.

    Raises Undecided when neither comes out in PROOF_SECONDS, or within the limits.
    """
    if structure.is_torn or not structure.allowed.any(axis=1).all():
        return None
    if structure.sizes.max(initial=0) > max(table.most for table in problem.tables):
        return None
    targets = table_sizes(problem)
    if structure.is_free:
        return rng.permutation(np.repeat(np.arange(len(targets)), targets))
    if not _can_add_up(problem, structure):
        return None
    for _ in range(draws):
        at = _draw_seating(problem, structure, targets, rng, limits)
        if at is not None:
            return at
    programme = IntegerProgram(problem, structure)
    if programme.entries > limits.entries:
        raise Undecided
    return programme.solve(min(PROOF_SECONDS, limits.until - time.monotonic()))


def _can_add_up(problem: Problem, structure: Structure) -> bool:
    """Return whether the numbers alone allow a seating: enough guests per table, tables for guests apart, labels."""
    least = fewest_guests(problem.tables, structure.limits)
    if (
        least.sum() > problem.guest_count
        or (structure.sizes @ structure.allowed < least).any()
        or not structure.limits.can_add_up(least > 0)
    ):
        return False
    return all(_has_a_table_each(structure, clique) for clique in structure.cliques)


def _has_a_table_each(structure: Structure, clique: tuple[int, ...]) -> bool:
    """Return whether blocks that stay apart find a table each among those where they may sit."""
    tables = structure.allowed.shape[1]
    if len(clique) > tables:
        return False
    allowed = structure.allowed[list(clique)]
    if allowed.all():
        return True
    graph = scipy.sparse.csr_array(allowed)
    matched = scipy.sparse.csgraph.maximum_bipartite_matching(graph, perm_type="column")
    return bool((matched >= 0).all())


def draw_seating(problem: Problem, structure: Structure, rng: np.random.Generator) -> IntArray | None:
    """Return one seating drawn at random that keeps sizes and rules, or None if this draw found no room."""
    return _draw_seating(problem, structure, table_sizes(problem), rng, NO_LIMITS)


def _draw_seating(
    problem: Problem, structure: Structure, targets: IntArray, rng: np.random.Generator, limits: CheckLimits
) -> IntArray | None:
    """Seat the most restricted and largest blocks first, each at a random table that still takes it."""
    least = fewest_guests(problem.tables, structure.limits)
    most = np.array([table.most for table in problem.tables])
    seated = np.zeros(len(most), dtype=np.int64)
    at = np.full(len(structure.members), -1, dtype=np.int64)
    apart, groups = _Apart(structure), Groups(structure)
    rows: list[list[int]] = [[] for _ in problem.tables]
    long = [number for number, table in enumerate(problem.tables) if table.sides[1]]
    keys = np.stack(
        [rng.random(len(at)), -structure.sizes, -apart.quarrels, *groups.keys, structure.allowed.sum(axis=1)]
    )
    for number, block in enumerate(np.lexsort(keys).tolist()):
        if number % LOOKED_AFTER == 0 and limits.is_late:
            raise Undecided
        size = structure.sizes[block]
        fits = structure.allowed[block] & (seated + size <= most)
        apart.bar(block, fits, seated)
        groups.bar(block, fits)
        for t in long if structure.rows[block] else ():
            fits[t] = fits[t] and rows_fit((*structure.rows[block], *rows[t]), problem.tables[t].sides)
        for room in (targets, most):
            tables = np.flatnonzero(groups.prefer(block, fits & (seated + size <= room)))
            if len(tables):
                break
        else:
            return None
        wanting = tables[seated[tables] < least[tables]] if size == 1 else tables
        table = int(rng.choice(wanting if len(wanting) else tables))
        at[block] = table
        apart.seat(block, table)
        groups.seat(block, table)
        seated[table] += size
        rows[table] += structure.rows[block]
    return at if (seated >= least).all() and groups.are_kept(at) else None


class _Apart:
    """Which tables are closed to a block by those who sit there: one flag for each clique and table."""

    def __init__(self, structure: Structure) -> None:
        blocks, tables = structure.allowed.shape
        self._cliques_of: list[list[int]] = [[] for _ in range(blocks)]
        self.quarrels = np.zeros(blocks, dtype=np.int64)
        for number, clique in enumerate(structure.cliques):
            self.quarrels[list(clique)] += len(clique) - 1
            for block in clique:
                self._cliques_of[block].append(number)
        self._alone = frozenset(structure.alone)
        self.quarrels[list(self._alone)] += blocks
        self._taken = np.zeros((len(structure.cliques), tables), dtype=bool)
        self._closed = np.zeros(tables, dtype=bool)

    def bar(self, block: int, fits: BoolArray, seated: IntArray) -> None:
        """Take the tables out of `fits` where this block must not sit now."""
        fits &= ~self._closed
        for number in self._cliques_of[block]:
            fits &= ~self._taken[number]
        if block in self._alone:
            fits &= seated == 0

    def seat(self, block: int, table: int) -> None:
        """Note that a block sits at a table."""
        for number in self._cliques_of[block]:
            self._taken[number, table] = True
        self._closed[table] |= block in self._alone
