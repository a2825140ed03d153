"""A process that reads one upload from its stdin and writes the rows as JSON: what a hostile file can take is limited.

It is started by `app.files.uploads`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

from app.files.list_files import read_sheets
from app.files.resource_limits import limit_resources
from app.files.sheet_limits import SheetError, SheetRow

MOST_MEMORY, MOST_SECONDS = 224 << 20, 30
MOST_EVENT_MEMORY = 512 << 20
WHOLE, EVENT = "--whole", "--event"
TOO_MUCH = "This file needs too much memory to read. Save it as CSV, or split it."


def main() -> None:
    """Read, and answer with rows or with what is wrong."""
    limit_resources(MOST_EVENT_MEMORY if EVENT in sys.argv else MOST_MEMORY, MOST_SECONDS)
    for module in ("numpy", "pandas"):
        sys.modules[module] = None  # type: ignore[assignment]  # openpyxl would load it, and it is not needed
    try:
        answer = json.dumps(_read(sys.stdin.buffer.read()), ensure_ascii=False)
    except SheetError as error:
        answer = json.dumps({"error": str(error), "errors": error.errors})
    except MemoryError:
        answer = json.dumps({"error": TOO_MUCH})
    sys.stdout.buffer.write(answer.encode())


def _read(data: bytes) -> dict[str, Any]:
    if sys.argv[1:] == [EVENT]:
        return _check_event(data)
    if sys.argv[1:] != [WHOLE]:
        return {"sheets": [{**vars(sheet), "rows": _plain(sheet.rows)} for sheet in read_sheets(data)]}
    from app.files.xlsx import read_workbook  # noqa: PLC0415  a text needs none of it

    return {"sheets": {title: _plain(rows) for title, rows in read_workbook(data).items()}}


def _check_event(data: bytes) -> dict[str, Any]:
    from app.files.event_file import EventFileError, read_event_file  # noqa: PLC0415  sheets need none of it

    try:
        read_event_file(data)
    except EventFileError as error:
        raise SheetError(*error.errors) from None
    return {}


def _plain(rows: Sequence[SheetRow]) -> list[tuple[int, tuple[str, ...]]]:
    return [(row.number, row.cells) for row in rows]


if __name__ == "__main__":
    main()
