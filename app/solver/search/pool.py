"""Good plans that differ: parents for the search, the alternatives that are reported, and what they agree on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from app.solver.problem import FloatArray, IntArray
from app.solver.search.blocks import Blocks

SAME_SHARE = 0.05
"""Plans that differ in fewer blocks than this part count as one."""
MOST_MATCHED = 200
"""With more tables they are matched one after the other: the best matching of thousands takes seconds."""
GOOD_SHARE = 0.05
"""A plan is good if it misses at most this part of what the best plan gains over an average one."""
DIFFERENT_SHARE = 0.1
"""A plan is different if at least this part of the blocks sits with other company."""
MOST_PLANS, MOST_ENDS = 5, 8
MOST_GUESTS = 2000


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
    _, matched = scipy.optimize.linear_sum_assignment(-overlap)
    return np.flatnonzero(matched[one] != other)


def _are_near(one: IntArray, other: IntArray, tables: int, most: int) -> bool:
    """Return whether at most so many blocks sit with other company; most pairs of plans need no matching for that."""
    if tables <= MOST_MATCHED:
        common = np.bincount(one * tables + other, minlength=tables * tables).reshape(tables, tables)
        if len(one) - common.max(axis=1).sum() > most:
            return False
        if np.count_nonzero(_match_greedily(one, other, tables)[one] != other) <= most:
            return True
    return len(differing(one, other, tables)) <= most


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
        """Take a plan in if it is good or different enough; return whether it became the best."""
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
            if _are_near(member.at, newcomer.at, self._tables, near):
                return place
        return None


def average_value(blocks: Blocks, at: IntArray) -> float:
    """Return the mean of V over all ways to fill the same numbers of seats at random."""
    structure = blocks.structure
    sizes = structure.sizes
    count = int(sizes.sum())
    barriers = blocks.barrier * int(structure.mark_apart().sum()) / 2 if structure.is_anyone_apart else 0.0
    pairs = (blocks.weights.sum() / 2 + barriers + blocks.inner.sum()) / max(count * (count - 1) / 2, 1)
    seated = np.bincount(at, weights=sizes, minlength=blocks.table_count).astype(np.int64)
    return float(pairs * (blocks.factor[seated] * seated * (seated - 1) / 2).sum())


def nearly_as_good(members: list[Member], average: float) -> list[Member]:
    """Return the plans that are nearly as good as the first, which is the best; `average` is what any plan is worth."""
    if len(members) < 2:
        return members
    best = members[0]
    least = best.value - GOOD_SHARE * max(best.value - average, 0.0) - 1e-9
    return [member for member in members if member.value >= least]


def unlike(members: list[Member], tables: int) -> list[Member]:
    """Return up to five of the plans, the first ones first, no two of them alike."""
    chosen: list[Member] = []
    for member in members:
        apart = max(2, int(np.ceil(DIFFERENT_SHARE * len(member.at))))
        if all(len(differing(member.at, other.at, tables)) >= apart for other in chosen):
            chosen.append(member)
    return chosen[:MOST_PLANS]


def keep_end(ends: list[Member], newcomer: Member) -> None:
    """Keep the end of an anneal if it is one of the best, best first."""
    ends.append(newcomer)
    ends.sort(key=lambda member: (-member.value, member.restart))
    del ends[MOST_ENDS:]


def other_ends(ends: list[Member], average: float, tables: int) -> list[Member]:
    """Return the good ends that differ from the best one and from each other."""
    return unlike(nearly_as_good(ends, average), tables)[1:]


def good_plans(blocks: Blocks, members: list[Member]) -> list[Member]:
    """Return the plans that are nearly as good as the first, which is the best."""
    return nearly_as_good(members, average_value(blocks, members[0].at)) if members else members


def different_plans(blocks: Blocks, members: list[Member]) -> list[Member]:
    """Return up to five good plans, best first, no two of them alike."""
    return unlike(good_plans(blocks, members), blocks.table_count)


def pair_frequency(blocks: Blocks, members: list[Member]) -> FloatArray | None:
    """Return for every pair of guests in which part of the good plans they share a table; None where one is alone."""
    good = good_plans(blocks, members)
    guests = int(blocks.structure.sizes.sum())
    if len(good) < 2 or guests > MOST_GUESTS:
        return None
    frequency = np.zeros((guests, guests))
    for member in good:
        seated = blocks.structure.guests_at(member.at)
        frequency += seated[:, None] == seated[None, :]
    return frequency / len(good)
