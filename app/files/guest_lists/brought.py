"""Whom a row brings without naming them in its own cell: children, plus-ones, and seats for a number of people."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from app.files.guest_lists.cells import Cells
from app.files.guest_lists.guest_row import GuestRow, RowNote
from app.files.guest_lists.people import NameCell, read_name
from app.files.guest_lists.readings import Ask
from app.files.guest_lists.vocabulary import plain, read_reply
from app.sentences import count

MOST_SEATS = 20
NUMBER = re.compile(r"\+?\s*([0-9]{1,4})")
BETWEEN_NAMES = re.compile(r"\s*(?:[,;/&\n]|\band\b|\bund\b|\bet\b)\s*")
ONE = ("+1", "+ 1", "plus one", "guest", "+", "and guest", "& guest")
NOBODY_BROUGHT = ("no plus-one added",) * 2


class Brought:
    """The children and the seats of one row; `chosen` is the planner's number where the words say none."""

    def __init__(self, cells: Cells, ask: Ask, said: NameCell, shared: GuestRow, chosen: int | None) -> None:
        self._cells, self._ask, self._said, self._shared = cells, ask, said, shared
        self._size = _number(cells.one("party_size"))
        self._has_number = self._size is not None or any(_number(text) for text in cells.by_field.get("kids", []))
        self._chosen = chosen

    @property
    def open_seats(self) -> int | None:
        """How many seats are kept although the name says no number; None if it does, or another column."""
        said = self._said
        if not said.is_open or self._has_number:
            return None
        number = self._chosen if self._chosen is not None else said.open_seats + said.open_kids
        return min(max(number, 0 if said.people else 1), MOST_SEATS)

    def children(self, last: str) -> list[GuestRow]:
        """Return the children that are named or counted."""
        found: list[GuestRow] = []
        number = self._said.kids + (self.open_seats or 0 if self._said.open_kids else 0)
        for text in self._cells.by_field.get("kids", []):
            if text.isascii() and text.isdigit():
                if int(text) and self._ask(
                    "kids", f"“{text[:4]}” adds {count(min(int(text), 9999), 'child', 'children')}"
                ):
                    number += int(text)
            elif any(map(str.isalpha, text)) and not read_reply(text):
                names = [name for name in BETWEEN_NAMES.split(text) if name]
                whole = [name if " " in name else f"{name} {last}".strip() for name in names]
                if self._ask("kids", f"“{text[:40]}” adds {count(len(names), 'child', 'children')}"):
                    found += [replace(self._shared, name=name, age_group="child", child=True) for name in whole]
        return found + self._unnamed(number, "child")

    def seats(self, guests: Sequence[GuestRow], *, has_others: bool) -> list[GuestRow]:
        """Return the seats that the name, the plus-one and the number of people ask for."""
        said = self._said
        found = self._unnamed(said.seats + (self.open_seats or 0 if said.open_seats else 0))
        for text in self._cells.by_field.get("plus_one", []):
            if not has_others and not said.seats:  # else they are the plus-one
                found += self._brought(text)
        more = self._size - len(guests) - len(found) if self._size is not None else 0
        if more > 0 and self._ask("family", f"“{self._size}” people keeps {count(more, 'more seat', 'more seats')}"):
            found += self._unnamed(more, "child" if said.open_kids else "guest")
        if not guests and not found and said.is_open:  # a family of nobody: the number says 0
            found = self._unnamed(1)
        return found

    def _brought(self, text: str) -> list[GuestRow]:
        if found := NUMBER.fullmatch(text):
            number = int(found[1])
        elif plain(text) in ONE or read_reply(text) == "yes":
            number = 1
        elif read_reply(text):
            return []
        elif any(map(str.isalpha, text)):
            said = read_name(text, self._ask)
            return [replace(self._shared, name=person.name, is_seat=person.host is not None) for person in said.people]
        else:
            self._cells.notes.append(RowNote(f"“{text[:20]}” is not a number or a name", *NOBODY_BROUGHT))
            return []
        seats = "a seat for a guest" if number == 1 else f"{number:,} seats for guests"
        is_taken = number and self._ask("plus_one", f"“{text[:20]}” in the column of plus-ones keeps {seats}")
        return self._unnamed(number) if is_taken else []

    def _unnamed(self, number: int, what: str = "guest") -> list[GuestRow]:
        if number > MOST_SEATS:
            kind = "children" if what == "child" else "plus-ones"
            self._cells.errors.append(f"“{number:,}” {kind}; maximum {MOST_SEATS}")
        group = "child" if what == "child" else None
        is_child = True if group else None
        seat = replace(self._shared, name=what, age_group=group, child=is_child, is_seat=True, host=self._said.family)
        return [seat] * min(number, MOST_SEATS)


def _number(text: str | None) -> int | None:
    found = NUMBER.fullmatch(text or "")
    return int(found[1]) if found else None
