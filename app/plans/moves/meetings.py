"""What a change of one round does for meetings: how many pairs more or fewer meet in all rounds together."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from sqlalchemy.orm import Session

from app.db.models import Plan
from app.guests.queries.parties import parties_of
from app.plans.queries.rounds import main_of, seats_in_rounds
from app.plans.seating import read_surroundings
from app.problem.snapshot import Snapshot
from app.sentences import count
from app.solver import Problem

EACH_PAIR = 100.0
"""With what gains of meetings are compared: one pair counts as one per cent."""


def weigh_by_meetings(session: Session, plan: Plan, snapshot: Snapshot | None) -> Snapshot | None:
    """Return the problem of a round by its meetings: a pair is worth 1 if it meets in no other round, else 0.

    Households count as neither. Guests whom the run did not know meet people as others do, so they are added. The
    problem of a plan without rounds stays as it is.
    """
    if snapshot is None or not plan.round:
        return snapshot
    new_guests = read_surroundings(session, plan.event_id).names.keys() - set(snapshot.guest_ids)
    guest_ids = (*snapshot.guest_ids, *sorted(new_guests))
    position = {guest: number for number, guest in enumerate(guest_ids)}
    new = np.ones((len(position), len(position)))
    companies: dict[tuple[int, object], list[int]] = {}
    for seat in seats_in_rounds(session, main_of(plan)):
        if seat.number != plan.round and seat.guest_id in position:
            companies.setdefault((seat.number, seat.table_id), []).append(position[seat.guest_id])
    households = ([position[one] for one in home if one in position] for home in parties_of(session, plan.event_id))
    for company in (*companies.values(), *households):
        new[np.ix_(company, company)] = 0.0
    np.fill_diagonal(new, 0.0)
    return replace(snapshot, problem=Problem(new, snapshot.problem.tables, objective="total"), guest_ids=guest_ids)


def meetings_words(gain: float | None) -> str:
    """Say how many pairs more or fewer meet."""
    if gain is None:
        return ""
    number = round(abs(gain))
    if not number:
        return "as many pairs meet"
    return f"{count(number, 'more pair' if gain > 0 else 'fewer pair')} {'meets' if number == 1 else 'meet'}"
