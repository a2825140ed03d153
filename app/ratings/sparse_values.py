"""What pairs are worth in a large event: only the pairs about which something is said, in the layers of `values`.

An event of 20,000 guests has 200 million pairs, and a square of them takes gigabytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from uuid import UUID

import numpy as np
from sqlalchemy.orm import Session

from app.db import models
from app.errors import FieldError, Invalid
from app.guests.queries import groups as group_queries
from app.guests.queries.parties import parties_of
from app.ratings.matrix_checks import MOST_RATED
from app.ratings.queries import values as queries
from app.ratings.queries.ratings import has_matrix, placed_ratings
from app.solver import MATRIX_GUESTS, PARTY_SCORE, WISH_SCORE, FloatArray, IntArray, Ratings, collect_ratings

MOST_PAIRS = 2_000_000
"""Pairs that ratings of groups may make: they take about 200 MB while they are laid out."""
WITH_MATRIX = (
    f"Uploaded matrices and distances support up to {MOST_RATED:,} guests with a seat. "
    "Use single ratings, or split the event."
)


def is_large(session: Session, event: models.Event, guests: int) -> bool:
    """Return whether an event is stored and solved by its rated pairs alone.

    Distances and the numbers of an uploaded matrix are about every pair: with too many guests they are refused.
    """
    if guests <= MATRIX_GUESTS:
        return False
    if event.kind == "score" and not has_matrix(session, event.id):
        return True
    if guests > MOST_RATED:
        raise Invalid(FieldError("guests", WITH_MATRIX))
    return False


def few_values(session: Session, event: models.Event, guest_ids: Sequence[UUID]) -> Ratings:
    """Return what is said about pairs of these guests: own rating, accepted wish, party, group default."""
    place = {guest_id: number for number, guest_id in enumerate(guest_ids)}
    single = placed_ratings(session, event.id, tuple(guest_ids))
    own = collect_ratings(len(place), single.guests, single.others, single.scores)
    above = own.rows < own.others
    layers = _Layers(len(place), own.rows[above], own.others[above], own.scores[above])
    parties = parties_of(session, event.id)
    party_of = {guest: number for number, party in enumerate(parties) for guest in party}
    wishes = queries.accepted_wishes_of(session, event.id)
    # A party sits together anyway, so a wish within it says nothing more.
    apart = [(a, b) for a, b in wishes if a not in party_of or party_of[a] != party_of.get(b)]
    layers.add(_pairs(place, apart), WISH_SCORE)
    layers.add(_pairs(place, (pair for party in parties for pair in combinations(party, 2))), PARTY_SCORE)
    _add_groups(session, event.id, place, layers)
    return layers.ratings()


class _Layers:
    """Pairs from the strongest layer to the weakest: what is said first about a pair counts."""

    def __init__(self, guests: int, first: IntArray, second: IntArray, scores: FloatArray) -> None:
        self._guests = guests
        self._keys, self._scores = first * guests + second, scores

    def add(self, pairs: IntArray, score: float) -> None:
        """Give the score to those of the pairs about which nothing was said so far."""
        low, high = pairs.min(axis=1), pairs.max(axis=1)
        keys = np.unique(low[low < high] * self._guests + high[low < high])
        new = keys[~np.isin(keys, self._keys)]
        self._keys = np.concatenate([self._keys, new])
        self._scores = np.concatenate([self._scores, np.full(len(new), score)])

    def ratings(self) -> Ratings:
        """Return all of it by guest."""
        return collect_ratings(self._guests, self._keys // self._guests, self._keys % self._guests, self._scores)


def _pairs(place: dict[UUID, int], pairs: Iterable[tuple[UUID, UUID]]) -> IntArray:
    found = [(place[a], place[b]) for a, b in pairs if a in place and b in place]
    return np.array(found, dtype=np.int64).reshape(-1, 2)


def _add_groups(session: Session, event_id: UUID, place: dict[UUID, int], layers: _Layers) -> None:
    """Add what ratings of groups say about their members: of two that name a pair, the one that says more."""
    entered = [entry for entry in group_queries.group_ratings_of(session, event_id) if entry[2]]
    if not entered:
        return
    members: dict[UUID, list[int]] = {}
    for group, guest in queries.memberships_of(session, event_id):
        if guest in place:
            members.setdefault(group, []).append(place[guest])
    sizes = [len(members.get(a, ())) * len(members.get(b, ())) // (2 if a == b else 1) for a, b, _ in entered]
    if sum(sizes) > MOST_PAIRS:
        text = (
            f"The group ratings cover {sum(sizes):,} pairs of guests; maximum {MOST_PAIRS:,} for an event this size. "
            "Rate smaller groups, or rate guests one by one."
        )
        raise Invalid(FieldError("groups", text))
    for a, b, score in sorted(entered, key=lambda entry: (-abs(entry[2]), -entry[2])):
        one, other = np.array(members.get(a, ()), np.int64), np.array(members.get(b, ()), np.int64)
        layers.add(np.column_stack([np.repeat(one, len(other)), np.tile(other, len(one))]), score)
