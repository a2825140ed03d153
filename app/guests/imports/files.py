"""The sheets of a file that waits to be imported, as the database keeps them, and the one that is read."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from app.db.models import GuestImport
from app.errors import FieldError, Invalid
from app.files.guest_lists.columns import FIELDS, NAMING, Columns, guess_columns
from app.files.sheet_limits import ListSheet, SheetRow
from app.sentences import list_in_words
from app.web.names import QUOTED_LENGTH, name_key

GUEST_WORDS = ("guest", "gäste", "gast", "invité", "invitado", "invitati", "vieraat", "gäster", "gjester", "attendee")


@dataclass(frozen=True)
class Where:
    """Where the guests are in a file, as far as that is known: the title of the sheet, and the row of the headings."""

    sheet: str = ""
    heading: int | None = None


ANYWHERE = Where()


def pack_sheets(sheets: Sequence[ListSheet]) -> bytes:
    """Return the sheets as the database keeps them."""
    plain = [{**vars(sheet), "rows": [(row.number, row.cells) for row in sheet.rows]} for sheet in sheets]
    return zlib.compress(json.dumps(plain, ensure_ascii=False).encode(), 1)


def unpack_sheets(content: bytes) -> list[ListSheet]:
    """Return the sheets; a file that an older version kept has one without a title."""
    stored = json.loads(zlib.decompress(content))
    if not stored or isinstance(stored[0], list):
        return [ListSheet("", _rows(stored))]
    return [
        ListSheet(one["title"], _rows(one["rows"]), [(a, b, c) for a, b, c in one["merged"]], one["are_cards"])
        for one in stored
    ]


def find_sheet(sheets: Sequence[ListSheet], title: str) -> int:
    """Return the place of the sheet with a title, or say which ones there are."""
    found = next((place for place, sheet in enumerate(sheets) if name_key(sheet.title) == name_key(title)), None)
    if found is None:
        there = list_in_words([f"“{sheet.title}”" for sheet in sheets if sheet.title][:20]) or "one without a title"
        raise Invalid(FieldError("sheet", f"There is no sheet “{title[:QUOTED_LENGTH]}” in this file. It has {there}."))
    return found


def likely_sheet(sheets: Sequence[ListSheet]) -> int:
    """Return the place of the sheet that has the guests: by its title, its headings, and how many rows it has."""
    if len(sheets) == 1:
        return 0

    def likelihood(place: int) -> tuple[bool, bool, int]:
        sheet = sheets[place]
        columns = guess_columns(sheet.rows)
        has_title = any(word in sheet.title.casefold() for word in GUEST_WORDS)
        is_headed = columns.has_heading and any(field in NAMING for field in columns.fields)
        return is_headed and has_title, is_headed, len(sheet.rows)

    return max(range(len(sheets)), key=likelihood)


def pack_columns(sheet: int, columns: Columns) -> dict[str, Any]:
    """Return which sheet is read, and what its columns hold, as the database keeps it."""
    return {"sheet": sheet, **asdict(columns)}


def columns_of(stored: GuestImport) -> tuple[int, Columns]:
    """Return which sheet is read, and what its columns hold."""
    kept = stored.columns
    above = kept.get("above", 1 if kept["has_heading"] else 0)
    fields = tuple(field if field in FIELDS else "" for field in kept["fields"])
    return kept.get("sheet", 0), Columns(fields, above, kept["has_heading"], kept["is_own"])


def filled_rows(sheet: ListSheet, columns: Columns) -> list[SheetRow]:
    """Return the rows, with the text of cells that go over several rows in each of them; a name is one guest's."""
    return _fill_merged(sheet, [place for place, field in enumerate(columns.fields) if field and field not in NAMING])


def reread(columns: Columns, fields: Sequence[str]) -> Columns:
    """Return the columns with what they were said to hold."""
    known = tuple(name if name in FIELDS else "" for name in fields)[: len(columns.fields)]
    given = known + columns.fields[len(known) :]
    return replace(columns, fields=given, is_own=columns.is_own and given == columns.fields)


def _rows(stored: Sequence[Any]) -> list[SheetRow]:
    return [SheetRow(number, tuple(cells)) for number, cells in stored]


def _fill_merged(sheet: ListSheet, columns: Sequence[int]) -> list[SheetRow]:
    """Return the rows with the text of merged cells in each of their rows, in these columns alone."""
    wanted: dict[int, list[tuple[int, int]]] = {}
    for column, first, last in sheet.merged:
        if column in columns:
            for number in range(first + 1, last + 1):
                wanted.setdefault(number, []).append((column, first))
    at = {row.number: row.cells for row in sheet.rows} if wanted else {}
    return [_filled(row, at, wanted[row.number]) if row.number in wanted else row for row in sheet.rows]


def _filled(row: SheetRow, at: Mapping[int, tuple[str, ...]], wanted: Sequence[tuple[int, int]]) -> SheetRow:
    cells = list(row.cells)
    for column, first in wanted:
        cells += [""] * (column + 1 - len(cells))
        cells[column] = cells[column] or "".join(at.get(first, ())[column : column + 1])
    return SheetRow(row.number, tuple(cells))
