"""A plan for guests who may not come, chosen beside the usual one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from app.problem.snapshot import Snapshot
from app.runs.options import RunOptions
from app.solver import (
    OnProgress,
    Progress,
    Result,
    ShouldStop,
    Stopped,
    compare_attendance,
    expected_problem,
    plan_figures,
    solve,
)


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
    limits: dict[str, Any] = {
        "restarts": asked.restarts,
        "time_limit": half,
        "seed": seed,
        "stop_early": asked.stop_early,
    }

    def start(progress: Progress) -> None:
        """Report the first half with the time that is left of both."""
        left = progress.seconds_left
        on_progress(replace(progress, seconds_left=None if left is None else left + half))

    usual = solve(problem, on_progress=start, should_stop=should_stop, **limits)
    if usual.stopped_early:
        return usual

    def go_on(progress: Progress) -> None:
        """Report the second half without its plans, which are worse at first and judged by other values."""
        on_progress(replace(progress, best=None, seating=None, seconds=usual.seconds + progress.seconds))

    try:
        found = solve(expected_problem(problem, chances), on_progress=go_on, should_stop=should_stop, **limits)
    except Stopped:  # before there was a second plan
        return replace(usual, stopped_early=True, settled_early=False)
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
