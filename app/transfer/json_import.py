"""A new event from a JSON file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from uuid import UUID

import numpy as np
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.db import models
from app.errors import FieldError, Invalid
from app.events.context import EventContext, open_event
from app.events.days import check_day
from app.events.edit import create_event
from app.events.erasure_day import days_if_not_too_soon
from app.files.event_parts import EventFile, PlanPart
from app.guests.entries import GuestEntry
from app.guests.field_checks import OptionEntry
from app.guests.groups import GroupEntry, mark_circles, replace_groups
from app.guests.queries.groups import groups_of
from app.guests.whole_list import replace_guests
from app.ratings.change import Entry, patch_ratings
from app.ratings.group_defaults import GroupPair, put_group_ratings, skip_groups
from app.ratings.matrix import put_matrix
from app.rules.edit import replace_rules
from app.rules.entries import RuleEntry
from app.tables.edit import replace_tables
from app.tables.entries import TableEntry
from app.tables.room_items import RoomItem
from app.tables.rooms import RoomEntry, change_room
from app.transfer.imported_fields import MovedField, take_fields
from app.transfer.imported_pairs import add_asked, add_wishes
from app.transfer.imported_plans import ImportedPlan, ImportedSeat, add_plans
from app.transfer.named_values import NamedValues, with_balanced
from app.web.bulk import MAX_FAULTS
from app.web.names import name_key

Ids = Mapping[str, UUID]
STEP = re.compile(r"/(\d+)")


def import_json(session: Session, actor: Actor, file: EventFile) -> models.Event:
    """Make a new event of the file, or say everything that is wrong with it and make none."""
    with _placed("event"):
        event = create_event(session, actor, name=file.event.name, on=file.event.date)
        event.erase_after_days = days_if_not_too_soon(event.date, file.event.erase_after_days)
        check_day(file.event.wishes_until, "wishes_until")
    event.seats_undecided, event.wishes_until = file.event.seats_undecided, file.event.wishes_until
    ctx = open_event(session, actor, event.id)
    with _placed("groups"):
        replace_groups(ctx, [GroupEntry(group.name, colour=group.colour or None) for group in file.groups])
        mark_circles(ctx, [(group.name, group.circle_of) for group in file.groups])
    with _placed("fields"):
        take_fields(ctx, _fields(file), file.event.balanced)
    with _placed("guests"):
        stored = replace_guests(ctx, _guests(file))
    guests = {part.id: guest.id for part, guest in zip(file.guests, stored, strict=True)}
    groups = {name_key(group.name): group.id for group in groups_of(session, ctx.event_id)}
    with _placed("tables"):
        made = replace_tables(ctx, _tables(file, groups))
    tables = {part.id: table.id for part, table in zip(file.tables, made, strict=True)}
    _take_room(ctx, file)
    _take_ratings(ctx, file, guests, groups)
    with _placed("rules"):
        replace_rules(ctx, with_balanced(session, ctx.event_id, _rules(ctx, file, guests, tables)))
    add_wishes(ctx, {(guests[guest], guests[other]): state for guest, other, state in file.wishes})
    add_asked(ctx, {(guests[a], guests[b]): answer for a, b, answer in file.asked})
    session.flush()
    add_plans(ctx, _plans(file.plans, guests, tables))
    session.flush()
    return event


@contextmanager
def _placed(part: str) -> Iterator[None]:
    """Report errors with their place in the file, such as guests[3].name."""
    try:
        yield
    except Invalid as error:
        faults = [FieldError("file", f"{_path(part, one.where)}: {_with_steps(one.message)}") for one in error.faults]
        raise Invalid(faults[:MAX_FAULTS]) from None


def _with_steps(text: str) -> str:
    """Write guests/3 as guests[3]."""
    return STEP.sub(r"[\1]", text)


def _path(part: str, where: str) -> str:
    path = _with_steps(where).replace("/", ".")
    return path if path.startswith(part) else f"{part}.{path}".removesuffix(".")


def _all(keys: Sequence[str], ids: Ids) -> tuple[UUID, ...]:
    return tuple(ids[key] for key in keys)


def _fields(file: EventFile) -> list[MovedField]:
    return [
        MovedField(
            field.kind,
            field.name,
            [OptionEntry(one.name, colour=one.colour or None, mark=one.mark) for one in field.options],
            field.balanced,
        )
        for field in file.fields
    ]


def _guests(file: EventFile) -> list[GuestEntry]:
    return [
        GuestEntry(
            name=guest.name,
            title=guest.title,
            first_name=guest.first_name,
            last_name=guest.last_name,
            email=guest.email,
            phone=guest.phone,
            party=guest.household or None,
            groups=list(guest.groups),
            side=guest.side,
            reply=guest.reply,
            age_group=guest.age_group or ("child" if guest.child else "adult"),
            diet=guest.diet,
            allergies=guest.allergies,
            other_allergies=guest.other_allergies,
            meals=guest.meals,
            note=guest.note,
            high_chair=guest.high_chair,
            wheelchair=guest.wheelchair,
            public_name=guest.public_name,
            fields=guest.fields,
        )
        for guest in file.guests
    ]


def _tables(file: EventFile, groups: Ids) -> list[TableEntry]:
    faults = _unknown_groups(((f"tables[{n}].reserved_for", t.reserved_for) for n, t in enumerate(file.tables)), groups)
    if faults:
        raise Invalid(faults)
    return [
        TableEntry(
            table.name,
            seats=table.seats,
            min_seats=table.min_seats,
            shape=table.shape,
            x=table.x,
            y=table.y,
            rotation=table.rotation,
            end_seats=table.end_seats,
            reserved_for=groups[name_key(table.reserved_for)] if table.reserved_for else None,
        )
        for table in file.tables
    ]


def _unknown_groups(named: Iterator[tuple[str, str]], groups: Ids) -> list[FieldError]:
    faults = [
        FieldError(where, "No group has this name.") for where, name in named if name and name_key(name) not in groups
    ]
    return faults[:MAX_FAULTS]


def _rules(ctx: EventContext, file: EventFile, guests: Ids, tables: Ids) -> list[RuleEntry]:
    known = NamedValues(ctx.session, ctx.event_id)
    entries: list[RuleEntry] = []
    faults: list[FieldError] = []
    for number, rule in enumerate(file.rules):
        try:
            values = tuple(known.find(*named) for named in rule.values)
            field = known.find_field(rule.field) if rule.field else ""
        except ValueError as error:
            faults.append(FieldError(f"rules/{number}/{'values' if rule.values else 'field'}", str(error)))
            continue
        placed = _all(rule.guests, guests), _all(rule.tables, tables)
        entries.append(RuleEntry(rule.kind, *placed, values, field, rule.limit))
    if faults:
        raise Invalid(faults[:MAX_FAULTS])
    return entries


def _take_room(ctx: EventContext, file: EventFile) -> None:
    room = file.room
    if not (room.width or room.height or room.items):
        return
    items = [RoomItem(one.kind, one.x, one.y, one.width, one.height, one.rotation, one.text) for one in room.items]
    with _placed("room"):
        change_room(ctx, RoomEntry(room.width or None, room.height or None, items))


def _take_ratings(ctx: EventContext, file: EventFile, guests: Ids, groups: Ids) -> None:
    named = ((f"group_ratings[{n}]", name) for n, pair in enumerate(file.group_ratings) for name in pair[:2])
    faults = _unknown_groups(named, groups)
    if faults:
        raise Invalid([FieldError("file", f"{fault.where}: {fault.message}") for fault in faults])
    if file.group_ratings:
        with _placed("group_ratings"):
            pairs = [GroupPair(groups[name_key(a)], groups[name_key(b)], score) for a, b, score in file.group_ratings]
            put_group_ratings(ctx, pairs)
            skip_groups(ctx, [(pair.a, pair.b) for pair in pairs if pair.score is None])
    ctx.event.kind = file.event.kind  # only now: ratings of groups are kept in an event of distances
    ctx.session.flush()
    if file.matrix is not None:
        with _placed("matrix"):
            put_matrix(ctx, None, _all(file.matrix.guests, guests), _numbers(file.matrix.values))
    with _placed("ratings"):
        patch_ratings(ctx, [Entry(guests[a], guests[b], score) for a, b, score in file.ratings])


def _numbers(values: Sequence[Sequence[float | None]]) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    wrong = [place for place, row in enumerate(values) if len(row) != len(values)]
    if wrong:
        raise Invalid(FieldError(f"values/{wrong[0]}", f"This row needs {len(values):,} values."))
    return np.array(values, dtype=np.float64).reshape(len(values), len(values))


def _plans(parts: Sequence[PlanPart], guests: Ids, tables: Ids) -> list[ImportedPlan]:
    place = {part.id: number for number, part in enumerate(parts)}
    faults = [
        FieldError("file", f"plans[{number}].alternative_of: This plan is an alternative itself.")
        for number, part in enumerate(parts)
        if part.alternative_of and parts[place[part.alternative_of]].alternative_of
    ]
    if faults:
        raise Invalid(faults[:MAX_FAULTS])
    return [_plan(part, place, guests, tables) for part in parts]


def _plan(part: PlanPart, place: Mapping[str, int], guests: Ids, tables: Ids) -> ImportedPlan:
    locked = frozenset(part.locked_guests)
    return ImportedPlan(
        seats=[ImportedSeat(guests[g], tables[t], seat - 1, g in locked) for g, t, seat in part.seats],
        number=part.number,
        name=part.name,
        main=None if part.alternative_of is None else place[part.alternative_of],
        round=part.round,
        split_households=part.split_households,
        objective=part.objective,
        created_at=part.created_at,
        used_at=part.used_at,
        locked_tables=_all(part.locked_tables, tables),
        empty_seats=[(tables[table], seat - 1) for table, seat in part.empty_seats],
    )
