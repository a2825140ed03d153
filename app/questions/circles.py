"""Circles: guests of one group who are close, marked at once and kept as a group of their own.

One mark says something about every pair of the circle, which no question about a single pair does.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
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
    """A group that was marked as a circle, with its guests who are to be seated and how they get along, if rated."""

    id: UUID
    name: str
    guests: Sequence[SeatedName]
    score: float | None

    @property
    def is_close(self) -> bool:
        """Whether its guests count as close to each other."""
        return _is_close(self.score)

    @property
    def guest_ids(self) -> frozenset[UUID]:
        return frozenset(guest.id for guest in self.guests)


@dataclass(frozen=True)
class Pool:
    """A group, or the guests in no group, with its circles and how all of its guests get along, if rated."""

    group: NamedGroup | None
    guests: Sequence[SeatedName]
    circles: Sequence[Circle] = ()
    score: float | None = None

    @property
    def key(self) -> str:
        """What stands for it in an address."""
        return str(self.group.id) if self.group else "none"

    @property
    def is_close(self) -> bool:
        """Whether all of its guests count as close already, so that a circle would say nothing."""
        return _is_close(self.score)

    @property
    def is_small(self) -> bool:
        """Whether it is a circle itself."""
        return len(households(self.guests)) < FEWEST_HOUSEHOLDS

    @property
    def free(self) -> Sequence[SeatedName]:
        """Return the guests who are in no circle of close guests."""
        taken = {guest.id for circle in self.circles if circle.is_close for guest in circle.guests}
        return [guest for guest in self.guests if guest.id not in taken]

    @property
    def left(self) -> Sequence[Household]:
        """Return those guests by household, without members of a household who are in a circle."""
        return households(self.free)

    @property
    def is_open(self) -> bool:
        """Whether to ask about it: it is large enough to have circles, and a further one says something."""
        return not self.is_small and not self.is_close and len(self.left) >= FEWEST_CHOSEN


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

    @property
    def has_small(self) -> bool:
        """Whether groups are not asked about because they are small."""
        return any(pool.group and pool.guests and pool.is_small for pool in self.every.values())


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
    members = _members(ctx, guests)
    scores = {a: score for a, b, score in group_ratings_of(ctx.session, ctx.event_id) if a == b}
    circles: dict[UUID, list[Circle]] = {}
    for circle, of in larger.items():
        marked = Circle(circle, names[circle], members.get(circle, ()), scores.get(circle))
        circles.setdefault(of, []).append(marked)
    pools = [
        Pool(NamedGroup(key, name), members.get(key, ()), circles.get(key, ()), scores.get(key))
        for key, name in names.items()
        if key not in larger
    ]
    grouped = {guest.id for pool in pools for guest in pool.guests}
    return [*pools, Pool(None, [guest for guest in guests if guest.id not in grouped])]


def find_obstacle(ctx: EventContext, event: models.Event, guests: Sequence[SeatedName]) -> str:
    """Say why circles count for nothing in this event, if so."""
    if event.kind != "score":
        return DISTANCES
    if not has_matrix(ctx.session, ctx.event_id):
        return ""
    ids = [guest.id for guest in guests]
    return UPLOADED if len(ids) > MOST_GUESSED or not on_levels(known_values(ctx.session, event.id, ids)) else ""


def counts_as_close(ctx: EventContext, group: UUID) -> bool:
    """Return whether the guests of a group are rated close to each other."""
    return any(a == b == group and _is_close(score) for a, b, score in group_ratings_of(ctx.session, ctx.event_id))


def households(guests: Collection[SeatedName]) -> list[Household]:
    """Return these guests by household, in their order."""
    found: dict[UUID, list[SeatedName]] = {}
    for guest in guests:
        found.setdefault(guest.party_id or guest.id, []).append(guest)
    return [Household(tuple(one)) for one in found.values()]


def _is_close(score: float | None) -> bool:
    return score is not None and score >= RatingLevel.CLOSE


def _members(ctx: EventContext, guests: Sequence[SeatedName]) -> dict[UUID, list[SeatedName]]:
    """Return those of these guests who are in each group, in their order."""
    groups_of: dict[UUID, list[UUID]] = {}
    for group, guest in memberships_of(ctx.session, ctx.event_id):
        groups_of.setdefault(guest, []).append(group)
    members: dict[UUID, list[SeatedName]] = {}
    for one in guests:
        for group in groups_of.get(one.id, ()):
            members.setdefault(group, []).append(one)
    return members
