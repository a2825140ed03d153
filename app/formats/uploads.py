"""Reading uploaded sheets in a process of its own, so that the server answers others and outlives every file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from typing import Any

from app.formats.sheets import SheetError, SheetRow

SECONDS = 60
WHOLE = "--whole"
_places = threading.BoundedSemaphore(2)  # so that many uploads at once do not add their memory up


def read_upload(data: bytes) -> list[SheetRow]:
    """Return the rows of a CSV or XLSX file, or raise a SheetError that says what is wrong with it."""
    return _rows(_read(data)["rows"])


def read_uploaded_workbook(data: bytes) -> dict[str, list[SheetRow]]:
    """Return the rows of all sheets of an XLSX file by their titles, or raise a SheetError."""
    return {title: _rows(rows) for title, rows in _read(data, WHOLE)["sheets"].items()}


def _rows(rows: list[tuple[int, list[str]]]) -> list[SheetRow]:
    return [SheetRow(number, tuple(cells)) for number, cells in rows]


def _read(data: bytes, *flags: str) -> dict[str, Any]:
    command = [sys.executable, "-P", "-m", "app.formats.parse_upload", *flags]
    with _places:
        try:
            done = subprocess.run(  # noqa: S603  our own command
                command, input=data, capture_output=True, timeout=SECONDS, check=False, env=_environment()
            )
        except subprocess.TimeoutExpired:
            raise SheetError("Reading this file takes too long. Send it as CSV, or in parts.") from None
    if done.returncode or not done.stdout:
        raise SheetError("This file takes more time or memory to read than it may. Send it as CSV, or in parts.")
    answer = json.loads(done.stdout)
    if "error" in answer:
        raise SheetError(answer["error"])
    return dict(answer)


def _environment() -> dict[str, str]:
    # Nothing of the server's secrets is needed there.
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CONVIVE_")}
    return {**kept, "OPENPYXL_LXML": "False"}
