"""execute_run: take a run, solve it, and write plan and status in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal
from uuid import UUID

from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from app.db.session import Sessions
from app.plans.save import Drawn, create_plan, draw_plans, origin_of
from app.problem.snapshot import Snapshot, unpack
from app.runs.failure_messages import GIVEN_UP, reason
from app.runs.interruptions import forgive_run, is_given_up, put_back
from app.runs.leases import Lease, end_run, hand_back, is_over, read_problem, renew_lease, take_lease
from app.runs.shards import forget_found, read_found
from app.solver import (
    Problem,
    Result,
    ShardFound,
    ShouldStop,
    Stopped,
    find_repairs,
    finish_shards,
    never_stop,
    solve,
)
from app.worker.check_rules import check_rules
from app.worker.choose_questions import Save, choose_questions
from app.worker.heartbeat import Keeper
from app.worker.low_priority import aside
from app.worker.progress_tracker import Tracker, final_report
from app.worker.report import report_run
from app.worker.retry import insist

Outcome = Literal["done", "part done", "failed", "cancelled", "handed back", "put back", "lost", "busy"]
PAPER_SHARE = 0.1  # of the time limit, to say what the paper's method alone would have given
MOST_COMPARED = 1000


def leave_in_row(session: Session, run_id: UUID, shard: int | None, turn: int) -> None:
    """Leave what was given back in its row, where the embedded worker finds it."""


@dataclass(frozen=True)
class Bench:
    """What a worker brings to every run: the database, its limits, and how others learn of what it gives back."""

    sessions: Sessions
    max_attempts: int = 3
    is_stopping: Callable[[], bool] = never_stop
    enqueue: Callable[[Session, UUID, int | None, int], None] = leave_in_row


def execute_run(
    sessions: Sessions, run_id: UUID, *, max_attempts: int = 3, is_stopping: Callable[[], bool] = never_stop
) -> Outcome | None:
    """Solve one run here and now."""
    return solve_run(Bench(sessions, max_attempts, is_stopping), run_id)


def solve_run(bench: Bench, run_id: UUID) -> Outcome | None:
    """Solve one run to its end, or finish one whose shards are all done; None when it is over or gone."""
    lease = insist(bench.sessions, lambda session: _take(bench, session, run_id))
    if lease == "put back":
        return "put back"
    if lease is None:
        return None if insist(bench.sessions, lambda session: is_over(session, run_id)) else "busy"
    kind = "run" if lease.purpose == "plan" else lease.purpose
    work = partial(_execute, bench, lease)
    return report_run(bench.sessions, run_id, kind, work, attempt=lease.attempt, method=lease.options.method)


def _take(bench: Bench, session: Session, run_id: UUID) -> Lease | Literal["put back"] | None:
    return "put back" if put_off(bench, session, run_id) else take_lease(session, run_id)


def put_off(bench: Bench, session: Session, run_id: UUID, shard: int | None = None) -> bool:
    """Let a run whose worker went silent wait for its new turn, if others wait; tell whether that was done."""
    turn = put_back(session, run_id, shard)
    if turn is not None:
        bench.enqueue(session, run_id, shard, turn)
    return turn is not None


def gives_up(bench: Bench, run_id: UUID, attempt: int) -> bool:
    """Tell whether a run has been interrupted so often that it is to blame."""
    if attempt <= bench.max_attempts:
        return False
    return insist(bench.sessions, lambda session: is_given_up(session, run_id, attempt, bench.max_attempts))


def _execute(bench: Bench, lease: Lease) -> Outcome:
    if lease.cancel_requested:
        return _end(bench, lease, "cancelled")
    if gives_up(bench, lease.run_id, lease.attempt):
        return _end(bench, lease, "failed", GIVEN_UP.format(times=lease.attempt - 1))
    try:
        outcome = _solve(bench, lease)
        if outcome == "lost":
            insist(bench.sessions, lambda session: forgive_run(session, lease))
        return outcome
    except OperationalError:
        # The database is away for longer than one insists. The lease runs out and the work is taken up again.
        raise
    except Exception as error:
        return _end(bench, lease, "failed", reason(error, lease.run_id))


def _solve(bench: Bench, lease: Lease) -> Outcome:
    tracker = Tracker()
    give_back = partial(_give_back, bench, lease)
    with Keeper(
        bench.sessions,
        tracker,
        renew=lambda session, progress: renew_lease(session, lease, progress),
        give_back=give_back,
        is_stopping=bench.is_stopping,
    ) as keeper:
        packed = insist(bench.sessions, lambda session: read_problem(session, lease.run_id))
        if packed is None:
            return "lost"
        try:
            save = aside(partial(_work, bench, lease, packed, tracker, keeper.should_stop))
        except Stopped:  # before there was any plan
            save = _save_nothing
    if keeper.lost:
        return "handed back" if bench.is_stopping() else "lost"
    if keeper.cancelled:
        return _end(bench, lease, "cancelled")
    if bench.is_stopping():
        return "handed back" if insist(bench.sessions, give_back) else "lost"
    done = insist(bench.sessions, save)
    return "done" if done else _end(bench, lease, "cancelled")


def _work(bench: Bench, lease: Lease, packed: bytes, tracker: Tracker, should_stop: ShouldStop) -> Save:
    """Do what the run is for; return what writes it down."""
    if lease.purpose == "questions":
        return choose_questions(lease, packed, should_stop)
    if lease.purpose == "check":
        return check_rules(lease, packed)
    if lease.purpose != "plan":
        raise ValueError(f"unknown purpose of a run: {lease.purpose}")
    snapshot = unpack(packed)
    result = _result(bench, lease, snapshot.problem, tracker, should_stop)
    is_compared = result.method == "full" and not lease.options.repair
    paper = try_paper(snapshot.problem, lease, should_stop) if is_compared else None
    keeps_chairs = lease.options.repair or snapshot.problem.move_cost
    # Worked out now, and not while the database is locked.
    drawn = [] if keeps_chairs else draw_plans(snapshot, result, paper)
    return lambda session: _save(session, lease, snapshot, result, paper, drawn)


def _result(bench: Bench, lease: Lease, problem: Problem, tracker: Tracker, should_stop: ShouldStop) -> Result:
    """Solve the problem, or put together what the shards of the run found."""
    asked = lease.options
    if asked.repair:
        return find_repairs(
            problem,
            restarts=asked.restarts,
            time_limit=asked.time_limit,
            seed=asked.seed,
            on_progress=tracker,
            should_stop=should_stop,
        )
    if asked.shards > 1:
        parts = insist(bench.sessions, lambda session: read_found(session, lease.run_id))
        return finish_shards(
            problem,
            [ShardFound.from_bytes(part) for part in parts],
            method=asked.method,
            time_limit=asked.time_limit,
            seed=asked.seed,
            on_progress=tracker,
            should_stop=should_stop,
        )
    return solve(
        problem,
        method=asked.method,
        restarts=asked.restarts,
        time_limit=asked.time_limit,
        seed=asked.seed,
        on_progress=tracker,
        should_stop=should_stop,
    )


def _give_back(bench: Bench, lease: Lease, session: Session) -> bool:
    """Give the run back and tell the others, in one transaction."""
    given = hand_back(session, lease)
    if given:
        bench.enqueue(session, lease.run_id, None, lease.turn)
    return given


def try_paper(problem: Problem, lease: Lease, should_stop: ShouldStop) -> Result | None:
    """Return what the paper's method alone gives in a little time, or none where it cannot be compared."""
    bound = any(len(party) > 1 for party in problem.parties) or problem.rules or problem.locked
    asked = problem.fairness or problem.move_cost
    if bound or asked or problem.guest_count > MOST_COMPARED or should_stop():
        return None
    limit = PAPER_SHARE * lease.options.time_limit
    return solve(
        problem,
        method="paper",
        restarts=lease.options.restarts,
        time_limit=limit,
        seed=lease.options.seed,
        should_stop=should_stop,
    )


def _save(
    session: Session,
    lease: Lease,
    snapshot: Snapshot,
    result: Result,
    paper: Result | None,
    drawn: Sequence[Drawn] = (),
) -> bool:
    """Write status and plan together, or neither."""
    if not end_run(session, lease, "done", report=final_report(result).to_stored()):
        return False
    origin = None
    if lease.options.repair or snapshot.problem.move_cost:
        origin = origin_of(session, lease.options.from_plan)
    create_plan(
        session,
        event_id=lease.event_id,
        run_id=lease.run_id,
        snapshot=snapshot,
        result=result,
        paper=paper,
        origin=origin,
        drawn=drawn,
    )
    if lease.options.shards > 1:
        forget_found(session, lease.run_id)
    return True


def _save_nothing(session: Session) -> bool:
    return False


def _end(bench: Bench, lease: Lease, status: Literal["failed", "cancelled"], error: str | None = None) -> Outcome:
    ended = insist(bench.sessions, lambda session: end_run(session, lease, status, error=error))
    return status if ended else "lost"
