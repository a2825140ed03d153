"""Rules that cannot all hold: told as soon as they are there, not only when a plan is asked for."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING
from uuid import UUID

import numpy as np
from sqlalchemy.orm import Session

from app.accounts.actor import Actor
from app.errors import Fault, Invalid
from app.events.access import require_event
from app.guests.queries.guests import seated_guests_of
from app.problem.queries.rules import rules_of
from app.problem.snapshot import Snapshot, find_obstacles, pose
from app.ratings.known import known_values
from app.solver.errors import Contradiction, NoSeatingFound, Unsolvable
from app.solver.problem import FloatArray, Problem, Rule, Table
from app.solver.structure import all_constraints
from app.tables.queries import tables_of

if TYPE_CHECKING:
    from app.solver.packing import Limits

PAGE_SECONDS = 0.5
"""How long a page may wait for the answer, and once more for the smallest set; the worker takes longer for a run."""
MOST_PLACES, MOST_ENTRIES = 5_000_000, 200_000
"""Guests × tables, and entries of the integer programme, that the server looks at itself: about 50 MB of memory."""
MOST_IN_RULES = 100_000
"""Guests in all rules together, each counted once for each rule."""
MOST_WEIGHED = 500
"""Guests whose ratings are read to tell which rule costs least; of more people any of them is named."""
MOST_KEPT = 100
"""Answers of the check that are kept; they hold positions and tables, and no name of a guest."""


@dataclass(frozen=True)
class Leaver:
    """The guest who would leave a party that cannot sit together."""

    id: UUID
    name: str


@dataclass(frozen=True)
class Clash:
    """What cannot all hold and what to give up, in words; the rules among it, and the one to give up if it is one.

    Where a party is among it, `leaver` is who could leave it, and `how` says so.
    """

    message: str
    rules: tuple[UUID, ...] = ()
    give_up: UUID | None = None
    leaver: Leaver | None = None
    how: str = ""
    is_certain: bool = True


LEFT_TO_THE_RUN = Clash(
    "There are too many guests, tables and rules to check them on this page. When you start a plan, they are checked "
    "first: if they cannot all hold, the plan says which ones.",
    is_certain=False,
)


def find_clash(session: Session, actor: Actor, event_id: UUID, *, without_rules: bool = False) -> Clash | None:
    """Return the rules, parties and locks that cannot all hold, if that is so; what is too large is left to the run.

    An event without rules is looked at only if asked for: parties and locks alone seldom contradict each other.
    """
    event = require_event(session, actor, event_id, "editor")
    rules = rules_of(session, event_id, only_seated=True)  # in the order in which the problem has them
    if not rules and not without_rules:
        return None
    guests, tables = seated_guests_of(session, event), tables_of(session, event_id)
    snapshot = pose(session, event, guests, tables, _unweighed(len(guests)))
    problem = _with_room(snapshot.problem) if find_obstacles(len(guests), tables) else snapshot.problem
    if not _is_small(problem):
        return LEFT_TO_THE_RUN
    contradicted = _is_contradicted(len(guests), problem.tables, problem.parties, problem.rules, problem.locked)
    if not contradicted:
        return LEFT_TO_THE_RUN if contradicted is None else None
    error = _explained(replace(problem, matrix=_weighed(session, event_id, snapshot.guest_ids)))
    give_up = None if error.cheapest_rule is None else rules[error.cheapest_rule].id
    leaver = _leaver(snapshot, error)
    how = _how_to_leave(leaver, is_advised=error.cheapest_party is not None) if leaver else ""
    return Clash(error.message, tuple(rules[position].id for position in error.rules), give_up, leaver, how)


def refuse_contradictions(session: Session, event_id: UUID, snapshot: Snapshot) -> None:
    """Refuse rules that cannot all hold before anything runs, with the same advice as on the pages.

    What cannot be settled so soon is left to the run, which may find a plan.
    """
    problem = snapshot.problem
    if not (problem.rules or problem.parties or problem.locked) or not _is_small(problem):
        return
    from app.solver.check import check  # noqa: PLC0415  only rules need it, and scipy takes its time to load

    try:
        weighed = replace(problem, matrix=_weighed(session, event_id, snapshot.guest_ids))
        check(weighed, explain_seconds=PAGE_SECONDS, limits=_limits())
    except NoSeatingFound:
        return
    except Unsolvable as error:
        raise Invalid(Fault("rules", error.message)) from None


def _is_small(problem: Problem) -> bool:
    """Tell whether the server may look at it itself, before it builds anything."""
    in_rules = sum(len(rule.guests) for rule in problem.rules)
    return problem.guest_count * len(problem.tables) <= MOST_PLACES and in_rules <= MOST_IN_RULES


def _limits() -> Limits:
    from app.solver.packing import Limits  # noqa: PLC0415  only rules need it, and scipy takes its time to load

    return Limits(time.monotonic() + PAGE_SECONDS, MOST_ENTRIES)


def _weighed(session: Session, event_id: UUID, guest_ids: Sequence[UUID]) -> FloatArray:
    """Return the ratings by which rules are weighed against each other: nothing of many guests."""
    if len(guest_ids) > MOST_WEIGHED:
        return _unweighed(len(guest_ids))
    return np.nan_to_num(known_values(session, event_id, guest_ids))


def _unweighed(guests: int) -> FloatArray:
    return np.broadcast_to(0.0, (guests, guests))


def _leaver(snapshot: Snapshot, error: Contradiction) -> Leaver | None:
    """Return who could leave the party that is to be given up, or the only one: whom a rule names rather than not."""
    only = error.parties[0] if len(error.parties) == 1 else None
    party = only if error.cheapest_party is None else error.cheapest_party
    if party is None:
        return None
    problem = snapshot.problem
    named = {guest for position in error.rules for guest in problem.rules[position].guests}
    member = max(problem.parties[party], key=lambda guest: (guest in named, guest))
    return Leaver(snapshot.guest_ids[member], problem.names[member])


def _how_to_leave(leaver: Leaver, *, is_advised: bool) -> str:
    start = "To do so," if is_advised else "Or"
    return f"{start} take {leaver.name} out of the party: empty the field “Party” on their page."


def _is_contradicted(
    guests: int,
    tables: tuple[Table, ...],
    parties: tuple[tuple[int, ...], ...],
    rules: tuple[Rule, ...],
    locked: tuple[tuple[int, int], ...],
) -> bool | None:
    """Say whether it is certain that not all can hold; None if that could not be decided in time."""
    try:
        return _decide_contradiction(guests, tables, parties, rules, locked)
    except _NotInTime:
        return None


class _NotInTime(Exception):
    """It took too long; raised, because an answer would be kept, and another time may be quieter."""


@lru_cache(maxsize=MOST_KEPT)
def _decide_contradiction(
    guests: int,
    tables: tuple[Table, ...],
    parties: tuple[tuple[int, ...], ...],
    rules: tuple[Rule, ...],
    locked: tuple[tuple[int, int], ...],
) -> bool:
    """Say whether not all can hold; who likes whom does not matter for that.

    The answer is kept, for pages ask again and again while nothing has changed.
    """
    from app.solver.check import decide  # noqa: PLC0415  only rules need it, and scipy takes its time to load

    problem = Problem(_unweighed(guests), tables, parties=parties, rules=rules, locked=locked)
    can_hold = decide(problem, all_constraints(problem), _limits())
    if can_hold is None:
        raise _NotInTime
    return not can_hold


def _explained(problem: Problem) -> Contradiction:
    from app.solver.check import explain  # noqa: PLC0415  only rules need it, and scipy takes its time to load

    return explain(problem, all_constraints(problem), PAGE_SECONDS, MOST_ENTRIES)


def _with_room(problem: Problem) -> Problem:
    """Return the problem with seats for all, however they are set later: what clashes even then is certain."""
    everybody = problem.guest_count
    named = {guest for rule in problem.rules for guest in rule.guests}  # with a table each nobody is in the way
    present = tuple(replace(table, most=everybody, least=0) for table in problem.tables)
    return replace(problem, tables=(*present, *(Table(everybody) for _ in named)))
