"""Which encoding a text is in."""

from __future__ import annotations

import codecs

from app.files.sheet_limits import SheetError

CHUNK = 1 << 20
BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
UNDEFINED_IN_CP1252 = b"\x81\x8d\x8f\x90\x9d"


def find_encoding(data: bytes) -> str:
    """Return the encoding: by its byte order mark or the zero bytes of UTF-16, as UTF-8, else Western European."""
    sure = next((encoding for mark, encoding in BYTE_ORDER_MARKS if data.startswith(mark)), "") or _utf16(data[:1000])
    wrong = None if data.isascii() else _first_wrong_byte(data, sure or "utf-8")
    if wrong is None:
        return sure or "utf-8"
    if sure:
        raise SheetError(f"This is not a text file: byte {wrong + 1:,} cannot be read as {sure.upper()}.")
    return "latin-1" if any(byte in data for byte in UNDEFINED_IN_CP1252) else "cp1252"


def _utf16(start: bytes) -> str:
    if len(start) < 2 or start.count(0) <= len(start) // 4:
        return ""
    return "utf-16-le" if start[1::2].count(0) > start[::2].count(0) else "utf-16-be"


def _first_wrong_byte(data: bytes, encoding: str) -> int | None:
    decoder = codecs.getincrementaldecoder(encoding)()
    for start in range(0, len(data), CHUNK):
        waiting = len(decoder.getstate()[0])
        try:
            decoder.decode(data[start : start + CHUNK], final=start + CHUNK >= len(data))
        except UnicodeDecodeError as error:
            return start - waiting + error.start
    return None
