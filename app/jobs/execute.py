"""execute_run: take a run, solve it, and write plan and status in one transaction."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Literal, TypeVar, cast
from uuid import UUID

from sqlalchemy.exc import IntegrityError, OperationalError
from sqlalchemy.orm import Session

from app.db.session import Sessions, transaction
from app.errors import ConviveError
from app.jobs.keeper import Keeper
from app.jobs.tracker import Tracker, final_report
from app.logs import logger
from app.services.leases import Lease, end_run, hand_back, read_problem, take_lease
from app.services.plan_making import create_plan
from app.services.snapshots import Snapshot, unpack
from app.solver.problem import Method, Problem
from app.solver.result import Result, ShouldStop, never_stop
from app.solver.solve import solve

Outcome = Literal["done", "failed", "cancelled", "handed back", "lost"]
Value = TypeVar("Value")
PAPER_SHARE = 0.1  # of the time limit, to say what the paper's method alone would have given
MOST_COMPARED = 1000
WAITS = (0.2, 0.5, 1.0, 2.0, 4.0, 8.0, 8.0, 8.0)
GIVEN_UP = (
    "The solver was interrupted {times} times and gave up. The computer may have run out of memory or been switched "
    "off. Nothing else was changed. Start a new run; a shorter time limit asks less of the computer."
)
CHANGED = "Guests or tables of this event were deleted while the plan was being made. Start a new run."
NO_MEMORY = "The computer ran out of memory. Close other programs, or seat the guests in two events, and start again."
UNFORESEEN = (
    "Something went wrong while the plan was being made. Nothing else was changed. Start a new run; if it fails again, "
    "the server's log says more under this run's id: {run}."
)
log = logger(__name__)


def execute_run(
    sessions: Sessions, run_id: UUID, *, max_attempts: int = 3, is_stopping: Callable[[], bool] = never_stop
) -> Outcome | None:
    """Solve one run to its end; None when it is not to be had."""
    lease = _insist(sessions, lambda session: take_lease(session, run_id))
    if lease is None:
        return None
    outcome = _execute(sessions, lease, max_attempts, is_stopping)
    log.info("run", run=str(run_id), attempt=lease.attempt, outcome=outcome)
    return outcome


def _execute(sessions: Sessions, lease: Lease, max_attempts: int, is_stopping: Callable[[], bool]) -> Outcome:
    if lease.cancel_requested:
        return _end(sessions, lease, "cancelled")
    if lease.attempt > max_attempts:
        return _end(sessions, lease, "failed", GIVEN_UP.format(times=max_attempts))
    try:
        return _solve(sessions, lease, is_stopping)
    except Exception as error:
        return _end(sessions, lease, "failed", _reason(error, lease))


def _reason(error: Exception, lease: Lease) -> str:
    """Say why a run failed and what to do; the log has the rest."""
    match error:
        case ConviveError():
            return error.message
        case IntegrityError():
            return CHANGED
        case MemoryError():
            return NO_MEMORY
    log.error("run failed", run=str(lease.run_id), exc_info=error)
    return UNFORESEEN.format(run=lease.run_id)


def _solve(sessions: Sessions, lease: Lease, is_stopping: Callable[[], bool]) -> Outcome:
    tracker = Tracker()
    with Keeper(sessions, lease, tracker, is_stopping) as keeper:
        snapshot = unpack(_insist(sessions, lambda session: read_problem(session, lease)))
        result = solve(
            snapshot.problem,
            method=cast("Method", lease.method),
            restarts=lease.restarts,
            time_limit=lease.time_limit,
            seed=lease.seed,
            on_progress=tracker,
            should_stop=keeper.should_stop,
        )
        paper = try_paper(snapshot.problem, lease, keeper.should_stop) if result.method == "full" else None
    if keeper.lost:
        return "handed back" if is_stopping() else "lost"
    if keeper.cancelled:
        return _end(sessions, lease, "cancelled")
    if is_stopping():
        return "handed back" if _insist(sessions, lambda session: hand_back(session, lease)) else "lost"
    done = _insist(sessions, lambda session: _save(session, lease, snapshot, result, paper))
    return "done" if done else _end(sessions, lease, "cancelled")


def try_paper(problem: Problem, lease: Lease, should_stop: ShouldStop) -> Result | None:
    """Return what the paper's method alone gives in a little time, or none where it cannot be compared."""
    bound = any(len(party) > 1 for party in problem.parties) or problem.rules or problem.locked
    if bound or problem.guest_count > MOST_COMPARED or should_stop():
        return None
    limit = PAPER_SHARE * lease.time_limit
    return solve(
        problem, method="paper", restarts=lease.restarts, time_limit=limit, seed=lease.seed, should_stop=should_stop
    )


def _save(session: Session, lease: Lease, snapshot: Snapshot, result: Result, paper: Result | None) -> bool:
    """Write status and plan together, or neither."""
    if not end_run(session, lease, "done", progress=final_report(result)):
        return False
    create_plan(session, event_id=lease.event_id, run_id=lease.run_id, snapshot=snapshot, result=result, paper=paper)
    return True


def _end(sessions: Sessions, lease: Lease, status: Literal["failed", "cancelled"], error: str | None = None) -> Outcome:
    ended = _insist(sessions, lambda session: end_run(session, lease, status, error=error))
    return status if ended else "lost"


def _insist(sessions: Sessions, act: Callable[[Session], Value]) -> Value:
    """Act in a transaction of its own, again and again while the database is away or locked."""
    for wait in WAITS:
        try:
            with transaction(sessions) as session:
                return act(session)
        except OperationalError as error:
            log.warning("the database is away", error=type(error.orig).__name__, seconds=wait)
            time.sleep(wait)
    with transaction(sessions) as session:
        return act(session)
