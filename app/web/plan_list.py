"""The list of a plan: tables as cards with their guests, in pages where there are very many."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from app.services.plans import PlanTable, PlanView, SeatedGuest
from app.web.filters import figure
from app.web.plan_words import GuestWords
from app.words import count

GUESTS_PER_PAGE = 240


@dataclass(frozen=True)
class Row:
    """A guest in the list."""

    guest: SeatedGuest
    words: GuestWords
    href: str


@dataclass(frozen=True)
class Card:
    """A table in the list; `number` is its number on the map."""

    table: PlanTable
    number: int
    taken: str
    mean: str
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
    view: PlanView, words: Mapping[UUID, GuestWords], pages: Pages, page_of: Mapping[UUID, int], address: str
) -> list[Card]:
    """Return the cards of one page."""
    page = f"&page={pages.number}" if pages.count > 1 else ""
    return [
        Card(
            table,
            number,
            _taken(table),
            _mean(table),
            tuple(
                Row(guest, words.get(guest.id, GuestWords()), f"{address}?guest={guest.id}{page}#held")
                for guest in table.guests
            ),
        )
        for number, table in enumerate(view.tables)
        if page_of[table.id] == pages.number
    ]


def _taken(table: PlanTable) -> str:
    taken = f"{len(table.guests)} of {count(table.seats, 'seat')}"
    return f"{taken}, no longer in the event" if table.is_removed else taken


def _mean(table: PlanTable) -> str:
    return f"on average {figure(table.figure.mean, 1)}" if table.figure and len(table.guests) > 1 else ""
