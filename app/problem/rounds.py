"""The rounds of an event as the solver sees them: which tables each one uses, and what is held at them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from sqlalchemy.orm import Session

from app.db import models
from app.errors import FieldError, Invalid
from app.problem.fixed_seats import HeldSeats, read_held, rules_of_tables, tables_of_problem
from app.problem.queries.rounds import later_rounds_of, tables_asked_of
from app.problem.queries.rules import rules_of
from app.problem.queries.seats import current_plan_id, plan_of, seats_of
from app.problem.snapshot import RoundPart, Snapshot, find_obstacles, refuse_too_few_seats
from app.sentences import list_in_words
from app.solver import Rule
from app.tables.queries import tables_of


@dataclass(frozen=True)
class _Event:
    """What all rounds share."""

    session: Session
    event_id: UUID
    snapshot: Snapshot
    tables: Sequence[models.Table]
    rules: Sequence[Rule]


def pose_rounds(
    session: Session, event: models.Event, snapshot: Snapshot, count: int, used: Sequence[Sequence[UUID]]
) -> Snapshot:
    """Add the rounds to a problem, or say which of them cannot be planned; `used` has the tables of each round."""
    tables = tables_of(session, event.id)
    own = len(rules_of(session, event.id, only_seated=True))
    shared = _Event(session, event.id, snapshot, tables, snapshot.problem.rules[:own])
    held = held_in_rounds(session, event.id, tables, count)
    parts: dict[Any, RoundPart] = {}
    found = []
    for number in range(count):
        places = _places(tables, used[number] if used else (), number)
        key = (places, str(held[number].to_plain()))
        if key not in parts:
            try:
                parts[key] = _part(shared, places, held[number], f"Round {number + 1}: " if used else "")
            except Invalid as error:
                raise (_at_round(error, number) if used else error) from None
        found.append(parts[key])
    return replace(snapshot, rounds=tuple(found))


def _at_round(error: Invalid, number: int) -> Invalid:
    """Point at the tables of the round instead of at those of the event."""
    is_about_tables = ("tables", "round_tables")
    own = f"round_tables/{number}"
    return Invalid([replace(one, where=own) if one.where in is_about_tables else one for one in error.faults])


def held_in_rounds(
    session: Session, event_id: UUID, tables: Sequence[models.Table], count: int
) -> tuple[HeldSeats, ...]:
    """Return what the plan in use holds in each round.

    A lock concerns the round in which it was set; in a plan without rounds that is the first one. Seats that are kept
    empty in a plan without rounds stay empty in all.
    """
    plan_id = current_plan_id(session, event_id)
    plan = plan_of(session, event_id, plan_id) if plan_id else None
    if plan is None:
        return (HeldSeats(),) * count
    if not plan.round:
        first = read_held(session, event_id, plan.id, seats_of(session, plan.id), tables)
        kept = {key for key, _ in first.blocked}
        sizes = {key: size for key, size in first.sizes.items() if key in kept}
        return (first, *(HeldSeats(blocked=first.blocked, sizes=sizes),) * (count - 1))
    rounds = {plan.round: plan.id} | later_rounds_of(session, plan.id)
    used = tables_asked_of(session, plan.run_id)
    return tuple(
        _held_in(session, event_id, rounds.get(number), tables, used[number - 1] if number <= len(used) else ())
        for number in range(1, count + 1)
    )


def _held_in(
    session: Session, event_id: UUID, plan_id: UUID | None, tables: Sequence[models.Table], used: Sequence[UUID]
) -> HeldSeats:
    """Return what one round holds; tables that its run left out are not locked by anybody."""
    if plan_id is None:
        return HeldSeats()
    held = read_held(session, event_id, plan_id, seats_of(session, plan_id), tables)
    taken = {table for table, _ in held.chairs.values()}
    left_out = {key for key in held.tables if used and key not in used and key not in taken}
    kept = {key for key, _ in held.blocked}
    sizes = {key: size for key, size in held.sizes.items() if key in kept or key not in left_out}
    return replace(held, tables=held.tables - left_out, sizes=sizes)


def _places(tables: Sequence[models.Table], used: Sequence[UUID], number: int) -> tuple[int, ...]:
    """Return the positions of the tables of a round; none named are all."""
    if not used:
        return tuple(range(len(tables)))
    wanted = set(used)
    if not wanted <= {table.id for table in tables}:
        text = f"Round {number + 1} names a table that isn't in this event."
        raise Invalid(FieldError(f"round_tables/{number}", text))
    return tuple(place for place, table in enumerate(tables) if table.id in wanted)


def _part(shared: _Event, places: tuple[int, ...], held: HeldSeats, prefix: str) -> RoundPart:
    """Return one round, or say why nobody can be seated in it."""
    tables, problem = [shared.tables[place] for place in places], shared.snapshot.problem
    obstacles = find_obstacles(problem.guest_count, tables)
    if obstacles:
        raise Invalid([FieldError(one.where, prefix + one.message) for one in obstacles])
    place_of = {place: own for own, place in enumerate(places)}
    guest_at = {guest: place for place, guest in enumerate(shared.snapshot.guest_ids)}
    table_at = {table.id: own for own, table in enumerate(tables)}
    _refuse_locks(shared, held, table_at, prefix)
    rules = [*_own_rules(shared, place_of, prefix)]
    rules += rules_of_tables(shared.session, shared.event_id, shared.snapshot.guest_ids, tables, held)
    part = RoundPart(
        places,
        tables_of_problem(tables, held),
        tuple(rules),
        tuple((guest_at[guest], table_at[table]) for guest, (table, _) in held.chairs.items() if guest in guest_at),
        held,
    )
    refuse_too_few_seats(part.problem_of(problem))
    return part


def _refuse_locks(shared: _Event, held: HeldSeats, table_at: Mapping[UUID, int], prefix: str) -> None:
    """Refuse to leave out a table at which guests are locked."""
    names = {table.id: table.name for table in shared.tables}
    missing = dict.fromkeys(names[table] for table, _ in held.chairs.values() if table not in table_at)
    if missing:
        text = f"{prefix}guests are locked at {list_in_words(list(missing))}. Use this table, or unlock them."
        raise Invalid(FieldError("round_tables", text))


def _own_rules(shared: _Event, place_of: Mapping[int, int], prefix: str) -> list[Rule]:
    """Return the event's rules by the tables of a round; what is said only about other tables does not matter there."""
    found = []
    for rule in shared.rules:
        tables = tuple(place_of[table] for table in rule.tables if table in place_of)
        if rule.tables and not tables:
            if rule.kind == "pinned":
                names = list_in_words([shared.tables[table].name for table in rule.tables])
                text = f"{prefix}a rule seats guests at {names}. Use this table, or remove the rule."
                raise Invalid(FieldError("round_tables", text))
            continue
        found.append(replace(rule, tables=tables))
    return found
