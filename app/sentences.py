"""Counts and lists as parts of a sentence."""

from __future__ import annotations

from collections.abc import Sequence


def count(number: int, one: str, many: str | None = None) -> str:
    """Write a number with its word: 1 guest, 22 guests."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def list_in_words(items: Sequence[str], joint: str = "and") -> str:
    """Write a list: a, b and c."""
    return f" {joint} ".join(filter(None, [", ".join(items[:-1]), *items[-1:]]))
