"""A plan for guests who may not come, chosen beside the usual one."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from app.problem.snapshot import Snapshot
from app.runs.options import RunOptions
from app.solver import (
    Deadline,
    FloatArray,
    OnProgress,
    Problem,
    Progress,
    Result,
    ShouldStop,
    Stopped,
    compare_attendance,
    expected_problem,
    improve_attendance,
    plan_figures,
    seats_in_time,
    solve,
)

IMPROVED_SHARE = 0.4
"""The part of the second half in which the plan is improved on drawn replies."""


def solve_uncertain(
    snapshot: Snapshot,
    asked: RunOptions,
    *,
    time_limit: float,
    seed: int,
    on_progress: OnProgress,
    should_stop: ShouldStop,
) -> Result:
    """Spend half the time on the usual plan and half on one that stays good, and keep the better one."""
    problem, chances, half = snapshot.problem, np.array(snapshot.chances), time_limit / 2
    limits: dict[str, Any] = {"restarts": asked.restarts, "seed": seed, "stop_early": asked.stop_early}

    usual = solve(
        problem, time_limit=half, on_progress=_part_of(on_progress, left=half), should_stop=should_stop, **limits
    )
    if usual.stopped_early:
        return usual
    # Without its plans, which are worse at first and judged by other values.
    second = partial(_part_of, on_progress, spent=usual.seconds, has_plans=False)
    weighed, later = expected_problem(problem, chances), half * IMPROVED_SHARE
    try:
        found = solve(
            weighed, time_limit=half - later, on_progress=second(left=later), should_stop=should_stop, **limits
        )
    except Stopped:  # before there was a second plan
        return replace(usual, stopped_early=True, settled_early=False)
    if not found.stopped_early:
        found = _improve(problem, chances, found, Deadline(half, second(), should_stop, spent=found.seconds))
    report = compare_attendance(problem, chances, found.assignment, usual.assignment, seed)
    if report.gain <= 0 and found.stopped_early:  # there may be a better one
        return replace(usual, stopped_early=True, settled_early=False)
    if report.gain <= 0:
        same = compare_attendance(problem, chances, usual.assignment, usual.assignment, seed)
        return replace(usual, attendance=same, seconds=usual.seconds + found.seconds)
    mse, total = plan_figures(problem, found.assignment)
    return replace(
        found,
        mse=mse,
        total=total,
        bound=None,
        proven_optimal=False,
        settled_early=found.settled_early or found.proven_optimal,
        history=(),
        alternatives=(),
        attendance=report,
        seconds=usual.seconds + found.seconds,
    )


def _part_of(on_progress: OnProgress, *, spent: float = 0.0, left: float = 0.0, has_plans: bool = True) -> OnProgress:
    """Report a part of a run with the seconds spent before it and those left after it."""

    def report(progress: Progress) -> None:
        until = None if progress.seconds_left is None else progress.seconds_left + left
        whole = replace(progress, seconds=spent + progress.seconds, seconds_left=until)
        on_progress(whole if has_plans else replace(whole, best=None, seating=None))

    return report


def _improve(problem: Problem, chances: FloatArray, found: Result, deadline: Deadline) -> Result:
    """Return the plan after a search on drawn replies, with its seats in order, if it is better in all that counts."""
    improved = improve_attendance(problem, chances, found.assignment, seed=found.seed, deadline=deadline)
    found = replace(found, stopped_early=deadline.stopped)
    if compare_attendance(problem, chances, improved, found.assignment, found.seed).gain > 0:
        seats = seats_in_time(problem, improved, deadline)
        found = replace(found, assignment=improved, seats=seats)
    return replace(found, seconds=deadline.seconds)
