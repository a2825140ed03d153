"""Good plans that differ: parents for the search, and the alternatives that are reported."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment

from app.solver.problem import IntArray

SAME_SHARE = 0.05
"""Plans that differ in fewer blocks than this part count as one."""
MOST_MATCHED = 200
"""With more tables they are matched one after the other: the best matching of thousands takes seconds."""


@dataclass(frozen=True)
class Member:
    """One plan: its worth V, tables by block, and the restart that found it."""

    value: float
    at: IntArray
    restart: int


def differing(one: IntArray, other: IntArray, tables: int) -> IntArray:
    """Return the blocks that sit with other company in the two plans, tables matched by their common blocks."""
    if tables > MOST_MATCHED:
        return np.flatnonzero(_match_greedily(one, other, tables)[one] != other)
    overlap = np.zeros((tables, tables), dtype=np.int64)
    np.add.at(overlap, (one, other), 1)
    _, matched = linear_sum_assignment(-overlap)
    return np.flatnonzero(matched[one] != other)


def _match_greedily(one: IntArray, other: IntArray, tables: int) -> IntArray:
    """Return for each table of one plan that of the other with the most common blocks, the largest overlap first."""
    pairs, common = np.unique(one * tables + other, return_counts=True)
    matched, taken = np.full(tables, -1, dtype=np.int64), np.zeros(tables, dtype=bool)
    for pair in pairs[np.argsort(-common, kind="stable")].tolist():
        own, theirs = divmod(pair, tables)
        if matched[own] < 0 and not taken[theirs]:
            matched[own], taken[theirs] = theirs, True
    return matched


class Pool:
    """At most `size` plans, best first; a newcomer replaces its near twin or the worst."""

    def __init__(self, size: int, tables: int) -> None:
        self.size, self._tables = size, tables
        self.members: list[Member] = []

    @property
    def best(self) -> Member | None:
        """The best plan, the earliest of equals."""
        return self.members[0] if self.members else None

    def add(self, newcomer: Member) -> bool:
        """Take a plan in if it is good or different enough; say whether it became the best."""
        was_best = self.best
        twin = self._twin(newcomer)
        if twin is not None:
            if newcomer.value > self.members[twin].value:
                self.members[twin] = newcomer
        elif len(self.members) < self.size:
            self.members.append(newcomer)
        elif newcomer.value > self.members[-1].value:
            self.members[-1] = newcomer
        self.members.sort(key=lambda member: (-member.value, member.restart))
        return self.best is newcomer and newcomer is not was_best

    def _twin(self, newcomer: Member) -> int | None:
        near = max(1, int(SAME_SHARE * len(newcomer.at)))
        for place, member in enumerate(self.members):
            if len(differing(member.at, newcomer.at, self._tables)) <= near:
                return place
        return None
