"""Several rounds of a run: the first one as its plan, the others beside it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from app.problem.snapshot import Snapshot
from app.runs.options import RunOptions
from app.runs.progress import rounds_shown
from app.solver import (
    Alternative,
    FloatArray,
    IntArray,
    OnProgress,
    Problem,
    Progress,
    Result,
    RoundsProblem,
    plan_figures,
    solve_rounds,
    worth_of_meeting,
)


def solve_in_rounds(
    snapshot: Snapshot, options: RunOptions, on_progress: OnProgress, previous: IntArray | None = None, **limits: Any
) -> Result:
    """Return the first round as a plan, and the others as its alternatives in their order.

    `previous` is the plan to go on from: the table of each guest, a row for each round.
    """
    rounds = _rounds(snapshot, options)
    asked = RoundsProblem(
        rounds,
        places=tuple(part.places for part in snapshot.rounds),
        wishes=_wishes(snapshot, options),
        met=_met(snapshot, options),
        hosts=tuple(snapshot.guest_ids.index(host) for host in options.hosts),
        spread=options.goal == "spread",
        previous=previous,
    )
    limits |= {"restarts": options.restarts, "stop_early": options.stop_early}
    found = solve_rounds(asked, on_progress=_in_the_venue(snapshot, on_progress), **limits)
    first, *others = (
        Alternative(at, seats, *plan_figures(one, at))
        for one, at, seats in zip(rounds, found.assignments, found.seats, strict=True)
    )
    return Result(
        **vars(first),
        method="full",
        objective=options.objective,
        seed=found.seed,
        restarts=found.restarts,
        iterations=found.iterations,
        positions=np.zeros((len(snapshot.guest_ids), 2)),
        seconds=found.seconds,
        stopped_early=found.stopped_early,
        settled_early=found.settled,
        meetings_proven=found.proven_optimal,
        alternatives=tuple(others),
    )


def _in_the_venue(snapshot: Snapshot, on_progress: OnProgress) -> OnProgress:
    """Return what takes progress and passes it on with the rounds that a page shows, at the tables of the venue."""

    def report(progress: Progress) -> None:
        if progress.seating is not None:
            shown = progress.seating[: rounds_shown(len(snapshot.guest_ids))]
            places = [np.array(part.places) for part in snapshot.rounds[: len(shown)]]
            rows = [place[at] for place, at in zip(places, shown, strict=True)] if places else shown
            progress = replace(progress, seating=np.concatenate(rows))
        on_progress(progress)

    return report


def _rounds(snapshot: Snapshot, options: RunOptions) -> tuple[Problem, ...]:
    """Return the problem of each round; those that are alike are one, because the solver lays each out once."""
    shared = replace(snapshot.problem, parties=()) if options.split_households else snapshot.problem
    if not snapshot.rounds:  # stored before rounds had tables of their own
        return (shared,) * options.rounds
    problems = {id(part): part.problem_of(shared) for part in snapshot.rounds}
    return tuple(problems[id(part)] for part in snapshot.rounds)


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
