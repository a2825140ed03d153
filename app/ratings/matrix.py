"""All ratings of an event as one matrix: take it, and give it back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

import numpy as np

from app.db import models
from app.errors import EventChanged, FieldError, Invalid, TooLarge, collected
from app.events.context import EventContext
from app.events.queries import revision_of
from app.files.matrices.arrays import pack_square
from app.files.matrices.read import ParsedMatrix
from app.guests.edit import refuse_too_many
from app.guests.entries import GuestEntry
from app.guests.entry_checks import check_entry
from app.guests.queries import guests as guest_queries
from app.guests.whole_list import replace_guests
from app.ratings.change import remove_ratings
from app.ratings.known import count_every_rating, directed_values
from app.ratings.matrix_checks import MOST_RATED, Numbers, check_guests, check_numbers, match_names, match_order
from app.solver import FloatArray, Kind
from app.web.bulk import check_each


@dataclass(frozen=True)
class Ratings:
    """How each guest (row) is rated with each other (column); NaN where unrated, 0 on the diagonal."""

    kind: Kind
    guests: Sequence[models.Guest]
    values: FloatArray


def read_matrix(ctx: EventContext) -> Ratings:
    """Return all ratings in both directions, single ones and uploaded ones together."""
    event = ctx.require("editor")
    present = guest_queries.count_guests(ctx.session, ctx.event_id)
    if present > MOST_RATED:
        limit = f"A matrix can have up to {MOST_RATED:,} guests; this event has {present:,}."
        raise TooLarge(f"{limit} Use single ratings instead.")
    guests = guest_queries.guests_of(ctx.session, ctx.event_id)
    values = directed_values(ctx.session, ctx.event_id, [guest.id for guest in guests])
    np.fill_diagonal(values, 0.0)
    return Ratings(event.kind, guests, values)


@dataclass(frozen=True)
class PreparedMatrix:
    """A matrix that needs only to be written, if the event still has that revision.

    `new_names` are the guests that an event without guests gets; `guests` those whom the matrix means otherwise.
    """

    revision: int | None
    kind: Kind
    guests: Sequence[models.Guest]
    new_names: Sequence[str]
    packed: bytes
    asymmetric: bool
    left_out: Sequence[str]


def put_matrix(ctx: EventContext, kind: Kind | None, guest_ids: Sequence[UUID], matrix: Numbers) -> PreparedMatrix:
    """Prepare a matrix and store it in one transaction."""
    return store_matrix(ctx, prepare_matrix(ctx, kind, guest_ids, matrix))


def prepare_matrix(ctx: EventContext, kind: Kind | None, guest_ids: Sequence[UUID], matrix: Numbers) -> PreparedMatrix:
    """Check and pack a matrix; None (in an array NaN) leaves a pair unrated.

    Without a `kind` it is of the event's own.
    """
    event = ctx.require("editor")
    revision = revision_of(ctx.session, ctx.event_id)
    present = guest_queries.guests_of(ctx.session, ctx.event_id)
    guests = check_guests(guest_ids, present)
    values = check_numbers(matrix, kind or event.kind, [guest.name for guest in guests])
    return _packed(revision, kind or event.kind, guests, (), values, present)


def prepare_named_matrix(
    ctx: EventContext, kind: Kind | None, sheet: ParsedMatrix, *, may_replace: bool = True
) -> PreparedMatrix:
    """Check and pack a matrix whose guests are named; without names, they are in the order of the guest list.

    An event without guests gets those of the matrix. All errors are reported at once.
    """
    event = ctx.require("editor")
    revision = revision_of(ctx.session, ctx.event_id)
    present = guest_queries.guests_of(ctx.session, ctx.event_id)
    faults = [FieldError("matrix", error) for error in sheet.errors]
    if not may_replace:
        faults += faults_of_replacing(ctx)
    new_names = sheet.names if sheet.names is not None and not present else ()
    guests: Sequence[models.Guest] = []
    if new_names:
        collected(faults, lambda: _check_new(new_names), None)
    else:
        guests = collected(faults, lambda: _guests_meant(sheet, present), [])
    names = [guest.name for guest in guests] or sheet.names or [""] * len(sheet.matrix)
    values = sheet.matrix
    if values.size or not sheet.errors:
        values = collected(faults, lambda: check_numbers(values, kind or event.kind, names, sheet.places), values)
    if faults:
        raise Invalid(faults)
    return _packed(revision, kind or event.kind, guests, new_names, values, present)


def store_matrix(ctx: EventContext, prepared: PreparedMatrix) -> PreparedMatrix:
    """Make the matrix the event's ratings: all earlier ones go, and the event takes its kind and the new guests.

    It is kept as it came, but for the diagonal; where the two directions of a pair differ, they are averaged in use.
    """
    event = ctx.edit()
    if event.revision != prepared.revision:
        raise EventChanged
    guests = prepared.guests
    if prepared.new_names:
        guests = replace_guests(ctx, [GuestEntry(name) for name in prepared.new_names])
    remove_ratings(ctx.session, event.id)
    ids = [str(guest.id) for guest in guests]
    row = models.RatingMatrix(event_id=event.id, guest_ids=ids, values=prepared.packed, asymmetric=prepared.asymmetric)
    ctx.session.add(row)
    event.kind = prepared.kind
    ctx.session.flush()
    return replace(prepared, guests=guests)


def faults_of_replacing(ctx: EventContext) -> list[FieldError]:
    """Say that rated pairs go when a matrix is taken, if there are any."""
    rated = count_every_rating(ctx)
    if not rated:
        return []
    pairs = "1 rated pair" if rated == 1 else f"{rated:,} rated pairs"
    return [FieldError("replace", f"Saving the matrix deletes {pairs}. Tick the box to confirm.")]


def _guests_meant(sheet: ParsedMatrix, present: Sequence[models.Guest]) -> Sequence[models.Guest]:
    if sheet.names is None:
        return [] if sheet.errors and not sheet.matrix.size else match_order(len(sheet.matrix), present)
    return match_names(sheet.names, sheet.places, present)


def _check_new(names: Sequence[str]) -> None:
    """Refuse names that cannot be those of new guests."""
    try:
        refuse_too_many(len(names), "names")
        check_each("guests", [GuestEntry(name) for name in names], check_entry)
    except Invalid as error:
        raise Invalid([FieldError("names", fault.message) for fault in error.faults]) from None


def _packed(
    revision: int | None,
    kind: Kind,
    guests: Sequence[models.Guest],
    new_names: Sequence[str],
    values: FloatArray,
    present: Sequence[models.Guest],
) -> PreparedMatrix:
    asymmetric = not np.array_equal(values, values.T, equal_nan=True)
    rated = {guest.id for guest in guests}
    left_out = [guest.name for guest in present if guest.id not in rated]
    return PreparedMatrix(revision, kind, guests, new_names, pack_square(values), asymmetric, left_out)
