"""Wishes as the planner sees them: who would like to sit with whom, to accept or decline. For editors only."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

import numpy as np
from sqlalchemy import ColumnElement, tuple_, update
from sqlalchemy.orm import Session

from app.clock import now
from app.db.models import Event, Guest, Wish
from app.errors import FieldError, Invalid
from app.events.context import EventContext
from app.guests.queries.guests import names_ever
from app.problem.queries.rules import rules_of
from app.ratings.known import known_values
from app.ratings.queries import values as value_queries
from app.wishes import queries

State = Literal["undecided", "accepted", "declined"]
Key = tuple[UUID, UUID]
MOST_RATED = 1000  # among more guests than that the ratings are not looked through
MOST_FAULTS = 100
STEP = 500  # wishes that one statement names


@dataclass(frozen=True)
class WishView:
    """Who would like to sit with whom: one guest, or several of a party who wish the same."""

    keys: tuple[Key, ...]
    guests: tuple[str, ...]
    other: str
    state: State
    is_mutual: bool
    obstacle: str

    @property
    def text(self) -> str:
        """The keys as one text, for a form."""
        return "~".join(f"{guest}.{other}" for guest, other in self.keys)


@dataclass(frozen=True)
class Decision:
    """How many wishes were decided in one go, and when: by that moment it can be undone."""

    count: int
    moment: datetime


def list_wishes(ctx: EventContext) -> list[WishView]:
    """Return all wishes between guests who may come, by the guests' order; those of a party stand together."""
    event = ctx.require("editor")
    wishes = queries.wishes_of(ctx.session, ctx.event_id)
    guests = {guest.id: guest for guest in queries.coming_guests(ctx.session, ctx.event_id)}
    order = {key: number for number, key in enumerate(guests)}
    obstacles = _obstacles(ctx.session, event, wishes)
    by_unit: dict[tuple[UUID, UUID, State], list[Wish]] = {}
    for wish in sorted(wishes, key=lambda wish: (order[wish.guest_id], wish.created_at, order[wish.other_id])):
        unit = guests[wish.guest_id].party_id or wish.guest_id
        by_unit.setdefault((unit, wish.other_id, state_of(wish)), []).append(wish)
    mutual = mutual_keys(wishes, guests.values())
    return [_view(same, guests, mutual, obstacles) for same in by_unit.values()]


def page_of_wishes(ctx: EventContext, *, limit: int, after: Key | None = None) -> Sequence[Wish]:
    """Return single wishes between guests who may come, by their key."""
    ctx.require("editor")
    return queries.wishes_of(ctx.session, ctx.event_id, limit=limit, after=after)


def count_undecided(ctx: EventContext) -> int:
    """Return how many wishes wait for the planner."""
    ctx.require("editor")
    return value_queries.count_undecided(ctx.session, ctx.event_id)


def decide(ctx: EventContext, keys: Collection[Key], wanted: State) -> Decision:
    """Accept or decline wishes, or let them wait again; only accepted ones count in plans."""
    ctx.edit()
    present = {_key(wish): wish for wish in queries.wishes_of(ctx.session, ctx.event_id)}
    unknown = [number for number, key in enumerate(keys) if key not in present]
    if unknown:
        faults = [FieldError(f"wishes/{number}", "This wish no longer exists.") for number in unknown]
        raise Invalid(faults[:MOST_FAULTS])
    moment = now()
    changed = [key for key in dict.fromkeys(keys) if state_of(present[key]) != wanted]
    _write(ctx, changed, _values(wanted, moment))
    return Decision(len(changed), moment)


def accept_all(ctx: EventContext) -> Decision:
    """Accept every wish that waits and that contradicts neither a rule nor a rating."""
    ctx.edit()
    views = list_wishes(ctx)
    keys = [key for view in views if view.state == "undecided" and not view.obstacle for key in view.keys]
    return decide(ctx, keys, "accepted")


def undo(ctx: EventContext, moment: datetime) -> Decision:
    """Take back what was accepted or declined in one go, at this moment."""
    ctx.edit()
    keys = keys_decided_at(ctx.session, ctx.event_id, moment)
    for column in (Wish.accepted_at, Wish.declined_at):  # one accepted after all is declined again
        _write(ctx, keys, {column.key: None}, column == moment)
    return Decision(len(keys), moment)


def keys_decided_at(session: Session, event_id: UUID, moment: datetime) -> list[Key]:
    """Return the wishes that were accepted or declined at this moment, and not otherwise since."""
    wishes = queries.wishes_of(session, event_id)
    return [_key(wish) for wish in wishes if moment == (wish.accepted_at or wish.declined_at)]


