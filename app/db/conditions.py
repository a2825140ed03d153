"""Conditions and locks that several packages share."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from sqlalchemy import BindParameter, ColumnElement, case, select
from sqlalchemy.orm import Session

from app.db.models import Event, Guest, Link, Run, RunShard, WishLink

RunRequest = Literal["", "finish", "cancel"]
"""What people ask of a run that a worker holds: to end with the best plan so far, or without a plan."""


def is_seated() -> ColumnElement[bool]:
    """Return the one condition that decides who gets a seat, for queries that read `Guest`.

    Whoever said no is not seated, nor is a removed guest; those who have not decided are if the event says so.
    """
    undecided = select(Event.seats_undecided).where(Event.id == Guest.event_id).scalar_subquery()
    return Guest.removed_at.is_(None) & ((Guest.reply == "yes") | ((Guest.reply != "no") & undecided))


def is_open(link: type[Link | WishLink], at: datetime | BindParameter[datetime]) -> tuple[ColumnElement[bool], ...]:
    """Return the condition for links that are neither revoked nor expired."""
    return link.revoked_at.is_(None), link.expires_at.is_(None) | (link.expires_at > at)


def may_come(guest: type[Guest]) -> tuple[ColumnElement[bool], ...]:
    """Return the condition for guests who were not removed and did not say no."""
    return guest.removed_at.is_(None), guest.reply != "no"


def hold_runs(session: Session, which: ColumnElement[bool]) -> None:
    """Keep workers out of these runs until the transaction ends: the shards first, then the runs, as they do."""
    runs = select(Run.id).where(which).order_by(Run.id)
    shards = select(RunShard.number).where(RunShard.run_id.in_(runs)).order_by(RunShard.run_id, RunShard.number)
    session.execute(shards.with_for_update())
    session.execute(runs.with_for_update())


def request_of_run() -> ColumnElement[RunRequest]:
    """Return what people ask of a run, which its worker learns when it renews its lease."""
    return case((Run.cancel_requested, "cancel"), (Run.finish_requested, "finish"), else_="")
