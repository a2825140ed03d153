"""The guest's page: everybody from A to Z with their table, and the tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from app.guests.name_order import last_name_first, sort_key
from app.sharing.printing.charts import letter_of
from app.sharing.shared_seating import SharedEvent


@dataclass(frozen=True)
class LetterOfNames:
    """The guests whose last names begin with a letter, each with their table, or with that of each round."""

    letter: str
    guests: tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True)
class FindPage:
    """Find your seat: names by letter."""

    shared: SharedEvent
    letters: Sequence[LetterOfNames]
    address: str
    tag: str = ""


def sort_by_letter(places: Sequence[tuple[str, tuple[str, ...]]], language: str) -> list[LetterOfNames]:
    """Return all guests by the letter of their last name, in the order that readers of the language expect."""
    people = sorted(places, key=lambda one: sort_key(last_name_first(one[0]), language))
    grouped = groupby(people, key=lambda one: letter_of(last_name_first(one[0]), language))
    return [LetterOfNames(letter, tuple(guests)) for letter, guests in grouped]