def part_gone(ctx: EventContext, keys: Collection[Key]) -> tuple[list[Key], list[tuple[str, str]]]:
    """Return which of the wishes are still there, and of the others who wished for whom."""
    ctx.edit()
    present = {_key(wish) for wish in queries.wishes_of(ctx.session, ctx.event_id)}
    gone = [key for key in keys if key not in present]
    names = names_ever(ctx.session, ctx.event_id) if gone else {}
    unknown = "somebody"
    named = [(names.get(guest, unknown), names.get(other, unknown)) for guest, other in gone]
    return [key for key in keys if key in present], named


def state_of(wish: Wish) -> State:
    """Return what the planner has said to a wish."""
    if wish.accepted_at is not None:
        return "accepted"
    return "declined" if wish.declined_at is not None else "undecided"


def mutual_keys(wishes: Iterable[Wish], guests: Iterable[Guest]) -> set[Key]:
    """Return the wishes that are answered: the other, or somebody of their party, wishes for them or their party."""
    unit = {guest.id: guest.party_id or guest.id for guest in guests}
    known = [(wish.guest_id, wish.other_id) for wish in wishes]
    units = {(unit[guest], unit[other]) for guest, other in known}
    return {(guest, other) for guest, other in known if (unit[other], unit[guest]) in units}


def _view(
    same: Sequence[Wish], guests: dict[UUID, Guest], mutual: set[Key], obstacles: dict[frozenset[UUID], str]
) -> WishView:
    keys = tuple((wish.guest_id, wish.other_id) for wish in same)
    found = dict.fromkeys(filter(None, (obstacles.get(frozenset(key), "") for key in keys)))
    return WishView(
        keys=keys,
        guests=tuple(guests[wish.guest_id].name for wish in same),
        other=guests[same[0].other_id].name,
        state=state_of(same[0]),
        is_mutual=any(key in mutual for key in keys),
        obstacle=" ".join(found),
    )


def _obstacles(session: Session, event: Event, wishes: Iterable[Wish]) -> dict[frozenset[UUID], str]:
    """Return what contradicts the wishes, by pair: a rule that keeps them apart, or a rating below neutral."""
    pairs = {frozenset((wish.guest_id, wish.other_id)) for wish in wishes}
    found = _rated_against(session, event, pairs)
    for rule in rules_of(session, event.id):
        if rule.kind == "apart":
            named = set(rule.guest_ids)
            found |= {pair: "A rule keeps them apart." for pair in pairs if pair <= named}
        if rule.kind == "groups_apart":
            own = _groups_by_guest(rule.groups)
            found |= {pair: "A rule keeps their groups apart." for pair in pairs if _are_parted(pair, own)}
    return found


def _groups_by_guest(groups: Iterable[tuple[UUID, ...]]) -> dict[UUID, set[int]]:
    found: dict[UUID, set[int]] = {}
    for place, group in enumerate(groups):
        for guest in group:
            found.setdefault(guest, set()).add(place)
    return found


def _are_parted(pair: frozenset[UUID], own: Mapping[UUID, set[int]]) -> bool:
    """Return whether two guests are in two of the groups."""
    one, other = (own.get(guest, set()) for guest in pair)
    return any(a != b for a in one for b in other)


def _rated_against(session: Session, event: Event, pairs: set[frozenset[UUID]]) -> dict[frozenset[UUID], str]:
    ids = sorted({key for pair in pairs for key in pair})
    if event.kind != "score" or not ids or len(ids) > MOST_RATED:
        return {}
    values = known_values(session, event.id, ids)
    at = {key: number for number, key in enumerate(ids)}
    scores = {pair: float(values[tuple(at[key] for key in sorted(pair))]) for pair in pairs}
    low = {pair: score for pair, score in scores.items() if not np.isnan(score) and score < 0}
    return {pair: f"You rated this pair {score:g}.".replace("-", "−") for pair, score in low.items()}


def _values(wanted: State, moment: datetime) -> dict[str, datetime | None]:
    """Return what is stored; one that is accepted after all keeps that it was declined, for an undo."""
    if wanted == "accepted":
        return {"accepted_at": moment}
    return {"accepted_at": None, "declined_at": moment if wanted == "declined" else None}


def _write(
    ctx: EventContext, keys: Sequence[Key], values: dict[str, datetime | None], *conditions: ColumnElement[bool]
) -> None:
    for start in range(0, len(keys), STEP):
        some = tuple_(Wish.guest_id, Wish.other_id).in_(keys[start : start + STEP])
        ctx.session.execute(update(Wish).where(Wish.event_id == ctx.event_id, some, *conditions).values(values))


def _key(wish: Wish) -> Key:
    return wish.guest_id, wish.other_id
