"""The cells of the big grid: read as one, written in batches that never overwrite what somebody else set meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from app.db import models
from app.errors import FieldError, Invalid
from app.events.context import EventContext
from app.guests.queries import groups as group_queries
from app.guests.queries.guests import Named, group_names
from app.ratings.change import PairChange, PairConflict, change_pairs
from app.ratings.known import show_overview
from app.ratings.pair_values import PairValues
from app.ratings.values import pair_values
from app.solver import order_by_similarity

Order = Literal["entered", "name", "group", "similarity"]
T = TypeVar("T")
MOST_CELLS = 50_000
MOST_WHOLE = 1000
"""Guests whose pairs are all given at once."""
WINDOW = 60


@dataclass(frozen=True)
class Cells:
    """Pairs: the guests, the name of each one's first group, what each pair is worth, and the order of the guests.

    Rows and columns are positions in the list of guests; in a large event they are windows.
    """

    event: models.Event
    guests: Sequence[Named]
    group_of: Sequence[str]
    worth: PairValues
    rows: Sequence[int]
    columns: Sequence[int]


def show_cells(ctx: EventContext, order: Order, row: int = 1, column: int = 1) -> Cells:
    """Return the pairs of all guests who may come in an order; of more than 1,000 those in these windows."""
    overview = show_overview(ctx)
    event, guests = overview.event, overview.expected
    if len(guests) <= MOST_WHOLE:
        worth, groups = pair_values(ctx.session, event, guests), _first_groups(ctx, guests)
        ordered = _ordered(ctx, order, guests, groups, worth)
        return Cells(event, guests, groups, worth, ordered, ordered)
    shown = list(dict.fromkeys([*window_of(guests, row), *window_of(guests, column)]))
    place = {guest.id: number for number, guest in enumerate(shown)}
    rows, columns = ([place[guest.id] for guest in window_of(guests, number)] for number in (row, column))
    worth = pair_values(ctx.session, event, shown, most_guessed=0)
    return Cells(event, shown, _first_groups(ctx, shown), worth, rows, columns)


def window_of(guests: Sequence[T], number: int) -> Sequence[T]:
    """Return the guests of one window, counted from 1."""
    last = max(1, -(-len(guests) // WINDOW))
    start = (max(1, min(number, last)) - 1) * WINDOW
    return guests[start : start + WINDOW]


def change_cells(ctx: EventContext, changes: Sequence[PairChange]) -> list[PairConflict]:
    """Write all of these cells, or none and return the conflicts if any shows another rating than it did."""
    if len(changes) > MOST_CELLS:
        raise Invalid(FieldError("cells", f"That would change {len(changes):,} pairs; maximum {MOST_CELLS:,} at once."))
    return change_pairs(ctx, changes, all_or_none=True)


def _first_groups(ctx: EventContext, guests: Sequence[Named]) -> list[str]:
    names = group_names(ctx.session, ctx.event_id)
    return [names.get(guest.id, [""])[0] for guest in guests]


def _ordered(
    ctx: EventContext, order: Order, guests: Sequence[Named], groups: Sequence[str], worth: PairValues
) -> list[int]:
    positions = range(len(guests))
    match order:
        case "name":
            return sorted(positions, key=lambda i: guests[i].name_key)
        case "group":
            made = {
                group.name: number for number, group in enumerate(group_queries.groups_of(ctx.session, ctx.event_id))
            }
            return sorted(positions, key=lambda i: (made.get(groups[i], len(made)), guests[i].position))
        case "similarity":
            return order_by_similarity(worth.expected)
    return list(positions)
