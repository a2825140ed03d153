"""Seats everybody in the unseated tray in the best free places, while all others stay where they are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from uuid import UUID

from sqlalchemy.orm import Session

from app.db import models
from app.errors import Conflict
from app.plans.moves.meetings import weigh_by_meetings
from app.plans.moves.promises import Promises
from app.plans.moves.requests import MoveEntry, Refused, change_for
from app.plans.moves.worth import Worth
from app.plans.queries.moves import seats_kept_for_absent
from app.plans.seating import Place, Places, Seating
from app.problem.snapshot import Snapshot
from app.sentences import count

EVERYONE_SEATED = "Everyone has a seat. Nothing was changed."
MOST_SEATED = 60
"""So many guests are seated at once; for more the solver plans better, and in the background."""


@dataclass(frozen=True)
class _Choice:
    """A table where guests could sit together, with their places there."""

    gain: float
    places: Places


def seat_unseated(session: Session, plan: models.Plan, seating: Seating, snapshot: Snapshot | None) -> Places:
    """Return places for those without a seat; a household sits together, and nothing that holds now is broken."""
    waiting = [guest for guest in seating.names if guest not in seating.places]
    if not waiting:
        raise Conflict(EVERYONE_SEATED)
    if len(waiting) > MOST_SEATED:
        raise Conflict(f"{len(waiting):,} guests have no seat. Up to {MOST_SEATED} can be seated at once; plan again.")
    kept, snapshot = seats_kept_for_absent(session, plan.id), weigh_by_meetings(session, plan, snapshot)
    found: dict[UUID, Place | None] = {}
    # Large households first: they find the fewest places.
    for group in sorted(_groups(seating, waiting), key=len, reverse=True):
        now = replace(seating, places={**seating.places, **{key: one for key, one in found.items() if one}})
        worth = Worth(snapshot, now) if snapshot else None
        best = max(_choices(now, group, worth, kept), key=lambda choice: choice.gain, default=None)
        found |= best.places if best else {}
    if not found:
        message = f"No free place fits {count(len(waiting), 'guest')} without breaking a rule or parting a household."
        raise Conflict(f"{message} Add a table or seats, or let the plan improve everything that is not locked.")
    return found


def _groups(seating: Seating, waiting: list[UUID]) -> list[tuple[UUID, ...]]:
    """Return those who sit down together: households, and whoever comes alone."""
    groups: dict[UUID, list[UUID]] = {}
    for guest in waiting:
        home = seating.homes.get(guest)
        groups.setdefault(home.id if home else guest, []).append(guest)
    return [tuple(guests) for guests in groups.values()]


def _choices(
    seating: Seating, guests: tuple[UUID, ...], worth: Worth | None, kept: dict[UUID, frozenset[int]]
) -> Iterator[_Choice]:
    promises = Promises(seating)
    for table in seating.open_tables:
        around = replace(seating, kept_seats=kept.get(table.id, frozenset()))
        free = [seat for seat in around.free_seats(table.id) if seat not in around.kept_seats]
        if len(free) < len(guests):
            continue
        for seat in free:
            try:
                places = change_for(around, MoveEntry("move", None, None, table.id, seat, guests)).places
            except Refused:
                break
            if not promises.newly_broken(places):
                yield _Choice(worth.gain(places) if worth else 0.0, places)
                break
