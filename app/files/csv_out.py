"""CSV for spreadsheets and mail merges, with no cell that a spreadsheet would run as a formula."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence

CSV_TYPE = "text/csv; charset=utf-8"
RISKY = re.compile(r"'*[=+\-@\t\r]")


def write_csv(rows: Iterable[Sequence[str]]) -> bytes:
    """Return the rows as a file; the byte order mark at its start tells Excel that it is UTF-8."""
    return "".join(csv_line([defuse(cell) for cell in row]) for row in rows).encode("utf-8-sig")


def csv_line(cells: Sequence[str]) -> str:
    line = io.StringIO(newline="")
    csv.writer(line).writerow(cells)
    return line.getvalue()


def defuse(text: str) -> str:
    """Put an apostrophe before a text that a spreadsheet would run, or that looks like one made harmless before."""
    return f"'{text}" if RISKY.match(text) else text


def undefuse(text: str) -> str:
    """Take the apostrophe of `defuse` off again."""
    return text[1:] if text.startswith("'") and RISKY.match(text) else text
