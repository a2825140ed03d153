"""When two names may well be the same person: accents, order and commas do not count."""

from __future__ import annotations

import re
import unicodedata

LETTERS = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i"})
WORDS = re.compile(r"[^\W_]+")


class _Bare(dict[int, str | int | None]):
    """What each character becomes: nothing for an accent, else itself or a plainer letter; learnt as they come."""

    def __missing__(self, code: int) -> str | int | None:
        bare = None if unicodedata.combining(chr(code)) else LETTERS.get(code, code)
        self[code] = bare
        return bare


_bare = _Bare()


def likeness(name: str) -> str:
    """Return what two likely namesakes share: the parts of the name without accents, in one order.

    “Mäkelä, Aino”, “Makela Aino” and “Aino Mäkelä” have the same.
    """
    plain = name.lower() if name.isascii() else unicodedata.normalize("NFKD", name).casefold().translate(_bare)
    return " ".join(sorted(WORDS.findall(plain))) or plain
