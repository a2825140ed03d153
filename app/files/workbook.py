"""Workbooks of several sheets: texts stay texts, numbers come back exactly, nothing becomes a formula or a link."""

from __future__ import annotations

import io
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from app.files.csv_out import is_risky

Value = str | float | int | None


@dataclass(frozen=True)
class Sheet:
    """A sheet with headings in its first row, and how wide its first columns are."""

    title: str
    headings: Sequence[str]
    rows: Iterable[Sequence[Value]]
    widths: Sequence[int] = (24, 24, 24)


def write_workbook(sheets: Sequence[Sheet]) -> bytes:
    """Return the sheets as XLSX."""
    from xlsxwriter import Workbook  # noqa: PLC0415  only exports need it

    file = io.BytesIO()
    plain = {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    book = Workbook(file, {"in_memory": True, **plain})
    bold, quoted = book.add_format({"bold": True}), book.add_format({"quote_prefix": True})
    for sheet in sheets:
        page = book.add_worksheet(sheet.title)
        for column, width in enumerate(sheet.widths):
            page.set_column(column, column, width)
        page.freeze_panes(1, 1)
        for column, heading in enumerate(sheet.headings):
            page.write_string(0, column, heading, bold)
        for number, row in enumerate(sheet.rows, start=1):
            for column, value in enumerate(row):
                _write(page, number, column, value, quoted)
    book.close()
    return file.getvalue()


def _write(page: Any, row: int, column: int, value: Value, quoted: Any) -> None:
    if value is None or value == "":
        return
    if isinstance(value, str):
        # A text stays one when somebody edits the cell, or saves the sheet as CSV.
        page.write_string(row, column, value, quoted if is_risky(value) else None)
    elif math.isfinite(value) and float(f"{value:.16G}") == value:
        page.write_number(row, column, value)
    else:
        page.write_string(row, column, repr(value))  # the file keeps 16 digits of a number
