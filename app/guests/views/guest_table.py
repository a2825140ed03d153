"""The guest table as a page shows it: which columns and rows, links to sort it, chips that narrow it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import parse_qsl
from uuid import UUID

from fastapi import Request

from app.events.context import EventContext
from app.guests.columns import Column, columns_of
from app.guests.entries import REPLY_WORDS
from app.guests.guest_view import GuestView
from app.guests.listing import LAST, GuestTable, ListQuery, find_guests, words_for
from app.guests.name_order import language_of
from app.sentences import count
from app.web.html.forms import read_id
from app.web.html.rendering import event_address

ROWS_OF_PAGE = 100
LONGEST_STATE = 4000
NUMBER = re.compile(r"[0-9]{1,6}")


@dataclass(frozen=True)
class Link:
    """A link that changes what of the list is shown."""

    words: str
    href: str
    is_current: bool = False


@dataclass(frozen=True)
class Heading:
    """The heading of a column; `sorted` is ascending, descending or empty, and `href` sorts otherwise."""

    column: Column
    href: str
    sorted: str
    is_shown: bool


@dataclass(frozen=True)
class TableView:
    """A page of the table with everything around it."""

    address: str
    table: GuestTable
    page: int
    pages: int
    first: int
    guests: Sequence[GuestView]
    headings: Sequence[Heading]
    replies: Sequence[Link]
    chips: Sequence[Link]
    sorts: Sequence[tuple[str, str]]
    state: str
    """The query of this page, for forms and links that come back to it."""

    @property
    def query(self) -> ListQuery:
        return self.table.query

    @property
    def sentence(self) -> str:
        """Say how many guests there are, how many of them need a seat, and how many are shown."""
        table = self.table
        if table.seated == table.total:
            return count(table.total, "guest")
        return f"{table.seated:,} of {count(table.total, 'guest')} need a seat"

    @property
    def matching(self) -> str:
        """Say how many guests match, where something narrows the list."""
        shown = len(self.table.guests)
        return f"{shown:,} of {count(self.table.total, 'guest')}" if self.query.is_narrowed else ""

    def page_address(self, page: int) -> str:
        return _address(self.address, self.query, page=page if page > 1 else 0)


@dataclass(frozen=True)
class Place:
    """Where in the list somebody is: on a page, at a row, or where a guest is."""

    page: int = 0
    row: int = 0
    guest: UUID | None = None

    @classmethod
    def read(cls, pairs: Sequence[tuple[str, str]]) -> Place:
        """Read it from an address; what means nothing is left out."""
        found = dict(pairs)
        page, row = (int(text) if NUMBER.fullmatch(text := found.get(key, "")) else 0 for key in ("page", "row"))
        return cls(page, row, read_id(found.get("guest", "")))

    def page_in(self, table: GuestTable) -> int:
        """Return the page to show, from 1."""
        found = table.place_of(self.guest) if self.guest else None
        return self.page if self.page and found is None else (self.row if found is None else found) // ROWS_OF_PAGE + 1


def read_table(request: Request, ctx: EventContext, pairs: Sequence[tuple[str, str]]) -> GuestTable:
    """Return the guests that an address asks for, in the order of the reader's language."""
    columns = columns_of(ctx)
    language = language_of(request.headers.get("accept-language", ""))
    return find_guests(ctx, columns, ListQuery.read(pairs, columns), language)


def show_table(ctx: EventContext, table: GuestTable, place: Place) -> TableView:
    """Return a page of the table."""
    page, address = place.page_in(table), event_address(ctx.event_id, "guests")
    first = (page - 1) * ROWS_OF_PAGE
    query = table.query
    return TableView(
        address=address,
        table=table,
        page=page,
        pages=max(1, -(-len(table.guests) // ROWS_OF_PAGE)),
        first=first,
        guests=table.guests[first : first + ROWS_OF_PAGE],
        headings=[_heading(column, table, address) for column in table.columns],
        replies=_reply_links(table, address),
        chips=_chips(table, address),
        sorts=[("", "As entered"), (LAST, "Last name"), *((one.key, one.label) for one in table.columns)],
        state=query.encode(page=page if page > 1 else 0),
    )


def address_back(ctx: EventContext, state: str, **more: object) -> str:
    """Return the address of the list in the state that a form came with; nothing else can get into it."""
    pairs = parse_qsl(state[:LONGEST_STATE], keep_blank_values=True)
    query = ListQuery.read(pairs, columns_of(ctx))
    numbers = {key: value for key, value in pairs if key in ("page", "row") and NUMBER.fullmatch(value)}
    encoded = query.encode(**numbers, **more)
    return f"guests?{encoded}" if encoded else "guests"


def row_of(guest: GuestView, columns: Sequence[Column]) -> list[Any]:
    """Return a guest as the script of the table reads it: the id, then the value in each column."""
    return [str(guest.id), *(column.value_of(guest) for column in columns)]


def column_data(heading: Heading, *, may_edit: bool) -> dict[str, Any]:
    """Return a column as the script of the table reads it."""
    column = heading.column
    return {
        "key": column.key,
        "label": column.label,
        "kind": column.kind,
        "open": column.is_open,
        "shown": heading.is_shown,
        "edit": may_edit,
        "empty": bool(column.without),
        "href": heading.href,
        "sorted": heading.sorted,
        "options": [[option.value, option.words, option.colour, *option.also] for option in column.options],
    }


def _address(address: str, query: ListQuery, **more: object) -> str:
    encoded = query.encode(**more)
    return f"{address}?{encoded}" if encoded else address


def _heading(column: Column, table: GuestTable, address: str) -> Heading:
    query = table.query
    key = LAST if column.key == "name" else column.key
    here = query.sort in (key, column.key)
    after = replace(
        query,
        sort="" if here and query.is_descending else key,
        is_descending=here and not query.is_descending,
    )
    is_shown = column.is_usual or (column.is_noted and column.key in table.used)
    in_order = ("descending" if query.is_descending else "ascending") if here else ""
    return Heading(column, _address(address, after), in_order, is_shown)


def _reply_links(table: GuestTable, address: str) -> list[Link]:
    """Return a link for each reply that somebody gave; nothing as long as nobody has answered."""
    if set(table.replies) <= {"invited"}:
        return []
    links = []
    for reply, words in REPLY_WORDS.items():
        number, chosen = table.replies.get(reply, 0), table.query.filters.get("reply", frozenset())
        if number:
            is_current = chosen == frozenset([reply])
            links.append(
                Link(count(number, words, words), _with(table, address, "reply", reply, is_current), is_current)
            )
    return links


def _with(table: GuestTable, address: str, key: str, value: str, is_current: bool) -> str:
    filters = {one: chosen for one, chosen in table.query.filters.items() if one != key}
    if not is_current:
        filters[key] = frozenset([value])
    return _address(address, replace(table.query, filters=filters))


def _chips(table: GuestTable, address: str) -> list[Link]:
    """Return a link for each search and filter value that takes it away."""
    query, chips = table.query, []
    if query.search:
        chips.append(Link(f"“{query.search}”", _address(address, replace(query, search=""))))
    for column in table.columns:
        chosen = query.filters.get(column.key, frozenset())
        for value in sorted(chosen):
            left = dict(query.filters) | {column.key: chosen - {value}}
            rest = replace(query, filters={key: values for key, values in left.items() if values})
            chips.append(Link(f"{column.label}: {words_for(column, value)}", _address(address, rest)))
    return chips
