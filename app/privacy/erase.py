"""Erasing guests for good: their rows, and every copy of what was in them. Runs and plans keep positions, not names."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

import numpy as np
from sqlalchemy import delete, update
from sqlalchemy.orm import Session

from app.audit.actions import Action
from app.audit.record import record
from app.db.erased_bytes import note_erasure
from app.db.models import Guest, QuestionBatch, RatingMatrix, Run
from app.errors import EventChanged, NotFound
from app.events.context import EventContext
from app.events.queries import count_revision
from app.files.matrices.arrays import pack_square, unpack_square
from app.privacy import copies, queries
from app.ratings.queries.ratings import matrix_of
from app.runs.start import stop_runs

RESTORABLE = timedelta(days=30)
"""For how long a removed guest can be restored before they are erased."""


@dataclass(frozen=True)
class PreparedErasure:
    """Which guests to erase, and the uploaded matrix without them: to make it takes too long for a transaction."""

    event_id: UUID
    guest_ids: frozenset[UUID]
    matrix: queries.MatrixState | None
    values: bytes | None = None
    kept: tuple[str, ...] = ()


def prepare_erasure(session: Session, event_id: UUID, guest_ids: Collection[UUID]) -> PreparedErasure:
    """Work out what is left of the matrix; nothing is written."""
    ids, matrix = frozenset(guest_ids), matrix_of(session, event_id)
    if matrix is None:
        return PreparedErasure(event_id, ids, None)
    gone = {str(guest) for guest in ids}
    places = [place for place, guest in enumerate(matrix.guest_ids) if guest not in gone]
    state = queries.MatrixState(matrix.created_at, matrix.guest_ids)
    if len(places) == len(matrix.guest_ids):
        return PreparedErasure(event_id, ids, state)
    if not places:
        return PreparedErasure(event_id, ids, state, b"")
    values = unpack_square(matrix.values)[np.ix_(places, places)]
    kept = tuple(matrix.guest_ids[place] for place in places)
    return PreparedErasure(event_id, ids, state, pack_square(values), kept)


def prepare_one(ctx: EventContext, guest_id: UUID) -> PreparedErasure:
    """Prepare the erasure of one guest, whether they were removed before or not."""
    ctx.require("owner")
    if queries.guest_ever(ctx.session, ctx.event_id, guest_id) is None:
        raise NotFound("Guest not found in this event.")
    return prepare_erasure(ctx.session, ctx.event_id, [guest_id])


def erase_one(ctx: EventContext, prepared: PreparedErasure) -> None:
    """Erase a guest at once. Nobody can bring them back."""
    ctx.require("owner")
    ctx.hold()
    erase_guests(ctx.session, prepared, by=ctx.actor.user_id)


def erase_guests(session: Session, prepared: PreparedErasure, *, by: UUID | None = None) -> int:
    """Erase guests with all that refers to them, and return how many there were; the event is locked.

    `by` is the account that did it; None if their time was over.
    """
    event_id = prepared.event_id
    guests = queries.guests_ever(session, event_id, prepared.guest_ids)
    if not guests:
        return 0
    _shrink_matrix(session, event_id, prepared)
    parties, groups = {guest.party_id for guest in guests if guest.party_id}, queries.groups_with(session, guests)
    stop_runs(session, Run.event_id == event_id, Run.purpose == "plan")  # their messages could name the guests
    copies.erase_from_runs(session, event_id, guests)
    copies.erase_from_imports(session, event_id, guests)
    copies.erase_from_answers(session, event_id, guests)
    copies.erase_from_prints(session, event_id, guests)
    session.execute(delete(QuestionBatch).where(QuestionBatch.event_id == event_id))
    session.execute(delete(Guest).where(Guest.event_id == event_id, Guest.id.in_([guest.id for guest in guests])))
    queries.delete_empty(session, event_id, parties, groups)
    for guest_id in sorted(prepared.guest_ids):
        record(session, Action.GUEST_ERASED, by=by, event_id=event_id, subject_id=guest_id)
    session.flush()
    session.expire_all()
    count_revision(session, event_id)
    note_erasure(session)
    return len(guests)


def _shrink_matrix(session: Session, event_id: UUID, prepared: PreparedErasure) -> None:
    if queries.matrix_state(session, event_id) != prepared.matrix:
        raise EventChanged
    of_event = RatingMatrix.event_id == event_id
    if prepared.kept:
        values = {"guest_ids": list(prepared.kept), "values": prepared.values}
        session.execute(update(RatingMatrix).where(of_event).values(values))
    elif prepared.values is not None:
        session.execute(delete(RatingMatrix).where(of_event))
