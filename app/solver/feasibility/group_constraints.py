"""Rules about whole groups as rows of the integer programme, with flags for tables.

A table needs guests of a label only where anyone sits: for a table that may be empty a flag says whether it is `open`.
For each split and table a flag says whether it is a table of the first side.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from app.solver.feasibility.counts import fewest_guests
from app.solver.feasibility.structure import Structure
from app.solver.problem import FloatArray, IntArray, Table


class Inequalities(NamedTuple):
    """least ≤ Σ value · variable ≤ most; the first three are the entries of the matrix."""

    rows: IntArray
    variables: IntArray
    values: FloatArray
    least: FloatArray
    most: FloatArray


def group_kinds(structure: Structure) -> list[object]:
    """Return for each block what rules about groups see of it: blocks alike count as one column."""
    sides: list[list[int]] = [[] for _ in structure.members]
    for number, split in enumerate(structure.splits):
        for place, side in enumerate(split):
            for block in side:
                sides[block].append(2 * number + place)
    return [(labels.tobytes(), *own) for labels, own in zip(structure.limits.own.T, sides, strict=True)]


class GroupConstraints:
    """The rows about groups of a programme whose columns are blocks alike, x[column, table] being its first variables.

    `first` is the place of the first flag.
    """

    def __init__(
        self, tables: Sequence[Table], structure: Structure, columns: Sequence[Sequence[int]], first: int
    ) -> None:
        self._tables, self._structure, self._columns, self._first = tables, structure, columns, first
        self._here = np.arange(len(tables))

    @property
    def flags(self) -> int:
        """How many flags there are: those of open tables come first."""
        return len(self._optional) + len(self._structure.splits) * len(self._tables)

    @property
    def entries(self) -> int:
        """How many numbers the rows have."""
        labels = int((self._labels > 0).sum()) * 2
        return (labels + sum(map(len, self._sides))) * len(self._tables) + len(self._columns) * len(self._optional)

    def rows(self) -> Iterator[Inequalities]:
        """Yield the rows."""
        if len(self._structure.limits):
            yield self._at_most()
            yield self._at_least()
        if self._optional:
            yield self._nobody_at_closed_tables()
        for place, columns in enumerate(self._sides):
            yield self._only_one_side(place, columns)

    @cached_property
    def _labels(self) -> IntArray:
        """How many guests of each label a block of each column has."""
        return self._structure.limits.own[:, [blocks[0] for blocks in self._columns]]

    @cached_property
    def _optional(self) -> list[int]:
        """The tables that may be empty, but need guests of some label where they are not."""
        limits = self._structure.limits
        never_empty = fewest_guests(self._tables, limits) > 0
        return np.flatnonzero(limits.least.any(axis=0) & ~never_empty).tolist()

    @cached_property
    def _sides(self) -> list[tuple[int, ...]]:
        """The columns of the first side of the first split, of its second side, of the first of the next, and so on."""
        column_of = {block: column for column, blocks in enumerate(self._columns) for block in blocks}
        sides = (side for split in self._structure.splits for side in split)
        return [tuple(sorted({column_of[block] for block in side})) for side in sides]

    def _seats(self, columns: IntArray) -> IntArray:
        """Return the variables of these columns at all tables."""
        return np.asarray((columns[:, None] * len(self._tables) + self._here).ravel())

    def _counts(self) -> tuple[IntArray, IntArray, FloatArray]:
        """Return the entries of Σ own · x, a row for each label and table."""
        label, column = np.nonzero(self._labels)
        rows = (label[:, None] * len(self._tables) + self._here).ravel()
        return rows, self._seats(column), np.repeat(self._labels[label, column], len(self._tables)).astype(float)

    def _at_most(self) -> Inequalities:
        most = self._structure.limits.most.ravel().astype(float)
        return Inequalities(*self._counts(), np.full(len(most), -np.inf), most)

    def _at_least(self) -> Inequalities:
        """Σ own · x ≥ least, or ≥ least · open where the table may be empty."""
        least, tables = self._structure.limits.least, len(self._tables)
        label, flag = np.nonzero(least[:, self._optional])
        table = np.array(self._optional, dtype=np.int64)[flag]
        rows, variables, values = self._counts()
        always = least.astype(float)
        always[:, self._optional] = 0.0
        return Inequalities(
            np.concatenate([rows, label * tables + table]),
            np.concatenate([variables, self._first + flag]),
            np.concatenate([values, -least[label, table].astype(float)]),
            always.ravel(),
            np.full(always.size, np.inf),
        )

    def _nobody_at_closed_tables(self) -> Inequalities:
        """Σ size · x ≤ seats · open."""
        optional, columns = np.array(self._optional), np.arange(len(self._columns))
        sizes = np.array([self._structure.sizes[blocks[0]] for blocks in self._columns], dtype=float)
        each, count = np.arange(len(optional)), len(optional)
        return Inequalities(
            np.concatenate([np.repeat(each, len(columns)), each]),
            np.concatenate([(columns * len(self._tables) + optional[:, None]).ravel(), self._first + each]),
            np.concatenate([np.tile(sizes, count), [-float(self._tables[t].most) for t in self._optional]]),
            np.full(count, -np.inf),
            np.zeros(count),
        )

    def _only_one_side(self, place: int, columns: tuple[int, ...]) -> Inequalities:
        """Σ_{first side} x ≤ seats · flag, or Σ_{second side} x ≤ seats · (1 − flag)."""
        split, is_second = divmod(place, 2)
        most = np.array([float(table.most) for table in self._tables])
        flags = self._first + len(self._optional) + split * len(self._tables) + self._here
        return Inequalities(
            np.concatenate([np.tile(self._here, len(columns)), self._here]),
            np.concatenate([self._seats(np.array(columns)), flags]),
            np.concatenate([np.ones(len(columns) * len(self._tables)), most if is_second else -most]),
            np.full(len(self._tables), -np.inf),
            most if is_second else np.zeros(len(self._tables)),
        )
