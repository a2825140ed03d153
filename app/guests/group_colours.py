"""The colours of groups: given when a group is made, the least used first, and never without the name beside them."""

from __future__ import annotations

from collections import Counter
from typing import Literal, get_args
from uuid import UUID

from sqlalchemy.orm import Session

from app.errors import FieldError, Invalid
from app.guests.queries.groups import groups_of

Colour = Literal["teal", "orange", "indigo", "pink", "green", "blue", "brown", "purple", "grey", "gold"]
COLOURS: tuple[str, ...] = get_args(Colour)


def free_colours(session: Session, event_id: UUID, number: int) -> list[str]:
    """Return colours for so many new groups."""
    used = Counter(group.colour for group in groups_of(session, event_id))
    found: list[str] = []
    for _ in range(number):
        colour = min(COLOURS, key=lambda name: used[name])
        used[colour] += 1
        found.append(colour)
    return found


def clean_colour(colour: str, where: str = "colour") -> str:
    """Return the colour, or say which ones there are."""
    if colour not in COLOURS:
        raise Invalid(FieldError(where, f"The colour must be one of {', '.join(COLOURS)}."))
    return colour
