"""A seating for every round to begin with, which keeps the rules and leaves hosts at their tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from app.solver.errors import Unsolvable
from app.solver.feasibility.check import Feasible, check_feasibility
from app.solver.feasibility.counts import tables_in_use
from app.solver.feasibility.structure import Structure
from app.solver.feasibility.table_sizes import check_seats
from app.solver.problem import IntArray, Problem, Rule
from app.solver.rounds.even_tables import fill_evenly
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
    """Return the rounds with tables filled evenly; rounds that are one problem stay one."""
    each = {id(one): one for one in problem.rounds}
    even = {key: fill_evenly(one, len(problem.hosts), seed) for key, one in each.items()}
    if all(even[key] is one for key, one in each.items()):
        return problem
    return replace(problem, rounds=tuple(even[id(one)] for one in problem.rounds), places=problem.venue or ())


def _seat_all(problem: RoundsProblem, seed: int) -> tuple[Rounds, IntArray]:
    """Return the problem of each round with hosts at their tables, its structure, and a seating by block."""
    rounds = list(problem.rounds)
    if problem.hosts:
        rounds = _with_hosts(problem, seed)
    found = [check_feasibility(one, seed + number) for number, one in enumerate(rounds)]
    members = found[0].structure.members
    if any(one.structure.members != members for one in found):
        raise Unsolvable("Who sits together must be the same in all rounds.")
    starts = np.array([one.at for one in found], dtype=np.int64)
    return [(one, feasible.structure) for one, feasible in zip(rounds, found, strict=True)], starts


def _with_hosts(problem: RoundsProblem, seed: int) -> list[Problem]:
    """Lock hosts to the tables that a first seating gives them, as few at one table as is possible."""
    venue = problem.venue
    if venue is None:
        raise Unsolvable("Hosts can keep their tables only if all rounds have the same tables.")
    always = set(venue[0]).intersection(*venue)
    if not always:
        raise Unsolvable("Hosts keep their table in all rounds, but no table is used in all of them.")
    first, kept = problem.rounds[0], tuple(own for own, place in enumerate(venue[0]) if place in always)
    if len(kept) < len(venue[0]):
        first = replace(first, rules=(*first.rules, Rule("pinned", problem.hosts, kept, "hosts keep their table")))
    found = _seat_hosts(first, problem.hosts, kept, seed)
    at = found.structure.guests_at(found.at)
    return _lock_hosts(problem, {host: venue[0][int(at[host])] for host in problem.hosts}, venue)


def _seat_hosts(first: Problem, hosts: tuple[int, ...], kept: tuple[int, ...], seed: int) -> Feasible:
    """Return a seating of the first round with the hosts spread as evenly over their tables as one is found."""
    tables = tuple(table for table in tables_in_use(first) if table in kept)
    for rule in _spread(hosts, tables):
        try:
            return check_feasibility(replace(first, rules=(*first.rules, rule)), seed, explain_seconds=0.0)
        except Unsolvable:  # rules or households keep some of them together
            continue
    return check_feasibility(first, seed)


def _spread(hosts: tuple[int, ...], tables: tuple[int, ...]) -> Iterator[Rule]:
    """Yield rules that spread the hosts over the tables, the most even one first, in growing steps."""
    if len(hosts) < 2 or not tables:
        return
    if len(hosts) <= len(tables):
        yield Rule("apart", hosts)
    fewest, most = len(hosts) // len(tables), -(-len(hosts) // len(tables))
    slack = 0 if len(hosts) > len(tables) else 1
    while most + slack < len(hosts):
        yield Rule("count", hosts, tables, least=max(fewest - slack, 0), most=most + slack)
        slack = 2 * slack or 1


def _lock_hosts(problem: RoundsProblem, stays: dict[int, int], venue: tuple[tuple[int, ...], ...]) -> list[Problem]:
    """Return the rounds with each host at their table of the venue; rounds that are one problem stay one."""
    alike: dict[tuple[int, tuple[int, ...]], Problem] = {}
    for one, places in zip(problem.rounds, venue, strict=True):
        if (id(one), places) not in alike:
            hosts = tuple((host, places.index(place)) for host, place in stays.items())
            alike[id(one), places] = replace(one, locked=tuple(dict.fromkeys((*one.locked, *hosts))))
    return [alike[id(one), places] for one, places in zip(problem.rounds, venue, strict=True)]
