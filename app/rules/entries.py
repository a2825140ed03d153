"""Rules as entered, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from app.db.models.rules import GUEST_KINDS, VALUE_KINDS
from app.errors import FieldError, Invalid
from app.guests.shared_values import GIVE_OR_TAKE, UNBALANCED, SharedField, ValueKey, unknown_value
from app.problem.queries.rules import LEAST_GUESTS, LEAST_VALUES, OF_FIELDS, RuleRow

MOST_VALUES, MOST_NUMBER = 50, 1000
MOST_FAULTS = 100
WITH_NUMBER = ("at_most", "at_least", "spread")
WITH_TABLES = ("pinned", "group_at", "at_most", "at_least")
NUMBERS = {"at_least": 1, "spread": GIVE_OR_TAKE}
"""What is meant where nobody said a number."""


@dataclass(frozen=True)
class RuleEntry:
    """A rule as entered: about guests, about values that guests share, or about a whole field."""

    kind: str
    guest_ids: tuple[UUID, ...] = ()
    table_ids: tuple[UUID, ...] = ()
    values: tuple[ValueKey, ...] = ()
    field: str = ""
    number: int | None = None

    def __post_init__(self) -> None:
        if self.number is None and self.kind in NUMBERS:
            object.__setattr__(self, "number", NUMBERS[self.kind])

    @property
    def meaning(self) -> tuple[object, ...]:
        """What makes two rules the same."""
        lists = frozenset(self.guest_ids), frozenset(self.table_ids), frozenset(self.values)
        return self.kind, *lists, self.field, self.number


@dataclass(frozen=True)
class RuleTargets:
    """Who and what a rule of the event may name."""

    guests: set[UUID]
    tables: set[UUID]
    fields: Mapping[str, SharedField] = field(default_factory=dict)


def entry_of(row: RuleRow) -> RuleEntry:
    """Return a stored rule as it would be entered: one about values names no guests."""
    guests = () if row.is_of_values else row.guest_ids
    return RuleEntry(row.kind, guests, row.table_ids, row.values, row.field, row.number)


def check_all(entries: Sequence[RuleEntry], present: RuleTargets) -> None:
    """Refuse rules of which one makes no sense, or two are the same or exclude each other."""
    faults: list[FieldError] = []
    first: dict[object, int] = {}
    earlier: list[RuleEntry] = []
    for number, entry in enumerate(entries):
        faults += faults_of(entry, present, f"rules/{number}/")
        before = first.setdefault(entry.meaning, number)
        if before != number:
            faults.append(FieldError(f"rules/{number}", f"Duplicate rule (also rules/{before})."))
        elif entry.kind in OF_FIELDS:
            faults += faults_besides(entry, earlier, f"rules/{number}/")
            earlier.append(entry)
    if faults:
        raise Invalid(faults[:MOST_FAULTS])


def faults_besides(entry: RuleEntry, others: Sequence[RuleEntry], where: str = "") -> Iterator[FieldError]:
    """Yield why a rule cannot be added to the others: it exists already, or another one is about the same field."""
    if any(entry.meaning == other.meaning for other in others):
        main = "field" if entry.kind in OF_FIELDS else "values" if entry.values else "guests"
        yield FieldError(f"{where}{main}", "This rule already exists.")
    elif entry.kind == "alternate" and any(other.kind == "alternate" for other in others):
        yield FieldError(f"{where}field", "Guests can alternate by one field only. Delete the other rule first.")
    elif entry.kind == "spread" and any((other.kind, other.field) == ("spread", entry.field) for other in others):
        yield FieldError(f"{where}field", "This field is spread over the tables already. Delete that rule first.")


def faults_of(entry: RuleEntry, present: RuleTargets, where: str = "") -> list[FieldError]:
    """Return what is wrong with a rule by itself."""
    if entry.kind not in GUEST_KINDS + VALUE_KINDS:
        return [FieldError(f"{where}kind", f"The kind must be one of {', '.join(GUEST_KINDS + VALUE_KINDS)}.")]
    own = _faults_of_values(entry, present) if entry.kind in VALUE_KINDS else _faults_of_guests(entry, present)
    found = [*own, *_faults_of_number(entry), *_faults_of_tables(entry, present)]
    return [FieldError(f"{where}{fault.where}", fault.message) for fault in found]


def _faults_of_guests(entry: RuleEntry, present: RuleTargets) -> Iterator[FieldError]:
    for number, guest_id in enumerate(entry.guest_ids):
        if guest_id not in present.guests:
            yield FieldError(f"guests/{number}", "Guest not found in this event.")
    guests = len(set(entry.guest_ids))
    if guests != len(entry.guest_ids):
        yield FieldError("guests", "Duplicate guest.")
    elif guests < LEAST_GUESTS[entry.kind]:
        wanted = "one guest" if entry.kind == "pinned" else "two guests"
        yield FieldError("guests", f"This kind of rule needs at least {wanted}.")
    if entry.kind == "side_by_side" and guests > 2:
        yield FieldError("guests", "Side by side is for two guests. Add one rule per pair.")
    if entry.values:
        yield FieldError("values", "This kind of rule names guests, not groups or other values.")
    if entry.field:
        yield FieldError("field", "Only rules that spread or alternate take a field.")


def _faults_of_values(entry: RuleEntry, present: RuleTargets) -> Iterator[FieldError]:
    if entry.guest_ids:
        yield FieldError("guests", "This kind of rule is about everyone with a value. Leave the guests out.")
    if entry.kind in OF_FIELDS:
        yield from _faults_of_field(entry, present)
        return
    if entry.field:
        yield FieldError("field", "Only rules that spread or alternate take a field. Name a value instead.")
    yield from _faults_of_named(entry, present)


def _faults_of_field(entry: RuleEntry, present: RuleTargets) -> Iterator[FieldError]:
    if entry.values:
        yield FieldError("values", "This kind of rule is about all values of a field. Leave the values out.")
    if not entry.field:
        yield FieldError("field", "Choose a field.")
    elif entry.field not in present.fields:
        yield FieldError("field", "This event has no such field.")
    elif entry.kind == "spread" and entry.field in UNBALANCED:
        yield FieldError("field", "Households sit together, so they can't be spread over the tables.")


def _faults_of_named(entry: RuleEntry, present: RuleTargets) -> Iterator[FieldError]:
    for number, key in enumerate(entry.values):
        found = present.fields.get(key.field)
        if found is None:
            yield FieldError(f"values/{number}/field", "This event has no such field.")
        elif found.value(key.value) is None:
            yield FieldError(f"values/{number}/value", unknown_value(found))
    values = len(set(entry.values))
    if values != len(entry.values):
        yield FieldError("values", "Choose two different groups." if values == 1 else "Duplicate value.")
    elif values < LEAST_VALUES[entry.kind]:
        yield FieldError("values", "Choose a group." if entry.kind != "groups_apart" else "Choose two groups.")
    elif entry.kind != "groups_apart" and values > 1:
        yield FieldError("values", "This kind of rule is about one value. Add one rule per value.")
    elif values > MOST_VALUES:
        yield FieldError("values", f"Maximum {MOST_VALUES} values in a rule.")


def _faults_of_number(entry: RuleEntry) -> Iterator[FieldError]:
    if entry.kind not in WITH_NUMBER:
        if entry.number is not None:
            yield FieldError("limit", "Only at_most, at_least and spread take a limit.")
        return
    least = {"at_most": 0 if entry.table_ids else 1, "at_least": 1, "spread": 0}[entry.kind]
    if entry.number is None:
        yield FieldError("limit", "Enter how many guests at most.")
    elif not least <= entry.number <= MOST_NUMBER:
        yield FieldError("limit", f"Enter a number from {least} to {MOST_NUMBER:,}.")


def _faults_of_tables(entry: RuleEntry, present: RuleTargets) -> Iterator[FieldError]:
    for number, table_id in enumerate(entry.table_ids):
        if table_id not in present.tables:
            yield FieldError(f"tables/{number}", "Table not found in this event.")
    if entry.kind in ("pinned", "group_at") and not entry.table_ids:
        yield FieldError("tables", "Choose a table.")
    if entry.kind not in WITH_TABLES and entry.table_ids:
        yield FieldError("tables", "This kind of rule takes no tables.")
