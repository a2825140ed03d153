"""What the columns of a guest list hold, guessed from their headings or their contents."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from app.files.guest_lists.vocabulary import DIET_WORDS, GROUP_WORDS, plain, read_heading, read_reply
from app.files.sheet_limits import SheetRow

IGNORED = ""
LAST_FIRST = "name_last_first"
FIELDS = {
    "name": "Name",
    LAST_FIRST: "Name, as “Last, First”",
    "first_name": "First name",
    "last_name": "Last name",
    "party": "Household",
    "groups": "Groups",
    "reply": "Reply",
    "child": "Child",
    "diet": "Diet",
    "note": "Note",
    "high_chair": "High chair",
    "public_name": "Shown to guests as",
    "plus_one": "Plus one",
}
NAMING = ("name", LAST_FIRST, "first_name", "last_name")
OWN_HEADINGS = ("Name", "Party", "Groups", "Reply", "Child", "Diet", "Note", "High chair", "Shown to guests as")
OWN_FIELDS = ("name", "party", "groups", "reply", "child", "diet", "note", "high_chair", "public_name")
OLDER_HEADINGS = OWN_HEADINGS[:7]
LOOKED_AT = 200
CONTACT = re.compile(r"\S@\S|^\+?[\d\s()./-]{5,}$|^https?://", re.IGNORECASE)  # addresses of mail, numbers of phones


@dataclass(frozen=True)
class Columns:
    """What each column holds, whether the first row is one of headings, and whether Convive wrote the file."""

    fields: tuple[str, ...]
    has_heading: bool
    is_own: bool = False

    @property
    def has_name(self) -> bool:
        """Whether some column says who it is."""
        return any(field in NAMING for field in self.fields)


def guess_columns(rows: Sequence[SheetRow]) -> Columns:
    """Guess what the columns hold."""
    width = max(len(row.cells) for row in rows)
    first = rows[0].cells
    if first in (OWN_HEADINGS, OLDER_HEADINGS):
        own = OWN_FIELDS[: len(first)]
        return Columns((*own, *([IGNORED] * (width - len(own)))), has_heading=True, is_own=True)
    meanings = [read_heading(cell) for cell in first]
    # “Bo / guest” may be a guest: only words that are known as a whole make a row one of headings.
    sure = [fields[0] for fields in meanings if all(fields)]
    if any(field in NAMING for field in sure) or len(sure) > 1:
        known = [next(filter(None, fields), IGNORED) for fields in meanings] + [IGNORED] * (width - len(first))
        return Columns(_by_headings(known, rows), has_heading=True)
    return Columns(_by_contents(rows, width), has_heading=False)


def _by_headings(known: list[str], rows: Sequence[SheetRow]) -> tuple[str, ...]:
    fields = list(dict.fromkeys(known))
    # Of two columns with the same meaning the first counts, except for groups, which add up.
    found = [
        field if known.index(field) == place or field == "groups" else IGNORED for place, field in enumerate(known)
    ]
    if "first_name" not in fields and "last_name" in fields and "name" not in fields:
        found[known.index("last_name")] = "name"  # “Nom” alone is the whole name
    if "first_name" in fields and "last_name" not in fields and "name" not in fields:
        found[known.index("first_name")] = "name"
    if "name" in found and _are_last_first([_cell(row, found.index("name")) for row in rows[1:LOOKED_AT]]):
        found[found.index("name")] = LAST_FIRST
    return tuple(found)


def _by_contents(rows: Sequence[SheetRow], width: int) -> tuple[str, ...]:
    found: list[str] = []
    columns = [[cell for cell in (_cell(row, n) for row in rows[:LOOKED_AT]) if cell] for n in range(width)]
    for cells, before in zip(columns, [[], *columns], strict=False):
        found.append(_by_cells(cells, found))
        if found[-2:-1] == ["name"] and found[-1] in ("groups", "note") and _are_last_names(cells, before):
            found[-2:] = ["first_name", "last_name"]
    return tuple(found)


def _by_cells(cells: list[str], before: list[str]) -> str:
    contacts = sum(bool(CONTACT.search(cell)) for cell in cells)
    if contacts * 2 >= len(cells) or all(cell.replace(".", "").isdigit() for cell in cells):
        return IGNORED
    words = [plain(cell) for cell in cells]
    if not any(field in NAMING for field in before):
        return LAST_FIRST if _are_last_first(cells) else "name"
    guesses = {
        "plus_one": all(word in ("+1", "plus one", "+ 1") for word in words),
        "reply": all(read_reply(cell) for cell in cells),
        "diet": sum(word in DIET_WORDS for word in words) * 2 > len(words),
        "groups": not contacts and _are_groups(cells),
        "note": True,
    }
    return next((field for field, fits in guesses.items() if fits and field not in before), IGNORED)


def _are_groups(cells: list[str]) -> bool:
    """Say whether short words come again and again, or are usual for groups; viewers see groups, so in doubt not."""
    words = [plain(word) for cell in cells for word in re.split("[,;|]", cell)]
    is_set = len(set(words)) * 4 <= len(words) * 3 or any(word in GROUP_WORDS for word in words)
    return is_set and sum(map(len, cells)) < 40 * len(cells)


def _are_last_names(cells: list[str], before: list[str]) -> bool:
    """Say whether these are last names to the first names of the column before: a word each, and of many kinds."""
    are_words = all(len(cell.split()) == 1 and cell[0] == cell[0].upper() for cell in (*cells, *before))
    kinds = {plain(cell) for cell in cells}
    is_one_word_for_all = len(kinds) == 1 and len(cells) > 1
    return are_words and not is_one_word_for_all and not kinds & GROUP_WORDS and len(kinds) * 3 > len(cells)


def _are_last_first(names: Sequence[str]) -> bool:
    full = [name for name in names if name]
    return bool(full) and sum(name.count(",") == 1 for name in full) * 2 > len(full)


def _cell(row: SheetRow, place: int) -> str:
    return row.cells[place].strip() if place < len(row.cells) else ""
