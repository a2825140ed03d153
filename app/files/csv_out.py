"""CSV for spreadsheets and mail merges, with no cell that a spreadsheet would run as a formula."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence

CSV_TYPE = "text/csv; charset=utf-8"
UNSEEN = r"\s\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0"
"""Blanks of all kinds and characters without width: spreadsheets drop some of them before they look for a formula."""
STARTS = "=+\\-@＝＋－＠﹦﹢﹣﹫−⁼₌"
"""What begins a formula, in its usual and its wide and small forms, which spreadsheets of East Asia take as well."""
RISKY = re.compile(rf"'*[{UNSEEN}]*[{STARTS}\t\r\n]")


def write_csv(rows: Iterable[Sequence[str]]) -> bytes:
    """Return the rows as a file; the byte order mark at its start tells Excel that it is UTF-8."""
    return "".join(csv_line([defuse(cell) for cell in row]) for row in rows).encode("utf-8-sig")


def csv_line(cells: Sequence[str]) -> str:
    line = io.StringIO(newline="")
    csv.writer(line).writerow(cells)
    return line.getvalue()


def is_risky(text: str) -> bool:
    """Return whether a spreadsheet might run a text as a formula."""
    return RISKY.match(text) is not None


def defuse(text: str) -> str:
    """Put an apostrophe before a text that a spreadsheet would run, or that looks like one made harmless before."""
    return f"'{text}" if is_risky(text) else text


def undefuse(text: str) -> str:
    """Take the apostrophe of `defuse` off again."""
    return text[1:] if text.startswith("'") and is_risky(text) else text
