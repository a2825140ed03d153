"""Several people in one cell: “Mr & Mrs Novak”, “Anna, Ben and Mia Lee”, and who of them shares which last name."""

from __future__ import annotations

import re
from collections.abc import Sequence

MOST_IN_A_CELL = 8
AND = re.compile(r"\s?(?:&|\+)\s?|\s(?:and|und|et|och|og|ja|en)\s|(?<=[^\W\d])/(?=[^\W\d])|\s/\s", re.IGNORECASE)
AND_OR_COMMA = re.compile(rf"{AND.pattern}|,\s?(?:and\s|&\s)?", re.IGNORECASE)
ONE_NAME = re.compile(
    r"\bvon und zu\b|&\s?(?:co|sons|son$|söhne|fils|partners?|associates)\b|\b(?:ltd|llc|llp|gmbh|inc|plc)\b",
    re.IGNORECASE,
)
NAME = re.compile(r"[^\W\d_][^\d_@:<>=\"]{0,79}")
MOST_WORDS = 5
TITLES = (
    r"mr|mrs|ms|miss|mx|dr|drs|prof|professor|rev|revd|reverend|father|sir|dame|lord|lady|hon|capt|captain|col|colonel|"
    r"maj|major|lt|sgt|rabbi|imam|herr|frau|mme|mlle|monsieur|madame|señor|señora|señorita|sra|srta|sig|sig\.ra|dott\.ssa|dott|"
    r"dhr|mevr|fru"
)
# “M.”, “Sr.” and “Hr.” are titles only with the full stop.
TITLE = re.compile(rf"((?:(?:{TITLES})\b\.?|(?:m|sr|hr|fr)\.)(?:\s(?:{TITLES})\b\.?)?)(?:\s|$)", re.IGNORECASE)
PARTICLES = frozenset(
    ("van", "von", "der", "den", "de", "da", "di", "du", "del", "della", "dos", "la", "le", "el", "al")
)
PARTICLES |= {"bin", "ibn", "mac", "st", "st.", "ter", "ten", "zu", "af", "av"}
SUFFIXES = frozenset(("jr", "jr.", "sr", "sr.", "ii", "iii", "iv", "esq", "esq.", "phd", "ph.d.", "md", "m.d.", "obe"))
NO_NAMES = SUFFIXES | {"kid", "kids", "child", "children", "family", "fam", "kinder", "familie", "enfants", "famille"}
SOMEBODY = re.compile(
    r"(?:(?:his|her|their)\s)?(?:partner|guest|date|husband|wife|spouse|fianc[ée]e?|girlfriend|boyfriend)\b",
    re.IGNORECASE,
)
BABY = re.compile(r"(baby|infant|toddler)\s(?=[^\W\d_])", re.IGNORECASE)
BABY_TITLE = "baby"
"""Stands for a title, until the person is known to be a baby."""


def split_people(name: str) -> list[list[str]]:
    """Return the people of “Mr & Mrs Novak” or “Anna, Ben and Mia Lee” as title, first and last names; else nobody."""
    if ONE_NAME.search(name):
        return []
    has_two_commas = name.count(",") > 1 or (name.count(",") == 1 and AND.search(name))
    pieces = [piece.strip() for piece in (AND_OR_COMMA if has_two_commas or _are_full_names(name) else AND).split(name)]
    if not 1 < len(pieces) <= MOST_IN_A_CELL or any(
        piece.casefold() in NO_NAMES or SOMEBODY.match(piece) for piece in pieces
    ):
        return []
    parts = [_take_baby(piece) or take_title(piece) for piece in pieces]
    if not all(is_name(rest) or (title and not rest) for title, rest in parts) or not parts[-1][1]:
        return []
    if spouse := _spouse(parts):
        return spouse
    # “Rob & Liz Poe + baby Max”: the last name is that of the grown-ups.
    title, name = next((part for part in reversed(parts) if part[0] != BABY_TITLE), parts[-1])
    last = name if title and " " not in name else last_name(name)
    return [[title, rest if " " in rest or rest == last else f"{rest} {last}".strip()] for title, rest in parts]


def _spouse(parts: Sequence[tuple[str, str]]) -> list[list[str]]:
    """Return “Mr & Mrs John Smith” as John Smith and Mrs Smith, where only the husband's first name is given."""
    if len(parts) != 2 or parts[0][1] or " " not in parts[1][1] or not parts[0][0] or not parts[1][0]:
        return []
    return [[parts[0][0], parts[1][1]], [parts[1][0], last_name(parts[1][1])]]


def _are_full_names(name: str) -> bool:
    pieces = [piece.strip() for piece in name.split(",")]
    return len(pieces) == 2 and all(" " in piece and is_name(piece) for piece in pieces)


def last_name(name: str) -> str:
    """Return the last name of a full name with what belongs to it, as “van Dijk”; a single word has none."""
    words = name.split()
    if len(words) < 2:
        return ""
    end = len(words) - 1 if words[-1].casefold() in SUFFIXES and len(words) > 2 else len(words)
    start = end - 1
    while start > 1 and words[start - 1].casefold() in PARTICLES:
        start -= 1
    return " ".join(words[start:end])


def _take_baby(name: str) -> tuple[str, str] | None:
    found = BABY.match(name)
    return (BABY_TITLE, name[found.end() :]) if found else None


def take_title(name: str) -> tuple[str, str]:
    """Return the title of a name, "" for none, and the rest."""
    found = TITLE.match(name)
    return (found[1].strip(), name[found.end() :].strip()) if found else ("", name)


def called(part: Sequence[str]) -> str:
    """Return the name without its title, unless a last name alone would be left: “Mrs Novak”."""
    title, rest = part
    return rest if " " in rest or title in ("", BABY_TITLE) else f"{title} {rest}"


def is_name(text: str) -> bool:
    return bool(NAME.fullmatch(text)) and len(text.split()) <= MOST_WORDS
