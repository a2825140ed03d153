"""Who sits where as rows, for mail merge."""

from __future__ import annotations

from collections.abc import Iterator

from app.sharing.printing.seating import PrintedPlan


def seating_rows(plan: PrintedPlan) -> Iterator[list[str]]:
    """Return the headings and a row for each guest; diets are for editors."""
    diet = ["Diet"] if plan.shows_diets else []
    yield ["Guest", "Table", "Seat", "Household", "Child", *diet]
    for guest in plan.guests:
        about = [guest.diet] if plan.shows_diets else []
        yield [guest.name, guest.table, str(guest.seat), guest.household, "yes" if guest.child else "", *about]
