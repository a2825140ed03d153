"""Where everybody would sit after a change of a plan."""

from __future__ import annotations

from collections.abc import Set
from functools import cached_property
from uuid import UUID

from app.plans.seating import Place, Places, Seating


class After:
    """Where everybody would sit after a change."""

    def __init__(self, seating: Seating, changed: Places) -> None:
        self.seating, self.changed = seating, changed

    @cached_property
    def _more_at(self) -> dict[UUID, int]:
        """How many more sit at each table that somebody leaves or joins."""
        more: dict[UUID, int] = {}
        for guest, place in self.changed.items():
            now = self.seating.places.get(guest)
            if now is not None:
                more[now.table_id] = more.get(now.table_id, 0) - 1
            if place is not None:
                more[place.table_id] = more.get(place.table_id, 0) + 1
        return more

    @property
    def tables(self) -> Set[UUID]:
        """The tables that somebody leaves or joins."""
        return self._more_at.keys()

    @property
    def resized(self) -> Set[UUID]:
        """The tables where more or fewer sit than before; none after a swap."""
        return {table for table, more in self._more_at.items() if more}

    def count_at(self, table: UUID) -> int:
        """Return how many sit at a table."""
        return len(self.seating.guests_at.get(table, ())) + self._more_at.get(table, 0)

    def place(self, guest: UUID) -> Place | None:
        return self.changed[guest] if guest in self.changed else self.seating.places.get(guest)

    def guests_at(self, table: UUID) -> dict[UUID, int]:
        """Return the seats of the guests at a table."""
        here = self.seating.guests_at.get(table, {})
        seats = {guest: seat for seat, guest in here.items() if guest not in self.changed}
        arrive = {guest: place.seat for guest, place in self.changed.items() if place and place.table_id == table}
        return seats | arrive
