"""The big screen: tables and names, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from sqlalchemy.orm import Session

from app.sharing.shared_rounds import RoundLinks, choose_round
from app.sharing.shared_seating import SharedEvent, SharedTable, seating_for_guests, shared_event


@dataclass(frozen=True)
class Screen:
    """The event, and its tables with the names that guests know."""

    event: SharedEvent
    tables: tuple[SharedTable, ...]
    rounds: RoundLinks


def read_screen(session: Session, event_id: UUID, plan_id: UUID | None, asked: str = "") -> Screen:
    """Return the tables of a plan, of several rounds those of the one asked for; none without a plan."""
    shown, rounds = choose_round(session, plan_id, asked)
    return Screen(shared_event(session, event_id), seating_for_guests(session, shown), rounds)
