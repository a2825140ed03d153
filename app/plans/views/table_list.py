"""The list of a plan: tables as cards with their guests, in pages where there are very many."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

from app.plans.read import PlanTable, PlanView, SeatedGuest
from app.plans.satisfaction import Level
from app.plans.views.text import GuestWords
from app.sentences import count

GUESTS_PER_PAGE = 240
NO_WORDS = GuestWords()


class Row(NamedTuple):
    """A guest in the list: plain values, because rows that stay the same are not rendered again."""

    id: str
    name: str
    is_locked: bool
    is_moved: bool
    level: Level | None
    why: str
    href: str


@dataclass(frozen=True)
class Card:
    """A table in the list."""

    id: str
    name: str
    taken: str
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Pages:
    """Where one is in a list that comes in pages, counted from 1."""

    number: int = 1
    count: int = 1

    @property
    def text(self) -> str:
        """Say where one is."""
        return f"Page {self.number} of {self.count}"


def pages_of_tables(view: PlanView) -> dict[UUID, int]:
    """Return the page of each table: tables stay whole."""
    pages: dict[UUID, int] = {}
    number, filled = 1, 0
    for table in view.tables:
        if filled and filled + len(table.guests) > GUESTS_PER_PAGE:
            number, filled = number + 1, 0
        pages[table.id] = number
        filled += len(table.guests)
    return pages


def list_cards(
    view: PlanView, words: Mapping[UUID, GuestWords], moved: Collection[UUID], pages: Pages, address: str
) -> list[Card]:
    """Return the cards of one page; `moved` are the guests who were just moved."""
    page_of = pages_of_tables(view)
    query = f"&page={pages.number}" if pages.count > 1 else ""
    return [
        Card(
            str(table.id),
            table.name,
            _taken(table),
            tuple(
                _row(guest, words.get(guest.id, NO_WORDS), guest.id in moved, address, query) for guest in table.guests
            ),
        )
        for table in view.tables
        if page_of[table.id] == pages.number
    ]


def _row(guest: SeatedGuest, words: GuestWords, is_moved: bool, address: str, query: str) -> Row:
    key = str(guest.id)
    href = f"{address}?guest={key}{query}#held"
    return Row(key, guest.name, guest.locked, is_moved, words.level, words.why, href)


def _taken(table: PlanTable) -> str:
    taken = f"{len(table.guests)} of {count(table.seats, 'seat')}"
    return f"{taken}, table deleted" if table.is_removed else taken
