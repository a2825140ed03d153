"""What is special about each of the good plans of a run, found by comparing the plans with each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

import numpy as np
from sqlalchemy.orm import Session

from app.db import models
from app.events.context import EventContext
from app.plans.figures import Figures
from app.plans.queries import versions as queries
from app.plans.satisfaction import CLOSE_SCORE
from app.problem.cached_findings import find_once
from app.problem.queries import seats as seat_queries

Character = Literal["best score", "fewest people alone", "closest friends", "most mixed", "groups together"]
MOST_GUESTS = 2_000
"""Figures of more guests take too long to read for every plan of a run."""
LEAST_SHARE = 0.02  # of the pairs at tables, or of the value: less is not worth a word
LEAST_GUESTS = 0.01  # of all guests, and at least one
LEAST_VALUE = 0.0005  # of the value: what pages call just as good


@dataclass(frozen=True)
class Traits:
    """What a plan is like, in numbers; none where the event does not tell.

    `value` is what the run was to make as large as possible; `mixed` is the share of pairs at a table that have no
    group in common; `alone` counts guests without anybody they like, `close` those with a close friend.
    """

    guests: int
    value: float | None
    mixed: float | None
    alone: int | None
    close: int | None


def find_characters(ctx: EventContext, plan: models.Plan) -> dict[UUID, tuple[Character, ...]]:
    """Return in what each good plan of the plan's run is better than all the others; for editors."""
    event = ctx.require("editor")
    family = queries.family_of(ctx.session, plan)
    if len(family) < 2 or len(seat_queries.seats_of(ctx.session, plan.id)) > MOST_GUESTS:
        return {}
    # A move changes one plan; what is known of the others is kept.
    return compare_traits({one.id: _kept_traits(ctx.session, event, one) for one in family})


def _kept_traits(session: Session, event: models.Event, plan: models.Plan) -> Traits:
    key = "traits", plan.id, plan.version
    return find_once(session, event, key, lambda: _traits(session, plan), without=("plans",))


def compare_traits(traits: Mapping[UUID, Traits]) -> dict[UUID, tuple[Character, ...]]:
    """Return for each plan in what it is better than all the others, by enough to be worth a word."""
    values = [abs(one.value) for one in traits.values() if one.value is not None]
    guests = max(1.0, LEAST_GUESTS * max((one.guests for one in traits.values()), default=0))
    tests: Sequence[tuple[Character, Callable[[Traits], float | None], float]] = (
        ("best score", lambda one: one.value, LEAST_VALUE * max(values, default=0.0)),
        ("fewest people alone", lambda one: None if one.alone is None else -one.alone, guests),
        ("closest friends", lambda one: one.close, guests),
        ("most mixed", lambda one: one.mixed, LEAST_SHARE),
        ("groups together", lambda one: None if one.mixed is None else -one.mixed, LEAST_SHARE),
    )
    winners = [(word, _winner({key: size(one) for key, one in traits.items()}, least)) for word, size, least in tests]
    return {key: tuple(word for word, winner in winners if winner == key) for key in traits}


def _winner(sizes: Mapping[UUID, float | None], least: float) -> UUID | None:
    """Return the plan whose size exceeds every other one by at least `least`."""
    known = sorted(((size, key) for key, size in sizes.items() if size is not None), reverse=True)
    if len(known) < max(2, len(sizes)) or known[0][0] - known[1][0] < least or known[0][0] == known[1][0]:
        return None
    return known[0][1]


def _traits(session: Session, plan: models.Plan) -> Traits:
    figures = Figures.from_stored(plan.figures)
    rows = seat_queries.seats_of(session, plan.id)
    known = [figures.guests[row.guest_id] for row in rows if row.guest_id in figures.guests]
    has_scores = figures.kind == "score" and any(one.friends for one in known)
    value = plan.total if figures.objective == "total" else None if plan.mse is None else -plan.mse
    return Traits(
        guests=len(rows),
        value=value,
        mixed=_mixed(rows, queries.groups_of_guests(session, plan.event_id)),
        alone=sum(1 for one in known if not one.liked and not one.likely) if has_scores else None,
        close=sum(1 for one in known if one.best is not None and one.best >= CLOSE_SCORE) if has_scores else None,
    )


def _mixed(rows: Sequence[seat_queries.SeatRow], groups: Mapping[UUID, Sequence[UUID]]) -> float | None:
    """Return the share of the pairs at tables, of guests who are in groups, that have no group in common."""
    numbers = {key: number for number, key in enumerate(sorted({key for of_one in groups.values() for key in of_one}))}
    if len(numbers) < 2:
        return None
    tables: dict[UUID, list[UUID]] = {}
    for row in rows:
        if row.guest_id in groups:
            tables.setdefault(row.table_id, []).append(row.guest_id)
    apart = pairs = 0
    for guests in tables.values():
        members = np.zeros((len(guests), len(numbers)), dtype=np.int32)
        for place, guest in enumerate(guests):
            members[place, [numbers[key] for key in groups[guest]]] = 1
        shared = members @ members.T
        pairs += len(guests) * (len(guests) - 1)
        apart += int((shared == 0).sum())
    return apart / pairs if pairs else None
