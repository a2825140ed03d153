"""The seating that keeps every rule and moves the fewest guests, by integer programming."""

from __future__ import annotations

import numpy as np

from app.solver.feasibility.integer_program import IntegerProgram, Undecided
from app.solver.feasibility.structure import Structure
from app.solver.problem import IntArray, Problem

MOST_PLACES = 40_000
"""With more blocks times tables it would take too long; the search finds the way from any seating then."""
SECONDS = 2.0


def min_moves_seating(problem: Problem, structure: Structure, moved: IntArray) -> IntArray | None:
    """Return tables by block with the fewest guests moved, or None where that takes too long."""
    if moved.size > MOST_PLACES:
        return None
    try:
        return IntegerProgram(problem, structure, each=True).solve(SECONDS, moved.T.astype(np.float64))
    except Undecided:
        return None
