"""The sheets of an XLSX file as text cells, without trusting what the file says about its size."""

from __future__ import annotations

import io
import re
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import date, datetime, time
from itertools import islice
from typing import TYPE_CHECKING
from xml.etree.ElementTree import ParseError

from app.files.sheet_limits import MOST_COLUMNS, MOST_ROWS, ListSheet, Merged, SheetError, SheetRow, within_limits

if TYPE_CHECKING:
    from openpyxl import Workbook

MOST_SHEETS, MOST_CELLS = 20, 400_000
MOST_PARTS, MOST_UNPACKED = 1_000, 48 << 20
MERGED, MOST_MERGED = re.compile(rb'<mergeCell ref="([A-Z]{1,3})([0-9]{1,7}):\1([0-9]{1,7})"'), 5_000


def read_xlsx(data: bytes) -> list[SheetRow]:
    """Return the rows of the first sheet that is shown."""
    with _opened(data) as book:
        sheet = next((sheet for sheet in book.worksheets if sheet.sheet_state == "visible"), None)
        if sheet is None:
            raise SheetError("This file has no sheets.")
        sheet.reset_dimensions()  # what a file says of its size may be anything
        return within_limits(_texts(sheet.iter_rows(values_only=True)))


def read_list_sheets(data: bytes) -> list[ListSheet]:
    """Return every sheet that is shown and holds something; one that cannot be read is left out if another can."""
    found: list[ListSheet] = []
    errors: list[SheetError] = []
    with _opened(data) as book:
        shown = [sheet for sheet in book.worksheets if sheet.sheet_state == "visible"][:MOST_SHEETS]
        for sheet in shown:
            sheet.reset_dimensions()
            try:
                rows = within_limits(_texts(sheet.iter_rows(values_only=True)))
            except SheetError as error:
                errors.append(error)
                continue
            found.append(ListSheet(sheet.title, rows, _merged(data, sheet)))
            if sum(len(row.cells) for one in found for row in one.rows) > MOST_CELLS:
                raise SheetError(f"This workbook has too many cells; maximum {MOST_CELLS:,}.")
    if not found:
        raise errors[0] if errors else SheetError("This file has no sheets.")
    return found


def _merged(data: bytes, sheet: object) -> list[Merged]:
    """Return the cells that go over several rows of one column; the reader of rows does not know them."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive, suppress(KeyError, AttributeError):
        part = archive.read(sheet._worksheet_path)  # type: ignore[attr-defined]  # not in the stubs
        found = list(islice(MERGED.finditer(part, max(part.rfind(b"<mergeCells"), 0)), MOST_MERGED))
        return [
            (_column(match[1]), int(match[2]), min(int(match[3]), MOST_ROWS * 2))
            for match in found
            if int(match[2]) < int(match[3])
        ]
    return []


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number - 1


def read_workbook(data: bytes) -> dict[str, list[SheetRow]]:
    """Return the rows of every sheet that is shown and holds something, by its title."""
    found: dict[str, list[SheetRow]] = {}
    cells = 0
    with _opened(data) as book:
        for sheet in [sheet for sheet in book.worksheets if sheet.sheet_state == "visible"][:MOST_SHEETS]:
            sheet.reset_dimensions()
            rows = []
            for number, values in enumerate(sheet.iter_rows(values_only=True), start=1):
                texts = tuple(_text(value) for value in values)
                cells += len(texts)
                if cells > MOST_CELLS:
                    raise SheetError(f"This workbook has too many cells; maximum {MOST_CELLS:,}.")
                if any(texts):
                    rows.append(SheetRow(number, texts))
            found[sheet.title] = rows
    return found


@contextmanager
def _opened(data: bytes) -> Iterator[Workbook]:
    refuse_bomb(data)
    sys.modules.setdefault("lxml", None)  # type: ignore[arg-type]  # its parser is not the defused one
    from openpyxl import load_workbook  # noqa: PLC0415  after the line above
    from openpyxl.utils.exceptions import InvalidFileException  # noqa: PLC0415  so must this

    try:
        yield load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
    except (SheetError, MemoryError):
        raise
    except (InvalidFileException, zipfile.BadZipFile, ParseError, ValueError, KeyError, TypeError, EOFError, OSError):
        raise SheetError("This spreadsheet cannot be read. Save it as .xlsx or CSV and try again.") from None


def refuse_bomb(data: bytes) -> None:
    """Refuse an archive that would unpack to far more than a list of guests; zipfile unpacks no more than declared."""
    try:
        parts = zipfile.ZipFile(io.BytesIO(data)).infolist()
    except (zipfile.BadZipFile, ValueError, OSError):
        raise SheetError("This spreadsheet cannot be read: the file is damaged.") from None
    _refuse_other_programs({part.filename for part in parts})
    unpacked = sum(part.file_size for part in parts)
    if unpacked > MOST_UNPACKED or len(parts) > MOST_PARTS:
        raise SheetError(
            f"This file unpacks to {unpacked / 2**20:,.0f} MiB in {len(parts):,} parts; "
            f"maximum {MOST_UNPACKED >> 20} MiB. Copy the guests into a new spreadsheet and try again."
        )


def _refuse_other_programs(names: set[str]) -> None:
    """Say how to get a file that can be read out of programs whose own files cannot."""
    if any(name.endswith(".iwa") or name == "Index.zip" for name in names):
        raise SheetError(
            "This is a Numbers file. In Numbers, choose File → Export To → Excel or CSV, and send that file."
        )
    if "word/document.xml" in names:
        raise SheetError("This is a Word document. Copy its table or its lines, and paste them instead.")
    if "content.xml" in names and "mimetype" in names:
        raise SheetError("This is an OpenDocument file. Save it as .xlsx or CSV and try again.")


def _texts(rows: Iterator[tuple[object, ...]]) -> Iterator[tuple[int, list[str]]]:
    for number, values in enumerate(rows, start=1):
        if not any(value is not None for value in values):
            continue
        if number > MOST_ROWS * 2 or any(value is not None for value in values[MOST_COLUMNS:]):
            column = max(place for place, value in enumerate(values, start=1) if value is not None)
            raise SheetError(
                f"Row {number:,}, column {column:,} has content; "
                f"maximum {MOST_ROWS - 1:,} rows and {MOST_COLUMNS} columns."
            )
        yield number, [_text(value) for value in values[:MOST_COLUMNS]]


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    return str(value)
