"""A sheet of text cells from CSV in any usual encoding and separator, or from XLSX, within limits.

It loads nothing large: uploads are read by it in a process of their own.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator

from app.files.encodings import guess_encoding
from app.files.formulas import undefuse
from app.files.name_lines import read_names
from app.files.sheet_limits import MOST_TEXT, SheetError, SheetRow, within_limits

ZIP_START = b"PK\x03\x04"
OLD_EXCEL_START = b"\xd0\xcf\x11\xe0"
SEPARATORS = ("\t", ";", ",")
LOOKED_AT = 50
QUOTED = re.compile(r'"[^"]*"')


def read_sheet(data: bytes) -> list[SheetRow]:
    """Return the rows of a file, whichever of the two it is."""
    if data.startswith(ZIP_START):
        from app.files.xlsx import read_xlsx  # noqa: PLC0415  a text needs none of it

        return read_xlsx(data)
    if data.startswith(OLD_EXCEL_START):
        raise SheetError("This is an old Excel file. Save it as .xlsx or CSV and try again.")
    return read_list(data)


def read_list(data: bytes | str) -> list[SheetRow]:
    """Return the rows of a text; where it is a list of names alone, a comma divides no columns."""
    text = _as_text(data)
    names = read_names(text) if find_separator(text) == "," else None
    return within_limits(names) if names else read_csv(text)


def read_csv(data: bytes | str) -> list[SheetRow]:
    """Return the rows of a text that tabs, semicolons or commas divide."""
    text = _as_text(data)
    return within_limits(_split(text, find_separator(text)))


def find_separator(text: str) -> str:
    """Return what divides the first line and most of the others; a comma if nothing does."""
    lines = [QUOTED.sub("", line) for line in text[:100_000].splitlines()[:LOOKED_AT] if line.strip()]
    first = [separator for separator in SEPARATORS if lines and separator in lines[0]]
    divided = {separator: sum(separator in line for line in lines) for separator in first or SEPARATORS}
    return max(divided, key=lambda separator: divided[separator]) if any(divided.values()) else ","


def _as_text(data: bytes | str) -> str:
    text = data.removeprefix("\ufeff") if isinstance(data, str) else _decoded(data)
    if "\x00" in text:
        line = text.count("\n", 0, text.index("\x00")) + 1
        raise SheetError(f"Line {line:,} contains a NUL byte. Save the file as CSV (UTF-8) and try again.")
    return text


def _decoded(data: bytes) -> str:
    encoding = guess_encoding(data)
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        if encoding == "cp1252":  # five of its bytes mean nothing; the old Latin-1 lets them pass
            return data.decode("latin-1")
        message = f"This is not a text file: byte {error.start + 1:,} cannot be read as {encoding.upper()}."
        raise SheetError(message) from None


def _split(text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    csv.field_size_limit(MOST_TEXT)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, skipinitialspace=True, strict=True)
    line = 1
    try:
        for cells in reader:
            yield line, [undefuse(cell.strip()) for cell in cells]
            line = reader.line_num + 1
    except csv.Error as error:
        if "end of data" in str(error):
            message = f"Line {line:,}: a quotation mark is never closed."
        else:
            message = f"Line {line:,}: unexpected text after a closing quotation mark."
        raise SheetError(message) from None
