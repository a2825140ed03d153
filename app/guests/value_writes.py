"""Writing what guests have in the event's sides, menu and own fields."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from uuid import UUID

from sqlalchemy import delete, insert, tuple_
from sqlalchemy.orm import Session

from app.db.models import GuestValue
from app.guests.known_fields import NO_VALUE
from app.guests.queries.fields import StoredValue, values_of

CHUNK = 500
Change = tuple[UUID, UUID, StoredValue]
"""A guest, a field, and what the guest has there from now on."""


def changed_values(
    session: Session, event_id: UUID, wanted: Mapping[UUID, Mapping[UUID, StoredValue]], stored: Collection[UUID]
) -> list[Change]:
    """Return what is not as wanted yet; `stored` are those of the guests who can have values already."""
    before = values_of(session, event_id, stored) if stored else {}
    return [
        (guest, field, value)
        for guest, values in wanted.items()
        for field, value in values.items()
        if before.get(guest, {}).get(field, NO_VALUE) != value
    ]


def write_values(session: Session, changes: Collection[Change], new: Collection[UUID] = ()) -> None:
    """Write changes; those of `new` guests have no rows to replace."""
    gone = [(guest, field) for guest, field, _ in changes if guest not in new]
    for start in range(0, len(gone), CHUNK):
        pair = tuple_(GuestValue.guest_id, GuestValue.field_id)
        session.execute(delete(GuestValue).where(pair.in_(gone[start : start + CHUNK])))
    rows = [
        {"guest_id": guest, "field_id": field, "option_id": value.option_id, "text": value.text}
        for guest, field, value in changes
        if value != NO_VALUE
    ]
    if rows:
        session.execute(insert(GuestValue), rows)
