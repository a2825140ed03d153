"""Finding a name as people type it in a hurry: any part of it, without accents and capitals.

`static/js/sharing/door/search.js` does the same in the browser.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")
LETTERS = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i"})
LETTERS |= dict.fromkeys(map(ord, "'’ʼ`"), "")  # people type oconnor


def plain(text: str) -> str:
    """Return a text without accents, capitals and signs, its words parted by single spaces."""
    marked = unicodedata.normalize("NFKD", text.casefold().translate(LETTERS))
    letters = (c for c in marked if not unicodedata.category(c).startswith("M"))
    return " ".join("".join(c if c.isalnum() else " " for c in letters).split())


def find_by_name(found: Iterable[T], text: str, name_of: Callable[[T], str]) -> list[T]:
    """Return those whose names have every word of the text; where all of them begin a part of the name, first."""
    words = plain(text).split()
    named = [(plain(name_of(one)), one) for one in found]
    fitting = [(name, one) for name, one in named if all(word in name for word in words)]
    fitting.sort(key=lambda pair: not all(f" {word}" in f" {pair[0]}" for word in words))
    return [one for _, one in fitting]
