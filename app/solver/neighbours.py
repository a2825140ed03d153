"""Side-by-side rules as rows of guests: who forms one row, and whether the rules allow a row at all."""

from __future__ import annotations

from itertools import permutations

from app.solver.blocks import Constraint
from app.solver.problem import Problem

Row = tuple[int, ...]
LARGEST_TRIED = 8


def rows_fit(problem: Problem, constraints: tuple[Constraint, ...]) -> bool:
    """Say whether every set of guests linked by side-by-side rules can sit in one row."""
    rules = [problem.rules[c.index].guests for c in constraints if c.source == "rule"]
    kinds = [problem.rules[c.index].kind for c in constraints if c.source == "rule"]
    wanted = [guests for guests, kind in zip(rules, kinds, strict=True) if kind == "side_by_side"]
    return make_rows(wanted) is not None


def make_rows(wanted: list[tuple[int, ...]]) -> list[Row] | None:
    """Return rows in which each wanted set sits without a stranger in between, or None if there are none."""
    rows: list[Row] = []
    for group in _linked(wanted):
        row = _order(group, [set(w) for w in wanted if set(w) <= set(group)])
        if row is None:
            return None
        rows.append(row)
    return rows


def _linked(wanted: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Join sets that share a guest."""
    groups: list[set[int]] = []
    for guests in wanted:
        joined = set(guests)
        apart = []
        for group in groups:
            if group & joined:
                joined |= group
            else:
                apart.append(group)
        groups = [*apart, joined]
    return [tuple(sorted(group)) for group in groups]


def _order(group: tuple[int, ...], wanted: list[set[int]]) -> Row | None:
    """Find an order of a linked group that keeps every wanted set in one piece."""
    pairs = [w for w in wanted if len(w) == 2]
    if len(pairs) == len(wanted):
        return _path(group, pairs)
    if len(group) > LARGEST_TRIED:
        return None
    return next((row for row in permutations(group) if all(is_one_piece(row, w) for w in wanted)), None)


def is_one_piece(row: Row, wanted: set[int]) -> bool:
    """Say whether the wanted guests sit in the row without a stranger in between."""
    places = [place for place, guest in enumerate(row) if guest in wanted]
    return places[-1] - places[0] == len(places) - 1


def _path(group: tuple[int, ...], pairs: list[set[int]]) -> Row | None:
    """Walk along pairs of neighbours; None if someone would need three, or they close a ring."""
    beside: dict[int, set[int]] = {guest: set() for guest in group}
    for one, other in (tuple(pair) for pair in pairs):
        beside[one].add(other)
        beside[other].add(one)
    ends = [guest for guest in group if len(beside[guest]) == 1]
    if len(ends) != 2 or any(len(others) > 2 for others in beside.values()):
        return None
    row = [ends[0]]
    while len(row) < len(group):
        row.extend(beside[row[-1]] - set(row[-2:]))
    return tuple(row)
