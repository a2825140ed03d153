"""Files for several rounds: a list of people, and pairs that met before.

Pairs are rows `guest,guest` or `guest,guest,times`, or what `convive solve --json` printed, with or without rounds.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from app.files.matrices.cells import MatrixError
from app.files.sheet_limits import SheetError
from app.files.sheets import read_csv, read_list

HEADINGS = frozenset({"name", "names", "guest", "guests", "person", "people", "full name"})
MOST_TIMES = 1000

Meeting = tuple[str, str, int]  # two names and how often they met


@dataclass(frozen=True)
class EarlierMeetings:
    """How often pairs of guests met, by position; `unknown` are names in the file that are not among the guests."""

    pairs: dict[tuple[int, int], int]
    unknown: tuple[str, ...] = ()


def parse_people(data: bytes) -> tuple[str, ...] | None:
    """Return the names of a plain list, one on each line; None if the file has more than names."""
    if data.lstrip()[:1] in (b"{", b"["):
        return None
    try:
        rows = [(row.number, [cell.strip() for cell in row.cells]) for row in read_list(data)]
    except SheetError as error:
        raise MatrixError(str(error)) from None
    if any(any(cells[1:]) for _, cells in rows):
        return None
    named = [(number, cells[0]) for number, cells in rows if cells and cells[0]]
    if named and named[0][1].casefold() in HEADINGS:
        del named[0]
    first_at: dict[str, int] = {}
    for number, name in named:
        if name in first_at:
            raise MatrixError(f"Row {number:,}: duplicate of row {first_at[name]:,}, “{name}”.")
        first_at[name] = number
    return tuple(first_at)


def parse_meetings(data: bytes, names: Sequence[str]) -> EarlierMeetings:
    """Return which of these guests met before, and how often."""
    try:
        found = list(_from_json(data) if data.lstrip()[:1] in (b"{", b"[") else _from_rows(data))
    except SheetError as error:
        raise MatrixError(str(error)) from None
    place = {name: position for position, name in enumerate(names)}
    pairs: dict[tuple[int, int], int] = {}
    unknown: dict[str, None] = {}
    for first, second, times in found:
        unknown.update((name, None) for name in (first, second) if name not in place)
        if first in place and second in place and first != second:
            low, high = sorted((place[first], place[second]))
            pairs[low, high] = min(pairs.get((low, high), 0) + times, MOST_TIMES)
    if found and not pairs and unknown:
        raise MatrixError("No pair in this file matches two guests.")
    return EarlierMeetings(pairs, tuple(unknown))


def _from_rows(data: bytes) -> Iterator[Meeting]:
    for row in read_csv(data):
        cells = [cell.strip() for cell in row.cells]
        first, second, times = (*cells, "", "", "")[:3]
        if not any(cells) or (row.number == 1 and first.casefold() in HEADINGS):
            continue
        if not first or not second:
            raise MatrixError(f"Row {row.number:,}: two names are needed.")
        if times and not (times.isascii() and times.isdigit() and int(times) <= MOST_TIMES):
            raise MatrixError(f"Row {row.number:,}: how often they met must be a number to {MOST_TIMES:,}.")
        if times != "0":
            yield first, second, int(times or 1)


def _from_json(data: bytes) -> Iterator[Meeting]:
    try:
        read = json.loads(data)
    except (ValueError, RecursionError):
        raise MatrixError("This is not valid JSON.") from None
    rounds = read.get("rounds", [read]) if isinstance(read, dict) else [{"tables": read}]
    for one in rounds if isinstance(rounds, list) else [None]:
        tables = one.get("tables") if isinstance(one, dict) else None
        if not isinstance(tables, list) or not all(isinstance(table, list) for table in tables):
            raise MatrixError("“tables” is required in each round: a list of tables, each a list of names.")
        for table in tables:
            for first, second in combinations(map(str, table), 2):
                yield first, second, 1
