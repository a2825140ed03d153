"""Questions about groups: how two of them get along, or the guests of one, the answer that decides most pairs first."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

import numpy as np

from app.db import models
from app.events.context import EventContext
from app.events.progress import Progress, show_progress
from app.guests.queries import groups as group_queries
from app.guests.queries.guests import seated_names_of
from app.questions.queries import Pair
from app.ratings.group_defaults import DISTANCES
from app.ratings.group_pairs import PairsOfGroups, count_undecided_pairs
from app.ratings.queries.values import group_names_of

UPLOADED = "The uploaded matrix says how the guests of this event get along, so groups do not count."


@dataclass(frozen=True)
class NamedGroup:
    """A group in a question."""

    id: UUID
    name: str


@dataclass(frozen=True)
class GroupCard:
    """Two groups to be asked about, or one twice; `pairs` is how many pairs of guests the answer decides.

    `was` is the answer to a question that is shown again though it has one.
    """

    a: NamedGroup
    b: NamedGroup
    pairs: int
    was: float | None = None

    @property
    def is_within(self) -> bool:
        """Whether it is about the guests of one group."""
        return self.a.id == self.b.id


@dataclass(frozen=True)
class GroupDeck:
    """The questions about groups that are open, best first, and how far they have come.

    `total` counts all questions that make sense: those about groups with guests to be seated. `ungrouped` are guests
    whom no answer concerns.
    """

    event: models.Event
    cards: Sequence[GroupCard] = ()
    answered: int = 0
    skipped: int = 0
    total: int = 0
    guests: int = 0
    groups: int = 0
    ungrouped: int = 0
    progress: Progress | None = None
    obstacle: str = ""


def show_group_deck(ctx: EventContext, *, first: Pair | None = None) -> GroupDeck:
    """Return the open questions about groups; `first` is one that is to come before all others."""
    event = ctx.require("editor")
    guests, names = seated_names_of(ctx.session, ctx.event_id), group_names_of(ctx.session, ctx.event_id)
    size, progress = len(guests), show_progress(ctx)
    if event.kind != "score":
        return GroupDeck(event, guests=size, groups=len(names), obstacle=DISTANCES)
    if not names or size < 2:
        return GroupDeck(event, guests=size, groups=len(names), ungrouped=size, progress=progress)
    counted = count_undecided_pairs(ctx.session, event, guests)
    if counted is None:
        return GroupDeck(event, guests=size, groups=len(names), progress=progress, obstacle=UPLOADED)
    cards = _cards(names, counted, group_queries.circles_of(ctx.session, ctx.event_id))
    rated = {(a, b): score for a, b, score in group_queries.group_ratings_of(ctx.session, ctx.event_id)}
    skipped = set(group_queries.skipped_groups_of(ctx.session, ctx.event_id))
    asked = [
        replace(card, was=rated.get(key_of(card)))
        for card in cards
        if key_of(card) == first or key_of(card) not in rated.keys() | skipped
    ]
    return GroupDeck(
        event,
        sorted(asked, key=lambda card: key_of(card) != first),
        answered=sum(key_of(card) in rated for card in cards),
        skipped=sum(key_of(card) in skipped for card in cards),
        total=len(cards),
        guests=size,
        groups=len(names),
        ungrouped=counted.ungrouped,
        progress=progress,
    )


def key_of(card: GroupCard) -> Pair:
    """Return the two groups of a card, the smaller id first."""
    return min(card.a.id, card.b.id), max(card.a.id, card.b.id)


def _cards(names: dict[UUID, str], counted: PairsOfGroups, circles: Collection[UUID]) -> list[GroupCard]:
    """Return a card for all groups that meet, those first whose answer decides most pairs.

    A circle gets along with other groups as the group does in which it was marked; it is asked about alone.
    """
    groups = [NamedGroup(key, name) for key, name in names.items()]
    is_circle = [group.id in circles for group in groups]
    undecided, pairs = counted.undecided, counted.pairs
    meeting = [(i, j) for i, j in np.argwhere(np.triu(pairs)).tolist() if i == j or not (is_circle[i] or is_circle[j])]
    meeting.sort(key=lambda cell: (-undecided[cell], -pairs[cell], cell))
    return [GroupCard(groups[i], groups[j], int(undecided[i, j])) for i, j in meeting]
