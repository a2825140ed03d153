"""Sides, meals and own fields of imported guests: what an event does not have yet is made when they are taken over."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID

from app.db.models import NAME_LENGTH
from app.db.models.guest_fields import TEXT_LENGTH
from app.events.context import EventContext
from app.files.guest_lists.guest_row import GuestRow, OwnValue
from app.guests.entries import GuestEntry
from app.guests.field_checks import (
    MOST_COURSES,
    MOST_OPTIONS,
    MOST_OWN,
    MOST_SIDES,
    NAME_MOST,
    OPTION_MOST,
    RESERVED,
    FieldEntry,
    OptionEntry,
)
from app.guests.fields import add_field, change_field
from app.guests.imports.left_over import LeftOver
from app.guests.queries.fields import FieldRow, StoredValue, fields_of
from app.web.names import name_key, without_controls
from app.web.unset import Unset

COURSE = "Main course"
SIDE, MEAL = "side", "meal"
"""The slots of the two columns that every file can have; columns of own fields have the keys of their names."""
LIMITS = {"side": "10 sides", "course": f"{MOST_COURSES} courses", "own": f"{MOST_OWN} fields of its own"}


@dataclass(frozen=True)
class Target:
    """The field that takes the texts of a column: stored, or to be made with these options; texts have none."""

    kind: str
    name: str
    stored: FieldRow | None = None
    new: Mapping[str, str] = field(default_factory=dict)

    @property
    def most(self) -> int:
        return MOST_SIDES if self.kind == "side" else MOST_OPTIONS

    def fault_of(self, text: str) -> str:
        """Say why a text does not fit, if so."""
        if self.kind == "text":
            return f"has more than {TEXT_LENGTH} characters" if len(_tidy(text)) > TEXT_LENGTH else ""
        key = name_key(_tidy(text))
        known = {option.name_key for option in self.stored.options} if self.stored else set()
        if key in known or key in self.new:
            return ""
        is_long = len(_tidy(text)) > OPTION_MOST
        return f"has more than {OPTION_MOST} characters" if is_long else f"would be one option more than {self.most}"


@dataclass(frozen=True)
class FieldPlan:
    """Where the texts of the columns go, and why those of some columns have nowhere to go."""

    targets: Mapping[str, Target] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)

    def left_over(self, row: GuestRow) -> Iterator[LeftOver]:
        """Yield what does not fit; a meal that is not an option becomes part of the diet."""
        for slot, value in _values(row):
            why = self.refused.get(slot) or (self.targets[slot].fault_of(value.text) if slot in self.targets else "")
            if why and slot != MEAL:
                yield LeftOver(value.name, value.text, why)


@dataclass(frozen=True)
class ImportedFields:
    """The fields that imported guests have values in, by slot, with their options by the keys of their names."""

    ids: Mapping[str, UUID] = field(default_factory=dict)
    options: Mapping[str, Mapping[str, UUID]] = field(default_factory=dict)

    def complete(self, row: GuestRow, entry: GuestEntry) -> GuestEntry:
        """Return the entry of a guest with these values; a meal that is not an option becomes part of the diet."""
        values = dict(self._stored(row))
        if row.meal and self.ids.get(MEAL) not in values:
            diet = "" if isinstance(entry.diet, Unset) else entry.diet
            entry = replace(entry, diet=", ".join(filter(None, [diet, _tidy(row.meal)]))[:NAME_LENGTH])
        return replace(entry, values=values) if values else entry

    def _stored(self, row: GuestRow) -> Iterator[tuple[UUID, StoredValue]]:
        for slot, value in _values(row):
            field_id, options = self.ids.get(slot), self.options.get(slot)
            if field_id is None:
                continue
            if options is None:
                if len(_tidy(value.text)) <= TEXT_LENGTH:
                    yield field_id, StoredValue(None, _tidy(value.text))
            elif name_key(_tidy(value.text)) in options:
                yield field_id, StoredValue(options[name_key(_tidy(value.text))], "")


def plan_fields(ctx: EventContext, rows: Sequence[GuestRow]) -> FieldPlan:
    """Return the fields for what these guests have, as far as the event can still take them."""
    columns: dict[str, tuple[OwnValue, dict[str, str]]] = {}
    for row in rows:
        for slot, value in _values(row):
            texts = columns.setdefault(slot, (value, {}))[1]
            texts.setdefault(name_key(_tidy(value.text)), _tidy(value.text))
    if not columns:
        return FieldPlan()
    planning = _Planning(fields_of(ctx.session, ctx.event_id))
    for slot, (value, texts) in columns.items():
        planning.add(slot, value, texts)
    return FieldPlan(planning.targets, planning.refused)


def make_fields(ctx: EventContext, plan: FieldPlan) -> ImportedFields:
    """Make the fields and options that are missing."""
    made: dict[str, UUID] = {}
    for slot, target in plan.targets.items():
        new = [OptionEntry(text) for text in target.new.values()]
        if target.stored is None:
            options = None if target.kind == "text" else new
            made[slot] = add_field(ctx, FieldEntry(target.kind, target.name, options)).id
            continue
        made[slot] = target.stored.id
        if new:
            kept = [OptionEntry(option.name, option.id) for option in target.stored.options]
            change_field(ctx, target.stored.id, FieldEntry(target.kind, target.stored.name, [*kept, *new]))
    by_id = {row.id: row for row in fields_of(ctx.session, ctx.event_id)} if made else {}
    by_name = {
        slot: {option.name_key: option.id for option in by_id[field_id].options}
        for slot, field_id in made.items()
        if by_id[field_id].kind != "text"
    }
    return ImportedFields(made, by_name)


class _Planning:
    """Finds a field for one column after the other."""

    def __init__(self, stored: Sequence[FieldRow]) -> None:
        self._stored = {row.name_key: row for row in stored}
        self._side = next((row for row in stored if row.kind == "side"), None)
        self._course = next((row for row in stored if row.kind == "course"), None)
        self._counts = Counter(_limit_of(row.kind) for row in stored)
        self.targets: dict[str, Target] = {}
        self.refused: dict[str, str] = {}

    def add(self, slot: str, value: OwnValue, texts: Mapping[str, str]) -> None:
        """Find the field for the texts of a column, or say why there is none."""
        name = _tidy(value.name)[:NAME_MOST]
        row = {SIDE: self._side, MEAL: self._course}.get(slot) or self._stored.get(name_key(name))
        if row is not None and (row.kind == "side") == (slot == SIDE):
            self.targets[slot] = Target(row.kind, row.name, row, _new_options(row, texts))
        elif row is not None or (slot not in (SIDE, MEAL) and name_key(name) in RESERVED):
            self.refused[slot] = "has the name of a field that every event has"
        else:
            self._make(slot, _kind_of(value, texts), name, texts)

    def _make(self, slot: str, kind: str, name: str, texts: Mapping[str, str]) -> None:
        limit = _limit_of(kind)
        if self._counts[limit] >= {"side": 1, "course": MOST_COURSES, "own": MOST_OWN}[limit]:
            self.refused[slot] = f"has no field, as this event has {LIMITS[limit]}, the maximum"
            return
        self._counts[limit] += 1
        most = MOST_SIDES if kind == "side" else MOST_OPTIONS
        new = {} if kind == "text" else dict(list(_short(texts))[:most])
        self.targets[slot] = Target(kind, COURSE if slot == MEAL else name, None, new)


def _kind_of(value: OwnValue, texts: Mapping[str, str]) -> str:
    """Return the kind of a new field; more values than a field can have as options are texts."""
    is_text = value.kind == "choice" and len(texts) > MOST_OPTIONS
    return "text" if is_text else value.kind


def _values(row: GuestRow) -> Iterator[tuple[str, OwnValue]]:
    """Yield what a row has in fields, by the slot of the column."""
    if row.side and _tidy(row.side):
        yield SIDE, OwnValue("Side", row.side, "side")
    if row.meal and _tidy(row.meal):
        yield MEAL, OwnValue("Meal", row.meal, "course")
    yield from ((f"own {name_key(_tidy(value.name))}", value) for value in row.own if _tidy(value.text))


def _limit_of(kind: str) -> str:
    return "own" if kind in ("choice", "text") else kind


def _new_options(row: FieldRow, texts: Mapping[str, str]) -> dict[str, str]:
    if row.kind == "text":
        return {}
    known = {option.name_key for option in row.options}
    most = MOST_SIDES if row.kind == "side" else MOST_OPTIONS
    missing = [(key, text) for key, text in _short(texts) if key not in known]
    return dict(missing[: max(most - len(known), 0)])


def _short(texts: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    yield from ((key, text) for key, text in texts.items() if len(text) <= OPTION_MOST)


def _tidy(text: str | None) -> str:
    return " ".join(without_controls(text or "").split())
