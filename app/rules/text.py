"""A rule in words, to confirm that it was made."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.errors import NotFound
from app.guests import edit as guests
from app.rules import edit as rules
from app.sentences import list_in_words
from app.tables import edit as tables

WORDS = {"together": "always at the same table", "apart": "never at the same table", "side_by_side": "side by side"}


def rule_words(kind: str, named: Sequence[str], at: Sequence[str]) -> str:
    """Say what a rule says: `Anna and Béla never at the same table`."""
    where = f"at {list_in_words(at, 'or')}" if kind == "pinned" else WORDS[kind]
    return f"{list_in_words(named)} {where}"


def confirm_rule(session: Session, actor: Actor, event_id: UUID, rule_id: UUID) -> str:
    """Say that a rule was added; nothing where it is gone again."""
    try:
        row = rules.show_rule(session, actor, event_id, rule_id)
    except NotFound:
        return ""
    names = {guest.id: guest.name for guest in guests.list_named(session, actor, event_id)}
    called = {table.id: table.name for table in tables.list_tables(session, actor, event_id)}
    words = rule_words(row.kind, [names[key] for key in row.guest_ids], [called[key] for key in row.table_ids])
    return f"Rule added: {words}."
