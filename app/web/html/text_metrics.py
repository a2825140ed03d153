"""How wide names are in a drawing, and how they are made to fit.

The widths are estimates for a wide usual typeface. Where a machine has a wider one, fit-text.js squeezes the text.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from itertools import groupby

from app.bounded_cache import emptied_when_erased

NAME_SIZE, TITLE_SIZE, SMALL_TITLE_SIZE = 14.0, 15.0, 12.0
LONGEST_NAME = 16
LONGEST_IN_TEXT = 32
"""How much of a name stands in a sentence; a seat has less room."""
TITLE_SHARE = 1.12  # the serif of table names is bold, and so wider
JOINER, EMOJI_FORM, ELLIPSIS = "\u200d", "\ufe0f", "…"
WIDTHS = (("ijlI.,:;'’| ", 0.3), ("frt-()", 0.42), ("mwMW@%…", 0.99))


def letters(text: str) -> list[str]:
    """Split a text into what people see as one letter each: accents and joined emoji stay whole."""
    if text.isascii():
        return list(text)
    found: list[str] = []
    for character in text:
        if found and (
            _belongs_to_previous(character) or found[-1].endswith(JOINER) or _completes_flag(found[-1], character)
        ):
            found[-1] += character
        else:
            found.append(character)
    return found


def emoji_runs(text: str) -> list[tuple[str, bool]]:
    """Split a text into runs with and without emoji, so that emoji can stand upright where letters are turned."""
    if text.isascii():
        return [(text, False)]
    runs = groupby(letters(text), key=_is_emoji)
    return [("".join(run), is_emoji) for is_emoji, run in runs]


def shorten(text: str, most: int = LONGEST_NAME) -> str:
    """Return the text, cut with an ellipsis where it has more letters than `most`."""
    if len(text) <= most:
        return text
    seen = letters(text)
    return text if len(seen) <= most else "".join(seen[: most - 1]).rstrip() + ELLIPSIS


@emptied_when_erased
@lru_cache(maxsize=4096)
def initial(name: str) -> str:
    """Return the letter that stands in a seat."""
    seen = letters(name.strip())
    first = next((letter for letter in seen if letter[0].isalnum()), seen[0] if seen else "")
    return first.upper() if len(first.upper()) == len(first) else first


def initials(name: str) -> str:
    """Return the first letters of the first and the last word of a name."""
    words = [word for word in name.split() if word[0].isalnum()] or name.split()
    chosen = [words[0], words[-1]] if len(words) > 1 else words
    return "".join(word[0] for word in chosen).upper()


@emptied_when_erased
@lru_cache(maxsize=4096)
def width(text: str, size: float = NAME_SIZE) -> float:
    """Estimate the width of a text in the units of the drawing."""
    return size * sum(_letter_width(letter) for letter in letters(text))


@emptied_when_erased
@lru_cache(maxsize=1024)
def fit_title(name: str, room: float) -> tuple[tuple[str, ...], bool]:
    """Return the lines of a table's name that fit the room on its cloth, and whether they are set small."""
    if width(name, TITLE_SIZE) * TITLE_SHARE <= room:
        return (name,), False
    most = max(3, int(room / (SMALL_TITLE_SIZE * TITLE_SHARE * 0.6)))
    if _fits_small(name, room):
        return (name,), True
    words = name.split(" ")
    cuts = [(" ".join(words[:cut]), " ".join(words[cut:])) for cut in range(1, len(words))]
    if not cuts:
        return (shorten(name, most),), True
    lines = min(cuts, key=lambda pair: max(width(line) for line in pair))
    return tuple(line if _fits_small(line, room) else shorten(line, most) for line in lines), True


def _fits_small(line: str, room: float) -> bool:
    return width(line, SMALL_TITLE_SIZE) * TITLE_SHARE <= room


@lru_cache(maxsize=4096)
def _letter_width(letter: str) -> float:
    first = letter[0]
    if unicodedata.east_asian_width(first) in "WF" or ord(first) > 0x1F000:
        return 1.3 if ord(first) > 0x1F000 else 1.0
    for characters, share in WIDTHS:
        if first in characters:
            return share
    return 0.68 if first.isupper() else 0.58


def _is_emoji(letter: str) -> bool:
    return unicodedata.category(letter[0]) == "So" or EMOJI_FORM in letter


def _belongs_to_previous(character: str) -> bool:
    is_skin = 0x1F3FB <= ord(character) <= 0x1F3FF
    return is_skin or character == JOINER or unicodedata.category(character) in ("Mn", "Me", "Mc")


def _completes_flag(letter: str, character: str) -> bool:
    return len(letter) == 1 and all(0x1F1E6 <= ord(c) <= 0x1F1FF for c in (letter, character))
