"""What no plan of several rounds can beat."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.solver import IntArray, Problem, Table, Unsolvable
from app.solver.feasibility.check import check_feasibility
from app.solver.rounds.meetings import count_meetings, weigh_meetings
from app.solver.rounds.most_meetings import least_repeats, most_new_meetings, most_value
from app.solver.rounds.rounds_problem import RoundsProblem
from app.solver.rounds.solve_rounds import solve_rounds
from tests.solver.full_helpers import events


def shared_pairs(first: IntArray, second: IntArray) -> int:
    """Count the pairs of guests who share a table in both rounds."""
    both = (first[:, None] == first) & (second[:, None] == second)
    return int(np.triu(both, 1).sum())


@settings(max_examples=60)
@given(events(), st.integers(2, 5), st.integers(0, 99), st.booleans())
def test_no_seating_is_above_the_bound_or_has_fewer_repeats(
    problem: Problem, rounds: int, seed: int, spread: bool
) -> None:
    try:
        found = [check_feasibility(problem, seed + number) for number in range(rounds)]
    except Unsolvable:
        return
    structure, asked = found[0].structure, RoundsProblem((problem,) * rounds, spread=spread)
    rng, guests = np.random.default_rng(seed), problem.guest_count
    wishes, met = rng.integers(-1, 3, (guests, guests)).astype(float), rng.integers(0, 2, (guests, guests))
    meetings = weigh_meetings(structure, wishes, met, 12, spread=spread)
    plan = np.array([one.at for one in found])
    assert meetings.value(count_meetings(plan)) <= most_value(asked, structure, meetings) + 1e-9
    inside = int((structure.sizes * (structure.sizes - 1) // 2).sum())
    seated = [structure.guests_at(at) for at in plan]
    repeats = sum(shared_pairs(one, other) - inside for one, other in combinations(seated, 2))
    assert repeats >= least_repeats(asked, structure)


@pytest.mark.parametrize(
    ("tables", "size", "rounds", "repeats", "met"), [(5, 8, 4, 90, 515), (4, 8, 4, 96, 400), (3, 8, 3, 63, 210)]
)
def test_few_tables_end_as_soon_as_nothing_better_is_possible(
    tables: int, size: int, rounds: int, repeats: int, met: int
) -> None:
    guests = tables * size
    one = Problem(np.zeros((guests, guests)), tuple(Table(size, size) for _ in range(tables)))
    asked = RoundsProblem((one,) * rounds)
    assert least_repeats(asked, check_feasibility(one).structure) == repeats
    result = solve_rounds(asked, restarts=24, time_limit=None)
    assert (result.proven_optimal, result.new_meetings) == (True, met)


def test_rounds_with_other_tables_have_their_own_repeats() -> None:
    large = Problem(np.zeros((12, 12)), (Table(6, 6), Table(6, 6)))
    small = Problem(np.zeros((12, 12)), tuple(Table(3, 3) for _ in range(4)))
    structure = check_feasibility(large).structure
    assert least_repeats(RoundsProblem((large, small, small)), structure) == 2 * 4  # one of three stays with another
    assert least_repeats(RoundsProblem((large, large)), structure) == 2 * 6


@pytest.mark.parametrize(
    ("tables", "pairs"),
    [((Table(5), Table(5, 4), Table(5, 4)), 10 + 6), ((Table(7), Table(5, 4), Table(5, 4)), 10 + 6)],
)
def test_most_pairs_fill_a_table_that_has_guests_before_one_that_may_stay_empty(
    tables: tuple[Table, ...], pairs: int
) -> None:
    one = Problem(np.zeros((9, 9)), tables)
    assert most_new_meetings(RoundsProblem((one,)), check_feasibility(one).structure) == pairs
