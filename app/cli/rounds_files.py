"""Files for several rounds: the guests, hosts, and who met before, one reader of names with the form of the web.

Earlier meetings are a table or a pair on each line, rows `guest,guest,times`, or what `convive solve --json` printed,
with or without rounds.
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, islice

from app.files.csv_out import undefuse
from app.files.matrices.cells import MatrixError, shorten
from app.files.name_lines import read_names
from app.files.sheet_limits import MOST_ROWS, SheetError, within_limits
from app.files.text_rows import TextRow, TextRows
from app.runs.rounds.names_on_a_line import quote_name, split_names

HEADINGS = frozenset({"name", "names", "guest", "guests", "person", "people", "full name"})
JSON_STARTS = (b"{", b"[")
MOST_TIMES = 1000
ONE_TABLE = "Write all names of a table on one line, with commas between them."
SEPARATOR_NAMES = {"\t": "a tab", ";": "a semicolon", ",": "a comma"}

Meeting = tuple[str, str, int]  # two names and how often they met
Line = tuple[int, list[str]]
"""The number of a row, and the names in it."""


@dataclass(frozen=True)
class NameList:
    """A list without any number; `divided` is the first row that may be one name or several, and its separator."""

    names: Sequence[tuple[int, str]]
    divided: TextRow | None = None
    separator: str = ","


@dataclass(frozen=True)
class EarlierMeetings:
    """How often pairs of guests met, by position; `unknown` are names in the file that are not among the guests."""

    pairs: dict[tuple[int, int], int]
    unknown: tuple[str, ...] = ()


def is_list_of_names(data: bytes) -> bool:
    """Return whether a file has names alone and no numbers."""
    try:
        return _read_list(data) is not None
    except SheetError:
        return False


def parse_people(data: bytes) -> tuple[str, ...] | None:
    """Return the names of a plain list, one on each line; None if the file has numbers."""
    try:
        found = _read_list(data)
    except SheetError as error:
        raise MatrixError(str(error)) from None
    if found is None:
        return None
    if found.divided is not None:
        text = " ".join(found.divided.text.split())
        quoted = f": {quote_name(text)}" if len(text) < 40 and '"' not in text else ""
        raise MatrixError(
            f"Row {found.divided.row:,}: {shorten(text)} has {SEPARATOR_NAMES[found.separator]}. Write each guest on a "
            f"line of their own, and put a name with {SEPARATOR_NAMES[found.separator]} in quotation marks{quoted}."
        )
    first_at: dict[str, int] = {}
    for number, name in found.names:
        if name in first_at:
            raise MatrixError(f"Row {number:,}: duplicate of row {first_at[name]:,}, “{name}”.")
        first_at[name] = number
    return tuple(first_at)


def parse_hosts(data: bytes, names: Sequence[str]) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Return the guests named in the lines, one or several on each, and names that are not among the guests."""
    place = {name: position for position, name in enumerate(names)}
    if _is_json(data):
        raise MatrixError("This must be a list of names.")
    hosts = dict.fromkeys(name for _, line in _lines(data, place) for name in line)
    return tuple(place[host] for host in hosts if host in place), tuple(host for host in hosts if host not in place)


def parse_meetings(data: bytes, names: Sequence[str]) -> EarlierMeetings:
    """Return which of these guests met before, and how often."""
    place = {name: position for position, name in enumerate(names)}
    found = list(_from_json(data) if _is_json(data) else _from_lines(data, place))
    pairs: dict[tuple[int, int], int] = {}
    unknown: dict[str, None] = {}
    for first, second, times in found:
        unknown.update((name, None) for name in (first, second) if name not in place)
        if first in place and second in place and first != second:
            low, high = sorted((place[first], place[second]))
            pairs[low, high] = min(pairs.get((low, high), 0) + times, MOST_TIMES)
    if found and not pairs and unknown:
        raise MatrixError("No pair in this file matches two guests.")
    return EarlierMeetings({pair: times for pair, times in pairs.items() if times}, tuple(unknown))


def _read_list(data: bytes) -> NameList | None:
    """Return a list of names; None as soon as there is a number beside one, or a corner as a matrix has it."""
    if _is_json(data):
        return None
    rows = TextRows(data)
    lines = iter(rows)
    first = list(islice(lines, MOST_ROWS + 1))
    names = read_names(first) if rows.separator == "," else None
    if names:
        return NameList(_without_heading([(row.number, row.cells[0]) for row in within_limits(names)]))
    found: list[tuple[int, list[str]]] = []
    divided = None
    for row in chain(first, lines):
        cells = rows.cells(row)
        if not cells[0] or any(map(_is_number, cells[1:])):
            return None
        divided = divided or (row if any(cells[1:]) else None)
        found.append((row.row, [undefuse(cells[0])]))
    kept = [(row.number, row.cells[0]) for row in within_limits(found)]
    return NameList(_without_heading(kept), divided, rows.separator)


def _without_heading(rows: Sequence[tuple[int, str]]) -> Sequence[tuple[int, str]]:
    return rows[1:] if rows and rows[0][1].casefold() in HEADINGS else rows


def _is_number(cell: str) -> bool:
    try:
        float(cell.replace("−", "-").replace(",", "."))
    except ValueError:
        return False
    return True


def _is_json(data: bytes) -> bool:
    return data.lstrip()[:1] in JSON_STARTS


def _lines(data: bytes, known: Container[str]) -> Iterator[Line]:
    """Yield the names of each row, as the form of the web reads them; a heading is left out."""
    try:
        for at, row in enumerate(TextRows(data)):
            names = [undefuse(name) for name in split_names(row.text, known)]
            if at or names[0].casefold() not in HEADINGS or names[0] in known:
                yield row.row, names
    except SheetError as error:
        raise MatrixError(str(error)) from None


def _from_lines(data: bytes, known: Container[str]) -> Iterator[Meeting]:
    for number, names in _lines(data, known):
        if _has_times(names, known):
            first, second, times = names
            if int(times) > MOST_TIMES:
                raise MatrixError(f"Row {number:,}: how often they met must be a number to {MOST_TIMES:,}.")
            yield first, second, int(times)
            continue
        table = list(dict.fromkeys(names))
        if len(table) == 1:
            raise MatrixError(f"Row {number:,}: {shorten(table[0])} is alone. {ONE_TABLE}")
        for first, second in combinations(table, 2):
            yield first, second, 1


def _has_times(names: Sequence[str], known: Container[str]) -> bool:
    """Return whether these are two guests and how often they met, and not three guests, who may have numbers, too."""
    if len(names) != 3 or not (names[2].isascii() and names[2].isdigit() and len(names[2]) < 10):
        return False
    return names[2] not in known or names[2] in names[:2]


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
