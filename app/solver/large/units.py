"""Guests who sit together as units, and what is said between units, for events too large for a matrix."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.solver.feasibility.structure import Structure, all_constraints, build_structure
from app.solver.problem import BoolArray, FloatArray, IntArray, Problem, Ratings


@dataclass(frozen=True)
class Units:
    """How many guests each unit has, what is said within it and between units, and which have one table only."""

    structure: Structure
    size: IntArray
    own: FloatArray
    ratings: Ratings
    fixed: BoolArray


def units_suffice(problem: Problem) -> bool:
    """Return whether parties, rules and locks only say who sits together, and who has one table."""
    return all(rule.kind == "together" or (rule.kind == "pinned" and len(rule.tables) == 1) for rule in problem.rules)


def make_units(problem: Problem, ratings: Ratings) -> Units | None:
    """Join the guests who sit together; None where each is alone and may sit anywhere."""
    if not (problem.parties or problem.rules or problem.locked):
        return None
    structure = build_structure(problem, all_constraints(problem))
    unit, count = structure.of_guest, len(structure.members)
    rows, others = unit[ratings.rows], unit[ratings.others]
    within = rows == others
    own = np.bincount(rows[within], weights=ratings.scores[within], minlength=count) / 2
    keys, which = np.unique(rows[~within] * count + others[~within], return_inverse=True)
    scores = np.bincount(which, weights=ratings.scores[~within], minlength=len(keys))
    starts = np.concatenate([[0], np.cumsum(np.bincount(keys // count, minlength=count))]).astype(np.int64)
    between = Ratings(starts, keys % count, scores.astype(np.float64))
    return Units(structure, structure.sizes, own.astype(np.float64), between, structure.allowed.sum(axis=1) == 1)
