"""A plan in a file: what `convive solve --json` prints, or rows “guest,table” with tables counted from 1."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.files.matrices.cells import MatrixError
from app.files.sheet_limits import SheetError
from app.files.sheets import read_csv

Pair = tuple[str, int, str]  # a guest, their table counted from 0, and where that stands


@dataclass(frozen=True)
class Seating:
    """The table of every guest, counted from 0; −1 for guests who are not in the file.

    `unknown` are the names in the file that are not among the guests: perhaps they are not coming any more.
    """

    tables: tuple[int, ...]
    unknown: tuple[str, ...] = ()


def parse_seating(data: bytes, names: Sequence[str], table_count: int) -> Seating:
    """Return where the guests sit; tables beyond the last are left out."""
    try:
        pairs = list(_from_json(data) if data.lstrip()[:1] in (b"{", b"[") else _from_rows(data))
    except SheetError as error:
        raise MatrixError(str(error)) from None
    places = dict.fromkeys(names, -1)
    seen: set[str] = set()
    for name, table, where in pairs:
        if name in seen:
            raise MatrixError(f"{where}: {name} already has a seat.")
        seen.add(name)
        if name in places and table < table_count:
            places[name] = table
    if not seen.intersection(places):
        raise MatrixError("No name in this plan matches a guest.")
    return Seating(
        tuple(places.values()), tuple(name for name in dict.fromkeys(name for name, *_ in pairs) if name not in places)
    )


def _from_json(data: bytes) -> Iterator[Pair]:
    try:
        read = json.loads(data)
    except (ValueError, RecursionError):
        raise MatrixError("This is not valid JSON.") from None
    tables = read.get("tables") if isinstance(read, dict) else read
    if not isinstance(tables, list) or not all(isinstance(table, list) for table in tables):
        raise MatrixError("“tables” is required: a list of tables, each a list of names.")
    for number, table in enumerate(tables):
        for name in table:
            if not isinstance(name, str | int):
                raise MatrixError(f"Table {number + 1}: each guest must be a name.")
            yield str(name), number, f"Table {number + 1}"


def _from_rows(data: bytes) -> Iterator[Pair]:
    for row in read_csv(data):
        name, table = (*row.cells, "", "")[:2]
        if row.number == 1 and not table.strip().isdigit():
            continue  # a heading
        if not (table.strip().isascii() and table.strip().isdigit() and int(table) > 0):
            raise MatrixError(f"Row {row.number:,}: the table must be a number from 1, not “{table}”.")
        yield name.strip(), int(table) - 1, f"Row {row.number:,}"
