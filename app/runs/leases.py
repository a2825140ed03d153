"""Leases: how a worker takes a run, keeps it and ends it. Only the holder of the run's token can write to it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, NamedTuple
from uuid import UUID, uuid4

from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    Integer,
    and_,
    case,
    func,
    literal,
    select,
    true,
    union_all,
    update,
)
from sqlalchemy.orm import Session

from app.db.conditions import RunRequest, request_of_run
from app.db.models import Run, RunNames
from app.db.models.runs import LIVE
from app.runs.lanes import Lane, is_in_lane
from app.runs.lease_clock import is_free, moment
from app.runs.options import OPTION_COLUMNS, RunOptions, split_options
from app.runs.progress import RunProgress
from app.runs.shards import waiting_shards

Ending = Literal["done", "failed", "cancelled"]
Purpose = Literal["plan", "questions", "check"]
"""A run makes a plan, chooses what to ask next or checks the rules: these take seconds and wait behind no plan."""


@dataclass(frozen=True)
class Lease:
    """A run that this worker holds: whoever has the newest token may write."""

    options: RunOptions
    run_id: UUID
    token: UUID
    event_id: UUID
    attempt: int
    purpose: Purpose
    turn: int
    created_at: datetime
    cancel_requested: bool


class Ticket(NamedTuple):
    """What a worker may take next: a run, or one shard of it."""

    run_id: UUID
    shard: int | None = None


def find_waiting(session: Session, lane: Lane = "short", among: ColumnElement[bool] | None = None) -> Ticket | None:
    """Return what comes first of all that waits in this lane, or whose worker has not been heard of for a while."""
    wanted = and_(is_in_lane(lane), true() if among is None else among)
    free = and_(wanted, _is_whole_free(session))
    whole = select(Run.id, literal(None, Integer), Run.turn, Run.queued_at).where(free)
    both: CompoundSelect[Any] = union_all(whole, waiting_shards(session).where(wanted))
    query = both.order_by("turn", "queued_at", "id").limit(1)
    first = session.execute(query).first()
    return Ticket(first[0], first[1]) if first else None


def is_over(session: Session, run_id: UUID) -> bool:
    """Return whether nothing is left to do for a run."""
    status = session.scalar(select(Run.status).where(Run.id == run_id))
    return status not in LIVE


def take_lease(session: Session, run_id: UUID) -> Lease | None:
    """Claim a run for this worker, or return None when another one has it or it is over."""
    token = uuid4()
    taken = session.execute(
        update(Run)
        .where(Run.id == run_id, _is_whole_free(session))
        .values(
            status="running",
            token=token,
            attempts=Run.attempts + 1,
            heartbeat_at=moment(session),
            started_at=func.coalesce(Run.started_at, moment(session)),
        )
        .returning(*_lease_columns())
    ).one_or_none()
    if taken is None:
        return None
    options, rest = split_options(taken)
    return Lease(options, *rest)


def _lease_columns() -> list[ColumnElement[Any]]:
    own = (Run.id, Run.token, Run.event_id, Run.attempts, Run.purpose, Run.turn, Run.created_at, Run.cancel_requested)
    return [column.expression for column in (*OPTION_COLUMNS, *own)]


def read_problem(session: Session, run_id: UUID) -> bytes | None:
    """Return the packed problem of a run, or None when it has gone with its event."""
    return session.scalars(select(Run.problem).where(Run.id == run_id)).one_or_none()


def read_names(session: Session, run_id: UUID) -> dict[str, str]:
    """Return what the guests of a run are called, by id."""
    return session.scalar(select(RunNames.names).where(RunNames.run_id == run_id)) or {}


def renew_lease(session: Session, lease: Lease, progress: RunProgress | None) -> RunRequest | None:
    """Write the progress and the heartbeat; return what people ask of the run, or None when the lease is lost."""
    values: dict[str, Any] = {"heartbeat_at": moment(session)}
    if progress is not None:
        values["progress"] = progress.to_stored()
    query = update(Run).where(_held(lease)).values(**values).returning(request_of_run())
    return session.execute(query).scalar_one_or_none()


def end_run(
    session: Session, lease: Lease, status: Ending, *, report: dict[str, Any] | None = None, error: str | None = None
) -> bool:
    """End the run; false when the lease is lost, or when it was to be done but was cancelled meanwhile.

    One that failed after it was cancelled has no reason: that could name a guest who was erased meanwhile.
    """
    values: dict[str, Any] = {"status": status, "token": None, "error": error, "finished_at": moment(session)}
    if report is not None:
        values["progress"] = report
    if status == "failed":
        values["status"] = case((Run.cancel_requested, "cancelled"), else_="failed")
        values["error"] = case((Run.cancel_requested, None), else_=error)
    query = update(Run).where(_held(lease))
    if status == "done":
        query = query.where(Run.cancel_requested.is_(False))
    return session.scalar(query.values(**values).returning(Run.id)) is not None


def hand_back(session: Session, lease: Lease) -> bool:
    """Give up a run that another worker can take; this does not count as a failed attempt."""
    query = (
        update(Run)
        .where(_held(lease))
        .values(
            status=case((Run.cancel_requested, "cancelled"), else_="queued"),
            finished_at=case((Run.cancel_requested, moment(session)), else_=None),
            token=None,
            attempts=Run.attempts - 1,
            progress=None,
        )
    )
    return session.scalar(query.returning(Run.id)) is not None


def _held(lease: Lease) -> ColumnElement[bool]:
    return and_(Run.id == lease.run_id, Run.token == lease.token, Run.status == "running")


def _is_whole_free(session: Session) -> ColumnElement[bool]:
    return and_(Run.shards_left == 0, is_free(session, Run))
