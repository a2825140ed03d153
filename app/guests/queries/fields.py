"""Reads of the fields of an event's guests: its sides, its menu and its own fields, and who has which value."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import bindparam, func, select
from sqlalchemy.orm import Session

from app.db.models import FieldOption, Guest, GuestField, GuestValue, Rule
from app.db.models.guest_fields import FieldKind
from app.db.once import once


class OptionRow(NamedTuple):
    """One of the values that guests can share."""

    id: UUID
    name: str
    name_key: str
    colour: str
    mark: str


class FieldRow(NamedTuple):
    """A field with its options in their order."""

    id: UUID
    kind: FieldKind
    name: str
    name_key: str
    version: int
    options: tuple[OptionRow, ...]


class StoredValue(NamedTuple):
    """What a guest has in a field: an option, or a text; nothing of both stands for no value."""

    option_id: UUID | None
    text: str


Values = dict[UUID, dict[UUID, StoredValue]]
"""What guests have in each field, by guest and field."""


@once
def fields_of(session: Session, event_id: UUID) -> tuple[FieldRow, ...]:
    """Return the event's fields in their order: its sides, the courses of its menu, and its own."""
    fields = session.execute(_FIELDS, {"event": event_id}).all()
    if not fields:
        return ()
    options: dict[UUID, list[OptionRow]] = {}
    for field_id, *option in session.execute(_OPTIONS, {"event": event_id}):
        options.setdefault(field_id, []).append(OptionRow(*option))
    return tuple(FieldRow(*row, tuple(options.get(row[0], ()))) for row in fields)


def field_of(session: Session, event_id: UUID, field_id: UUID) -> GuestField | None:
    return session.scalar(select(GuestField).where(GuestField.id == field_id, GuestField.event_id == event_id))


def field_rows(session: Session, event_id: UUID) -> list[GuestField]:
    """Return the event's fields in their order, to be changed."""
    query = select(GuestField).where(GuestField.event_id == event_id)
    return list(session.scalars(query.order_by(GuestField.position, GuestField.id)))


def last_position(session: Session, event_id: UUID) -> int:
    """Return the position of the last field, or −1."""
    highest = session.scalar(select(func.max(GuestField.position)).where(GuestField.event_id == event_id))
    return -1 if highest is None else highest


def options_of(session: Session, field_id: UUID) -> list[FieldOption]:
    """Return the options of a field in their order."""
    query = select(FieldOption).where(FieldOption.field_id == field_id)
    return list(session.scalars(query.order_by(FieldOption.position, FieldOption.id)))


def values_of(session: Session, event_id: UUID, guest_ids: Collection[UUID] | None = None) -> Values:
    """Return what the event's guests have in its fields, those of removed guests included; or just some guests'."""
    one = guest_ids is not None and len(guest_ids) == 1
    query = _VALUES.where(GuestValue.guest_id.in_(guest_ids or ())) if one else _VALUES
    found: Values = {}
    for guest_id, field_id, option_id, text in session.execute(query, {"event": event_id}):
        found.setdefault(guest_id, {})[field_id] = StoredValue(option_id, text)
    return found if guest_ids is None else {key: found[key] for key in guest_ids if key in found}


def options_chosen(session: Session, field_id: UUID) -> dict[UUID, UUID]:
    """Return the option of each present guest who has one in this field."""
    found = session.execute(_CHOSEN, {"field": field_id})
    return {guest_id: option_id for guest_id, option_id in found if option_id is not None}


def count_values(session: Session, event_id: UUID) -> dict[tuple[UUID, UUID | None], int]:
    """Return how many present guests have each option of each field; None is for texts."""
    found = session.execute(_COUNTS, {"event": event_id})
    return {(field_id, option_id): number for field_id, option_id, number in found}


@once
def balanced_keys(session: Session, event_id: UUID) -> frozenset[str]:
    """Return the keys of the fields that a rule spreads evenly over the tables."""
    query = select(Rule.field).where(Rule.event_id == event_id, Rule.kind == "spread")
    return frozenset(session.scalars(query))


# Built once: building a statement takes longer than running it.
_OF_EVENT = GuestField.event_id == bindparam("event")
_FIELDS = (
    select(GuestField.id, GuestField.kind, GuestField.name, GuestField.name_key, GuestField.version)
    .where(_OF_EVENT)
    .order_by(GuestField.position, GuestField.id)
)
_OPTIONS = (
    select(FieldOption.field_id, *(getattr(FieldOption, name) for name in OptionRow._fields))
    .join(GuestField, GuestField.id == FieldOption.field_id)
    .where(_OF_EVENT)
    .order_by(FieldOption.position, FieldOption.id)
)
_VALUES = (
    select(GuestValue.guest_id, GuestValue.field_id, GuestValue.option_id, GuestValue.text)
    .join(GuestField, GuestField.id == GuestValue.field_id)
    .where(_OF_EVENT)
)
_CHOSEN = (
    select(GuestValue.guest_id, GuestValue.option_id)
    .join(Guest, Guest.id == GuestValue.guest_id)
    .where(GuestValue.field_id == bindparam("field"), GuestValue.option_id.is_not(None), Guest.removed_at.is_(None))
)
_COUNTS = (
    select(GuestValue.field_id, GuestValue.option_id, func.count())
    .join(Guest, Guest.id == GuestValue.guest_id)
    .where(Guest.event_id == bindparam("event"), Guest.removed_at.is_(None))
    .group_by(GuestValue.field_id, GuestValue.option_id)
)
