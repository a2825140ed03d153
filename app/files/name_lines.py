"""Lists of names alone, whose commas divide no columns: “Last, First” on each line, or all names on one line."""

from __future__ import annotations

import re
from collections.abc import Sequence

from app.files.guest_lists.headings import UNUSED, read_heading
from app.files.guest_lists.vocabulary import DIET_WORDS, GROUP_WORDS, REPLY_OF, plain
from app.files.sheet_limits import MOST_ROWS
from app.files.text_rows import TextRow

NAME = re.compile(r"[^\W\d_][^\d_@:/\"<>=]{0,79}")
MOST_WORDS = 5
MOST_COMMAS = 2 * MOST_ROWS  # more of them than names alone can have


def read_names(rows: Sequence[TextRow]) -> list[tuple[int, list[str]]] | None:
    """Return the rows with the cell that each makes, or None where the commas may divide columns."""
    lines = [row.text.strip() for row in rows]
    if not lines or len(lines) > MOST_ROWS or sum(line.count(",") for line in lines) > MOST_COMMAS:
        return None
    if len(lines) == 1 and lines[0].count(",") >= 2:
        names = [name.strip() for name in lines[0].split(",") if name.strip()]
        return [(rows[0].number, [name]) for name in names] if all(map(_is_name, names)) else None
    if not all(_is_name(part) for line in lines for part in line.split(",")) or not _are_last_first(lines):
        return None
    return [(row.number, [line]) for row, line in zip(rows, lines, strict=True)]


def _is_name(text: str) -> bool:
    name = text.strip()
    if not NAME.fullmatch(name) or len(name.split()) > MOST_WORDS:
        return False
    word = plain(name)
    is_heading = all(field and field != UNUSED for field in read_heading(name))  # “Land” may be a last name
    return not (is_heading or word in REPLY_OF or word in DIET_WORDS or word in GROUP_WORDS)


def _are_last_first(lines: list[str]) -> bool:
    """Return whether lines are as “Virtanen, Aino”: a space after the comma, a short name first, then many others."""
    split = [line.split(", ") for line in lines if "," in line]
    if len(split) * 2 <= len(lines) or any(len(parts) != 2 or "," in "".join(parts) for parts in split):
        return False
    is_short = sum(" " not in last for last, _ in split) * 2 > len(split)
    return is_short and (len(split) == 1 or len({first for _, first in split}) * 2 > len(split))
