"""All tables by their sizes, as one line such as `4 4 5 6 3`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy.orm import Session

from app.clock import now
from app.db.models import Table
from app.errors import FieldError, Invalid
from app.events.context import EventContext
from app.files.table_sizes import parse_sizes, write_sizes
from app.tables import queries
from app.tables.edit import refuse_too_many, restore_table
from app.tables.entries import MAX_SEATS, free_name, new_table
from app.web.names import name_key


@dataclass(frozen=True)
class SizesChange:
    """What was there before the sizes were set, enough to undo it."""

    before: str
    removed: tuple[UUID, ...]


def sizes_of(tables: Sequence[Table]) -> str:
    """Return the sizes of the tables as one line."""
    return write_sizes([(table.min_seats, table.seats) for table in tables])


def set_sizes(ctx: EventContext, text: str) -> SizesChange:
    """Give the first table the first size and so on; tables are added or removed at the end, the others stay."""
    ctx.edit(only="tables")
    sizes = parse_sizes(text)
    refuse_too_many(len(sizes), "sizes")
    _refuse_too_large(sizes)
    stored = queries.tables_of(ctx.session, ctx.event_id)
    change = SizesChange(sizes_of(stored), tuple(table.id for table in stored[len(sizes) :]))
    for table in stored[len(sizes) :]:
        table.removed_at = now()
    kept = stored[: len(sizes)]
    for table, (least, most) in zip([*kept, *_new(ctx.session, ctx.event_id, kept, len(sizes))], sizes, strict=True):
        table.min_seats, table.seats = least, most
        ctx.session.add(table)
    ctx.session.flush()
    return change


def undo_sizes(ctx: EventContext, change: SizesChange) -> None:
    """Bring back the tables and the sizes that were there before."""
    ctx.edit(only="tables")
    for table_id in change.removed:
        restore_table(ctx, table_id)
    if change.before:
        set_sizes(ctx, change.before)
        return
    for table in queries.tables_of(ctx.session, ctx.event_id):
        table.removed_at = now()
    ctx.session.flush()


def _new(session: Session, event_id: UUID, kept: Sequence[Table], count: int) -> list[Table]:
    taken = {table.name_key for table in kept}
    first = queries.last_position(session, event_id) + 1
    made = [new_table(event_id, first + number) for number in range(count - len(kept))]
    for number, table in enumerate(made, start=len(kept) + 1):
        table.name = free_name(taken, number)
        table.name_key = name_key(table.name)
    return made


def _refuse_too_large(sizes: Sequence[tuple[int, int]]) -> None:
    faults = [
        FieldError("sizes", f"Table {number}: maximum {MAX_SEATS} seats per table, not {most:,}.")
        for number, (_, most) in enumerate(sizes, start=1)
        if most > MAX_SEATS
    ]
    if faults:
        raise Invalid(faults[:10])
