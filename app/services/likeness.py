"""When two names may well be the same person: accents, order and commas do not count."""

from __future__ import annotations

import re
import unicodedata

LETTERS = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i"})


def likeness(name: str) -> str:
    """Return what two likely namesakes share: the parts of the name without accents, in one order.

    “Mäkelä, Aino”, “Makela Aino” and “Aino Mäkelä” have the same.
    """
    letters = unicodedata.normalize("NFKD", name).casefold().translate(LETTERS)
    plain = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return " ".join(sorted(re.findall(r"[^\W_]+", plain))) or plain
