"""Guests and tables whose names have characters for which no font is installed."""

from __future__ import annotations

from collections.abc import Sequence

from app.sharing.printing.seating import PrintedPlan


def names_with(plan: PrintedPlan, missing: Sequence[str]) -> list[str]:
    """Return the names that cannot be printed as they are written, each once, in the order of the plan."""
    characters = {character for text in missing for character in text if not character.isspace()}
    names = [plan.event_name]
    names += [name for guest in plan.guests for name in (guest.name, guest.table, guest.diet)]
    names += [item.shown_text for item in plan.floor.floor.items] if plan.floor else []
    return [name for name in dict.fromkeys(names) if characters.intersection(name)]
