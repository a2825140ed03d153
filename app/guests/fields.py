"""The fields of an event's guests: its sides, the courses of its menu, and its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Literal
from uuid import UUID

from sqlalchemy import delete, update
from sqlalchemy.orm import Session
from sqlalchemy.orm.attributes import flag_modified

from app.db.models import FieldOption, GuestField, GuestValue, Rule
from app.db.models.guest_fields import FieldKind
from app.errors import FieldError, Invalid, NotFound
from app.events.context import EventContext
from app.guests.field_checks import FieldEntry, OptionEntry, check_field, refuse_too_many
from app.guests.party_and_group_names import COLOURS
from app.guests.queries import fields as queries
from app.guests.queries.fields import FieldRow
from app.guests.shared_values import field_key
from app.web.bulk import match_stored
from app.web.names import name_key, taken_already

OWN_KINDS = ("choice", "text")
SIDE = "Side"
"""The name of the field of sides, which nobody can change: their own names are what people see."""


@dataclass(frozen=True)
class OptionView:
    """An option and how many guests have it."""

    id: UUID
    name: str
    colour: str
    mark: str
    guests: int


@dataclass(frozen=True)
class FieldView:
    """A field with its options, and how many guests have a value in it."""

    id: UUID
    key: str
    kind: FieldKind
    name: str
    options: tuple[OptionView, ...]
    guests: int
    version: int


def list_fields(ctx: EventContext) -> list[FieldView]:
    """Return the event's fields in their order."""
    return _views(ctx, queries.fields_of(ctx.session, ctx.event_id))


def show_field(ctx: EventContext, field_id: UUID) -> FieldView:
    found = [field for field in queries.fields_of(ctx.session, ctx.event_id) if field.id == field_id]
    if not found:
        raise NotFound("Field not found in this event.")
    return _views(ctx, found)[0]


def add_field(ctx: EventContext, entry: FieldEntry) -> FieldView:
    """Add a field behind the others."""
    ctx.edit()
    checked = check_field(entry)
    stored = queries.fields_of(ctx.session, ctx.event_id)
    refuse_too_many(checked.kind, [field.kind for field in stored])
    name = SIDE if checked.kind == "side" else checked.name
    _refuse_namesake(name, stored)
    position = queries.last_position(ctx.session, ctx.event_id) + 1
    field = GuestField(event_id=ctx.event_id, kind=checked.kind, name=name, name_key=name_key(name), position=position)
    ctx.session.add(field)
    ctx.session.flush()
    _write_options(ctx.session, field, checked.options or ())
    return show_field(ctx, field.id)


def change_field(ctx: EventContext, field_id: UUID, entry: FieldEntry) -> FieldView:
    """Rename a field, and make these its options; guests lose the values that are left out.

    An option whose id or name is among them stays. Without options the present ones stay.
    """
    ctx.edit()
    field = _field(ctx, field_id)
    if entry.kind != field.kind:
        raise Invalid(FieldError("kind", "The kind of a field can't be changed. Delete it and add another one."))
    checked = check_field(entry)
    others = [other for other in queries.fields_of(ctx.session, ctx.event_id) if other.id != field_id]
    if field.kind != "side" and checked.name != field.name:
        _refuse_namesake(checked.name, others)
        field.name, field.name_key = checked.name, name_key(checked.name)
        ctx.session.flush()
    if checked.options is not None:
        _write_options(ctx.session, field, checked.options)
    return show_field(ctx, field_id)


def delete_field(ctx: EventContext, field_id: UUID) -> str:
    """Delete a field with what guests have in it, and return its name."""
    ctx.edit()
    field = _field(ctx, field_id)
    # Rules about its options rest by themselves; one about the field would come back with another field of sides.
    ctx.session.execute(delete(Rule).where(Rule.event_id == ctx.event_id, Rule.field == field_key(field)))
    ctx.session.delete(field)
    ctx.session.flush()
    return field.name


