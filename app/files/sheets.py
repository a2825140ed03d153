"""A sheet of text cells from CSV or XLSX, within limits.

It loads nothing large: uploads are read by it in a process of their own.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable
from itertools import chain, islice

from app.files.csv_out import undefuse
from app.files.name_lines import read_names
from app.files.sheet_limits import MOST_ROWS, SheetError, SheetRow, within_limits
from app.files.text_rows import TextRow, TextRows

ZIP_START = b"PK\x03\x04"
OLD_EXCEL_START = b"\xd0\xcf\x11\xe0"


def read_sheet(data: bytes) -> list[SheetRow]:
    """Return the rows of a file, whichever of the two it is."""
    if data.startswith(ZIP_START):
        from app.files.xlsx import read_xlsx  # noqa: PLC0415  a text needs none of it

        return read_xlsx(data)
    if data.startswith(OLD_EXCEL_START):
        raise SheetError("This is an old Excel file. Save it as .xlsx or CSV and try again.")
    _refuse_documents(data)
    return read_list(data)


def _refuse_documents(data: bytes) -> None:
    """Refuse files that consist of text, and yet are not lists of rows."""
    start = data[:1000].removeprefix(codecs.BOM_UTF8).lstrip().lower()
    if start.startswith(b"%pdf-"):
        raise SheetError("This is a PDF. Save the list as .xlsx or CSV, or copy its lines and paste them instead.")
    if start.startswith((b"<!doctype html", b"<html", b"<table", b"<?xml")):
        raise SheetError("This is a web page or XML. Open it in a spreadsheet program, and save it as .xlsx or CSV.")
    if start.startswith((b"{", b"[{")):
        raise SheetError(
            "This is JSON, not a list of rows. To import a whole event, go to All events → import an event."
        )


def read_list(data: bytes | str) -> list[SheetRow]:
    """Return the rows of a text; where it is a list of names alone, a comma divides no columns."""
    rows = TextRows(data)
    lines = iter(rows)
    first = list(islice(lines, MOST_ROWS + 1))
    names = read_names(first) if rows.separator == "," else None
    return within_limits(names) if names else _split(rows, chain(first, lines))


def read_csv(data: bytes | str) -> list[SheetRow]:
    """Return the rows of a text that tabs, semicolons or commas divide."""
    rows = TextRows(data)
    return _split(rows, rows)


def _split(rows: TextRows, lines: Iterable[TextRow]) -> list[SheetRow]:
    return within_limits((row.row, [undefuse(cell) for cell in rows.cells(row)]) for row in lines)
