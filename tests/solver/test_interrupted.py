"""What interrupts a solve ends it: an error in a callback, and a stop before the search has begun."""

from __future__ import annotations

import threading
import time
from typing import Any

import numpy as np
import pytest

from app.solver.deadline import Deadline, Stopped
from app.solver.entry import solve
from app.solver.problem import Problem, Rule, Table, collect_ratings
from app.solver.search.strategy import bound_seconds
from tests.solver.full_helpers import broken_rules


def test_error_in_a_callback_ends_a_search_that_time_would_end() -> None:
    scores = np.random.default_rng(1).normal(size=(310, 310))
    problem = Problem(scores + scores.T, tuple(Table(10, 10) for _ in range(31)))
    until = time.monotonic() + 1.0

    def fail_later() -> bool:
        if time.monotonic() > until:
            raise RuntimeError("interrupted")
        return False

    with pytest.raises(RuntimeError, match="interrupted"):
        solve(problem, time_limit=3600, should_stop=fail_later)


@pytest.mark.parametrize("form", ["ratings", "points"])
def test_large_event_that_is_stopped_at_once_has_a_plan_all_the_same(form: str) -> None:
    rng, tables = np.random.default_rng(1), tuple(Table(10, 10) for _ in range(400))
    first, second = rng.integers(0, 4000, (2, 20_000))
    given: dict[str, dict[str, Any]] = {
        "ratings": {"ratings": collect_ratings(4000, first, second, rng.integers(-2, 3, 20_000))},
        "points": {"points": rng.normal(size=(4000, 2)), "kind": "distance"},
    }
    result = solve(Problem(np.zeros((0, 0)), tables, **given[form]), should_stop=lambda: True)
    assert result.stopped_early
    assert np.bincount(result.assignment).tolist() == [10] * 400


def test_stop_in_a_long_step_leaves_it_behind_unless_it_ends_in_time() -> None:
    go_on, deadline = threading.Event(), Deadline(should_stop=lambda: True)
    with pytest.raises(Stopped):
        deadline.run_in_thread(go_on.wait)
    go_on.set()
    assert deadline.run_in_thread(lambda: 5, patience=30) == 5


def test_small_event_that_is_stopped_at_once_has_been_checked() -> None:
    rules = (Rule("apart", (0, 1)), Rule("together", (2, 3)))
    problem = Problem(np.zeros((12, 12)), (Table(6), Table(6)), rules=rules)
    result = solve(problem, should_stop=lambda: True)
    assert result.stopped_early
    assert broken_rules(problem, result.assignment) == []


def test_bound_of_a_short_search_takes_no_share_of_a_long_limit() -> None:
    assert bound_seconds(2.0, 600.0) == 1.0
    assert bound_seconds(510.0, 600.0) == pytest.approx(51.0)
    assert bound_seconds(4.0, 5.0) == 0.5
    assert bound_seconds(4.0, None) == 1.0
    assert bound_seconds(0.2, None) == 0.2


def test_step_is_looked_after_until_it_is_over() -> None:
    deadline, control = Deadline(None), np.zeros(1)

    def look() -> None:
        control[0] += 1.0

    def wait() -> float:
        while control[0] < 3.0:
            time.sleep(0.001)
        return float(control[0])

    assert deadline.run_in_thread(wait, look=look) >= 3.0
