"""The guest's page: everybody from A to Z with their table, and the tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from app.guests.name_order import last_name_first, sort_key
from app.sharing.printing.charts import letter_of
from app.sharing.shared_seating import SharedEvent, SharedTable


@dataclass(frozen=True)
class LetterOfNames:
    """The guests whose last names begin with a letter, each with the number of their table."""

    letter: str
    guests: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class FindPage:
    """Find your seat: names by letter; tables are named once each and referred to by their place."""

    shared: SharedEvent
    tables: Sequence[SharedTable]
    letters: Sequence[LetterOfNames]
    address: str
    tag: str = ""


def sort_by_letter(tables: Sequence[SharedTable], language: str) -> list[LetterOfNames]:
    """Return all guests by the letter of their last name, in the order that readers of the language expect."""
    people = [(name, number) for number, table in enumerate(tables) for name in table.guests]
    people.sort(key=lambda one: (sort_key(last_name_first(one[0]), language), one[1]))
    grouped = groupby(people, key=lambda one: letter_of(last_name_first(one[0]), language))
    return [LetterOfNames(letter, tuple(guests)) for letter, guests in grouped]
