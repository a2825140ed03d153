"""Hosts keep their table in all rounds: which table each of them has, spread as evenly as possible."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from app.solver.errors import NoSeatingFound, Unsolvable
from app.solver.feasibility.check import Feasible, check_feasibility
from app.solver.feasibility.counts import tables_in_use
from app.solver.feasibility.structure import Structure, all_constraints, build_structure
from app.solver.feasibility.wording import guest_names, table_names
from app.solver.problem import Problem, Rule
from app.solver.rounds.rounds_problem import RoundsProblem

Venue = tuple[tuple[int, ...], ...]
TRIES = 12
"""How often hosts get other tables, if a later round, with its own locks, tables or rules, has no room for them."""


def lock_hosts(problem: RoundsProblem, seed: int) -> list[Problem]:
    """Return the rounds with each host locked to a table; rounds that are one problem stay one."""
    venue = problem.venue
    if venue is None:
        raise Unsolvable("Hosts can keep their tables only if all rounds have the same tables.")
    kept = _kept_tables(problem, venue)
    first = _with_hosts_there(problem.rounds[0], kept, venue[0])
    for attempt in range(TRIES):
        found = _seat_hosts(first, problem.hosts, venue, seed + attempt)
        at = found.structure.guests_at(found.at)
        rounds = _locked(problem, {host: venue[0][int(at[host])] for host in problem.hosts}, venue)
        if _can_be_seated(rounds, seed):
            return rounds
    for one, places in _each_once(problem, venue):  # a round may have no room for hosts whatever the others have
        check_feasibility(_with_hosts_there(one, kept, places), seed)
    raise NoSeatingFound(
        "No plan was found in which all hosts keep their table in every round. Let fewer guests keep their table, or "
        "remove some rules or locked seats, and try again."
    )


def hosts_apart(problem: RoundsProblem) -> Rule | None:
    """Return the rule that each host has a table for themselves and their household, if all rounds have enough."""
    first, venue = problem.rounds[0], problem.venue
    if len(problem.hosts) < 2 or venue is None:
        return None
    try:
        one_each = _one_of_each_block(build_structure(first, all_constraints(first)), problem.hosts)
    except Unsolvable:
        return None
    return Rule("apart", one_each) if 1 < len(one_each) <= len(_shared_tables(first, venue)) else None


def tables_for_hosts(problem: RoundsProblem) -> list[tuple[int, ...]]:
    """Return for each round its tables that all rounds use, in one order for all: those with the most seats first."""
    venue = problem.venue
    if not problem.hosts or venue is None:
        return [()] * len(problem.rounds)
    both = list(zip(problem.rounds, venue, strict=True))
    always = set(venue[0]).intersection(*venue)
    seats = {place: min(one.tables[places.index(place)].most for one, places in both) for place in always}
    order = sorted(always, key=lambda place: (-seats[place], place))
    return [tuple(places.index(place) for place in order) for places in venue]


@dataclass(frozen=True)
class _Kept:
    """What every round leaves to hosts: the tables of the venue that each may have, and how many guests each takes.

    `guests` are the hosts and whoever always sits with them.
    """

    tables: Mapping[int, set[int]]
    guests: tuple[int, ...]
    room: Mapping[int, int]


def _kept_tables(problem: RoundsProblem, venue: Venue) -> _Kept:
    """Return the tables that hosts may have in every round, less the seats that others cannot leave."""
    always = set(venue[0]).intersection(*venue)
    if not always:
        raise Unsolvable("Hosts keep their table in all rounds, but no table is used in all of them.")
    allowed, room = dict.fromkeys(problem.hosts, always), dict.fromkeys(always, problem.rounds[0].guest_count)
    with_hosts: set[int] = set()
    for one, places in _each_once(problem, venue):
        structure = build_structure(one, all_constraints(one))
        for host in problem.hosts:
            own = np.flatnonzero(structure.allowed[structure.of_guest[host]])
            allowed[host] = allowed[host].intersection(places[table] for table in own.tolist())
        blocks = sorted({int(structure.of_guest[host]) for host in problem.hosts})
        with_hosts.update(guest for block in blocks for guest in structure.members[block])
        stay = structure.allowed.sum(axis=1) == 1
        stay[blocks] = False
        taken = structure.sizes[stay] @ structure.allowed[stay]
        for place in always:
            table = places.index(place)
            room[place] = min(room[place], max(one.tables[table].most - int(taken[table]), 0))
    return _Kept(allowed, tuple(sorted(with_hosts)), room)


def _each_once(problem: RoundsProblem, venue: Venue) -> list[tuple[Problem, tuple[int, ...]]]:
    """Return the rounds that differ, each with its tables of the venue."""
    both = zip(problem.rounds, venue, strict=True)
    return list({(id(one), places): (one, places) for one, places in both}.values())


def _with_hosts_there(one: Problem, kept: _Kept, places: tuple[int, ...]) -> Problem:
    """Return a round with rules that keep hosts to the tables that all rounds leave to them."""
    rules = []
    for host, tables in kept.tables.items():
        own = tuple(table for table, place in enumerate(places) if place in tables)
        if not own:
            raise Unsolvable(
                f"Hosts keep their table in all rounds, but rules or locked seats leave no table that "
                f"{guest_names(one, (host,))} can have in every round."
            )
        if len(own) < len(places):
            text = f"{guest_names(one, (host,))} keeps {table_names(one, own)} in all rounds"
            rules.append(Rule("pinned", (host,), own, text))
    for place, room in kept.room.items():
        table = places.index(place)
        if room < min(len(kept.guests), one.tables[table].most):
            number = f"at most {room}" if room else "none"
            text = f"{number} of {guest_names(one, kept.guests)} can keep {table_names(one, (table,))} in all rounds"
            rules.append(Rule("count", kept.guests, (table,), text, most=room))
    return replace(one, rules=(*one.rules, *rules))


def _seat_hosts(first: Problem, hosts: tuple[int, ...], venue: Venue, seed: int) -> Feasible:
    """Return a seating of the first round with the hosts spread as evenly over their tables as one is found."""
    tables = _shared_tables(first, venue)
    usual = check_feasibility(first, seed)
    if len(hosts) < 2 or len(tables) < 2:
        return usual
    one_each = _one_of_each_block(usual.structure, hosts)
    if len(one_each) <= len(tables):
        found = _try(first, Rule("apart", one_each), seed) if len(one_each) > 1 else usual
        if found is not None:
            return found
    return _spread(first, hosts, tables, usual, seed)


def _shared_tables(first: Problem, venue: Venue) -> tuple[int, ...]:
    """Return the tables of the first round that all rounds use."""
    always = set(venue[0]).intersection(*venue)
    return tuple(table for table in tables_in_use(first) if venue[0][table] in always)


def _spread(first: Problem, hosts: tuple[int, ...], tables: tuple[int, ...], usual: Feasible, seed: int) -> Feasible:
    """Look for about the fewest hosts that a table may have at most, by doubling what is added to the even share.

    Then look for the most that each table can have at least.
    """
    together = int(np.bincount(usual.structure.of_guest[list(hosts)]).max())
    fewest, most = len(hosts) // len(tables), max(-(-len(hosts) // len(tables)), together)
    found, slack = None, 0
    while found is None and most + slack < len(hosts):
        found, slack = _try(first, _limit(hosts, tables, 0, most + slack), seed), 2 * slack or 1
    if found is None:
        return usual
    most = int(np.bincount(found.structure.guests_at(found.at)[list(hosts)]).max())
    for least in range(fewest, 0, -1):
        even = _try(first, _limit(hosts, tables, least, most), seed)
        if even is not None:
            return even
    return found


def _limit(hosts: tuple[int, ...], tables: tuple[int, ...], least: int, most: int) -> Rule:
    return Rule("count", hosts, tables, least=least, most=most)


def _try(first: Problem, rule: Rule, seed: int) -> Feasible | None:
    try:
        return check_feasibility(replace(first, rules=(*first.rules, rule)), seed, explain_seconds=0.0)
    except Unsolvable:
        return None


def _one_of_each_block(structure: Structure, hosts: tuple[int, ...]) -> tuple[int, ...]:
    """Return one host of each set of guests who always sit together."""
    return tuple({int(structure.of_guest[host]): host for host in reversed(hosts)}.values())[::-1]


def _can_be_seated(rounds: list[Problem], seed: int) -> bool:
    try:
        for one in {id(one): one for one in rounds}.values():
            check_feasibility(one, seed, explain_seconds=0.0)
    except Unsolvable:
        return False
    return True


def _locked(problem: RoundsProblem, stays: dict[int, int], venue: Venue) -> list[Problem]:
    """Return the rounds with each host at their table of the venue; rounds that are one problem stay one."""
    alike: dict[tuple[int, tuple[int, ...]], Problem] = {}
    for one, places in zip(problem.rounds, venue, strict=True):
        if (id(one), places) not in alike:
            hosts = tuple((host, places.index(place)) for host, place in stays.items())
            alike[id(one), places] = replace(one, locked=tuple(dict.fromkeys((*one.locked, *hosts))))
    return [alike[id(one), places] for one, places in zip(problem.rounds, venue, strict=True)]
