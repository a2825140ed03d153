"""Ratings of few pairs, or points, laid out as a matrix where that fits into memory."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from app.solver.clustering.embedding import distances_between
from app.solver.errors import TooLarge
from app.solver.problem import Problem
from app.solver.ratings import MOST_MATRIX_GUESTS


def with_matrix(problem: Problem) -> Problem:
    """Return the problem with a matrix; raise `TooLarge` where it would not fit into memory several times."""
    if problem.ratings is None and not problem.has_points_only:
        return problem
    if problem.guest_count > MOST_MATRIX_GUESTS:
        raise TooLarge
    if problem.ratings is not None:
        return replace(problem, matrix=problem.ratings.as_matrix(), ratings=None)
    return replace(problem, matrix=distances_between(np.asarray(problem.points)))
