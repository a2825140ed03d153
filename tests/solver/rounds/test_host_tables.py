"""Hosts keep their table in all rounds, one at each if that is possible."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.solver import (
    Contradiction,
    NoSeatingFound,
    Problem,
    Rule,
    Table,
    Unsolvable,
)
from app.solver.rounds.rounds_problem import RoundsProblem
from app.solver.rounds.solve_rounds import solve_rounds
from tests.solver.full_helpers import broken_rules, events
from tests.solver.rounds.test_rounds import equal_tables

FEW = settings(max_examples=25)


def test_hosts_sit_where_there_is_a_table_in_every_round() -> None:
    asked = RoundsProblem((equal_tables(3, 4),) * 2, hosts=(0,), places=((0, 1, 2), (2, 3, 4)))
    result = solve_rounds(asked, restarts=2, time_limit=None)
    assert result.assignments[:, 0].tolist() == [2, 0]
    nowhere = replace(asked, places=((0, 1, 2), (3, 4, 5)))
    with pytest.raises(Unsolvable, match="no table is used in all of them"):
        solve_rounds(nowhere, restarts=2, time_limit=None)


def test_hosts_keep_a_table_each_and_the_others_move() -> None:
    result = solve_rounds(RoundsProblem((equal_tables(4, 4),) * 3, hosts=(0, 5, 6, 7)), time_limit=None)
    hosts, others = result.assignments[:, [0, 5, 6, 7]], result.assignments[:, [1, 2, 3, 4, *range(8, 16)]]
    assert (hosts == hosts[0]).all()
    assert sorted(hosts[0]) == [0, 1, 2, 3]
    assert all(len(set(tables)) == 3 for tables in others.T)


FIVE = (0, 1, 2, 3, 4)


def hosts_by_table(tables: int, used_always: int, **others: Any) -> list[int]:
    """Return how many of five hosts each table has, if only some of the tables are used in both rounds."""
    one = replace(equal_tables(tables, 6), **others)
    other = (*range(used_always), *range(tables, 2 * tables - used_always))
    asked = RoundsProblem((one, one), hosts=FIVE, places=(tuple(range(tables)), other))
    result = solve_rounds(asked, restarts=2, time_limit=None)
    assert not any(broken_rules(one, assignment) for assignment in result.assignments)
    assert (result.assignments[0, FIVE] == result.assignments[1, FIVE]).all()
    return sorted(np.bincount(result.assignments[0, FIVE], minlength=tables).tolist(), reverse=True)


@pytest.mark.parametrize(("tables", "used_always"), [(3, 3), (5, 3), (6, 3)])
def test_hosts_spread_evenly_over_the_tables_of_all_rounds(tables: int, used_always: int) -> None:
    assert hosts_by_table(tables, used_always)[:4] == [2, 2, 1, *[0] * min(1, tables - 3)]


def test_hosts_spread_evenly_over_more_tables_than_half_of_them() -> None:
    assert hosts_by_table(4, 4) == [2, 1, 1, 1]


@pytest.mark.parametrize(
    ("others", "expected"),
    [
        ({"parties": ((0, 1, 2),)}, [3, 1, 1]),
        ({"parties": ((0, 1),)}, [2, 2, 1]),
        ({"rules": (Rule("together", (0, 1, 2, 3)),)}, [4, 1, 0]),
        ({"rules": (Rule("pinned", (0, 1, 2, 3, 4), (1,)),)}, [5, 0, 0]),
        ({"locked": ((0, 0), (1, 0), (2, 0))}, [3, 1, 1]),
    ],
)
def test_hosts_share_tables_where_rules_or_households_ask_for_it(others: dict[str, Any], expected: list[int]) -> None:
    assert hosts_by_table(3, 3, **others) == expected


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_host_has_a_table_that_all_rounds_allow(seed: int) -> None:
    one = equal_tables(5, 8)
    later = replace(one, locked=((0, 3), (1, 3)))
    full = replace(one, locked=tuple((guest, 2) for guest in range(20, 28)))
    result = solve_rounds(RoundsProblem((one, later, full), hosts=(0, 6)), restarts=1, time_limit=None, seed=seed)
    assert (result.assignments[:, [0, 6]] == result.assignments[0, [0, 6]]).all()
    assert result.assignments[0, 0] == 3
    assert result.assignments[0, 6] != 2


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_hosts_have_tables_with_room_for_them_in_every_round(seed: int) -> None:
    one = equal_tables(8, 6)
    full = replace(one, locked=tuple((12 + guest, 2 + guest // 6) for guest in range(36)))  # all but two tables
    result = solve_rounds(RoundsProblem((one, full), hosts=(0, 1)), restarts=1, time_limit=None, seed=seed)
    assert sorted(result.assignments[0, :2]) == [0, 1]
    assert (result.assignments[1, :2] == result.assignments[0, :2]).all()


def test_household_of_a_host_needs_room_in_every_round_too() -> None:
    one = replace(equal_tables(8, 6), parties=((0, 1, 2),))
    nearly_full = replace(one, locked=tuple((8 + guest, 1 + guest // 4) for guest in range(28)))  # two seats are free
    result = solve_rounds(RoundsProblem((one, nearly_full), hosts=(0,)), restarts=1, time_limit=None)
    assert result.assignments[:, :3].tolist() == [[0, 0, 0]] * 2


def test_hosts_who_find_no_tables_are_no_proof_that_there_are_none() -> None:
    one = replace(equal_tables(2, 4), rules=(Rule("apart", (0, 1)),))
    rounds = tuple(replace(one, locked=((1, table),)) for table in (0, 1))
    with pytest.raises(NoSeatingFound, match="No plan was found in which all hosts keep their table in every round"):
        solve_rounds(RoundsProblem(rounds, hosts=(0,)))


def test_round_without_room_for_the_hosts_is_explained() -> None:
    one = replace(equal_tables(3, 4), names=tuple("ABCDEFGHIJKL"))
    full = replace(one, locked=tuple((4 + guest, guest // 4) for guest in range(8)), rules=(Rule("apart", (0, 1)),))
    with pytest.raises(Contradiction, match="A and B sit apart, none of A and B can keep Table 1 in all rounds"):
        solve_rounds(RoundsProblem((one, full), hosts=(0, 1)))


def test_host_without_a_table_in_every_round_is_named() -> None:
    one = replace(equal_tables(2, 4), names=tuple("ABCDEFGH"), locked=((2, 0),))
    with pytest.raises(Unsolvable, match="C can have in every round"):
        solve_rounds(RoundsProblem((one, replace(one, locked=((2, 1),))), hosts=(2,)))


@pytest.mark.parametrize(
    ("guests", "household", "expected"),
    [
        (80, (0, 1), [2, 1, 1, 1, 1, 1, 1, 1, 1, 0]),
        (80, (0, 1, 2, 3), [4, 1, 1, 1, 1, 1, 1, 0, 0, 0]),
        (60, tuple(range(50, 56)), [1] * 10),  # not hosts, and more than the even size of a table
    ],
)
def test_households_leave_the_other_hosts_a_table_each(
    guests: int, household: tuple[int, ...], expected: list[int]
) -> None:
    one = Problem(np.zeros((guests, guests)), (Table(8),) * 10, parties=(household,))
    result = solve_rounds(RoundsProblem((one,) * 2, hosts=tuple(range(10))), restarts=1, time_limit=None)
    assert sorted(np.bincount(result.assignments[0, :10], minlength=10).tolist(), reverse=True) == expected


def test_rounds_with_fewer_tables_than_hosts_are_filled_evenly_too() -> None:
    many, few = equal_tables(4, 3), Problem(np.zeros((12, 12)), (Table(10), Table(10)))
    asked = RoundsProblem((replace(many, tables=(Table(10),) * 4), few), hosts=(0, 1, 2), places=((0, 1, 2, 3), (0, 1)))
    result = solve_rounds(asked, restarts=1, time_limit=None)
    assert np.bincount(result.assignments[1]).tolist() == [6, 6]


def test_more_hosts_than_tables_leave_none_without_one() -> None:
    one = replace(equal_tables(6, 8), parties=((0, 1, 2, 3, 4),))
    result = solve_rounds(RoundsProblem((one,) * 2, hosts=tuple(range(18))), restarts=1, time_limit=None)
    assert sorted(np.bincount(result.assignments[0, :18])) == [2, 2, 3, 3, 3, 5]


@FEW
@given(events(), st.integers(1, 3), st.sets(st.integers(0, 30), max_size=3), st.integers(0, 99))
def test_hosts_stay_and_sizes_hold_in_every_round(problem: Problem, rounds: int, chosen: set[int], seed: int) -> None:
    hosts = tuple(sorted({number % problem.guest_count for number in chosen}))
    try:
        result = solve_rounds(RoundsProblem((problem,) * rounds, hosts=hosts), restarts=2, time_limit=None, seed=seed)
    except Unsolvable:
        return
    for at, seats in zip(result.assignments, result.seats, strict=True):
        assert (at[list(hosts)] == result.assignments[0, list(hosts)]).all()
        for number, table in enumerate(problem.tables):
            here = np.flatnonzero(at == number)
            assert table.least <= len(here) <= table.most
            assert sorted(seats[here]) == list(range(len(here)))  # nobody sits twice, and no seat has two
        assert all(len(set(at[list(party)])) == 1 for party in problem.parties)
