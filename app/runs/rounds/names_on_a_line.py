"""The names on a line: commas, semicolons or tabs divide them, except in quotation marks and in a guest's own name."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import islice

CELL = re.compile(r'(?:[ \ufeff]*"([^"]*(?:""[^"]*)*+)" *(?=[\t;,]|\Z)|([^\t;,]*))(?:[\t;,]|\Z)')
QUOTED = re.compile(r'[\t;,"]')
MOST_CELLS = 4
"""Into how many cells a name may fall that nobody put in quotation marks."""


def split_names(line: str, known: Container[str]) -> list[str]:
    """Return the names on the line; “Lee, Anna” is one where a guest is called so, unless “Lee” and “Anna” both are."""
    return list(_names(line, list(_cells(line)), known))


def are_more_names(lines: Iterable[str], most: int) -> bool:
    """Say whether the lines have more names than that, whoever the guests are; it takes no look at the guests."""
    cells = (cell for line in lines for cell in _cells(line))
    return next(islice(cells, most * MOST_CELLS, None), None) is not None


def quote_name(name: str) -> str:
    """Return the name as `split_names` reads it back, whoever the other guests are."""
    return '"{}"'.format(name.replace('"', '""')) if QUOTED.search(name) else name


def _cells(line: str) -> Iterator[re.Match[str]]:
    return (cell for cell in CELL.finditer(line) if _name(cell))


def _names(line: str, cells: Sequence[re.Match[str]], known: Container[str]) -> Iterator[str]:
    at = 0
    while at < len(cells):
        here = cells[at : at + MOST_CELLS]
        joined = next((count for count in range(len(here), 1, -1) if _are_one(line, here[:count], known)), 1)
        yield _text(line, here[:joined]) if joined > 1 else _name(here[0])
        at += joined


def _are_one(line: str, cells: Sequence[re.Match[str]], known: Container[str]) -> bool:
    return _text(line, cells) in known and not all(_name(cell) in known for cell in cells)


def _text(line: str, cells: Sequence[re.Match[str]]) -> str:
    return line[cells[0].start() : max(cells[-1].end(1) + 1, cells[-1].end(2))].strip()


def _name(cell: re.Match[str]) -> str:
    return (cell[2] if cell[1] is None else cell[1].replace('""', '"')).strip()
