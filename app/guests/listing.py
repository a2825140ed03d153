"""The guest list as a table: searched, filtered, sorted and counted."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from urllib.parse import urlencode
from uuid import UUID

from app.events.context import EventContext
from app.guests.columns import NO, YES, Column
from app.guests.edit import list_guests
from app.guests.entries import REPLY_WORDS
from app.guests.guest_view import GuestView
from app.guests.name_order import LETTERS, Key, last_name_first, sort_key
from app.guests.queries.guests import has_seat
from app.web.names import without_controls

LEAST_OF_REPLY = 4  # fewer letters of a reply are more likely a part of a name
MOST_VALUES = 200  # of one filter; the search finds the others
LONGEST_SEARCH, MOST_CHOSEN = 200, 100
LAST = "last"
"""Sorts by last names; the other orders are those of columns, and none is the order in which guests were entered."""
Pairs = Iterable[tuple[str, str]]


@dataclass(frozen=True)
class ListQuery:
    """What of the list is looked at: this is what the address of the page holds."""

    search: str = ""
    filters: Mapping[str, frozenset[str]] = field(default_factory=dict)
    sort: str = ""
    is_descending: bool = False

    @classmethod
    def read(cls, pairs: Pairs, columns: Sequence[Column]) -> ListQuery:
        """Read the part of an address behind the question mark; what means nothing is left out."""
        found: dict[str, set[str]] = {}
        plain: dict[str, str] = {}
        filters = {column.key for column in columns if column.is_filter}
        for key, value in pairs:
            if key in filters:
                chosen = found.setdefault(key, set())
                if len(chosen) < MOST_CHOSEN:
                    chosen.add(without_controls(value))
            else:
                plain.setdefault(key, value)
        sort = plain.get("sort", "")
        known = sort == LAST or any(column.key == sort for column in columns)
        return cls(
            search=" ".join(without_controls(plain.get("q", "")).split())[:LONGEST_SEARCH],
            filters={key: frozenset(chosen) for key, chosen in found.items()},
            sort=sort if known else "",
            is_descending=known and plain.get("desc") == "1",
        )

    def pairs(self) -> list[tuple[str, str]]:
        """Return it as an address holds it, always in the same order."""
        chosen = [(key, value) for key, values in sorted(self.filters.items()) for value in sorted(values)]
        plain = [("q", self.search), ("sort", self.sort), ("desc", "1" if self.is_descending else "")]
        return [*((key, value) for key, value in plain if value), *chosen]

    def encode(self, **more: object) -> str:
        """Return the part behind the question mark, with `more` of it where that is not empty."""
        return urlencode([*self.pairs(), *((key, value) for key, value in more.items() if value)])

    @property
    def is_narrowed(self) -> bool:
        return bool(self.search or self.filters)


@dataclass(frozen=True)
class FacetValue:
    """A value to filter by, and how many of the guests that the other filters leave have it."""

    value: str
    words: str
    count: int
    is_chosen: bool
    colour: str = ""


@dataclass(frozen=True)
class Facet:
    """The values of one column to filter by; `more` were left out because there are too many."""

    column: Column
    values: Sequence[FacetValue]
    more: int = 0


@dataclass(frozen=True)
class GuestTable:
    """All guests that match, in their order, and what there is to filter by."""

    columns: Sequence[Column]
    query: ListQuery
    guests: Sequence[GuestView]
    facets: Sequence[Facet]
    replies: Mapping[str, int]
    seated: int
    used: frozenset[str]
    """The columns in which somebody has something."""

    @property
    def total(self) -> int:
        return sum(self.replies.values())

    def place_of(self, guest_id: UUID) -> int | None:
        """Return the place of a guest among those that match, from 0."""
        return next((place for place, guest in enumerate(self.guests) if guest.id == guest_id), None)


def find_guests(ctx: EventContext, columns: Sequence[Column], query: ListQuery, language: str = "") -> GuestTable:
    """Return the guests that match a query, in the order that readers of the language expect."""
    everyone = list_guests(ctx)
    replies = Counter(guest.reply for guest in everyone)
    found = _searched(everyone, columns, query.search)
    facets, matching = _filtered(found, columns, query.filters)
    return GuestTable(
        columns=columns,
        query=query,
        guests=_sorted(matching, columns, query, language),
        facets=facets,
        replies=replies,
        seated=sum(number for reply, number in replies.items() if has_seat(ctx.event, reply)),
        used=frozenset(column.key for column in columns if any(map(column.value_of, everyone))),
    )


@lru_cache(maxsize=8192)
def fold(text: str) -> str:
    """Return a text as it is searched: small letters without accents."""
    if text.isascii():
        return text.lower()
    letters = unicodedata.normalize("NFKD", text.casefold().translate(LETTERS))
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def replies_called(search: str) -> list[str]:
    """Return the replies whose words begin with what is looked for, as “no reply” does."""
    wanted = search if len(search) >= LEAST_OF_REPLY else None
    return [reply for reply, words in REPLY_WORDS.items() if wanted and words.startswith(wanted)]


def _searched(guests: Sequence[GuestView], columns: Sequence[Column], search: str) -> Sequence[GuestView]:
    wanted = fold(search)
    if not wanted:
        return guests
    replies, searched = replies_called(wanted), [column for column in columns if column.is_searched]

    def matches(guest: GuestView) -> bool:
        texts = (text for column in searched for text in column.values_of(guest))
        return guest.reply in replies or any(wanted in fold(text) for text in texts)

    return [guest for guest in guests if matches(guest)]


def _filtered(
    guests: Sequence[GuestView], columns: Sequence[Column], filters: Mapping[str, frozenset[str]]
) -> tuple[list[Facet], list[GuestView]]:
    """Return what to filter by, and who passes. A filter counts those who pass all others, so that its values add."""
    offered = sorted((column for column in columns if column.is_filter), key=lambda column: column.key != "reply")
    counts: dict[str, Counter[str]] = {column.key: Counter() for column in offered}
    matching = []
    for guest in guests:
        values = {column.key: column.values_of(guest) for column in offered}
        failed = [key for key, chosen in filters.items() if chosen.isdisjoint(values[key])]
        if not failed:
            matching.append(guest)
        for key in failed if len(failed) == 1 else () if failed else counts:
            counts[key].update(values[key])
    return [_facet(column, counts[column.key], filters.get(column.key, frozenset())) for column in offered], matching


def _facet(column: Column, counts: Counter[str], chosen: frozenset[str]) -> Facet:
    known = {option.value: option for option in column.options}
    present = [value for value in dict.fromkeys([*known, *sorted(counts, key=str.casefold), *sorted(chosen)]) if value]
    used = [value for value in present if counts[value] or value in chosen]
    shown = [value for place, value in enumerate(used) if place < MOST_VALUES or value in chosen]
    values = [("", column.without or "Empty")] if counts[""] or "" in chosen else []
    values += [(value, words_for(column, value)) for value in shown]
    return Facet(
        column,
        [
            FacetValue(value, words, counts[value], value in chosen, known[value].colour if value in known else "")
            for value, words in values
        ],
        len(used) - len(shown),
    )


def words_for(column: Column, value: str) -> str:
    """Return the words for a value of a filter."""
    if column.kind == "boolean":
        return {YES: "Yes", NO: "No"}.get(value, value)
    return column.words_of(value) if value else column.without or "Empty"


def _sorted(guests: list[GuestView], columns: Sequence[Column], query: ListQuery, language: str) -> Sequence[GuestView]:
    if not query.sort:
        return guests
    if query.sort == LAST:
        return sorted(
            guests,
            key=lambda guest: sort_key(last_name_first(guest.name, guest.last_name), language),
            reverse=query.is_descending,
        )
    column = next(column for column in columns if column.key == query.sort)
    by_name = guests if column.key == "name" else sorted(guests, key=lambda guest: sort_key(guest.name, language))
    key = _key_of(column, language)
    filled = [guest for guest in by_name if column.value_of(guest)]
    empty = [guest for guest in by_name if not column.value_of(guest)]
    return [*sorted(filled, key=key, reverse=query.is_descending), *empty]


def _key_of(column: Column, language: str) -> Callable[[GuestView], int | list[Key]]:
    """Return by what guests are put in order: choices as they are offered, texts by the alphabet."""
    if column.kind == "choice" and not column.is_open:
        places = {option.value: place for place, option in enumerate(column.options)}
        return lambda guest: places.get(str(column.value_of(guest)), len(places))
    return lambda guest: [sort_key(text, language) for text in column.values_of(guest)]
