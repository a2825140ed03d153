"""Snapshots: an event as the solver sees it, kept with the run, so that it can be explained and repeated later."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, cast
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from sqlalchemy.orm import Session

from app.db import models
from app.errors import FieldError, Invalid
from app.guests.queries.guests import seated_guests_of
from app.guests.queries.parties import parties_of
from app.problem.fixed_seats import HeldSeats, read_held, rules_of_tables, tables_of_problem
from app.problem.queries.rules import RuleRow, rules_of
from app.problem.queries.seats import SeatRow, current_plan_id, seats_of
from app.problem.value_rules import solver_rule, value_rule_text
from app.ratings.sparse_values import few_values, is_large
from app.ratings.values import pair_values
from app.sentences import count
from app.solver import (
    FloatArray,
    Objective,
    Problem,
    Ratings,
    Rule,
    RuleKind,
    Table,
)
from app.tables.queries import tables_of

ERASED = "an erased guest"
LIKELY_SCORE = 0.5  # a guess of that much is nearer to getting along than to neutral


@dataclass(frozen=True)
class RoundPart:
    """A round of several: its tables, by their positions among all, and the rules and locks about them."""

    places: tuple[int, ...]
    tables: tuple[Table, ...]
    rules: tuple[Rule, ...]
    locked: tuple[tuple[int, int], ...]
    held: HeldSeats

    def problem_of(self, problem: Problem) -> Problem:
        """Return the problem of this round."""
        return replace(problem, tables=self.tables, rules=self.rules, locked=self.locked, previous=None)

    def to_plain(self) -> dict[str, Any]:
        """Return it as it is stored with a problem."""
        return vars(self) | {"held": self.held.to_plain()}

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> RoundPart:
        """Return what was stored."""
        return cls(
            tuple(plain["places"]),
            tuple(Table(**table) for table in plain["tables"]),
            tuple(map(stored_rule, plain["rules"])),
            tuple((guest, table) for guest, table in plain["locked"]),
            HeldSeats.from_plain(plain["held"]),
        )


@dataclass(frozen=True)
class Snapshot:
    """A problem by value, with the ids of the guests and tables at its positions.

    `guessed` says which pairs' values nobody entered, n × n; None if all were entered. `entered` has what people said
    about each pair, 0 where nothing; None where the problem differs from that by guesses only (decision 0143).
    """

    problem: Problem
    guest_ids: tuple[UUID, ...]
    table_ids: tuple[UUID, ...]
    guessed: NDArray[np.bool_] | None = None
    held: HeldSeats = field(default_factory=HeldSeats)
    met: tuple[tuple[int, int, int], ...] = ()
    """For several rounds, who met before: two guests by position, and how often."""
    chances: tuple[float, ...] = ()
    """How likely each guest comes; empty where all come for certain."""
    rounds: tuple[RoundPart, ...] = ()
    """The rounds in their order, where several are asked for."""
    entered: FloatArray | None = None

    @cached_property
    def known(self) -> Problem:
        """The same problem with what people said, and 0 for each pair of which nobody said anything."""
        if self.entered is not None:
            return replace(self.problem, matrix=self.entered)
        if self.guessed is None:
            return self.problem
        return replace(self.problem, matrix=np.where(self.guessed, 0.0, self.problem.symmetric))

    def round(self, number: int) -> Snapshot:
        """Return one of several rounds, counted from 0, as a problem of its own tables."""
        if not self.rounds:  # stored before rounds had tables of their own
            return self
        part = self.rounds[number]
        ids = tuple(self.table_ids[place] for place in part.places)
        return replace(self, problem=part.problem_of(self.problem), table_ids=ids, held=part.held, rounds=())

    @cached_property
    def unused(self) -> tuple[frozenset[UUID], ...]:
        """The tables that each of several rounds leaves out."""
        everything = frozenset(self.table_ids)
        return tuple(everything - {self.table_ids[place] for place in part.places} for part in self.rounds)

    @cached_property
    def probable(self) -> Problem:
        """The same problem with no values but for guessed pairs who probably get along."""
        scores = self.problem.symmetric
        is_probable = (scores >= LIKELY_SCORE) & (False if self.guessed is None else self.guessed)
        return replace(self.problem, matrix=np.where(is_probable, scores, 0.0))


@dataclass(frozen=True)
class Outline:
    """Who and what was in a problem, without names of guests and what the pairs were worth."""

    guests: frozenset[UUID]
    parties: tuple[frozenset[UUID], ...]
    tables: Mapping[UUID, Table]
    met: tuple[tuple[UUID, UUID], ...] = ()
    guest_ids: tuple[UUID, ...] = ()


def take_snapshot(
    session: Session, event: models.Event, *, objective: Objective, from_plan: UUID | None = None
) -> Snapshot:
    """Copy what is to be solved, or say what prevents it; `from_plan` is the current plan, else the newest."""
    obstacles = find_obstacles(len(seated_guests_of(session, event)), tables_of(session, event.id))
    if obstacles:
        raise Invalid(obstacles)
    snapshot = copy_problem(session, event, objective=objective, from_plan=from_plan)
    refuse_too_few_seats(snapshot.problem)
    return snapshot


def copy_problem(
    session: Session, event: models.Event, *, objective: Objective, from_plan: UUID | None = None
) -> Snapshot:
    """Copy the problem as it is, whether it can be solved or not."""
    guests, tables = seated_guests_of(session, event), tables_of(session, event.id)
    if is_large(session, event, len(guests)):
        ratings = few_values(session, event, [guest.id for guest in guests])
        return build_problem(session, event, guests, tables, ratings, objective, from_plan)
    worth = pair_values(session, event, guests)
    guessed = worth.guessed
    values = worth.expected.copy()  # kept values must not be changed
    snapshot = build_problem(session, event, guests, tables, values, objective, from_plan)
    return replace(snapshot, guessed=guessed if guessed.any() else None, entered=worth.entered)


def build_problem(
    session: Session,
    event: models.Event,
    guests: Sequence[models.Guest],
    tables: Sequence[models.Table],
    values: FloatArray | Ratings,
    objective: Objective = "average",
    from_plan: UUID | None = None,
) -> Snapshot:
    """Put guests, tables, parties, rules and locks into a problem, whether it can be solved or not."""
    guest_at = {guest.id: position for position, guest in enumerate(guests)}
    table_at = {table.id: position for position, table in enumerate(tables)}
    basis = from_plan or current_plan_id(session, event.id)
    current = seats_of(session, basis) if basis else []
    held = read_held(session, event.id, basis, current, tables)
    seated = {row.guest_id: row.table_id for row in current}
    problem = Problem(
        matrix=np.zeros((0, 0)) if isinstance(values, Ratings) else values,
        ratings=values if isinstance(values, Ratings) else None,
        tables=tables_of_problem(tables, held),
        kind=event.kind,
        names=tuple(guest.name for guest in guests),
        parties=tuple(tuple(guest_at[g] for g in party) for party in parties_of(session, event.id)),
        rules=(
            *(_rule(rule, guest_at, table_at, tables) for rule in rules_of(session, event.id, only_seated=True)),
            *rules_of_tables(session, event.id, list(guest_at), tables, held),  # last: others are found by their places
        ),
        locked=tuple((guest_at[guest], table_at[table]) for guest, (table, _) in held.chairs.items()),
        objective=objective,
        previous=tuple(table_at.get(seated[g], -1) if g in seated else -1 for g in guest_at) if seated else None,
    )
    return Snapshot(problem, tuple(guest_at), tuple(table_at), held=held)


def _rule(
    rule: RuleRow, guest_at: Mapping[UUID, int], table_at: Mapping[UUID, int], tables: Sequence[models.Table]
) -> Rule:
    if rule.is_of_values:
        names = [tables[table_at[key]].name for key in rule.table_ids]
        return solver_rule(rule, guest_at, table_at, value_rule_text(rule, names))
    guests = tuple(guest_at[guest] for guest in rule.guest_ids)
    return Rule(cast("RuleKind", rule.kind), guests, tuple(table_at[table] for table in rule.table_ids))


def refuse_too_few_seats(problem: Problem) -> None:
    """Refuse a problem in which locked tables and empty seats leave too few seats."""
    if problem.seat_count < problem.guest_count:
        seats, guests = count(problem.seat_count, "seat"), count(problem.guest_count, "guest")
        text = f"Locked tables and seats that stay empty leave {seats} for {guests}. Unlock a table or free seats."
        raise Invalid(FieldError("tables", text))


def locked_guests(session: Session, event_id: UUID) -> list[tuple[UUID, UUID]]:
    """Return who is locked at which table in the newest plan, as far as both are still there."""
    tables = {table.id for table in tables_of(session, event_id)}
    rows = _newest_seats(session, event_id)
    return [(row.guest_id, row.table_id) for row in rows if row.locked and row.table_id in tables]


def _newest_seats(session: Session, event_id: UUID) -> list[SeatRow]:
    newest = current_plan_id(session, event_id)
    return seats_of(session, newest) if newest else []


def find_obstacles(guest_count: int, tables: Sequence[models.Table]) -> list[FieldError]:
    """Say why no plan can be made, if so; `where` is the page on which it can be fixed."""
    seats, least = sum(table.seats for table in tables), sum(table.min_seats for table in tables)
    faults = []
    if not guest_count:
        faults.append(FieldError("guests", "Add guests to seat."))
    if not tables:
        faults.append(FieldError("tables", "Add tables."))
    if faults:
        return faults
    if seats < guest_count:
        needed = count(guest_count - seats, "more seat")
        text = f"{count(seats, 'seat')} for {count(guest_count, 'guest')}: {needed} needed. Add tables or seats."
        return [FieldError("tables", text)]
    if least > guest_count:
        text = (
            f"The tables need at least {count(least, 'guest')}; you have {guest_count:,}. "
            "Lower the minimum of a table, or delete a table."
        )
        return [FieldError("tables", text)]
    return []


def stored_rule(plain: dict[str, Any]) -> Rule:
    """Return a rule as it was stored; older runs have no groups."""
    lists = {"guests": tuple(plain["guests"]), "tables": tuple(plain["tables"])}
    return Rule(**{**plain, **lists, "groups": tuple(map(tuple, plain.get("groups", ())))})


def names_in(snapshot: Snapshot) -> dict[str, str]:
    """Return the names of a snapshot's guests by id: they are stored apart from it, so that one can be erased."""
    return dict(zip(map(str, snapshot.guest_ids), snapshot.problem.names, strict=True))


def with_names(snapshot: Snapshot, names: Mapping[str, str] | None) -> Snapshot:
    """Return a snapshot with the names that are still known, as explanations need them."""
    if not names:
        return snapshot
    known = tuple(names.get(str(key), ERASED) for key in snapshot.guest_ids)
    return replace(snapshot, problem=replace(snapshot.problem, names=known))
