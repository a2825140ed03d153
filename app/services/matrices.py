"""All ratings of an event as one matrix: take it, and give it back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from sqlalchemy.orm import Session

from app.db import models
from app.db.queries import guests as guest_queries
from app.errors import Fault, Invalid, collected
from app.formats.arrays import pack_square
from app.formats.matrix import ParsedMatrix
from app.formats.matrix_json import NumberRows
from app.services.access import Actor, require_event
from app.services.guest_entries import GuestEntry
from app.services.guest_lists import replace_guests
from app.services.matrix_checks import check_guests, check_numbers, match_names, match_order
from app.services.rate import open_ratings, remove_ratings
from app.services.ratings import count_every_rating, directed_values
from app.solver.problem import FloatArray


@dataclass(frozen=True)
class Taken:
    """What became of an uploaded matrix."""

    kind: str
    guests: Sequence[models.Guest]
    asymmetric: bool
    left_out: Sequence[str] = ()


@dataclass(frozen=True)
class Ratings:
    """How each guest (row) is rated with each other (column); NaN where unrated, 0 on the diagonal."""

    kind: str
    guests: Sequence[models.Guest]
    values: FloatArray


def read_matrix(session: Session, actor: Actor, event_id: UUID) -> Ratings:
    """Return all ratings in both directions, single ones and uploaded ones together."""
    event = require_event(session, actor, event_id, "editor")
    guests = guest_queries.guests_of(session, event_id)
    values = directed_values(session, event_id, [guest.id for guest in guests])
    np.fill_diagonal(values, 0.0)
    return Ratings(event.kind, guests, values)


def put_matrix(
    session: Session,
    actor: Actor,
    event_id: UUID,
    kind: str | None,
    guest_ids: Sequence[UUID],
    matrix: FloatArray | NumberRows | Sequence[Sequence[object]],
) -> Taken:
    """Make the matrix the event's ratings: all earlier ones go, and the event takes its kind.

    It is kept as it came, but for the diagonal; where the two directions of a pair differ, they are averaged in use.
    None (in an array NaN) leaves a pair unrated. Without a `kind` it is of the event's own.
    """
    event = open_ratings(session, actor, event_id)
    present = guest_queries.guests_of(session, event_id)
    guests = check_guests(guest_ids, present)
    values = check_numbers(matrix, kind or event.kind, [guest.name for guest in guests])
    return _store(session, event, kind or event.kind, guests, values, present)


def put_named_matrix(
    session: Session, actor: Actor, event_id: UUID, kind: str | None, sheet: ParsedMatrix, *, may_replace: bool = True
) -> Taken:
    """Take a matrix whose guests are told by name, or by the order of the guests where it has no names.

    An event without guests gets those of the matrix. What is wrong is told all at once.
    """
    event = open_ratings(session, actor, event_id)
    present = guest_queries.guests_of(session, event_id)
    faults = [Fault("matrix", fault) for fault in sheet.faults]
    if not may_replace:
        faults += faults_of_replacing(session, actor, event_id)
    guests = collected(faults, lambda: _guests_meant(session, actor, event_id, sheet, present), [])
    names = [guest.name for guest in guests] or sheet.names or [""] * len(sheet.matrix)
    values = sheet.matrix
    if values.size or not sheet.faults:
        values = collected(faults, lambda: check_numbers(values, kind or event.kind, names, sheet.places), values)
    if faults:
        raise Invalid(faults)
    return _store(session, event, kind or event.kind, guests, values, present)


def faults_of_replacing(session: Session, actor: Actor, event_id: UUID) -> list[Fault]:
    """Say that rated pairs go when a matrix is taken, if there are any."""
    rated = count_every_rating(session, actor, event_id)
    if not rated:
        return []
    pairs = "The rated pair goes" if rated == 1 else f"The {rated:,} rated pairs go"
    return [Fault("replace", f"{pairs} when the matrix is saved. Tick the box to allow that.")]


def _guests_meant(
    session: Session, actor: Actor, event_id: UUID, sheet: ParsedMatrix, present: Sequence[models.Guest]
) -> Sequence[models.Guest]:
    if sheet.names is None:
        return [] if sheet.faults and not sheet.matrix.size else match_order(len(sheet.matrix), present)
    if not present:
        return _make_guests(session, actor, event_id, sheet.names)
    return match_names(sheet.names, sheet.places, present)


def _make_guests(session: Session, actor: Actor, event_id: UUID, names: Sequence[str]) -> Sequence[models.Guest]:
    try:
        return replace_guests(session, actor, event_id, [GuestEntry(name) for name in names])
    except Invalid as error:
        raise Invalid([Fault("names", fault.message) for fault in error.faults]) from None


def _store(
    session: Session,
    event: models.Event,
    kind: str,
    guests: Sequence[models.Guest],
    values: FloatArray,
    present: Sequence[models.Guest],
) -> Taken:
    asymmetric = not np.array_equal(values, values.T, equal_nan=True)
    remove_ratings(session, event.id)
    ids = [str(guest.id) for guest in guests]
    row = models.RatingMatrix(event_id=event.id, guest_ids=ids, values=pack_square(values), asymmetric=asymmetric)
    session.add(row)
    event.kind = kind
    session.flush()
    rated = set(ids)
    return Taken(kind, guests, asymmetric, [guest.name for guest in present if str(guest.id) not in rated])
