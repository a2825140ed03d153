"""Rules that cannot all hold: told as soon as they are there, not only when a plan is asked for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from uuid import UUID

import numpy as np
from sqlalchemy.orm import Session

from app.db.queries.guests import seated_guests_of
from app.db.queries.rules import rules_of
from app.db.queries.tables import tables_of
from app.errors import Fault, Invalid
from app.services.access import Actor, require_event
from app.services.ratings import known_values
from app.services.snapshots import find_obstacles, pose
from app.solver.errors import Contradiction, NoSeatingFound, Unsolvable
from app.solver.problem import FloatArray, Problem, Table

PAGE_SECONDS = 0.5
"""How long a page may wait for the smallest set; a run takes longer and explains it better."""
MOST_WEIGHED = 500
"""Guests whose ratings are read to tell which rule costs least; of more people any of them is named."""


@dataclass(frozen=True)
class Clash:
    """What cannot all hold and what to give up, in words; the rules among it, and the one to give up if it is one."""

    message: str
    rules: tuple[UUID, ...] = ()
    give_up: UUID | None = None


def find_clash(session: Session, actor: Actor, event_id: UUID) -> Clash | None:
    """Return the rules, parties and locks that cannot all hold, if that is so and quickly shown."""
    event = require_event(session, actor, event_id, "editor")
    rules = rules_of(session, event_id, only_seated=True)  # in the order in which the problem has them
    if not rules:
        return None
    guests, tables = seated_guests_of(session, event), tables_of(session, event_id)
    values: FloatArray = np.broadcast_to(0.0, (len(guests), len(guests)))
    if len(guests) <= MOST_WEIGHED:
        values = np.nan_to_num(known_values(session, event_id, [guest.id for guest in guests]))
    problem = pose(session, event, guests, tables, values).problem
    if find_obstacles(len(guests), tables):
        problem = _with_room(problem)
    error = _contradiction(problem)
    if error is None:
        return None
    give_up = None if error.cheapest_rule is None else rules[error.cheapest_rule].id
    return Clash(error.message, tuple(rules[position].id for position in error.rules), give_up)


def refuse_contradictions(problem: Problem) -> None:
    """Refuse rules that cannot all hold before anything runs, with the smallest set that contradicts itself.

    What cannot be settled so soon is left to the run, which may find a plan.
    """
    if not (problem.rules or problem.parties or problem.locked):
        return
    from app.solver.check import check  # noqa: PLC0415  only rules need it, and scipy takes its time to load

    try:
        check(problem)
    except NoSeatingFound:
        return
    except Unsolvable as error:
        raise Invalid(Fault("rules", error.message)) from None


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
