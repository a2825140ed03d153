"""Rows inside a list that are not guests: headings of sections, headings again, totals and notes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from app.files.guest_lists.cells import Cells
from app.files.guest_lists.columns import Columns
from app.files.guest_lists.headings import read_heading
from app.files.guest_lists.meal_codes import is_legend
from app.files.guest_lists.people import FAMILY
from app.files.guest_lists.readings import Ask
from app.files.guest_lists.vocabulary import GROUP_WORDS, plain
from app.files.sheet_limits import SheetRow

TOTAL = re.compile(
    r"(?:sub|grand\s)?-?totals?\b.*|sum|summe|gesamt|count\b.*|head\s?count\b.*|number of (?:guests|people)\b.*"
    r"|(?:attending|declined|invited|confirmed|adults|children|kids|maybe|pending)\s*[:=]\s*[0-9]*|notes?:.*|legend\b.*|key:.*"
    r"|updated\b.*|last updated\b.*|table\s?[0-9]{1,3}",
    re.IGNORECASE,
)
SECTION_WORDS = GROUP_WORDS | {"side", "coworkers", "guests", "in-laws", "bridesmaids", "groomsmen", "vips"}
MOST_WORDS = 5
LONGEST_LEGEND = 300
NOBODY = frozenset(("n/a", "-", "–", "—", "none", "nobody", "nothing"))


class Sections:
    """Goes through the rows in their order and keeps the section that they are in."""

    def __init__(self, rows: Sequence[SheetRow], columns: Columns) -> None:
        self.group = ""
        self._columns = columns
        filled = [sum(bool(cell.strip()) for cell in row.cells) for row in rows]
        # In a list of names alone every row has one cell, and a name is not a heading.
        self._has_cells = sum(number > 1 for number in filled) * 3 > len(filled) * 2
        has_groups = any(field in ("groups", "group_tick") for field in columns.fields)
        self._joining = "guests below it whose row has no group join" if has_groups else "the guests below it join"

    def is_no_guest(self, row: SheetRow, cells: Cells, ask: Ask) -> bool:
        """Return whether a row is something other than a guest, if `ask` agrees."""
        texts = [cell.strip() for cell in row.cells if cell.strip()]
        if self._repeats_headings(row, cells.headings):
            return ask("not_a_guest", "The headings again")
        if len(texts) == 1 and is_legend(texts[0][:LONGEST_LEGEND]):
            return ask("not_a_guest", f"“{texts[0][:60]}” explains abbreviations")
        if plain(cells.name) in NOBODY:
            return ask("not_a_guest", f"“{cells.name}” is not a name")
        title = self._section(texts)
        is_total = self._is_total(texts, cells.name) and not (title and not TOTAL.fullmatch(texts[0]))
        if is_total:
            return ask("not_a_guest", f"“{' '.join(texts)[:60]}” is not a guest")
        if title and ask("section", f"“{texts[0][:60]}” is a heading: {self._joining} the group “{title}”"):
            self.group = title
            return True
        return False

    def _repeats_headings(self, row: SheetRow, headings: Sequence[str]) -> bool:
        pairs = [(cell.strip(), heading) for cell, heading in zip(row.cells, headings, strict=False) if cell.strip()]
        same = sum(cell == heading or plain(cell) == plain(heading) for cell, heading in pairs)
        if len(pairs) < 2 or same < 2:
            return False
        return same == len(pairs) or all(all(read_heading(cell)) for cell, _ in pairs)

    def _is_total(self, texts: Sequence[str], name: str) -> bool:
        if name and name == texts[0] and TOTAL.fullmatch(name):
            return True
        has_numbers = len(texts) > 1 and all(any(map(str.isdigit, text)) for text in texts[1:])
        if TOTAL.fullmatch(texts[0]) and (not name or has_numbers):
            return True
        is_number = all(re.fullmatch(r"[\d\s.,/%+=:-]+", text) for text in texts)
        return not name and (is_number or (len(texts) == 1 and self._has_cells))

    def _section(self, texts: Sequence[str]) -> str:
        """Return the group that a heading inside the list names, "" if the row is none."""
        if len(texts) != 1:
            return ""
        text = texts[0].rstrip(":").strip(" -–—*=")
        words = text.split()
        if not text or len(words) > MOST_WORDS or "," in text or (FAMILY.fullmatch(text) and not text.isupper()):
            return ""
        has_word = any(plain(word) in SECTION_WORDS for word in (*words, text))
        is_heading = texts[0].endswith(":") or (self._has_cells and (has_word or (text.isupper() and len(text) > 3)))
        return _readable(text) if is_heading else ""


def is_total(text: str) -> bool:
    """Return whether a cell is a total or a number, and nobody's name."""
    return bool(TOTAL.fullmatch(text)) or not any(map(str.isalpha, text))


def _readable(text: str) -> str:
    return text.capitalize() if text.isupper() else text
