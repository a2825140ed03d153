"""Guests who may not come: a problem whose best plan stays good when some stay away, and what that costs.

If guests come independently with chances p, a pair is at its table with chance p_i·p_j, and the expected total of a
plan is Σ p_i p_j s_ij over the pairs at each table: the total of a problem with these scores. So a plan for uncertain
guests needs no search of its own. `average` divides by those who are there, about n_t (p_i + p_j)/2 if the rest of the
table is like the pair, which leaves the harmonic mean of the two chances. For distances a pair that may not be there
counts like an average one.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from app.solver.problem import FloatArray, IntArray, Problem
from app.solver.result import AttendanceReport
from app.solver.score import guests_by_table

DRAWS = 200
ROUNDING = 1e-9
"""Differences up to this part of what is added up are no differences."""


def expected_problem(problem: Problem, chances: FloatArray) -> Problem:
    """Return the problem with each pair weighed by the chance that both come."""
    both = pair_chances(problem, chances)
    values = problem.symmetric
    if problem.kind == "score":
        return replace(problem, matrix=both * values)
    squared = values**2
    middle = float(squared[~np.eye(len(squared), dtype=bool)].mean()) if len(squared) > 1 else 0.0
    return replace(problem, matrix=np.sqrt(np.maximum(middle + both * (squared - middle), 0.0)), points=None)


def pair_chances(problem: Problem, chances: FloatArray) -> FloatArray:
    """Return by how much each pair counts: p_i p_j, or for `average` 2 p_i p_j / (p_i + p_j)."""
    both = np.outer(chances, chances)
    if problem.objective == "total":
        return both
    return 2.0 * both / np.maximum(chances[:, None] + chances[None, :], 1e-12)


def compare_attendance(
    problem: Problem, chances: FloatArray, plan: IntArray, usual: IntArray, seed: int
) -> AttendanceReport:
    """Compare a plan for guests who may not come with the usual one, if everyone comes and over drawn replies."""
    rng = np.random.default_rng(abs(seed))
    draws = rng.random((DRAWS, len(chances))) < chances
    everyone = np.ones((1, len(chances)), dtype=bool)
    best, own_best = (float(_objective(problem, one, everyone)[0]) for one in (usual, plan))
    theirs, own = (float(_objective(problem, one, draws).mean()) for one in (usual, plan))
    size = _size(problem)
    return AttendanceReport(
        uncertain=int((chances < 1.0).sum()),
        price=_part(best - own_best, best, size),
        gain=_part(own - theirs, theirs, size),
        kept=float(np.mean([_keeps_minimums(problem, plan, come) for come in draws])),
    )


def _objective(problem: Problem, plan: IntArray, draws: NDArray[np.bool_]) -> FloatArray:
    """Return for each draw all that counts: pairs, guests left alone or missing at a table, and moves of anybody."""
    share = 1.0 if problem.objective == "total" else 1.0 / np.maximum(draws.sum(axis=1), 1)
    found = _values(problem, plan, draws)
    if problem.fairness:
        found = found - problem.fairness * share * _count_alone(problem, plan, draws)
    found = found - missing_price(problem) * share * _count_missing(problem, plan, draws)
    if problem.previous is not None and problem.move_cost:
        before = np.array(problem.previous)
        found = found - problem.move_cost * int(((before >= 0) & (before != plan)).sum())
    return found


def missing_price(problem: Problem) -> float:
    """Return what a guest costs who is missing at a table for its least number: as much as one who sits badly.

    That is what a guest at a table of the usual size gains if pairs with everyone there have the best value instead of
    the middle one. With the worst one instead, plans lose twice as much if everyone comes.
    """
    is_total, n = problem.objective == "total", problem.guest_count
    pairs = (problem.scores if is_total else problem.squared_distances)[~np.eye(n, dtype=bool)]
    spread = float(pairs.max() - pairs.min()) / 2 if pairs.size else 0.0
    return spread * max(n / max(len(problem.tables), 1) - 1.0, 1.0) if is_total else spread


def _count_missing(problem: Problem, plan: IntArray, draws: NDArray[np.bool_]) -> FloatArray:
    """Count for each draw the guests who are missing for the least numbers of the tables that are used."""
    found = np.zeros(len(draws))
    for table, here in zip(problem.tables, guests_by_table(plan, len(problem.tables)), strict=True):
        if len(here):
            found += np.maximum(table.least - draws[:, here].sum(axis=1), 0)
    return found


def _count_alone(problem: Problem, plan: IntArray, draws: NDArray[np.bool_]) -> IntArray:
    """Count for each draw those who come and like nobody else at their table who does."""
    likes, found = problem.symmetric > 0 if problem.likes is None else problem.likes, np.zeros(len(draws), np.int64)
    for here in guests_by_table(plan, len(problem.tables)):
        come = draws[:, here]
        liked = come.astype(np.float64) @ likes[here[:, None], here].T.astype(np.float64)
        found += (come & (liked == 0)).sum(axis=1)
    return found


def _values(problem: Problem, plan: IntArray, draws: NDArray[np.bool_]) -> FloatArray:
    """Return for each draw what a plan is worth to those who come; the larger, the better.

    Table by table: a copy of all pairs for each draw would take seconds with thousands of guests.
    """
    is_total = problem.objective == "total"
    pairs, found = problem.scores if is_total else problem.squared_distances, np.zeros(len(draws))
    for here in guests_by_table(plan, len(problem.tables)):
        come = draws[:, here].astype(np.float64)
        sums = ((come @ pairs[here[:, None], here]) * come).sum(axis=1) / 2
        found += sums if is_total else sums / np.maximum(come.sum(axis=1), 1.0)
    return found if is_total else -found / np.maximum(draws.sum(axis=1), 1)


def _size(problem: Problem) -> float:
    """Return how large the numbers are that the objective adds up, whatever their unit: rounding grows with them."""
    is_total = problem.objective == "total"
    pairs = float(np.abs(problem.scores if is_total else problem.squared_distances).max(initial=0.0))
    moves = problem.move_cost * problem.guest_count if problem.previous is not None else 0.0
    return max(pairs, float(abs(problem.fairness)), moves)


def _part(difference: float, value: float, size: float) -> float:
    """Return a difference as a part of a value, or of itself where the value is as good as 0; rounding is nothing."""
    if abs(difference) <= ROUNDING * (size + abs(value)):
        return 0.0
    return difference / (abs(value) if abs(value) > ROUNDING * abs(difference) else abs(difference))


def _keeps_minimums(problem: Problem, plan: IntArray, come: NDArray[np.bool_]) -> bool:
    there = np.bincount(plan[come], minlength=len(problem.tables))
    used = np.bincount(plan, minlength=len(problem.tables)) > 0
    least = np.array([table.least for table in problem.tables])
    return bool((there >= least)[used].all())
