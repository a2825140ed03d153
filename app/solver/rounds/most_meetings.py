"""How many people can meet at most, and how many do."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from itertools import combinations_with_replacement

import numpy as np

from app.solver.feasibility.structure import Structure
from app.solver.problem import FloatArray, IntArray, Table
from app.solver.rounds.meetings import Meetings, Price, count_meetings
from app.solver.rounds.rounds_problem import RoundsProblem

IMPOSSIBLE = -(1 << 60)


def most_value(problem: RoundsProblem, structure: Structure, meetings: Meetings) -> float:
    """Return a value that no plan can beat: the smaller one of two.

    In each round every pair of seats at a table is a best first meeting. Each pair can meet first only once, so the
    best ones are counted once each; further meetings gain nothing. Or: every meeting is a best first one, and what
    `least_repeats` make inevitable is lost.
    """
    pairs = _most_pairs(problem, structure)
    best = -np.sort(-np.maximum(_by_guest(meetings, structure), 0.0))
    sums = np.concatenate([[0.0], np.cumsum(best)])
    highest = float(best[0]) if len(best) else 0.0
    lost = _least_loss(highest, meetings.price, len(problem.rounds)) * least_repeats(problem, structure)
    return min(float(sums[min(pairs, len(best))]), highest * pairs - lost)


def _least_loss(highest: float, price: Price, rounds: int) -> float:
    """Return what a pair of rounds in which two guests meet costs at least, if first meetings are worth `highest`.

    A pair that meets m times does so in m·(m − 1)/2 pairs of rounds, and loses (m − 1)·highest and the prices of its
    meetings, (m − 1)·(second − step) + step·(m − 1)·m·(m + 1)/6: that is 2·(highest + second − step)/m + step·(m + 1)/3
    for each of them.
    """
    each = highest + price.second - price.step
    return min((2.0 * each / m + price.step * (m + 1) / 3.0 for m in range(2, rounds + 1)), default=0.0)


def least_repeats(problem: RoundsProblem, structure: Structure) -> int:
    """Return how often, over all pairs of rounds, two guests of different blocks share a table in both, at least."""
    inside = int((structure.sizes * (structure.sizes - 1) // 2).sum())
    counts = Counter(one.tables for one in problem.rounds)
    sizes = {tables: _most_even(tables, problem.rounds[0].guest_count) for tables in counts}
    found = 0
    for first, second in combinations_with_replacement(counts, 2):
        times = counts[first] * (counts[first] - 1) // 2 if first is second else counts[first] * counts[second]
        stay = sum(_least_pairs(guests, len(second)) for guests in sizes[first])
        come = sum(_least_pairs(guests, len(first)) for guests in sizes[second])
        found += times * max(max(stay, come) - inside, 0)
    return found


def _most_even(tables: tuple[Table, ...], guests: int) -> list[int]:
    """Return the sizes with the fewest pairs, whichever number of tables the guests of each one spread over."""
    seated = [table.least for table in tables]
    level, left = 0, guests - sum(seated)
    while left:
        level += 1
        for place, table in enumerate(tables):
            if left and seated[place] < min(level, table.most):
                seated[place] += 1
                left -= 1
    return seated


def _least_pairs(guests: int, tables: int) -> int:
    """Return the fewest pairs at one table when so many guests spread over so many tables."""
    each, more = divmod(guests, tables)
    return (tables - more) * (each * (each - 1) // 2) + more * (each * (each + 1) // 2)


def _by_guest(meetings: Meetings, structure: Structure) -> FloatArray:
    """Return what each pair of guests of two blocks adds at a first meeting, shared evenly within two blocks."""
    first = meetings.first / np.outer(structure.sizes, structure.sizes)
    of = structure.of_guest
    one, other = np.triu_indices(len(of), 1)
    apart = of[one] != of[other]
    return np.asarray(first[of[one[apart]], of[other[apart]]])


def _most_pairs(problem: RoundsProblem, structure: Structure) -> int:
    """Return how many pairs of guests of different blocks share a table in all rounds together, at most."""
    inside = int((structure.sizes * (structure.sizes - 1) // 2).sum())
    return sum(_most_pairs_of_round(one.tables, one.guest_count) - inside for one in problem.rounds)


@lru_cache(maxsize=128)
def _most_pairs_of_round(tables: tuple[Table, ...], guests: int) -> int:
    """Return the most pairs at tables: table by table, the best for each number of guests that is seated by then."""
    left = guests - sum(table.least for table in tables)
    best = np.full(left + 1, IMPOSSIBLE)
    best[0] = 0
    for table in tables:
        before, best = best, np.full(left + 1, IMPOSSIBLE)
        for more in range(min(left, table.most - table.least) + 1):
            seated = table.least + more
            np.maximum(best[more:], before[: left + 1 - more] + seated * (seated - 1) // 2, out=best[more:])
    return int(best[left])


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