def delete_option(ctx: EventContext, field_id: UUID, option_id: UUID, *, instead: UUID | None = None) -> str:
    """Delete an option, and return its name; guests who have it get the one `instead`, or none."""
    ctx.edit()
    field = _field(ctx, field_id)
    options = {option.id: option for option in queries.options_of(ctx.session, field_id)}
    if option_id not in options:
        raise NotFound("Option not found in this field.")
    if instead is not None and (instead not in options or instead == option_id):
        raise Invalid(FieldError("instead", "Choose another option of this field."))
    has_it = GuestValue.option_id == option_id
    if instead is not None:
        ctx.session.execute(update(GuestValue).where(has_it).values(option_id=instead))
    ctx.session.delete(options[option_id])
    flag_modified(field, "name")  # its options are part of what its version stands for
    ctx.session.flush()
    return options[option_id].name


def order_fields(ctx: EventContext, field_ids: Sequence[UUID]) -> list[FieldView]:
    """Put the fields in this order; those that are not named stay behind them as they were."""
    ctx.edit()
    stored = {field.id: field for field in queries.field_rows(ctx.session, ctx.event_id)}
    unknown = [place for place, field_id in enumerate(field_ids) if field_id not in stored]
    if unknown:
        raise Invalid([FieldError(f"fields/{place}", "Field not found in this event.") for place in unknown[:20]])
    wanted = [*dict.fromkeys(field_ids), *(key for key in stored if key not in set(field_ids))]
    for place, field_id in enumerate(wanted):
        if stored[field_id].position != place:
            stored[field_id].position = place
    ctx.session.flush()
    return list_fields(ctx)


def move_field(ctx: EventContext, field_id: UUID, step: Literal[-1, 1]) -> None:
    """Put a field before or behind its neighbour of the same kind: a course of the menu, or an own field."""
    stored = queries.fields_of(ctx.session, ctx.event_id)
    kinds = {"course": ("course",), "choice": OWN_KINDS, "text": OWN_KINDS}
    moved = next((field for field in stored if field.id == field_id), None)
    if moved is None:
        raise NotFound("Field not found in this event.")
    alike = [field.id for field in stored if field.kind in kinds.get(moved.kind, ())]
    place = alike.index(field_id) + step if field_id in alike else -1
    if not 0 <= place < len(alike):
        return
    order = [field.id for field in stored]
    here, there = order.index(field_id), order.index(alike[place])
    order[here], order[there] = order[there], order[here]
    order_fields(ctx, order)


def _write_options(session: Session, field: GuestField, entries: Sequence[OptionEntry]) -> None:
    """Make these the options of a field, in this order."""
    stored = queries.options_of(session, field.id)
    matched = match_stored("options", entries, stored, lambda _: True)
    kept = {option.id for option in matched if option is not None}
    for present in stored:
        if present.id not in kept:
            session.delete(present)
        else:
            present.name_key = f"\n{present.id}"  # out of the way, so that two options can swap their names
    session.flush()
    colours = _free_colours(stored)
    for place, (option, entry) in enumerate(zip(matched, entries, strict=True)):
        row = option or FieldOption(field_id=field.id, colour="", mark="")
        row.name, row.name_key, row.position = entry.name, name_key(entry.name), place
        row.colour = entry.colour or row.colour or next(colours)
        row.mark = row.mark if entry.mark is None else entry.mark
        session.add(row)
    flag_modified(field, "name")  # its options are part of what its version stands for
    session.flush()


def _free_colours(options: Sequence[FieldOption]) -> Iterator[str]:
    used = {option.colour for option in options}
    yield from (colour for colour in COLOURS if colour not in used)
    yield from cycle(COLOURS)


def _views(ctx: EventContext, fields: Sequence[FieldRow]) -> list[FieldView]:
    counts = queries.count_values(ctx.session, ctx.event_id) if fields else {}
    return [
        FieldView(
            id=field.id,
            key=field_key(field),
            kind=field.kind,
            name=field.name,
            options=tuple(
                OptionView(one.id, one.name, one.colour, one.mark, counts.get((field.id, one.id), 0))
                for one in field.options
            ),
            guests=sum(number for (field_id, _), number in counts.items() if field_id == field.id),
            version=field.version,
        )
        for field in fields
    ]


def _refuse_namesake(name: str, others: Sequence[FieldRow]) -> None:
    present = next((field for field in others if field.name_key == name_key(name)), None)
    if present is not None:
        raise Invalid(FieldError("name", taken_already("field", name, present.name)))


def _field(ctx: EventContext, field_id: UUID) -> GuestField:
    field = queries.field_of(ctx.session, ctx.event_id, field_id)
    if field is None:
        raise NotFound("Field not found in this event.")
    return field
