"""Which of two plans a run for guests who may not come keeps."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import numpy as np
import pytest

from app.problem.snapshot import Snapshot
from app.runs.options import RunOptions
from app.solver import OnProgress, Problem, Progress, Result, ShouldStop, Table, solve
from app.worker import solve_uncertain as solve_uncertain_module
from app.worker.solve_uncertain import solve_uncertain


def never() -> bool:
    return False


def ignore(_: Progress) -> None:
    return None


def solve_four(
    scores: dict[tuple[int, int], float],
    chance: float,
    fairness: float = 0.0,
    should_stop: ShouldStop = never,
    on_progress: OnProgress = ignore,
) -> Result:
    """Plan four guests at two tables for two, the second of whom may not come."""
    matrix = np.zeros((4, 4))
    for (one, other), score in scores.items():
        matrix[one, other] = matrix[other, one] = score
    problem = Problem(matrix, (Table(2, 2), Table(2, 2)), objective="total", fairness=fairness)
    guests, tables = tuple(uuid4() for _ in range(4)), tuple(uuid4() for _ in range(2))
    return solve_uncertain(
        Snapshot(problem, guests, tables, chances=(1.0, chance, 1.0, 1.0)),
        RunOptions(restarts=4),
        time_limit=4.0,
        seed=1,
        on_progress=on_progress,
        should_stop=should_stop,
    )


@pytest.mark.parametrize(
    ("scores", "chance", "fairness"),
    [
        ({(0, 1): 5.0, (0, 2): 1.0}, 1e-9, 0.0),
        ({(0, 1): 5.0, (0, 2): 1.0, (1, 3): 1.0}, 0.5, 1.0),
    ],
    ids=["the usual one is worth nothing", "fewer guests are left alone"],
)
def test_better_plan_is_kept(scores: dict[tuple[int, int], float], chance: float, fairness: float) -> None:
    result = solve_four(scores, chance, fairness)
    assert result.assignment[0] == result.assignment[2]
    assert result.attendance is not None
    assert result.attendance.gain > 0


def test_usual_plan_is_kept_where_no_other_is_better() -> None:
    result = solve_four({(0, 1): 5.0, (0, 2): 1.0}, 0.9)
    assert result.assignment[0] == result.assignment[1]
    assert result.attendance is not None
    assert (result.attendance.gain, result.attendance.price) == (0.0, 0.0)


@dataclass
class Halves:
    """Counts the solves of a run, and keeps what the second one reports."""

    solves: int = 0
    second: list[Progress] = field(default_factory=list)

    def solve(self, *args: Any, **options: Any) -> Result:
        """Solve as usual."""
        self.solves += 1
        return solve(*args, **options)

    def listen(self, progress: Progress) -> None:
        """Take a report."""
        if self.solves == 2:
            self.second.append(progress)


@pytest.fixture
def halves(monkeypatch: pytest.MonkeyPatch) -> Halves:
    """What becomes known of both halves."""
    found = Halves()
    monkeypatch.setattr(solve_uncertain_module, "solve", found.solve)
    return found


def test_usual_plan_is_kept_when_the_second_half_is_stopped_at_its_start(halves: Halves) -> None:
    stopped = solve_four({(0, 1): 5.0, (0, 2): 1.0}, 0.5, should_stop=lambda: halves.solves == 2)
    assert (stopped.stopped_early, stopped.settled_early, stopped.attendance) == (True, False, None)
    assert stopped.assignment[0] == stopped.assignment[1]


def test_plans_of_the_second_half_are_not_shown(halves: Halves) -> None:
    solve_four({(0, 1): 5.0, (0, 2): 1.0}, 0.5, on_progress=halves.listen)
    assert halves.second
    assert all(report.seating is None and report.best is None for report in halves.second)


def test_both_halves_count_as_one_run(halves: Halves) -> None:
    first: list[float] = []

    def listen(progress: Progress) -> None:
        if halves.solves == 1 and progress.seconds_left is not None:
            first.append(progress.seconds_left)
        halves.listen(progress)

    result = solve_four({(0, 1): 5.0, (0, 2): 1.0}, 0.9, on_progress=listen)
    assert first
    assert min(first) >= 2.0  # the second half of the four seconds is still to come
    assert result.attendance is not None
    assert result.seconds >= max(report.seconds for report in halves.second)
