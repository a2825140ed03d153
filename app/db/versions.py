"""Versions of rows: how often a row was changed, in one generation of the database; each restore begins a new one.

So a version that somebody read before a restore never names what a row holds after it.
"""

from __future__ import annotations

GENERATION = 2**13
"""Numbers of one generation; a version has room for 260,000 generations, one for each hour of thirty years."""


def changes_of(version: int) -> int:
    """Return how often a row of this version was changed, whatever was restored since."""
    return version % GENERATION
