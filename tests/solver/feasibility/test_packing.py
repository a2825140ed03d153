"""The size of a check is known before anything is built, and grows with the guests of a rule, not with their pairs."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from app.solver.errors import Contradiction, NoSeatingFound
from app.solver.feasibility.check import check_feasibility
from app.solver.feasibility.contradictions import is_satisfiable
from app.solver.feasibility.integer_program import IntegerProgram, Undecided
from app.solver.feasibility.packing import CheckLimits
from app.solver.feasibility.structure import all_constraints, build_structure
from app.solver.problem import Problem, Rule, Table

NO_PROGRAMME = CheckLimits(entries=0)


def problem_of(guests: int, tables: int, *rules: Rule, seats: int = 10) -> Problem:
    return Problem(np.broadcast_to(0.0, (guests, guests)), (Table(seats),) * tables, rules=rules)


def programme_of(problem: Problem) -> IntegerProgram:
    return IntegerProgram(problem, build_structure(problem, all_constraints(problem)))


def test_more_guests_apart_than_tables_are_counted_and_not_paired() -> None:
    problem = problem_of(900, 91, Rule("apart", tuple(range(900))))
    assert is_satisfiable(problem, all_constraints(problem), NO_PROGRAMME) is False
    with pytest.raises(Contradiction) as raised:
        check_feasibility(problem, limits=NO_PROGRAMME)
    assert raised.value.rules == (0,)
    assert "guest 12 and 888 others sit apart" in raised.value.message


def test_guests_apart_who_share_too_few_tables_are_counted() -> None:
    rules = [Rule("pinned", (guest,), (0, 1)) for guest in range(3)]
    problem = problem_of(9, 5, Rule("apart", (0, 1, 2, 3)), *rules)
    assert is_satisfiable(problem, all_constraints(problem), NO_PROGRAMME) is False


def test_rule_takes_an_entry_for_each_guest_and_table() -> None:
    small, large = (programme_of(problem_of(900, 91, Rule("apart", tuple(range(size))))) for size in (45, 90))
    assert large.entries < 2.1 * small.entries
    assert large.entries == 91 * (2 * 91 + 90)


def test_programme_past_its_limit_is_not_solved() -> None:
    everyone_apart = [Rule("apart", pair) for pair in combinations(range(8), 2)]
    problem = problem_of(20, 7, *everyone_apart)
    constraints = all_constraints(problem)
    assert is_satisfiable(problem, constraints) is False
    entries = programme_of(problem).entries
    assert is_satisfiable(problem, constraints, CheckLimits(entries=entries - 1)) is None
    with pytest.raises(NoSeatingFound):
        check_feasibility(problem, limits=CheckLimits(entries=entries - 1))


def test_programme_that_would_fill_the_memory_is_refused() -> None:
    problem = problem_of(1500, 1400, Rule("apart", tuple(range(1400))))
    with pytest.raises(Undecided):
        programme_of(problem).solve(60.0)


def test_large_rule_that_can_hold_is_seated() -> None:
    problem = problem_of(900, 91, Rule("apart", tuple(range(91))), Rule("together", (91, 92, 93)))
    feasible = check_feasibility(problem, limits=NO_PROGRAMME)
    at = feasible.structure.guests_at(feasible.at)
    assert len(set(at[:91].tolist())) == 91
    assert len(set(at[91:94].tolist())) == 1
