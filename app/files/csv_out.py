"""CSV for spreadsheets and mail merges: UTF-8 with a mark, and no cell that a spreadsheet would take for a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def write_csv(rows: Iterable[Sequence[str]]) -> bytes:
    """Return the rows as a file; the mark at its start tells Excel that it is UTF-8."""
    text = io.StringIO(newline="")
    csv.writer(text).writerows([defused(cell) for cell in row] for row in rows)
    return text.getvalue().encode("utf-8-sig")


def defused(cell: str) -> str:
    """Return the cell with an apostrophe before what would start a formula."""
    return f"'{cell}" if cell.startswith(FORMULA_STARTS) else cell
