"""Reading uploaded sheets in a process of its own, so that the server answers others and outlives every file."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from typing import Any

from app.files.sheet_limits import SheetError, SheetRow

SECONDS = 60
WHOLE = "--whole"
TOO_SLOW = "This file takes too long to read. Save it as CSV, or split it."
TOO_MUCH = "This file takes too much time or memory to read. Save it as CSV, or split it."


async def read_upload(data: bytes) -> list[SheetRow]:
    """Return the rows of a CSV or XLSX file, or raise a SheetError that says what is wrong with it."""
    return _rows((await _read(data))["rows"])


async def read_uploaded_workbook(data: bytes) -> dict[str, list[SheetRow]]:
    """Return the rows of all sheets of an XLSX file by their titles, or raise a SheetError."""
    return {title: _rows(rows) for title, rows in (await _read(data, WHOLE))["sheets"].items()}


def _rows(rows: list[tuple[int, list[str]]]) -> list[SheetRow]:
    return [SheetRow(number, tuple(cells)) for number, cells in rows]


async def _read(data: bytes, *flags: str) -> dict[str, Any]:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-P", "-m", "app.files.parse_upload", *flags),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=_environment(),
    )
    try:
        async with asyncio.timeout(SECONDS):
            answered, _ = await process.communicate(data)
    except TimeoutError:
        raise SheetError(TOO_SLOW) from None
    finally:
        if process.returncode is None:  # too slow, or the client has gone
            process.kill()
            await asyncio.shield(process.wait())
    if process.returncode or not answered:
        raise SheetError(TOO_MUCH)
    answer: dict[str, Any] = await asyncio.to_thread(json.loads, answered)
    if "error" in answer:
        raise SheetError(answer["error"])
    return answer


def _environment() -> dict[str, str]:
    # Nothing of the server's secrets is needed there.
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CONVIVE_")}
    return {**kept, "OPENPYXL_LXML": "False"}
