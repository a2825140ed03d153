"""Affinities: whom one guest would enjoy, and whom to keep away from them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from app.db import models
from app.errors import NotFound
from app.events.context import EventContext
from app.guests.queries.groups import groups_of
from app.guests.queries.guests import group_names, guest_of, guests_of, seated_guests_of
from app.ratings.change import PairChange, change_pairs
from app.ratings.known import values_between
from app.ratings.values import MOST_GUESSED, pair_values
from app.web.names import name_key

MOST_SHOWN = 400


@dataclass(frozen=True)
class Candidate:
    """Another guest: what is known about the pair, the groups with the colour of the first, and if they get a seat."""

    guest: models.Guest
    groups: tuple[str, ...]
    colour: str
    score: float | None
    is_seated: bool = True


@dataclass(frozen=True)
class Tick:
    """What a pair of boxes showed and what it says now: 1 would enjoy, −1 keep away, 0 neither."""

    was: int
    wanted: int


@dataclass(frozen=True)
class Affinities:
    """One guest and the others, likely friends first; their own party is left out, because it sits together."""

    event: models.Event
    guest: models.Guest
    candidates: Sequence[Candidate]
    found: int
    others: int
    next: models.Guest | None


def find_affinities(ctx: EventContext, guest_id: UUID, search: str = "") -> Affinities:
    """Return the candidates for one guest's table, or those with `search` in their name."""
    event = ctx.require("editor")
    guest = guest_of(ctx.session, ctx.event_id, guest_id)
    if guest is None:
        raise NotFound("Guest not found in this event.")
    everybody = guests_of(ctx.session, ctx.event_id)
    others = [other for other in everybody if other.id != guest_id and not _same_party(guest, other)]
    found = [other for other in others if name_key(search) in other.name_key]
    worth, own = _expected(ctx, guest_id), group_names(ctx.session, ctx.event_id)
    shared = {other.id: len(set(own.get(other.id, ())) & set(own.get(guest_id, ()))) for other in found}
    # Of two who are worth the same, somebody of the same group comes first; who does not come at all is last.
    found.sort(key=lambda other: (-worth.get(other.id, -math.inf if worth else 0.0), -shared[other.id]))
    place = next(number for number, other in enumerate(everybody) if other.id == guest_id)
    following = everybody[place + 1] if place + 1 < len(everybody) else None
    candidates = _candidates(ctx, guest_id, found[:MOST_SHOWN])
    return Affinities(event, guest, candidates, len(found), len(others), following)


def save_ticks(ctx: EventContext, guest_id: UUID, ticks: Mapping[UUID, Tick]) -> list[str]:
    """Save what was ticked or unticked, and return with whom somebody else has rated the guest meanwhile: that stays.

    A newly ticked guest gets one level, an unticked one none.
    """
    names = {other.id: other.name for other in guests_of(ctx.session, ctx.event_id)}
    changes = [
        PairChange(guest_id, other, float(tick.wanted) or None, float(tick.was), f"score/{other}")
        for other, tick in ticks.items()
        if tick.wanted != tick.was and other in names
    ]
    return [names[one.b] for one in change_pairs(ctx, changes, is_same=_is_same_sign)]


def _is_same_sign(one: float | None, other: float | None) -> bool:
    return _sign(one or 0.0) == _sign(other or 0.0)


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)


def _same_party(guest: models.Guest, other: models.Guest) -> bool:
    return guest.party_id is not None and guest.party_id == other.party_id


def _expected(ctx: EventContext, guest_id: UUID) -> dict[UUID, float]:
    """Return what the guest's pairs are probably worth, by the other guest who is to be seated."""
    guests = seated_guests_of(ctx.session, ctx.event)
    place = {guest.id: number for number, guest in enumerate(guests)}
    if guest_id not in place or len(guests) > MOST_GUESSED:
        return {}
    values = pair_values(ctx.session, ctx.event, guests, with_uncertainty=False).expected
    return dict(zip(place, values[place[guest_id]].tolist(), strict=True))


def _candidates(ctx: EventContext, guest_id: UUID, guests: Sequence[models.Guest]) -> tuple[Candidate, ...]:
    ids = [guest.id for guest in guests]
    groups = group_names(ctx.session, ctx.event_id, frozenset(ids))
    values = values_between(ctx.session, ctx.event_id, [guest_id], ids)[0].tolist()
    colours = {group.name: group.colour for group in groups_of(ctx.session, ctx.event_id)}
    seated = {guest.id for guest in seated_guests_of(ctx.session, ctx.event)}
    return tuple(
        Candidate(
            guest,
            tuple(groups.get(guest.id, ())),
            colours[groups[guest.id][0]] if groups.get(guest.id) else "",
            None if math.isnan(value) else value,
            guest.id in seated,
        )
        for guest, value in zip(guests, values, strict=True)
    )
