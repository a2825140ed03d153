"""A solve in shards: the same plan whoever solves which, and for the paper's method the same as in one piece."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from app.solver.entry import solve
from app.solver.problem import Method, Problem, Rule, Table
from app.solver.shards import ShardFound, finish_shards, part_of, search_shard


def problem_of(guests: int, tables: int, seed: int = 3, **more: object) -> Problem:
    scores = np.random.default_rng(seed).integers(-2, 3, (guests, guests)).astype(float)
    return Problem(scores, (Table(guests // tables, guests // tables),) * tables, **more)  # type: ignore[arg-type]


def found_by_shards(problem: Problem, shards: int, order: list[int] | None = None, **options: Any) -> list[ShardFound]:
    """Search the shards one after the other in any order; what is handed on has been through bytes."""
    found = {
        number: ShardFound.from_bytes(search_shard(problem, number=number, shards=shards, **options).to_bytes())
        for number in order or range(shards)
    }
    return [found[number] for number in range(shards)]


def test_shards_have_all_restarts_and_none_twice() -> None:
    for restarts, shards in ((10, 3), (64, 64), (1000, 7)):
        parts = [part_of(restarts, shards, number) for number in range(shards)]
        assert [restart for part in parts for restart in part] == list(range(restarts))
        assert all(parts)


@pytest.mark.parametrize("objective", ["average", "total"])
def test_papers_method_in_shards_gives_the_plan_of_one_solve(objective: str) -> None:
    problem = problem_of(24, 4, objective=objective)
    options: dict[str, Any] = {"method": "paper", "restarts": 50, "time_limit": None, "seed": 5}
    whole = solve(problem, **options)
    parts = found_by_shards(problem, 3, **options)
    result = finish_shards(problem, parts, method="paper", time_limit=None, seed=5)
    assert np.array_equal(result.assignment, whole.assignment)
    assert (result.mse, result.total, result.restarts, result.iterations) == (
        whole.mse,
        whole.total,
        whole.restarts,
        whole.iterations,
    )
    assert np.array_equal(result.positions, whole.positions)
    assert result.history[-1].value == pytest.approx(whole.history[-1].value)


@pytest.mark.parametrize("method", ["full", "paper"])
def test_plan_does_not_depend_on_who_solves_which_shard_with_how_many_cores(method: Method) -> None:
    problem = problem_of(36, 6)
    options: dict[str, Any] = {"method": method, "restarts": 24, "time_limit": None, "seed": 9}
    alone = found_by_shards(problem, 3, threads=1, **options)
    many = found_by_shards(problem, 3, order=[2, 0, 1], threads=3, **options)
    results = [finish_shards(problem, parts, method=method, time_limit=None, seed=9) for parts in (alone, many)]
    assert np.array_equal(results[0].assignment, results[1].assignment)
    assert np.array_equal(results[0].seats, results[1].seats)
    assert [a.mse for a in results[0].alternatives] == [a.mse for a in results[1].alternatives]


def test_best_of_all_shards_counts() -> None:
    problem = problem_of(40, 5, objective="total")
    parts = found_by_shards(problem, 4, restarts=8, time_limit=None, seed=2)
    result = finish_shards(problem, parts, time_limit=None, seed=2)
    each = [finish_shards(problem, [part], time_limit=None, seed=2).total for part in parts]
    assert result.total == pytest.approx(max(each))
    assert result.restarts == 8
    values = [step.value for step in result.history]
    assert values == sorted(values)


def test_shards_keep_every_rule_and_a_small_event_is_proven() -> None:
    rules = (Rule("apart", (0, 1)), Rule("together", (2, 3)), Rule("pinned", (4,), (1,)))
    problem = problem_of(12, 3, rules=rules, parties=((5, 6),))
    parts = found_by_shards(problem, 2, restarts=8, time_limit=20.0, seed=1)
    result = finish_shards(problem, parts, time_limit=20.0, seed=1)
    at = result.assignment
    assert at[0] != at[1]
    assert at[2] == at[3]
    assert at[4] == 1
    assert at[5] == at[6]
    assert result.proven_optimal
    assert result.mse == pytest.approx(solve(problem, restarts=8, time_limit=20.0).mse)
