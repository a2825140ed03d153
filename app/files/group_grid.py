"""How groups get along as a sheet: a square with their names, or rows of group, group and score."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.files.sheet_limits import SheetRow


@dataclass(frozen=True)
class NamedCell:
    """What stands in a cell of the sheet about two groups, by their names, and where that is."""

    place: str
    a: str
    b: str
    text: str


def read_group_grid(rows: Sequence[SheetRow]) -> list[NamedCell]:
    """Return the cells that hold something; whoever takes them says what is no group and no number."""
    cells = _square(rows) if _is_square(rows) else _list(rows)
    return [cell for cell in cells if cell.text]


def _is_square(rows: Sequence[SheetRow]) -> bool:
    return len(rows) > 1 and (not rows[0].cells[0] or rows[1].cells[0] in rows[0].cells[1:])


def _square(rows: Sequence[SheetRow]) -> Iterator[NamedCell]:
    names = rows[0].cells
    for row in rows[1:]:
        for column, text in enumerate(row.cells[1:], start=1):
            place = f"Row {row.number:,}, column {column + 1}"
            yield NamedCell(place, row.cells[0], names[column] if column < len(names) else "", text.strip())


def _list(rows: Sequence[SheetRow]) -> Iterator[NamedCell]:
    for number, row in enumerate(rows):
        a, b, text = (*row.cells, "", "", "")[:3]
        is_heading = not number and not any(letter.isdigit() for letter in text)
        if not is_heading:
            yield NamedCell(f"Row {row.number:,}", a, b, text.strip())
