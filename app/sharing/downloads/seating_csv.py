"""Who sits where as rows, for mail merge."""

from __future__ import annotations

from collections.abc import Iterator

from app.sharing.printing.seating import PrintedPlan


def seating_rows(plan: PrintedPlan, *, households: bool = False) -> Iterator[list[str]]:
    """Return the headings and a row for each guest, in several rounds with a table for each.

    Diets and households are for editors. Households are asked for, because the file is sent on to venue and printer.
    """
    diet = ["Diet"] if plan.shows_diets else []
    rounds = sorted({number for guest in plan.guests for number, _ in guest.route})
    headings = [f"Round {number}" for number in rounds] or ["Table", "Seat"]
    yield ["Guest", *headings, *(["Household"] if households else []), "Child", *diet]
    for guest in plan.guests:
        about = [guest.diet] if plan.shows_diets else []
        route = dict(guest.route)
        places = [route.get(number, "") for number in rounds] or [guest.table, str(guest.seat)]
        household = [guest.household] if households else []
        yield [guest.name, *places, *household, "yes" if guest.child else "", *about]
