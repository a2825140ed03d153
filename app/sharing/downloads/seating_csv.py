"""Who sits where as rows, for mail merge."""

from __future__ import annotations

from collections.abc import Iterator

from app.sharing.printing.seating import PrintedPlan


def seating_rows(plan: PrintedPlan) -> Iterator[list[str]]:
    """Return the headings and a row for each guest, in several rounds with a table for each; diets are for editors."""
    diet = ["Diet"] if plan.shows_diets else []
    rounds = sorted({number for guest in plan.guests for number, _ in guest.route})
    headings = [f"Round {number}" for number in rounds] or ["Table", "Seat"]
    yield ["Guest", *headings, "Household", "Child", *diet]
    for guest in plan.guests:
        about = [guest.diet] if plan.shows_diets else []
        route = dict(guest.route)
        places = [route.get(number, "") for number in rounds] or [guest.table, str(guest.seat)]
        yield [guest.name, *places, guest.household, "yes" if guest.child else "", *about]
