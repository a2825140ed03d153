"""How many guests of a label each table may have: what rules about whole groups say as numbers.

A label is a set of guests. Rules that count guests become a lowest and a highest number for each label and table; rules
that keep groups apart become pairs of sets of blocks that share no table. Everything that seats anyone works on these
two and knows nothing of rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from app.solver.feasibility.table_sizes import size_limits
from app.solver.problem import BoolArray, IntArray, Problem, Rule, Table

Split = tuple[tuple[int, ...], tuple[int, ...]]
"""Two sets of blocks, no one of the first at a table with one of the second."""


@dataclass(frozen=True)
class CountLimits:
    """least[l, t] ≤ Σ_{b at t} own[l, b] ≤ most[l, t] at each table t where anyone sits.

    `own[l, b]` is how many guests of block b have label l. `filled[t]` is how many guests a table has at least because
    a rule names it: that one must not stay empty.
    """

    own: IntArray
    least: IntArray
    most: IntArray
    filled: IntArray

    def __len__(self) -> int:
        return len(self.own)

    @cached_property
    def scarce(self) -> IntArray:
        """The labels of which some table needs guests, those that the fewest guests have first."""
        needed = np.flatnonzero((self.least > 0).any(axis=1))
        return needed[np.argsort(self.own[needed].sum(axis=1), kind="stable")]

    @property
    def by_table(self) -> IntArray:
        """For each label its row of `least`, then its row of `most`."""
        return np.stack([self.least, self.most], axis=1).reshape(2 * len(self), self.least.shape[1])

    def hold(self, at: IntArray) -> bool:
        """Return whether a plan, tables by block, keeps them: the readable reference of what the kernels check."""
        tables = self.least.shape[1]
        used = (np.bincount(at, minlength=tables) > 0) | (self.filled > 0)
        for own, least, most in zip(self.own, self.least, self.most, strict=True):
            here = np.bincount(at, weights=own, minlength=tables)
            if (used & ((here < least) | (here > most))).any():
                return False
        return True

    def allow(self) -> BoolArray:
        """Say which blocks may sit at which tables as far as their own guests are not too many."""
        blocks, tables = self.own.shape[1], self.least.shape[1]
        allowed = np.ones((blocks, tables), dtype=bool)
        for own, most in zip(self.own, self.most, strict=True):
            allowed &= own[:, None] <= most
        return allowed

    def can_add_up(self, in_use: BoolArray) -> bool:
        """Return whether there are enough guests of each label, and not too many; tables `in_use` are never empty."""
        total = self.own.sum(axis=1)
        needed = np.where(in_use, self.least, 0).sum(axis=1)
        return bool((needed <= total).all() and (total <= self.most.sum(axis=1)).all())


def build_count_limits(problem: Problem, rules: Sequence[Rule], block_of: IntArray) -> CountLimits:
    """Return the limits that the rules set, an entry for each label."""
    entries = list(_entries(problem, rules))
    blocks, tables = int(block_of.max(initial=-1)) + 1, len(problem.tables)
    own = [np.bincount(block_of[list(guests)], minlength=blocks) for guests, _, _ in entries]
    return CountLimits(
        np.array(own, dtype=np.int64).reshape(-1, blocks),
        np.array([least for _, least, _ in entries], dtype=np.int64).reshape(-1, tables),
        np.array([most for _, _, most in entries], dtype=np.int64).reshape(-1, tables),
        _filled(rules, tables),
    )


def fewest_guests(tables: Sequence[Table], limits: CountLimits) -> IntArray:
    """Return how many guests each table has at least, by itself and by the rules that name it."""
    return np.maximum(np.array([table.least for table in tables], dtype=np.int64), limits.filled)


def _filled(rules: Sequence[Rule], tables: int) -> IntArray:
    """Return how many guests each table has at least because a rule that counts guests names it."""
    filled = np.zeros(tables, dtype=np.int64)
    for rule in rules:
        if rule.kind == "count":
            named = list(rule.tables)
            filled[named] = np.maximum(filled[named], rule.least)
    return filled


def _entries(problem: Problem, rules: Sequence[Rule]) -> Iterator[tuple[tuple[int, ...], IntArray, IntArray]]:
    """Yield the guests of each label, the fewest and the most of them at each table."""
    tables = len(problem.tables)
    for rule in rules:
        if rule.kind == "count":
            chosen = np.isin(np.arange(tables), rule.tables or range(tables))
            highest = problem.guest_count if rule.most is None else rule.most
            yield rule.guests, np.where(chosen, rule.least, 0), np.where(chosen, highest, problem.guest_count)
        elif rule.kind == "balance":
            for group in rule.groups:
                yield group, *_shares_of(problem, len(group), rule.slack)


def _shares_of(problem: Problem, group: int, slack: int) -> tuple[IntArray, IntArray]:
    """Return the limits of a group at each table; at tables where nobody may sit there are none."""
    least = np.zeros(len(problem.tables), dtype=np.int64)
    most = np.full(len(problem.tables), problem.guest_count)
    in_use = tables_in_use(problem)
    shares = table_shares(problem.guest_count, [problem.tables[table] for table in in_use])
    if shares is not None:
        least[in_use], most[in_use] = shares.limits(group, slack)
    return least, most


def tables_in_use(problem: Problem) -> list[int]:
    """Return the tables but for those that a rule keeps everybody away from."""
    found = set(range(len(problem.tables)))
    for rule in problem.rules:
        if rule.kind == "pinned" and len(rule.guests) == problem.guest_count:
            found &= set(rule.tables)
    return sorted(found)


@dataclass(frozen=True)
class TableShares:
    """How many guests each table has at least and at most if all are spread by the tables' seats."""

    everyone: int
    fewest: IntArray
    most: IntArray

    def limits(self, group: int, slack: int) -> tuple[IntArray, IntArray]:
        """Return how many guests of a group of this size each table has at least and at most.

        That is group · size / everyone, rounded down and up. Rounding all shares of all groups at once so that guests
        and sizes add up is always possible (Bacharach, *Matrix rounding problems*, 1966).
        """
        low, high = group * self.fewest // self.everyone, -(-group * self.most // self.everyone)
        return np.maximum(low - slack, 0), high + slack


def table_shares(guests: int, tables: Sequence[Table]) -> TableShares | None:
    """Return the shares of tables where anyone may sit; None where guests and seats do not add up, so nobody knows.

    Searches and moves by hand both ask here. Tables alike have the same share.
    """
    if not guests or not sum(table.least for table in tables) <= guests <= sum(table.most for table in tables):
        return None
    return TableShares(guests, *size_limits(guests, tables))


def build_splits(rules: Sequence[Rule], block_of: IntArray) -> tuple[Split, ...]:
    """Return the pairs of sets of blocks that share no table; a block in both sets tears the rule."""
    splits = set()
    for rule in rules:
        if rule.kind == "groups_apart":
            sides = [tuple(np.unique(block_of[list(group)]).tolist()) for group in rule.groups]
            splits |= {(one, other) for one, other in combinations(sides, 2) if one and other}
    return tuple(sorted(splits))


def splits_hold(splits: Sequence[Split], at: IntArray, tables: int) -> bool:
    """Return whether no table of a plan has blocks of both sides of a split."""
    for one, other in splits:
        there = np.zeros(tables, dtype=bool)
        there[at[list(one)]] = True
        if there[at[list(other)]].any():
            return False
    return True
