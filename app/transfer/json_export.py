"""A whole event as JSON: everything that was entered, and all versions of the plan.

What belongs to this server and to the day itself stays behind: see docs/decisions/0066-event-files.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from uuid import UUID

import numpy as np

from app.db import models
from app.errors import TooLarge
from app.events.context import EventContext
from app.files.event_file import write_event_file
from app.files.event_parts import MOST_ASKED, MOST_MATRIX, MOST_PLANS, MOST_RATINGS, MOST_SEATS, MOST_WISHES
from app.files.matrices.arrays import unpack_square
from app.guests.edit import list_guests
from app.guests.guest_view import GuestView
from app.guests.queries import groups as group_queries
from app.problem.queries.rules import RuleRow, rules_of
from app.questions.queries import asked_pairs
from app.ratings.queries import ratings as rating_queries
from app.ratings.queries import values as value_queries
from app.tables.queries import tables_of
from app.tables.rooms import read_room
from app.transfer import queries
from app.transfer.imported_fields import MovedField, moved_fields
from app.transfer.named_values import NamedValues
from app.wishes.decide import state_of
from app.wishes.queries import wishes_of_event

Keys = Mapping[UUID, str]


def export_json(ctx: EventContext) -> bytes:
    """Return the event as a file; it holds ratings and notes, so it is for editors."""
    return write_event_file(event_content(ctx))


def event_content(ctx: EventContext, *, with_matrix: bool = True) -> dict[str, Any]:
    """Return what the file holds, for editors; a large matrix takes long to write, and may be left out."""
    event = ctx.require("editor")
    listed, tables = list_guests(ctx), tables_of(ctx.session, ctx.event_id)
    guests = {guest.id: f"g{number}" for number, guest in enumerate(listed, start=1)}
    groups = value_queries.group_names_of(ctx.session, ctx.event_id)
    table_keys = {table.id: f"t{number}" for number, table in enumerate(tables, start=1)}
    return {
        "event": _event(event),
        "groups": _groups(ctx, groups),
        "group_ratings": _group_ratings(ctx, groups),
        "fields": [_field(field) for field in moved_fields(ctx.session, ctx.event_id)],
        "guests": [_guest(guests[guest.id], guest) for guest in listed],
        "ratings": _ratings(ctx, guests),
        "matrix": _matrix(ctx, guests) if with_matrix else None,
        "asked": _asked(ctx, guests),
        "wishes": _wishes(ctx, guests),
        "tables": [_table(table_keys[table.id], table, groups) for table in tables],
        "room": _room(ctx),
        "rules": _rules(ctx, guests, table_keys),
        "plans": _plans(ctx, guests, table_keys),
    }


OTHER_FILES = "Export guests as a spreadsheet and ratings as CSV instead. You can import both again."
FEWER_VERSIONS = "Delete versions you no longer need."


def _refuse_more(count: int, most: int, what: str, advice: str = OTHER_FILES) -> None:
    """Refuse what could not be taken back in."""
    if count > most:
        raise TooLarge(f"This event has {count:,} {what}; maximum {most:,} in an importable JSON file. {advice}")


def _event(event: models.Event) -> dict[str, Any]:
    return {
        "name": event.name,
        "date": event.date.isoformat() if event.date else None,
        "kind": event.kind,
        "seats_undecided": event.seats_undecided,
        "wishes_until": event.wishes_until.isoformat() if event.wishes_until else None,
        "erase_after_days": event.erase_after_days,
    }


def _groups(ctx: EventContext, names: Keys) -> list[dict[str, Any]]:
    circles = group_queries.circles_of(ctx.session, ctx.event_id)
    return [
        {"name": group.name, "colour": group.colour}
        | ({"circle_of": names[circles[group.id]]} if group.id in circles else {})
        for group in group_queries.groups_of(ctx.session, ctx.event_id)
    ]


def _group_ratings(ctx: EventContext, names: Keys) -> list[Any]:
    """Return how groups get along, and without a number what was skipped."""
    rated = group_queries.group_ratings_of(ctx.session, ctx.event_id)
    skipped = group_queries.skipped_groups_of(ctx.session, ctx.event_id)
    cells = sorted([*rated, *((a, b, None) for a, b in skipped)], key=lambda cell: cell[:2])
    return [[names[a], names[b], score] for a, b, score in cells]


def _guest(key: str, guest: GuestView) -> dict[str, Any]:
    entry = {
        "id": key,
        "name": guest.name,
        "title": guest.title,
        "first_name": guest.first_name,
        "last_name": guest.last_name,
        "email": guest.email or "",
        "phone": guest.phone or "",
        "household": guest.party or "",
        "groups": list(guest.groups),
        "side": guest.side or "",
        "reply": guest.reply,
        "age_group": guest.age_group if guest.age_group != "adult" else "",
        "diet": guest.diet or "",
        "allergies": list(guest.allergies or ()),
        "other_allergies": guest.other_allergies or "",
        "meals": dict(guest.meals),
        "note": guest.note or "",
        "high_chair": guest.high_chair,
        "wheelchair": guest.wheelchair,
        "public_name": guest.public_name,
        "fields": dict(guest.fields),
    }
    return {name: value for name, value in entry.items() if value not in ("", [], {}, False)}


def _field(field: MovedField) -> dict[str, Any]:
    options = [{"name": one.name, "colour": one.colour, "mark": one.mark} for one in field.options]
    return {"kind": field.kind, "name": field.name, "options": options}


def _ratings(ctx: EventContext, guests: Keys) -> list[Any]:
    found = rating_queries.ratings_among(ctx.session, ctx.event_id, tuple(guests))
    _refuse_more(len(found), MOST_RATINGS, "ratings")
    return sorted([guests[a], guests[b], score] for a, b, score in found)


def _matrix(ctx: EventContext, guests: Keys) -> dict[str, Any] | None:
    uploaded = rating_queries.matrix_of(ctx.session, ctx.event_id)
    if uploaded is None:
        return None
    ids = [UUID(text) for text in uploaded.guest_ids]
    here = [place for place, guest in enumerate(ids) if guest in guests]
    _refuse_more(len(here), MOST_MATRIX, "guests in its matrix of ratings")
    values = unpack_square(uploaded.values)[np.ix_(here, here)]
    rows = [[None if value != value else value for value in line] for line in values.tolist()]  # noqa: PLR0124  NaN
    return {"guests": [guests[ids[place]] for place in here], "values": rows}


def _asked(ctx: EventContext, guests: Keys) -> list[Any]:
    asked = asked_pairs(ctx.session, ctx.event_id).items()
    _refuse_more(len(asked), MOST_ASKED, "pairs without an answer")
    return sorted([*sorted((guests[a], guests[b])), answer] for (a, b), answer in asked if a in guests and b in guests)


def _wishes(ctx: EventContext, guests: Keys) -> list[Any]:
    wishes = wishes_of_event(ctx.session, ctx.event_id)
    known = [wish for wish in wishes if wish.guest_id in guests and wish.other_id in guests]
    _refuse_more(len(known), MOST_WISHES, "wishes")
    return sorted([guests[wish.guest_id], guests[wish.other_id], state_of(wish)] for wish in known)


def _table(key: str, table: models.Table, groups: Keys) -> dict[str, Any]:
    return {
        "id": key,
        "name": table.name,
        "shape": table.shape,
        "seats": table.seats,
        "min_seats": table.min_seats,
        "x": table.x,
        "y": table.y,
        "rotation": table.rotation,
        "end_seats": table.end_seats,
        "reserved_for": groups[table.reserved_for] if table.reserved_for else "",
    }


def _room(ctx: EventContext) -> dict[str, Any]:
    """Return the room; its picture stays behind."""
    room = read_room(ctx)
    names = ("kind", "x", "y", "width", "height", "rotation", "text")
    items = [{name: getattr(item, name) for name in names} for item in room.items]
    return {"width": room.width, "height": room.height, "items": items}


def _rules(ctx: EventContext, guests: Keys, tables: Keys) -> list[dict[str, Any]]:
    found = rules_of(ctx.session, ctx.event_id)
    values = NamedValues(ctx.session, ctx.event_id) if any(rule.is_of_values for rule in found) else None
    return [_rule(rule, guests, tables, values) for rule in found]


def _rule(rule: RuleRow, guests: Keys, tables: Keys, known: NamedValues | None) -> dict[str, Any]:
    placed = [tables[table] for table in rule.table_ids]
    if known is None or not rule.is_of_values:
        return {"kind": rule.kind, "guests": [guests[guest] for guest in rule.guest_ids], "tables": placed}
    entry = {
        "values": [known.names_of(value) for value in rule.values],
        "field": known.name_of_field(rule.field) if rule.field else "",
        "limit": rule.number,
        "tables": placed,
    }
    return {"kind": rule.kind, **{name: value for name, value in entry.items() if value not in ("", [], None)}}


def _plans(ctx: EventContext, guests: Keys, tables: Keys) -> list[Any]:
    found = queries.plans_of(ctx.session, ctx.event_id)
    plans = _that_fit(found, queries.seat_counts(ctx.session, ctx.event_id))
    keys = {plan.id: f"p{number}" for number, plan in enumerate(plans, start=1)}
    seats = queries.seats_of(ctx.session, list(keys))
    return [_plan(keys, plan, seats.get(plan.id, ()), guests, tables) for plan in plans]


def _that_fit(plans: Sequence[models.Plan], seats: Mapping[UUID, int]) -> list[models.Plan]:
    """Return the versions without the oldest alternatives that nobody used, where all of them would be too many."""
    kept = {plan.id: plan for plan in plans}
    total = sum(seats.get(key, 0) for key in kept)
    for plan in plans:
        if len(kept) <= MOST_PLANS and total <= MOST_SEATS:
            break
        if plan.alternative_of and plan.used_at is None and not plan.round:
            del kept[plan.id]
            total -= seats.get(plan.id, 0)
    _refuse_more(len(kept), MOST_PLANS, "versions of its plan", FEWER_VERSIONS)
    _refuse_more(total, MOST_SEATS, "seats in all versions of its plan", FEWER_VERSIONS)
    return list(kept.values())


def _plan(
    keys: Keys, plan: models.Plan, seats: Sequence[queries.StoredSeat], guests: Keys, tables: Keys
) -> dict[str, Any]:
    here = [seat for seat in seats if seat.guest_id in guests and seat.table_id in tables]
    here.sort(key=lambda seat: (int(tables[seat.table_id][1:]), seat.seat))
    return {
        "id": keys[plan.id],
        "number": plan.number,
        "name": plan.name,
        "alternative_of": keys.get(plan.alternative_of) if plan.alternative_of else None,
        "round": plan.round,
        "split_households": plan.split_households,
        "objective": plan.figures.get("objective", "average"),
        "created_at": plan.created_at.isoformat(),
        "used_at": plan.used_at.isoformat() if plan.used_at else None,
        "seats": [[guests[seat.guest_id], tables[seat.table_id], seat.seat + 1] for seat in here],
        "locked_guests": [guests[seat.guest_id] for seat in here if seat.locked],
        "locked_tables": sorted(tables[key] for key in map(UUID, plan.locked_tables) if key in tables),
        "empty_seats": sorted(_empty_seats(plan, tables)),
    }


def _empty_seats(plan: models.Plan, tables: Keys) -> Iterator[list[Any]]:
    for key, seat in plan.blocked_seats:
        if UUID(key) in tables:
            yield [tables[UUID(key)], seat + 1]
