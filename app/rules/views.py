"""Rules as pages show and take them: in words, by the names of guests, and written into an address to undo."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from app.errors import FieldError, Invalid
from app.events.context import EventContext
from app.guests import edit as guests
from app.guests.queries.guests import Named
from app.guests.text import absence_words
from app.problem.queries.rules import LEAST_GUESTS, RuleRow
from app.rules import edit as rules
from app.rules.edit import RuleEntry
from app.rules.wording import predicate_of, rule_in_words
from app.sentences import list_in_words
from app.tables import edit as tables
from app.web.html.forms import read_id
from app.web.names import name_key

MAX_UNDO = 20  # guests and tables that fit into an address


@dataclass(frozen=True)
class RuleView:
    """A rule in words; `rest` says for whom it counts for nothing now."""

    id: UUID
    kind: str
    guest_ids: tuple[UUID, ...]
    guests: tuple[str, ...]
    tables: tuple[str, ...]
    rest: str = ""

    @property
    def words(self) -> str:
        return rule_in_words(self.kind, self.guests, self.tables)

    @property
    def predicate(self) -> str:
        """What a sentence says about the guests, before the tables."""
        return predicate_of(self.kind, len(self.guests))


def views_of(ctx: EventContext) -> list[RuleView]:
    """Return the rules of the event with the names of whom they name."""
    rows = rules.list_rules(ctx)
    if not rows:
        return []
    known = {guest.id: guest for guest in guests.list_named(ctx)}
    away = rules.resting_for(ctx)
    called = {table.id: table.name for table in tables.list_tables(ctx)}
    return [
        RuleView(
            id=row.id,
            kind=row.kind,
            guest_ids=row.guest_ids,
            guests=tuple(known[guest_id].name for guest_id in row.guest_ids),
            tables=tuple(called[table_id] for table_id in row.table_ids),
            rest=_rest(row, [known[guest_id] for guest_id in away.get(row.id, ())]),
        )
        for row in rows
    ]


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
    by_key = {name_key(guest.name): guest.id for guest in guests.list_named(ctx)}
    faults, found = [], []
    for where, text in typed.items():
        name = " ".join(text.split())
        guest_id = by_key.get(name_key(name))
        if not name:
            faults.append(FieldError(where, "Enter a guest name."))
        elif guest_id is None:
            faults.append(
                FieldError(where, f"No guest called “{name[:60]}”. Enter the name as it appears in the guest list.")
            )
        else:
            found.append(guest_id)
    if faults:
        raise Invalid(faults)
    return tuple(found)


def pinned_entry(guest_ids: tuple[UUID, ...], table: str) -> RuleEntry:
    """Return the rule that these guests sit at the table that was chosen, by its id."""
    table_id = read_id(table)
    if table_id is None:
        raise Invalid(FieldError("tables", "Choose a table."))
    return RuleEntry("pinned", guest_ids, (table_id,))


def undo_of(row: RuleRow) -> str:
    """Write a rule so that it fits into an address; nothing where it is too long for one."""
    if len(row.guest_ids) + len(row.table_ids) > MAX_UNDO:
        return ""
    return "~".join([row.kind, ".".join(map(str, row.guest_ids)), ".".join(map(str, row.table_ids))])


def read_rule(text: str) -> RuleEntry:
    """Read a rule as `undo_of` wrote it."""
    try:
        kind, named, at = text.split("~")
        return RuleEntry(kind, tuple(map(UUID, named.split("."))), tuple(UUID(part) for part in at.split(".") if part))
    except ValueError:
        raise Invalid("This rule cannot be restored. Add a new one below.") from None
