"""Reads of runs that check the rules of an event."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.db.models import Event, Run, Seat
from app.events.queries import stored_revision
from app.problem.queries.seats import current_plan_id


@dataclass(frozen=True)
class Leaver:
    """The guest who would leave a party that cannot sit together."""

    id: UUID
    name: str


@dataclass(frozen=True)
class Finding:
    """What a check found, with rules by their positions in the problem; without a message, all can hold."""

    message: str = ""
    rules: tuple[int, ...] = ()
    give_up: int | None = None
    leaver: Leaver | None = None
    how: str = ""
    is_decided: bool = True
    is_alone: bool = False
    """Whether one rule cannot hold by itself."""

    def to_plain(self) -> dict[str, Any]:
        """Return the finding as it is stored with its run."""
        leaver = [str(self.leaver.id), self.leaver.name] if self.leaver else None
        return {**vars(self), "rules": list(self.rules), "leaver": leaver}

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Finding:
        leaver = Leaver(UUID(plain["leaver"][0]), plain["leaver"][1]) if plain["leaver"] else None
        return cls(**{**plain, "rules": tuple(plain["rules"]), "leaver": leaver})


@dataclass(frozen=True)
class RuleState:
    """What differs whenever rules, guests, tables or locks may have changed; ratings and moves do not count."""

    revision: int | None
    locked: str


@dataclass(frozen=True)
class RuleCheck:
    """How a check is doing, in which state of the rules it was asked for, and what it found."""

    status: str
    asked_at: RuleState
    finding: Finding | None


def state_of_rules(session: Session, event_id: UUID) -> RuleState:
    revision = session.scalar(select(stored_revision(("ratings", "plans"))).where(Event.id == event_id))
    plan_id = current_plan_id(session, event_id)
    locked = select(Seat.guest_id, Seat.table_id).where(Seat.plan_id == plan_id, Seat.locked)
    places = sorted(f"{guest} {table}" for guest, table in session.execute(locked)) if plan_id else []
    return RuleState(revision, sha256("\n".join(places).encode()).hexdigest()[:16])


def current_check(session: Session, event_id: UUID) -> RuleCheck | None:
    """Return the check of the rules as they are now, if one was asked for and not cancelled."""
    newest = newest_check(session, event_id)
    if newest is None or newest.status == "cancelled" or newest.asked_at != state_of_rules(session, event_id):
        return None
    return newest


def newest_check(session: Session, event_id: UUID) -> RuleCheck | None:
    """Return the check that was asked for last."""
    query = select(Run.status, Run.marks, Run.progress).where(Run.event_id == event_id, Run.purpose == "check")
    row = session.execute(query.order_by(Run.created_at.desc(), Run.id.desc()).limit(1)).first()
    if row is None:
        return None
    status, asked_at, finding = row
    return RuleCheck(status, RuleState(**asked_at), Finding.from_plain(finding) if finding else None)
