"""Groups while a seating is drawn: which tables are closed to a block, and which suit it best."""

from __future__ import annotations

import numpy as np

from app.solver.feasibility.structure import Structure
from app.solver.problem import BoolArray, IntArray


class Groups:
    """The labels and the sides of splits at each table so far; all of it does nothing where there are no such rules."""

    def __init__(self, structure: Structure) -> None:
        blocks, tables = structure.allowed.shape
        self._limits, self._is_idle = structure.limits, not (len(structure.limits) or structure.splits)
        self._counts = np.zeros((len(self._limits), tables), dtype=np.int64)
        self._sides: list[list[tuple[int, int]]] = [[] for _ in range(blocks)]
        for number, split in enumerate(structure.splits):
            for side, members in enumerate(split):
                for block in members:
                    self._sides[block].append((number, side))
        self._there = np.zeros((len(structure.splits), 2, tables), dtype=bool)

    @property
    def keys(self) -> list[IntArray]:
        """What to sort blocks by: those with the scarcest labels come first, then those of groups that stay apart."""
        if self._is_idle:
            return []
        apart = -np.array([len(sides) for sides in self._sides], dtype=np.int64)
        return [apart, *reversed(self._limits.own[self._limits.scarce] == 0)]

    def bar(self, block: int, fits: BoolArray) -> None:
        """Take the tables out of `fits` where this block must not sit now."""
        for number, side in self._sides[block]:
            fits &= ~self._there[number, 1 - side]
        if len(self._limits):
            own = self._limits.own[:, block]
            fits &= ((self._counts + own[:, None] <= self._limits.most) | (own[:, None] == 0)).all(axis=0)

    def prefer(self, block: int, fits: BoolArray) -> BoolArray:
        """Return those of the tables that suit a block best.

        A block goes where the scarcest of its labels lacks; one without such a label where nothing lacks. One of a
        group that stays apart goes to its own, so that the others find tables.
        """
        if self._is_idle or not fits.any():
            return fits
        limits = self._limits
        if len(limits.scarce):
            lacks = self._counts < limits.least
            helps = [lacks[label] for label in limits.scarce if limits.own[label, block] > 0]
            fits = _those_of(fits, *helps, np.all(~lacks, axis=0))
        for number, side in self._sides[block]:
            fits = _those_of(fits, self._there[number, side])
        return fits

    def seat(self, block: int, table: int) -> None:
        """Note that a block sits at a table."""
        for number, side in self._sides[block]:
            self._there[number, side, table] = True
        if len(self._limits):
            self._counts[:, table] += self._limits.own[:, block]

    def are_kept(self, at: IntArray) -> bool:
        """Return whether each table where anyone sits has enough of each label."""
        return self._limits.hold(at)


def _those_of(fits: BoolArray, *better: BoolArray) -> BoolArray:
    """Return the tables that are also among the first of these that has any; all if none has."""
    return next((fits & one for one in better if (fits & one).any()), fits)
