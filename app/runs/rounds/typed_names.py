"""Guests by the names that somebody typed into the form of several rounds."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from itertools import islice
from uuid import UUID

from app.errors import FieldError, Invalid
from app.events.context import EventContext
from app.guests.queries.guests import SeatedName, seated_names_of
from app.runs.rounds.names_on_a_line import are_more_names
from app.solver import MOST_IN_ROUNDS
from app.web.names import name_key, tidy_name

MOST_SHOWN = 4
LONGEST_SHOWN = 80
MOST_TEXT = 500_000
LIKENESS = 0.75
Problem = Callable[[], str]
"""Says what is wrong with a line. Only those that are shown are asked: looking for a similar name takes long."""


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

    def is_one(self, name: str) -> bool:
        """Say whether the name stands for one guest."""
        return len(self._guests(name)) == 1

    def fault(self, where: str, name: str) -> str:
        """Say why the name stands for no guest or for several."""
        shown = shorten(name)
        if self._guests(name):
            return f"{where}: Several guests are called “{shown}”. Rename one of them first."
        among = list(islice(self._known, MOST_IN_ROUNDS))
        near = get_close_matches(name_key(name), among, n=1, cutoff=LIKENESS)
        advice = f"Did you mean {self._known[near[0]][0].name}?" if near else "Check the spelling."
        return f"{where}: “{shown}” isn't a guest to be seated. {advice}"

    def _guests(self, name: str) -> Sequence[SeatedName]:
        """Return who is called so, if need be without the characters that nobody sees in pasted text."""
        found = self._known.get(name_key(tidy_name(name)))
        if found or name.isascii():
            return found or ()
        seen = "".join(character for character in name if unicodedata.category(character) != "Cf")
        return self._known.get(name_key(tidy_name(seen)), ())


def read_lines(field: str, text: str, most: int) -> list[tuple[int, str]]:
    """Return the lines that have a name, with their numbers from 1 on, unless they have far more names than `most`."""
    if len(text) > MOST_TEXT:
        raise Invalid(FieldError(field, f"The text has {len(text):,} characters; maximum {MOST_TEXT:,}."))
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip(" \t,;")]
    if are_more_names((line for _, line in lines), most):
        raise Invalid(FieldError(field, f"The lines have more than {most:,} names. Leave some of them out."))
    return lines


def refuse(field: str, problems: Iterable[Problem]) -> None:
    """Refuse the field with the first few of its problems, if there are any."""
    found = list(islice(problems, MOST_SHOWN + 1))
    texts = [problem() for problem in found[:MOST_SHOWN]]
    if len(found) > MOST_SHOWN:
        texts.append("There are more problems further down.")
    if texts:
        raise Invalid([FieldError(field, text) for text in texts])


def shorten(name: str) -> str:
    return name if len(name) <= LONGEST_SHOWN else f"{name[:LONGEST_SHOWN]}…"
