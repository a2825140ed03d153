"""The best plan of several rounds so far, as it is reported while the search goes on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.solver.feasibility.structure import Structure
from app.solver.problem import IntArray
from app.solver.rounds.meetings import Meetings, count_meetings


@dataclass(frozen=True)
class WeighedPlan:
    """The tables of blocks, a row for each round; what they are worth; and how many pairs of different blocks meet."""

    at: IntArray
    value: float
    pairs_met: int


def weigh_plan(at: IntArray, structure: Structure, meetings: Meetings) -> WeighedPlan:
    """Weigh a plan, which takes arrays of all pairs of blocks: in the thread that made it, as others look after it."""
    counts = count_meetings(at)
    met = np.triu(counts, 1) > 0
    return WeighedPlan(at, meetings.value(counts), int(structure.sizes @ met @ structure.sizes))


class BestSoFar:
    """Has the table of each guest, a row for each round, and how many pairs of different blocks meet."""

    def __init__(self, structure: Structure, first: WeighedPlan) -> None:
        self._structure = structure
        self.show(first)

    def see(self, plan: WeighedPlan) -> None:
        """Show a plan if it is better than the best one so far."""
        if plan.value > self._value:
            self.show(plan)

    def show(self, plan: WeighedPlan) -> None:
        """Show a plan from now on."""
        self._value, self.pairs_met = plan.value, plan.pairs_met
        self.seating = np.array([self._structure.guests_at(at) for at in plan.at])
