"""CSV for spreadsheets and mail merges: UTF-8 with a mark, and no cell that a spreadsheet would take for a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from app.files.formulas import defuse


def write_csv(rows: Iterable[Sequence[str]]) -> bytes:
    """Return the rows as a file; the mark at its start tells Excel that it is UTF-8."""
    text = io.StringIO(newline="")
    csv.writer(text).writerows([defuse(cell) for cell in row] for row in rows)
    return text.getvalue().encode("utf-8-sig")
