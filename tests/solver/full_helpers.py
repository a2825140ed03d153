"""Small random events for the tests of the full method, and a plain check of a plan."""

from __future__ import annotations

from math import ceil, floor

import numpy as np
from hypothesis import strategies as st

from app.solver.deadline import Deadline
from app.solver.feasibility.check import check_feasibility
from app.solver.feasibility.table_sizes import table_sizes
from app.solver.full import solve_full
from app.solver.order.chairs import take_chairs
from app.solver.problem import IntArray, Objective, Problem, Rule, Table
from app.solver.result import Alternative, Result
from app.solver.search.blocks import Blocks, build_blocks


def solve_quickly(problem: Problem, *, restarts: int = 4, seed: int = 1, threads: int | None = None) -> Result:
    """Solve without a time limit, so that the answer depends on nothing but the arguments."""
    return solve_full(problem, restarts=restarts, seed=seed, deadline=Deadline(), threads=threads)


def blocks_of(problem: Problem) -> tuple[Blocks, IntArray]:
    """Return a problem's blocks and a first seating of them."""
    feasible = check_feasibility(problem)
    return build_blocks(problem, feasible.structure), feasible.at


def broken_rules(problem: Problem, assignment: IntArray) -> list[str]:
    """List what a plan breaks, worked out guest by guest from the problem alone."""
    broken = []
    for number, table in enumerate(problem.tables):
        seated = int((assignment == number).sum())
        if not table.least <= seated <= table.most:
            broken.append(f"table {number} has {seated}")
    together = [*problem.parties, *(r.guests for r in problem.rules if r.kind in ("together", "side_by_side"))]
    broken += [f"{g} not together" for g in together if len({int(assignment[i]) for i in g}) > 1]
    for rule in problem.rules:
        tables = [int(assignment[i]) for i in rule.guests]
        if rule.kind == "apart" and len(set(tables)) < len(tables):
            broken.append(f"{rule.guests} not apart")
        if rule.kind == "pinned" and not set(tables) <= set(rule.tables):
            broken.append(f"{rule.guests} not at {rule.tables}")
        broken += [
            f"{rule.kind} at table {t}"
            for t in range(len(problem.tables))
            if _is_broken_at(problem, rule, assignment, t)
        ]
    broken += [f"{guest} moved" for guest, table in problem.locked if assignment[guest] != table]
    return broken


def _is_broken_at(problem: Problem, rule: Rule, assignment: IntArray, table: int) -> bool:
    """Say whether a table breaks a rule about groups, counted guest by guest."""
    here = [guest for guest in range(problem.guest_count) if assignment[guest] == table]
    counts = [len(set(group).intersection(here)) for group in rule.groups]
    if not here:
        return rule.kind == "count" and table in rule.tables and rule.least > 0
    match rule.kind:
        case "count":
            most = problem.guest_count if rule.most is None else rule.most
            return (
                table in (rule.tables or (table,))
                and not rule.least <= len(set(rule.guests).intersection(here)) <= most
            )
        case "groups_apart":
            return sum(count > 0 for count in counts) > 1
        case "balance":
            alike = [place for place, one in enumerate(problem.tables) if one.most == problem.tables[table].most]
            sizes = [int(table_sizes(problem)[place]) for place in alike]
            shares = [
                (len(g) * min(sizes) / problem.guest_count, len(g) * max(sizes) / problem.guest_count)
                for g in rule.groups
            ]
            limits = [(floor(low) - rule.slack, ceil(high) + rule.slack) for low, high in shares]
            return any(not low <= count <= high for count, (low, high) in zip(counts, limits, strict=True))
    return False


def are_neighbours(problem: Problem, result: Result | Alternative, one: int, other: int) -> bool:
    """Say whether two guests sit next to each other on the chairs that they take."""
    chairs = take_chairs(problem, result.assignment, result.seats)
    table = int(result.assignment[one])
    taken = sorted(int(chair) for chair in chairs[result.assignment == table])
    return are_beside(problem.tables[table], taken, int(chairs[one]), int(chairs[other]))


