"""Names in the order in which readers of a language expect them.

Accents count only between names that are else the same, except for letters that a language has at a place of their own:
Å, Ä and Ö come after Z in Swedish and Finnish, and with A and O in German. Other scripts go by their code points.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import NamedTuple

from app.db.models.guests import PART_LENGTH

LETTERS = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i"})
# After which letter those of its own come in each language; the first language in a group of them stands for all.
OWN_LETTERS: dict[str, dict[str, str]] = {
    "sv fi": {"z": "åäö"},
    "da nb nn no": {"z": "æøå"},
    "is": {"a": "á", "d": "ð", "e": "é", "i": "í", "o": "ó", "u": "ú", "y": "ý", "z": "þæö"},
    "et": {"s": "š", "w": "õäöü"},
    "es gl": {"n": "ñ"},
    "pl": {"a": "ą", "c": "ć", "e": "ę", "l": "ł", "n": "ń", "o": "ó", "s": "ś", "z": "źż"},
    "cs sk": {"c": "č", "r": "ř", "s": "š", "z": "ž"},
    "hr bs sr sl": {"c": "čć", "d": "đ", "s": "š", "z": "ž"},
    "hu": {"o": "ö", "u": "ü"},
    "tr az": {"c": "ç", "g": "ğ", "h": "ı", "o": "ö", "s": "ş", "u": "ü"},
    "ro": {"a": "ăâ", "i": "î", "s": "ș", "t": "ț"},
    "lt lv": {"c": "č", "s": "š", "z": "ž"},
}
INITIAL = re.compile(r"[^\W\d_]{1,2}\.")
Key = tuple[tuple[tuple[str, int], ...], str, str]


def language_of(accepted: str) -> str:
    """Return the first language of an Accept-Language header, such as “sv”."""
    return accepted.partition(",")[0].partition(";")[0].partition("-")[0].strip().lower()


def sorting_language(language: str) -> str:
    """Return one language for all that sort alike, nothing for those without letters at places of their own."""
    return next((names.split()[0] for names in OWN_LETTERS if language in names.split()), "")


def sort_key(name: str, language: str = "") -> Key:
    """Return what sorts names: by letters, then by accents, then as written."""
    own = _own_letters(language)
    primary: list[tuple[str, int]] = []
    accents: list[str] = []
    for letter in unicodedata.normalize("NFC", name).casefold():
        if letter in own:
            primary.append(own[letter])
            continue
        for part in unicodedata.normalize("NFKD", letter.translate(LETTERS)):
            if unicodedata.combining(part):
                accents.append(part)
            elif part.isalnum() or part.isspace():
                primary.append((part, 0))
    return tuple(primary), "".join(accents), name


def last_name_first(name: str, last: str = "") -> str:
    """Return the name as a list by last names has it: “Virtanen Aino”; brackets and an initial stay behind.

    `last` is the last name where it was entered: “van der Berg Anna”. Without it the last word counts.
    """
    words = name.split()
    known = last.split()
    place = next((n for n in range(len(words) - len(known), -1, -1) if words[n : n + len(known)] == known), -1)
    if known and place >= 0:
        return " ".join([*known, *words[:place], *words[place + len(known) :]])
    if "," in name:
        return name.replace(",", " ")
    end = next((n for n in range(1, len(words)) if words[n].startswith("(")), len(words))
    while end > 1 and INITIAL.fullmatch(words[end - 1]):
        end -= 1
    return " ".join([*words[end - 1 : end], *words[: end - 1], *words[end:]])


class Names(NamedTuple):
    """What a guest is called, and the parts of it where they were entered."""

    name: str
    first: str
    last: str

    @property
    def is_joined(self) -> bool:
        """Whether the name is what its parts make."""
        return bool(self.first or self.last) and self.name == join_name(self.first, self.last)


def join_name(first: str, last: str) -> str:
    return f"{first} {last}".strip()


def name_following(stored: Names, entered: Names) -> str:
    """Return the name: where it was what the parts made and only the parts change, it changes with them."""
    is_same = entered.name == stored.name and entered[1:] != stored[1:]
    return (join_name(entered.first, entered.last) or entered.name) if is_same and stored.is_joined else entered.name


def parts_following(stored: Names, entered: Names) -> tuple[str, str]:
    """Return first and last name: where the name was made of them and only the name changes, they change with it.

    “Anna Smith” who becomes “Anna Jones” has the last name Jones. Parts that the new name does not begin or end with
    are not kept: nobody could find the guest by them.
    """
    if not stored.is_joined or entered.name == stored.name or entered[1:] != stored[1:]:
        return entered.first, entered.last
    if stored.first and entered.name.startswith(f"{stored.first} "):
        return stored.first, entered.name.removeprefix(f"{stored.first} ")[:PART_LENGTH].strip()
    if stored.last and entered.name.endswith(f" {stored.last}"):
        return entered.name.removesuffix(f" {stored.last}")[:PART_LENGTH].strip(), stored.last
    return "", ""


@cache
def _own_letters(language: str) -> dict[str, tuple[str, int]]:
    found = next((letters for names, letters in OWN_LETTERS.items() if language in names.split()), {})
    return {letter: (base, place) for base, row in found.items() for place, letter in enumerate(row, start=1)}
