"""Do the rules, parties and sizes agree? If so, a first seating; if not, the error that says what contradicts what."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.solver.errors import NoSeatingFound
from app.solver.feasibility.contradictions import EXPLAIN_SECONDS, explain_contradiction
from app.solver.feasibility.integer_program import Undecided
from app.solver.feasibility.packing import NO_LIMITS, CheckLimits, find_seating
from app.solver.feasibility.structure import Structure, all_constraints, build_structure
from app.solver.feasibility.table_sizes import check_seats
from app.solver.problem import IntArray, Problem


@dataclass(frozen=True)
class Feasible:
    """A problem that can be solved: its blocks, and one seating that keeps every rule."""

    structure: Structure
    at: IntArray


def check_feasibility(
    problem: Problem, seed: int = 0, explain_seconds: float = EXPLAIN_SECONDS, limits: CheckLimits = NO_LIMITS
) -> Feasible:
    """Return the blocks and a first seating, or raise what contradicts what; NoSeatingFound past the limits."""
    check_seats(problem)
    constraints = all_constraints(problem)
    structure = build_structure(problem, constraints)
    try:
        at = find_seating(problem, structure, np.random.default_rng(abs(seed)), limits)
    except Undecided:
        raise NoSeatingFound from None
    if at is None:
        raise explain_contradiction(problem, constraints, explain_seconds, limits.entries)
    return Feasible(structure, at)
