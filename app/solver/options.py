"""The options of a solve: how much fairness counts, and which options exclude each other."""

from __future__ import annotations

from typing import Literal

import numpy as np

from app.solver.errors import FairnessNeedsScores, NotInPaper
from app.solver.problem import Method, Problem

Need = Literal["full", "paper", "questions", "fairness", "repair"]
"""What kernels are needed for: a run by its method and options, or the choice of questions."""
Fairness = Literal["none", "some", "strong"]
SHARES: dict[Fairness, float] = {"none": 0.0, "some": 0.5, "strong": 4.0}
"""What a guest left alone costs, as a part of what one whole guest can be worth: see `fairness_weight`."""


def fairness_weight(problem: Problem, fairness: Fairness) -> float:
    """Return the weight of a guest left alone, in the units in which plans are weighed.

    The measure is a guest who gets on with a whole table as well as any two guests do: the highest score for
    `average`, where a table's pairs are shared by its guests, and that times the table for `total`.
    """
    scores = problem.matrix if problem.ratings is None else problem.ratings.scores
    highest = float(np.abs(scores).max(initial=0.0)) or 1.0
    seats = 1.0 if problem.objective == "average" else problem.guest_count / max(len(problem.tables), 1)
    return SHARES[fairness] * highest * seats


def refuse_impossible(problem: Problem, method: Method) -> None:
    """Raise if an option would be ignored."""
    if problem.fairness and problem.kind != "score":
        raise FairnessNeedsScores
    if method == "paper" and (problem.fairness or problem.move_cost):
        raise NotInPaper
