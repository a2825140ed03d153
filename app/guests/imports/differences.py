"""What an import would change of guests who are there already, field by field and in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from app.db.models.guests import CHILDREN
from app.events.context import EventContext
from app.files.guest_lists.guest_row import GuestRow
from app.guests.columns import BUILT_IN, Column
from app.guests.entries import GuestEntry
from app.guests.guest_view import GuestView, describe
from app.guests.imports.fields import COURSE
from app.guests.imports.left_over import with_left_over
from app.guests.imports.rows import ImportRow
from app.guests.known_fields import KnownFields
from app.guests.queries.guests import chosen_guests
from app.web.names import name_key
from app.web.unset import Unset

COMPARED = tuple(column for column in BUILT_IN if column.key != "name")
AS_TYPED = {column.key for column in COMPARED} - {"party", "groups"}


@dataclass(frozen=True)
class Difference:
    """A field that would change: what the guest has, and what the file says."""

    label: str
    before: str
    after: str


def find_differences(ctx: EventContext, rows: Sequence[ImportRow]) -> dict[int, tuple[Difference, ...]]:
    """Return what would change of each guest who is there already, by the place of the row; none where nothing does."""
    updates = [row for row in rows if row.choice == "update" and row.is_taken and row.match.stored]
    ids = {row.match.stored.id for row in updates if row.match.stored}
    views = {view.id: view for view in describe(ctx, chosen_guests(ctx.session, ctx.event_id, ids))} if ids else {}
    courses = KnownFields.of(ctx.session, ctx.event_id).courses
    course = courses[0].name if courses else COURSE
    found: dict[int, tuple[Difference, ...]] = {}
    for row in updates:
        view = views.get(row.match.stored.id) if row.match.stored else None
        if view and row.entry and (changes := tuple(_changes(row.row, _written(row, row.entry, view), view, course))):
            found[row.place] = changes
    return found


def _written(row: ImportRow, entry: GuestEntry, view: GuestView) -> GuestEntry:
    """Return the entry with the note that will be written: what no other field takes goes there."""
    note = (view.note or "") if isinstance(entry.note, Unset) else entry.note
    return replace(entry, note=with_left_over(note, row.left)) if row.left else entry


def _changes(row: GuestRow, entry: GuestEntry, view: GuestView, course: str) -> Iterator[Difference]:
    for column in COMPARED:
        before, after = column.value_of(view), _entered(column, entry, view)
        as_typed = column.key in AS_TYPED and isinstance(after, str)
        if after is not None and (before != after if as_typed else _key(before) != _key(after)):
            yield Difference(column.label, column.words_of(before), column.words_of(after))
    said: Mapping[str, tuple[str, str | None]] = {
        "Side": (view.side or "", row.side),
        course: (view.meals.get(course, ""), row.meal),
        **{value.name: (view.fields.get(value.name, ""), value.text) for value in row.own},
    }
    for label, (had, text) in said.items():
        if text and _key(" ".join(text.split())) != _key(had):
            yield Difference(label, had, text)


def _entered(column: Column, entry: GuestEntry, view: GuestView) -> Any:
    """Return what the file says for a column, None where it says nothing."""
    value = getattr(entry, column.key)
    if column.key == "age_group" and isinstance(value, Unset) and not isinstance(entry.child, Unset):
        is_same = (view.age_group in CHILDREN) == entry.child
        return view.age_group if is_same else "child" if entry.child else "adult"
    if isinstance(value, Unset):
        return None
    return "" if value is None else tuple(value) if isinstance(value, list) else value


def _key(value: Any) -> Any:
    """Return what decides whether two values are the same: neither case nor the order of groups does."""
    if isinstance(value, tuple):
        return frozenset(map(name_key, value))
    return name_key(value) if isinstance(value, str) else value
