"""The cells of the big grid: read as one, written in batches that never overwrite what somebody else set meanwhile."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar
from uuid import UUID

from sqlalchemy.orm import Session

from app.db import models
from app.errors import Fault, Invalid
from app.events.context import EventContext
from app.guests.queries import groups as group_queries
from app.guests.queries.guests import Listed, group_names, guest_ids_of
from app.ratings.change import Entry, open_ratings, write_pairs
from app.ratings.known import see_ratings
from app.ratings.known_pairs import known_pairs
from app.ratings.pair_values import PairValues
from app.ratings.values import pair_values
from app.solver import order_by_similarity

Order = Literal["entered", "name", "group", "similarity"]
T = TypeVar("T")
MOST_CELLS = 50_000
MOST_WHOLE = 1000
"""Guests whose pairs are all given at once."""
WINDOW = 60
SAME = 1e-6
"""The grid holds single precision; nearer than that two numbers are the same."""


@dataclass(frozen=True)
class Change:
    """A cell as it is to be, and what it showed before: the rating of the pair, None for none."""

    a: UUID
    b: UUID
    was: float | None
    score: float | None


@dataclass(frozen=True)
class Conflict:
    """A pair that somebody else rated meanwhile, and its rating now."""

    a: UUID
    b: UUID
    now: float | None


@dataclass(frozen=True)
class Cells:
    """Pairs: the guests, the name of each one's first group, what each pair is worth, and who stands in what order.

    Rows and columns are positions in the list of guests; in a large event they are windows.
    """

    event: models.Event
    guests: Sequence[Listed]
    group_of: Sequence[str]
    worth: PairValues
    rows: Sequence[int]
    columns: Sequence[int]


def see_cells(ctx: EventContext, order: Order, row: int = 1, column: int = 1) -> Cells:
    """Return the pairs of all guests who may come in an order; of more than 1,000 those in these windows."""
    overview = see_ratings(ctx)
    event, guests = overview.event, overview.expected
    if len(guests) <= MOST_WHOLE:
        worth, groups = pair_values(ctx.session, event, guests), _first_groups(ctx.session, ctx.event_id, guests)
        ordered = _ordered(ctx.session, ctx.event_id, order, guests, groups, worth)
        return Cells(event, guests, groups, worth, ordered, ordered)
    shown = list(dict.fromkeys([*window_of(guests, row), *window_of(guests, column)]))
    place = {guest.id: number for number, guest in enumerate(shown)}
    rows, columns = ([place[guest.id] for guest in window_of(guests, number)] for number in (row, column))
    worth = pair_values(ctx.session, event, shown, most_guessed=0)
    return Cells(event, shown, _first_groups(ctx.session, ctx.event_id, shown), worth, rows, columns)


def window_of(guests: Sequence[T], number: int) -> Sequence[T]:
    """Return the guests of one window, counted from 1."""
    last = max(1, -(-len(guests) // WINDOW))
    start = (max(1, min(number, last)) - 1) * WINDOW
    return guests[start : start + WINDOW]


def change_cells(ctx: EventContext, changes: Sequence[Change]) -> list[Conflict]:
    """Write all of these cells, or none and return the conflicts if any shows another rating than it did."""
    if len(changes) > MOST_CELLS:
        raise Invalid(Fault("cells", f"That would change {len(changes):,} pairs; maximum {MOST_CELLS:,} at once."))
    event = open_ratings(ctx)
    conflicts = _conflicts(ctx.session, ctx.event_id, changes)
    if not conflicts:
        entries = [Entry(change.a, change.b, change.score) for change in changes]
        write_pairs(ctx.session, event, entries, [f"cells/{number}" for number in range(len(entries))])
    return conflicts


def find_conflicts(ctx: EventContext, changes: Sequence[Change]) -> list[Conflict]:
    """Return which of these pairs have another rating than was shown; the event is held until all is written."""
    open_ratings(ctx)
    return _conflicts(ctx.session, ctx.event_id, changes)


def _first_groups(session: Session, event_id: UUID, guests: Sequence[Listed]) -> list[str]:
    names = group_names(session, event_id)
    return [names.get(guest.id, [""])[0] for guest in guests]


def _conflicts(session: Session, event_id: UUID, changes: Sequence[Change]) -> list[Conflict]:
    guests = guest_ids_of(session, event_id)
    present = [change for change in changes if change.a in guests and change.b in guests]  # others are faults
    values = known_pairs(session, event_id, [(change.a, change.b) for change in present]).tolist()
    found = []
    for change, value in zip(present, values, strict=True):
        now = None if math.isnan(value) else value
        if not _same(now, change.was) and not _same(now, change.score):
            found.append(Conflict(change.a, change.b, now))
    return found


def _same(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return math.isclose(one, other, rel_tol=SAME, abs_tol=SAME)


def _ordered(
    session: Session,
    event_id: UUID,
    order: Order,
    guests: Sequence[Listed],
    groups: Sequence[str],
    worth: PairValues,
) -> list[int]:
    positions = range(len(guests))
    match order:
        case "name":
            return sorted(positions, key=lambda i: guests[i].name_key)
        case "group":
            made = {group.name: number for number, group in enumerate(group_queries.groups_of(session, event_id))}
            return sorted(positions, key=lambda i: (made.get(groups[i], len(made)), guests[i].position))
        case "similarity":
            return order_by_similarity(worth.values)
    return list(positions)
