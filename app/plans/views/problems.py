"""What would help guests who sit badly or have no seat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from app.plans.moves.options import Option
from app.plans.read import PlanView
from app.plans.views.selected_guest import Choice, suggest

MOST_REMEDIES = 1


@dataclass(frozen=True)
class Remedies:
    """What would help each of these guests."""

    view: PlanView
    options: Mapping[UUID, Sequence[Option]]

    def of(self, guest: UUID) -> tuple[Choice, ...]:
        """Return the places that would help this guest most."""
        is_seated = all(guest != one.id for one in self.view.tray)
        return suggest(self.view, self.options.get(guest, ()), MOST_REMEDIES, is_seated=is_seated)
