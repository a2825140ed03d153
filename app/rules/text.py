"""A rule in words, to confirm that it was made."""

from __future__ import annotations

from uuid import UUID

from app.errors import NotFound
from app.events.context import EventContext
from app.guests import edit as guests
from app.rules import edit as rules
from app.rules.wording import rule_in_words
from app.tables import edit as tables


def confirm_rule(ctx: EventContext, rule_id: UUID) -> str:
    """Say that a rule was added; nothing where it is gone again."""
    try:
        row = rules.show_rule(ctx, rule_id)
    except NotFound:
        return ""
    names = {guest.id: guest.name for guest in guests.list_named(ctx)}
    called = {table.id: table.name for table in tables.list_tables(ctx)}
    words = rule_in_words(row.kind, [names[key] for key in row.guest_ids], [called[key] for key in row.table_ids])
    return f"Rule added: {words}."
