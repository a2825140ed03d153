"""The fields of an event that came in a file: its sides, its menu and its own."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy.orm import Session

from app.errors import FieldError, Invalid
from app.events.context import EventContext
from app.guests.field_checks import FieldEntry, OptionEntry
from app.guests.fields import add_field
from app.guests.queries.fields import fields_of
from app.guests.shared_values import can_be_balanced, set_balanced


@dataclass(frozen=True)
class MovedField:
    """A field as files have it; that one is spread over the tables is a rule, but older files say it here."""

    kind: str
    name: str
    options: Sequence[OptionEntry]
    is_balanced: bool = False


def moved_fields(session: Session, event_id: UUID) -> Iterator[MovedField]:
    """Yield the fields of an event for a file."""
    for field in fields_of(session, event_id):
        options = [OptionEntry(option.name, colour=option.colour, mark=option.mark) for option in field.options]
        yield MovedField(field.kind, field.name, options)


def take_fields(ctx: EventContext, fields: Sequence[MovedField], balanced: Collection[str] = ()) -> None:
    """Add the fields of a file to a new event, or say everything that is wrong with them."""
    faults: list[FieldError] = []
    keys = set(balanced)
    for place, field in enumerate(fields):
        try:
            made = add_field(ctx, FieldEntry(field.kind, field.name, field.options))
        except Invalid as error:
            faults += [FieldError(f"fields/{place}/{one.where}", one.message) for one in error.faults]
            continue
        keys |= {made.key} if field.is_balanced else set()
    if faults:
        raise Invalid(faults)
    known = {field.key for field in can_be_balanced(ctx.session, ctx.event_id)}
    if keys:
        set_balanced(ctx, sorted(keys & known))