def are_beside(table: Table, taken: list[int], one: int, other: int) -> bool:
    """Say whether nobody sits between two chairs: around a round table, along one side of a long one.

    At a table for two nobody else can sit beside either.
    """
    gap = abs(taken.index(one) - taken.index(other))
    if table.shape == "round" or table.most == 2:
        return gap in (1, len(taken) - 1)
    if table.shape == "line":
        return gap == 1
    side = (table.most + 1) // 2
    return gap == 1 and (one < side) == (other < side)


@st.composite
def events(draw: st.DrawFn, most_guests: int = 12, with_rules: bool = True) -> Problem:
    """Draw an event with tables that have spare seats, parties, and rules that may or may not agree."""
    guests = draw(st.integers(3, most_guests))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    whole = draw(st.booleans())
    matrix = rng.integers(-2, 3, (guests, guests)).astype(float) if whole else rng.normal(size=(guests, guests))
    tables: list[Table] = []
    while sum(table.most for table in tables) < guests:
        most = draw(st.integers(2, 6))
        tables.append(Table(most, draw(st.integers(0, 1)), shape=draw(st.sampled_from(["round", "long", "line"]))))
    objective: Objective = draw(st.sampled_from(["average", "total"]))
    if not with_rules:
        return Problem(matrix, tuple(tables), objective=objective)
    order = [int(i) for i in rng.permutation(guests)]
    parties = ((order[0], order[1]),) if draw(st.booleans()) else ()
    rules = []
    if draw(st.booleans()):
        rules.append(Rule("apart", (order[0], order[2])))
    if draw(st.booleans()):
        rules.append(Rule("pinned", (order[2],), (draw(st.integers(0, len(tables) - 1)),)))
    beside = [(a, b) for a, b in ((3, 4), (5, 6), (4, 5), (7, 8), (6, 7)) if b < guests]
    rules += [Rule("side_by_side", (order[a], order[b])) for a, b in beside[: draw(st.integers(0, 4))]]
    fairness = draw(st.sampled_from([0.0, 0.0, 1.0]))
    return Problem(matrix, tuple(tables), parties=parties, rules=tuple(rules), objective=objective, fairness=fairness)


@st.composite
def group_events(draw: st.DrawFn, most_guests: int = 7, most_rules: int = 3) -> Problem:
    """Draw an event with rules about groups, which may or may not agree with each other, a party and a lock."""
    guests = draw(st.integers(3, most_guests))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    tables: list[Table] = []
    while len(tables) < 2 or sum(table.most for table in tables) < guests + 1:
        most = draw(st.integers(2, 4))
        tables.append(Table(most, draw(st.integers(0, 1)), shape=draw(st.sampled_from(["round", "long"]))))
    order = [int(i) for i in rng.permutation(guests)]
    return Problem(
        rng.integers(-2, 3, (guests, guests)).astype(float),
        tuple(tables),
        parties=((order[0], order[1]),) if draw(st.booleans()) else (),
        rules=tuple(draw(_group_rules(guests, len(tables))) for _ in range(draw(st.integers(1, most_rules)))),
        locked=((order[2], 0),) if draw(st.booleans()) else (),
        objective=draw(st.sampled_from(["average", "total"])),
    )


@st.composite
def _group_rules(draw: st.DrawFn, guests: int, tables: int) -> Rule:
    side = draw(st.lists(st.integers(0, 2), min_size=guests, max_size=guests))
    groups = tuple(tuple(guest for guest in range(guests) if side[guest] == value) for value in range(2))
    everyone = tuple(sorted((*groups[0], *groups[1])))
    match draw(st.sampled_from(["at most", "at least", "groups_apart", "balance", "side_by_side"])):
        case "at most":
            return Rule("count", groups[0], most=draw(st.integers(1, 2)))
        case "at least":
            at = (draw(st.integers(0, tables - 1)),) if draw(st.booleans()) else ()
            return Rule("count", groups[0], at, least=draw(st.integers(1, 2)))
        case "groups_apart":
            return Rule("groups_apart", everyone, groups=groups)
        case "balance":
            return Rule("balance", everyone, groups=groups, slack=draw(st.integers(0, 1)))
    return Rule("side_by_side", (0, 1))
