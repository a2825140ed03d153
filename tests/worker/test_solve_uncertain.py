"""Which of two plans a run for guests who may not come keeps."""

from __future__ import annotations

from uuid import uuid4

import numpy as np
import pytest

from app.problem.snapshot import Snapshot
from app.runs.options import RunOptions
from app.solver import Problem, Result, Table
from app.worker.solve_uncertain import solve_uncertain


def solve_four(scores: dict[tuple[int, int], float], chance: float, fairness: float = 0.0) -> Result:
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
        on_progress=lambda _: None,
        should_stop=lambda: False,
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
