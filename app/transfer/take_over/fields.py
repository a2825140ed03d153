"""Sides, menu and own fields of guests who come from another event: what this event gets, and what does not fit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from app.events.context import EventContext
from app.guests.field_checks import MOST_COURSES, MOST_OPTIONS, MOST_OWN, MOST_SIDES, FieldEntry, OptionEntry
from app.guests.fields import add_field, change_field
from app.guests.guest_view import GuestView
from app.guests.queries.fields import FieldRow, fields_of
from app.sentences import count, list_in_words
from app.web.names import name_key

MOST_NAMED = 5
Slot = tuple[str, str]
"""Where a guest has a value: side, course or own, and the key of the name of the field."""


@dataclass(frozen=True)
class TargetField:
    """The field of this event that takes the values of one of the other's; without `options` it takes any text."""

    name: str
    options: frozenset[str] | None


@dataclass(frozen=True)
class FieldFit:
    """What has to be made for the guests' values, where each goes, and what cannot come along."""

    made: Sequence[FieldEntry] = ()
    widened: Mapping[UUID, FieldEntry] = field(default_factory=dict)
    targets: Mapping[Slot, TargetField] = field(default_factory=dict)
    problems: Sequence[str] = ()

    def values_of(self, guest: GuestView) -> Iterator[tuple[str, str, str]]:
        """Yield what a guest of the other event can have here: side, course or own, the field's name, the value."""
        for kind, name, text in values_of(guest):
            target = self.targets.get((kind, name_key(name)))
            if target and (target.options is None or name_key(text) in target.options):
                yield kind, target.name, text


def values_of(guest: GuestView) -> Iterator[tuple[str, str, str]]:
    """Yield what a guest has in sides, courses and own fields."""
    if guest.side:
        yield "side", "Side", guest.side
    yield from (("course", name, text) for name, text in guest.meals.items())
    yield from (("own", name, text) for name, text in guest.fields.items())


def fit_fields(source: EventContext, target: EventContext, guests: Sequence[GuestView]) -> FieldFit:
    """Return how the values of these guests fit into the target's fields."""
    used: dict[Slot, dict[str, str]] = {}
    for guest in guests:
        for kind, name, text in values_of(guest):
            used.setdefault((kind, name_key(name)), {})[name_key(text)] = text
    if not used:
        return FieldFit()
    there = {_slot(row): row for row in fields_of(source.session, source.event_id)}
    fitting = _Fitting(fields_of(target.session, target.event_id))
    for slot, texts in used.items():
        fitting.add(there[slot], slot, texts)
    return FieldFit(fitting.made, fitting.widened, fitting.targets, fitting.problems)


def make_fields(ctx: EventContext, fit: FieldFit) -> tuple[list[UUID], list[UUID]]:
    """Make the fields and options that are missing, and return the ids of both."""
    before = {option.id for row in fields_of(ctx.session, ctx.event_id) for option in row.options}
    fields = [add_field(ctx, entry).id for entry in fit.made]
    for field_id, entry in fit.widened.items():
        change_field(ctx, field_id, entry)
    rows = [row for row in fields_of(ctx.session, ctx.event_id) if row.id in fit.widened]
    return fields, [option.id for row in rows for option in row.options if option.id not in before]


class _Fitting:
    """Puts fields into an event one after the other, as far as its limits let it."""

    def __init__(self, here: Sequence[FieldRow]) -> None:
        self._here = {row.name_key: row for row in here}
        self._counts = Counter(_slot(row)[0] for row in here)
        self.made: list[FieldEntry] = []
        self.widened: dict[UUID, FieldEntry] = {}
        self.targets: dict[Slot, TargetField] = {}
        self.problems: list[str] = []

    def add(self, source: FieldRow, slot: Slot, used: Mapping[str, str]) -> None:
        """Find a place for the used values of a field."""
        row = self._here.get(source.name_key)
        if row is None:
            self._make(source, slot, used)
        elif _slot(row)[0] != slot[0]:
            self.problems.append(f"“{source.name}”: this event has another field of that name.")
        elif row.kind == "text":
            self.targets[slot] = TargetField(row.name, None)
        else:
            self._widen(row, source, slot, used)

    def _make(self, source: FieldRow, slot: Slot, used: Mapping[str, str]) -> None:
        kind = slot[0]
        if self._counts[kind] >= {"side": 1, "course": MOST_COURSES, "own": MOST_OWN}[kind]:
            what = "courses" if kind == "course" else "fields of its own"
            self.problems.append(f"“{source.name}”: this event already has {self._counts[kind]} {what}, the maximum.")
            return
        self._counts[kind] += 1
        options = None if source.kind == "text" else [_option(source, key, text) for key, text in used.items()]
        self.made.append(FieldEntry(source.kind, source.name, options))
        self.targets[slot] = TargetField(source.name, None if options is None else frozenset(used))

    def _widen(self, row: FieldRow, source: FieldRow, slot: Slot, used: Mapping[str, str]) -> None:
        present = {option.name_key for option in row.options}
        missing = [key for key in used if key not in present]
        room = (MOST_SIDES if row.kind == "side" else MOST_OPTIONS) - len(present)
        # A text is not an option: somebody wrote it for one guest, and nobody else would choose it.
        new = [] if source.kind == "text" else missing[: max(room, 0)]
        if new:
            kept = [OptionEntry(option.name, option.id) for option in row.options]
            added = [_option(source, key, used[key]) for key in new]
            self.widened[row.id] = FieldEntry(row.kind, row.name, [*kept, *added])
        left = [used[key] for key in missing if key not in set(new)]
        if left:
            shown = [f"“{text}”" for text in left[:MOST_NAMED]]
            more = [count(len(left) - MOST_NAMED, "more value")] if len(left) > MOST_NAMED else []
            why = f"it has {len(present) + len(new)} options, the maximum" if not room - len(new) else "it has options"
            self.problems.append(f"“{row.name}”: {list_in_words([*shown, *more])} can't be added here; {why}.")
        self.targets[slot] = TargetField(row.name, frozenset(present | set(new)))


def _slot(row: FieldRow) -> Slot:
    return ("own" if row.kind in ("choice", "text") else row.kind), row.name_key


def _option(source: FieldRow, key: str, text: str) -> OptionEntry:
    option = next((one for one in source.options if one.name_key == key), None)
    return OptionEntry(option.name, colour=option.colour, mark=option.mark) if option else OptionEntry(text)
