"""Rows of a guest list as guests: what stands in each column, and what cannot be understood."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from app.files.guest_lists.brought import Brought
from app.files.guest_lists.cells import Cells, Words
from app.files.guest_lists.columns import LAST_FIRST, LISTED, Columns
from app.files.guest_lists.couples import AND
from app.files.guest_lists.guest_row import GuestRow, RowNote, RowRead
from app.files.guest_lists.hosts import name_seats
from app.files.guest_lists.meal_codes import explain_meal, find_legend, share_meals
from app.files.guest_lists.needs import give_need, take_diets, take_notes
from app.files.guest_lists.people import NameCell, Person, household_name, read_name
from app.files.guest_lists.readings import NO_DECISIONS, Decisions, Readings
from app.files.guest_lists.row_edits import RowEdit, apply_edit
from app.files.guest_lists.sections import Sections, is_total
from app.files.guest_lists.vocabulary import CHILDREN, age_group, read_reply
from app.files.sheet_limits import SheetRow

LEGEND_ROWS = 25
OF_A_CHILD = re.compile(r"\b(?:kids?|child(?:ren)?|baby|toddler|high[\s-]?chair|kinder\w*)\b", re.IGNORECASE)
IN_BRACKETS = re.compile(r"\s?[(\[][0-9]{1,2}[)\]]$")


@dataclass(frozen=True)
class Guidance:
    """What the planner decided about a sheet: proposals refused, what words mean, and rows changed by hand.

    `seats` is how many seats a row keeps whose words say no number, by the number of the row.
    """

    decisions: Decisions = NO_DECISIONS
    words: Words = field(default_factory=dict)
    edits: Mapping[int, RowEdit] = field(default_factory=dict)
    seats: Mapping[int, int] = field(default_factory=dict)


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
        if LISTED in columns.fields:
            found.append(_read_lists(row, columns, headings, guidance, legend))
            continue
        if not columns.is_own and sections.is_no_guest(row, cells, readings.ask):
            found.append(RowRead(row.number, _said(cells, row), (), tuple(readings.found)))
            continue
        read = _Row(cells, readings, sections.group, guidance.seats.get(row.number))
        found.append(RowRead(row.number, _said(cells, row), read.read(), tuple(readings.found), read.open_seats))
    named = found if columns.is_own else name_seats(found)
    return [apply_edit(row, guidance.edits[row.number]) if row.number in guidance.edits else row for row in named]


def find_codes(rows: Sequence[SheetRow], columns: Columns) -> dict[str, str]:
    """Return what abbreviations mean by a legend above or below the list, or in a heading."""
    ends = [*rows[:LEGEND_ROWS], *rows[-LEGEND_ROWS:]]
    filled = [(row.number, [cell for cell in row.cells if cell.strip()]) for row in ends]
    beside = [cells for number, cells in filled if number <= columns.above or len(cells) == 1]
    return find_legend(cell[:300] for cells in beside for cell in cells)


def _read_lists(
    row: SheetRow, columns: Columns, headings: Sequence[str], guidance: Guidance, legend: Mapping[str, str]
) -> RowRead:
    """Return the guests of a row of lists side by side: each cell is somebody else's, in the group of its heading."""
    readings, seats = Readings(row.number, guidance.decisions), guidance.seats.get(row.number)
    said = [(headings[place], cell.strip()) for place, cell in enumerate(row.cells) if columns.fields[place] == LISTED]
    guests: list[GuestRow] = []
    open_seats: int | None = None
    for group, cell in said:
        cells = Cells(SheetRow(row.number, (cell,)), Columns(("name",)), (group,), guidance.words, legend)
        is_other = not cell or (is_total(cell) and readings.ask("not_a_guest", f"“{cell[:60]}” is not a guest"))
        if not is_other:
            read = _Row(cells, readings, group, seats)
            guests += read.read()
            open_seats = read.open_seats if open_seats is None else open_seats
    return RowRead(
        row.number, " · ".join(cell for _, cell in said if cell), tuple(guests), tuple(readings.found), open_seats
    )


def _is_named_adult(guest: GuestRow) -> bool:
    return not guest.is_seat and not guest.child


def _said(cells: Cells, row: SheetRow) -> str:
    return cells.name or next((cell.strip() for cell in row.cells if cell.strip()), "")


