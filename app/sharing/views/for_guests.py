"""The guest's page: everybody from A to Z with their table, and the tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from app.guests.name_order import last_name_first, sort_key
from app.plans.rounds import route_text
from app.sharing.printing.charts import letter_of
from app.sharing.shared_seating import SharedEvent, SharedRound, SharedTable


@dataclass(frozen=True)
class LetterOfNames:
    """The guests whose last names begin with a letter, each with their table, or with that of each round."""

    letter: str
    guests: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class FindPage:
    """Find your seat: names by letter."""

    shared: SharedEvent
    tables: Sequence[SharedTable]
    letters: Sequence[LetterOfNames]
    address: str
    tag: str = ""


def sort_by_letter(
    tables: Sequence[SharedTable], language: str, rounds: Sequence[SharedRound] = ()
) -> list[LetterOfNames]:
    """Return all guests by the letter of their last name, in the order that readers of the language expect."""
    routes = _routes(rounds)
    people = [
        (name, number, routes.get(name, table.name)) for number, table in enumerate(tables) for name in table.guests
    ]
    people.sort(key=lambda one: (sort_key(last_name_first(one[0]), language), one[1]))
    grouped = groupby(people, key=lambda one: letter_of(last_name_first(one[0]), language))
    return [LetterOfNames(letter, tuple((name, where) for name, _, where in guests)) for letter, guests in grouped]


def _routes(rounds: Sequence[SharedRound]) -> dict[str, str]:
    """Return where each guest sits in each round, by name."""
    found: dict[str, list[tuple[int, str]]] = {}
    for one in rounds:
        for table in one.tables:
            for name in table.guests:
                found.setdefault(name, []).append((one.number, " ".join(table.name.split())))
    return {name: route_text(route) for name, route in found.items()}
