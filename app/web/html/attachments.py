"""Names of files that people take with them."""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import quote

LONGEST = 60
UNSAFE = re.compile(
    r'[\x00-\x20\x7f-\xa0/\\:*?"<>|%.,;\'\u200e\u200f\u2028-\u202e\u2066-\u2069]+'
)  # means something to a system, a shell or the header, or turns the letters around, so that the ending looks different
NOT_PLAIN = re.compile(r"[^A-Za-z0-9]+")


def attachment(name: str, ending: str, otherwise: str) -> str:
    """Return the header for a file called after a name that somebody typed; `otherwise` where nothing of it is left."""
    stem = UNSAFE.sub("-", name)[:LONGEST].strip("-") or otherwise
    letters = unicodedata.normalize("NFKD", stem).encode("ascii", "ignore").decode()
    plain = NOT_PLAIN.sub("-", letters).strip("-") or otherwise
    full = "" if plain == stem else f"; filename*=UTF-8''{quote(f'{stem}.{ending}', safe='')}"
    return f'attachment; filename="{plain}.{ending}"{full}'
