"""A seating for every round to begin with, which keeps the rules and leaves hosts at their tables."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from app.solver.errors import Unsolvable
from app.solver.feasibility.check import check_feasibility
from app.solver.feasibility.structure import Structure
from app.solver.feasibility.table_sizes import check_seats
from app.solver.problem import IntArray, Problem
from app.solver.rounds.even_tables import fill_evenly
from app.solver.rounds.host_tables import hosts_apart, lock_hosts, tables_for_hosts
from app.solver.rounds.rounds_problem import RoundsProblem

Rounds = list[tuple[Problem, Structure]]
"""The problem of each round with hosts at their tables, and its structure."""


def first_seatings(problem: RoundsProblem, seed: int) -> tuple[RoundsProblem, Rounds, IntArray]:
    """Check every round, and return them with tables filled evenly where that is possible, and a seating by block."""
    _check_seats(problem)
    even = _fill_evenly(problem, seed)
    if even is not problem:
        try:
            return even, *_seat_all(even, seed)
        except Unsolvable:  # hosts or rules need other sizes
            pass
    return problem, *_seat_all(problem, seed)


def _check_seats(problem: RoundsProblem) -> None:
    """Raise if the numbers of a round cannot add up, with its number where rounds have other tables."""
    for number, one in enumerate(problem.rounds, 1):
        try:
            check_seats(one)
        except Unsolvable as error:
            if all(other.tables == one.tables for other in problem.rounds):
                raise
            raise Unsolvable(f"Round {number}: {error.message}") from None


def _fill_evenly(problem: RoundsProblem, seed: int) -> RoundsProblem:
    """Return the rounds with tables filled evenly; rounds that are one problem with the same tables stay one."""
    apart, hosts = hosts_apart(problem), len(problem.hosts)
    each = list(zip(problem.rounds, tables_for_hosts(problem), strict=True))
    differing = {(id(one), own): (one, own) for one, own in each}
    even = {key: fill_evenly(one, hosts, seed, apart, own) for key, (one, own) in differing.items()}
    filled = tuple(even[id(one), own] for one, own in each)
    if all(after is before for after, before in zip(filled, problem.rounds, strict=True)):
        return problem
    return replace(problem, rounds=filled, places=problem.venue or ())


def _seat_all(problem: RoundsProblem, seed: int) -> tuple[Rounds, IntArray]:
    """Return the problem of each round with hosts at their tables, its structure, and a seating by block."""
    rounds = list(problem.rounds)
    if problem.hosts:
        rounds = lock_hosts(problem, seed)
    found = [check_feasibility(one, seed + number) for number, one in enumerate(rounds)]
    members = found[0].structure.members
    if any(one.structure.members != members for one in found):
        raise Unsolvable("Who sits together must be the same in all rounds.")
    starts = np.array([one.at for one in found], dtype=np.int64)
    return [(one, feasible.structure) for one, feasible in zip(rounds, found, strict=True)], starts
