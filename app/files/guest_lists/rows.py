"""Rows of a guest list as guests: what stands in each column, and what cannot be understood."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from app.files.guest_lists.cells import Cells, Words
from app.files.guest_lists.columns import LAST_FIRST, Columns
from app.files.guest_lists.guest_row import GuestRow, RowNote, RowRead
from app.files.guest_lists.hosts import name_seats
from app.files.guest_lists.meal_codes import explain_meal, find_legend
from app.files.guest_lists.people import NameCell, Person, household_name, read_name
from app.files.guest_lists.readings import NO_DECISIONS, Decisions, Readings
from app.files.guest_lists.row_edits import RowEdit, apply_edit
from app.files.guest_lists.sections import Sections
from app.files.guest_lists.vocabulary import CHILDREN, plain, read_reply
from app.files.sheet_limits import SheetRow
from app.sentences import count

MOST_SEATS, LEGEND_ROWS = 20, 25
NUMBER = re.compile(r"\+?\s*([0-9]{1,4})")
BETWEEN_NAMES = re.compile(r"\s*(?:[,;/&\n]|\band\b|\bund\b|\bet\b)\s*")
ONE = ("+1", "+ 1", "plus one", "guest", "+", "and guest", "& guest")
NOBODY_BROUGHT = ("no plus-one added",) * 2


@dataclass(frozen=True)
class Guidance:
    """What the planner decided about a sheet: proposals refused, what words mean, and rows changed by hand."""

    decisions: Decisions = NO_DECISIONS
    words: Words = field(default_factory=dict)
    edits: Mapping[int, RowEdit] = field(default_factory=dict)


NO_GUIDANCE = Guidance()


def read_guests(rows: Sequence[SheetRow], columns: Columns, guidance: Guidance = NO_GUIDANCE) -> list[GuestRow]:
    """Return the guests of a sheet, those whom others bring included."""
    return [guest for row in read_rows(rows, columns, guidance) for guest in row.guests]


def read_rows(rows: Sequence[SheetRow], columns: Columns, guidance: Guidance = NO_GUIDANCE) -> list[RowRead]:
    """Return the rows below the headings, each with its guests and with what was understood."""
    headings = columns.headings(rows)
    legend = {} if columns.is_own else find_codes(rows, columns)
    guests = columns.guests(rows)
    sections = Sections(guests, columns)
    found: list[RowRead] = []
    for row in guests:
        cells = Cells(row, columns, headings, guidance.words, legend)
        readings = Readings(row.number, guidance.decisions)
        if not columns.is_own and sections.is_no_guest(row, cells, readings.ask):
            found.append(RowRead(row.number, _said(cells, row), (), tuple(readings.found)))
            continue
        read = _Row(cells, readings, sections.group).read()
        found.append(RowRead(row.number, _said(cells, row), read, tuple(readings.found)))
    named = found if columns.is_own else name_seats(found)
    return [apply_edit(row, guidance.edits[row.number]) if row.number in guidance.edits else row for row in named]


def find_codes(rows: Sequence[SheetRow], columns: Columns) -> dict[str, str]:
    """Return what abbreviations mean by a legend above or below the list, or in a heading."""
    ends = [*rows[:LEGEND_ROWS], *rows[-LEGEND_ROWS:]]
    filled = [(row.number, [cell for cell in row.cells if cell.strip()]) for row in ends]
    beside = [cells for number, cells in filled if number <= columns.above or len(cells) == 1]
    return find_legend(cell[:300] for cells in beside for cell in cells)


def _is_named_adult(guest: GuestRow) -> bool:
    return not guest.is_seat and not guest.child


def _said(cells: Cells, row: SheetRow) -> str:
    return cells.name or next((cell.strip() for cell in row.cells if cell.strip()), "")


class _Row:
    """One row with a guest, or with several."""

    def __init__(self, cells: Cells, readings: Readings, section: str) -> None:
        self.cells, self.ask, self.section = cells, readings.ask, section
        self.is_own = cells.columns.is_own

    def read(self) -> tuple[GuestRow, ...]:
        cells = self.cells
        said = self._name_cell()
        others = list(cells.others())
        last = cells.one("last_name") or "".join(said.people[0].name.split()[-1:] if said.people else [])
        shared = self._shared(said)
        guests = [self._first(said, shared, person, place) for place, person in enumerate(said.people)]
        for other in others:
            guests += self._other(other.name(last), shared, other.parts, is_child=other.is_child)
        guests += self._children(shared, last, said)
        guests += self._seats(said, shared, guests, has_others=bool(others))
        if len(guests) > 1 and shared.party is None:
            made = said.household or household_name([guest.name for guest in guests if _is_named_adult(guest)])
            guests = [replace(guest, party=made or None, made_party=True) for guest in guests]
        return tuple(self._with_messages(guests))

    def _name_cell(self) -> NameCell:
        name = self.cells.name
        if self.is_own:
            return NameCell((Person(name),))
        lines = [line.strip() for line in name.splitlines() if line.strip()]
        if len(lines) > 1 and all(" " in line for line in lines):  # two whole names in one cell
            name = " & ".join(lines)
        is_turned = bool(self.cells.one(LAST_FIRST)) and not self.cells.one("first_name")
        return self._noted(read_name(name, self.ask, last_first=is_turned))

    def _noted(self, said: NameCell) -> NameCell:
        if said.number is not None:
            odd = f"The number in “{said.people[0].name[:60]}” may be an age or a number of people"
            self.cells.notes.append(RowNote(odd, "it stays in the name", "it stays in the name"))
        return said

    def _shared(self, said: NameCell) -> GuestRow:
        """Return what is so for everyone of the row."""
        cells, party = self.cells, self.cells.one("party")
        groups = cells.groups()
        if self.section and not groups:
            groups = (self.section,)
        return GuestRow(
            number=cells.row.number,
            name="",
            party=f"Household {party}" if party and party.isdigit() and not self.is_own else party,
            groups=groups,
            side=cells.one("side"),
            reply=said.reply or cells.reply(),
        )

    def _first(self, said: NameCell, shared: GuestRow, person: Person, place: int) -> GuestRow:
        """Return a person of the name cell; what only one can have goes to the first."""
        cells, is_alone = self.cells, len(said.people) == 1
        said_of_all: dict[str, Any] = {
            "name": person.name,
            "title": person.title or (cells.one("title") if is_alone else None) or None,
            "diet": ", ".join(filter(None, [cells.diet(), said.diet])) or None,
            "meal": self._meal_of(place, len(said.people)),
            "allergies": ", ".join(cells.said("allergies")) or None,
            "age_group": person.age_group,
            "is_seat": person.host is not None,
        }
        return replace(shared, **said_of_all | ({} if place else self._said_of_one(said, person)))

    def _said_of_one(self, said: NameCell, person: Person) -> dict[str, Any]:
        """Return what only one person can have."""
        cells = self.cells
        group = person.age_group or cells.age_group()
        first, last = self._parts(said, person)
        return {
            "first_name": first,
            "last_name": last,
            "age_group": group,
            "child": group in CHILDREN if group else cells.child(),
            "note": cells.one("note"),
            "email": cells.one("email"),
            "phone": cells.one("phone"),
            "high_chair": cells.flag("high_chair", "high chair"),
            "wheelchair": cells.flag("wheelchair", "wheelchair"),
            "more_allergies": cells.one("more_allergies"),
            "public_name": cells.one("public_name"),
            "own": tuple(cells.own()),
        }

    def _parts(self, said: NameCell, person: Person) -> tuple[str | None, str | None]:
        """Return first and last name, where the row has them in columns of their own."""
        cells = self.cells
        if self.is_own:
            return cells.one("first_name"), cells.one("last_name")
        is_split = len(said.people) == 1 and person.host is None and person.name == " ".join(cells.name.split())
        if not is_split or not cells.one("first_name"):
            return None, None
        return " ".join(filter(None, [cells.one("first_name"), cells.one("middle_name")])), cells.one("last_name")

    def _meal_of(self, place: int, people: int) -> str | None:
        """Return the meal of one of several: “B/C” for two people is one for each."""
        text = self.cells.one("meal")
        parts = [part.strip() for part in text.split("/")] if text else []
        if people > 1 and len(parts) == people:
            return explain_meal(parts[place], self.cells.legend) or None
        return self.cells.meal()

    def _other(self, name: str, shared: GuestRow, parts: Mapping[str, str], *, is_child: bool) -> list[GuestRow]:
        said = self._noted(read_name(name, self.ask))
        reply = read_reply(parts["reply"]) if parts.get("reply") else shared.reply
        meal = explain_meal(parts["meal"], self.cells.legend) if parts.get("meal") else None
        return [
            replace(
                shared,
                name=person.name,
                title=person.title or parts.get("title") or None,
                reply=said.reply or reply,
                meal=meal,
                diet=said.diet or parts.get("diet") or None,
                age_group=person.age_group or ("child" if is_child else None),
                child=True if is_child or person.age_group in CHILDREN else None,
                is_seat=person.host is not None,
            )
            for person in said.people
        ]

    def _children(self, shared: GuestRow, last: str, said: NameCell) -> list[GuestRow]:
        found: list[GuestRow] = []
        number = said.kids
        for text in self.cells.by_field.get("kids", []):
            if text.isascii() and text.isdigit():
                if int(text) and self.ask(
                    "kids", f"“{text[:4]}” adds {count(min(int(text), 9999), 'child', 'children')}"
                ):
                    number += int(text)
            elif any(map(str.isalpha, text)) and not read_reply(text):
                names = [name for name in BETWEEN_NAMES.split(text) if name]
                whole = [name if " " in name else f"{name} {last}".strip() for name in names]
                if self.ask("kids", f"“{text[:40]}” adds {count(len(names), 'child', 'children')}"):
                    found += [replace(shared, name=name, age_group="child", child=True) for name in whole]
        return found + self._unnamed(number, shared, "child")

    def _seats(
        self, said: NameCell, shared: GuestRow, guests: Sequence[GuestRow], *, has_others: bool
    ) -> list[GuestRow]:
        """Return the seats that the name cell, the plus-one and the number of people ask for."""
        found = self._unnamed(said.seats, shared, family=said.family)
        for text in self.cells.by_field.get("plus_one", []):
            if not has_others and not said.seats:  # else they are the plus-one
                found += self._brought(text, shared)
        size = NUMBER.fullmatch(self.cells.one("party_size") or "")
        more = int(size[1]) - len(guests) - len(found) if size else 0
        if (
            size
            and more > 0
            and self.ask("family", f"“{size[1]}” people keeps {count(more, 'more seat', 'more seats')}")
        ):
            found += self._unnamed(more, shared, family=said.family)
        return found

    def _brought(self, text: str, shared: GuestRow) -> list[GuestRow]:
        if found := NUMBER.fullmatch(text):
            number = int(found[1])
        elif plain(text) in ONE or read_reply(text) == "yes":
            number = 1
        elif read_reply(text):
            return []
        elif any(map(str.isalpha, text)):
            said = read_name(text, self.ask)
            return [replace(shared, name=person.name, is_seat=person.host is not None) for person in said.people]
        else:
            self.cells.notes.append(RowNote(f"“{text[:20]}” is not a number or a name", *NOBODY_BROUGHT))
            return []
        seats = "a seat for a guest" if number == 1 else f"{number:,} seats for guests"
        is_taken = number and self.ask("plus_one", f"“{text[:20]}” in the column of plus-ones keeps {seats}")
        return self._unnamed(number, shared) if is_taken else []

    def _unnamed(self, number: int, shared: GuestRow, what: str = "guest", family: str = "") -> list[GuestRow]:
        if number > MOST_SEATS:
            kind = "children" if what == "child" else "plus-ones"
            self.cells.errors.append(f"“{number:,}” {kind}; maximum {MOST_SEATS}")
        group = "child" if what == "child" else None
        seat = replace(shared, name=what, age_group=group, child=True if group else None, is_seat=True, host=family)
        return [seat] * min(number, MOST_SEATS)

    def _with_messages(self, guests: Sequence[GuestRow]) -> Sequence[GuestRow]:
        if not guests:
            guests = [GuestRow(self.cells.row.number, "")]
        errors, notes = self.cells.errors, self.cells.notes
        if not errors and not notes:
            return guests
        return [replace(guests[0], errors=tuple(errors), notes=tuple(dict.fromkeys(notes))), *guests[1:]]
