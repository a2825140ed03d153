"""Rounds fill their tables evenly, so that nobody sits alone while others fill a table."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.solver import Problem, Rule, Table, Unsolvable
from app.solver.rounds.even_tables import fill_evenly
from app.solver.rounds.rounds_problem import RoundsProblem
from app.solver.rounds.solve_rounds import solve_rounds
from tests.solver.full_helpers import broken_rules, events, group_events


def free_tables(guests: int, *tables: tuple[int, int]) -> Problem:
    """Return guests without ratings at tables for so many to so many."""
    return Problem(np.zeros((guests, guests)), tuple(Table(most, least) for least, most in tables))


def sizes_of(problem: Problem, rounds: int = 3, hosts: tuple[int, ...] = ()) -> list[list[int]]:
    """Return how many sit at each table of each round."""
    result = solve_rounds(RoundsProblem((problem,) * rounds, hosts=hosts), restarts=4, time_limit=None)
    return [np.bincount(at, minlength=len(problem.tables)).tolist() for at in result.assignments]


def test_nobody_sits_alone_where_tables_have_spare_seats() -> None:
    assert all(sorted(sizes) == [6, 6, 7, 7, 7] for sizes in sizes_of(free_tables(33, *[(1, 8)] * 5)))


def test_spare_seats_are_spread_over_tables_of_all_sizes() -> None:
    assert sizes_of(free_tables(20, (1, 8), (1, 8), (1, 4), (1, 4)), rounds=1) == [[7, 7, 3, 3]]


def test_tables_that_may_stay_empty_do_so_and_the_others_are_even() -> None:
    tables = [(0, 10), (0, 6), (0, 10), (0, 6)]
    assert all(sorted(sizes) == [0, 0, 8, 9] for sizes in sizes_of(free_tables(17, *tables)))


def test_each_host_gets_a_table_that_could_have_stayed_empty() -> None:
    found = sizes_of(free_tables(16, *[(0, 8)] * 4), hosts=(0, 1, 2))
    assert all(sorted(sizes) == [0, 5, 5, 6] for sizes in found)


@pytest.mark.parametrize(
    ("tables", "places", "expected"),
    [
        ([(0, 8)] * 4, ((0, 1, 2, 3), (2, 3, 4, 5)), [[0, 0, 6, 6], [0, 0, 6, 6]]),
        ([(0, 9), (1, 12), (1, 12)], ((0, 1, 2), (0, 3, 4)), [[2, 5, 5], [2, 5, 5]]),  # the others would do
        ([(0, 12), (0, 4), (0, 12), (0, 4)], ((0, 1, 2, 3), (4, 3, 5, 1)), [[0, 0, 2, 10], [0, 0, 2, 10]]),
    ],
)
def test_tables_are_even_where_hosts_have_some_that_all_rounds_use(
    tables: list[tuple[int, int]], places: tuple[tuple[int, ...], ...], expected: list[list[int]]
) -> None:
    one = free_tables(12, *tables)
    asked = RoundsProblem((one,) * 2, hosts=(0,), places=places)
    result = solve_rounds(asked, restarts=4, time_limit=None)
    assert [sorted(np.bincount(at, minlength=len(tables)).tolist()) for at in result.assignments] == expected
    assert len({place[at] for place, at in zip(places, result.assignments[:, 0], strict=True)}) == 1


def test_households_may_need_tables_that_are_less_even() -> None:
    couples = tuple((guest, guest + 1) for guest in range(0, 18, 2))
    found = sizes_of(replace(free_tables(18, *[(1, 6)] * 4), parties=couples))
    assert all(sorted(sizes) == [4, 4, 4, 6] for sizes in found)


def test_rules_and_minimums_go_before_even_tables() -> None:
    alone = replace(free_tables(9, (1, 8), (1, 8)), rules=(Rule("pinned", tuple(range(8)), (0,)),))
    assert fill_evenly(alone, 0, 1) is alone
    assert sizes_of(alone) == [[8, 1]] * 3
    assert sizes_of(free_tables(12, (9, 12), (0, 12), (1, 3)), rounds=1) == [[10, 0, 2]]


def test_group_that_is_spread_counts_on_the_tables_as_they_are() -> None:
    spread = Rule("balance", (0, 1, 2), groups=((0, 1, 2), ()))
    problem = Problem(np.zeros((3, 3)), (Table(2),) * 3, rules=(spread,))
    assert fill_evenly(problem, 0, 0) is problem
    found = solve_rounds(RoundsProblem((problem,) * 2), restarts=2, time_limit=None, seed=0)
    assert [broken_rules(problem, assignment) for assignment in found.assignments] == [[], []]


def test_full_tables_stay_as_they_are() -> None:
    full = free_tables(12, (1, 6), (1, 6))
    assert fill_evenly(full, 0, 1) is full


@settings(max_examples=40)
@given(st.one_of(events(), group_events()), st.integers(0, 3), st.integers(0, 99))
def test_even_tables_are_within_their_sizes_and_keep_every_rule(problem: Problem, hosts: int, seed: int) -> None:
    try:
        even = fill_evenly(problem, hosts, seed)
        result = solve_rounds(RoundsProblem((problem,) * 2), restarts=1, time_limit=None, seed=seed)
    except Unsolvable:
        return
    for table, own in zip(even.tables, problem.tables, strict=True):
        assert own.least <= table.least <= table.most <= own.most
    assert even.rules[: len(problem.rules)] == problem.rules
    for assignment in result.assignments:
        assert not broken_rules(problem, assignment)


@pytest.mark.parametrize("guests", [3, 50])
def test_numbers_that_cannot_be_seated_are_refused_as_before(guests: int) -> None:
    with pytest.raises(Unsolvable):
        fill_evenly(free_tables(guests, (4, 8), (4, 8)), 0, 1)
