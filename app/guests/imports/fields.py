"""Sides, meals and own fields of imported guests: what an event does not have yet is made when they are taken over."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID

from app.db.models import NAME_LENGTH
from app.db.models.guest_fields import TEXT_LENGTH
from app.events.context import EventContext
from app.files.guest_lists.guest_row import GuestRow
from app.guests.entries import GuestEntry
from app.guests.field_checks import (
    MOST_COURSES,
    MOST_OPTIONS,
    MOST_OWN,
    MOST_SIDES,
    NAME_MOST,
    RESERVED,
    FieldEntry,
    OptionEntry,
)
from app.guests.fields import FieldView, add_field, change_field, list_fields
from app.guests.queries.fields import StoredValue
from app.web.names import name_key, without_controls
from app.web.unset import Unset

COURSE = "Main course"


@dataclass(frozen=True)
class Options:
    """The options of a field by the keys of their names."""

    field_id: UUID | None = None
    ids: dict[str, UUID] = field(default_factory=dict)

    def value(self, text: str | None) -> dict[UUID, StoredValue]:
        """Return what is stored for a text; nothing where it is no option."""
        found = self.ids.get(name_key(_tidy(text))) if text else None
        return {self.field_id: StoredValue(found, "")} if found and self.field_id else {}


@dataclass(frozen=True)
class ImportedFields:
    """The fields that imported guests have values in."""

    side: Options = field(default_factory=Options)
    course: Options = field(default_factory=Options)
    own: dict[str, UUID] = field(default_factory=dict)

    def complete(self, row: GuestRow, entry: GuestEntry) -> GuestEntry:
        """Return the entry of a guest with these values; a meal that is no option becomes a part of the diet."""
        values = self.values(row)
        if row.meal and self.course.field_id not in values:
            diet = "" if isinstance(entry.diet, Unset) else entry.diet
            entry = replace(entry, diet=", ".join(filter(None, [diet, _tidy(row.meal)]))[:NAME_LENGTH])
        return replace(entry, values=values) if values else entry

    def values(self, row: GuestRow) -> dict[UUID, StoredValue]:
        """Return what is stored for a guest."""
        texts = {self.own[name_key(name)]: _tidy(text) for name, text in row.own if name_key(name) in self.own}
        own = {field_id: StoredValue(None, text[:TEXT_LENGTH]) for field_id, text in texts.items() if text}
        return {**self.side.value(row.side), **self.course.value(row.meal), **own}


def prepare_fields(ctx: EventContext, rows: Sequence[GuestRow]) -> ImportedFields:
    """Make the sides, dishes and own fields that these guests need and that the event can still take."""
    sides, meals = ([text for row in rows if (text := getattr(row, name))] for name in ("side", "meal"))
    own = {name_key(name): _tidy(name)[:NAME_MOST] for row in rows for name, _ in row.own}
    if not sides and not meals and not own:
        return ImportedFields()
    stored = list_fields(ctx)
    return ImportedFields(
        side=_options(ctx, [one for one in stored if one.kind == "side"], "side", "", sides, MOST_SIDES),
        course=_options(ctx, [one for one in stored if one.kind == "course"], "course", COURSE, meals, MOST_OPTIONS),
        own=_own_fields(ctx, stored, own),
    )


def _options(
    ctx: EventContext, stored: Sequence[FieldView], kind: str, name: str, texts: Iterable[str], most: int
) -> Options:
    """Return the first field of a kind with options for these texts; those beyond its limit have none."""
    wanted = {name_key(_tidy(text)): _tidy(text) for text in texts}
    if not wanted or (not stored and kind == "course" and len(stored) >= MOST_COURSES):
        return Options()
    there = {name_key(option.name) for option in stored[0].options} if stored else set()
    new = [OptionEntry(text) for key, text in wanted.items() if key not in there][: most - len(there)]
    if not stored:
        found = add_field(ctx, FieldEntry(kind, name, new))
    elif new:
        kept = [OptionEntry(option.name, option.id) for option in stored[0].options]
        found = change_field(ctx, stored[0].id, FieldEntry(kind, stored[0].name, [*kept, *new]))
    else:
        found = stored[0]
    return Options(found.id, {name_key(option.name): option.id for option in found.options})


def _own_fields(ctx: EventContext, stored: Sequence[FieldView], wanted: dict[str, str]) -> dict[str, UUID]:
    """Return the fields of texts by the keys of their names, with those made that the event can still take."""
    own = [one for one in stored if one.kind in ("choice", "text")]
    found = {name_key(one.name): one.id for one in own if one.kind == "text"}
    taken = {name_key(one.name) for one in stored}
    for key, name in list(wanted.items())[: MOST_OWN - len(own)]:
        if key not in taken and key not in RESERVED:
            found[key] = add_field(ctx, FieldEntry("text", name)).id
    return {key: field_id for key, field_id in found.items() if key in wanted}


def _tidy(text: str | None) -> str:
    return " ".join(without_controls(text or "").split())[:100]
