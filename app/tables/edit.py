"""Tables: list, add, change, remove, bring back, and all of them in one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from uuid import UUID

from sqlalchemy.orm import Session

from app.clock import now
from app.db.models import Table
from app.errors import FieldError, Invalid, NotFound
from app.events.context import EventContext
from app.guests.queries.groups import groups_of
from app.tables import queries
from app.tables.entries import (
    MAX_TABLES,
    TableEntry,
    check_entry,
    copy_name,
    free_name,
    new_table,
    with_names,
    write_entry,
)
from app.tables.layout import GAP
from app.tables.placing import reach_with_names
from app.tables.shapes import outline_of
from app.web.bulk import check_list
from app.web.names import name_key, taken_already


def list_tables(ctx: EventContext, *, limit: int | None = None, after: UUID | None = None) -> Sequence[Table]:
    """Return the tables in their order."""
    return queries.tables_of(ctx.session, ctx.event_id, limit=limit, after=after)


def show_table(ctx: EventContext, table_id: UUID) -> Table:
    """Return one table."""
    return _table(ctx.session, ctx.event_id, table_id)


def removed_tables(ctx: EventContext, table_ids: Iterable[UUID]) -> list[Table]:
    """Return those of the tables that were removed and can be brought back."""
    found = [queries.table_of(ctx.session, ctx.event_id, table_id, removed=True) for table_id in table_ids]
    return [table for table in found if table is not None]


def add_table(ctx: EventContext, entry: TableEntry) -> Table:
    """Add one table behind the others; without a name it becomes “Table 6” as the sixth."""
    ctx.edit(only="tables")
    stored = queries.tables_of(ctx.session, ctx.event_id)
    refuse_too_many(len(stored) + 1)
    taken = {table.name_key for table in stored}
    named = replace(entry, name=entry.name or free_name(taken, len(stored) + 1))
    checked = check_entry(named, groups=_groups_for(ctx, [entry]))
    _refuse_namesake(checked.name, stored)
    table = new_table(ctx.event_id, queries.last_position(ctx.session, ctx.event_id) + 1)
    write_entry(table, checked)
    ctx.session.add(table)
    ctx.session.flush()
    return table


def duplicate_table(ctx: EventContext, table_id: UUID) -> Table:
    """Add a table like this one, right of it if it has a place; “Birch” becomes “Birch 2”."""
    table = _table(ctx.session, ctx.event_id, table_id)
    taken = {other.name_key for other in queries.tables_of(ctx.session, ctx.event_id)}
    outline = outline_of(table.shape, table.seats, table.rotation, table.end_seats)
    aside = reach_with_names(outline).width + GAP
    entry = TableEntry(
        copy_name(table.name, taken),
        seats=table.seats,
        min_seats=table.min_seats,
        shape=table.shape,
        x=None if table.x is None else table.x + aside,
        y=table.y,
        rotation=table.rotation,
        end_seats=table.end_seats,
        reserved_for=table.reserved_for,
    )
    return add_table(ctx, entry)


def change_table(ctx: EventContext, table_id: UUID, entry: TableEntry) -> Table:
    """Change a table; what the entry leaves out stays."""
    ctx.edit(only="tables")
    table = _table(ctx.session, ctx.event_id, table_id)
    checked = check_entry(entry, stored=table, groups=_groups_for(ctx, [entry]))
    _refuse_namesake(
        checked.name, [other for other in queries.tables_of(ctx.session, ctx.event_id) if other is not table]
    )
    write_entry(table, checked)
    ctx.session.flush()
    return table


def remove_table(ctx: EventContext, table_id: UUID) -> Table:
    """Remove a table from every list; it can be brought back."""
    ctx.edit(only="tables")
    table = _table(ctx.session, ctx.event_id, table_id)
    table.removed_at = now()
    ctx.session.flush()
    return table


def restore_table(ctx: EventContext, table_id: UUID) -> Table:
    """Bring a removed table back to its place; one that is there already stays."""
    ctx.edit(only="tables")
    table = queries.table_of(ctx.session, ctx.event_id, table_id, removed=True)
    if table is None:
        return _table(ctx.session, ctx.event_id, table_id)
    stored = queries.tables_of(ctx.session, ctx.event_id)
    refuse_too_many(len(stored) + 1)
    _refuse_namesake(table.name, stored)
    table.removed_at = None
    ctx.session.flush()
    return table


def replace_tables(ctx: EventContext, entries: Sequence[TableEntry]) -> list[Table]:
    """Make these the event's tables, in this order.

    A table whose id or name is among the entries stays; the others are removed; an id of a removed table brings
    it back.
    """
    ctx.edit(only="tables")
    refuse_too_many(len(entries), "tables")
    stored = queries.tables_of(ctx.session, ctx.event_id, with_removed=True)
    check = partial(check_entry, groups=_groups_for(ctx, entries))
    checked = check_list("tables", with_names(entries, stored), check, stored, lambda table: table.removed_at is None)
    kept = {table.id for _, table in checked if table is not None}
    for table in stored:
        if table.id in kept:
            table.removed_at = None
        elif table.removed_at is None:
            table.removed_at = now()
    found = [table or new_table(ctx.event_id, place) for place, (_, table) in enumerate(checked)]
    for place, (table, (entry, _)) in enumerate(zip(found, checked, strict=True)):
        table.position = place
        write_entry(table, entry)
    ctx.session.add_all(found)
    ctx.session.flush()
    return found


def refuse_too_many(count: int, where: str = "name") -> None:
    """Refuse more tables than an event takes."""
    if count > MAX_TABLES:
        raise Invalid(FieldError(where, f"That would be {count:,} tables; maximum {MAX_TABLES:,} per event."))


def _refuse_namesake(name: str, others: Iterable[Table]) -> None:
    for table in others:
        if table.name_key == name_key(name):
            raise Invalid(FieldError("name", taken_already("table", name, table.name)))


def _groups_for(ctx: EventContext, entries: Iterable[TableEntry]) -> frozenset[UUID]:
    """Return the groups of the event, where tables are reserved for any."""
    if not any(isinstance(entry.reserved_for, UUID) for entry in entries):
        return frozenset()
    return frozenset(group.id for group in groups_of(ctx.session, ctx.event_id))


def _table(session: Session, event_id: UUID, table_id: UUID) -> Table:
    table = queries.table_of(session, event_id, table_id)
    if table is None:
        raise NotFound("Table not found in this event.")
    return table
