"""The text of a name beside its seat: on one line, or first names above the last name."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from app.bounded_cache import emptied_when_erased
from app.web.html.text_metrics import shorten, width

NAME_SIZE, SMALL_SIZE = 12.0, 10.0
LONGEST = 64
"""Letters of a name that are drawn; no name that people have is cut."""
SHORT_WIDTH = 44.0  # a name that takes no more is not worth two lines
UNEVEN = 1.7  # lines of a name may differ that much in length before it is broken elsewhere
PARTICLES = (
    *("af", "al", "av", "bin", "bint", "da", "de", "degli", "dei", "del", "della", "den", "der", "di", "do", "dos"),
    *("du", "el", "ibn", "la", "le", "mac", "mc", "san", "st", "ten", "ter", "van", "vom", "von", "zu", "zum", "zur"),
)


class LabelText(NamedTuple):
    """The lines of a name in one size of type, and the room that they take."""

    lines: tuple[str, ...]
    size: float
    width: float

    @property
    def line_height(self) -> float:
        """From one line to the next."""
        return self.size * 1.08

    @property
    def height(self) -> float:
        """From the top of the first line to the bottom of the last."""
        return self.line_height * len(self.lines) + 1.0


@emptied_when_erased
@lru_cache(maxsize=8192)
def texts_of(name: str) -> tuple[LabelText, ...]:
    """Return the ways to write a name, the one that reads best first."""
    name = " ".join(shorten(name, LONGEST).split())
    one, broken = (name,), split_name(name)
    ways = [(broken, NAME_SIZE), (one, NAME_SIZE), (broken, SMALL_SIZE), (one, SMALL_SIZE)]
    texts = [LabelText(lines, size, max(width(line, size) for line in lines)) for lines, size in ways]
    if texts[1].width <= SHORT_WIDTH or len(broken) == 1:
        texts = [texts[1], texts[3]]
    return tuple(texts)


def split_name(name: str) -> tuple[str, ...]:
    """Return first names and last name; where these lines were too uneven, two lines as even as words allow."""
    words = name.split(" ")
    cuts = [(" ".join(words[:cut]), " ".join(words[cut:])) for cut in range(1, len(words))]
    if not cuts:
        return (name,)
    last = len(words) - 1
    while last > 1 and words[last - 1].lower() in PARTICLES:
        last -= 1
    usual, even = cuts[last - 1], min(cuts, key=_longest)
    return usual if _longest(usual) <= max(UNEVEN * _longest(even), SHORT_WIDTH) else even


def _longest(lines: tuple[str, ...]) -> float:
    return max(width(line, NAME_SIZE) for line in lines)
