"""The seating that keeps every rule and moves the fewest guests, by integer programming."""

from __future__ import annotations

import numpy as np
from scipy.optimize import Bounds, milp

from app.solver.blocks import Structure
from app.solver.packing import seat_constraints
from app.solver.problem import IntArray, Problem

MOST_PLACES = 40_000
"""With more blocks times tables it would take too long; the search finds the way from any seating then."""
SECONDS = 2.0


def nearest_seating(problem: Problem, structure: Structure, moved: IntArray) -> IntArray | None:
    """Return tables by block with the fewest guests moved, or None where that takes too long."""
    if moved.size > MOST_PLACES:
        return None
    blocks = np.arange(len(structure.members), dtype=np.int64)
    solution = milp(
        c=moved.T.ravel().astype(np.float64),
        constraints=seat_constraints(problem, structure, blocks, np.zeros(0, dtype=np.int64)),
        bounds=Bounds(0, structure.allowed.astype(np.float64).ravel()),
        integrality=np.ones(moved.size, dtype=np.int64),
        options={"time_limit": SECONDS},
    )
    if solution.x is None:
        return None
    at: IntArray = np.rint(solution.x).reshape(len(blocks), -1).argmax(axis=1).astype(np.int64)
    return at
