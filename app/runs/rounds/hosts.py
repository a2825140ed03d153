"""Hosts of several rounds, by the names that somebody typed."""

from __future__ import annotations

from uuid import UUID

from app.errors import FieldError, Invalid
from app.events.context import EventContext
from app.guests.queries.guests import seated_names_of
from app.sentences import list_in_words
from app.web.names import name_key

MOST_NAMED = 3


def find_hosts(ctx: EventContext, typed: str) -> tuple[UUID, ...]:
    """Return the guests named in the lines, or say which names are unknown or shared."""
    names = list(dict.fromkeys(line.strip() for line in typed.splitlines() if line.strip()))
    if not names:
        return ()
    known: dict[str, list[UUID]] = {}
    for guest in seated_names_of(ctx.session, ctx.event_id):
        known.setdefault(name_key(guest.name), []).append(guest.id)
    missing = [name for name in names if name_key(name) not in known]
    if missing:
        shown = [f"“{name[:80]}”" for name in missing[:MOST_NAMED]]
        more = [f"{len(missing) - MOST_NAMED} more"] if len(missing) > MOST_NAMED else []
        verb = "isn't a guest" if len(missing) == 1 else "aren't guests"
        raise Invalid(FieldError("hosts", f"{list_in_words([*shown, *more])} {verb} to be seated. Check the spelling."))
    shared = next((name for name in names if len(known[name_key(name)]) > 1), None)
    if shared:
        raise Invalid(FieldError("hosts", f"Several guests are called “{shared[:80]}”. Rename one of them first."))
    return tuple(dict.fromkeys(known[name_key(name)][0] for name in names))
