"""execute_run: take a run, solve it, and write plan and status in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.audit.actions import Action, Details
from app.audit.record import record
from app.db.models import Run
from app.db.session import Sessions
from app.plans.save import Drawn, Origin, Rounds, create_plan, draw_plans, origin_of
from app.problem.packing import unpack
from app.problem.snapshot import Snapshot, with_names
from app.runs.leases import Lease, end_run, hand_back, is_over, read_names, renew_lease, take_lease
from app.runs.progress import RunProgress
from app.runs.shards import forget_found, read_found
from app.solver import (
    Problem,
    Result,
    ShardFound,
    ShouldStop,
    find_repairs,
    finish_shards,
    never_stop,
    solve,
)
from app.worker.check_rules import check_rules
from app.worker.choose_questions import choose_questions
from app.worker.go_on import rounds_of_plan, with_plan
from app.worker.leased_work import HeldWork, Outcome, Save, WorkerContext
from app.worker.progress_tracker import Tracker, final_report
from app.worker.report import report_run
from app.worker.retry import retry
from app.worker.solve_in_rounds import solve_in_rounds
from app.worker.solve_uncertain import solve_uncertain
from app.worker.well_seated import count_well_seated

PAPER_SHARE = 0.1  # of the time limit, to say what the paper's method alone would have given
MOST_COMPARED = 1000


@dataclass(frozen=True)
class SolvedRun:
    """All that is needed to store the plans of a run; `origin` is where guests sat in the plan that it started from."""

    snapshot: Snapshot
    result: Result
    paper: Result | None
    origin: Origin | None
    is_repair: bool
    drawn: Sequence[Drawn]
    rounds: Rounds


def execute_run(
    sessions: Sessions, run_id: UUID, *, max_attempts: int = 3, is_stopping: Callable[[], bool] = never_stop
) -> Outcome | None:
    """Solve one run here and now."""
    return solve_run(WorkerContext(sessions, max_attempts, is_stopping), run_id)


def solve_run(worker: WorkerContext, run_id: UUID) -> Outcome | None:
    """Solve one run to its end, or finish one whose shards are all done; None when it is over or gone."""
    lease = retry(worker.sessions, lambda session: _take(worker, session, run_id))
    if lease == "put back":
        return "put back"
    if lease is None:
        return None if retry(worker.sessions, lambda session: is_over(session, run_id)) else "busy"
    held = HeldWork(
        worker,
        lease,
        work=partial(_work, worker, lease),
        renew=lambda session, progress: renew_lease(session, lease, progress),
        hand_back=lambda session: hand_back(session, lease),
        fail=lambda session, error: end_run(session, lease, "failed", error=error),
        cancel=partial(_cancel, worker, lease),
    )
    kind = "run" if lease.purpose == "plan" else lease.purpose
    work = held.cancel if lease.cancel_requested else held.execute
    return report_run(worker.sessions, run_id, kind, work, attempt=lease.attempt, method=lease.options.method)


def _take(worker: WorkerContext, session: Session, run_id: UUID) -> Lease | Literal["put back"] | None:
    return "put back" if worker.put_off(session, run_id) else take_lease(session, run_id)


def _cancel(worker: WorkerContext, lease: Lease) -> Outcome:
    ended = retry(worker.sessions, lambda session: end_run(session, lease, "cancelled"))
    return "cancelled" if ended else "lost"


def _work(worker: WorkerContext, lease: Lease, packed: bytes, tracker: Tracker, should_stop: ShouldStop) -> Save:
    """Do what the run is for; return what writes it down."""
    if lease.purpose == "questions":
        save = choose_questions(lease, packed, should_stop)
    elif lease.purpose == "check":
        save = check_rules(lease, packed, _names(worker, lease))
    else:
        save = _make_plan(worker, lease, packed, tracker, should_stop)
    return lambda session: "done" if save(session) else None


def _make_plan(
    worker: WorkerContext, lease: Lease, packed: bytes, tracker: Tracker, should_stop: ShouldStop
) -> Callable[[Session], bool]:
    snapshot = with_names(unpack(packed), _names(worker, lease))
    snapshot = retry(worker.sessions, lambda session: with_plan(session, snapshot, lease.options))
    tracker.count_well_seated = count_well_seated(snapshot, lease.options)
    result = _result(worker, lease, snapshot, tracker, should_stop)
    tracker.has_plan = True  # also where shards found it
    is_compared = result.method == "full" and not lease.options.repair and lease.options.rounds == 1
    paper = try_paper(snapshot.problem, lease, should_stop) if is_compared else None
    origin, is_repair = None, bool(lease.options.repair or snapshot.problem.move_cost)
    if (is_repair or lease.options.from_plan) and lease.options.rounds == 1:
        origin = retry(worker.sessions, lambda session: origin_of(session, lease.options.from_plan))
    # Worked out now, and not while the database is locked.
    rounds = Rounds(lease.options.rounds > 1, lease.options.split_households)
    drawn = draw_plans(snapshot, result, paper, origin, is_repair=is_repair, rounds=rounds)
    made = SolvedRun(snapshot, result, paper, origin, is_repair, drawn, rounds)
    report = final_report(result, tracker.report() if rounds.are_several else None)
    return lambda session: _save(session, lease, made, report)


def _names(worker: WorkerContext, lease: Lease) -> dict[str, str]:
    return retry(worker.sessions, lambda session: read_names(session, lease.run_id))


def _result(
    worker: WorkerContext, lease: Lease, snapshot: Snapshot, tracker: Tracker, should_stop: ShouldStop
) -> Result:
    """Solve the problem, or put together what the shards of the run found."""
    asked = lease.options
    limits: dict[str, Any] = {
        "time_limit": asked.time_limit,
        "seed": asked.seed,
        "on_progress": tracker,
        "should_stop": should_stop,
    }
    problem = snapshot.problem
    if asked.rounds > 1:
        start = retry(worker.sessions, lambda session: rounds_of_plan(session, snapshot, asked.from_plan))
        return solve_in_rounds(snapshot, asked, previous=start, **limits)
    if asked.repair:
        return find_repairs(problem, restarts=asked.restarts, **limits)
    if asked.shards > 1:
        parts = retry(worker.sessions, lambda session: read_found(session, lease.run_id))
        return finish_shards(problem, [ShardFound.from_bytes(part) for part in parts], method=asked.method, **limits)
    if snapshot.chances:
        return solve_uncertain(snapshot, asked, **limits)
    return solve(problem, method=asked.method, restarts=asked.restarts, stop_early=asked.stop_early, **limits)


def try_paper(problem: Problem, lease: Lease, should_stop: ShouldStop) -> Result | None:
    """Return what the paper's method alone gives in a little time, or none where it cannot be compared."""
    bound = any(len(party) > 1 for party in problem.parties) or problem.rules or problem.locked
    asked = problem.fairness or problem.move_cost
    if bound or asked or problem.guest_count > MOST_COMPARED or should_stop():
        return None
    restarts, limit, seed = lease.options.restarts, PAPER_SHARE * lease.options.time_limit, lease.options.seed
    found = solve(problem, method="paper", restarts=restarts, time_limit=limit, seed=seed, should_stop=should_stop)
    return None if should_stop() else found  # it may have been stopped before its first restart


def _save(session: Session, lease: Lease, made: SolvedRun, report: RunProgress) -> bool:
    """Write status and plan together, or neither."""
    if not end_run(session, lease, "done", report=report.to_stored()):
        return False
    use = lease.options.use_plan
    plan = create_plan(session, event_id=lease.event_id, run_id=lease.run_id, use=use, **vars(made))
    by = session.scalar(select(Run.user_id).where(Run.id == lease.run_id))
    details = Details(version=plan.number)
    record(session, Action.PLAN_CREATED, by=by, event_id=lease.event_id, subject_id=plan.id, details=details)
    if lease.options.shards > 1:
        forget_found(session, lease.run_id)
    return True
