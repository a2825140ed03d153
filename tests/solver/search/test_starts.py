"""The plans that the search starts from."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from app.solver.deadline import Deadline
from app.solver.entry import solve
from app.solver.problem import Problem, Rule, Table
from app.solver.search.starts import cluster, greedy
from tests.solver.full_helpers import blocks_of, broken_rules, events

PARTY = tuple(Table(size, size) for size in (4, 4, 5, 6, 3))


def party(seed: int) -> Problem:
    """Return the paper's party with random scores."""
    return Problem(np.random.default_rng(seed).integers(-2, 3, (22, 22)).astype(float), PARTY)


@given(seed=st.integers(0, 1000))
@settings(max_examples=20)
def test_greedy_seats_everyone_at_tables_of_fixed_sizes(seed: int) -> None:
    problem = party(seed)
    blocks, _ = blocks_of(problem)
    at = greedy(blocks)
    assert at is not None
    assert broken_rules(problem, at) == []


def test_greedy_brings_two_circles_of_friends_together() -> None:
    friends = np.kron(np.eye(2), np.ones((4, 4))).astype(float) * 2 - 1
    shuffled = np.random.default_rng(3).permutation(8)
    blocks, _ = blocks_of(Problem(friends[np.ix_(shuffled, shuffled)], (Table(4, 4), Table(4, 4))))
    at = greedy(blocks)
    assert at is not None
    assert len(set(at[shuffled < 4].tolist())) == 1


@given(problem=events(with_rules=False))
@settings(max_examples=30)
def test_clusters_have_sizes_that_the_tables_allow(problem: Problem) -> None:
    alone = Problem(problem.matrix, problem.tables, objective=problem.objective)
    plans = cluster(alone, restarts=20, seed=1, deadline=Deadline(), until=None).plans
    assert plans
    assert [broken_rules(alone, plan) for plan in plans] == [[]] * len(plans)


def test_clusters_are_different_and_the_same_on_one_core_and_on_two() -> None:
    one = cluster(party(1), restarts=200, seed=5, deadline=Deadline(), until=None, threads=1)
    two = cluster(party(1), restarts=200, seed=5, deadline=Deadline(), until=None, threads=2)
    assert [plan.tolist() for plan in one.plans] == [plan.tolist() for plan in two.plans]
    assert len({tuple(plan.tolist()) for plan in one.plans}) == len(one.plans) > 1


def test_full_solve_counts_the_restarts_of_k_means() -> None:
    result = solve(party(1), restarts=300, time_limit=None)
    assert result.restarts == 300
    values = [step.value for step in result.history]
    assert values == sorted(values, reverse=True)
    assert values[-1] == result.mse


def test_rules_keep_k_means_out() -> None:
    ruled = Problem(party(1).matrix, PARTY, rules=(Rule("apart", (0, 1)),))
    result = solve(ruled, restarts=10, time_limit=None)
    assert result.assignment[0] != result.assignment[1]
    assert result.restarts == 10
