"""Rules that cannot all hold: told as soon as they are there, not only when a plan is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from uuid import UUID

import numpy as np
from sqlalchemy.orm import Session

from app.db.queries.guests import seated_guests_of
from app.db.queries.rules import rules_of
from app.db.queries.tables import tables_of
from app.errors import Fault, Invalid
from app.services.access import Actor, require_event
from app.services.ratings import known_values
from app.services.snapshots import Snapshot, find_obstacles, pose
from app.solver.errors import Contradiction, NoSeatingFound, Unsolvable
from app.solver.problem import FloatArray, Problem, Rule, Table
from app.solver.structure import all_constraints

PAGE_SECONDS = 0.5
"""How long a page may wait for the smallest set; a run takes longer and explains it better."""
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


def find_clash(session: Session, actor: Actor, event_id: UUID, *, without_rules: bool = False) -> Clash | None:
    """Return the rules, parties and locks that cannot all hold, if that is so and quickly shown.

    An event without rules is looked at only if asked for: parties and locks alone seldom contradict each other.
    """
    event = require_event(session, actor, event_id, "editor")
    rules = rules_of(session, event_id, only_seated=True)  # in the order in which the problem has them
    if not rules and not without_rules:
        return None
    guests, tables = seated_guests_of(session, event), tables_of(session, event_id)
    snapshot = pose(session, event, guests, tables, _unweighed(len(guests)))
    problem = _with_room(snapshot.problem) if find_obstacles(len(guests), tables) else snapshot.problem
    if not _is_contradicted(len(guests), problem.tables, problem.parties, problem.rules, problem.locked):
        return None
    error = _contradiction(replace(problem, matrix=_weighed(session, event_id, snapshot.guest_ids)))
    if error is None:
        return None
    give_up = None if error.cheapest_rule is None else rules[error.cheapest_rule].id
    leaver = _leaver(snapshot, error)
    how = _how_to_leave(leaver, is_advised=error.cheapest_party is not None) if leaver else ""
    return Clash(error.message, tuple(rules[position].id for position in error.rules), give_up, leaver, how)


def refuse_contradictions(session: Session, event_id: UUID, snapshot: Snapshot) -> None:
    """Refuse rules that cannot all hold before anything runs, with the same advice as on the pages.

    What cannot be settled so soon is left to the run, which may find a plan.
    """
    problem = snapshot.problem
    if not (problem.rules or problem.parties or problem.locked):
        return
    from app.solver.check import check  # noqa: PLC0415  only rules need it, and scipy takes its time to load

    try:
        check(replace(problem, matrix=_weighed(session, event_id, snapshot.guest_ids)))
    except NoSeatingFound:
        return
    except Unsolvable as error:
        raise Invalid(Fault("rules", error.message)) from None


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


@lru_cache(maxsize=MOST_KEPT)
def _is_contradicted(
    guests: int,
    tables: tuple[Table, ...],
    parties: tuple[tuple[int, ...], ...],
    rules: tuple[Rule, ...],
    locked: tuple[tuple[int, int], ...],
) -> bool:
    """Tell whether it is certain that not all can hold; who likes whom does not matter for that.

    The answer is kept, for pages ask again and again while nothing has changed.
    """
    from app.solver.check import decide  # noqa: PLC0415  only rules need it, and scipy takes its time to load

    problem = Problem(_unweighed(guests), tables, parties=parties, rules=rules, locked=locked)
    return decide(problem, all_constraints(problem)) is False


def _contradiction(problem: Problem) -> Contradiction | None:
    from app.solver.check import check  # noqa: PLC0415  only rules need it, and scipy takes its time to load

    try:
        check(problem, explain_seconds=PAGE_SECONDS)
    except Contradiction as error:
        return error
    except Unsolvable:  # nobody can tell so soon: a run will
        return None
    return None


def _with_room(problem: Problem) -> Problem:
    """Return the problem with seats for all, however they are set later: what clashes even then is certain."""
    everybody = problem.guest_count
    named = {guest for rule in problem.rules for guest in rule.guests}
    present = tuple(replace(table, most=everybody, least=0) for table in problem.tables)
    return replace(problem, tables=(*present, *(Table(everybody) for _ in named)))
