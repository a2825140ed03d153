"""One concept for “a value that guests share”: a field, its values, and the guests who have each.

Colours, rules and balance name a field and a value by their keys, and never need to know what is behind them: a group,
a household, a reply, an age group, a side, a dish of the menu, or an option of a field that the planner made.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import delete
from sqlalchemy.orm import Session

from app.db.models import GuestField, Rule
from app.errors import FieldError, Invalid
from app.events.context import EventContext
from app.guests.entries import AGE_WORDS, REPLY_WORDS
from app.guests.queries import fields as field_queries
from app.guests.queries import groups as group_queries
from app.guests.queries import guests as queries
from app.guests.queries.fields import FieldRow

GROUP, HOUSEHOLD, REPLY, AGE, SIDE = "group", "household", "reply", "age_group", "side"
"""Keys of the fields that every event has; courses and own fields have their id as key."""
REPLY_COLOURS = {"yes": "green", "maybe": "gold", "invited": "grey", "no": "pink"}
AGE_COLOURS = {"adult": "grey", "teenager": "blue", "child": "orange", "baby": "pink"}
UNBALANCED = (HOUSEHOLD,)
"""What nobody can spread over the tables: households sit together."""
GIVE_OR_TAKE = 1
"""How many guests more or fewer than its share a table may have where nobody said how many: households sit together."""
MOST_FAULTS = 20


class ValueKey(NamedTuple):
    """A value by the keys of its field and of itself."""

    field: str
    value: str


@dataclass(frozen=True)
class SharedValue:
    """A value that guests share; the key stays when it is renamed."""

    key: str
    name: str
    colour: str = ""


@dataclass(frozen=True)
class SharedField:
    """A field whose values guests share. Guests can have several values of the field `group`, and one of any other."""

    key: str
    name: str
    values: tuple[SharedValue, ...]
    has_several: bool = False

    def value(self, key: str) -> SharedValue | None:
        """Return the value with this key, or None where it is gone."""
        return next((value for value in self.values if value.key == key), None)


def unknown_value(field: SharedField) -> str:
    """Say that a field has no value with the key that was given; many send a name, where an id is expected."""
    if field.key in (GROUP, HOUSEHOLD):
        return f"Expected the id of a {field.name.lower()}."
    return f"{field.name} has no such value."


def name_of_value(field: SharedField, value: SharedValue) -> str:
    """Return what a value is called outside its field: a group, a household and a side by their names alone."""
    return value.name if field.key in (GROUP, HOUSEHOLD, SIDE) else f"{value.name} ({field.name})"


def shared_fields(session: Session, event_id: UUID) -> list[SharedField]:
    """Return all fields of an event that have values to share, also those that nobody has yet."""
    own = field_queries.fields_of(session, event_id)
    side = [_own(field) for field in own if field.kind == "side"]
    courses, choices = ([_own(field) for field in own if field.kind == kind] for kind in ("course", "choice"))
    return [
        _groups(session, event_id),
        _households(session, event_id),
        *side,
        SharedField(AGE, "Age group", _fixed(AGE_WORDS, AGE_COLOURS)),
        SharedField(REPLY, "Reply", _fixed(REPLY_WORDS, REPLY_COLOURS)),
        *courses,
        *choices,
    ]


def shared_field(session: Session, event_id: UUID, key: str) -> SharedField | None:
    """Return one field by its key, or None where it is gone."""
    return next((field for field in shared_fields(session, event_id) if field.key == key), None)


def require_value(
    session: Session, event_id: UUID, field: str, value: str, where: str = ""
) -> tuple[SharedField, SharedValue]:
    """Return a field and one of its values by their keys, or refuse what the event does not have."""
    found = shared_field(session, event_id, field)
    if found is None:
        raise Invalid(FieldError(f"{where}field", "This event has no such field."))
    named = found.value(value)
    if named is None:
        raise Invalid(FieldError(f"{where}value", unknown_value(found)))
    return found, named


def values_by_guest(session: Session, event_id: UUID, field: str) -> Mapping[UUID, tuple[str, ...]]:
    """Return the keys of the values that each present guest has in a field; guests without any are left out."""
    if field == GROUP:
        present = queries.guest_ids_of(session, event_id)
        found: dict[UUID, tuple[str, ...]] = {}
        for group, guest in sorted(group_queries.memberships(session, event_id)):
            if guest in present:
                found[guest] = (*found.get(guest, ()), str(group))
        return found
    if field == HOUSEHOLD:
        return {guest: (str(party),) for guest, party in queries.party_members(session, event_id)}
    if field in (REPLY, AGE):
        return {guest: (value,) for guest, value in queries.plain_values(session, event_id)[field].items()}
    row = _row(session, event_id, field)
    chosen = field_queries.options_chosen(session, row.id) if row else {}
    return {guest: (str(option),) for guest, option in chosen.items()}


def guests_with(session: Session, event_id: UUID, field: str, value: str) -> frozenset[UUID]:
    """Return the present guests who have this value in this field."""
    found = values_by_guest(session, event_id, field)
    return frozenset(guest for guest, values in found.items() if value in values)


def balanced_fields(session: Session, event_id: UUID) -> list[SharedField]:
    """Return the fields whose values a rule spreads evenly over the tables."""
    keys = field_queries.balanced_keys(session, event_id)
    return [field for field in shared_fields(session, event_id) if field.key in keys] if keys else []


def can_be_balanced(session: Session, event_id: UUID) -> list[SharedField]:
    """Return the fields whose values can be spread over the tables: not households, which sit together."""
    return [field for field in shared_fields(session, event_id) if field.key not in UNBALANCED]


def set_balanced(ctx: EventContext, keys: Collection[str], where: str = "balanced") -> None:
    """Make rules that these fields, and no others, are spread evenly over the tables."""
    ctx.edit()
    known = {field.key for field in can_be_balanced(ctx.session, ctx.event_id)}
    faults = [
        FieldError(f"{where}/{place}", "No field with this key can be spread over the tables.")
        for place, key in enumerate(keys)
        if key not in known
    ]
    if faults:
        raise Invalid(faults[:MOST_FAULTS])
    present = field_queries.balanced_keys(ctx.session, ctx.event_id)
    is_spread = (Rule.event_id == ctx.event_id, Rule.kind == "spread")
    ctx.session.execute(delete(Rule).where(*is_spread, Rule.field.in_(present - set(keys))))
    ctx.session.add_all(
        Rule(event_id=ctx.event_id, kind="spread", field=key, number=GIVE_OR_TAKE)
        for key in sorted(set(keys) - present)
    )
    ctx.session.flush()


def field_key(field: FieldRow | GuestField) -> str:
    """Return the key of a side, a course or an own field."""
    return SIDE if field.kind == "side" else str(field.id)


def _row(session: Session, event_id: UUID, key: str) -> FieldRow | None:
    return next((field for field in field_queries.fields_of(session, event_id) if field_key(field) == key), None)


def _own(field: FieldRow) -> SharedField:
    values = tuple(SharedValue(str(option.id), option.name, option.colour) for option in field.options)
    return SharedField(field_key(field), field.name, values)


def _groups(session: Session, event_id: UUID) -> SharedField:
    groups = group_queries.groups_of(session, event_id)
    values = tuple(SharedValue(str(group.id), group.name, group.colour) for group in groups)
    return SharedField(GROUP, "Group", values, has_several=True)


def _households(session: Session, event_id: UUID) -> SharedField:
    names = queries.party_names(session, event_id)
    return SharedField(HOUSEHOLD, "Household", tuple(SharedValue(str(key), name) for key, name in names.items()))


def _fixed(words: Mapping[str, str], colours: Mapping[str, str]) -> tuple[SharedValue, ...]:
    return tuple(SharedValue(key, name.capitalize(), colours[key]) for key, name in words.items())
