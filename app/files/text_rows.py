"""The one reader of CSV: rows of cells from text in any usual encoding, one at a time, as a matrix can have 100 MB."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain

from app.files.encodings import find_encoding
from app.files.sheet_limits import MOST_TEXT, SheetError

SEPARATORS = ("\t", ";", ",")
SPACE = " "
LOOKED_AT_LINES, LOOKED_AT_TEXT = 50, 100_000
MOST_EMPTY = 1_048_576  # lines with nothing on them: a spreadsheet has no more
EMPTY = re.compile(r"[\s,;\ufeff]*")
QUOTED = re.compile(r'"[^"]*"')


@dataclass(frozen=True)
class TextRow:
    """A row with something in it, and the number of its first line as a text editor shows it.

    `row` is its number as a spreadsheet shows it, where a cell of several lines is one row.
    """

    number: int
    text: str
    row: int = field(default=0, compare=False)


class TextRows:
    """The rows of a text that hold something; iterate once.

    Tabs, semicolons or commas separate the cells; where there are none of them, `otherwise` does.
    """

    def __init__(self, data: bytes | str, otherwise: str = ",") -> None:
        file = _open(data)
        start = file.read(LOOKED_AT_TEXT) + file.readline()
        self.separator = _find_separator(start) or otherwise
        self._lines = chain(io.StringIO(start, newline=""), file)
        start_of_cell = rf'(?:^|{re.escape(self.separator)}){"" if self.separator == SPACE else " *"}"'
        self._open_cell = re.compile(start_of_cell)
        self._closed_cell = re.compile(rf'{start_of_cell}[^"]*(?:""[^"]*)*+"')

    def __iter__(self) -> Iterator[TextRow]:
        number = empty = row = 0
        for line in self._lines:
            number, row = number + 1, row + 1
            if EMPTY.fullmatch(line):
                empty += 1
                if empty == MOST_EMPTY:
                    raise SheetError(f"Too many empty lines; maximum {MOST_EMPTY:,}. Remove them.")
                continue
            lines = self._whole_row(line, number)
            text = "".join(lines).rstrip("\r\n")
            if "\x00" in text:
                message = f"Line {number:,} is not text, so this is not a CSV file. Save it as .xlsx or CSV (UTF-8)."
                raise SheetError(message)
            yield TextRow(number, text, row)
            number += len(lines) - 1

    def cells(self, row: TextRow) -> list[str]:
        """Return the cells of a row, without quotation marks and spaces around them."""
        if '"' in row.text:
            return [cell.strip() for cell in self._split(io.StringIO(row.text, newline=""), row.number)]
        if self.separator == SPACE:
            return row.text.split()
        return [cell.strip() for cell in row.text.split(self.separator)]

    def _whole_row(self, line: str, number: int) -> list[str]:
        """Return the line, and those below it over which a quoted cell goes on."""
        lines = [line]
        if '"' in line and self._open_cell.search(self._closed_cell.sub("", line)):

            def and_below() -> Iterator[str]:
                yield line
                for below in self._lines:
                    lines.append(below)
                    yield below

            self._split(and_below(), number)
        return lines

    def _split(self, lines: Iterable[str], number: int) -> list[str]:
        csv.field_size_limit(MOST_TEXT)
        try:
            return next(csv.reader(lines, delimiter=self.separator, skipinitialspace=True, strict=True))
        except csv.Error as error:
            if "end of data" in str(error):
                message = f"Line {number:,}: a quotation mark is never closed."
            elif "field larger" in str(error):
                message = f"Line {number:,} has a quoted cell that is too long."
            else:
                message = f"Line {number:,}: unexpected text after a closing quotation mark."
            raise SheetError(message) from None


def _open(data: bytes | str) -> io.TextIOBase:
    if isinstance(data, str):
        return io.StringIO(data.removeprefix("\ufeff"), newline="")
    return io.TextIOWrapper(io.BytesIO(data), encoding=find_encoding(data), newline="")


def _find_separator(text: str) -> str:
    """Return what divides the first line and most of the others, if anything does."""
    lines = [QUOTED.sub("", line) for line in text.splitlines() if line.strip()][:LOOKED_AT_LINES]
    first = [separator for separator in SEPARATORS if lines and separator in lines[0]]
    divided = {separator: sum(separator in line for line in lines) for separator in first or SEPARATORS}
    return max(divided, key=lambda separator: divided[separator]) if any(divided.values()) else ""
