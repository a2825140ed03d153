"""How many guests a plan moves away from the current one."""

from __future__ import annotations

import numpy as np

from app.solver.problem import IntArray, Problem


def count_moved(problem: Problem, assignment: IntArray) -> int:
    """Return how many of the guests who have a seat in the current plan sit at another table."""
    before = np.array(problem.previous if problem.previous is not None else [-1] * problem.guest_count)
    return int(((before >= 0) & (before != assignment)).sum())
