"""Circles: guests of one group who are close, marked at once and kept as a group of their own.

One mark says something about every pair of the circle, which no question about a single pair does.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass, field
from uuid import UUID

from app.db import models
from app.events.context import EventContext
from app.events.progress import Progress, show_progress
from app.guests.queries.groups import circles_of, group_ratings_of
from app.guests.queries.guests import SeatedName, seated_names_of
from app.questions.group_cards import UPLOADED, NamedGroup
from app.ratings.group_defaults import DISTANCES
from app.ratings.known import known_values
from app.ratings.levels import RatingLevel
from app.ratings.queries.ratings import has_matrix
from app.ratings.queries.values import group_names_of, memberships_of
from app.ratings.values import MOST_GUESSED, on_levels

FEWEST_HOUSEHOLDS = 4
"""A group with fewer households is not asked about: it is a circle itself."""
FEWEST_CHOSEN = 2


@dataclass(frozen=True)
class Household:
    """Guests of a group who always sit together, as one choice; a guest without a household is one alone."""

    guests: tuple[SeatedName, ...]

    @property
    def key(self) -> UUID:
        """The guest that stands for all of them in a form."""
        return self.guests[0].id


@dataclass(frozen=True)
class Circle:
    """A circle that was marked, with its guests who are to be seated."""

    id: UUID
    name: str
    guests: frozenset[UUID]


@dataclass(frozen=True)
class Pool:
    """A group, or the guests in no group, with the households that are in none of its circles yet."""

    group: NamedGroup | None
    guests: Sequence[SeatedName]
    circles: Sequence[Circle] = ()
    is_close: bool = False
    """Whether all of its guests count as close already, so that a circle would say nothing."""

    @property
    def key(self) -> str:
        """What stands for it in an address."""
        return str(self.group.id) if self.group else "none"

    @property
    def left(self) -> Sequence[Household]:
        """Return the households that are in no circle."""
        taken = {guest for circle in self.circles for guest in circle.guests}
        return households([guest for guest in self.guests if guest.id not in taken])

    @property
    def is_open(self) -> bool:
        """Whether to ask about it: it is large enough to have circles, and a further one says something."""
        is_large = len(households(self.guests)) >= FEWEST_HOUSEHOLDS
        return is_large and not self.is_close and len(self.left) >= FEWEST_CHOSEN


@dataclass(frozen=True)
class CircleDeck:
    """The groups that may have circles, the largest first, and how far the plan has come."""

    event: models.Event
    pools: Sequence[Pool] = ()
    progress: Progress | None = None
    obstacle: str = ""
    guests: int = 0
    every: Mapping[str, Pool] = field(default_factory=dict)
    """All groups, also those without a question."""

    def after(self, shown: Pool) -> Pool | None:
        """Return the group that comes after this one; the first one after a group that is done."""
        keys = [pool.key for pool in self.pools]
        place = keys.index(shown.key) + 1 if shown.key in keys else 0
        return self.pools[place] if place < len(self.pools) else None

    @property
    def marked(self) -> Sequence[Pool]:
        """Return the groups in which circles were marked."""
        return [pool for pool in self.every.values() if pool.circles]


def show_circle_deck(ctx: EventContext) -> CircleDeck:
    """Return the groups in which circles can be marked."""
    event = ctx.require("editor")
    guests, progress = seated_names_of(ctx.session, ctx.event_id), show_progress(ctx)
    if obstacle := find_obstacle(ctx, event, guests):
        return CircleDeck(event, progress=progress, obstacle=obstacle, guests=len(guests))
    every = {pool.key: pool for pool in list_pools(ctx, guests)}
    asked = sorted((pool for pool in every.values() if pool.is_open), key=lambda pool: -len(pool.guests))
    return CircleDeck(event, asked, progress, guests=len(guests), every=every)


def list_pools(ctx: EventContext, guests: Sequence[SeatedName]) -> list[Pool]:
    """Return each group that is no circle, with its circles, and last the guests in no group."""
    names, larger = group_names_of(ctx.session, ctx.event_id), circles_of(ctx.session, ctx.event_id)
    members = _members(ctx, {guest.id for guest in guests})
    circles: dict[UUID, list[Circle]] = {}
    for circle, of in larger.items():
        circles.setdefault(of, []).append(Circle(circle, names[circle], frozenset(members.get(circle, ()))))
    close = {a for a, b, score in group_ratings_of(ctx.session, ctx.event_id) if a == b and score >= RatingLevel.CLOSE}
    place = {guest.id: number for number, guest in enumerate(guests)}
    pools = []
    for key, name in names.items():
        if key not in larger:
            own = [guests[number] for number in sorted(place[guest] for guest in members.get(key, ()))]
            pools.append(Pool(NamedGroup(key, name), own, circles.get(key, ()), key in close))
    grouped = {guest for group, found in members.items() if group not in larger for guest in found}
    return [*pools, Pool(None, [guest for guest in guests if guest.id not in grouped])]


def find_obstacle(ctx: EventContext, event: models.Event, guests: Sequence[SeatedName]) -> str:
    """Say why circles count for nothing in this event, if so."""
    if event.kind != "score":
        return DISTANCES
    if not has_matrix(ctx.session, ctx.event_id):
        return ""
    ids = [guest.id for guest in guests]
    return UPLOADED if len(ids) > MOST_GUESSED or not on_levels(known_values(ctx.session, event.id, ids)) else ""


def households(guests: Collection[SeatedName]) -> list[Household]:
    """Return these guests by household, in their order."""
    found: dict[UUID, list[SeatedName]] = {}
    for guest in guests:
        found.setdefault(guest.party_id or guest.id, []).append(guest)
    return [Household(tuple(one)) for one in found.values()]


def _members(ctx: EventContext, seated: Set[UUID]) -> dict[UUID, set[UUID]]:
    """Return the guests to be seated of each group that has any."""
    members: dict[UUID, set[UUID]] = {}
    for group, guest in memberships_of(ctx.session, ctx.event_id):
        if guest in seated:
            members.setdefault(group, set()).add(guest)
    return members
