"""The five levels of a rating: the score, its name in addresses and styles, its sign and its label."""

from __future__ import annotations

from enum import IntEnum


class RatingLevel(IntEnum):
    """How well two guests get along, from the worst; a rating may lie between two levels."""

    key: str
    sign: str
    label: str

    def __new__(cls, score: int, key: str, sign: str, label: str) -> RatingLevel:
        """Make a level that is its score, with the words for it."""
        level = int.__new__(cls, score)
        level._value_ = score
        level.key, level.sign, level.label = key, sign, label
        return level

    KEEP_AWAY = -2, "m2", "−−", "keep away"
    RATHER_NOT = -1, "m1", "−", "rather not"
    NEUTRAL = 0, "0", "0", "neutral"
    GET_ALONG = 1, "p1", "+", "get along"
    CLOSE = 2, "p2", "++", "close"

    @property
    def colour(self) -> str:
        """The class of its colour in pages."""
        return f"lv-{self.key}"


LEVELS = tuple(RatingLevel)
BOUNDS = tuple(level + 0.5 for level in LEVELS[:-1])
"""Where the next level begins to be the nearest."""