class _Row:
    """One row with a guest, or with several."""

    def __init__(self, cells: Cells, readings: Readings, section: str, chosen: int | None = None) -> None:
        self.cells, self.ask, self.section, self._readings = cells, readings.ask, section, readings
        self.is_own = cells.columns.is_own
        self.open_seats: int | None = None
        self._chosen = chosen

    def read(self) -> tuple[GuestRow, ...]:
        cells = self.cells
        said = self._name_cell()
        others = list(cells.others())
        last = cells.one("last_name") or "".join(said.people[0].name.split()[-1:] if said.people else [])
        shared = self._shared(said)
        brought = Brought(cells, self.ask, said, shared, self._chosen)
        self.open_seats = brought.open_seats
        if said.is_open and self.open_seats is None:
            self._readings.explain("seats", ", but another column does")
        meals = share_meals(cells.one("meal") or "", len(said.people) + len(others))
        guests = [self._first(said, shared, place, meals) for place in range(len(said.people))]
        for other, meal in zip(others, meals[len(guests) :] or [""] * len(others), strict=True):
            guests += self._other(other.name(last), shared, {"meal": meal} | other.parts, is_child=other.is_child)
        guests += brought.children(last)
        guests += brought.seats(guests, has_others=bool(others))
        if not said.people and not others:
            guests = self._of_nobody_named(said, guests)
        if not self.is_own:
            guests = take_diets(take_notes(guests, self.ask), self.ask)
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
        if said.number is None:
            return said
        name = said.people[0].name
        if self._says_child() and self.ask("age", f"“({said.number})” is an age, as the row says so of a child"):
            group = age_group(said.number)
            return replace(said, people=(replace(said.people[0], name=IN_BRACKETS.sub("", name), age_group=group),))
        odd = f"The number in “{name[:60]}” may be an age or a number of people"
        self.cells.notes.append(RowNote(odd, "it stays in the name", "it stays in the name"))
        return said

    def _says_child(self) -> bool:
        """Return whether another cell of the row is about a child: “kids' meal”, “high chair”."""
        cells = self.cells.by_field
        return any(OF_A_CHILD.search(text) for name in ("meal", "diet", "note") for text in cells.get(name, []))

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

    def _first(self, said: NameCell, shared: GuestRow, place: int, meals: Sequence[str]) -> GuestRow:
        """Return a person of the name cell; what only one can have goes to the first."""
        cells, person = self.cells, said.people[place]
        said_of_all: dict[str, Any] = {
            "name": person.name,
            "title": person.title or self._title_of(said, place),
            "diet": ", ".join(filter(None, [cells.diet(), said.diet])) or None,
            "meal": (explain_meal(meals[place], cells.legend) or None) if meals else cells.meal(),
            "allergies": ", ".join(cells.said("allergies")) or None,
            "age_group": person.age_group,
            "is_seat": person.host is not None,
        }
        guest = replace(shared, **said_of_all | ({} if place else self._said_of_one(said, person)))
        for need in said.needs if not place else ():
            guest = give_need(guest, need)
        return guest

    def _of_nobody_named(self, said: NameCell, seats: Sequence[GuestRow]) -> list[GuestRow]:
        """Return the seats of a family with what its row says: meals and diets of all, everything else of the first."""
        found = []
        for place, seat in enumerate(seats):
            kept: dict[str, Any] = {name: getattr(seat, name) for name in ("name", "age_group", "child")}
            people = (Person(seat.name),) * (place + 1)
            given = self._first(replace(said, people=people), seat, place, ())
            found.append(replace(given, **kept, is_seat=True, host=seat.host))
        return found

    def _title_of(self, said: NameCell, place: int) -> str | None:
        """Return the title in its column, of a couple one for each; a seat for an unnamed guest has none."""
        title = self.cells.one("title") or ""
        titles = AND.split(title) if len(said.people) > 1 else [title]
        is_seat = said.people[place].host is not None
        return (titles[place].strip() or None) if len(titles) == len(said.people) and not is_seat else None

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

    def _with_messages(self, guests: Sequence[GuestRow]) -> Sequence[GuestRow]:
        if not guests:
            guests = [GuestRow(self.cells.row.number, "")]
        errors, notes = self.cells.errors, self.cells.notes
        if not errors and not notes:
            return guests
        return [replace(guests[0], errors=tuple(errors), notes=tuple(dict.fromkeys(notes))), *guests[1:]]
