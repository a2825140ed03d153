"""Every way to put a few guests onto chairs, and what each breaks: rules checked without any of the solver's ideas."""

from __future__ import annotations

from itertools import permutations

from app.solver.feasibility.structure import Constraint, all_constraints
from app.solver.problem import Problem
from tests.solver.full_helpers import are_beside

Chair = tuple[int, int]
"""A table, and a chair there."""


class EverySeating:
    """All seatings of a small problem that keep the tables' limits, each by the set of constraints that it breaks."""

    def __init__(self, problem: Problem) -> None:
        self.problem, self.constraints = problem, all_constraints(problem)
        chairs = [(number, chair) for number, table in enumerate(problem.tables) for chair in range(table.most)]
        self.broken = {
            frozenset(c for c in self.constraints if not self._is_kept(c, places))
            for places in permutations(chairs, problem.guest_count)
            if self._is_full_enough(places)
        }

    def can_hold(self, constraints: tuple[Constraint, ...]) -> bool:
        """Say whether one of the seatings keeps all of these."""
        return any(broken.isdisjoint(constraints) for broken in self.broken)

    def _is_full_enough(self, places: tuple[Chair, ...]) -> bool:
        seated = [table for table, _ in places]
        return all(seated.count(number) >= table.least for number, table in enumerate(self.problem.tables))

    def _is_kept(self, constraint: Constraint, places: tuple[Chair, ...]) -> bool:
        if constraint.source == "party":
            return len({places[guest][0] for guest in self.problem.parties[constraint.index]}) == 1
        if constraint.source == "locked":
            guest, table = self.problem.locked[constraint.index]
            return places[guest][0] == table
        rule = self.problem.rules[constraint.index]
        tables = [places[guest][0] for guest in rule.guests]
        match rule.kind:
            case "apart":
                return len(set(tables)) == len(tables)
            case "pinned":
                return set(tables) <= set(rule.tables)
        if len(set(tables)) > 1 or rule.kind == "together":
            return len(set(tables)) == 1
        taken = sorted(chair for table, chair in places if table == tables[0])
        one, other = (places[guest][1] for guest in rule.guests)
        return are_beside(self.problem.tables[tables[0]], taken, one, other)
