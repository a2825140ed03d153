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
from app.web.html.text_metrics import LONGEST_IN_TEXT, shorten

GUESTS_PER_PAGE = 240
MOST_SEATS = 24  # free seats of a table that are listed; the room has all of them
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
    tags: tuple[str, ...] = ()


@dataclass(frozen=True)
class Card:
    """A table in the list; seats are counted from 1."""

    id: str
    name: str
    taken: str
    rows: tuple[Row, ...]
    concerns: int = 0
    seats: int = 0
    shape: str = "round"
    is_locked: bool = False
    href: str = ""
    free: tuple[int, ...] = ()
    kept_empty: tuple[int, ...] = ()
    reserved_for: str = ""


@dataclass(frozen=True)
class Pages:
    """Where one is in a list that comes in pages, counted from 1."""

    number: int = 1
    count: int = 1

    @property
    def text(self) -> str:
        """Say where one is."""
        return f"Page {self.number} of {self.count}"


def pages_of_tables(view: PlanView, *, is_one: bool = False) -> dict[UUID, int]:
    """Return the page of each table: tables stay whole, and a list beside a floor comes in one page."""
    if is_one:
        return dict.fromkeys((table.id for table in view.tables), 1)
    pages: dict[UUID, int] = {}
    number, filled = 1, 0
    for table in view.tables:
        if filled and filled + len(table.guests) > GUESTS_PER_PAGE:
            number, filled = number + 1, 0
        pages[table.id] = number
        filled += len(table.guests)
    return pages


def list_cards(
    view: PlanView,
    words: Mapping[UUID, GuestWords],
    moved: Collection[UUID],
    pages: Pages,
    page_of: Mapping[UUID, int],
    address: str,
    tags: Mapping[UUID, tuple[str, ...]],
    only: Collection[UUID] | None = None,
) -> list[Card]:
    """Return the cards of one page, or `only` those of some tables; `moved` are the guests who were just moved."""
    query = f"&page={pages.number}" if pages.count > 1 else ""
    return [
        _card(table, words, moved, tags, address, query)
        for table in view.tables
        if page_of[table.id] == pages.number and (only is None or table.id in only)
    ]


def _card(
    table: PlanTable,
    words: Mapping[UUID, GuestWords],
    moved: Collection[UUID],
    tags: Mapping[UUID, tuple[str, ...]],
    address: str,
    query: str,
) -> Card:
    rows = tuple(
        _row(
            guest,
            words.get(guest.id, NO_WORDS),
            guest.id in moved,
            f"{address}?tab=guest&guest={guest.id}{query}",
            tags.get(guest.id, ()),
        )
        for guest in table.guests
    )
    concerns = sum(1 for row in rows if row.level == 0)
    return Card(
        *(str(table.id), table.name, _taken(table), rows, concerns, table.seats, table.shape, table.locked),
        href=f"{address}?tab=table&table={table.id}{query}",
        free=() if table.is_removed else tuple(seat + 1 for seat in table.free_seats[:MOST_SEATS]),
        kept_empty=tuple(sorted(seat + 1 for seat in table.blocked)),
        reserved_for=str(table.reserved_for or ""),
    )


def _row(guest: SeatedGuest, words: GuestWords, is_moved: bool, href: str, tags: tuple[str, ...]) -> Row:
    return Row(str(guest.id), guest.name, guest.locked, is_moved, words.level, words.why, href, tags)


def _taken(table: PlanTable) -> str:
    taken = f"{len(table.guests)} of {count(table.seats, 'seat')}"
    if table.is_removed:
        return f"{taken}, table deleted"
    if table.locked and not table.guests:
        return "not used"
    reserved = f"for {shorten(table.reserved_name, LONGEST_IN_TEXT)}" if table.reserved_name else ""
    return ", ".join(filter(None, [taken, reserved, "locked" if table.locked else ""]))
