"""Several rounds of a run: the first one as its plan, the others beside it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from app.problem.snapshot import Snapshot
from app.runs.options import RunOptions
from app.solver import (
    Alternative,
    FloatArray,
    IntArray,
    Result,
    RoundsProblem,
    plan_figures,
    solve_rounds,
    worth_of_meeting,
)


def solve_in_rounds(snapshot: Snapshot, options: RunOptions, **limits: Any) -> Result:
    """Return the first round as a plan, and the others as its alternatives in their order."""
    problem = replace(snapshot.problem, parties=()) if options.split_households else snapshot.problem
    asked = RoundsProblem(
        (problem,) * options.rounds,
        wishes=_wishes(snapshot, options),
        met=_met(snapshot, options),
        hosts=tuple(snapshot.guest_ids.index(host) for host in options.hosts),
    )
    found = solve_rounds(asked, restarts=options.restarts, **limits)
    first, *others = (
        Alternative(at, seats, *plan_figures(snapshot.problem, at))
        for at, seats in zip(found.assignments, found.seats, strict=True)
    )
    return Result(
        **vars(first),
        method="full",
        objective=options.objective,
        seed=found.seed,
        restarts=found.restarts,
        iterations=found.iterations,
        positions=np.zeros((problem.guest_count, 2)),
        seconds=found.seconds,
        stopped_early=found.stopped_early,
        settled_early=found.proven_optimal,
        alternatives=tuple(others),
    )


def _wishes(snapshot: Snapshot, options: RunOptions) -> FloatArray | None:
    """Return what meetings are worth by what people entered; guesses do not count, and distances say nothing."""
    if snapshot.problem.kind != "score":
        return None
    return worth_of_meeting(snapshot.known.symmetric, options.goal)


def _met(snapshot: Snapshot, options: RunOptions) -> IntArray:
    """Return how often guests met before; households that may be separated have met."""
    met = np.zeros((len(snapshot.guest_ids), len(snapshot.guest_ids)), np.int64)
    for first, second, times in snapshot.met:
        met[first, second] = met[second, first] = times
    for party in snapshot.problem.parties if options.split_households else ():
        met[np.ix_(party, party)] += 1
    np.fill_diagonal(met, 0)
    return met
