"""Repair: after guests came or went or a table was lost, the best plan for each number of guests moved.

Charging for every move and lowering the price step by step gives plans from the nearest to the best; each is
the start of the next search, and every plan met on the way counts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from app.solver.blocks import build_blocks
from app.solver.check import check
from app.solver.pool import Member
from app.solver.problem import IntArray, Problem
from app.solver.score import mean_squared_error, total_score
from app.solver.search import Search
from app.solver.strategy import choose_effort
from app.solver.watch import Watch

PRICES = 10
COUNTS = (0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144)


@dataclass(frozen=True)
class Repair:
    """The best plan that moves at most `moved` of the guests who had a seat."""

    moved: int
    assignment: IntArray
    mse: float
    total: float


def repair_curve(
    problem: Problem, *, seed: int = 1, restarts: int = 8, watch: Watch | None = None
) -> tuple[Repair, ...]:
    """Return the curve from the fewest moves that keep the rules to the best plan, each better than the one before.

    `problem.previous` is the current plan: −1 for a guest without a seat there or whose table is gone.
    """
    watch = watch or Watch()
    plans = _collect(problem, seed, restarts, watch)
    before = np.array(problem.previous if problem.previous is not None else [-1] * problem.guest_count)
    best: dict[int, Repair] = {}
    for assignment in plans:
        repair = _measure(problem, before, assignment)
        limit = next((count for count in COUNTS if repair.moved <= count), repair.moved)
        if limit not in best or _is_better(problem, repair, best[limit]):
            best[limit] = repair
    curve: list[Repair] = []
    for limit in sorted(best):
        if not curve or _is_better(problem, best[limit], curve[-1]):
            curve.append(best[limit])
    return tuple(curve)


def _collect(problem: Problem, seed: int, restarts: int, watch: Watch) -> list[IntArray]:
    """Return the plans found at falling prices for a move, each search starting from the last one's plan."""
    checked = check(problem, seed)
    scores = problem.scores if problem.objective == "total" else problem.squared_distances
    dear = 4.0 * (float(np.abs(scores).max(initial=0.0)) + 1.0) * max(table.most for table in problem.tables)
    if problem.objective == "average":
        dear /= problem.guest_count
    start, plans = checked.at, []
    for step in range(PRICES):
        price = dear * 4.0**-step if step < PRICES - 1 else 0.0
        blocks = build_blocks(replace(problem, move_cost=price), checked.structure)
        effort = choose_effort(blocks.count, restarts, None)
        search = Search(
            blocks,
            (start,),
            effort=effort,
            restarts=restarts,
            seed=seed + step,
            watch=watch,
            until=None,
            figure=lambda at: 0.0,
        )
        found = search.run()
        start = found.best.at
        plans += [checked.structure.guests_at(member.at) for member in _all(found.best, found.pool.members)]
        if watch.is_stopped():
            break
    return plans


def _all(best: Member, members: list[Member]) -> list[Member]:
    return [best, *members]


def _measure(problem: Problem, before: IntArray, assignment: IntArray) -> Repair:
    moved = int(((before >= 0) & (before != assignment)).sum())
    mse = mean_squared_error(problem.squared_distances, assignment, len(problem.tables))
    return Repair(moved, assignment, mse, total_score(problem.scores, assignment))


def _is_better(problem: Problem, one: Repair, other: Repair) -> bool:
    if problem.objective == "average":
        return one.mse < other.mse - 1e-12
    return one.total > other.total + 1e-12
