"""Pasted lines: one name each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

MOST_LINES = 20_000  # with something on them: as many guests as an event takes
LINE_END = re.compile(r"\r\n?|\n")
# A bullet, or a number with a full stop or bracket, as lists from other programs have before each name.
BULLET = re.compile(r"^\s*(?:[-–—•·*‣◦▪]\s+|•|\(?\d{1,5}[.)]\s+)")


@dataclass(frozen=True)
class Line:
    """One line with something on it, and its number as a text editor shows it."""

    number: int
    text: str


class TooManyLines(ValueError):
    """More lines have something on them than there can be guests."""


def read_lines(text: str) -> list[Line]:
    """Return the lines that are not empty, without bullets and numbering, or raise TooManyLines at the first beyond."""
    lines: list[Line] = []
    for number, line in _split(text):
        name = "" if line.isspace() else BULLET.sub("", line).strip()
        if name:
            if len(lines) == MOST_LINES:
                raise TooManyLines(f"Line {number:,} is beyond the maximum of {MOST_LINES:,} guests.")
            lines.append(Line(number, name))
    return lines


def _split(text: str) -> Iterator[tuple[int, str]]:
    """Give the lines that have any character on them, with their numbers."""
    lines = (text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text).split("\n")
    return ((number, line) for number, line in enumerate(lines, start=1) if line)


def has_columns(text: str) -> bool:
    """Tell whether something divides the lines, so that more than a name may stand on each."""
    return any(mark in text for mark in "\t;,")


def without_bullets(text: str) -> str:
    """Return the text with bullets and numbering off its lines, which keep their numbers."""
    return "\n".join(line and BULLET.sub("", line) for line in LINE_END.split(text))
