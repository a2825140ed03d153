"""How many people can meet at most, and how many do."""

from __future__ import annotations

import numpy as np

from app.solver.feasibility.structure import Structure
from app.solver.problem import FloatArray, IntArray, Table
from app.solver.rounds.meetings import Meetings, count_meetings
from app.solver.rounds.rounds_problem import RoundsProblem


def most_value(problem: RoundsProblem, structure: Structure, meetings: Meetings) -> float:
    """Return a value that no plan can beat: in each round every pair of seats at a table is a best first meeting.

    Each pair can meet first only once, so the best ones are counted once each; further meetings gain nothing.
    """
    pairs = _most_pairs(problem, structure)
    best = -np.sort(-np.maximum(_by_guest(meetings, structure), 0.0))
    sums = np.concatenate([[0.0], np.cumsum(best)])
    return float(sums[min(pairs, len(best))])


def _by_guest(meetings: Meetings, structure: Structure) -> FloatArray:
    """Return what each pair of guests of two blocks adds at a first meeting, shared evenly within two blocks."""
    first = np.minimum(meetings.first, meetings.barrier) / np.outer(structure.sizes, structure.sizes)
    of = structure.of_guest
    one, other = np.triu_indices(len(of), 1)
    apart = of[one] != of[other]
    return np.asarray(first[of[one[apart]], of[other[apart]]])


def _most_pairs(problem: RoundsProblem, structure: Structure) -> int:
    """Return how many pairs of guests of different blocks share a table in all rounds together, at most."""
    inside = int((structure.sizes * (structure.sizes - 1) // 2).sum())
    return sum(_most_pairs_of_round(one.tables, one.guest_count) - inside for one in problem.rounds)


def _most_pairs_of_round(tables: tuple[Table, ...], guests: int) -> int:
    """Return the most pairs at tables: least numbers everywhere, and then the largest tables filled first."""
    seated = [table.least for table in tables]
    left = guests - sum(seated)
    for index in sorted(range(len(tables)), key=lambda i: -tables[i].most):
        more = min(left, tables[index].most - seated[index])
        seated[index] += more
        left -= more
    return sum(count * (count - 1) // 2 for count in seated)


def most_new_meetings(problem: RoundsProblem, structure: Structure) -> int:
    """Return how many pairs can meet for the first time, at most."""
    of = structure.of_guest
    apart = of[:, None] != of[None, :]
    never = apart if problem.met is None else apart & (problem.met == 0)
    return min(int(np.triu(never, 1).sum()), _most_pairs(problem, structure))


def count_new_meetings(assignments: IntArray, structure: Structure, met: IntArray | None) -> tuple[int, int]:
    """Count pairs that meet for the first time, and further meetings of the same pairs."""
    counts = np.triu(count_meetings(assignments), 1)
    of = structure.of_guest
    counts = np.where(of[:, None] != of[None, :], counts, 0)
    before = np.zeros_like(counts) if met is None else met
    new = (counts > 0) & (before == 0)
    return int(new.sum()), int(counts.sum() - new.sum())
