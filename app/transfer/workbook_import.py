"""A new event from the sheets of an exported one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from itertools import groupby
from typing import Any
from uuid import UUID

import numpy as np
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.clock import now
from app.db import models
from app.errors import FieldError, Invalid
from app.events.context import EventContext, open_event
from app.events.days import check_day
from app.events.edit import create_event
from app.events.erasure_day import MOST_DAYS, days_if_not_too_soon
from app.files.sheet_limits import SheetRow
from app.guests.groups import GroupEntry, mark_circles, replace_groups
from app.guests.queries.groups import groups_of
from app.guests.whole_list import replace_guests
from app.questions.answer import NO_RATING
from app.ratings.change import Entry, patch_ratings
from app.ratings.group_defaults import GroupPair, put_group_ratings
from app.ratings.matrix import put_matrix
from app.rules.edit import replace_rules
from app.rules.entries import RuleEntry
from app.tables.edit import replace_tables
from app.tables.entries import TableEntry
from app.tables.room_items import RoomItem
from app.tables.rooms import RoomEntry, change_room
from app.transfer.guest_sheets import guest_reader, read_fields
from app.transfer.imported_fields import take_fields
from app.transfer.imported_pairs import add_asked, add_wishes
from app.transfer.imported_plans import add_plans
from app.transfer.named_values import NamedValues, with_balanced
from app.transfer.seating_sheets import SEPARATE, read_seating
from app.transfer.workbook_reader import Book, Reader, cell, find, pair_of, read_number, read_whole
from app.web.names import name_key


def import_event(session: Session, actor: Actor, book: Book) -> models.Event:
    """Make a new event of the sheets, or say everything that is wrong with them and make none."""
    if "Guests" not in book and "Event" not in book:
        raise Invalid(
            FieldError("file", "This workbook is not an exported event: it has no “Event” or “Guests” sheet.")
        )
    reader = Reader(book)
    facts = dict(reader.rows("Event", lambda row: (cell(row, 0), cell(row, 1))))
    event = _make(session, actor, facts, reader)
    ctx = open_event(session, actor, event.id)
    groups, fields = reader.rows("Groups", _group), read_fields(reader)
    entries = reader.rows("Guests", guest_reader(book, fields))
    tabled = reader.rows("Tables", _table)
    reader.check()
    with reader.placed("Groups"):
        replace_groups(ctx, groups)
        mark_circles(ctx, reader.rows("Groups", lambda row: (cell(row, 0), cell(row, 2))))
    with reader.placed("Fields"):
        take_fields(ctx, fields, [key.strip() for key in facts.get("Balanced", "").split(",") if key.strip()])
    with reader.placed("Guests"):
        guests = _named(replace_guests(ctx, entries))
    groups_by_name = _named(groups_of(session, ctx.event_id))
    reserved = reader.rows("Tables", lambda row: _reserved_for(row, groups_by_name))
    reader.check()
    with reader.placed("Tables"):
        entered = [replace(entry, reserved_for=group) for entry, group in zip(tabled, reserved, strict=True)]
        tables = _named(replace_tables(ctx, entered))
    _take_room(ctx, reader)
    _take_ratings(ctx, reader, guests, facts)
    _take_rules(ctx, reader, guests, tables)
    _take_wishes(ctx, reader, guests)
    _take_asked(ctx, reader, guests)
    plans = read_seating(reader, guests, tables)
    reader.check()
    session.flush()
    is_split, at = facts.get(SEPARATE) == "yes", now()
    add_plans(ctx, [replace(plan, used_at=at, split_households=is_split and plan.round > 0) for plan in plans])
    return event


def _make(session: Session, actor: Actor, facts: Mapping[str, str], reader: Reader) -> models.Event:
    kind = facts.get("Kind") or "score"
    if kind not in ("score", "distance"):
        reader.refuse(f"Sheet “Event”: the kind must be score or distance, not “{kind[:40]}”.")
    name = facts.get("Name") or "Imported event"
    with reader.placed("Event"):
        event = create_event(session, actor, name=name, on=_day(facts, "Date", reader))
        event.wishes_until = _day(facts, "Wishes until", reader)
        check_day(event.wishes_until)
    event.seats_undecided = facts.get("Seat the undecided") != "no"
    event.erase_after_days = days_if_not_too_soon(event.date, _erase_after(facts, reader))
    return event


def _erase_after(facts: Mapping[str, str], reader: Reader) -> int | None:
    text = facts.get("Erase after days", "")
    try:
        days = read_whole(text) if text else None
    except ValueError:
        days = 0
    if days is not None and not 1 <= days <= MOST_DAYS:
        reader.refuse(f"Sheet “Event”: an event can be erased after 1 to {MOST_DAYS:,} days, not “{text[:40]}”.")
        return None
    return days


def _day(facts: Mapping[str, str], what: str, reader: Reader) -> date | None:
    text = facts.get(what, "")
    try:
        return date.fromisoformat(text[:10]) if text else None
    except ValueError:
        reader.refuse(f"Sheet “Event”: “{text[:40]}” is not a date. Use the format 2026-12-05.")
        return None


def _group(row: SheetRow) -> GroupEntry:
    return GroupEntry(cell(row, 0), colour=cell(row, 1) or None)


def _table(row: SheetRow) -> TableEntry:
    x, y, rotation = (read_number(cell(row, column)) if cell(row, column) else None for column in (4, 5, 6))
    return TableEntry(
        cell(row, 0),
        seats=read_whole(cell(row, 2)),
        min_seats=read_whole(cell(row, 3)),
        shape=cell(row, 1) or "round",
        x=x,
        y=y,
        rotation=rotation or 0.0,
        end_seats=cell(row, 7) == "yes",
    )


def _reserved_for(row: SheetRow, groups: Mapping[str, UUID]) -> UUID | None:
    return find(cell(row, 8), groups, "group") if cell(row, 8) else None


def _take_room(ctx: EventContext, reader: Reader) -> None:
    def read(row: SheetRow) -> tuple[int, RoomItem]:
        x, y, width, height, rotation = (read_number(cell(row, column) or "0") for column in range(2, 7))
        return row.number, RoomItem(cell(row, 0), x, y, width, height, rotation, cell(row, 1))

    rows = reader.rows("Room", read)
    reader.check()
    items = [(number, item) for number, item in rows if item.kind != "room"]
    entry = RoomEntry(items=[item for _, item in items])
    for _, item in rows:
        if item.kind == "room":
            entry = replace(entry, width=item.width or None, height=item.height or None)
    if rows:
        with reader.placed("Room", [number for number, _ in items]):
            change_room(ctx, entry)


def _take_ratings(ctx: EventContext, reader: Reader, guests: Mapping[str, UUID], facts: Mapping[str, str]) -> None:
    groups = _named(groups_of(ctx.session, ctx.event_id))
    cells = reader.rows(
        "Group ratings", lambda row: GroupPair(*pair_of(row, groups, "group"), read_number(cell(row, 2)))
    )
    matrix = reader.rows("Matrix", lambda row: (find(cell(row, 0), guests, "guest"), row))
    ratings = reader.rows("Ratings", lambda row: Entry(*pair_of(row, guests, "guest"), read_number(cell(row, 2))))
    reader.check()
    if cells:
        with reader.placed("Group ratings"):
            put_group_ratings(ctx, cells)
    # Only now: ratings of groups are kept in an event of distances, but it takes no new ones.
    ctx.event.kind = "distance" if facts.get("Kind") == "distance" else "score"
    ctx.session.flush()
    if matrix:
        ids = [guest for guest, _ in matrix]
        values = reader.rows("Matrix", lambda row: _line(row, len(ids)))
        reader.check()
        with reader.placed("Matrix"):
            put_matrix(ctx, None, ids, np.array(values, dtype=np.float64))
    with reader.placed("Ratings"):
        patch_ratings(ctx, ratings)


def _line(row: SheetRow, width: int) -> list[float | None]:
    return [read_number(cell(row, column)) if cell(row, column) else None for column in range(1, width + 1)]


def _take_rules(ctx: EventContext, reader: Reader, guests: Mapping[str, UUID], tables: Mapping[str, UUID]) -> None:
    read = _rule_reader(NamedValues(ctx.session, ctx.event_id), guests, tables)
    entries, numbers = [], []
    for (_, kind), lines in groupby(reader.rows("Rules", read), key=lambda row: row[:2]):
        named = list(lines)
        numbers.append(named[0][2])
        entries.append(_rule(kind, [(what, found) for *_, what, found in named]))
    reader.check()
    with reader.placed("Rules", numbers):
        replace_rules(ctx, with_balanced(ctx.session, ctx.event_id, entries))


RuleLine = tuple[str, str, int, str, Any]
"""The number of the rule, its kind, the row of the sheet, and what is named there."""


def _rule_reader(
    known: NamedValues, guests: Mapping[str, UUID], tables: Mapping[str, UUID]
) -> Callable[[SheetRow], RuleLine]:
    """Return what reads a row of the sheet of rules."""
    readers: dict[str, Callable[[str], Any]] = {
        "table": lambda text: find(text, tables, "table"),
        "value": known.find_joined,
        "field": known.find_field,
        "limit": read_whole,
    }

    def read(row: SheetRow) -> RuleLine:
        what, text = cell(row, 2), cell(row, 3)
        found = readers[what](text) if what in readers else find(text, guests, "guest")
        return cell(row, 0), cell(row, 1), row.number, what if what in readers else "guest", found

    return read


def _rule(kind: str, lines: Sequence[tuple[str, Any]]) -> RuleEntry:
    by_kind: dict[str, list[Any]] = {}
    for what, found in lines:
        by_kind.setdefault(what, []).append(found)
    guests, tables, values = (tuple(by_kind.get(what, ())) for what in ("guest", "table", "value"))
    field, number = by_kind.get("field", [""])[0], by_kind.get("limit", [None])[0]
    return RuleEntry(kind, guests, tables, values, field, number)


def _take_wishes(ctx: EventContext, reader: Reader, guests: Mapping[str, UUID]) -> None:
    states = dict(reader.rows("Wishes", lambda row: (pair_of(row, guests, "guest"), cell(row, 2))))
    add_wishes(ctx, states)


def _take_asked(ctx: EventContext, reader: Reader, guests: Mapping[str, UUID]) -> None:
    def read(row: SheetRow) -> tuple[tuple[UUID, UUID], str]:
        pair, answer = pair_of(row, guests, "guest"), cell(row, 2)
        if answer not in NO_RATING.values():
            raise ValueError(f"The answer must be unknown or skipped, not “{answer[:40]}”.")
        return pair, answer

    add_asked(ctx, dict(reader.rows("Asked", read)))


def _named(things: Sequence[models.Guest] | Sequence[models.Table] | Sequence[models.Group]) -> dict[str, UUID]:
    return {name_key(thing.name): thing.id for thing in things}
