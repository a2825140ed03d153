"""Rules as pages show and take them: in words, by the names of guests, and written into an address to undo."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from app.errors import FieldError, Invalid
from app.events.context import EventContext
from app.guests import edit as guests
from app.guests.queries.guests import Named
from app.guests.shared_values import ValueKey
from app.guests.text import absence_words
from app.problem.queries.rules import LEAST_GUESTS, RuleRow
from app.problem.value_rules import Words, value_rule_words
from app.rules import edit as rules
from app.rules.entries import RuleEntry, entry_of
from app.rules.value_notes import value_rule_note
from app.rules.wording import rule_in_words
from app.sentences import list_in_words
from app.solver import predicate_of
from app.tables import edit as tables
from app.web.html.forms import read_id
from app.web.names import name_key

MAX_UNDO = 20  # guests and tables that fit into an address
MOST_MEANT = 5


@dataclass(frozen=True)
class RuleView:
    """A rule in words; `rest` says for whom it counts for nothing now.

    Of a rule about values `guest_ids` are those who have them now, and `guests` are not listed: they may be hundreds.
    """

    id: UUID
    kind: str
    guest_ids: tuple[UUID, ...]
    guests: tuple[str, ...]
    tables: tuple[str, ...]
    rest: str = ""
    says: tuple[Words, ...] = ()

    @property
    def words(self) -> str:
        if self.says:
            return "".join(piece.text for piece in self.says)
        return rule_in_words(self.kind, self.guests, self.tables)

    @property
    def predicate(self) -> str:
        """What a sentence says about the guests, before the tables."""
        return predicate_of(self.kind, len(self.guests))

    @property
    def subject(self) -> str:
        """Whom or what it is about, for a button that names it."""
        return self.words if self.says else " and ".join(self.guests)


def views_of(ctx: EventContext) -> list[RuleView]:
    """Return the rules of the event with the names of whom they name."""
    rows = rules.list_rules(ctx)
    if not rows:
        return []
    known = {guest.id: guest for guest in guests.list_named(ctx)}
    away = rules.resting_for(ctx)
    called = {table.id: table.name for table in tables.list_tables(ctx)}
    names = {key: guest.name for key, guest in known.items()}
    return [_view(row, names, [known[guest_id] for guest_id in away.get(row.id, ())], called) for row in rows]


def _view(row: RuleRow, known: Mapping[UUID, str], away: Sequence[Named], called: Mapping[UUID, str]) -> RuleView:
    at = tuple(called[table_id] for table_id in row.table_ids)
    if row.is_of_values:
        says = _as_sentence(value_rule_words(row.kind, row.names, row.number, at))
        note = value_rule_note(row, {guest.id for guest in away}, known)
        return RuleView(row.id, row.kind, row.guest_ids, (), at, note, says)
    names = tuple(known[guest_id] for guest_id in row.guest_ids)
    return RuleView(row.id, row.kind, row.guest_ids, names, at, _rest(row, away))


def _as_sentence(words: Sequence[Words]) -> tuple[Words, ...]:
    """Return a clause as it begins a sentence; a name keeps its letters."""
    first = words[0]
    return first if first.is_name else first._replace(text=first.text[:1].upper() + first.text[1:]), *words[1:]


def confirm_rule(ctx: EventContext, rule_id: UUID) -> str:
    """Say that a rule was added; nothing where it is gone again."""
    added = next((view for view in views_of(ctx) if view.id == rule_id), None)
    return f"Rule added: {added.words}." if added else ""


def _rest(row: RuleRow, away: Sequence[Named]) -> str:
    """Say that somebody of the rule does not come, and what is left of it."""
    if not away:
        return ""
    who = f"{list_in_words([guest.name for guest in away])} {absence_words([guest.reply for guest in away])}"
    if len(row.guest_ids) - len(away) >= LEAST_GUESTS[row.kind]:
        return f"{who}, so this rule applies to the others only."
    return f"{who}, so this rule does not apply."


def guest_ids_of(ctx: EventContext, typed: dict[str, str]) -> tuple[UUID, ...]:
    """Return the ids of the guests with these names, each typed in its field."""
    named = guests.list_named(ctx)
    by_key = {name_key(guest.name): guest.id for guest in named}
    faults, found = [], []
    for where, text in typed.items():
        name = " ".join(text.split())
        guest_id = by_key.get(name_key(name))
        if not name:
            faults.append(FieldError(where, "Enter a guest name."))
        elif guest_id is None:
            faults.append(FieldError(where, _unknown(name, [guest.name for guest in named])))
        else:
            found.append(guest_id)
    if faults:
        raise Invalid(faults)
    return tuple(found)


def _unknown(name: str, names: Sequence[str]) -> str:
    """Say that nobody has this name, and who may be meant: “James” may be James Smith (Leeds) or James Smith (York)."""
    key = name_key(name)
    meant = [other for other in names if key in name_key(other)]
    if not 0 < len(meant) <= MOST_MEANT:
        return f"No guest called “{name[:60]}”. Enter the name as it appears in the guest list."
    choice = list_in_words([f"“{other}”" for other in meant], "or")
    return f"No guest called “{name[:60]}”. Do you mean {choice}?"


def pinned_entry(guest_ids: tuple[UUID, ...], table: str) -> RuleEntry:
    """Return the rule that these guests sit at the table that was chosen, by its id."""
    table_id = read_id(table)
    if table_id is None:
        raise Invalid(FieldError("tables", "Choose a table."))
    return RuleEntry("pinned", guest_ids, (table_id,))


def undo_of(row: RuleRow) -> str:
    """Write a rule so that it fits into an address; nothing where it is too long for one."""
    entry = entry_of(row)
    if len(entry.guest_ids) + len(entry.table_ids) + 2 * len(entry.values) > MAX_UNDO:
        return ""
    parts = [entry.kind, ".".join(map(str, entry.guest_ids)), ".".join(map(str, entry.table_ids))]
    if row.is_of_values:
        parts += [".".join(map("!".join, entry.values)), entry.field, "" if entry.number is None else str(entry.number)]
    return "~".join(parts)


def read_rule(text: str) -> RuleEntry:
    """Read a rule as `undo_of` wrote it."""
    try:
        kind, named, at, *of_values = text.split("~")
        entry = RuleEntry(kind, _ids(named), _ids(at))
        return _with_values(entry, *of_values) if of_values else entry
    except (ValueError, TypeError):
        raise Invalid("This rule cannot be restored. Add a new one below.") from None


def _with_values(entry: RuleEntry, values: str, field: str, number: str) -> RuleEntry:
    keys = tuple(ValueKey(*part.split("!")) for part in values.split(".") if part)
    return replace(entry, values=keys, field=field, number=int(number) if number else None)


def _ids(text: str) -> tuple[UUID, ...]:
    return tuple(UUID(part) for part in text.split(".") if part)
