"""Guests by the names that somebody typed into the form of several rounds."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from itertools import islice
from uuid import UUID

from app.errors import FieldError, Invalid
from app.events.context import EventContext
from app.guests.queries.guests import SeatedName, seated_names_of
from app.web.names import name_key, tidy_name

MOST_SHOWN = 4
LONGEST_SHOWN = 80
MOST_TEXT = 500_000
LIKENESS = 0.75


class TypedNames:
    """The guests to be seated, by their names."""

    def __init__(self, ctx: EventContext) -> None:
        self._known: dict[str, list[SeatedName]] = {}
        for guest in seated_names_of(ctx.session, ctx.event_id):
            self._known.setdefault(name_key(guest.name), []).append(guest)

    def __contains__(self, name: object) -> bool:
        return bool(self._guests(str(name)))

    def find(self, names: Iterable[str]) -> tuple[UUID, ...]:
        """Return the guests once each; names that no guest has are left out."""
        return tuple(dict.fromkeys(guest.id for name in names for guest in self._guests(name)[:1]))

    def fault(self, name: str) -> str:
        """Say why the name stands for no guest or for several; nothing if it stands for one."""
        guests = self._guests(name)
        if len(guests) == 1:
            return ""
        shown = shorten(name)
        if guests:
            return f"Several guests are called “{shown}”. Rename one of them first."
        near = get_close_matches(name_key(name), self._known, n=1, cutoff=LIKENESS)
        advice = f"Did you mean {self._known[near[0]][0].name}?" if near else "Check the spelling."
        return f"“{shown}” isn't a guest to be seated. {advice}"

    def _guests(self, name: str) -> Sequence[SeatedName]:
        """Return who is called so, if need be without the characters that nobody sees in pasted text."""
        found = self._known.get(name_key(tidy_name(name)))
        if found or name.isascii():
            return found or ()
        seen = "".join(character for character in name if unicodedata.category(character) != "Cf")
        return self._known.get(name_key(tidy_name(seen)), ())


def read_lines(field: str, text: str) -> list[tuple[int, str]]:
    """Return the lines that have a name, with their numbers from 1 on."""
    if len(text) > MOST_TEXT:
        raise Invalid(FieldError(field, f"The text has {len(text):,} characters; maximum {MOST_TEXT:,}."))
    return [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip(" \t,;")]


def refuse(field: str, problems: Iterable[str]) -> None:
    """Refuse the field with the first few of its problems, if there are any."""
    found = list(islice(problems, MOST_SHOWN + 1))
    if len(found) > MOST_SHOWN:
        found[-1] = "There are more problems further down."
    if found:
        raise Invalid([FieldError(field, text) for text in found])


def shorten(name: str) -> str:
    return name if len(name) <= LONGEST_SHOWN else f"{name[:LONGEST_SHOWN]}…"
