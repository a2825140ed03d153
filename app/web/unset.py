"""The mark for an argument that was left out, where None is a value of its own."""

from __future__ import annotations

from enum import Enum


class Unset(Enum):
    """One member only, so that type checkers can tell it from every value."""

    UNSET = "unset"


UNSET = Unset.UNSET
