"""Table sizes as one line: `4 4 5`, `8x8` (eight tables of eight), `4-6` (four to six at one table), `8x4-6`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from app.errors import FieldError, Invalid

LARGEST = 100_000  # tables, and seats at one: beyond it is a slip of the hand
LEAST = 1  # of a plain number: every table is used, and spare seats spread evenly
SEPARATORS = re.compile(r"[\s,;]+")
LOOSE_SIGNS = re.compile(r"(?<=\d)\s*([x×*–-])\s*(?=\d)", re.IGNORECASE)
SIZE = re.compile(r"(?:(?P<times>\d+)[x×*])?(?P<first>\d+)(?:[–-](?P<most>\d+))?", re.IGNORECASE | re.ASCII)
RANGE_FIRST = re.compile(r"(?P<first>\d+)[–-](?P<most>\d+)[x×*](?P<times>\d+)", re.IGNORECASE | re.ASCII)
HELP = (
    "Use sizes such as 4 4 5, counts such as 8x8 (eight tables of eight), ranges such as 4-6, or both, such as 8x0-10 "
    "(eight tables for up to ten; 0 means a table may stay empty)."
)


def parse_sizes(text: str, where: str = "sizes") -> list[tuple[int, int]]:
    """Return the least and the most seats of each table, or say which part of the line cannot be taken."""
    parts = [part for part in SEPARATORS.split(LOOSE_SIGNS.sub(r"\1", text)) if part]
    if not parts:
        raise Invalid(FieldError(where, f"Enter at least one table size. {HELP}"))
    sizes: list[tuple[int, int]] = []
    for part in parts:
        times, size = _read(part, len(sizes) + 1, where)
        if len(sizes) + times > LARGEST:
            raise Invalid(FieldError(where, f"“{part[:20]}”: too many tables; maximum {LARGEST:,}."))
        sizes += [size] * times
    return sizes


def _read(part: str, number: int, where: str) -> tuple[int, tuple[int, int]]:
    found = SIZE.fullmatch(part) or RANGE_FIRST.fullmatch(part)
    if found is None:
        raise Invalid(FieldError(where, f"“{part[:20]}” is not a table size. {HELP}"))
    times, first, most = (_number(found[name]) for name in ("times", "first", "most"))
    if first is None or max(times or 1, first, most or 0) > LARGEST:
        raise Invalid(FieldError(where, f"“{part[:20]}” is too large; maximum {LARGEST:,}."))
    if 0 in (times, first if most is None else most):
        raise Invalid(FieldError(where, f"Table {number:,}, “{part[:20]}”: a table needs at least 1 seat."))
    if most is None:
        return times or 1, (LEAST, first)
    if first > most:
        raise Invalid(
            FieldError(where, f"Table {number:,}, “{part[:20]}”: put the smaller number first, as in “{most}-{first}”.")
        )
    return times or 1, (first, most)


def _number(digits: str | None) -> int | None:
    return None if digits is None else int(digits[:12])  # longer ones are too large anyway


def write_sizes(sizes: Sequence[tuple[int, int]]) -> str:
    """Return a line that `parse_sizes` reads back: long rows of equal tables are counted."""
    words: list[str] = []
    start = 0
    while start < len(sizes):
        end = start
        while end < len(sizes) and sizes[end] == sizes[start]:
            end += 1
        word = _word(sizes[start])
        words += [f"{end - start}x{word}"] if end - start > 8 else [word] * (end - start)
        start = end
    return " ".join(words)


def _word(size: tuple[int, int]) -> str:
    least, most = size
    return f"{most}" if least == LEAST else f"{least}-{most}"
