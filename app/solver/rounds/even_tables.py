"""Fill the tables of a round evenly: who sits alone at a table meets nobody, however many the others meet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from app.solver.errors import Unsolvable
from app.solver.feasibility.packing import draw_seating
from app.solver.feasibility.structure import all_constraints, build_structure
from app.solver.feasibility.table_sizes import check_seats, size_limits
from app.solver.problem import Problem, Rule, Table

SLACK = (0, 1, 2)
"""How much smaller or larger than even a table may be, tried in this order: households and rules may need it."""
DRAWS = 20
"""Seatings that are drawn before sizes count as impossible."""


def fill_evenly(
    problem: Problem, hosts: int, seed: int, apart: Rule | None = None, for_hosts: Sequence[int] = ()
) -> Problem:
    """Return the round with its tables filled as evenly as rules allow, or as it is where they do not.

    As few as possible of the tables that may stay empty are used, and no fewer tables than there are hosts. A rule that
    spreads a group over the tables counts on the sizes that the planner gave, so these stay. `apart` keeps hosts apart:
    sizes that leave no room for that are no good. `for_hosts` are the tables that hosts can keep in all rounds, in the
    order in which they are used.
    """
    check_seats(problem)
    if problem.seat_count == problem.guest_count or any(rule.kind == "balance" for rule in problem.rules):
        return problem
    rules = () if apart is None else (apart,)
    return next((one for one in _even_rounds(problem, hosts, for_hosts) if _can_be_seated(one, rules, seed)), problem)


def _even_rounds(problem: Problem, hosts: int, for_hosts: Sequence[int]) -> Iterator[Problem]:
    """Yield the round with even tables, those with the fewest tables and the least slack first."""
    everything = tuple(range(len(problem.tables)))
    for used in dict.fromkeys((_fewest(problem, hosts, for_hosts), everything)):
        closed = set(everything).difference(used)
        low, high = size_limits(problem.guest_count, [problem.tables[table] for table in used])
        for slack in SLACK:
            tables = list(problem.tables)
            for table, fewest, most in zip(used, low.tolist(), high.tolist(), strict=True):
                tables[table] = _resize(tables[table], fewest - slack, most + slack)
            yield replace(problem, tables=tuple(tables), rules=(*problem.rules, *_stay_empty(problem, used, closed)))


def _fewest(problem: Problem, hosts: int, for_hosts: Sequence[int]) -> tuple[int, ...]:
    """Return the tables that have to be used, those that hosts keep, and of the others the largest that are needed."""
    tables = problem.tables
    used = [place for place, table in enumerate(tables) if table.least]
    kept = [place for place in for_hosts if place not in used]
    used += kept[: max(hosts - len(for_hosts) + len(kept), 0)]
    seats = sum(tables[place].most for place in used)
    for place in sorted(set(range(len(tables))).difference(used), key=lambda place: -tables[place].most):
        if seats >= problem.guest_count and len(used) >= hosts:
            break
        used.append(place)
        seats += tables[place].most
    return tuple(sorted(used))


def _resize(table: Table, fewest: int, most: int) -> Table:
    """Return the table for numbers within its own."""
    return replace(table, least=max(table.least, fewest, 1), most=min(table.most, most))


def _stay_empty(problem: Problem, used: Sequence[int], closed: set[int]) -> tuple[Rule, ...]:
    everyone = tuple(range(problem.guest_count))
    return (Rule("pinned", everyone, tuple(used), "tables that may stay empty do so"),) if closed else ()


def _can_be_seated(problem: Problem, more_rules: tuple[Rule, ...], seed: int) -> bool:
    """Say whether a few draws seat everybody by the rules: by chance alone, so that the same seed says the same."""
    problem = replace(problem, rules=(*problem.rules, *more_rules))
    try:
        check_seats(problem)
        structure = build_structure(problem, all_constraints(problem))
    except Unsolvable:
        return False
    rng = np.random.default_rng(seed)
    return structure.is_free or any(draw_seating(problem, structure, rng) is not None for _ in range(DRAWS))
