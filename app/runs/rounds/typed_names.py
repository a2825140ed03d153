"""Guests by the names that somebody typed into the form of several rounds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from uuid import UUID

from app.errors import FieldError, Invalid
from app.events.context import EventContext
from app.guests.queries.guests import seated_names_of
from app.sentences import list_in_words
from app.web.names import name_key

MOST_NAMED = 3
LONGEST_SHOWN = 80


class TypedNames:
    """Finds guests to be seated by their names; `field` is where messages belong."""

    def __init__(self, ctx: EventContext, field: str) -> None:
        self._field = field
        self._known: dict[str, list[UUID]] = {}
        for guest in seated_names_of(ctx.session, ctx.event_id):
            self._known.setdefault(name_key(guest.name), []).append(guest.id)

    def __contains__(self, name: str) -> bool:
        return name_key(name) in self._known

    def find(self, names: Iterable[str]) -> tuple[UUID, ...]:
        """Return the guests once each, or say which names are shared; all of the names are known."""
        found: dict[UUID, None] = {}
        for name in names:
            guests = self._known[name_key(name)]
            if len(guests) > 1:
                text = f"Several guests are called “{name[:LONGEST_SHOWN]}”. Rename one of them first."
                raise Invalid(FieldError(self._field, text))
            found[guests[0]] = None
        return tuple(found)

    def refuse_unknown(self, names: Iterable[str], advice: str) -> None:
        """Say which names no guest has, if any."""
        missing = [name for name in dict.fromkeys(names) if name not in self]
        if missing:
            raise Invalid(FieldError(self._field, f"{_named(missing)} to be seated. {advice}"))


def _named(missing: Sequence[str]) -> str:
    shown = [f"“{name[:LONGEST_SHOWN]}”" for name in missing[:MOST_NAMED]]
    more = [f"{len(missing) - MOST_NAMED} more"] if len(missing) > MOST_NAMED else []
    verb = "isn't a guest" if len(missing) == 1 else "aren't guests"
    return f"{list_in_words([*shown, *more])} {verb}"
