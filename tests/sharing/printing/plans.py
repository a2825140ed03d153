"""Plans to print, made without a database."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import get_args
from uuid import uuid4

from app.sharing.printing.options import DOOR_POSTER, What
from app.sharing.printing.seating import PrintedGuest, PrintedPlan

OF_PLANS: tuple[What, ...] = tuple(what for what in get_args(What) if what != DOOR_POSTER)
"""What shows a plan; the poster at the door shows a code instead."""


def printed_plan(
    names: Sequence[str], *, at_table: int = 10, diets: Sequence[str] = ("",), shows_diets: bool = True
) -> PrintedPlan:
    """Return a plan that seats these guests in order; diets repeat."""
    tables = [uuid4() for _ in range(len(names) // at_table + 1)]
    guests = tuple(
        PrintedGuest(
            uuid4(),
            name,
            tables[number // at_table],
            f"Table {number // at_table + 1}",
            number % at_table + 1,
            child=number % 7 == 6,
            household="",
            diet=diets[number % len(diets)],
        )
        for number, name in enumerate(names)
    )
    return PrintedPlan("Midsummer dinner", date(2027, 6, 19), guests, shows_diets)
