"""Linear algebra takes one core for the usual event."""

from __future__ import annotations

import numpy as np
from threadpoolctl import threadpool_info

from app.solver.entry import solve
from app.solver.numba_support.threads import SMALL, choose_cores, count_cores
from app.solver.problem import Problem, Table

BUILT_FOR = 64  # the most threads of the OpenBLAS that numpy and scipy bring along


def cores_in_use() -> set[int]:
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


def test_usual_event_takes_one_core_and_a_large_one_takes_all() -> None:
    solve(Problem(np.zeros((4, 4)), (Table(2), Table(2))), restarts=1)
    assert cores_in_use() == {1}
    choose_cores(SMALL + 1)
    assert cores_in_use() == {min(count_cores(), BUILT_FOR)}
    choose_cores(SMALL)
    assert cores_in_use() == {1}
