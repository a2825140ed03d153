"""Rules that contradict each other: shown as soon as they are entered, not only when a plan is started."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Literal
from uuid import UUID

import numpy as np
from sqlalchemy.orm import Session

from app.db import models
from app.db.models.runs import LIVE
from app.db.session import is_read_only
from app.errors import FieldError, Invalid
from app.events.context import EventContext
from app.guests.queries.guests import seated_guests_of
from app.problem.queries.rules import RuleRow, rules_of
from app.problem.snapshot import Snapshot, build_problem, find_obstacles
from app.ratings.known import known_values
from app.rules.queries import Finding, Leaver, RuleCheck, current_check
from app.solver import Contradiction, FloatArray, NoSeatingFound, Problem, Rule, Table, Unsolvable, all_constraints
from app.tables.queries import tables_of

if TYPE_CHECKING:
    from app.solver import CheckLimits

PAGE_SECONDS = 0.5
"""How long a page may wait for the answer, and once more for the smallest set; the worker takes longer for a run."""
WRITER_SECONDS = 0.05
"""The same for a page that is built while the request may write: on SQLite all other writers wait for it."""
MOST_PLACES, MOST_ENTRIES = 5_000_000, 200_000
"""Guests × tables, and entries of the integer programme, that the server looks at itself: about 50 MB of memory."""
MOST_IN_RULES = 100_000
"""Guests in all rules together, each counted once for each rule."""
MOST_WEIGHED = 500
"""Guests whose ratings are read to tell which rule costs least; of more people any of them is named."""
MOST_KEPT = 100
"""Answers of the check that are kept; they hold positions and tables, and no name of a guest."""


@dataclass(frozen=True)
class RuleConflict:
    """What cannot all hold and what to give up, in words; the rules among it, and the one to give up if it is one.

    Where a party is among it, `leaver` is who could leave it, and `how` says so.
    """

    message: str
    rules: tuple[UUID, ...] = ()
    give_up: UUID | None = None
    leaver: Leaver | None = None
    how: str = ""
    is_certain: bool = True
    check: Literal["", "wanted", "started"] = ""
    """Whether a worker has yet to check it, or has been asked to."""
    is_alone: bool = False
    """Whether one rule cannot hold by itself."""


LEFT_TO_THE_RUN = RuleConflict(
    "There are too many guests, tables and rules to check here. They are checked when you create a plan, "
    "and any conflict is shown then.",
    is_certain=False,
)


def find_rule_conflict(ctx: EventContext, *, without_rules: bool = False) -> RuleConflict | None:
    """Return the rules, parties and locks that cannot all hold, if that is so; what is too large is left to the run.

    An event without rules is looked at only if asked for: parties and locks alone seldom contradict each other.
    """
    event = ctx.require("editor")
    rules = rules_of(ctx.session, ctx.event_id, only_seated=True)  # in the order in which the problem has them
    if not rules and not without_rules:
        return None
    if check := current_check(ctx.session, ctx.event_id):
        return _answer_of_worker(check, rules)
    seconds = PAGE_SECONDS if is_read_only(ctx.session) else WRITER_SECONDS
    snapshot = pose_rules(ctx.session, event)
    problem = snapshot.problem
    contradicted = _is_contradicted(problem, seconds) if _is_small(problem) else None
    if contradicted is None:
        return replace(LEFT_TO_THE_RUN, check="wanted")
    if not contradicted:
        return None
    error = _explained(replace(problem, matrix=weighed(ctx.session, ctx.event_id, snapshot.guest_ids)), seconds)
    return _conflict(finding_of(snapshot, error), rules)


def pose_rules(session: Session, event: models.Event) -> Snapshot:
    """Return the problem of which rules, parties and locks are checked; if there are too few seats, with enough."""
    guests, tables = seated_guests_of(session, event), tables_of(session, event.id)
    snapshot = build_problem(session, event, guests, tables, _unweighed(len(guests)))
    if not find_obstacles(len(guests), tables):
        return snapshot
    return replace(snapshot, problem=_with_room(snapshot.problem))


def finding_of(snapshot: Snapshot, error: Contradiction) -> Finding:
    """Return the contradiction with what to give up, and who could leave a party."""
    leaver = _leaver(snapshot, error)
    how = _how_to_leave(leaver, is_advised=error.cheapest_party is not None) if leaver else ""
    is_alone = len(error.rules) == 1 and not error.parties and not error.locked
    return Finding(error.message, error.rules, error.cheapest_rule, leaver, how, is_alone=is_alone)


def _answer_of_worker(check: RuleCheck, rules: Sequence[RuleRow]) -> RuleConflict | None:
    """Return what a worker found about the rules as they are now, or that it is still checking."""
    if check.status in LIVE:
        return replace(LEFT_TO_THE_RUN, check="started")
    if check.finding is None or not check.finding.is_decided:
        return LEFT_TO_THE_RUN
    return _conflict(check.finding, rules) if check.finding.message else None


def _conflict(finding: Finding, rules: Sequence[RuleRow]) -> RuleConflict:
    """Return what was found with the rules themselves, which are those of the problem."""
    # The event's own rules are followed by those of reserved and closed tables, which are not stored.
    give_up = rules[finding.give_up].id if finding.give_up is not None and finding.give_up < len(rules) else None
    conflicting = tuple(rules[place].id for place in finding.rules if place < len(rules))
    return RuleConflict(finding.message, conflicting, give_up, finding.leaver, finding.how, is_alone=finding.is_alone)


def refuse_contradictions(session: Session, event_id: UUID, snapshot: Snapshot) -> None:
    """Refuse rules that cannot all hold before anything runs, with the same advice as on the pages.

    What cannot be settled so soon is left to the run, which may find a plan.
    """
    problem = snapshot.problem
    if not (problem.rules or problem.parties or problem.locked) or not _is_small(problem):
        return
    from app.solver import check_feasibility  # noqa: PLC0415  only rules need it, and scipy takes its time to load

    try:
        matrix = weighed(session, event_id, snapshot.guest_ids)
        check_feasibility(replace(problem, matrix=matrix), explain_seconds=PAGE_SECONDS, limits=_limits(PAGE_SECONDS))
    except NoSeatingFound:
        return
    except Unsolvable as error:
        raise Invalid(FieldError("rules", error.message)) from None


def _is_small(problem: Problem) -> bool:
    """Return whether the event is small enough for the server to check it, before it builds anything."""
    in_rules = sum(len(rule.guests) for rule in problem.rules)
    return problem.guest_count * len(problem.tables) <= MOST_PLACES and in_rules <= MOST_IN_RULES


def _limits(seconds: float) -> CheckLimits:
    from app.solver import CheckLimits  # noqa: PLC0415  only rules need it, and scipy takes its time to load

    return CheckLimits(time.monotonic() + seconds, MOST_ENTRIES)


def weighed(session: Session, event_id: UUID, guest_ids: Sequence[UUID]) -> FloatArray:
    """Return the ratings by which rules are weighed against each other; zeros in a large event."""
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
    start = "To do this," if is_advised else "Or"
    return f"{start} let {leaver.name} sit apart from their household: clear “Household” on their page."


def _is_contradicted(problem: Problem, seconds: float) -> bool | None:
    """Return whether it is certain that not all can hold; None if that could not be decided in time."""
    parts = problem.tables, problem.parties, problem.rules, problem.locked
    try:
        return _decide_contradiction(seconds, problem.guest_count, *parts)
    except _NotInTime:
        return None


class _NotInTime(Exception):
    """It took too long; raised, because an answer would be kept, and another time may be quieter."""


@lru_cache(maxsize=MOST_KEPT)
def _decide_contradiction(
    seconds: float,
    guests: int,
    tables: tuple[Table, ...],
    parties: tuple[tuple[int, ...], ...],
    rules: tuple[Rule, ...],
    locked: tuple[tuple[int, int], ...],
) -> bool:
    """Return whether not all can hold; who likes whom does not matter for that.

    The answer is kept, for pages ask again and again while nothing has changed.
    """
    from app.solver import is_satisfiable  # noqa: PLC0415  only rules need it, and scipy takes its time to load

    problem = Problem(_unweighed(guests), tables, parties=parties, rules=rules, locked=locked)
    can_hold = is_satisfiable(problem, all_constraints(problem), _limits(seconds))
    if can_hold is None:
        raise _NotInTime
    return not can_hold


def _explained(problem: Problem, seconds: float) -> Contradiction:
    from app.solver import explain_contradiction  # noqa: PLC0415  only rules need it, and scipy takes its time to load

    return explain_contradiction(problem, all_constraints(problem), seconds, MOST_ENTRIES)


def _with_room(problem: Problem) -> Problem:
    """Return the problem with seats for all, however they are set later: what contradicts even then is certain."""
    everybody = problem.guest_count
    named = {guest for rule in problem.rules for guest in rule.guests}  # with a table each nobody is in the way
    present = tuple(replace(table, most=everybody, least=0) for table in problem.tables)
    # Shares of tables are not known before there are enough seats; the rules keep their positions.
    rules = tuple(replace(rule, slack=everybody) if rule.kind == "balance" else rule for rule in problem.rules)
    return replace(problem, tables=(*present, *(Table(everybody) for _ in named)), rules=rules)
