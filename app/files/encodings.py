"""Which encoding a text is in."""

from __future__ import annotations

import codecs

CHUNK = 1 << 20
MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def guess_encoding(data: bytes) -> str:
    """Guess the encoding: by its mark, by the zero bytes of UTF-16, as UTF-8, else as Western European."""
    for mark, encoding in MARKS:
        if data.startswith(mark):
            return encoding
    start = data[:1000]
    if len(start) > 1 and start.count(0) > len(start) // 4:
        return "utf-16-le" if start[1::2].count(0) > start[::2].count(0) else "utf-16-be"
    return "utf-8" if _is_utf8(data) else "cp1252"


def _is_utf8(data: bytes) -> bool:
    if data.isascii():
        return True
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for start in range(0, len(data), CHUNK):
            decoder.decode(data[start : start + CHUNK], final=start + CHUNK >= len(data))
    except UnicodeDecodeError:
        return False
    return True
