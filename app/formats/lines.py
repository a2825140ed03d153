"""Pasted lines: one name each."""

from __future__ import annotations

import re
from dataclasses import dataclass

LINE_END = re.compile(r"\r\n?|\n")
# A bullet, or a number with a full stop or bracket, as lists from other programs have before each name.
BULLET = re.compile(r"^\s*(?:[-–—•·*‣◦▪]\s+|•|\(?\d{1,5}[.)]\s+)")


@dataclass(frozen=True)
class Line:
    """One line with something on it, and its number as a text editor shows it."""

    number: int
    text: str


def read_lines(text: str) -> list[Line]:
    """Return the lines that are not empty, without bullets and numbering."""
    numbered = enumerate(LINE_END.split(text), start=1)
    lines = [Line(number, BULLET.sub("", line).strip()) for number, line in numbered]
    return [line for line in lines if line.text]


def has_columns(text: str) -> bool:
    """Tell whether something divides the lines, so that more than a name may stand on each."""
    return any(mark in text for mark in "\t;,")


def without_bullets(text: str) -> str:
    """Return the text with bullets and numbering off its lines, which keep their numbers."""
    return "\n".join(BULLET.sub("", line) for line in LINE_END.split(text))
