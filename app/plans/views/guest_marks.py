"""Marks of guests: children, high chairs, wheelchairs, allergies and diets, as signs on seats and words in lists."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from app.guests.entries import AGE_WORDS
from app.plans.guest_details import GuestDetails

MARKS = {
    "child": "Children",
    "high-chair": "High chairs",
    "wheelchair": "Wheelchairs",
    "allergy": "Allergies",
    "diet": "Diets",
}
"""The signs, and what the menu of marks calls them."""


class MarkCount(NamedTuple):
    """A mark, its name, and how many guests have it."""

    key: str
    label: str
    guests: int


def marks_of(guest: GuestDetails) -> tuple[str, ...]:
    """Return the marks of a guest; a high chair says that they are a child."""
    is_marked = {
        "child": guest.child and not guest.high_chair,
        "high-chair": guest.high_chair,
        "wheelchair": guest.wheelchair,
        "allergy": bool(guest.allergies),
        "diet": bool(guest.diet),
    }
    return tuple(mark for mark in MARKS if is_marked[mark])


def count_marks(guests: Iterable[GuestDetails]) -> tuple[MarkCount, ...]:
    """Return the marks that somebody has."""
    counts = Counter(mark for guest in guests for mark in marks_of(guest))
    return tuple(MarkCount(mark, words, counts[mark]) for mark, words in MARKS.items() if counts[mark])


def tags_of(guest: GuestDetails) -> tuple[str, ...]:
    """Return what a list says beside a name: who they are, what they need, and what they eat."""
    return tuple(_tags(guest))


def _tags(guest: GuestDetails) -> Iterator[str]:
    if guest.age_group != "adult":
        yield AGE_WORDS[guest.age_group]
    if guest.high_chair:
        yield "high chair"
    if guest.wheelchair:
        yield "wheelchair"
    if guest.allergies:
        yield f"no {', '.join(guest.allergies)}"
    if guest.diet:
        yield guest.diet
