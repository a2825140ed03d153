"""What the columns of a guest list hold, guessed from their headings and their contents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.files.guest_lists import contents
from app.files.guest_lists.headings import UNUSED, guess_heading, read_heading
from app.files.guest_lists.layout import Start, find_lists, find_start
from app.files.guest_lists.own_format import own_fields
from app.files.guest_lists.vocabulary import ADULT, plain
from app.files.sheet_limits import SheetRow

IGNORED = ""
LAST_FIRST = "name_last_first"
LISTED = "listed"
"""A column of guests beside others of the same kind; its heading is their group."""
FIELDS = {
    "name": "Name",
    LAST_FIRST: "Name, as “Last, First”",
    "title": "Title",
    "first_name": "First name",
    "middle_name": "Middle name",
    "last_name": "Last name",
    "suffix": "Suffix, as “Jr.”",
    "party": "Household",
    "groups": "Groups",
    "group_tick": "Ticks for a group",
    "side": "Side",
    "reply": "Reply",
    "age": "Age",
    "child": "Child",
    "diet": "Diet",
    "diet_tick": "Ticks for a diet",
    "meal": "Meal",
    "allergies": "Allergies",
    "more_allergies": "Other allergies",
    "note": "Note",
    "email": "E-mail",
    "phone": "Phone",
    "high_chair": "High chair",
    "wheelchair": "Wheelchair",
    "public_name": "Shown to guests as",
    "plus_one": "Plus one",
    "party_size": "Number of people",
    "kids": "Children: number or names",
    "other_name": "Another guest: name",
    "other_title": "Another guest: title",
    "other_first": "Another guest: first name",
    "other_last": "Another guest: last name",
    "other_reply": "Another guest: reply",
    "other_meal": "Another guest: meal",
    "other_diet": "Another guest: diet",
    "child_name": "Child: name",
    "child_first": "Child: first name",
    "child_last": "Child: last name",
    LISTED: "A list of guests; the heading is their group",
    "own": "A field of its own",
}
NAMING = ("name", LAST_FIRST, "first_name", "last_name")
REPEATED = (LISTED, "groups", "group_tick", "diet", "diet_tick", "meal", "allergies", "plus_one", "kids", "own")
LOOKED_AT = 200
ADULT_WORDS = frozenset(map(plain, ADULT.split(", ")))


@dataclass(frozen=True)
class Columns:
    """What each column holds, the last row above the guests, whether it has headings, and whether Convive wrote it."""

    fields: tuple[str, ...]
    above: int = 0
    has_heading: bool = False
    is_own: bool = False

    @property
    def has_name(self) -> bool:
        """Whether some column says who it is."""
        return any(field in (*NAMING, LISTED) for field in self.fields)

    def guests(self, rows: Sequence[SheetRow]) -> Sequence[SheetRow]:
        """Return the rows below the headings."""
        return [row for row in rows if row.number > self.above]

    def headings(self, rows: Sequence[SheetRow]) -> tuple[str, ...]:
        """Return the headings of all columns, "" where there is none."""
        row = next((row for row in rows if row.number == self.above), None) if self.has_heading else None
        cells = tuple(cell.strip() for cell in row.cells) if row else ()
        return cells[: len(self.fields)] + ("",) * (len(self.fields) - len(cells))


def guess_columns(rows: Sequence[SheetRow], heading: int | None = None) -> Columns:
    """Guess what the columns hold; `heading` is the number of the row with the headings, 0 for none, if it is known."""
    width = max(len(row.cells) for row in rows)
    own = own_fields(rows[0].cells) if heading is None else ()
    if own:
        padded = (*own, *([IGNORED] * (width - len(own))))
        return Columns(padded, rows[0].number, has_heading=True, is_own=True)
    start = find_start(rows) if heading is None else Start(heading, has_heading=heading > 0)
    lists = find_lists(rows) if heading is None and not start.has_heading else None
    if lists:
        above, places = lists
        fields = [LISTED if place in places else IGNORED for place in range(width)]
        return Columns(tuple(fields), above, has_heading=True)
    below = [row for row in rows if row.number > start.above][:LOOKED_AT]
    cells = [[cell for cell in (_cell(row, place) for row in below) if cell] for place in range(width)]
    if start.has_heading:
        headings = next((row.cells for row in rows if row.number == start.above), ())
        fields = _by_headings([*headings, *([""] * (width - len(headings)))], cells, len(below))
    else:
        fields = contents.guess_fields(cells)
    return Columns(tuple(fields), start.above, start.has_heading)


def _by_headings(headings: Sequence[str], columns: Sequence[list[str]], rows: int) -> list[str]:
    known = [_meant(read_heading(heading)) or guess_heading(heading) for heading in headings]
    places = zip(known, headings, columns, strict=True)
    fields = [contents.adjust(field, heading, cells, rows) for field, heading, cells in places]
    _name_adults(fields, headings, columns)
    _name_alone(fields)
    _name_beside_part(fields, columns)
    if not any(field in NAMING for field in fields):
        _name_by_contents(fields, columns)
    found: list[str] = []
    for field in fields:
        # Of two columns with the same meaning the first counts, except where they add up.
        is_first = field not in found or field in REPEATED or field.startswith(("other_", "child_"))
        found.append(field if is_first and field in FIELDS else IGNORED)
    if "name" in found and contents.are_last_first(columns[found.index("name")]):
        found[found.index("name")] = LAST_FIRST
    return found


def _meant(fields: Sequence[str]) -> str:
    """Return what a heading of several words means: “Table / group” is a group."""
    return next((field for field in fields if field and field != UNUSED), "".join(fields[:1]))


def _name_adults(fields: list[str], headings: Sequence[str], columns: Sequence[list[str]]) -> None:
    """Take “Adults” beside a household for the names, if that is what it holds."""
    if any(field in NAMING for field in fields):
        return
    for place, heading in enumerate(headings):
        if not fields[place] and plain(heading) in ADULT_WORDS and _has_letters(columns[place]):
            fields[place] = "name"
            return


def _has_letters(cells: Sequence[str]) -> bool:
    return sum(any(map(str.isalpha, cell)) for cell in cells) * 2 > len(cells)


def _name_alone(fields: list[str]) -> None:
    """Take “Nom” or “First” alone for the whole name."""
    if "name" in fields or ("first_name" in fields) == ("last_name" in fields):
        return
    alone = "first_name" if "first_name" in fields else "last_name"
    fields[fields.index(alone)] = "name"


def _name_beside_part(fields: list[str], columns: Sequence[list[str]]) -> None:
    """Take “Name” beside “Surname” for the first name, or leave the surname out where the name has it already."""
    parts = [part for part in ("first_name", "last_name") if part in fields]
    if "name" not in fields or len(parts) != 1:
        return
    place, beside = fields.index("name"), fields.index(parts[0])
    words = {plain(word) for cell in columns[beside] for word in cell.split()}
    whole = sum(not words.isdisjoint(map(plain, cell.split())) for cell in columns[place])
    if whole * 3 > len(columns[place]):
        fields[beside] = IGNORED
    else:
        fields[place] = "last_name" if parts[0] == "first_name" else "first_name"


def _name_by_contents(fields: list[str], columns: Sequence[list[str]]) -> None:
    """Take the first column of names below an unknown heading for the names."""
    free = [place for place, field in enumerate(fields) if field in ("", "party")]
    place = next((place for place in free if contents.are_names(columns[place])), None)
    if place is not None:
        fields[place] = "name"


def _cell(row: SheetRow, place: int) -> str:
    return row.cells[place].strip() if place < len(row.cells) else ""
