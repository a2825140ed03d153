"""Rounds that are written down: arithmetic holds, and nobody meets twice."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.solver import Problem, RoundsProblem, Rule, Table, solve_rounds
from app.solver.result import never_stop
from app.solver.rounds.designed_start import design_rounds
from app.solver.rounds.finite_fields import build_ring, elements_apart, unit_differences
from app.solver.rounds.meetings import count_meetings
from app.solver.rounds.rotated_rounds import rotate_rounds


def tables_of(count: int, most: int, least: int, guests: int) -> Problem:
    return Problem(np.zeros((guests, guests)), tuple(Table(most, least) for _ in range(count)))


@pytest.mark.parametrize("size", [2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 20, 25, 27])
def test_ring_has_its_laws_and_elements_whose_differences_divide(size: int) -> None:
    sums, products = build_ring(size)
    everyone = np.arange(size)
    assert (sums == sums.T).all()
    assert (products == products.T).all()
    assert (np.sort(sums, axis=1) == everyone).all()
    assert (sums[0] == everyone).all()
    a, b, c = np.ix_(everyone, everyone, everyone)
    assert (products[a, sums[b, c]] == sums[products[a, b], products[a, c]]).all()
    minus = np.argmin(sums, axis=1)
    apart = elements_apart(size)
    assert len(apart) == unit_differences(size)
    for one in apart:
        for other in apart[apart != one]:
            assert sorted(products[sums[one, minus[other]]]) == everyone.tolist()


@settings(max_examples=60)
@given(st.integers(2, 20), st.integers(2, 6), st.integers(0, 5), st.integers(1, 24), st.integers(0, 9))
def test_nobody_meets_twice_and_tables_are_filled_evenly(
    tables: int, seats: int, missing: int, rounds: int, seed: int
) -> None:
    guests = tables * seats - min(missing, tables - 1)
    found = design_rounds((tables_of(tables, seats, seats - 1, guests),) * rounds, seed)
    if found is None:
        assert seats > unit_differences(tables)
        return
    assert count_meetings(found).max() <= 1
    assert len(found) >= min(rounds, tables)
    for at in found:
        assert set(np.bincount(at, minlength=tables)) <= {seats - 1, seats}


@pytest.mark.parametrize(("tables", "seats", "rounds"), [(8, 4, 9), (9, 3, 10), (13, 10, 13), (12, 3, 13), (16, 8, 17)])
def test_large_rounds_without_a_second_meeting_need_no_search(tables: int, seats: int, rounds: int) -> None:
    problem = RoundsProblem((tables_of(tables, seats, seats, tables * seats),) * rounds)
    first, same, other = (solve_rounds(problem, time_limit=None, seed=seed) for seed in (1, 1, 2))
    assert (first.repeats, first.proven_optimal, first.restarts) == (0, True, 0)
    assert (first.assignments == same.assignments).all()
    assert (first.assignments != other.assignments).any()


@pytest.mark.parametrize("seed", [11, 12])
@pytest.mark.parametrize(("tables", "seats", "rounds"), [(6, 3, 8), (7, 3, 9), (8, 3, 11), (6, 4, 7), (9, 3, 13)])
def test_optima_of_the_social_golfer_problem_are_found_as_rotations(
    tables: int, seats: int, rounds: int, seed: int
) -> None:
    found = rotate_rounds(tables, seats, rounds, seed, never_stop)
    assert found is not None
    assert found.shape == (rounds, tables * seats)
    assert count_meetings(found).max() == 1
    assert all((np.bincount(at) == seats).all() for at in found)


@settings(max_examples=30)
@given(st.integers(2, 8), st.integers(2, 5), st.integers(2, 9), st.integers(0, 9))
def test_rotated_rounds_are_full_and_nobody_meets_twice(tables: int, seats: int, rounds: int, seed: int) -> None:
    found = rotate_rounds(tables, seats, rounds, seed, never_stop)
    if found is None:
        return
    assert len(found) == rounds
    assert count_meetings(found).max() == 1
    assert all((np.bincount(at, minlength=tables) == seats).all() for at in found)


def test_rotations_seat_guests_at_tables_that_are_not_full_and_end_the_search() -> None:
    problem = RoundsProblem((tables_of(6, 3, 2, 17),) * 8)
    first, same = (solve_rounds(problem, time_limit=None, restarts=4, seed=3) for _ in range(2))
    assert (first.repeats, first.restarts) == (0, 4)
    assert (first.assignments == same.assignments).all()


def test_hosts_of_every_table_stay_and_still_nobody_meets_twice() -> None:
    hosts = (3, 9, 14, 20, 26, 31, 5)
    problem = RoundsProblem((tables_of(7, 5, 5, 35),) * 7, hosts=hosts)
    result = solve_rounds(problem, time_limit=None, restarts=4)
    assert (result.assignments[:, list(hosts)] == result.assignments[0, list(hosts)]).all()
    assert result.repeats == 0


def test_rules_are_kept_where_the_design_would_break_them() -> None:
    one = replace(tables_of(5, 4, 4, 20), rules=(Rule("apart", (0, 1)), Rule("together", (2, 3))))
    result = solve_rounds(RoundsProblem((one,) * 5), time_limit=None, restarts=4)
    counts = count_meetings(result.assignments)
    assert (counts[0, 1], counts[2, 3]) == (0, 5)
