"""Files of guests as sheets: those of a workbook, a text as one, contacts as one."""

from __future__ import annotations

import codecs

from app.files import sheets, vcards
from app.files.guest_lists.pasted_lines import without_bullets
from app.files.sheet_limits import ListSheet


def read_sheets(data: bytes) -> list[ListSheet]:
    """Return the sheets of a file that hold something, or raise SheetError."""
    if vcards.is_vcard(data):
        return [ListSheet("", vcards.read_vcards(data), are_cards=True)]
    if not data.startswith(sheets.ZIP_START):
        return [ListSheet("", sheets.read_sheet(data))]
    from app.files.xlsx import read_list_sheets  # noqa: PLC0415  a text needs none of it

    return read_list_sheets(data)


def read_pasted(text: str) -> list[ListSheet]:
    """Return pasted cells, lines or contacts as a sheet, or raise SheetError."""
    if vcards.is_vcard(text[:200].encode(errors="replace")):
        return read_sheets(text.encode(errors="replace"))
    return [ListSheet("", sheets.read_list(without_bullets(text)))]


def pasted_bytes(text: str) -> bytes:
    """Return what was pasted as a file, for the process that reads files."""
    is_vcard = vcards.is_vcard(text[:200].encode(errors="replace"))
    return codecs.BOM_UTF8 + (text if is_vcard else without_bullets(text)).encode(errors="replace")
