"""The best plan of several rounds so far, as it is reported while the search goes on."""

from __future__ import annotations

import math

import numpy as np

from app.solver.feasibility.structure import Structure
from app.solver.problem import IntArray
from app.solver.rounds.meetings import Meetings, count_meetings


class BestSoFar:
    """Has the table of each guest, a row for each round, and how many pairs of different blocks meet."""

    def __init__(self, structure: Structure, meetings: Meetings, first: IntArray) -> None:
        self._structure, self._meetings, self._value = structure, meetings, -math.inf
        self.see(first)

    def see(self, plan: IntArray) -> None:
        """Take a plan if it is better than the best one so far; plans have the tables of blocks."""
        value = self._meetings.value(count_meetings(plan))
        if value <= self._value:
            return
        self._value = value
        self.seating = np.array([self._structure.guests_at(at) for at in plan])
        apart = self._structure.of_guest[:, None] != self._structure.of_guest
        self.pairs_met = int(np.triu((count_meetings(self.seating) > 0) & apart, 1).sum())
