"""Reading uploaded sheets and pictures in a process of their own: the server answers others and outlives every file."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from app.files.event_file import read_event_file
from app.files.event_parts import EventFile
from app.files.file_process import run_on_file
from app.files.images import LONGEST_SIDE, MOST_BYTES, EncodedImage, ImageError
from app.files.sheet_limits import ListSheet, SheetError, SheetRow

WHOLE, EVENT = "--whole", "--event"
TOO_SLOW = "This file takes too long to read. Save it as CSV, or split it."
TOO_MUCH_PICTURE = "This image takes too much time or memory to read. Make it smaller and try again."
TOO_MUCH = "This file takes too much time or memory to read. Save it as CSV, or split it."


async def read_uploaded_list(data: bytes) -> list[ListSheet]:
    """Return the sheets of a file of guests: CSV, XLSX or vCard; or raise a SheetError."""
    answer = await _read(data)
    return [
        ListSheet(one["title"], _rows(one["rows"]), [(a, b, c) for a, b, c in one["merged"]], one["are_cards"])
        for one in answer["sheets"]
    ]


async def read_uploaded_workbook(data: bytes) -> dict[str, list[SheetRow]]:
    """Return the rows of all sheets of an XLSX file by their titles, or raise a SheetError."""
    return {title: _rows(rows) for title, rows in (await _read(data, WHOLE))["sheets"].items()}


async def read_uploaded_event(data: bytes) -> EventFile:
    """Return the event of a JSON file, or raise a SheetError that says what is wrong with it and where."""
    await _read(data, EVENT)  # what a hostile file can take is limited there; only a good one is read here, too
    return await asyncio.to_thread(read_event_file, data)


def _rows(rows: list[tuple[int, list[str]]]) -> list[SheetRow]:
    return [SheetRow(number, tuple(cells)) for number, cells in rows]


async def read_picture(data: bytes, longest: int = LONGEST_SIDE, most_bytes: int = MOST_BYTES) -> EncodedImage:
    """Return an uploaded PNG or JPEG written again, or raise an ImageError that says what is wrong with it.

    Its longer side has up to `longest` pixels; where it would have more bytes than `most_bytes`, it becomes a JPEG.
    """
    try:
        answered = await run_on_file("app.files.parse_image", data, str(longest), str(most_bytes))
    except TimeoutError:
        answered = None
    if answered is None:
        raise ImageError(TOO_MUCH_PICTURE)
    line, _, picture = answered.partition(b"\n")
    head: dict[str, Any] = json.loads(line)
    if "error" in head:
        raise ImageError(head["error"])
    return EncodedImage(head["media_type"], head["width"], head["height"], picture)


async def _read(data: bytes, *flags: str) -> dict[str, Any]:
    try:
        answered = await run_on_file("app.files.parse_upload", data, *flags, more={"OPENPYXL_LXML": "False"})
    except TimeoutError:
        raise SheetError(TOO_SLOW) from None
    if answered is None:
        raise SheetError(TOO_MUCH)
    answer: dict[str, Any] = await asyncio.to_thread(json.loads, answered)
    if "error" in answer:
        raise SheetError(*answer.get("errors", [answer["error"]]))
    return answer
