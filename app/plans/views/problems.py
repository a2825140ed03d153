"""The problems of a plan that a person can solve: guests without a seat, and what would help those who sit badly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from app.plans.guest_details import GuestDetails
from app.plans.move_options import Option
from app.plans.read import PlanView
from app.plans.views.selected_guest import Choice, suggest

MOST_REMEDIES = 1


@dataclass(frozen=True)
class Unseated:
    """A guest who is to be seated and has no seat in the plan."""

    id: UUID
    name: str


@dataclass(frozen=True)
class Remedies:
    """What would help a guest who sits badly."""

    view: PlanView
    options: Mapping[UUID, Sequence[Option]]

    def of(self, guest: UUID) -> tuple[Choice, ...]:
        """Return the places that would help this guest most."""
        return suggest(self.view, self.options.get(guest, ()), MOST_REMEDIES)


def unseated_of(view: PlanView, details: Mapping[UUID, GuestDetails]) -> tuple[Unseated, ...]:
    """Return who has no seat."""
    names = set(view.unseated)
    seated = {guest.id for table in view.tables for guest in table.guests}
    return tuple(Unseated(g.id, g.name) for g in details.values() if g.name in names and g.id not in seated)
