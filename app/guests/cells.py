"""Cells of the guest table, changed where they are shown: one, or a block that was pasted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from app.db.models import Guest
from app.errors import FieldError, Invalid
from app.events.context import EventContext
from app.guests.bulk import shared_names
from app.guests.columns import Column, Value, column_called, columns_of
from app.guests.edit import follow_parts
from app.guests.entries import GuestEntry, write_entries
from app.guests.entry_checks import check_entry
from app.guests.guest_view import GuestView, describe
from app.guests.known_fields import KnownFields
from app.guests.queries import guests as queries

MOST_CELLS = 20_000


@dataclass(frozen=True)
class CellChange:
    """A new value for a guest in a column, and the value that was shown when it was typed."""

    guest_id: UUID
    column: str
    was: object
    value: object


@dataclass(frozen=True)
class CellConflict:
    """A cell that somebody else has changed since, or whose guest is gone: then there is no `now`."""

    guest_id: UUID
    column: str
    now: Value | None


@dataclass(frozen=True)
class _Wanted:
    column: Column
    was: Value
    value: Value


def change_cells(ctx: EventContext, changes: Sequence[CellChange]) -> Sequence[CellConflict]:
    """Write all cells in one transaction, or none and return those that somebody else changed meanwhile.

    A change of another field of the same guest is no conflict. Faults say which change they are about: `cells/3`.
    """
    if len(changes) > MOST_CELLS:
        raise Invalid(FieldError("cells", f"{len(changes):,} cells at once; maximum {MOST_CELLS:,}."))
    columns = columns_of(ctx)
    wanted = _wanted(changes, columns)
    ctx.edit()
    everyone = queries.guests_of(ctx.session, ctx.event_id)
    chosen = [guest for guest in everyone if guest.id in wanted]
    views = {view.id: view for view in describe(ctx, chosen)}
    conflicts = _conflicts(wanted, views)
    if conflicts:
        return conflicts
    places = {(change.guest_id, change.column): place for place, change in enumerate(changes)}
    written = _entries(chosen, wanted, places, KnownFields.of(ctx.session, ctx.event_id))
    _refuse_shared_names(everyone, written, places)
    write_entries(ctx.session, ctx.event_id, written)
    return ()


def _wanted(changes: Sequence[CellChange], columns: Sequence[Column]) -> dict[UUID, dict[str, _Wanted]]:
    found: dict[UUID, dict[str, _Wanted]] = {}
    faults: list[FieldError] = []
    by_key = {key: column_called(columns, key) for key in {change.column for change in changes}}
    for place, change in enumerate(changes):
        column = by_key[change.column]
        try:
            value = column.clean(change.value, f"cells/{place}")
        except Invalid as error:
            faults += error.faults
            continue
        was = tuple(change.was) if isinstance(change.was, list) else change.was
        found.setdefault(change.guest_id, {})[column.key] = _Wanted(column, was, value)  # type: ignore[arg-type]  # compared only
    if faults:
        raise Invalid(faults)
    return found


def _conflicts(wanted: Mapping[UUID, Mapping[str, _Wanted]], views: Mapping[UUID, GuestView]) -> list[CellConflict]:
    found = []
    for guest_id, cells in wanted.items():
        view = views.get(guest_id)
        for key, cell in cells.items():
            now = None if view is None else cell.column.value_of(view)
            if now not in (cell.was, cell.value):
                found.append(CellConflict(guest_id, key, now))
    return found


def _entries(
    chosen: Sequence[Guest],
    wanted: Mapping[UUID, Mapping[str, _Wanted]],
    places: Mapping[tuple[UUID, str], int],
    known: KnownFields,
) -> list[tuple[Guest, GuestEntry]]:
    written, faults = [], []
    for guest in chosen:
        fields: dict[str, Any] = {"name": guest.name}
        for cell in wanted[guest.id].values():
            for key, value in cell.column.entry_of(cell.value).items():
                fields[key] = {**fields[key], **value} if isinstance(value, dict) and key in fields else value
        try:
            written.append((guest, follow_parts(guest, check_entry(GuestEntry(**fields), known=known))))
        except Invalid as error:
            keys = wanted[guest.id]
            for fault in error.faults:
                key = next((key for key in keys if fault.where.startswith(key)), next(iter(keys)))
                faults.append(FieldError(f"cells/{places[guest.id, key]}", fault.message))
    if faults:
        raise Invalid(faults)
    return written


def _refuse_shared_names(
    everyone: Sequence[Guest], written: Sequence[tuple[Guest, GuestEntry]], places: Mapping[tuple[UUID, str], int]
) -> None:
    renamed = [(guest, entry) for guest, entry in written if guest.name != entry.name]
    faults = shared_names(everyone, renamed)
    if faults:
        raise Invalid(
            [
                FieldError(f"cells/{_place_of_name(renamed[place][0].id, places)}", text)
                for place, text in faults.items()
            ]
        )


def _place_of_name(guest_id: UUID, places: Mapping[tuple[UUID, str], int]) -> int:
    """Return the change that gives a guest another name: of the name itself, or of a part that it follows."""
    parts = ("name", "first_name", "last_name")
    return next(places[guest_id, part] for part in parts if (guest_id, part) in places)
