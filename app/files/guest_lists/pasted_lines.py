"""Pasted lines: one name each."""

from __future__ import annotations

import re
from collections.abc import Iterator

from app.files.guest_lists.people import read_name
from app.files.sheet_limits import SheetError
from app.files.text_rows import TextRow

MOST_LINES = 20_000  # with something on them: as many guests as an event takes
LINE_END = re.compile(r"\r\n?|\n")
# A bullet, or a number with a full stop or bracket, as lists from other programs have before each name.
BULLET = re.compile(r"^\s*(?:[-–—•·*‣◦▪]\s+|•|\(?\d{1,5}[.)]\s+)")


def read_lines(text: str) -> list[TextRow]:
    """Return the lines that are not empty, without bullets and numbering, or raise SheetError at the first beyond."""
    lines: list[TextRow] = []
    for number, line in _split(text):
        name = "" if line.isspace() else BULLET.sub("", line).strip()
        if name:
            if len(lines) == MOST_LINES:
                raise SheetError(f"Line {number:,} is beyond the maximum of {MOST_LINES:,} guests.")
            lines.append(TextRow(number, name))
    return lines


def _split(text: str) -> Iterator[tuple[int, str]]:
    """Give the lines that have any character on them, with their numbers."""
    lines = (text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text).split("\n")
    return ((number, line) for number, line in enumerate(lines, start=1) if line)


def has_more_than_names(text: str) -> bool:
    """Return whether lines have more than one name each: columns, contacts, “+1”, a couple, a title."""
    if any(mark in text for mark in "\t;,") or text.lstrip()[:11].upper() == "BEGIN:VCARD":
        return True
    found: list[str] = []

    def note(kind: str, _: str) -> bool:
        found.append(kind)
        return True

    for _, line in _split(text):
        read_name(BULLET.sub("", line), note)
        if found:
            return True
    return False


def without_bullets(text: str) -> str:
    """Return the text with bullets and numbering off its lines, which keep their numbers."""
    return "\n".join(line and BULLET.sub("", line) for line in LINE_END.split(text))
